//! Peels loops: splits off the iterations at the boundaries for which conditions on the counter
//! differ, so that the remaining loop has no conditions and C compilers vectorise it.
//!
//! This is the partition into prologue, steady state and epilogue of Halide's `PartitionLoops.cpp`.
//! The points at which a condition changes are found in comparisons, minima and maxima of sizes
//! that are linear in the counter. Those that are not known to be within the loop are the subject
//! of `boundaries`.

use nat::{Nat, Part, Prop, Var};

use crate::error::Result;
use crate::ir::{Binary, Expr, ExprKind, Loop, LoopMode, Maker, Place, Stmt, StmtKind};

use super::Loops;
use crate::analysis::accumulation::AccumulatedRow;
use crate::analysis::code_size;
use crate::analysis::conditions::{less, solve_for_zero};
use crate::ir::walk;

/// The maximal size of the body of a loop that is peeled: the number of its subexpressions, with 1
/// for each declaration without a value.
const MAX_BODY_SIZE: usize = 800;
/// The maximal size of the body of a loop around others that is peeled.
const MAX_NEST_SIZE: usize = 2000;
/// The minimal trip count of a loop that is peeled or unswitched, if its trip count is a constant.
pub(super) const MIN_TRIP_COUNT: i64 = 16;
/// The maximal constant trip count for which a part of a peeled loop is sequential, in whatever
/// mode the loop is. A loop whose own trip count is a constant up to this keeps its mode.
const MAX_BOUNDARY_TRIP_COUNT: i64 = 64;

/// The values of the counter before which a loop may be split because a condition changes there.
/// The operands of a minimum or maximum are equal for one value, so that the loop may be split
/// before or after it.
pub(super) struct ChangePoint {
    before: Nat,
    behind: Nat,
}

impl ChangePoint {
    /// Returns true if a minimum or maximum changes, not a comparison.
    pub(super) fn is_of_extremum(&self) -> bool {
        self.before != self.behind
    }
}

/// The counter `at` which the value of a comparison changes.
pub(super) struct ComparisonChange {
    pub(super) at: Nat,
    /// True if the comparison holds from this counter on, false if it holds before it.
    pub(super) rises: bool,
}

/// The steady state, in which all conditions are decided: the iterations from `first` on and before
/// `end`. Without `first` there is no prologue, without `end` no epilogue.
struct SteadyState {
    first: Option<Nat>,
    end: Option<Nat>,
}

