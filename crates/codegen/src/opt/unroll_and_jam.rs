//! Unroll-and-jam: executes several iterations of an outer loop together in one inner loop, so that
//! a loaded element, or a running sum in memory, is used several times.
//!
//! Three kinds of loops gain from it (Callahan, Carr and Kennedy, "Improving Register Allocation for
//! Subscripted Variables", 1990; Carr and Kennedy, "Improving the Ratio of Memory Operations to
//! Floating-Point Operations in Loops", 1994):
//! - `for k { for j { sums[j] += a[k] * b[k][j] } }` loads and stores `sums[j]` for each product.
//!   Several iterations of `k` together load and store it once for all of them.
//! - A loop around a floating-point reduction waits for each addition. Several reductions together
//!   do not wait for each other.
//! - A loop over the rows of a stencil, `for i { for j { b[i][j] = a[i][j] + a[i + 1][j] } }`, loads
//!   each row of `a` again. Two iterations of `i` together load the rows that they share once.
//!
//! A loop around loops of the first kind is jammed too: its iterations share the elements of `b`.
//! If both are the loops of a contraction, it is computed in [register tiles](register_tiles).
//! The operations of each result, and their order, stay the same.

mod register_tiles;
pub(crate) mod thread_coarsening;

use nat::{Facts, Nat, Var};
use rise::types::{Type, has_floats};
use rustc_hash::FxHashSet;

use super::{Pass, Run, outer_loop_vectorization};
use crate::analysis::accumulation::AccumulatedRow;
use crate::analysis::code_size;
use crate::analysis::conditions::assume_loop;
use crate::analysis::dependence_test::has_unit_stride;
use crate::analysis::iterations::{end_of_multiple, has_iterations, next, writes_own_elements};
use crate::analysis::uses::Uses;
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use crate::ir::{Expr, ExprKind, Function, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "unroll-and-jam",
    run: Run::Always(run),
    changes: Changes {
        moved: "executed together with other iterations of an outer loop",
        repeated: "copied for several iterations of an outer loop, which are executed together",
        rewritten: "executed together with other iterations of an outer loop",
    },
};

/// The number of iterations that are executed together.
const FACTOR: i64 = 4;
/// The number of iterations of a stencil that are executed together.
const STENCIL_FACTOR: i64 = 2;
/// The minimal trip count of a loop that is jammed, for a trip count that is a constant.
const MIN_TRIP_COUNT: i64 = 2 * FACTOR;
/// The minimal number of columns of an accumulation, for a number that is a constant. C compilers keep
/// fewer sums in registers.
const MIN_COLUMNS: i64 = 32;
/// The minimal trip count of a reduction that is executed together with others, for a trip count
/// that is a constant.
const MIN_REDUCED: i64 = 8;
/// The maximal number of subexpressions in the body of a reduction that is executed together with
/// others. C compilers vectorise the operations of larger bodies, and add their results in order.
const MAX_REDUCED_SIZE: usize = 24;
/// The maximal number of subexpressions in the body of a jammed loop before the copies are made.
const MAX_BODY_SIZE: usize = 160;
/// The maximal number of subexpressions in the body of a stencil before the copies are made.
const MAX_STENCIL_SIZE: usize = 2 * MAX_BODY_SIZE;

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let untracked = uses.untracked(&body);
    let facts = function.known();
    let mut pass = UnrollAndJam {
        function,
        uses,
        untracked,
        facts,
    };
    pass.block(&mut body);
    function.body = body;
}

/// The reasons why the iterations of a loop around a block should be executed together.
#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    /// The block contains a loop that is a reduction of floats, directly or in another loop.
    reduces: bool,
    /// The block contains a jammed loop over rows that are accumulated.
    accumulates: bool,
    /// A loop in the block is jammed for one of these reasons.
    is_jammed: bool,
}

impl Gain {
    fn join(&mut self, other: Gain) {
        self.reduces |= other.reduces;
        self.accumulates |= other.accumulates;
        self.is_jammed |= other.is_jammed;
    }
}

struct UnrollAndJam<'f> {
    function: &'f mut Function,
    uses: Uses,
    /// The variables that may be accessed other than by name.
    untracked: FxHashSet<Id>,
    facts: Facts,
}

