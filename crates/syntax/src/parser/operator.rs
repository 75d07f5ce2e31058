//! Parses operator expressions by operator precedence, with an explicit stack instead of recursion.

use super::{Parser, TermCategory};
use crate::ast::{BinaryOp, TermId, TermKind, UnaryOp};
use crate::lexer::TokenKind;
use crate::{Diagnostic, Span, codes};

/// An operator with its left operand, on the stack until its right operand is parsed.
pub(crate) struct PendingOperator {
    op: BinaryOp,
    op_span: Span,
    lhs: TermId,
}

/// The precedence levels, in increasing order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Divides,
    ApplyLeft,
    Pipe,
    Compose,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Power,
}

impl Precedence {
    fn of(op: BinaryOp) -> Precedence {
        use BinaryOp::*;
        match op {
            Divides => Precedence::Divides,
            ApplyLeft => Precedence::ApplyLeft,
            Pipe => Precedence::Pipe,
            Then | After => Precedence::Compose,
            Or => Precedence::Or,
            And => Precedence::And,
            Eq | Ne | Lt | Le | Gt | Ge => Precedence::Compare,
            Add | Sub => Precedence::Sum,
            Mul | Div | Mod => Precedence::Product,
            Pow => Precedence::Power,
        }
    }

    fn is_right_associative(self) -> bool {
        matches!(self, Precedence::ApplyLeft | Precedence::Power)
    }
}

/// Returns the infix operator of a token; `None`, too, for `|`, which is an operator in conditions
/// only.
pub(crate) fn binary_op(token: TokenKind) -> Option<BinaryOp> {
    Some(match token {
        TokenKind::ApplyLeft => BinaryOp::ApplyLeft,
        TokenKind::Pipe => BinaryOp::Pipe,
        TokenKind::Then => BinaryOp::Then,
        TokenKind::After => BinaryOp::After,
        TokenKind::Or => BinaryOp::Or,
        TokenKind::And => BinaryOp::And,
        TokenKind::EqEq => BinaryOp::Eq,
        TokenKind::NotEq => BinaryOp::Ne,
        TokenKind::Less => BinaryOp::Lt,
        TokenKind::LessEq => BinaryOp::Le,
        TokenKind::Greater => BinaryOp::Gt,
        TokenKind::GreaterEq => BinaryOp::Ge,
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Sub,
        TokenKind::Star => BinaryOp::Mul,
        TokenKind::Slash => BinaryOp::Div,
        TokenKind::Percent => BinaryOp::Mod,
        TokenKind::Caret => BinaryOp::Pow,
        _ => return None,
    })
}

/// Returns the infix operator of a token, if the operator may be in parentheses as a function:
/// `||`, `&&`, comparisons and arithmetic.
pub(crate) fn section_op(token: TokenKind) -> Option<BinaryOp> {
    binary_op(token).filter(|&op| Precedence::of(op) >= Precedence::Or)
}

