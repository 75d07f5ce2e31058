//! Guarded loops: finds loops of which at most one iteration has an effect, because a condition
//! compares the counter with a value that does not depend on it.
//!
//! `for (j = 0; j < n; j++) sums[j] += v == j ? 1 : 0` becomes `sums[v] += 1`, as loops with such a
//! guard do in index-set splitting (U. Banerjee, *Loop Transformations for Restructuring Compilers*,
//! 1993). Only integers are added: the sum of a negative zero and zero is another number.

use nat::{Nat, Var};
use rise::Type;
use syntax::ast::Literal;

use crate::analysis::conditions::solve_for_zero;
use crate::ir::{Binary, Expr, ExprKind, Stmt, StmtKind};

/// Returns the value of the counter without which each statement of a loop's body has no effect, if
/// it is the same for all of them.
pub(super) fn only_iteration(body: &[Stmt], counter: Var) -> Option<Nat> {
    let (first, rest) = body.split_first()?;
    let value = guarding_value(first, counter)?;
    rest.iter()
        .all(|stmt| guarding_value(stmt, counter).as_ref() == Some(&value))
        .then_some(value)
}

fn guarding_value(stmt: &Stmt, counter: Var) -> Option<Nat> {
    match &stmt.kind {
        StmtKind::If {
            condition,
            otherwise,
            ..
        } if otherwise.is_empty() => equal_value(condition, counter),
        StmtKind::Assign(place, value) => {
            let ExprKind::Binary(operator, a, b) = &value.kind else {
                return None;
            };
            let is_old = |part: &Expr| matches!(&part.kind, ExprKind::Load(old) if old == place);
            let added = match operator {
                Binary::Add | Binary::Sub if is_old(a) => b,
                Binary::Add if is_old(b) => a,
                _ => return None,
            };
            let is_integer = matches!(&*value.ty, Type::Scalar(scalar) if scalar.is_integer());
            match &added.kind {
                ExprKind::Select(condition, _, otherwise) if is_integer && is_zero(otherwise) => {
                    equal_value(condition, counter)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the only value of the counter for which a condition holds.
fn equal_value(condition: &Expr, counter: Var) -> Option<Nat> {
    let ExprKind::Binary(Binary::Eq, a, b) = &condition.kind else {
        return None;
    };
    let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&a.kind, &b.kind) else {
        return None;
    };
    solve_for_zero(&Nat::sub(a, b), counter).map(|(value, _)| value)
}

fn is_zero(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Int { value, .. }) if *value == 0)
}
