//! Outer-loop vectorisation: computes the reductions of many iterations of an outer loop in the lanes
//! of vectors.
//!
//! C compilers do not vectorise `for i { s = z; for j { s = f(s, x[i], y[j]) } out[i] = s }`: they keep
//! the order of the operations of a reduction. Afterwards the accumulators of [`LANES`] iterations of
//! `i` are the elements of an array, and each statement is in a loop over these, `for j { for lane {
//! s[lane] = f(s[lane], x[i + lane], y[j]) } }`, which C compilers vectorise. The operations of each
//! result, and their order, stay the same. (Nuzman and Zaks, "Outer-Loop Vectorization: Revisited for
//! Short SIMD Architectures", 2008; scalar expansion and loop distribution: Allen and Kennedy,
//! *Optimizing Compilers for Modern Architectures*, 2001, chapter 5.)
//!
//! A single reduction that reads columns of matrices stays as it is: each tile would use a part of each
//! row. Several loops that access the same columns, such as those which compute a mean and subtract it,
//! and those that store what they accumulate, are computed for [`COLUMNS`] columns at a time.

use nat::{Nat, Var};
use rise::Type;
use rustc_hash::FxHashSet;
use syntax::ast::ScalarType;

use super::nests::{Nests, replace_loops};
use super::{Pass, Run};
use crate::analysis::dependence_test::{has_unit_stride, linear_form};
use crate::analysis::iterations::{end_of_multiple, has_iterations, writes_own_elements};
use crate::analysis::uses::Uses;
use crate::analysis::vectorization::{self, Vectorization, is_float};
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::types::scalar_size;
use crate::ir::walk::{self, Change};
use crate::ir::{
    Expr, ExprKind, Function, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind, Variable,
};

pub(crate) const PASS: Pass = Pass {
    name: "outer-loop-vectorization",
    run: Run::Always(run),
    changes: Changes::all("computed for many iterations of an outer loop in the lanes of vectors"),
};

/// The number of bytes of the accumulators of the iterations that are executed together: eight registers
/// of 256 bits.
const BYTES: i64 = 256;
/// The minimal number of iterations that are executed together. GCC unrolls shorter loops, and then does
/// not vectorise them.
const LANES: i64 = 32;
/// The maximal number of columns that are computed together.
const COLUMNS: i64 = 128;
/// The minimal number of iterations of a loop over threads, for a number that is a constant.
const MIN_PARALLEL: i64 = 16 * LANES;
/// The minimal number of iterations of a reduction, for a number that is a constant.
const MIN_REDUCED: i64 = 8;
/// The minimal number of iterations of a reduction of a window, for a number that is a constant. C
/// compilers unroll shorter ones, and vectorise the loop around them.
const MIN_WINDOW: i64 = 17;
/// The maximal distance of the elements that consecutive iterations of a reduction read, and that
/// depend on the outer loop.
const MAX_STRIDE: i64 = 4;

fn run(function: &mut Function) {
    replace_loops(function, &mut |nests, stmt, this| {
        OuterLoopVectorization(nests).replaced(stmt, this)
    });
}

struct OuterLoopVectorization<'n, 'f>(&'n mut Nests<'f>);

impl OuterLoopVectorization<'_, '_> {
    /// Returns the loop over tiles and the one over the remaining iterations in place of a loop; `None` if
    /// it is not vectorised.
    fn replaced(&mut self, stmt: &Stmt, this: &Loop) -> Option<Vec<Stmt>> {
        let made_by = stmt.made_by.or(Some(Maker::Pass(PASS.name)));
        if self.has_columns(this) {
            let tiles = StmtKind::For(self.tiles_of_columns(this));
            return Some(vec![Stmt::new(tiles, stmt.origin, made_by)]);
        }
        let (lanes, loaded) = self.lanes(this)?;
        let end = end_of_multiple(this, lanes, &self.0.facts);
        let tiles = StmtKind::For(self.tiles(&loaded, &end, lanes));
        let mut replaced = vec![Stmt::new(tiles, stmt.origin, made_by)];
        if end != this.to {
            let rest = StmtKind::For(Loop {
                from: end,
                ..this.clone()
            });
            replaced.push(Stmt::new(rest, stmt.origin, stmt.made_by));
        }
        Some(replaced)
    }

