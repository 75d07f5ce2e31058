//! Parses the conditions of rules and tuning parameters.

use super::Parser;
use crate::ast::{BinaryOp, Ident, Kind, TermId, TermKind, UnaryOp};
use crate::elevate::ast::{CondId, CondKind};
use crate::parser::TermCategory;
use crate::{Span, TokenKind};

impl Parser<'_> {
    /// Parses a condition such as `a or b and not c`.
    pub(super) fn condition(&mut self) -> CondId {
        self.nested(|parser| {
            let nesting = parser.rise.nesting;
            let outside = parser.rise.conditions.replace(nesting);
            let condition = parser.disjunction();
            parser.rise.conditions = outside;
            condition
        })
        .unwrap_or_else(|| self.missing_condition())
    }

    fn missing_condition(&mut self) -> CondId {
        let span = Span::empty(self.rise.last_end());
        self.push_cond(CondKind::Missing, span)
    }

    fn span_of_cond(&self, id: CondId) -> Span {
        self.conds.nodes[id.0 as usize].span
    }

    fn disjunction(&mut self) -> CondId {
        let mut first = self.conjunction();
        while self.at(TokenKind::Or) || self.at_joining("or") {
            self.bump();
            let second = self.conjunction();
            let span = self.span_of_cond(first).cover(self.span_of_cond(second));
            first = self.push_cond(CondKind::Or(first, second), span);
        }
        first
    }

    fn conjunction(&mut self) -> CondId {
        let mut first = self.negation();
        while self.at(TokenKind::And) || self.at_joining("and") {
            self.bump();
            let second = self.negation();
            let span = self.span_of_cond(first).cover(self.span_of_cond(second));
            first = self.push_cond(CondKind::And(first, second), span);
        }
        first
    }

    fn negation(&mut self) -> CondId {
        let mut prefixes = Vec::new();
        while self.at_name("not") || self.at(TokenKind::Bang) {
            prefixes.push(self.bump().span);
        }
        let operand = self.condition_atom();
        prefixes.into_iter().rev().fold(operand, |operand, span| {
            let span = span.cover(self.span_of_cond(operand));
            self.push_cond(CondKind::Not(operand), span)
        })
    }

    fn condition_atom(&mut self) -> CondId {
        if self.at_name("holds") && self.call_ahead(1) {
            return self.holds();
        }
        if self.at(TokenKind::LParen) && self.encloses_condition() {
            let open = self.bump();
            let inner = self.condition();
            self.rise.close(open, TokenKind::RParen);
            let span = self.rise.since(open.span.start);
            return self.push_cond(CondKind::Paren(inner), span);
        }
        let term = self.rise.operators(TermCategory::Arg);
        let start = self.rise.span_of(term).start;
        let kind = if self.at_joining("divides") {
            self.bump();
            let size = self.rise.operators(TermCategory::Arg);
            CondKind::Divides {
                divisor: term,
                size,
            }
        } else if self.at_joining("notIn") {
            self.bump();
            let other = self.rise.operators(TermCategory::Arg);
            CondKind::NotIn {
                name: term,
                term: other,
            }
        } else if self.eat(TokenKind::Colon).is_some() {
            self.typed(term)
        } else {
            return self.classify(term);
        };
        let span = self.rise.since(start);
        self.push_cond(kind, span)
    }

    /// Parses the type or kind after `x :`.
    fn typed(&mut self, term: TermId) -> CondKind {
        let token = self.rise.token();
        if let (TokenKind::Kind, Some(kind)) =
            (token.kind, Kind::from_text(self.rise.slice(token.span)))
        {
            self.bump();
            return CondKind::HasKind { term, kind };
        }
        let ty = self.rise.term(TermCategory::Type);
        CondKind::HasType { term, ty }
    }

    /// Parses `holds(s, x)`.
    fn holds(&mut self) -> CondId {
        let word = self.bump();
        let open = self.bump();
        let strategy = self.bracketed(Self::expr);
        let term = match self.eat(TokenKind::Comma) {
            Some(_) => self.rise.term(TermCategory::Arg),
            None => {
                self.rise
                    .expected("`,` and a metavariable, as in `holds(isMap, f)`,");
                let span = Span::empty(self.rise.last_end());
                self.rise.push(TermKind::Missing, span)
            }
        };
        self.rise.close(open, TokenKind::RParen);
        let span = self.rise.since(word.span.start);
        self.push_cond(CondKind::Holds { strategy, term }, span)
    }

    /// Returns true if the parentheses at the current token contain, outside of further brackets, a
    /// connective or other keyword of conditions or a `:`. Otherwise their contents, which may be a
    /// comparison, are parsed as a term.
    fn encloses_condition(&self) -> bool {
        let mut open = self.rise.pos;
        let mut close = self.partners[open] as usize;
        // For nested parentheses the contents of the innermost ones decide.
        while self.kinds[open + 1] == TokenKind::LParen
            && self.partners[open + 1] as usize + 1 == close
        {
            open += 1;
            close = self.partners[open] as usize;
        }
        let mut at = open + 1;
        while at < close {
            match self.kinds[at] {
                TokenKind::And | TokenKind::Or | TokenKind::Bang | TokenKind::Colon => return true,
                TokenKind::Ident if self.is_condition_word(at, at == open + 1) => {
                    return true;
                }
                kind if kind.opens_bracket() => {
                    at = self.partners[at] as usize;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Returns true if the name at index `at` is a keyword of conditions there; `first` is true for
    /// the first token of the condition.
    fn is_condition_word(&self, at: usize, first: bool) -> bool {
        let call = self.kinds[at + 1] == TokenKind::LParen;
        match self.rise.slice(self.rise.tokens[at].span) {
            "and" | "or" | "divides" | "notIn" => !first,
            "not" => first,
            "holds" => first && call,
            _ => false,
        }
    }

    /// Converts a term to the condition that it denotes: a comparison, a property, or conditions
    /// with `&&`, `||`, `!` or parentheses. Any other term becomes [`CondKind::Missing`] and,
    /// unless it is missing itself, is reported.
    fn classify(&mut self, term: TermId) -> CondId {
        let span = self.rise.span_of(term);
        let kind = match self.rise.terms[term.0 as usize].kind.clone() {
            TermKind::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::And => CondKind::And(self.classify(lhs), self.classify(rhs)),
                BinaryOp::Or => CondKind::Or(self.classify(lhs), self.classify(rhs)),
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => CondKind::Compare { op, lhs, rhs },
                _ => self.no_condition(span),
            },
            TermKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => CondKind::Not(self.classify(operand)),
            TermKind::Paren(inner) => CondKind::Paren(self.classify(inner)),
            TermKind::Apply { callee, args } => match self.rise.terms[callee.0 as usize].kind {
                TermKind::Name(ref name) => CondKind::Property {
                    name: Ident {
                        name: name.clone(),
                        span: self.rise.span_of(callee),
                    },
                    args,
                },
                _ => self.no_condition(span),
            },
            TermKind::Missing => CondKind::Missing,
            _ => self.no_condition(span),
        };
        self.push_cond(kind, span)
    }

    fn no_condition(&mut self, span: Span) -> CondKind {
        let text = self.rise.slice(span).to_owned();
        let found = match text.contains('\n') {
            true => String::new(),
            false => format!(", found `{text}`"),
        };
        let message =
            format!("expected a condition such as `n divides m`, `x notIn f` or `n <= m`{found}");
        self.rise.error_at(span, message);
        CondKind::Missing
    }
}