impl Loops<'_> {
    /// Peels a loop and appends its simplified parts to `out`; returns false and appends nothing if
    /// the loop cannot be peeled or has no reason to be.
    pub(crate) fn peel(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> Result<bool> {
        let StmtKind::For(original) = &stmt.kind else {
            return Ok(false);
        };
        let trip_count = Nat::sub(&original.to, &original.from).as_const();
        if self.in_partition
            || !original.step.is_one()
            || trip_count.is_some_and(|trip_count| trip_count < MIN_TRIP_COUNT)
        {
            return Ok(false);
        }
        let is_nest = has_long_loop(&original.body);
        let steady_state = match is_nest {
            true => self.steady_state_of_nest(original),
            false if !has_size(&original.body, MAX_BODY_SIZE) => return Ok(false),
            false => self.steady_state(original),
        };
        let Some(steady_state) = steady_state else {
            return match is_nest {
                true => Ok(false),
                false => self.peel_at_boundaries(stmt, original, out),
            };
        };
        self.in_partition = true;
        let result = self.partitions((stmt, original), &steady_state, out);
        self.in_partition = false;
        result.map(|()| true)
    }

    /// Returns the steady state of a loop around others, in which conditions on its counter are then
    /// decided; `None` if there is none, or too much code would be copied.
    fn steady_state_of_nest(&self, original: &Loop) -> Option<SteadyState> {
        if self.function.features.has_work_items() || !has_size(&original.body, MAX_NEST_SIZE) {
            return None;
        }
        // Contractions are computed in register tiles, whose operands are stored without conditions.
        if !AccumulatedRow::all(&original.body).is_empty() {
            return None;
        }
        let mut in_loops = Vec::new();
        walk::each_stmt(&original.body, &mut |stmt| {
            if let StmtKind::For(inner) = &stmt.kind
                && !has_long_loop(&inner.body)
            {
                collect_from_statements(&inner.body, original.counter, &mut in_loops);
            }
        });
        // Indices that are limited only by this counter are computed in front of the other loops.
        let windows = windows_in(&original.body);
        let is_inside = |change: &ChangePoint| {
            let mut counters = windows.iter().map(|(counter, _)| *counter);
            !change.is_of_extremum() || counters.any(|counter| change.before.mentions(counter))
        };
        if !in_loops.iter().any(is_inside) {
            return None;
        }
        // Its prologue and its epilogue have few iterations.
        self.steady_state(original)
            .filter(|SteadyState { first, end }| {
                let is_constant = |a: &Nat, b: &Nat| Nat::sub(a, b).as_const().is_some();
                (first.iter()).all(|first| is_constant(first, &original.from))
                    && end.iter().all(|end| is_constant(&original.to, end))
            })
    }

    fn partitions(
        &mut self,
        original: (&Stmt, &Loop),
        steady_state: &SteadyState,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let Loop { from, to, .. } = original.1;
        if let Some(first) = &steady_state.first {
            if self.proves_at_least(to, first) {
                let partition = self.partition(original, from, first, true);
                self.statement(partition, out)?;
            } else if Nat::sub(first, from).is_one() {
                let partition = self.partition(original, from, first, true);
                self.statement(self.if_less(from, to, partition), out)?;
            } else {
                let partition = self.partition(original, from, &Nat::min(first, to), true);
                self.statement(partition, out)?;
            }
        }
        let first = steady_state.first.as_ref().unwrap_or(from);
        let Some(end) = &steady_state.end else {
            let partition = self.partition(original, first, to, false);
            return self.statement(with_unrolled_windows(partition), out);
        };
        let partition = self.partition(original, first, end, true);
        self.statement(with_unrolled_windows(partition), out)?;
        // The steady state of a short loop may be empty, and then the epilogue must not start
        // before it.
        if self.proves_at_least(end, first) {
            let partition = self.partition(original, end, to, false);
            self.statement(partition, out)
        } else if Nat::sub(to, end).is_one() {
            let partition = self.partition(original, end, to, false);
            self.statement(self.if_less(first, to, partition), out)
        } else {
            let partition = self.partition(original, &Nat::max(first, end), to, false);
            self.statement(partition, out)
        }
    }

    fn if_less(&self, a: &Nat, b: &Nat, then: Stmt) -> Stmt {
        let (origin, made_by) = (then.origin, then.made_by);
        let kind = StmtKind::If {
            condition: less(a, b, origin),
            then: vec![then],
            otherwise: Vec::new(),
        };
        Stmt::new(kind, origin, made_by)
    }

    /// Returns the part of a loop in this range, which is sequential if it is short. With `copied`,
    /// the variables and counters that it declares are renamed.
    pub(super) fn partition(
        &mut self,
        (stmt, original): (&Stmt, &Loop),
        from: &Nat,
        to: &Nat,
        copied: bool,
    ) -> Stmt {
        let trip_count = Nat::sub(to, from).as_const();
        let is_boundary = trip_count
            .is_some_and(|trip_count| trip_count <= MAX_BOUNDARY_TRIP_COUNT)
            && Nat::sub(&original.to, &original.from)
                .as_const()
                .is_none_or(|trip_count| trip_count > MAX_BOUNDARY_TRIP_COUNT);
        let partition = Loop {
            from: from.clone(),
            to: to.clone(),
            step: Nat::ONE,
            mode: if is_boundary {
                LoopMode::Sequential
            } else {
                original.mode
            },
            ..original.clone()
        };
        let partition = Stmt::new(
            StmtKind::For(partition),
            stmt.origin,
            stmt.made_by.or(Some(Maker::Pass(super::PASS.name))),
        );
        if copied {
            self.copy(partition)
        } else {
            partition
        }
    }

    pub(super) fn proves_at_least(&self, a: &Nat, b: &Nat) -> bool {
        self.facts.proves(&Prop::AtLeast(a.clone(), b.clone()))
    }

    /// Returns the steady state of a loop; `None` if it is the whole loop, not more than half of a
    /// constant trip count, or not known.
    fn steady_state(&self, original: &Loop) -> Option<SteadyState> {
        let Loop {
            counter, from, to, ..
        } = original;
        let mut changes = Vec::new();
        collect_from_statements(&original.body, *counter, &mut changes);
        let changes = for_all_windows(changes, &original.body);
        let trip_count = Nat::sub(to, from).as_const();
        let (mut first, mut last) = (0, 0);
        let mut inside: Vec<Nat> = Vec::new();
        for change in &changes {
            let start = Nat::sub(&change.before, from).as_const();
            let rest = Nat::sub(to, &change.behind).as_const();
            let is_inside = |n: &i64| *n > 0 && trip_count.is_none_or(|trip_count| *n < trip_count);
            match (start.filter(is_inside), rest.filter(is_inside)) {
                (Some(start), Some(rest)) if start > rest => last = last.max(rest),
                (Some(start), _) => first = first.max(start),
                (None, Some(rest)) => last = last.max(rest),
                (None, None) if start.is_some() || rest.is_some() => {}
                (None, None) => {
                    if !inside.contains(&change.before) {
                        inside.push(change.before.clone());
                    }
                }
            }
        }
        if trip_count.is_some_and(|trip_count| first + last >= trip_count / 2) {
            return None;
        }
        if first > 0 || last > 0 {
            return Some(SteadyState {
                first: (first > 0).then(|| from + first),
                end: (last > 0).then(|| Nat::sub(to, &Nat::constant(last))),
            });
        }
        self.symbolic_steady_state(original, inside)
    }

    /// Returns the steady state of a loop whose conditions change at one or two values of the
    /// counter, `inside`, that depend on size parameters only and are in its range in a known
    /// order; `None` for other loops.
    fn symbolic_steady_state(&self, original: &Loop, mut inside: Vec<Nat>) -> Option<SteadyState> {
        let Loop { from, to, .. } = original;
        let sizes = &self.function.sizes;
        let within = |cut: &Nat| {
            !cut.any_var(&|var| !sizes.contains(&var))
                && self.proves_at_least(cut, from)
                && self.proves_at_least(to, cut)
        };
        if inside.len() > 2 || !inside.iter().all(within) {
            return None;
        }
        if let [a, b] = inside.as_slice()
            && self.proves_at_least(a, b)
        {
            inside.swap(0, 1);
        }
        let mut inside = inside.into_iter();
        let first = inside.next()?;
        let end = inside.next();
        if let Some(end) = &end
            && !self.proves_at_least(end, &first)
        {
            return None;
        }
        Some(SteadyState {
            first: Some(first),
            end,
        })
    }
}