impl UnrollAndJam<'_> {
    fn block(&mut self, body: &mut Vec<Stmt>) -> Gain {
        let mut gain = Gain::default();
        let mut out = Vec::with_capacity(body.len());
        for mut stmt in std::mem::take(body) {
            gain.join(self.statement(&mut stmt, &mut out));
            out.push(stmt);
        }
        *body = out;
        gain
    }

    /// Transforms a statement. If it is a loop that is jammed, `stmt` becomes the loop over the
    /// remaining iterations, and the jammed loop is added to `out`.
    fn statement(&mut self, stmt: &mut Stmt, out: &mut Vec<Stmt>) -> Gain {
        let StmtKind::For(this) = &mut stmt.kind else {
            let mut gain = Gain::default();
            walk::each_block(stmt, &mut |inner| gain.join(self.block(inner)));
            return gain;
        };
        if outer_loop_vectorization::is_tile(this) {
            // GCC keeps the accumulators of other loops in registers by itself.
            if !has_loop_of_unknown_length(&this.body) {
                self.block(&mut this.body);
            }
            return Gain {
                is_jammed: true,
                ..Gain::default()
            };
        }
        let untransformed = walk::has_loop(&this.body).then(|| this.body.clone());
        let facts = self.facts.clone();
        assume_loop(&mut self.facts, this);
        let mut gain = self.block(&mut this.body);
        self.facts = facts;
        if is_float_reduction(this) {
            gain.reduces = true;
            return gain;
        }
        if gain.reduces && reduces_windows(this) {
            gain.reduces = false;
        }
        if gain.is_jammed {
            return gain;
        }
        let made_by = stmt.made_by.or(Some(Maker::Pass(PASS.name)));
        let accumulation = self.accumulation(this);
        let mut minimum = MIN_TRIP_COUNT;
        if accumulation.is_none()
            && gain.accumulates
            && let Some(body) = untransformed
            && let Some(tiled) = self.tiled(&Loop {
                body,
                ..this.clone()
            })
        {
            gain.is_jammed = true;
            out.extend(tiled.before);
            let end = tiled.end;
            let tiles = self.with_own_variables(tiled.tiles);
            let tiles = Stmt::new(StmtKind::For(tiles), stmt.origin, made_by);
            if end == this.to {
                *stmt = tiles;
                return gain;
            }
            out.push(tiles);
            this.from = end;
            minimum = FACTOR;
        }
        let (factor, jammed) = match &accumulation {
            _ if !has_iterations(this, minimum) => return gain,
            Some(accumulation) => (FACTOR, Some(accumulation.chained(this, FACTOR))),
            None if gain.reduces || gain.accumulates => (FACTOR, self.jammed(this)),
            None => (STENCIL_FACTOR, self.jammed_stencil(this)),
        };
        let Some(body) = jammed else {
            return gain;
        };
        match accumulation {
            Some(accumulation) => gain.accumulates = !loads_in_branches(&accumulation.value),
            None => gain.is_jammed = true,
        }
        let end = end_of_multiple(this, factor, &self.facts);
        let jammed = self.with_own_variables(Loop {
            to: end.clone(),
            step: Nat::constant(factor),
            body,
            ..this.clone()
        });
        let jammed = Stmt::new(StmtKind::For(jammed), stmt.origin, made_by);
        if end == this.to {
            *stmt = jammed;
            return gain;
        }
        out.push(jammed);
        this.from = end;
        // The few remaining iterations of an accumulation start threads for each of its rows.
        if matches!(this.mode, LoopMode::Parallel | LoopMode::Replicated) {
            this.mode = LoopMode::Sequential;
        }
        gain
    }

    /// Returns a loop with a new counter, and new variables and counters in its body.
    fn with_own_variables(&mut self, mut this: Loop) -> Loop {
        let mut copy = Renaming::default();
        copy.add_declared(self.function, &this.body);
        copy.add_var(self.function, this.counter);
        copy.apply(&mut this.body);
        if let Some(counter) = copy.vars.get(&this.counter).and_then(Nat::as_var) {
            this.counter = counter;
        }
        this
    }

    /// Returns the accumulation that a loop consists of: an inner loop over the elements of a row,
    /// in which one statement combines each element with a value.
    fn accumulation(&self, this: &Loop) -> Option<Accumulation> {
        let AccumulatedRow {
            columns,
            sum,
            value,
            ..
        } = AccumulatedRow::of(this)?;
        let depends_on_data = |nat: &Nat| self.uses.is_data(nat);
        let is_accumulation = has_iterations(columns, MIN_COLUMNS)
            && !self.untracked.contains(&sum.id)
            && !walk::sizes(&this.body).iter().any(depends_on_data)
            && code_size::of_expr(value) <= MAX_BODY_SIZE / 4;
        is_accumulation.then(|| Accumulation {
            sum: sum.clone(),
            value: value.clone(),
        })
    }

    /// Returns the body for [`FACTOR`] iterations of a loop together, if they may be executed so.
    fn jammed(&mut self, this: &Loop) -> Option<Vec<Stmt>> {
        if !self.is_jammable(this, false) {
            return None;
        }
        let copies = self.copies(this, FACTOR);
        Some(self.jam(&this.body, &copies, false))
    }

    /// Returns the body for [`STENCIL_FACTOR`] iterations of a loop together, if it computes the
    /// rows of a stencil.
    fn jammed_stencil(&mut self, this: &Loop) -> Option<Vec<Stmt>> {
        let mut facts = self.facts.clone();
        facts.range(this.counter, &this.from, &(&this.to + (1 - STENCIL_FACTOR)));
        if !self.is_stencil(this, &facts) || !self.is_jammable(this, true) {
            return None;
        }
        let copies = self.copies(this, STENCIL_FACTOR);
        let mut body = self.jam(&this.body, &copies, true);
        walk::change_all(&mut body, &mut Normalize(&facts));
        Some(body)
    }

    /// Returns true if a loop contains innermost loops, and a quarter of the elements that it loads
    /// from arrays in each iteration, or more, are among those that the next iteration loads.
    fn is_stencil(&self, this: &Loop, facts: &Facts) -> bool {
        let mut loaded = FxHashSet::default();
        let mut is_nest_of_two = walk::has_loop(&this.body);
        walk::each_stmt(&this.body, &mut |stmt| {
            if let StmtKind::For(inner) = &stmt.kind {
                is_nest_of_two &= !walk::has_loop(&inner.body);
                walk::for_each_expr(&inner.body, &mut |expr| {
                    for place in loads(expr) {
                        let index = place.index.as_ref();
                        if let Some(index) = index.filter(|index| index.mentions(this.counter)) {
                            loaded.insert((place.id, facts.normalize(index)));
                        }
                    }
                });
            }
        });
        let is_again = |(id, index): &&(Id, Nat)| {
            let next = facts.normalize(&next(index, this.counter, 1));
            loaded.contains(&(*id, next))
        };
        is_nest_of_two && 4 * loaded.iter().filter(is_again).count() >= loaded.len().max(1)
    }

    /// Returns the renamings for several iterations of a loop together.
    fn copies(&mut self, this: &Loop, count: i64) -> Vec<Renaming> {
        (0..count)
            .map(|number| {
                let mut copy = Renaming::default();
                if number > 0 {
                    copy.add_variables(self.function, &this.body);
                    let value = Nat::var(this.counter) + number;
                    copy.vars.insert(this.counter, value);
                }
                copy
            })
            .collect()
    }

    /// Returns the statements for several iterations together. With `is_inner` the statements are in
    /// a loop that is common to the iterations.
    fn jam(&mut self, body: &[Stmt], copies: &[Renaming], is_inner: bool) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in body {
            let kind = match &stmt.kind {
                StmtKind::For(inner) if is_inner || is_common(inner) => StmtKind::For(Loop {
                    body: self.jam(&inner.body, copies, true),
                    ..inner.clone()
                }),
                StmtKind::Block(inner) => StmtKind::Block(self.jam(inner, copies, is_inner)),
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } if has_common_loop(then) || has_common_loop(otherwise) => StmtKind::If {
                    condition: condition.clone(),
                    then: self.jam(then, copies, is_inner),
                    otherwise: self.jam(otherwise, copies, is_inner),
                },
                _ => {
                    for copy in copies {
                        let mut stmt = [stmt.clone()];
                        let mut copy = copy.clone();
                        if walk::has_loop(&stmt) {
                            copy.add_declared(self.function, &stmt);
                        }
                        copy.apply(&mut stmt);
                        out.extend(stmt);
                    }
                    continue;
                }
            };
            out.push(Stmt::new(kind, stmt.origin, stmt.made_by));
        }
        out
    }

    /// Returns true if several iterations of a loop may be executed in any order, their statements
    /// interleaved, and the loops in it have the same range in all of them. With `all` that includes
    /// the loops that C compilers vectorise.
    fn is_jammable(&self, this: &Loop, all: bool) -> bool {
        let mut declared = FxHashSet::default();
        walk::each_stmt(&this.body, &mut |stmt| {
            if let StmtKind::Declare(id, _) = stmt.kind {
                declared.insert(id);
            }
        });
        // The arrays of all iterations together must not take much more memory than one.
        let is_row = |id: &Id| {
            let count = self.function.variables[id.0 as usize].count.as_ref();
            count.is_none_or(|count| is_linear(count) && !count.mentions(this.counter))
        };
        let is_data = |nat: &Nat| self.uses.is_data(nat);
        let maximum = match all {
            true => MAX_STENCIL_SIZE,
            false => MAX_BODY_SIZE,
        };
        matches!(this.mode, LoopMode::Sequential | LoopMode::Parallel)
            && code_size::of_body(&this.body).is_some_and(|size| size <= maximum)
            && has_common_loops(&this.body, this.counter, &declared, all)
            && declared.iter().all(is_row)
            && !walk::sizes(&this.body).iter().any(is_data)
            && writes_own_elements(this, &self.facts, &self.uses, &self.untracked)
    }
}

