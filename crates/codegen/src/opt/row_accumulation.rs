//! Row accumulation: computes reductions of the columns of a matrix row by row on several threads.
//!
//! `parallel for i { acc = z; for j { acc = f(acc, a[j][i]) } out[i] = g(acc) }` reads each column of
//! `a` with a stride, so that every thread loads whole cache lines for single elements. Afterwards
//! the elements of `out` are the accumulators: `parallel for i { out[i] = z }`, then
//! `replicated for j { parallel for i { out[i] = f(out[i], a[j][i]) } }`, and at the end
//! `parallel for i { out[i] = g(out[i]) }` if `g` is not the identity. Each thread reads its part of
//! each row, in the order of memory, and no thread waits for another one between rows. Each result
//! combines the same values in the same order. (Loop distribution and interchange: Allen and Kennedy,
//! *Optimizing Compilers for Modern Architectures*, 2001, sections 5.2 and 6.2.)

use nat::{Nat, Var};

use super::nests::{Nests, replace_loops};
use super::{Pass, Run};
use crate::analysis::iterations::{next, writes_own_elements};
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{Expr, ExprKind, Function, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "row-accumulation",
    run: Run::Always(run),
    changes: Changes::all("part of a reduction of columns that is computed row by row"),
};

/// The minimal number of rows, and the minimal number of columns, for numbers that are constants.
const MIN_ROWS: i64 = 8;
const MIN_COLUMNS: i64 = 128;
/// The minimal distance of the elements of a column, for a distance that is a constant.
const MIN_STRIDE: i64 = 16;

fn run(function: &mut Function) {
    if !function.features.has_threads() {
        return;
    }
    replace_loops(function, &mut |nests, stmt, this| {
        let mut pass = RowAccumulation(nests);
        if pass.is_accumulated_by_rows(this) {
            return Some(pass.accumulated_by_rows(this, stmt));
        }
        // Each thread executes its iterations as they are.
        (this.mode == LoopMode::Parallel).then(|| vec![stmt.clone()])
    });
}

struct RowAccumulation<'n, 'f>(&'n mut Nests<'f>);

/// The parts of a loop each of whose iterations reduces a column.
struct ColumnReduction<'l> {
    accumulator: Id,
    initial: &'l Expr,
    /// The loop over the elements of the column, the variables of an iteration with their values, and
    /// the value that it then assigns to the accumulator.
    rows: &'l Loop,
    locals: &'l [Stmt],
    value: &'l Expr,
    /// The place of the result, and the value that is stored there.
    output: &'l Place,
    result: &'l Expr,
}

impl<'l> ColumnReduction<'l> {
    fn of(columns: &'l Loop) -> Option<ColumnReduction<'l>> {
        let [declaration, rest @ ..] = &*columns.body else {
            return None;
        };
        let (accumulator, initial, rest) = match (&declaration.kind, rest) {
            (StmtKind::Declare(id, Some(initial)), rest) => (*id, initial, rest),
            (StmtKind::Declare(id, None), [first, rest @ ..]) => (*id, assigned(first, *id)?, rest),
            _ => return None,
        };
        let [rows, last] = rest else { return None };
        let (StmtKind::For(rows), StmtKind::Assign(output, result)) = (&rows.kind, &last.kind)
        else {
            return None;
        };
        let [locals @ .., step] = &*rows.body else {
            return None;
        };
        are_locals(locals).then_some(())?;
        Some(ColumnReduction {
            accumulator,
            initial,
            rows,
            locals,
            value: assigned(step, accumulator)?,
            output,
            result,
        })
    }
}

/// Returns true if statements only declare variables and assign values to these.
fn are_locals(stmts: &[Stmt]) -> bool {
    let is_declared = |id: Id| {
        let mut stmts = stmts.iter();
        stmts.any(|stmt| matches!(stmt.kind, StmtKind::Declare(declared, _) if declared == id))
    };
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Declare(..) => true,
        StmtKind::Assign(place, _) => *place == Place::plain(place.id) && is_declared(place.id),
        _ => false,
    })
}

/// Returns the value that a statement assigns to a variable that is not an array.
fn assigned(stmt: &Stmt, id: Id) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Assign(place, value) if *place == Place::plain(id) => Some(value),
        _ => None,
    }
}

