//! Boolean reductions: makes an integer of a result of `||` or `&&` that a loop accumulates.
//!
//! `any = any || x > 0` becomes `any = x > 0 ? 1 : any`, which C compilers vectorise: GCC vectorises
//! neither `||` nor variables of type `bool`. (If-conversion; Allen, Kennedy, Porterfield and Warren,
//! "Conversion of Control Dependence to Data Dependence", 1983.) Operands that call functions stay
//! conditional.

use rise::Type;
use rustc_hash::FxHashSet;
use syntax::ast::{Literal, ScalarType};

use super::{Pass, Run};
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{Binary, Expr, ExprKind, Function, Id, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "boolean-reductions",
    run: Run::Always(run),
    changes: Changes::all("accumulated as an integer"),
};

fn run(function: &mut Function) {
    let mut accumulated = FxHashSet::default();
    walk::each_stmt(&function.body, &mut |stmt| {
        let StmtKind::For(this) = &stmt.kind else {
            return;
        };
        for stmt in &this.body {
            if let StmtKind::Assign(place, value) = &stmt.kind
                && accumulation(place, value).is_some()
            {
                accumulated.insert(place.id);
            }
        }
    });
    if accumulated.is_empty() {
        return;
    }
    let mut others = Uses::of(function).untracked(&function.body);
    walk::each_stmt(&function.body, &mut |stmt| match &stmt.kind {
        StmtKind::Point(pointer, place) => others.extend([*pointer, place.id]),
        StmtKind::Swap(a, b) => others.extend([*a, *b]),
        StmtKind::Reduce(reduce) => others.extend([reduce.into, reduce.left, reduce.right]),
        _ => {}
    });
    accumulated.retain(|id| {
        let variable = &function.variables[id.0 as usize];
        !others.contains(id) && variable.is_private() && variable.count.is_none()
    });
    for id in &accumulated {
        function.variables[id.0 as usize].elem = Type::Scalar(ScalarType::I32).into();
    }
    let mut body = std::mem::take(&mut function.body);
    with_integers(&mut body, &accumulated);
    function.body = body;
}

/// Returns the operator and the operand of a variable that is accumulated by `||` or `&&` without calls.
fn accumulation<'v>(place: &Place, value: &'v Expr) -> Option<(Binary, &'v Expr)> {
    let ExprKind::Binary(operator @ (Binary::And | Binary::Or), a, b) = &value.kind else {
        return None;
    };
    let is_variable = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(from) if from == place);
    let mut is_cheap = place == &Place::plain(place.id) && is_variable(a);
    walk::sub_exprs(b, &mut |part| {
        is_cheap &= !matches!(part.kind, ExprKind::Call(..)) && !is_variable(part);
    });
    is_cheap.then_some((*operator, b))
}

/// Changes the assignments to variables that have become integers, and what reads them.
fn with_integers(body: &mut [Stmt], ids: &FxHashSet<Id>) {
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::Declare(id, Some(value)) if ids.contains(id) => {
                read_integers(value, ids);
                *value = integer(value.clone());
            }
            StmtKind::Assign(place, value) if ids.contains(&place.id) => {
                let combined =
                    accumulation(place, value).map(|(op, operand)| (op, operand.clone()));
                *value = match combined {
                    Some((operator, mut operand)) => {
                        read_integers(&mut operand, ids);
                        combination(operator, place, operand)
                    }
                    None => {
                        read_integers(value, ids);
                        integer(value.clone())
                    }
                };
            }
            StmtKind::Declare(_, Some(value))
            | StmtKind::Assign(_, value)
            | StmtKind::If {
                condition: value, ..
            } => read_integers(value, ids),
            _ => {}
        }
        walk::each_block(stmt, &mut |inner| with_integers(inner, ids));
    }
}

fn combination(operator: Binary, place: &Place, operand: Expr) -> Expr {
    let origin = operand.origin;
    let ty = Type::Scalar(ScalarType::I32).into();
    let same = Expr::new(ExprKind::Load(place.clone()), ty, origin);
    let decided = number(i128::from(operator == Binary::Or), &operand);
    let (a, b) = match operator {
        Binary::Or => (decided, same),
        _ => (same, decided),
    };
    let ty = a.ty.clone();
    let kind = ExprKind::Select(Box::new(operand), Box::new(a), Box::new(b));
    Expr::new(kind, ty, origin)
}

/// Returns the integer for a truth value: 1 or 0.
fn integer(truth: Expr) -> Expr {
    let [one, zero] = [1, 0].map(|value| Box::new(number(value, &truth)));
    let (ty, origin) = (one.ty.clone(), truth.origin);
    let value = match &truth.kind {
        ExprKind::Literal(Literal::Bool(true)) => return *one,
        ExprKind::Literal(Literal::Bool(false)) => return *zero,
        _ => ExprKind::Select(Box::new(truth), one, zero),
    };
    Expr::new(value, ty, origin)
}

fn number(value: i128, like: &Expr) -> Expr {
    let literal = Literal::Int {
        value,
        suffix: None,
    };
    let ty = Type::Scalar(ScalarType::I32).into();
    Expr::new(ExprKind::Literal(literal), ty, like.origin)
}

/// Compares the variables that an expression reads, and that have become integers, with 0.
fn read_integers(expr: &mut Expr, ids: &FxHashSet<Id>) {
    match &expr.kind {
        ExprKind::Load(place) if ids.contains(&place.id) => {
            let ty = Type::Scalar(ScalarType::I32).into();
            let load = Expr::new(expr.kind.clone(), ty, expr.origin);
            let zero = number(0, expr);
            expr.kind = ExprKind::Binary(Binary::Ne, Box::new(load), Box::new(zero));
        }
        _ => {
            for part in walk::parts_mut(expr) {
                read_integers(part, ids);
            }
        }
    }
}
