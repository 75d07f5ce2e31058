//! Parses the alternatives of rules, their clauses, RISE patterns, and sizes.

use super::Parser;
use crate::ast::{TermId, TermKind};
use crate::elevate::ast::{Alt, Clause, ClauseKind};
use crate::lexer::elevate::Word;
use crate::parser::TermCategory;
use crate::{Diagnostic, Span, Token, TokenKind};

impl Parser<'_> {
    /// Parses alternatives in braces, `{ alt | alt }`.
    pub(super) fn braced_alts(&mut self) -> Box<[Alt]> {
        let open = self.bump();
        let mut alts = Vec::new();
        self.bracketed(|parser| {
            loop {
                alts.push(parser.alt(true));
                if !parser.next_alternative(open) {
                    break;
                }
            }
        });
        alts.into_boxed_slice()
    }

    /// Skips the `|` or the closing brace after an alternative. A `,` in place of the `|` is
    /// reported, as is any other token. Returns true if another alternative follows.
    pub(super) fn next_alternative(&mut self, open: Token) -> bool {
        if self.eat(TokenKind::Bar).is_some() {
            return true;
        }
        if self.at(TokenKind::Comma) {
            let span = self.bump().span;
            let message = "alternatives are separated by `|`";
            self.rise
                .report(Diagnostic::syntax(span, message).write(span, "|"));
            return true;
        }
        if self.eat(TokenKind::RBrace).is_some() {
            return false;
        }
        if !self.at(TokenKind::End) {
            let (span, text) = (self.span(), self.quoted());
            self.rise
                .error_at(span, format!("expected `|` or `}}`, found {text}"));
        }
        self.rise.close(open, TokenKind::RBrace);
        false
    }

    /// Parses `left |-> right clauses`, in braces or alone.
    pub(super) fn alt(&mut self, in_braces: bool) -> Alt {
        let lhs = self.side();
        let start = self.rise.span_of(lhs).start;
        let arrow = self.maps_to();
        let rhs = match self.rise.error.is_some() && self.at(TokenKind::End) {
            true => self.missing_term(),
            false => self.rise.term(TermCategory::Expr),
        };
        if self.at(TokenKind::Colon) {
            let span = self.bump().span;
            let message = "a type without parentheses is allowed only at the end of a pattern: write `(e : t)`";
            self.rise.error_at(span, message);
            self.rise.term(TermCategory::Type);
        }
        let clauses = self.clauses(in_braces);
        Alt {
            lhs,
            arrow,
            rhs,
            clauses,
            span: self.rise.since(start),
        }
    }

    fn missing_term(&mut self) -> TermId {
        let span = Span::empty(self.rise.last_end());
        self.rise.push(TermKind::Missing, span)
    }

    /// Parses a RISE pattern, perhaps with its type after it.
    pub(super) fn side(&mut self) -> TermId {
        let term = self.rise.term(TermCategory::Expr);
        if self.eat(TokenKind::Colon).is_none() {
            return term;
        }
        let ty = self.rise.term(TermCategory::Type);
        let span = self.rise.span_of(term).cover(self.rise.span_of(ty));
        self.rise.push(TermKind::Ascribe { term, ty }, span)
    }

    fn maps_to(&mut self) -> Span {
        if self.kind() == TokenKind::MapsTo {
            return self.bump().span;
        }
        let (span, text) = (self.span(), self.quoted());
        if matches!(self.kind(), TokenKind::Arrow | TokenKind::FatArrow) {
            self.bump();
            let message = format!("expected `|->` between the two sides of a rule, found {text}");
            self.rise
                .report(Diagnostic::syntax(span, message).write(span, "|->"));
            return span;
        }
        self.rise.expected("`|->` and the right side of the rule");
        Span::empty(self.rise.last_end())
    }

    fn clauses(&mut self, in_braces: bool) -> Box<[Clause]> {
        let mut clauses = Vec::new();
        loop {
            let start = self.span().start;
            let kind = match self.kind() {
                TokenKind::Let => self.let_clause(),
                TokenKind::Word(Word::Where) => ClauseKind::Where(self.clause_condition()),
                TokenKind::Word(Word::Requires) => ClauseKind::Requires(self.clause_condition()),
                TokenKind::Word(Word::Assuming) => ClauseKind::Assuming(self.clause_condition()),
                _ if self.mend_clause_word() => continue,
                _ if self.begins_operand(0) && !in_braces => {
                    self.unjoined_in_rule();
                    continue;
                }
                _ => return clauses.into_boxed_slice(),
            };
            let span = self.rise.since(start);
            clauses.push(Clause { kind, span });
        }
    }

    fn clause_condition(&mut self) -> crate::elevate::ast::CondId {
        self.bump();
        self.condition()
    }

    /// Parses `let name = size`.
    fn let_clause(&mut self) -> ClauseKind {
        self.bump();
        let name = self.ident("a name");
        if self.eat(TokenKind::Equals).is_none() {
            self.rise.expected("`=` and a size");
        }
        let value = self.size(TermCategory::Arg);
        if let TokenKind::In = self.kind() {
            let span = self.span();
            let message =
                "a `let` after a rule has no `in`: its name is in scope in the whole rule";
            self.rise.error_at(span, message);
        }
        ClauseKind::Let { name, value }
    }

    /// Parses a RISE term that consists of operators and operands, but no `let` and no function
    /// type outside of brackets.
    pub(super) fn size(&mut self, mode: TermCategory) -> TermId {
        match self.nested(|parser| parser.rise.operators(mode)) {
            Some(term) => term,
            None => self.missing_term(),
        }
    }
}