impl Parser<'_> {
    /// Parses operands and the infix operators between them.
    pub(crate) fn operators(&mut self, mode: TermCategory) -> TermId {
        let base = self.pending.len();
        let mut operand = self.signed(mode);
        while let Some(op) = self.infix(mode) {
            let op_span = self.bump().span;
            let op = self.shift_without_sign(op, op_span).unwrap_or(op);
            let lhs = self.reduce(base, operand, Some((op, op_span)));
            self.pending.push(PendingOperator { op, op_span, lhs });
            operand = self.signed(mode);
        }
        self.reduce(base, operand, None)
    }

    /// Parses an operand with its prefix operators, and operators of other languages after it.
    fn signed(&mut self, mode: TermCategory) -> TermId {
        let operand = self.unary(mode);
        self.with_foreign_signs(operand, mode)
    }

    /// Returns the infix operator at the current token. A sign or word that is no operator of RISE
    /// but read as one is reported.
    fn infix(&mut self, mode: TermCategory) -> Option<BinaryOp> {
        match self.kind() {
            TokenKind::Bar if self.divides => Some(BinaryOp::Divides),
            TokenKind::Ident if self.divides && self.slice(self.token().span) == "divides" => {
                Some(BinaryOp::Divides)
            }
            TokenKind::Bar => self.single_bar(),
            TokenKind::Ident if !mode.is_type() => self.word_for_operator(),
            TokenKind::Or | TokenKind::And if self.conditions == Some(self.nesting) => None,
            TokenKind::Equals if self.commands_may_stand(mode) || self.before_equals => None,
            TokenKind::Equals if self.nesting > 1 && !mode.is_type() => self.single_equals(),
            _ if self.assigns_with_operator(mode) => None,
            TokenKind::Less if !mode.is_type() && self.angles_for_unequal() => Some(BinaryOp::Ne),
            kind => binary_op(kind),
        }
    }

    /// Combines the operators on the stack from the index `base` on, the last one first, with their
    /// right operand, and returns the result. Stops before an operator of lower precedence than
    /// `next`, or of the same precedence if that is right-associative. Operators that need
    /// parentheses beside each other are reported.
    fn reduce(&mut self, base: usize, operand: TermId, next: Option<(BinaryOp, Span)>) -> TermId {
        let mut operand = operand;
        while self.pending.len() > base {
            let top = &self.pending[self.pending.len() - 1];
            if let Some((op, op_span)) = next {
                let (above, level) = (Precedence::of(top.op), Precedence::of(op));
                if above < level || (above == level && level.is_right_associative()) {
                    break;
                }
                if above == level {
                    self.check_ambiguous(top.op, top.op_span, op, op_span);
                }
            }
            let Some(PendingOperator { op, op_span, lhs }) = self.pending.pop() else {
                break;
            };
            let span = self.span_of(lhs).cover(self.span_of(operand));
            operand = self.push(
                TermKind::Binary {
                    op,
                    op_span,
                    lhs,
                    rhs: operand,
                },
                span,
            );
        }
        operand
    }

    fn check_ambiguous(&mut self, first: BinaryOp, first_span: Span, op: BinaryOp, span: Span) {
        let message = match Precedence::of(op) {
            Precedence::Compare if self.divides => format!(
                "comparisons do not chain: write two conditions, as in `a {} b, b {} c`",
                first.as_str(),
                op.as_str()
            ),
            Precedence::Compare => {
                let [a, b] = [first, op].map(BinaryOp::as_str);
                // A condition can be equal to another one, but not less.
                let is_equality = |op| matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                let parentheses = match [first, op].into_iter().any(is_equality) {
                    true => "put parentheses around one comparison, or ",
                    false => "",
                };
                format!(
                    "comparisons do not chain: {parentheses}join two with `&&`, as in `a {a} b && b {b} c`"
                )
            }
            Precedence::Compose if first != op => {
                "`>>` and `<<` side by side can be read in two ways: put parentheses around one of them"
                    .to_owned()
            }
            _ => return,
        };
        self.report(
            Diagnostic::error(codes::AMBIGUOUS_OPERATORS, span, message)
                .related(first_span, "the first of the two operators"),
        );
    }

    /// Parses prefix operators, if there are any, and their operand with its arguments.
    fn unary(&mut self, mode: TermCategory) -> TermId {
        let first = self.pos;
        while self.at_prefix_operator(mode) {
            self.bump();
        }
        let end = self.pos;
        let operand = self.postfix(mode);
        let mut operand = self.with_loose_arguments(operand, mode);
        for pos in (first..end).rev() {
            let token = self.tokens[pos];
            let op = if token.kind == TokenKind::Bang {
                UnaryOp::Not
            } else {
                UnaryOp::Neg
            };
            self.mend_complement(token.span, operand);
            let span = token.span.cover(self.span_of(operand));
            operand = self.push(TermKind::Unary { op, operand }, span);
        }
        operand
    }

    /// Returns true at a `!` outside of types, or at a `-` that is not a part of the number after
    /// it.
    fn at_prefix_operator(&self, mode: TermCategory) -> bool {
        match self.kind() {
            TokenKind::Bang => !mode.is_type(),
            TokenKind::Minus => !self.at_negative_number(),
            _ => false,
        }
    }

    /// Returns true at a `-` directly before a number.
    pub(crate) fn at_negative_number(&self) -> bool {
        let next = self.peek(1);
        self.at(TokenKind::Minus)
            && matches!(next.kind, TokenKind::Int | TokenKind::Float)
            && next.span.start == self.token().span.end
    }
}
