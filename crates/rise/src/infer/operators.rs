//! Inference of operators and compositions.

use std::sync::Arc;
use syntax::ast::{BinaryOp, Kind, TermId, UnaryOp};

use super::Infer;
use super::report::is_function;
use super::unify::{Cause, CauseCode};
use crate::classes::Classes;
use crate::primitive::Primitive;
use crate::types::{Ty, Type};

use super::expr::Expectation;
use crate::codes;

impl Infer<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: TermId) -> Ty {
        let ty = match op {
            UnaryOp::Not => Arc::new(Type::Scalar(syntax::ast::ScalarType::Bool)),
            UnaryOp::Neg => {
                let ty = self.synth(operand);
                let numbers = Classes::of_kind(Kind::Num);
                if let Err(clash) = self.restrict(&ty, numbers) {
                    self.not_a_number("-", operand, &ty, &clash);
                    self.mend_negation(operand, &ty);
                    return self.broken();
                }
                return ty;
            }
        };
        self.check_against(operand, &ty);
        ty
    }

    pub(super) fn binary(
        &mut self,
        term: TermId,
        op: BinaryOp,
        lhs: TermId,
        rhs: TermId,
        wanted: Expectation,
    ) -> Ty {
        match op {
            BinaryOp::Pipe | BinaryOp::ApplyLeft => self.application(term, wanted),
            BinaryOp::Then | BinaryOp::After if self.reported_shift(op, lhs, rhs) => self.broken(),
            BinaryOp::Then => self.compose(term, lhs, rhs, wanted),
            BinaryOp::After => self.compose(term, rhs, lhs, wanted),
            BinaryOp::Pow => self.power(term, wanted),
            BinaryOp::Divides => {
                let message = "`|` (divides) is for conditions of `where` and `@assume`; in an expression write `b % a == 0`";
                self.error(syntax::codes::SYNTAX_ERROR, self.span(term), message);
                self.broken()
            }
            _ => {
                let ty = self.operator(op, lhs, rhs, wanted);
                self.unify_with_expected(term, ty, wanted)
            }
        }
    }

    /// Infers `^`, which has no primitive because it is defined on sizes only; reports other
    /// operands.
    pub(super) fn power(&mut self, term: TermId, wanted: Expectation) -> Ty {
        if self.is_size(term) {
            self.elab_nat(term);
            let ty = Arc::new(Type::Scalar(syntax::ast::ScalarType::NatType));
            return self.unify_with_expected(term, ty, wanted);
        }
        let message = "both operands of `^` must be sizes";
        self.error(codes::KIND_MISMATCH, self.span(term), message)
            .help = Some("for values declare `foreign def pow(x: f32, y: f32): f32`".into());
        self.broken()
    }

    /// Infers the composition that applies `first`, then `second`.
    pub(super) fn compose(
        &mut self,
        term: TermId,
        first: TermId,
        second: TermId,
        wanted: Expectation,
    ) -> Ty {
        let (input, output) = match wanted.map(|(ty, _)| &**ty) {
            Some(Type::Fun(a, b)) => (a.clone(), Some(b.clone())),
            _ => (self.open_type("s", Classes::ANY, first), None),
        };
        let middle = self.open_type("t", Classes::ANY, first);
        let result = match &output {
            Some(ty) => ty.clone(),
            None => self.open_type("u", Classes::ANY, second),
        };
        let cause = |this: &Self, term| {
            Cause::new(
                this.head_span(term),
                wanted
                    .filter(|_| term == first)
                    .map_or(CauseCode::Context, |(_, c)| c.why),
            )
        };
        let take = Arc::new(Type::Fun(input.clone(), middle.clone()));
        let first_cause = cause(self, first);
        self.check(first, &take, first_cause);
        let give = Arc::new(Type::Fun(middle.clone(), result.clone()));
        let second_cause = Cause::context(self.head_span(second));
        self.check(second, &give, second_cause);
        let ty = Arc::new(Type::Fun(input, result));
        match wanted {
            Some((expected, _)) if matches!(**expected, Type::Fun(..)) => ty,
            _ => self.unify_with_expected(term, ty, wanted),
        }
    }

    pub(super) fn operator(
        &mut self,
        op: BinaryOp,
        lhs: TermId,
        rhs: TermId,
        wanted: Expectation,
    ) -> Ty {
        let bool_type = || Arc::new(Type::Scalar(syntax::ast::ScalarType::Bool));
        let kind = match op {
            BinaryOp::And | BinaryOp::Or => {
                let is_piped =
                    !self.check_against(lhs, &bool_type()) && self.mended_piped_operand(op, lhs);
                self.check_against(rhs, &bool_type());
                return if is_piped { self.broken() } else { bool_type() };
            }
            BinaryOp::Mod => Kind::Int,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => Kind::Num,
            _ => Kind::Scalar,
        };
        // The wanted type determines literals: in `x + 1` both operands have the type of the
        // result.
        let hint = wanted
            .filter(|_| kind != Kind::Scalar)
            .map(|(ty, _)| ty.clone());
        let left = self.synth(lhs);
        if let Some(hint) = hint
            && self.is_open_literal(&left)
        {
            let cause = Cause::context(self.span(lhs));
            self.attempt(&hint, &left, cause);
        }
        let cause = Cause::new(self.span(rhs), CauseCode::Operand { op, lhs, rhs });
        if let Err(clash) = self.restrict(&left, Classes::of_kind(kind)) {
            let right = self.synth(rhs);
            if op == BinaryOp::Gt && self.reported_pipe(lhs, rhs, &right) {
                return self.broken();
            }
            self.not_a_number(op.as_str(), lhs, &left, &clash);
            let is_piped =
                is_function(&self.table.head(&left)) && self.mended_piped_operand(op, lhs);
            if !is_piped {
                self.mend_operator(op, (lhs, &left), (rhs, &right));
            }
            return if kind == Kind::Scalar && !is_piped {
                bool_type()
            } else {
                self.broken()
            };
        }
        let clashes = self.clashes;
        self.check(rhs, &left, cause);
        if self.clashes != clashes && self.quiet == 0 && !self.are_scalars(&left, rhs) {
            // Consequences of the mistake are not reported.
            self.broken()
        } else if kind == Kind::Scalar {
            bool_type()
        } else {
            left
        }
    }

    pub(super) fn is_open_literal(&self, ty: &Ty) -> bool {
        matches!(&*self.table.head(ty), Type::Var(v) if self.table.is_open(*v))
    }
}

pub(crate) fn operator_primitive(op: BinaryOp) -> Option<Primitive> {
    Some(match op {
        BinaryOp::Add => Primitive::Add,
        BinaryOp::Sub => Primitive::Sub,
        BinaryOp::Mul => Primitive::Mul,
        BinaryOp::Div => Primitive::Div,
        BinaryOp::Mod => Primitive::Mod,
        BinaryOp::Eq => Primitive::Equal,
        BinaryOp::Ne => Primitive::NotEqual,
        BinaryOp::Lt => Primitive::Lt,
        BinaryOp::Le => Primitive::Le,
        BinaryOp::Gt => Primitive::Gt,
        BinaryOp::Ge => Primitive::Ge,
        BinaryOp::And => Primitive::And,
        BinaryOp::Or => Primitive::Or,
        _ => return None,
    })
}
