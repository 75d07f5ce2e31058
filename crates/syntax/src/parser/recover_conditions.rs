//! Error recovery for conditions on sizes: `where n = 4`, `where` in a wrong position, conditions
//! that operators join.

use super::{Parser, TermCategory};
use crate::ast::{BinaryOp, TermId, TermKind};
use crate::lexer::TokenKind;
use crate::{Diagnostic, Span, codes};

impl Parser<'_> {
    /// Returns true if `=` and a size follow a condition on sizes that is not yet a comparison, `|`
    /// or a combination of these.
    pub(crate) fn at_equals_for_relation(&self, condition: TermId) -> bool {
        use TokenKind::{
            Arrow, Caret, Comma, End, Equals, Ident, Int, LParen, Minus, Percent, Plus,
        };
        use TokenKind::{RBrace, RBracket, RParen, Slash, Star};
        let relates = match *self.kind_of(condition) {
            TermKind::Binary { op, .. } => !op.is_arithmetic(),
            _ => false,
        };
        let behind = self.tokens[self.pos..]
            .iter()
            .skip(1)
            .map(|token| token.kind);
        let part = |kind: &TokenKind| {
            matches!(
                kind,
                Ident | Int | Plus | Minus | Star | Slash | Percent | Caret | LParen
            )
        };
        let next = behind.clone().find(|kind| !part(kind));
        let ends = next.is_some_and(|kind| {
            matches!(
                kind,
                Equals | Comma | Arrow | End | RParen | RBracket | RBrace
            )
        });
        let is_empty = behind.clone().next().is_none_or(|kind| !part(&kind));
        self.at(Equals) && !relates && ends && !is_empty
    }

    /// Parses and reports a condition with `=` instead of `==`: `where n = 4`.
    pub(crate) fn equals_for_relation(&mut self, lhs: TermId) -> TermId {
        let op_span = self.token().span;
        let op = self.single_equals().unwrap_or(BinaryOp::Eq);
        self.bump();
        let rhs = self.nested(|parser| parser.operators(TermCategory::Arg));
        let span = self.span_of(lhs).cover(self.span_of(rhs));
        let kind = TermKind::Binary {
            op,
            op_span,
            lhs,
            rhs,
        };
        self.push(kind, span)
    }

    /// Reports a `->` after conditions, and skips the type after it.
    pub(crate) fn conditions_within_type(&mut self) {
        let arrow = self.bump();
        let message = "`where` and its conditions must come after the whole type";
        self.report(
            Diagnostic::syntax(arrow.span, message)
                .help("write the rest of the type first: `n.f32 -> f32 where 4 | n`"),
        );
        self.term(TermCategory::Type);
    }

    /// Returns true if `where` and the start of a condition are in the position of a type.
    pub(crate) fn at_conditions_without_type(&self) -> bool {
        let next = self.peek_kind(1);
        self.at_where() && matches!(next, TokenKind::Ident | TokenKind::Int)
    }

    /// Reports the missing type before `where`.
    pub(crate) fn type_before_conditions(&mut self) -> TermId {
        let before = self.previous().map(|token| self.quoted(token));
        let (span, before) = (self.last_char(), before.unwrap_or_default());
        let message = format!("expected a type between {before} and `where`");
        self.report(
            Diagnostic::syntax(span, message).help(
                "conditions come after the type, as in `(n: Nat) -> n.f32 -> f32 where 4 | n`",
            ),
        );
        self.missing()
    }

    /// Parses the type of a parameter; conditions after it are reported.
    pub(crate) fn type_of_parameter(&mut self) -> TermId {
        if self.at_conditions_without_type() {
            let ty = self.type_before_conditions();
            return self.conditions_of(ty);
        }
        let ty = self.term(TermCategory::Type);
        if self.at_where() {
            let span = self.token().span;
            self.report(misplaced_where(span, "a parameter's type"));
            return self.conditions_of(ty);
        }
        ty
    }

    /// Reports all `&&` at the top level of a condition on sizes together, as they are in place of
    /// commas. Does nothing if there is none.
    pub(crate) fn joined_conditions(&mut self, condition: TermId) {
        let mut signs = Vec::new();
        let mut terms = vec![condition];
        while let Some(term) = terms.pop() {
            if let TermKind::Binary {
                op,
                op_span,
                lhs,
                rhs,
            } = *self.kind_of(term)
            {
                match op {
                    BinaryOp::And => signs.push(op_span),
                    BinaryOp::Divides => {}
                    _ => continue,
                }
                terms.extend([lhs, rhs]);
            }
        }
        if !signs.is_empty() {
            signs.sort_by_key(|sign| sign.start);
            self.join_of_conditions(&signs);
        }
    }

    /// Reports the operators with these spans, which are in place of the commas between conditions.
    fn join_of_conditions(&mut self, signs: &[Span]) {
        let shown = self.slice(signs[0]).to_owned();
        let edits = signs.iter().map(|sign| {
            let before = &self.text[..sign.start as usize];
            let start = before.trim_end_matches(' ').len() as u32;
            (Span::new(start, sign.end), ",".to_owned())
        });
        let edits = edits.collect();
        let message = format!("conditions on sizes are separated by `,`, not `{shown}`");
        self.report(
            Diagnostic::error(codes::BAD_ANNOTATION, signs[0], message).fix(
                "Write `,`",
                edits,
                true,
            ),
        );
    }
}

/// Returns the error for `where` in a wrong position.
pub(super) fn misplaced_where(span: Span, before: &str) -> Diagnostic {
    let message = format!("`where` is not allowed after {before}");
    Diagnostic::syntax(span, message).help(
        "conditions come after the definition's type, as in `def f : (n: Nat) -> n.f32 -> f32 where 4 | n = …`, or before the `def` as `@assume(4 | n)`",
    )
}