/// Returns true if the body contains only declarations, assignments, blocks and branches, and its
/// [size](code_size::of_body) is at most `max`.
pub(super) fn is_small(body: &[Stmt], max: usize) -> bool {
    !walk::has_loop(body) && has_size(body, max)
}

/// Returns true if the [size](code_size::of_body) of the body is known, and at most `max`.
fn has_size(body: &[Stmt], max: usize) -> bool {
    code_size::of_body(body).is_some_and(|size| size <= max)
}

/// Returns true if statements contain a loop other than those over windows.
fn has_long_loop(body: &[Stmt]) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::For(this) if window(this).is_none());
    });
    found
}

/// Returns the first and the last value of the counter of a loop over a window: a sequential one with a
/// small constant number of iterations.
fn window(this: &Loop) -> Option<[i64; 2]> {
    let is_plain = this.mode == LoopMode::Sequential && this.step.is_one();
    let (from, to) = (this.from.as_const()?, this.to.as_const()?);
    (is_plain && from < to && to - from < MIN_TRIP_COUNT).then_some([from, to - 1])
}

/// Returns a loop around nothing but loops over windows with these unrolled. C compilers unroll them only
/// if little is computed in them, and vectorise the loop only if they do.
fn with_unrolled_windows(mut stmt: Stmt) -> Stmt {
    /// The maximal number of iterations of nested loops that are unrolled.
    const MAX_ITERATIONS: i64 = 64;
    fn iterations(body: &[Stmt]) -> i64 {
        let of = |stmt: &Stmt| match &stmt.kind {
            StmtKind::For(this) => window(this).map_or(i64::MAX, |[first, last]| {
                iterations(&this.body).saturating_mul(last + 1 - first)
            }),
            _ => 1,
        };
        body.iter().map(of).fold(0, i64::saturating_add)
    }
    fn unroll(body: &mut [Stmt]) {
        for stmt in body {
            if let StmtKind::For(this) = &mut stmt.kind {
                this.mode = LoopMode::Unrolled;
                unroll(&mut this.body);
            }
        }
    }
    if let StmtKind::For(this) = &mut stmt.kind
        && iterations(&this.body) <= MAX_ITERATIONS
    {
        unroll(&mut this.body);
    }
    stmt
}

/// Returns the change points for the first and the last iterations of all loops over windows in a body,
/// between which those for the other iterations are.
fn for_all_windows(mut changes: Vec<ChangePoint>, body: &[Stmt]) -> Vec<ChangePoint> {
    for (counter, ends) in windows_in(body) {
        let (within, others): (Vec<_>, Vec<_>) = changes
            .into_iter()
            .partition(|change| change.before.mentions(counter));
        changes = others;
        for at in ends {
            let value = |nat: &Nat| nat.subst(&|var| (var == counter).then(|| Nat::constant(at)));
            changes.extend(within.iter().map(|change| ChangePoint {
                before: value(&change.before),
                behind: value(&change.behind),
            }));
        }
    }
    changes
}

/// Returns the counters of the loops over windows in a body, with their first and last values.
fn windows_in(body: &[Stmt]) -> Vec<(Var, [i64; 2])> {
    let mut found = Vec::new();
    walk::each_stmt(body, &mut |stmt| {
        if let StmtKind::For(this) = &stmt.kind {
            found.extend(window(this).map(|ends| (this.counter, ends)));
        }
    });
    found
}

