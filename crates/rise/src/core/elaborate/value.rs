//! Elaboration of operators, pairs, and sizes as values.

use std::sync::Arc;

use nat::{Facts, Nat, Prop, Var};
use syntax::Span;
use syntax::ast::{BinaryOp, Half, Kind, Literal, ScalarType, TermId, TermKind, UnaryOp};

use super::{Elaborator, Surface};
use crate::core::{Expr, Form, Language, Node, Notation, Origin};
use crate::infer::operator_primitive;
use crate::types::{Arg, Ty, Type};
use crate::{Primitive, Target, TermInfo};

impl<P: Surface> Elaborator<'_, P> {
    pub(super) fn operator(
        &mut self,
        id: TermId,
        op: BinaryOp,
        op_span: Span,
        lhs: TermId,
        rhs: TermId,
    ) -> Option<Expr<P>> {
        let left = self.term(lhs, None)?;
        let right = self.term(rhs, None)?;
        if let Some(size) = size_operation(op, &left, &right, &self.facts) {
            return Some(self.size_node(id, size));
        }
        let primitive = P::of_rise(operator_primitive(op)?)?;
        let span = self.span(id);
        let origin = self.site(span, op_span);
        let bool_type = P::value(Arc::new(Type::Scalar(ScalarType::Bool)));
        let data = P::data(&left.ty)?;
        let (types, ty) = match op {
            BinaryOp::And | BinaryOp::Or => (Vec::new(), bool_type),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                (vec![Arg::Type(data.clone())], P::value(data))
            }
            _ => (vec![Arg::Type(data)], bool_type),
        };
        Some(primitive_node(
            primitive,
            types,
            vec![left, right],
            ty,
            origin,
        ))
    }

    pub(super) fn unary(&mut self, id: TermId, op: UnaryOp, operand: TermId) -> Option<Expr<P>> {
        let operand = self.term(operand, None)?;
        let span = self.span(id);
        let origin = self.site(span, Span::new(span.start, (span.start + 1).min(span.end)));
        let data = P::data(&operand.ty)?;
        let ty = P::value(data.clone());
        let (primitive, types) = match op {
            UnaryOp::Neg => (Primitive::Neg, vec![Arg::Type(data)]),
            UnaryOp::Not => (Primitive::Not, Vec::new()),
        };
        let primitive = P::of_rise(primitive)?;
        Some(primitive_node(primitive, types, vec![operand], ty, origin))
    }

    pub(super) fn project(&mut self, id: TermId, pair: TermId, half: Half) -> Option<Expr<P>> {
        let pair_end = self.span(pair).end;
        let pair = self.term(pair, None)?;
        let span = self.span(id);
        let origin = self.site(span, Span::new(pair_end.min(span.end), span.end));
        self.half(pair, half, origin)
    }

    /// Elaborates the projection of a pair to one of its halves.
    pub(super) fn half(&mut self, pair: Expr<P>, half: Half, origin: Origin) -> Option<Expr<P>> {
        let data = P::data(&pair.ty)?;
        let Type::Pair(first, second) = &*data else {
            return None;
        };
        let (first, second) = (first.clone(), second.clone());
        let (primitive, ty) = match half {
            Half::First => (Primitive::Fst, P::value(first.clone())),
            Half::Second => (Primitive::Snd, P::value(second.clone())),
        };
        let primitive = P::of_rise(primitive)?;
        let types = vec![Arg::Type(first), Arg::Type(second)];
        Some(primitive_node(primitive, types, vec![pair], ty, origin))
    }

    pub(super) fn pair(&mut self, id: TermId, a: TermId, b: TermId) -> Option<Expr<P>> {
        let (a, b) = (self.term(a, None)?, self.term(b, None)?);
        let origin = self.whole(id);
        let ty = self.ty(id)?;
        let data = [P::data(&a.ty)?, P::data(&b.ty)?].map(Arg::Type);
        let types = data.into_iter().chain(P::access(&ty)).collect();
        let primitive = P::of_rise(Primitive::MakePair)?;
        Some(primitive_node(primitive, types, vec![a, b], ty, origin))
    }

    // ----- sizes -----

    /// Elaborates a size that is used as an expression.
    pub(super) fn size_value(&mut self, id: TermId) -> Option<Expr<P>> {
        let size = self.size(id)?;
        Some(self.size_node(id, size))
    }

    /// Returns true if the callee is a function on sizes: a variable of kind `Nat2Nat`, or a name
    /// such as `min` that inference records no use of.
    pub(super) fn is_size_call(&self, mut callee: TermId) -> bool {
        while let TermKind::Paren(inner) = self.item.term(callee).kind {
            callee = inner;
        }
        match self.uses.get(&callee) {
            Some(_) => matches!(self.type_level_name(callee), Some((_, Kind::Nat2Nat))),
            None => matches!(self.item.term(callee).kind, TermKind::Name(_)),
        }
    }

    /// Returns the size that a term denotes.
    fn size(&self, id: TermId) -> Option<Nat> {
        if let TermInfo::Arg(Arg::Nat(size)) = &self.inference.terms[id.0 as usize] {
            return Some(size.clone());
        }
        match &self.item.term(id).kind {
            TermKind::Paren(inner) => self.size(*inner),
            TermKind::Literal(Literal::Int { value, .. }) => {
                i64::try_from(*value).ok().map(Nat::constant)
            }
            TermKind::Name(_) => match self.uses.get(&id)?.target {
                Target::SumIndex(sum) => self.sum_index(sum).map(Nat::var),
                _ => match self.type_level_name(id)? {
                    (var, Kind::Nat) => Some(Nat::var(var)),
                    _ => None,
                },
            },
            TermKind::Binary { op, lhs, rhs, .. } => {
                let (a, b) = (self.size(*lhs)?, self.size(*rhs)?);
                Some(match op {
                    BinaryOp::Add => Nat::add(&a, &b),
                    BinaryOp::Sub => Nat::sub(&a, &b),
                    BinaryOp::Mul => Nat::mul(&a, &b),
                    BinaryOp::Div => Nat::div(&a, &b),
                    BinaryOp::Mod => Nat::rem(&a, &b),
                    BinaryOp::Pow => Nat::pow(&a, &b),
                    _ => return None,
                })
            }
            TermKind::Apply { callee, args } => self.size_call(*callee, args),
            _ => None,
        }
    }

    fn size_call(&self, callee: TermId, args: &[TermId]) -> Option<Nat> {
        if let Some((fun, Kind::Nat2Nat)) = self.type_level_name(callee) {
            let [arg] = args else { return None };
            return Some(Nat::apply(fun, &self.size(*arg)?));
        }
        let TermKind::Name(name) = &self.item.term(callee).kind else {
            return None;
        };
        match (name.as_str(), args) {
            ("min", [a, b]) => Some(Nat::min(&self.size(*a)?, &self.size(*b)?)),
            ("max", [a, b]) => Some(Nat::max(&self.size(*a)?, &self.size(*b)?)),
            ("ceilDiv", [a, b]) => Some(Nat::ceil_div(&self.size(*a)?, &self.size(*b)?)),
            ("log2", [a]) => Some(Nat::log2(&self.size(*a)?)),
            ("sum", [index, from, to, body]) => {
                let var = self.index_variable(*index)?;
                let (from, to) = (self.size(*from)?, self.size(*to)?);
                Some(Nat::sum(var, &from, &to, &self.size(*body)?))
            }
            _ => None,
        }
    }

    /// Returns the index variable of a `sum(…)`.
    fn sum_index(&self, sum: TermId) -> Option<Var> {
        match &self.item.term(sum).kind {
            TermKind::Paren(inner) => self.sum_index(*inner),
            TermKind::Apply { args, .. } => self.index_variable(*args.first()?),
            _ => None,
        }
    }

    fn index_variable(&self, index: TermId) -> Option<Var> {
        match &self.inference.terms[index.0 as usize] {
            TermInfo::Arg(Arg::Nat(var)) => var.as_var(),
            _ => None,
        }
    }
}

