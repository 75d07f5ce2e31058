//! Chains of operations that wait for each other.
//!
//! The next iteration of a loop needs the variables that this one computes: the operations from the
//! value at the start of an iteration to the one at its end are a chain (a recurrence of software
//! pipelining). Processors execute chains of different variables at the same time, so that the
//! longest one determines the time: the 12 sums of a register tile take as long as one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::math;
use crate::analysis::vectorization::is_float;
use crate::ir::walk;
use crate::ir::{Binary, Expr, ExprKind, Id, Stmt, StmtKind};

/// Returns the number of operations in the longest chain of an iteration of an innermost loop, in
/// additions of floats; 0 if no iteration needs a result of the previous one.
pub(super) fn length(body: &[Stmt]) -> f64 {
    let mut declared = FxHashSet::default();
    let mut carried = FxHashSet::default();
    walk::each_stmt(body, &mut |stmt| match &stmt.kind {
        StmtKind::Declare(id, _) => {
            declared.insert(*id);
        }
        StmtKind::Assign(place, _) if place.index.is_none() => {
            carried.insert(place.id);
        }
        _ => {}
    });
    carried.retain(|id| !declared.contains(id));
    let mut ends: FxHashMap<Id, f64> = carried.iter().map(|id| (*id, 0.0)).collect();
    walk::each_stmt(body, &mut |stmt| {
        let (id, value) = match &stmt.kind {
            StmtKind::Declare(id, Some(value)) => (*id, value),
            StmtKind::Assign(place, value) if place.index.is_none() => (place.id, value),
            _ => return,
        };
        match end(value, &ends) {
            Some(end) => ends.insert(id, end),
            None => ends.remove(&id),
        };
    });
    let ends = ends.iter().filter(|(id, _)| carried.contains(*id));
    ends.map(|(_, end)| *end).fold(0.0, f64::max)
}

/// Returns the number of operations on the longest path to a value from the variables with chains;
/// `None` if it reads none of them.
fn end(value: &Expr, ends: &FxHashMap<Id, f64>) -> Option<f64> {
    if let ExprKind::Load(place) = &value.kind {
        return ends.get(&place.id).copied();
    }
    let mut longest: Option<f64> = None;
    walk::each_part(value, &mut |part| {
        if let Some(end) = end(part, ends) {
            longest = Some(longest.map_or(end, |longest| longest.max(end)));
        }
    });
    Some(longest? + latency(value))
}

/// Returns the latency of an operation, in additions of floats.
fn latency(value: &Expr) -> f64 {
    match &value.kind {
        ExprKind::Binary(Binary::Div | Binary::Mod, ..) => 4.0,
        ExprKind::Call(function, _) => match math::plain_name(&function.name) {
            Some("sqrt") => 4.0,
            Some("fma") => 4.0 / 3.0,
            _ => 1.0,
        },
        // A comparison of floats takes as long as an addition.
        ExprKind::Binary(_, a, _) if is_float(&a.ty) => 1.0,
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(..) | ExprKind::Select(..)
            if !is_float(&value.ty) =>
        {
            1.0 / 3.0
        }
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(..) | ExprKind::Select(..) => {
            1.0
        }
        ExprKind::Literal(_)
        | ExprKind::Nat(_)
        | ExprKind::Load(_)
        | ExprKind::Pair(..)
        | ExprKind::Half(..)
        | ExprKind::Broadcast(_)
        | ExprKind::Vector(_)
        | ExprKind::Lane(..)
        | ExprKind::Element(..) => 0.0,
    }
}