/// A statement that combines an element of a row with a value.
struct Accumulation {
    sum: Place,
    value: Expr,
}

impl Accumulation {
    /// Returns the assignments in the body of a loop over columns, each as the accumulation of a row;
    /// `None` if it contains other statements.
    fn of_rows(body: &[Stmt]) -> Option<Vec<Accumulation>> {
        let of = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(sum, value) => Some(Accumulation {
                sum: sum.clone(),
                value: value.clone(),
            }),
            _ => None,
        };
        body.iter().map(of).collect()
    }

    /// Returns the value for several iterations of the loop with this counter together.
    fn chained_value(&self, counter: Var, factor: i64) -> Expr {
        (1..factor).fold(self.value.clone(), |before, number| {
            let mut value = self.value.clone();
            let mut later = Renaming::default();
            later.vars.insert(counter, Nat::var(counter) + number);
            later.apply_to_expr(&mut value);
            walk::change_expr(&mut value, &mut ReplaceLoad(&self.sum, &before));
            value
        })
    }

    /// Returns the body for `factor` iterations of the loop together: one loop over the row, in
    /// which each element is combined with the values of all of them in their order.
    fn chained(&self, this: &Loop, factor: i64) -> Vec<Stmt> {
        let value = self.chained_value(this.counter, factor);
        let mut body = this.body.clone();
        if let [stmt] = &mut *body
            && let StmtKind::For(inner) = &mut stmt.kind
            && let [assignment] = &mut *inner.body
        {
            assignment.kind = StmtKind::Assign(self.sum.clone(), value);
        }
        body
    }
}