    /// Returns the number of iterations of a loop to execute together, and the loop with the elements
    /// that each iteration loads first; `None` if it is not vectorised.
    fn lanes(&mut self, this: &Loop) -> Option<(i64, Loop)> {
        if !self.is_regular(this) {
            return None;
        }
        let mut loaded = this.clone();
        if Reductions::of(self.0.function, this, Access::Rows).is_none() {
            loaded.body = self.with_loads_in_front(this)?;
        }
        let reductions = Reductions::of(self.0.function, &loaded, Access::Rows)?;
        let (lanes, minimum) = match this.mode {
            LoopMode::Sequential => {
                let lanes = (BYTES / reductions.bytes.max(1)).max(LANES);
                (lanes, 2 * lanes)
            }
            LoopMode::Parallel => (LANES, MIN_PARALLEL),
            _ => return None,
        };
        let is_vectorized = has_iterations(this, minimum)
            && writes_own_elements(this, &self.0.facts, &self.0.uses, &self.0.untracked);
        is_vectorized.then_some((lanes, loaded))
    }

    /// Returns true for a loop over columns of matrices that contains several loops over their elements, or
    /// one that stores what it accumulates.
    fn has_columns(&self, this: &Loop) -> bool {
        let is_loop = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::For(_));
        let is_executed = matches!(this.mode, LoopMode::Sequential | LoopMode::Parallel);
        let (mut stores, mut accumulates) = (false, false);
        for stmt in this.body.iter().filter(is_loop) {
            walk::blocks(stmt, &mut |body| {
                walk::each_stmt(body, &mut |stmt| {
                    if let StmtKind::Assign(place, _) = &stmt.kind {
                        stores |= place.index.is_some();
                        accumulates |= place.index.is_none();
                    }
                });
            });
        }
        is_executed
            && accumulates
            && (stores || this.body.iter().filter(is_loop).count() > 1)
            && has_iterations(this, LANES)
            && self.is_regular(this)
            && Reductions::of(self.0.function, this, Access::Columns).is_some()
            && writes_own_elements(this, &self.0.facts, &self.0.uses, &self.0.untracked)
    }

    /// Returns true if a loop contains only assignments, declarations of variables that are not
    /// arrays, and loops with the same range in each iteration, and no index that depends on data.
    fn is_regular(&self, this: &Loop) -> bool {
        // What an index that depends on data is computed from belongs to one iteration.
        let is_data = |nat: &Nat| self.0.uses.is_data(nat);
        let mut is_regular =
            walk::has_loop(&this.body) && !walk::sizes(&this.body).iter().any(is_data);
        walk::each_stmt(&this.body, &mut |stmt| match &stmt.kind {
            StmtKind::For(inner) => {
                let mut sizes = [&inner.from, &inner.to, &inner.step].into_iter();
                is_regular &= inner.mode == LoopMode::Sequential
                    && sizes.all(|size| !size.mentions(this.counter));
            }
            StmtKind::Declare(id, _) => {
                let variable = &self.0.function.variables[id.0 as usize];
                is_regular &= variable.count.is_none()
                    && variable.is_private()
                    && !self.0.untracked.contains(id);
            }
            StmtKind::Assign(place, _) => {
                is_regular &= place.lane.is_none() && place.lanes.is_none();
            }
            _ => is_regular = false,
        });
        is_regular
    }

    /// Returns the body of a loop with the elements loaded in front that are the same in all iterations
    /// of the loops in it, and not next to each other in those of the loop itself; `None` if there are
    /// none. They are elements of rows of constant length.
    fn with_loads_in_front(&mut self, this: &Loop) -> Option<Vec<Stmt>> {
        let mut written = FxHashSet::default();
        let mut loads: Vec<Expr> = Vec::new();
        walk::each_stmt(&this.body, &mut |stmt| {
            if let StmtKind::Assign(place, _) = &stmt.kind {
                written.insert(place.id);
            }
        });
        // An element of a row of constant length, which exists also if a loop has no iterations.
        let is_same = |index: &Nat| {
            let form = linear_form(index, this.counter);
            form.is_some_and(
                |(stride, rest)| match (stride.as_const(), rest.as_const()) {
                    (Some(stride), Some(rest)) => stride > 1 && (0..stride).contains(&rest),
                    _ => false,
                },
            )
        };
        for stmt in &this.body {
            if let StmtKind::For(inner) = &stmt.kind {
                walk::for_each_expr(&inner.body, &mut |expr| {
                    walk::sub_exprs(expr, &mut |part| {
                        if let ExprKind::Load(place) = &part.kind
                            && !written.contains(&place.id)
                            && place.index.as_ref().is_some_and(is_same)
                            && !loads.iter().any(|load| load.kind == part.kind)
                        {
                            loads.push(part.clone());
                        }
                    });
                });
            }
        }
        let mut body = this.body.clone();
        let mut front = Vec::new();
        for load in loads {
            let ExprKind::Load(place) = &load.kind else {
                continue;
            };
            let name = self.0.function.variables[place.id.0 as usize].name.clone();
            let variable = Variable::scalar(name, load.ty.clone(), load.origin);
            let id = self.0.function.fresh_variable(variable);
            let mut replace = walk::ReplacePlace(place, &Place::plain(id));
            walk::change_all(&mut body, &mut replace);
            let declared = StmtKind::Declare(id, Some(load.clone()));
            front.push(Stmt::new(
                declared,
                load.origin,
                Some(Maker::Pass(PASS.name)),
            ));
        }
        (!front.is_empty()).then(|| {
            front.append(&mut body);
            front
        })
    }

    /// Returns the loop over the iterations before `end`, so many of which are executed together.
    fn tiles(&mut self, this: &Loop, end: &Nat, lanes: i64) -> Loop {
        self.tiles_of(this, end, lanes, &|_| Nat::constant(lanes))
    }

    /// Returns the loop over all iterations, at most [`COLUMNS`] of which are executed together.
    fn tiles_of_columns(&mut self, this: &Loop) -> Loop {
        let rest = |counter| Nat::sub(&this.to, &Nat::var(counter));
        self.tiles_of(this, &this.to, COLUMNS, &|counter| {
            Nat::min(&Nat::constant(COLUMNS), &rest(counter))
        })
    }

    /// Returns the loop over the iterations before `end`, of which at most `lanes` are executed together:
    /// `used` from the one with a counter on.
    fn tiles_of(&mut self, this: &Loop, end: &Nat, lanes: i64, used: &dyn Fn(Var) -> Nat) -> Loop {
        let mut body = this.body.clone();
        let mut own = Renaming::of_declared(self.0.function, &body);
        own.add_var(self.0.function, this.counter);
        own.apply(&mut body);
        let counter = own.vars.get(&this.counter).and_then(Nat::as_var);
        let counter = counter.unwrap_or(this.counter);
        let mut tile = Tile {
            expanded: expanded(&body, &self.0.uses),
            function: self.0.function,
            counter,
            lanes: Nat::constant(lanes),
            used: used(counter),
        };
        Loop {
            counter,
            to: end.clone(),
            step: tile.lanes.clone(),
            body: tile.block(body),
            ..this.clone()
        }
    }
}