impl RowAccumulation<'_, '_> {
    /// Returns true if a parallel loop reduces columns, and the elements of its output can be the
    /// accumulators.
    fn is_accumulated_by_rows(&self, columns: &Loop) -> bool {
        let Some(reduction) = ColumnReduction::of(columns) else {
            return false;
        };
        let (rows, output) = (reduction.rows, reduction.output);
        let locals = reduction
            .locals
            .iter()
            .filter_map(|local| match &local.kind {
                StmtKind::Declare(_, value) => value.as_ref(),
                StmtKind::Assign(_, value) => Some(value),
                _ => None,
            });
        let values: Vec<&Expr> = locals.chain([reduction.value]).collect();
        let exprs = [reduction.initial, reduction.result];
        let mut exprs = exprs.into_iter().chain(values.iter().copied());
        let sizes = [&rows.from, &rows.to, &rows.step];
        let is_long = |this: &Loop, minimum| {
            let count = Nat::sub(&this.to, &this.from).as_const();
            this.step.is_one() && count.is_none_or(|count| count >= minimum)
        };
        let element = |id: Id| &self.0.function.variables[id.0 as usize].elem;
        let is_element = output
            .index
            .as_ref()
            .is_some_and(|index| Nat::sub(&next(index, columns.counter, 1), index).is_one());
        columns.mode == LoopMode::Parallel
            && rows.mode == LoopMode::Sequential
            && is_long(columns, MIN_COLUMNS)
            && is_long(rows, MIN_ROWS)
            && is_element
            && output.lane.is_none()
            && output.lanes.is_none()
            && element(output.id) == element(reduction.accumulator)
            && exprs.all(|expr| !self.0.uses.reads(expr, output.id))
            && sizes.iter().all(|size| !size.mentions(columns.counter))
            && !sizes.iter().any(|size| self.0.uses.is_data(size))
            && self.read_rows(&values, columns.counter, rows.counter)
            && writes_own_elements(columns, &self.0.facts, &self.0.uses, &self.0.untracked)
    }

    /// Returns true if the elements that expressions read for consecutive columns are the same or
    /// next to each other, and some of those for consecutive rows are far apart.
    fn read_rows(&self, values: &[&Expr], column: Var, row: Var) -> bool {
        let mut has_strided = false;
        let mut is_local = true;
        let mut look = |part: &Expr| {
            if let ExprKind::Load(place) = &part.kind
                && let Some(index) = &place.index
            {
                let stride = |counter| Nat::sub(&next(index, counter, 1), index);
                let (by_column, by_row) = (stride(column), stride(row));
                is_local &=
                    !self.0.uses.is_data(index) && (by_column.is_zero() || by_column.is_one());
                has_strided |= by_column.is_one()
                    && by_row
                        .as_const()
                        .is_none_or(|stride| stride.abs() >= MIN_STRIDE);
            }
        };
        for value in values {
            walk::sub_exprs(value, &mut look);
        }
        is_local && has_strided
    }

    /// Returns the loops that accumulate by rows what a loop accumulates by columns.
    fn accumulated_by_rows(&mut self, columns: &Loop, stmt: &Stmt) -> Vec<Stmt> {
        let Some(reduction) = ColumnReduction::of(columns) else {
            return Vec::new();
        };
        let made = |kind| Stmt::new(kind, stmt.origin, Some(Maker::Pass(PASS.name)));
        let mut over_columns = |locals: &[Stmt], value: &Expr| {
            let accumulator = Place::plain(reduction.accumulator);
            let mut body = locals.to_vec();
            body.push(made(StmtKind::Assign(
                reduction.output.clone(),
                value.clone(),
            )));
            walk::change_all(
                &mut body,
                &mut walk::ReplacePlace(&accumulator, reduction.output),
            );
            let mut copy = Renaming::default();
            copy.add_var(self.0.function, columns.counter);
            copy.apply(&mut body);
            let counter = copy.vars.get(&columns.counter).and_then(Nat::as_var);
            made(StmtKind::For(Loop {
                counter: counter.unwrap_or(columns.counter),
                body,
                ..columns.clone()
            }))
        };
        let mut loops = vec![
            over_columns(&[], reduction.initial),
            made(StmtKind::For(Loop {
                mode: LoopMode::Replicated,
                body: vec![over_columns(reduction.locals, reduction.value)],
                ..reduction.rows.clone()
            })),
        ];
        let is_identity = matches!(&reduction.result.kind, ExprKind::Load(place)
            if *place == Place::plain(reduction.accumulator));
        if !is_identity {
            loops.push(over_columns(&[], reduction.result));
        }
        loops
    }
}
