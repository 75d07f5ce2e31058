//! Recognises loops that accumulate rows, as those of contractions and of filters do.

use nat::Nat;

use super::iterations::next;
use crate::ir::walk;
use crate::ir::{Expr, ExprKind, Loop, LoopMode, Place, Stmt, StmtKind};

/// The loops `for step { for column { sum[column] = value } }`, whose value reads the sum.
pub(crate) struct AccumulatedRow<'l> {
    pub steps: &'l Loop,
    pub columns: &'l Loop,
    pub sum: &'l Place,
    pub value: &'l Expr,
}

impl AccumulatedRow<'_> {
    /// Returns the loops that `steps` and the one in it are, if they accumulate a row.
    pub fn of(steps: &Loop) -> Option<AccumulatedRow<'_>> {
        let [stmt] = &*steps.body else { return None };
        let StmtKind::For(columns) = &stmt.kind else {
            return None;
        };
        let [assignment] = &*columns.body else {
            return None;
        };
        let StmtKind::Assign(sum, value) = &assignment.kind else {
            return None;
        };
        let index = sum.index.as_ref()?;
        let is_next = Nat::sub(&next(index, columns.counter, 1), index).is_one();
        let sizes = [&columns.from, &columns.to, &columns.step];
        let has_fixed_sizes = sizes.iter().all(|size| !size.mentions(steps.counter));
        let mut reads_of_sum = Vec::new();
        walk::sub_exprs(value, &mut |part| match &part.kind {
            ExprKind::Load(place) if place.id == sum.id => reads_of_sum.push(place),
            _ => {}
        });
        let has_modes = matches!(
            (steps.mode, columns.mode),
            (LoopMode::Sequential, LoopMode::Sequential)
                | (LoopMode::Replicated, LoopMode::Parallel)
        );
        let is_row = has_modes
            && is_next
            && has_fixed_sizes
            && !index.mentions(steps.counter)
            && sum.lane.is_none()
            && sum.lanes.is_none()
            && reads_of_sum == [sum];
        is_row.then_some(AccumulatedRow {
            steps,
            columns,
            sum,
            value,
        })
    }

    /// Returns all loops in statements that accumulate rows.
    pub fn all(body: &[Stmt]) -> Vec<AccumulatedRow<'_>> {
        let mut found = Vec::new();
        walk::each_stmt(body, &mut |stmt| {
            if let StmtKind::For(this) = &stmt.kind {
                found.extend(AccumulatedRow::of(this));
            }
        });
        found
    }

    /// Returns the loaded and conditional values from which the value is computed, without the sum.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        operands(self.value, &mut found);
        found
            .retain(|part| !matches!(&part.kind, ExprKind::Load(place) if place.id == self.sum.id));
        found
    }
}

fn operands<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Load(_) | ExprKind::Select(..) => found.push(expr),
        _ => walk::each_part(expr, &mut |part| operands(part, found)),
    }
}