/// Returns true for a loop over iterations that are executed together by this pass.
pub(super) fn is_tile(this: &Loop) -> bool {
    let is_lanes = |stmt: &Stmt| {
        matches!(stmt.kind, StmtKind::For(_)) && stmt.made_by == Some(Maker::Pass(PASS.name))
    };
    !this.step.is_one() && this.body.iter().any(is_lanes)
}

/// Returns the variables of a loop that are used in more than one sequence of statements without
/// loops.
fn expanded(body: &[Stmt], uses: &Uses) -> FxHashSet<Id> {
    fn visit(body: &[Stmt], uses: &Uses, sequences: &mut Vec<FxHashSet<Id>>) {
        let mut sequence = FxHashSet::default();
        for stmt in body {
            match &stmt.kind {
                StmtKind::For(this) => {
                    sequences.push(std::mem::take(&mut sequence));
                    visit(&this.body, uses, sequences);
                }
                _ => sequence.extend(uses.mentioned_in(stmt)),
            }
        }
        sequences.push(sequence);
    }
    let mut sequences = Vec::new();
    visit(body, uses, &mut sequences);
    let mut declared = FxHashSet::default();
    walk::each_stmt(body, &mut |stmt| {
        if let StmtKind::Declare(id, _) = stmt.kind {
            declared.insert(id);
        }
    });
    declared.retain(|id| sequences.iter().filter(|used| used.contains(id)).count() > 1);
    declared
}

/// The iterations of a loop that are executed together, from the one with `counter` on.
struct Tile<'f> {
    function: &'f mut Function,
    counter: Var,
    lanes: Nat,
    /// The number of lanes that are used.
    used: Nat,
    /// The variables that become arrays.
    expanded: FxHashSet<Id>,
}

