//! Error recovery for the heads of definitions, and for text that is not a part of an item.

use super::Parser;
use super::recover_conditions::misplaced_where;
use crate::ast::{Annotation, Ident, ItemKind};
use crate::lexer::TokenKind;
use crate::{Diagnostic, Span};

impl Parser<'_> {
    /// Returns true at a type that follows the name of a definition without a `:`.
    pub(crate) fn at_type_without_colon(&self) -> bool {
        use TokenKind::{
            Colon, Constructor, DepFun, Dot, Equals, Ident, Int, Kind, LBrace, LParen,
        };
        let mut behind = self
            .ahead_in_brackets(0)
            .skip_while(|token| token.kind != Equals);
        let has_body = behind.next().is_some();
        let body = behind.next().map(|token| token.kind);
        let binds_size = || {
            let kinds = [1, 2, 3].map(|ahead| self.peek_kind(ahead));
            kinds == [Ident, Colon, Kind] && self.peek_kind(5) == TokenKind::Arrow
        };
        let is_type = match self.kind() {
            TokenKind::Scalar | Constructor => true,
            TokenKind::Float => self.split_float().is_some(),
            Ident | Int => self.peek_kind(1) == Dot,
            LBrace => binds_size(),
            // Before another body it is a parameter of a definition in another language.
            LParen => binds_size() && body == Some(DepFun),
            _ => false,
        };
        has_body && is_type
    }

    /// Reports the missing `:` between the name of a definition and its type.
    pub(crate) fn colon_before_type(&mut self) {
        let name = self.previous().map_or("f", |name| self.slice(name.span));
        let (span, gap) = (
            self.last_char(),
            Span::new(self.last_end(), self.token().span.start),
        );
        let edit = match self.slice(gap).trim().is_empty() {
            true => (gap, " : ".to_owned()),
            false => (Span::empty(gap.start), " :".to_owned()),
        };
        let message = format!("expected `:` between `{name}` and its type");
        self.report(Diagnostic::syntax(span, message).fix("Insert `:`", vec![edit], true));
    }

    /// Parses the `=` of a definition. If it is missing, reports this and skips to the definition's
    /// value where possible. `typed` is true if the definition has a type.
    pub(crate) fn def_equals(&mut self, name: &Option<Ident>, typed: bool) {
        if self.eat(TokenKind::Equals).is_some() {
            return;
        }
        let next = self.token();
        match next.kind {
            TokenKind::FatArrow if typed && self.is_before_equals() => self.fat_arrow_in_type(),
            TokenKind::EqEq | TokenKind::FatArrow => {
                let text = self.quoted(next);
                let message = format!("expected `=` before the definition's value, found {text}");
                self.report(Diagnostic::syntax(next.span, message).write(next.span, "="));
                self.bump();
            }
            _ if self.slice(next.span) == "where" => {
                self.error_at(next.span, match typed {
                    true => "`where` is not allowed here: write the conditions before the `def`, as `@assume(4 | n)`".to_owned(),
                    false => "`where` must come after a type: write the type of the definition, or write the conditions before the `def`, as `@assume(4 | n)`"
                        .to_owned(),
                });
                self.skip_to_equals();
            }
            _ if typed && matches!(self.slice(next.span), "if" | "with" | "when" | "requires") => {
                let text = self.quoted(next);
                let message = format!("conditions on sizes must come after `where`, not {text}");
                self.report(Diagnostic::syntax(next.span, message).write(next.span, "where"));
                self.skip_to_equals();
            }
            TokenKind::Less if !typed && self.previous().is_some() => {
                let name = self.previous().map_or("f", |name| self.slice(name.span));
                let message =
                    format!("sizes and types are parameters: write `def {name}(n: Nat) = …`");
                self.error_at(next.span, message);
                self.skip_to_equals();
            }
            TokenKind::Colon if self.peek_kind(1) == TokenKind::Kind => {
                let kind = self.quoted(self.peek(1));
                let name = self.previous().map(|token| self.quoted(token));
                let kind = kind.trim_matches('`');
                let name = name.unwrap_or_default();
                let name = name.trim_matches('`');
                let message = format!(
                    "a parameter of a type must be in parentheses: write `({name}: {kind}) -> …`"
                );
                self.error_at(next.span, message);
                self.skip_to_equals();
            }
            _ => {
                match (name, typed) {
                    (_, true) => self.expected("`=` and the definition's value"),
                    (Some(_), false) => self.expected("`:` and a type, or `=` and a value,"),
                    (None, false) => self.expected("a name"),
                }
                if !self.at_operand() {
                    self.skip_to_equals();
                }
            }
        }
    }

    /// Returns true if an `=` follows that is the one of the definition: outside of brackets, and
    /// not in its value, which the word `fun`, `depFun` or `let` would precede.
    fn is_before_equals(&self) -> bool {
        use TokenKind::{DepFun, Equals, Fun, Let};
        let mut ahead = self.ahead_in_brackets(0).map(|token| token.kind);
        ahead.find(|kind| matches!(kind, DepFun | Equals | Fun | Let)) == Some(Equals)
    }

    /// Reports `=>` in the type of a definition, `def f : f32 => f32 = …`, and skips to the
    /// definition's value.
    fn fat_arrow_in_type(&mut self) {
        let arrow = self.token().span;
        self.report(fat_arrow_for_arrow(arrow));
        self.skip_to_equals();
    }

    /// Skips to the token after the next `=`, or to the end.
    fn skip_to_equals(&mut self) {
        let behind = self.tokens[self.pos..]
            .iter()
            .position(|token| token.kind == TokenKind::Equals);
        match behind {
            Some(n) => self.pos += n + 1,
            None => self.skip_to_end(),
        }
    }

    /// Reports that none of the keywords of items begins the item, or follows its annotations; an
    /// empty item is not reported.
    pub(crate) fn report_missing_item(&mut self, annotations: &[Annotation]) {
        let token = self.token();
        if !annotations.is_empty() {
            let span = self.last_char();
            return self.error_at(span, "expected `def` or `foreign def` after the annotation");
        }
        if token.kind == TokenKind::End {
            return;
        }
        if self.foreign_definition() || self.foreign_comment() || self.words_before_def() {
            return;
        }
        let text = self.quoted(token);
        let defines = token.kind == TokenKind::Ident
            && matches!(self.peek_kind(1), TokenKind::Equals | TokenKind::Colon);
        let error = |message| Diagnostic::syntax(token.span, message);
        self.report(match defines {
            true => error(format!(
                "a definition begins with `def`: write `def` before {text}"
            ))
            .replace("Write `def`", Span::empty(token.span.start), "def "),
            false => error(format!(
                "expected `def`, `foreign def` or `import`, found {text}"
            )),
        });
    }

    /// Reports text after a complete item, and skips it.
    pub(crate) fn report_trailing_text(&mut self, kind: &ItemKind) {
        let token = self.token();
        if self.at_where() {
            self.report(misplaced_where(token.span, "the definition's value"));
            return self.skip_to_end();
        }
        if let ItemKind::Def { body, .. } = kind
            && self.at(TokenKind::FatArrow)
            && self.function_without_word(*body, None)
        {
            return self.skip_to_end();
        }
        if self.foreign_definition() || self.foreign_comment() {
            return self.skip_to_end();
        }
        let text = self.quoted(token);
        let what = match kind {
            ItemKind::Def { .. } => "the definition",
            ItemKind::Foreign { .. } => "the foreign function",
            ItemKind::Import { .. } | ItemKind::Stray => "the import",
        };
        let next = self.peek_kind(1);
        let message = match token.kind {
            kind if kind.closes_bracket() => {
                format!("unmatched {text}")
            }
            TokenKind::Ident if matches!(next, TokenKind::Equals | TokenKind::Colon) => {
                format!("unexpected {text} after {what}: a new definition begins with `def`")
            }
            TokenKind::Arrow => format!(
                "unexpected {text} after {what}: `->` is used in types, a function is written `fun(x => …)`"
            ),
            TokenKind::In => format!("this {text} has no `let`"),
            TokenKind::Else => format!("this {text} has no `if`"),
            _ if self.at_operand() && matches!(kind, ItemKind::Def { .. }) => format!(
                "unexpected {text} after {what}: arguments must be in parentheses, as in `f(x)`"
            ),
            _ => format!("unexpected {text} after {what}"),
        };
        self.error_at(token.span, message);
        self.skip_to_end();
    }
}

/// Returns the error for `=>` in a type.
pub(crate) fn fat_arrow_for_arrow(arrow: Span) -> Diagnostic {
    let message = "the type of a function is written with `->`, not `=>`";
    Diagnostic::syntax(arrow, message).write(arrow, "->")
}
