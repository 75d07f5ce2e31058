//! Conditional sums: makes the condition of a sum a condition of what is added.
//!
//! `sum = c ? sum + x : sum` becomes `sum = sum + (c ? x : 0.0)`, so that the condition is no part of
//! the chain from one iteration of a loop to the next, and C compilers emit no branch. (If-conversion;
//! Allen, Kennedy, Porterfield and Warren, "Conversion of Control Dependence to Data Dependence",
//! 1983.)
//!
//! An integer plus 0 is the integer itself. A float plus 0.0 is the float itself, unless it is -0.0. A sum is -0.0 only if both of its
//! operands are, so that a variable that starts from another number never is. C compilers turn the
//! addition of -0.0, which changes no number, into a branch again.

use rise::Type;
use rustc_hash::FxHashSet;
use syntax::ast::Literal;

use super::{Pass, Run};
use crate::analysis::vectorization::is_float;
use crate::ir::trace::Changes;
use crate::ir::types::Int;
use crate::ir::walk;
use crate::ir::{Binary, Expr, ExprKind, Function, Home, Id, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "conditional-sums",
    run: Run::Always(run),
    changes: Changes::all("the condition decides what is added"),
};

fn run(function: &mut Function) {
    let mut conditional = FxHashSet::default();
    walk::each_stmt(&function.body, &mut |stmt| {
        if let StmtKind::Assign(place, value) = &stmt.kind
            && conditional_sum(place, value).is_some()
        {
            conditional.insert(place.id);
        }
    });
    if conditional.is_empty() {
        return;
    }
    let mut kept = FxHashSet::default();
    walk::each_stmt(&function.body, &mut |stmt| match &stmt.kind {
        StmtKind::Declare(id, Some(value)) if !is_not_negative_zero(&Place::plain(*id), value) => {
            kept.insert(*id);
        }
        StmtKind::Assign(place, value) if !is_not_negative_zero(place, value) => {
            kept.insert(place.id);
        }
        StmtKind::Point(pointer, place) => kept.extend([*pointer, place.id]),
        StmtKind::Swap(a, b) => kept.extend([*a, *b]),
        StmtKind::Reduce(reduce) => kept.extend([reduce.into, reduce.left, reduce.right]),
        _ => {}
    });
    let is_changed = |id: Id| {
        let home = &function.variables[id.0 as usize].home;
        !kept.contains(&id) && matches!(home, Home::Local(_) | Home::Output)
    };
    conditional.retain(|id| is_changed(*id));
    change(&mut function.body, &conditional);
}

fn change(body: &mut [Stmt], sums: &FxHashSet<Id>) {
    for stmt in body {
        if let StmtKind::Assign(place, value) = &mut stmt.kind
            && sums.contains(&place.id)
            && let Some(sum) = conditional_sum(place, value)
        {
            *value = sum;
        }
        walk::each_block(stmt, &mut |inner| change(inner, sums));
    }
}

/// Returns true if a value is not -0.0 where the variable at the place, which it is assigned to, is
/// not: a literal, or a sum with the variable.
fn is_not_negative_zero(place: &Place, value: &Expr) -> bool {
    let is_variable = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(from) if from == place);
    if is_integer(&value.ty) {
        return true;
    }
    match &value.kind {
        ExprKind::Literal(Literal::Float { text, .. }) => !text.starts_with('-'),
        ExprKind::Literal(Literal::Int { .. }) => true,
        ExprKind::Binary(Binary::Add, a, b) => {
            is_not_negative_zero(place, a) || is_not_negative_zero(place, b)
        }
        ExprKind::Select(_, a, b) => {
            is_not_negative_zero(place, a) && is_not_negative_zero(place, b)
        }
        _ => is_variable(value),
    }
}

/// Returns the sum with a number that is 0.0 where the condition of a conditional sum does not hold.
fn conditional_sum(place: &Place, value: &Expr) -> Option<Expr> {
    let is_variable = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(from) if from == place);
    let ExprKind::Select(condition, sum, kept) = &value.kind else {
        return None;
    };
    let ExprKind::Binary(Binary::Add, a, b) = &sum.kind else {
        return None;
    };
    let is_number = is_float(&value.ty) || is_integer(&value.ty);
    let is_sum = is_number && is_variable(a) && !is_variable(b) && is_variable(kept);
    is_sum.then_some(())?;
    let zero = match is_integer(&value.ty) {
        true => Literal::Int {
            value: 0,
            suffix: None,
        },
        false => Literal::Float {
            text: "0.0".into(),
            suffix: None,
        },
    };
    let zero = Expr {
        kind: ExprKind::Literal(zero),
        ..Expr::clone(b)
    };
    let summand = Expr {
        kind: ExprKind::Select(condition.clone(), b.clone(), Box::new(zero)),
        ..value.clone()
    };
    Some(Expr {
        kind: ExprKind::Binary(Binary::Add, a.clone(), Box::new(summand)),
        ..Expr::clone(sum)
    })
}

/// Returns true for the type of an integer.
fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(scalar) if Int::of(*scalar).is_some())
}