impl Tile<'_> {
    /// Returns statements with each sequence of statements without loops in a loop over the lanes.
    fn block(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut sequence = Vec::new();
        for stmt in body {
            match stmt.kind {
                StmtKind::For(this) => {
                    self.each_lane(&mut sequence, &mut out);
                    let body = self.block(this.body);
                    let this = StmtKind::For(Loop { body, ..this });
                    out.push(Stmt::new(this, stmt.origin, stmt.made_by));
                }
                StmtKind::Declare(id, value) if self.expanded.contains(&id) => {
                    let variable = &mut self.function.variables[id.0 as usize];
                    variable.count = Some(self.lanes.clone());
                    variable.extents = vec![self.lanes.clone()];
                    let made = |kind| Stmt::new(kind, stmt.origin, stmt.made_by);
                    out.push(made(StmtKind::Declare(id, None)));
                    let assigned = |value| StmtKind::Assign(Place::plain(id), value);
                    sequence.extend(value.map(|value| made(assigned(value))));
                }
                _ => sequence.push(stmt),
            }
        }
        self.each_lane(&mut sequence, &mut out);
        out
    }

    /// Adds a loop that executes a sequence of statements for each lane, and empties the sequence.
    fn each_lane(&mut self, sequence: &mut Vec<Stmt>, out: &mut Vec<Stmt>) {
        let Some(origin) = sequence.first().map(|stmt| stmt.origin) else {
            return;
        };
        let lane = self.function.fresh_size("lane");
        let mut body = std::mem::take(sequence);
        let mut expansion = Expansion {
            expanded: &self.expanded,
            counter: self.counter,
            lane,
        };
        walk::change_all(&mut body, &mut expansion);
        let this = Loop {
            counter: lane,
            from: Nat::ZERO,
            to: self.used.clone(),
            step: Nat::ONE,
            mode: LoopMode::Sequential,
            body,
        };
        let made_by = Some(Maker::Pass(PASS.name));
        out.push(Stmt::new(StmtKind::For(this), origin, made_by));
    }
}

/// A visitor that makes statements those of a lane.
struct Expansion<'e> {
    expanded: &'e FxHashSet<Id>,
    counter: Var,
    lane: Var,
}

impl Change for Expansion<'_> {
    fn place(&mut self, place: &mut Place) {
        if self.expanded.contains(&place.id) {
            place.index = Some(Nat::var(self.lane));
        }
    }

    fn nat(&mut self, nat: &mut Nat) {
        let value = Nat::var(self.counter) + &Nat::var(self.lane);
        *nat = nat.subst(&|var| (var == self.counter).then(|| value.clone()));
    }
}

/// The elements of arrays that the loops inside a loop access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Those of rows of matrices, and others next to each other.
    Rows,
    /// Those of columns of matrices, which neighbouring iterations of the outer loop access next to each
    /// other.
    Columns,
}

/// The loops inside a loop, if they reduce floats, and C compilers vectorise them when several
/// iterations of the outer loop are executed together.
struct Reductions<'f> {
    function: &'f Function,
    outer: &'f Loop,
    access: Access,
    /// The number of bytes of the accumulators of an iteration.
    bytes: i64,
    accumulators: FxHashSet<Id>,
    reduces_floats: bool,
    depends_on_outer: bool,
    /// True if a loop reads elements which are far apart.
    reads_column: bool,
}

