//! `fun`, `depFun`, `natFun`, `dataFun`, and what they bind.

use super::recover::SEEK_LIMIT;
use super::{Mode, Parser};
use crate::ast::{Binder, BinderAnnotation, BinderId, Kind, Name, TermId, TermKind};
use crate::lexer::{Token, TokenKind};
use crate::{Code, Diagnostic, Dialect, Span};

impl Parser<'_> {
    /// `fun(params => body)`, `depFun(dparams => body)`.
    pub(crate) fn function(&mut self) -> TermId {
        let word = self.bump();
        self.function_after(word, word.kind == TokenKind::DepFun)
    }

    /// The rest of a function whose keyword, or what was written in its place, is `word`.
    pub(crate) fn function_after(&mut self, word: Token, dependent: bool) -> TermId {
        let base = self.params.len();
        let head = self.pos;
        let open = self.function_open(word);
        let grouped = self.parameters(dependent);
        self.fat_arrow(word);
        let start = self.pos;
        let body = self.term(Mode::Expr);
        self.name_the_pair(head, start);
        if let Some(open) = open {
            self.close(open, TokenKind::RParen);
        }
        let params = Box::from(&self.params[base..]);
        self.params.truncate(base);
        let kind = match dependent {
            true => TermKind::DepFun { params, body },
            false => TermKind::Fun {
                params,
                grouped,
                body,
            },
        };
        let span = self.since(word.span.start);
        self.push(kind, span)
    }

    /// `natFun(i => nat)`, `dataFun(i => data)`.
    pub(crate) fn type_function(&mut self) -> TermId {
        let word = self.bump();
        let open = self.function_open(word);
        let param = self.binder("a name");
        self.fat_arrow(word);
        let body = self.term(if word.kind == TokenKind::NatFun {
            Mode::Size
        } else {
            Mode::Type
        });
        if let Some(open) = open {
            self.close(open, TokenKind::RParen);
        }
        let kind = match word.kind {
            TokenKind::NatFun => TermKind::NatFun { param, body },
            _ => TermKind::DataFun { param, body },
        };
        let span = self.since(word.span.start);
        self.push(kind, span)
    }

    fn function_open(&mut self, word: Token) -> Option<Token> {
        let open = self.eat(TokenKind::LParen);
        if open.is_none() {
            let (span, text) = (self.last_char(), self.quoted(word));
            self.error_at(span, || {
                format!(
                    "expected `(` after {text}: write `{}`",
                    function_form(word.kind)
                )
            });
        }
        open
    }

    /// Returns whether parentheses stand around the parameters.
    fn parameters(&mut self, dependent: bool) -> bool {
        let first = self.pos;
        let group = self.eat(TokenKind::LParen);
        self.list_of_parameters(dependent);
        if let Some(open) = group {
            self.close(open, TokenKind::RParen);
        }
        if self.at(TokenKind::Comma) && self.is_comma_for_arrow() {
            self.comma_for_arrow();
        } else if !dependent && self.at(TokenKind::Comma) && self.is_pattern_since(first) {
            self.report_pattern(first, self.pos - first);
            self.bump();
            self.list_of_parameters(dependent);
        }
        group.is_some()
    }

    fn list_of_parameters(&mut self, dependent: bool) {
        loop {
            let param = match dependent {
                true => self.kinded_binder(),
                false => self.parameter(),
            };
            self.params.push(param);
            if self.at(TokenKind::Comma) && self.is_comma_for_arrow() {
                self.comma_for_arrow();
                return;
            }
            if self.eat(TokenKind::Comma).is_none() {
                return;
            }
        }
    }

    /// `x` or `x: type`.
    fn parameter(&mut self) -> BinderId {
        let id = self.name_or_pattern("a parameter");
        if self.eat(TokenKind::Colon).is_some() {
            let ty = if self.at(TokenKind::Kind) {
                self.kind_as_type()
            } else {
                self.type_of_parameter()
            };
            self.binders[id.0 as usize].annotation = BinderAnnotation::Type(ty);
        }
        id
    }

    /// A parameter of `fun` with a kind.
    fn kind_as_type(&mut self) -> TermId {
        let token = self.bump();
        let text = self.quoted(token);
        self.report(|| {
            Diagnostic::error(
                Code::SyntaxError,
                token.span,
                format!(
                    "{text} is a kind, and `fun` binds values: use `depFun` to bind sizes and types"
                ),
            )
        });
        self.push(TermKind::Missing, token.span)
    }

    /// `n: Nat`
    pub(crate) fn kinded_binder(&mut self) -> BinderId {
        let id = self.binder("a parameter");
        let annotation = match self.eat(TokenKind::Colon) {
            Some(_) => self.binder_kind(),
            None => {
                let name = self.binders[id.0 as usize].name.clone();
                let span = self.last_char();
                self.error_at(span, || {
                    format!("expected `:` and the kind of `{name}`, as in `{name}: Nat`")
                });
                BinderAnnotation::Kind(None, Span::empty(self.last_end()))
            }
        };
        self.binders[id.0 as usize].annotation = annotation;
        id
    }

    fn binder_kind(&mut self) -> BinderAnnotation {
        let token = self.token();
        if token.kind == TokenKind::Kind {
            self.bump();
            return BinderAnnotation::Kind(Kind::from_text(self.slice(token.span)), token.span);
        }
        if !self.at_operand() {
            self.expected("a kind such as `Nat` or `DataType`");
            return BinderAnnotation::Kind(None, Span::empty(self.last_end()));
        }
        let text = self.slice(token.span).to_owned();
        let meant = Kind::ALL.iter().find(|&&kind| {
            (kind != Kind::ReadWrite || self.dialect == Dialect::Dpia)
                && kind.as_str().eq_ignore_ascii_case(&text)
        });
        self.report(|| match meant {
            Some(kind) => Diagnostic::error(
                Code::SyntaxError,
                token.span,
                format!("`{text}` is no kind: did you mean `{kind}`?"),
            )
            .fix(
                format!("write `{kind}`"),
                vec![(token.span, kind.to_string())],
                true,
            ),
            None => Diagnostic::error(
                Code::SyntaxError,
                token.span,
                format!("expected a kind such as `Nat` or `DataType`, found `{text}`"),
            )
            .help("parameters that are values are bound by `fun`"),
        });
        // What stands in the kind's place is read as the type that it looks like, and dropped.
        self.term(Mode::Type);
        BinderAnnotation::Kind(meant.copied(), token.span)
    }

    /// The place where a name is bound. `what` names it if it is missing.
    pub(crate) fn binder(&mut self, what: &str) -> BinderId {
        let token = self.token();
        let (name, span) = match token.kind {
            TokenKind::Ident => {
                self.bump();
                (self.name(token.span), token.span)
            }
            TokenKind::Underscore => {
                self.bump();
                self.report(|| {
                    Diagnostic::error(
                        Code::ReservedName,
                        token.span,
                        "`_` is a hole and binds nothing: begin an unused name with it, as in `_x`",
                    )
                });
                (Name::default(), token.span)
            }
            kind if kind.is_reserved() => {
                self.bump();
                self.reserved(token);
                (self.name(token.span), token.span)
            }
            _ => {
                self.expected(what);
                return self.nameless_binder();
            }
        };
        self.push_binder(name, span)
    }

    /// A binder whose name is missing or cannot be read.
    pub(crate) fn nameless_binder(&mut self) -> BinderId {
        self.push_binder(Name::default(), Span::empty(self.last_end()))
    }

    fn push_binder(&mut self, name: Name, span: Span) -> BinderId {
        let id = BinderId(self.binders.len() as u32);
        self.binders.push(Binder {
            name,
            span,
            annotation: BinderAnnotation::None,
        });
        id
    }

    pub(crate) fn reserved(&mut self, token: Token) {
        let text = self.quoted(token);
        self.report(|| {
            Diagnostic::error(
                Code::ReservedName,
                token.span,
                format!("{text} is a reserved word: choose another name"),
            )
        });
    }

    /// The `=>` behind parameters.
    pub(crate) fn fat_arrow(&mut self, word: Token) {
        if self.eat(TokenKind::FatArrow).is_some() {
            return;
        }
        let text = self.quoted(word);
        if let Some(arrow) = self.eat(TokenKind::Arrow) {
            return self.report(|| {
                Diagnostic::error(
                    Code::SyntaxError,
                    arrow.span,
                    format!("the parameters of {text} are followed by `=>`, not `->`"),
                )
                .fix("write `=>`", vec![(arrow.span, "=>".to_owned())], true)
            });
        }
        let span = self.last_char();
        self.report(|| {
            Diagnostic::error(
                Code::SyntaxError,
                span,
                format!("expected `=>` after the parameters of {text}"),
            )
            .related(
                word.span,
                format!("this {text} is written `{}`", function_form(word.kind)),
            )
        });
        if let Some(pos) = self.seek_arrow() {
            self.pos = pos + 1;
        }
    }

    /// The `=>` behind unreadable parameters, if it is theirs.
    fn seek_arrow(&self) -> Option<usize> {
        let mut depth = 0u32;
        for (pos, token) in self
            .tokens
            .iter()
            .enumerate()
            .skip(self.pos)
            .take(SEEK_LIMIT)
        {
            match token.kind {
                TokenKind::FatArrow if depth == 0 => return Some(pos),
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => depth += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                    depth = depth.checked_sub(1)?;
                }
                TokenKind::In | TokenKind::Equals | TokenKind::End if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }
}

fn function_form(word: TokenKind) -> &'static str {
    match word {
        TokenKind::DepFun => "depFun(n: Nat => …)",
        TokenKind::NatFun => "natFun(i => size)",
        TokenKind::DataFun => "dataFun(i => type)",
        TokenKind::Constructor => "DepPair[n => type]",
        _ => "fun(x => …)",
    }
}