/// A visitor that normalises sizes.
struct Normalize<'f>(&'f Facts);

impl Change for Normalize<'_> {
    fn nat(&mut self, nat: &mut Nat) {
        *nat = self.0.normalize(nat);
    }
}

/// A visitor that replaces the loads of a place by an expression.
struct ReplaceLoad<'e>(&'e Place, &'e Expr);

impl Change for ReplaceLoad<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if matches!(&expr.kind, ExprKind::Load(place) if place == self.0) {
            *expr = self.1.clone();
        }
    }
}

/// Returns true if the loops that are common to the iterations of the loop with this counter, and the
/// conditions around them, are the same in all of these, which declare `declared`.
fn has_common_loops(body: &[Stmt], counter: Var, declared: &FxHashSet<Id>, is_inner: bool) -> bool {
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::For(inner) if is_inner || is_common(inner) => {
            let sizes = [&inner.from, &inner.to, &inner.step];
            inner.mode == LoopMode::Sequential
                && sizes.iter().all(|size| !size.mentions(counter))
                && has_common_loops(&inner.body, counter, declared, true)
        }
        StmtKind::Block(inner) => has_common_loops(inner, counter, declared, is_inner),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } if has_common_loop(then) || has_common_loop(otherwise) => {
            let mut own = Renaming::default();
            own.ids.extend(declared.iter().map(|id| (*id, *id)));
            own.vars.insert(counter, Nat::ZERO);
            !own.changes(condition)
                && has_common_loops(then, counter, declared, is_inner)
                && has_common_loops(otherwise, counter, declared, is_inner)
        }
        _ => true,
    })
}