/// Collects the counters at which comparisons, minima and maxima in statements change.
pub(super) fn collect_from_statements(body: &[Stmt], counter: Var, out: &mut Vec<ChangePoint>) {
    walk::for_each_expr(body, &mut |expr| collect_from_expr(expr, counter, out));
    walk::each_stmt(body, &mut |stmt| {
        if let StmtKind::Assign(place, _) = &stmt.kind {
            collect_from_place(place, counter, out);
        }
    });
}

fn collect_from_place(place: &Place, counter: Var, out: &mut Vec<ChangePoint>) {
    for nat in [&place.index, &place.lane].into_iter().flatten() {
        collect_from_nat(nat, counter, out);
    }
}

fn collect_from_expr(expr: &Expr, counter: Var, out: &mut Vec<ChangePoint>) {
    walk::sub_exprs(expr, &mut |part| match &part.kind {
        ExprKind::Load(place) => collect_from_place(place, counter, out),
        ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
            collect_from_nat(nat, counter, out);
        }
        ExprKind::Binary(operator, a, b) => {
            if let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&a.kind, &b.kind) {
                let change = comparison_change(*operator, a, b, counter);
                out.extend(change.map(|ComparisonChange { at, .. }| ChangePoint {
                    before: at.clone(),
                    behind: at,
                }));
            }
        }
        _ => {}
    });
}

/// Returns the counter at which an inequality of sizes changes; `None` for other operators, and for
/// sizes whose difference does not contain the counter once.
pub(super) fn comparison_change(
    operator: Binary,
    a: &Nat,
    b: &Nat,
    counter: Var,
) -> Option<ComparisonChange> {
    let (limit, grows) = solve_for_zero(&Nat::sub(a, b), counter)?;
    let next = &limit + 1;
    let at = match (operator, grows) {
        (Binary::Lt | Binary::Ge, true) | (Binary::Gt | Binary::Le, false) => limit,
        (Binary::Le | Binary::Gt, true) | (Binary::Ge | Binary::Lt, false) => next,
        _ => return None,
    };
    let rises = matches!(operator, Binary::Ge | Binary::Gt) == grows;
    Some(ComparisonChange { at, rises })
}

fn collect_from_nat(nat: &Nat, counter: Var, out: &mut Vec<ChangePoint>) {
    if !nat.mentions(counter) {
        return;
    }
    for summand in nat.summands() {
        for (part, _) in &summand.factors {
            match part {
                Part::Min(all) | Part::Max(all) => collect_from_extremum(all, counter, out),
                Part::Div(a, b)
                | Part::Rem(a, b)
                | Part::Pow(a, b)
                | Part::Add(a, b)
                | Part::Mul(a, b) => {
                    collect_from_nat(a, counter, out);
                    collect_from_nat(b, counter, out);
                }
                Part::Log2(a) | Part::Apply(_, a) => collect_from_nat(a, counter, out),
                Part::Var(_) | Part::Index(_) | Part::Sum { .. } | Part::TooBig { .. } => {}
            }
        }
    }
}

fn collect_from_extremum(all: &[Nat], counter: Var, out: &mut Vec<ChangePoint>) {
    for (at, a) in all.iter().enumerate() {
        collect_from_nat(a, counter, out);
        for b in &all[at + 1..] {
            for a in alternatives(a) {
                for b in alternatives(b) {
                    if let Some((limit, _)) = solve_for_zero(&Nat::sub(&a, &b), counter) {
                        let behind = &limit + 1;
                        out.push(ChangePoint {
                            before: limit,
                            behind,
                        });
                    }
                }
            }
        }
    }
}

/// Returns the sizes that result if each minimum or maximum that is a summand of a size is replaced
/// by one of its operands; the size itself if there is none.
fn alternatives(nat: &Nat) -> Vec<Nat> {
    for summand in nat.summands() {
        if let [(Part::Min(all) | Part::Max(all), 1)] = summand.factors.as_slice() {
            let rest = |one: &Nat, others: &[Nat]| {
                let join = match &summand.factors[0].0 {
                    Part::Min(_) => Nat::min,
                    _ => Nat::max,
                };
                others.iter().fold(one.clone(), |a, b| join(&a, b))
            };
            let Some((one, others)) = all.split_first() else {
                continue;
            };
            let extremum = rest(one, others) * summand.coeff;
            let without = Nat::sub(nat, &extremum);
            let with = |member: &Nat| &without + &(member.clone() * summand.coeff);
            return all
                .iter()
                .flat_map(|member| alternatives(&with(member)))
                .collect();
        }
    }
    vec![nat.clone()]
}