pub(super) fn primitive_node<P>(
    primitive: P,
    types: Vec<Arg>,
    args: Vec<Expr<P>>,
    ty: Ty,
    origin: Origin,
) -> Expr<P> {
    let form = Form::Primitive(primitive, types.into(), args.into());
    Node::new(form, ty, origin)
}

/// Folds an arithmetic operation to a size. At least one operand has to be a size, and the other a
/// size or a literal of `natType`. Returns `None` for other operands and operators, for a
/// difference that `facts` do not prove to be at least 0, and for a divisor that they do not prove
/// to be at least 1.
fn size_operation<P: Surface>(
    op: BinaryOp,
    left: &Expr<P>,
    right: &Expr<P>,
    facts: &Facts,
) -> Option<Nat> {
    if !matches!(left.form, Form::Nat(_)) && !matches!(right.form, Form::Nat(_)) {
        return None;
    }
    size_under(op, &as_size(left)?, &as_size(right)?, facts)
}

fn size_under(op: BinaryOp, a: &Nat, b: &Nat, facts: &Facts) -> Option<Nat> {
    let at_least = |n: &Nat, low| facts.proves(&Prop::AtLeast(n.clone(), Nat::constant(low)));
    match op {
        BinaryOp::Add => Some(Nat::add(a, b)),
        BinaryOp::Mul => Some(Nat::mul(a, b)),
        BinaryOp::Sub => Some(Nat::sub(a, b)).filter(|n| at_least(n, 0)),
        BinaryOp::Div if at_least(b, 1) => Some(Nat::div(a, b)),
        BinaryOp::Mod if at_least(b, 1) => Some(Nat::rem(a, b)),
        _ => None,
    }
}

/// Returns the size that an expression of arithmetic on sizes equals under `facts`, whether or not
/// elaboration folded it to one size; `None` for other expressions. The result and the facts are
/// over the variables after `renamed`.
pub fn size_of_value<P: Surface + Language>(
    expr: &Expr<P>,
    facts: &Facts,
    renamed: &dyn Fn(Var) -> Var,
) -> Option<Nat> {
    let Form::Primitive(p, _, args) = &expr.form else {
        let size = Arg::Nat(as_size(expr)?);
        return match crate::subst::rename_arg(&size, renamed) {
            Arg::Nat(size) => Some(size),
            _ => None,
        };
    };
    let (Notation::Infix(op, _), [a, b]) = (p.notation(), &**args) else {
        return None;
    };
    let [a, b] = [a, b].map(|value| size_of_value(value, facts, renamed));
    let [a, b] = [a?, b?];
    size_under(op, &a, &b, facts)
}

/// Returns the size that an expression denotes, if it is a size or a literal of `natType`.
pub(super) fn as_size<P: Surface>(expr: &Expr<P>) -> Option<Nat> {
    match (&expr.form, &*P::data(&expr.ty)?) {
        (Form::Nat(size), _) => Some(size.clone()),
        (Form::Literal(Literal::Int { value, .. }), Type::Scalar(ScalarType::NatType)) => {
            i64::try_from(*value)
                .ok()
                .filter(|v| *v >= 0)
                .map(Nat::constant)
        }
        _ => None,
    }
}
