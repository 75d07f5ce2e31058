//! Builds and evaluates conditions on sizes, derives facts about sizes from conditions and from the
//! ranges of loops, and solves linear equations of sizes.

use std::sync::Arc;

use nat::{Facts, Nat, Prop, Var};
use rise::Type;
use rise::core::Origin;
use syntax::ast::{Literal, ScalarType};

use crate::ir::{Binary, Expr, ExprKind, Loop, Unary};

/// Returns the expression `from < to`.
pub(crate) fn less(from: &Nat, to: &Nat, origin: Origin) -> Expr {
    let size = |nat: &Nat| {
        Expr::new(
            ExprKind::Nat(nat.clone()),
            Arc::new(Type::Scalar(ScalarType::NatType)),
            origin,
        )
    };
    Expr::new(
        ExprKind::Binary(Binary::Lt, Box::new(size(from)), Box::new(size(to))),
        Arc::new(Type::Scalar(ScalarType::Bool)),
        origin,
    )
}

pub(crate) fn truth(expr: &Expr) -> Option<bool> {
    match expr.kind {
        ExprKind::Literal(Literal::Bool(value)) => Some(value),
        _ => None,
    }
}

/// Returns the proposition about sizes that follows if an expression has this value; `None` if the
/// expression is not a comparison of sizes, or if the sizes only differ.
pub(crate) fn proposition(expr: &Expr, value: bool) -> Option<Prop> {
    let ExprKind::Binary(op, a, b) = &expr.kind else {
        return None;
    };
    let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&a.kind, &b.kind) else {
        return None;
    };
    let at_least = |a: &Nat, b: &Nat| Some(Prop::AtLeast(a.clone(), b.clone()));
    match (op, value) {
        (Binary::Lt, true) | (Binary::Ge, false) => at_least(b, &(a + 1)),
        (Binary::Gt, true) | (Binary::Le, false) => at_least(a, &(b + 1)),
        (Binary::Le, true) | (Binary::Gt, false) => at_least(b, a),
        (Binary::Ge, true) | (Binary::Lt, false) => at_least(a, b),
        (Binary::Eq, true) | (Binary::Ne, false) => Some(Prop::Equal(a.clone(), b.clone())),
        _ => None,
    }
}

/// Adds to `facts` the range of a loop's counter and, if the first value is a constant, that the
/// step divides the counter's distance from it.
pub(crate) fn assume_counter(facts: &mut Facts, counter: Var, from: &Nat, to: &Nat, step: &Nat) {
    facts.range(counter, from, to);
    if !step.is_one() && from.as_const().is_some() {
        let steps = Nat::sub(&Nat::var(counter), from);
        facts.assume(&Prop::Divides(step.clone(), steps));
    }
}

/// Adds to `facts` what [`assume_counter`] adds for a loop.
pub(crate) fn assume_loop(facts: &mut Facts, this: &Loop) {
    assume_counter(facts, this.counter, &this.from, &this.to, &this.step);
}

/// Adds to `facts` what follows for single comparisons of sizes if a condition has this truth
/// value. It looks into negations, and into conjunctions and disjunctions that determine the values
/// of both operands.
pub(crate) fn assume(facts: &mut Facts, condition: &Expr, value: bool) {
    match &condition.kind {
        ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
            if (*op == Binary::And) == value {
                assume(facts, a, value);
                assume(facts, b, value);
            }
        }
        ExprKind::Unary(Unary::Not, a) => assume(facts, a, !value),
        _ => {
            if let Some(prop) = proposition(condition, value) {
                facts.assume(&prop);
            }
        }
    }
}

/// Solves `difference = 0` for a variable whose coefficient is 1 or -1. Returns the solution, and
/// true if the difference is positive for greater values of the variable; `None` if the variable
/// does not occur, or in another way than with such a coefficient.
pub(crate) fn solve_for_zero(difference: &Nat, var: Var) -> Option<(Nat, bool)> {
    if !difference.mentions(var) {
        return None;
    }
    let value = Nat::var(var);
    let limit = Nat::sub(&value, difference);
    if !limit.mentions(var) {
        return Some((limit, true));
    }
    let limit = &value + difference;
    (!limit.mentions(var)).then_some((limit, false))
}