/// Returns true if a loop in the body of a jammed loop is common to the iterations of that: it is
/// a reduction of floats, or contains loops. Other loops, which C compilers vectorise, are copied.
fn is_common(this: &Loop) -> bool {
    is_float_reduction(this) || walk::has_loop(&this.body)
}

fn has_common_loop(body: &[Stmt]) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::For(inner) if is_common(inner));
    });
    found
}

/// Returns true if a loop without inner loops computes a float or tuple of floats from the value in the
/// iteration before, is not known to be short, and has a small body.
fn is_float_reduction(this: &Loop) -> bool {
    let mut reduces = false;
    let mut inside = FxHashSet::default();
    walk::each_stmt(&this.body, &mut |stmt| match &stmt.kind {
        StmtKind::Declare(id, _) => _ = inside.insert(*id),
        StmtKind::Assign(place, value) => {
            reduces |= place.index.is_none()
                && !inside.contains(&place.id)
                && !matches!(&*value.ty, Type::Vector(..))
                && has_floats(&value.ty)
                && loads_of(value, place.id) > 0;
        }
        _ => {}
    });
    reduces
        && this.mode == LoopMode::Sequential
        && has_iterations(this, MIN_REDUCED)
        && code_size::of_body(&this.body).is_some_and(|size| size <= MAX_REDUCED_SIZE)
        && !walk::has_loop(&this.body)
}

/// Returns true if the iterations of a loop reduce windows of constant length that are one element
/// apart. C compilers compute the results of neighbouring windows in the lanes of vectors.
pub(super) fn reduces_windows(this: &Loop) -> bool {
    let mut counters = Vec::new();
    let mut is_constant = true;
    walk::each_stmt(&this.body, &mut |stmt| {
        if let StmtKind::For(inner) = &stmt.kind {
            counters.push(inner.counter);
            is_constant &= Nat::sub(&inner.to, &inner.from).as_const().is_some();
        }
    });
    let mut has_window = false;
    let mut has_others = false;
    walk::for_each_expr(&this.body, &mut |expr| {
        for place in loads(expr) {
            let index = place.index.as_ref();
            let Some(index) = index.filter(|index| index.mentions(this.counter)) else {
                continue;
            };
            match has_unit_stride(index, this.counter) {
                true => has_window |= index.any_var(&|var| counters.contains(&var)),
                false => has_others = true,
            }
        }
    });
    is_constant && has_window && !has_others
}

/// Returns true if the number of iterations of a loop among statements is not a constant.
fn has_loop_of_unknown_length(body: &[Stmt]) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |stmt| {
        if let StmtKind::For(this) = &stmt.kind {
            found |= Nat::sub(&this.to, &this.from).as_const().is_none();
        }
    });
    found
}

/// Returns true if a condition decides whether an expression loads an element. C compilers vectorise
/// loops with few such loads only.
fn loads_in_branches(expr: &Expr) -> bool {
    let mut found = false;
    walk::sub_exprs(expr, &mut |part| {
        if let ExprKind::Select(_, a, b) = &part.kind {
            let mut branches = [a, b].into_iter();
            found |= branches.any(|branch| loads(branch).iter().any(|place| place.index.is_some()));
        }
    });
    found
}

/// Returns true if a size is a constant, or a constant multiple of a single size plus a constant.
fn is_linear(nat: &Nat) -> bool {
    let is_linear =
        |factors: &[(nat::Part<'_>, u32)]| factors.iter().all(|(_, exponent)| *exponent == 1);
    nat.summands().iter().all(|summand| {
        let factors = &summand.factors;
        factors.len() <= 1 && is_linear(factors)
    })
}

/// Returns the places that an expression reads.
fn loads(expr: &Expr) -> Vec<&Place> {
    let mut places = Vec::new();
    walk::sub_exprs(expr, &mut |part| {
        if let ExprKind::Load(place) = &part.kind {
            places.push(place);
        }
    });
    places
}

fn loads_of(expr: &Expr, id: Id) -> usize {
    loads(expr).iter().filter(|place| place.id == id).count()
}