impl<'f> Reductions<'f> {
    fn of(function: &'f Function, outer: &'f Loop, access: Access) -> Option<Reductions<'f>> {
        let mut found = Reductions {
            function,
            outer,
            access,
            bytes: 0,
            accumulators: FxHashSet::default(),
            reduces_floats: false,
            depends_on_outer: false,
            reads_column: false,
        };
        let is_loop = |stmt: &Stmt| matches!(stmt.kind, StmtKind::For(_));
        let last = outer.body.iter().rposition(is_loop)?;
        walk::for_each_expr(&outer.body[..=last], &mut |expr| {
            found.depends_on_outer |= walk::mentions(expr, outer.counter);
        });
        let is_vectorized = found.loops(&outer.body, &mut Vec::new(), false);
        // C compilers vectorise reductions of integers, but not those that read columns.
        let is_slow = match access {
            Access::Rows => found.reduces_floats,
            Access::Columns => found.reads_column,
        };
        (is_vectorized && found.depends_on_outer && is_slow).then_some(found)
    }

    /// Adds the loops among statements, which are in loops with these counters; false if one is not
    /// vectorised. With `is_in_long` the number of iterations of a loop around them is not a constant.
    fn loops(&mut self, body: &[Stmt], counters: &mut Vec<Var>, is_in_long: bool) -> bool {
        let is_unknown = |this: &Loop| Nat::sub(&this.to, &this.from).as_const().is_none();
        body.iter().all(|stmt| {
            let StmtKind::For(this) = &stmt.kind else {
                return true;
            };
            counters.push(this.counter);
            let minimum = match self.access == Access::Rows && self.reads_window(this) {
                true => MIN_WINDOW,
                false => MIN_REDUCED,
            };
            // The rows of several windows, which all results of a row read.
            let is_in_windows = !has_iterations(this, MIN_WINDOW) && is_in_long;
            let is_long =
                walk::has_loop(&this.body) || is_in_windows || has_iterations(this, minimum);
            let is_vectorized = is_long
                && self.statements(&this.body, counters, is_in_windows)
                && self.loops(&this.body, counters, is_in_long || is_unknown(this));
            counters.pop();
            is_vectorized
        })
    }

    /// Returns true if a loop reads elements that depend on it and on the outer loop.
    fn reads_window(&self, this: &Loop) -> bool {
        let mut found = false;
        walk::for_each_expr(&this.body, &mut |expr| {
            walk::sub_exprs(expr, &mut |part| {
                if let ExprKind::Load(place) = &part.kind
                    && let Some(index) = &place.index
                {
                    found |= index.mentions(this.counter) && index.mentions(self.outer.counter);
                }
            });
        });
        found
    }

    /// Adds the statements among those in a loop that are not loops.
    fn statements(&mut self, body: &[Stmt], counters: &[Var], is_in_windows: bool) -> bool {
        let is_plain = |stmt: &&Stmt| !matches!(stmt.kind, StmtKind::For(_));
        let statements: Vec<Stmt> = body.iter().filter(is_plain).cloned().collect();
        let mut body = Vec::new();
        let mut are_scalars = true;
        for stmt in &statements {
            if let StmtKind::Assign(place, value) = &stmt.kind {
                if self.access == Access::Columns && place.index.is_some() {
                    continue;
                }
                are_scalars &= *place == Place::plain(place.id);
                let declares =
                    |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare(id, _) if id == place.id);
                if !statements.iter().any(declares) && self.accumulators.insert(place.id) {
                    self.bytes += width(&value.ty);
                    self.reduces_floats |= is_float(&value.ty);
                }
                let declared = StmtKind::Declare(place.id, None);
                body.push(Stmt::new(declared, stmt.origin, stmt.made_by));
            }
        }
        let mut are_near = true;
        walk::for_each_expr(&statements, &mut |expr| {
            walk::sub_exprs(expr, &mut |part| {
                let index = match &part.kind {
                    ExprKind::Load(place) => place.index.as_ref(),
                    ExprKind::Nat(nat) => Some(nat),
                    _ => None,
                };
                are_near &=
                    is_in_windows || index.is_none_or(|index| self.is_near(index, counters));
            });
        });
        for stmt in &statements {
            if let StmtKind::Assign(place, _) = &stmt.kind
                && let Some(index) = &place.index
            {
                are_near &= self.is_near(index, counters);
            }
        }
        // As they are for one lane of each iteration.
        body.extend(statements);
        let lanes = Loop {
            mode: LoopMode::Sequential,
            body,
            ..self.outer.clone()
        };
        let is_vector = || {
            let found = vectorization::innermost(self.function, &lanes);
            found == Vectorization::Vector
        };
        are_scalars && are_near && (lanes.body.is_empty() || is_vector())
    }

    /// Returns true if the elements with an index, in loops with these counters, are next to each other: in
    /// the iterations of these loops for rows, in those of the outer loop for columns.
    fn is_near(&mut self, index: &Nat, counters: &[Var]) -> bool {
        if !index.mentions(self.outer.counter) {
            return true;
        }
        let is_near = |counter: &Var| {
            !index.mentions(*counter)
                || linear_form(index, *counter)
                    .and_then(|(stride, _)| stride.as_const())
                    .is_some_and(|stride| stride.abs() <= MAX_STRIDE)
        };
        let in_row = counters.iter().all(is_near);
        self.reads_column |= !in_row;
        match self.access {
            Access::Rows => in_row,
            Access::Columns => has_unit_stride(index, self.outer.counter),
        }
    }
}

/// Returns the number of bytes of a scalar.
fn width(ty: &Type) -> i64 {
    let scalar = match ty {
        Type::Scalar(scalar) => *scalar,
        _ => ScalarType::NatType,
    };
    scalar_size(scalar).cast_signed()
}
