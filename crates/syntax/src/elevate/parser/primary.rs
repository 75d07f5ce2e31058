//! Parses the operands of strategy expressions: names, literals, calls, brackets and blocks.

use super::Parser;
use crate::ast::{AddressSpace, Literal, Name, TermId, TermKind};
use crate::elevate::ast::{Arg, ExprId, ExprKind, ListForm};
use crate::lexer::elevate::Word;
use crate::parser::TermCategory;
use crate::{Diagnostic, Span, Token, TokenKind};

impl Parser<'_> {
    /// Parses an operand, and the calls and member accesses after it.
    pub(super) fn postfix(&mut self) -> ExprId {
        let mut expr = self.primary();
        loop {
            if self.at_call() {
                expr = self.call(expr);
            } else if self.at(TokenKind::Dot) {
                self.bump();
                let name = self.ident("the name of a function, as in `xs.size`,");
                let span = self.rise.since(self.span_of(expr).start);
                expr = self.push(ExprKind::Member { object: expr, name }, span);
            } else {
                return expr;
            }
        }
    }

    fn call(&mut self, callee: ExprId) -> ExprId {
        let open = self.bump();
        let args =
            self.bracketed(|parser| parser.list_or_empty(open, TokenKind::RParen, Self::arg));
        let args = args.into_boxed_slice();
        self.push_since(self.span_of(callee).start, ExprKind::Call { callee, args })
    }

    fn arg(&mut self) -> Arg {
        let named = self.peek(1) == TokenKind::Equals;
        let name = match self.kind() {
            TokenKind::Ident | TokenKind::Quoted if named => {
                let name = self.ident("a parameter");
                self.bump();
                name
            }
            _ => None,
        };
        let value = self.expr();
        Arg { name, value }
    }

    fn primary(&mut self) -> ExprId {
        match self.kind() {
            TokenKind::Quoted => self.leaf(|parser, span| ExprKind::Name(parser.name(span))),
            TokenKind::Word(Word::If) => self.conditional(),
            TokenKind::Word(Word::With) => self.with(),
            TokenKind::Word(Word::Rule) if self.peek(1) == TokenKind::LBrace => {
                let word = self.bump();
                let alts = self.braced_alts();
                self.push_since(word.span.start, ExprKind::Rule(alts))
            }
            TokenKind::Metavariable => {
                let (span, text) = (self.span(), self.quoted());
                let message = format!(
                    "{text} is a metavariable: those are allowed only in rules and patterns"
                );
                self.rise.error_at(span, message);
                self.leaf(|_, _| ExprKind::Missing)
            }
            TokenKind::Ident => self.named(),
            TokenKind::Underscore => self.leaf(|_, _| ExprKind::Hole),
            TokenKind::Int | TokenKind::Float => self.number(),
            TokenKind::Minus if self.rise.at_negative_number() => self.number(),
            TokenKind::True => self.leaf(|_, _| ExprKind::Literal(Literal::Bool(true))),
            TokenKind::False => self.leaf(|_, _| ExprKind::Literal(Literal::Bool(false))),
            TokenKind::String => {
                let (text, span) = self.rise.string();
                self.push(ExprKind::String(text), span)
            }
            TokenKind::Address => self.leaf(|parser, span| {
                AddressSpace::from_text(parser.rise.slice(span))
                    .map_or(ExprKind::Missing, ExprKind::Address)
            }),
            TokenKind::Scalar | TokenKind::Constructor | TokenKind::NatFun | TokenKind::DataFun => {
                let term = self.rise.atom(TermCategory::Size);
                self.rise_expr(term, ExprKind::Type)
            }
            TokenKind::Fun | TokenKind::DepFun => self.function(),
            TokenKind::Let if !self.rise.at_let_binding() => {
                self.leaf(|_, _| ExprKind::Name(Name::new_static("let")))
            }
            TokenKind::LBracket => {
                let open = self.bump();
                let elements = self.exprs_until(open, TokenKind::RBracket);
                let span = self.rise.since(open.span.start);
                let form = ListForm::Brackets;
                self.push(ExprKind::List { elements, form }, span)
            }
            TokenKind::LParen => self.parentheses(),
            _ => self.no_operand(),
        }
    }

    fn leaf(&mut self, kind: impl FnOnce(&mut Self, Span) -> ExprKind) -> ExprId {
        let span = self.bump().span;
        let kind = kind(self, span);
        self.push(kind, span)
    }

    /// Adds an expression that consists of a RISE term.
    fn rise_expr(&mut self, term: TermId, kind: impl FnOnce(TermId) -> ExprKind) -> ExprId {
        let span = self.rise.span_of(term);
        self.push(kind(term), span)
    }

    /// Parses a name, or a construct that begins with one.
    fn named(&mut self) -> ExprId {
        let next = self.peek(1);
        if next == TokenKind::FatArrow && !self.guard {
            return self.lambda();
        }
        match self.text() {
            "rise" if next == TokenKind::LBrace => self.quotation(),
            text @ ("List" | "Seq") if self.call_ahead(1) => {
                let form = match text {
                    "List" => ListForm::List,
                    _ => ListForm::Seq,
                };
                let word = self.bump();
                let open = self.bump();
                let elements = self.exprs_until(open, TokenKind::RParen);
                self.push_since(word.span.start, ExprKind::List { elements, form })
            }
            _ => self.leaf(|parser, span| ExprKind::Name(parser.name(span))),
        }
    }

    /// Parses a number as a literal; the RISE term that is created for it is not used.
    pub(super) fn literal(&mut self) -> (Literal, Span) {
        let term = self.rise.number();
        let span = self.rise.span_of(term);
        match &self.rise.terms[term.0 as usize].kind {
            TermKind::Literal(literal) => (literal.clone(), span),
            _ => (Literal::Bool(false), span),
        }
    }

    fn number(&mut self) -> ExprId {
        let (literal, span) = self.literal();
        self.push(ExprKind::Literal(literal), span)
    }

    /// Parses `fun(x => e)` or `depFun(n: Nat => e)`, a RISE term, or the name `fun` before `(x,
    /// e)`, a function that builds a term.
    fn function(&mut self) -> ExprId {
        if self.at(TokenKind::DepFun) || self.has_arrow(1) || !self.call_ahead(1) {
            let term = self.rise.function();
            return self.rise_expr(term, ExprKind::Rise);
        }
        self.leaf(|_, _| ExprKind::Name(Name::new_static("fun")))
    }

    /// Returns true if the token `n` positions ahead is a `(` whose parentheses contain a `=>` that
    /// is not in further brackets.
    pub(super) fn has_arrow(&self, n: usize) -> bool {
        let open = self.rise.pos + n;
        if self.peek(n) != TokenKind::LParen {
            return false;
        }
        let close = self.partners[open] as usize;
        let mut at = open + 1;
        while at < close {
            match self.kinds[at] {
                TokenKind::FatArrow => return true,
                kind if kind.opens_bracket() => {
                    at = (self.partners[at] as usize).max(at + 1);
                }
                _ => at += 1,
            }
        }
        false
    }

    /// Parses an abstraction `x => e` or `(x, y) => e`.
    fn lambda(&mut self) -> ExprId {
        let start = self.span().start;
        let params = match self.at(TokenKind::LParen) {
            true => self.param_list(false).params,
            false => Box::from([self.bound_name()]),
        };
        if self.eat(TokenKind::FatArrow).is_none() {
            self.rise.expected("`=>`");
        }
        let body = self.expr();
        self.push_since(start, ExprKind::Lambda { params, body })
    }

    /// Parses `(e)`, `(a, b)` or `(x, y) => e`.
    fn parentheses(&mut self) -> ExprId {
        let close = self.partners[self.rise.pos] as usize;
        let behind = self.kinds.get(close + 1).copied();
        if behind == Some(TokenKind::FatArrow) && !self.guard {
            return self.lambda();
        }
        let open = self.bump();
        if let Some(close) = self.eat(TokenKind::RParen) {
            let span = open.span.cover(close.span);
            self.rise
                .error_at(span, "expected an expression between these parentheses");
            return self.push(ExprKind::Missing, span);
        }
        let mut parts = self.exprs_between(open, TokenKind::RParen);
        let span = self.rise.since(open.span.start);
        let kind = match parts.len() {
            1 => ExprKind::Paren(parts.remove(0)),
            _ => ExprKind::Tuple(parts.into_boxed_slice()),
        };
        self.push(kind, span)
    }

    /// Parses `a, b` up to the closing bracket; possibly empty.
    fn exprs_until(&mut self, open: Token, closer: TokenKind) -> Box<[ExprId]> {
        self.bracketed(|parser| parser.list_or_empty(open, closer, Self::expr))
            .into_boxed_slice()
    }

    fn exprs_between(&mut self, open: Token, closer: TokenKind) -> Vec<ExprId> {
        self.bracketed(|parser| parser.list(open, closer, Self::expr))
    }

    /// Parses `if c then a else b`.
    fn conditional(&mut self) -> ExprId {
        let word = self.bump();
        let condition = self.expr();
        self.branch(Word::Then, word);
        let then = self.expr();
        self.branch(Word::Else, word);
        let otherwise = match self.at(TokenKind::End) && self.rise.error.is_some() {
            true => self.missing(),
            false => self.expr(),
        };
        self.push_since(
            word.span.start,
            ExprKind::If {
                condition,
                then,
                otherwise,
            },
        )
    }

    fn branch(&mut self, word: Word, start: Token) {
        if self.eat_word(word).is_some() {
            return;
        }
        let (span, text) = (self.rise.last_char(), word.as_str());
        let message = format!("expected `{text}` and a branch");
        self.rise.report(
            Diagnostic::syntax(span, message)
                .related(start.span, "an `if` is written `if c then a else b`"),
        );
    }

    /// Parses `with NF { e }`.
    fn with(&mut self) -> ExprId {
        let word = self.bump();
        let normal_form = self.postfix();
        let body = match self.eat(TokenKind::LBrace) {
            Some(open) => {
                let body = self.bracketed(Self::expr);
                self.rise.close(open, TokenKind::RBrace);
                body
            }
            None => {
                self.rise.expected("`{` and a strategy");
                self.missing()
            }
        };
        self.push_since(word.span.start, ExprKind::With { normal_form, body })
    }

    /// Parses `rise { e }`.
    fn quotation(&mut self) -> ExprId {
        let word = self.bump();
        let open = self.bump();
        let term = self.rise.term(TermCategory::Expr);
        self.rise.close(open, TokenKind::RBrace);
        self.push_since(word.span.start, ExprKind::Rise(term))
    }

    /// Reports the current token, which cannot begin an operand, and returns an
    /// [`ExprKind::Missing`]. Kinds, strings and `|->` are skipped, a `let` with the rest of the
    /// item; any other token is not skipped, since an enclosing construct may use it.
    fn no_operand(&mut self) -> ExprId {
        let (span, text) = (self.span(), self.quoted());
        match self.kind() {
            TokenKind::Kind => self.misplaced(format!(
                "{text} is a type of ELEVATE or a kind: it must come after a `:`"
            )),
            TokenKind::Let => {
                let message = "there is no `let` in strategies: name the value with `val`, or make it a parameter";
                self.rise.error_at(span, message);
                self.rise.skip_to_end();
                self.missing()
            }
            TokenKind::RawString => {
                self.misplaced("a string must be in single quotes here".to_owned())
            }
            TokenKind::OpenString | TokenKind::OpenRawString => {
                self.misplaced(String::new())
            }
            TokenKind::MapsTo => self.misplaced(format!(
                "{text} is allowed only in rules: a rule without a name is written `rule {{ p {text} e }}`",
                text = text.trim_matches('`'),
            )),
            _ => {
                self.expected_operand();
                self.missing()
            }
        }
    }

    fn misplaced(&mut self, message: String) -> ExprId {
        let span = self.bump().span;
        self.rise.error_at(span, message);
        self.push(ExprKind::Missing, span)
    }

    /// Reports that an operand is missing after the previous token. If that is an operator between
    /// strategies, and the item, the enclosing brackets or the element of a list ends after it, the
    /// fix removes the operator.
    fn expected_operand(&mut self) {
        let ends = matches!(
            self.kind(),
            TokenKind::End
                | TokenKind::RParen
                | TokenKind::RBracket
                | TokenKind::RBrace
                | TokenKind::Comma
        );
        let operator = self.rise.pos.checked_sub(1).map(|at| self.kinds[at]);
        let (Some(TokenKind::Combinator(..)), true) = (operator, ends) else {
            return self.rise.expected("an expression");
        };
        let token = self.rise.tokens[self.rise.pos - 1];
        let (text, end) = (self.rise.quoted(token), self.at(TokenKind::End));
        let message = match end {
            true => format!("expected a strategy after {text}: remove {text} at the end"),
            false => format!("expected a strategy after {text}"),
        };
        self.rise
            .report(Diagnostic::syntax(token.span, message).replace(
                format!("Remove {text}"),
                token.span,
                "",
            ));
    }
}
