//! Loop tiling: computes transposed arrays in tiles of [`ROWS`] rows, and puts loops over rows around
//! those over columns.
//!
//! `for i { for j { b[i][j] = a[j][i] } }` reads each column of `a` with a stride, so that a whole
//! cache line is loaded for each element. Afterwards [`ROWS`] iterations of `i` are in a loop inside
//! the one over `j`, and use all elements of a line. (Wolf and Lam, "A Data Locality Optimizing
//! Algorithm", 1991.) If the innermost loop accesses no matrix row by row, the one over `i` is put inside
//! it as a whole (loop interchange).
//!
//! Nests without reductions are tiled, each of whose iterations writes elements of its own, and that
//! read or write an array with a stride that the outermost loop would access element by element.

use nat::{Facts, Nat};

use super::nests::{Nests, replace_loops};
use super::{Pass, Run};
use crate::analysis::conditions::assume_loop;
use crate::analysis::dependence_test::{has_unit_stride, linear_form};
use crate::analysis::iterations::{end_of_multiple, has_iterations, writes_own_elements};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Look};
use crate::ir::{Function, Loop, LoopMode, Maker, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "loop-tiling",
    run: Run::Always(run),
    changes: Changes::all("computed in tiles of rows, so that whole cache lines are used"),
};

/// The number of iterations of the outer loop in a tile: the elements of 32 bits in a cache line.
const ROWS: i64 = 16;
/// The minimal number of iterations of a loop, for a number that is a constant.
const MIN_TRIP_COUNT: i64 = 2 * ROWS;
/// The minimal distance of the elements that are accessed with a stride, for a distance that is a
/// constant.
const MIN_STRIDE: i64 = 16;

fn run(function: &mut Function) {
    replace_loops(function, &mut |nests, stmt, this| {
        Tiling(nests).replaced(stmt, this)
    });
}

struct Tiling<'n, 'f>(&'n mut Nests<'f>);

impl Tiling<'_, '_> {
    /// Returns the loops in place of the outermost one of a nest; `None` if its order stays.
    fn replaced(&mut self, stmt: &Stmt, this: &Loop) -> Option<Vec<Stmt>> {
        let order = self.order(this)?;
        let made_by = stmt.made_by.or(Some(Maker::Pass(PASS.name)));
        if order == Order::Columns {
            let rows = permuted(this).into_iter();
            return Some(rows.map(|stmt| Stmt { made_by, ..stmt }).collect());
        }
        let end = end_of_multiple(this, ROWS, &self.0.facts);
        let tiles = StmtKind::For(self.tiles(this, &end));
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

    /// Returns the order of the accesses of the nest with this outermost loop if they are better in
    /// another one, and the iterations may be executed in any order.
    fn order(&self, this: &Loop) -> Option<Order> {
        let inner = innermost(this)?;
        let has_plain_mode = matches!(this.mode, LoopMode::Sequential | LoopMode::Parallel);
        let is_rectangular = loops_in(this).iter().all(|inner| {
            let sizes = [&inner.from, &inner.to, &inner.step];
            let mut sizes = sizes.into_iter();
            inner.mode == LoopMode::Sequential
                && sizes.all(|size| !size.mentions(this.counter) && !self.0.uses.is_data(size))
        });
        let is_nest = has_plain_mode && is_rectangular && has_iterations(this, MIN_TRIP_COUNT);
        let order = Order::of(this, inner).filter(|_| is_nest && self.is_permutable(this))?;
        // Each thread has rows of its own.
        match this.mode {
            LoopMode::Parallel => Some(Order::Both),
            _ => Some(order),
        }
    }

    /// Returns true if the iterations of a nest may be executed in any order, which are those of its
    /// loops in the same order with the outermost one innermost.
    fn is_permutable(&self, this: &Loop) -> bool {
        let is_apart = |this: &Loop, facts: &Facts| {
            writes_own_elements(this, facts, &self.0.uses, &self.0.untracked)
        };
        if is_apart(this, &self.0.facts) {
            return true;
        }
        let permuted = permuted(this);
        let mut facts = self.0.facts.clone();
        let mut next = permuted.first();
        while let Some(StmtKind::For(this)) = next.map(|stmt| &stmt.kind) {
            if !is_apart(this, &facts) {
                return false;
            }
            assume_loop(&mut facts, this);
            next = this.body.first();
        }
        true
    }

    /// Returns the loop over the tiles before `end`.
    fn tiles(&mut self, this: &Loop, end: &Nat) -> Loop {
        let tile = self.0.function.fresh_size("tile");
        let first = Nat::var(tile);
        let body = with_innermost(this, &|body| Loop {
            from: first.clone(),
            to: &first + ROWS,
            mode: LoopMode::Sequential,
            body,
            ..this.clone()
        });
        Loop {
            counter: tile,
            to: end.clone(),
            step: Nat::constant(ROWS),
            body,
            ..this.clone()
        }
    }
}

/// Returns the innermost one of [`loops_in`] a loop; `None` if it does not consist of assignments,
/// conditions and short loops, which C compilers unroll.
fn innermost(this: &Loop) -> Option<&Loop> {
    let inner = *loops_in(this).last()?;
    let mut is_plain = true;
    walk::each_stmt(&inner.body, &mut |stmt| {
        is_plain &= match &stmt.kind {
            StmtKind::Declare(..)
            | StmtKind::Assign(..)
            | StmtKind::If { .. }
            | StmtKind::Block(_) => true,
            StmtKind::For(this) => !has_iterations(this, MIN_TRIP_COUNT),
            _ => false,
        };
    });
    is_plain.then_some(inner)
}

/// Returns the long loops each of which is the body of the one around it, where the first one is the
/// body of a loop.
fn loops_in(this: &Loop) -> Vec<&Loop> {
    let mut loops = Vec::new();
    let mut body = &this.body;
    while let [stmt] = &body[..]
        && let StmtKind::For(inner) = &stmt.kind
        && has_iterations(inner, MIN_TRIP_COUNT)
    {
        loops.push(inner);
        body = &inner.body;
    }
    loops
}

/// Returns a nest with its outermost loop innermost.
fn permuted(this: &Loop) -> Vec<Stmt> {
    with_innermost(this, &|body| Loop {
        body,
        ..this.clone()
    })
}

/// Returns the body of a loop with another loop around the body of the innermost one.
fn with_innermost(this: &Loop, around: &dyn Fn(Vec<Stmt>) -> Loop) -> Vec<Stmt> {
    let [stmt] = &this.body[..] else {
        return this.body.clone();
    };
    let StmtKind::For(inner) = &stmt.kind else {
        return this.body.clone();
    };
    let body = match loops_in(inner).is_empty() {
        true => {
            let this = StmtKind::For(around(inner.body.clone()));
            vec![Stmt::new(this, stmt.origin, stmt.made_by)]
        }
        false => with_innermost(inner, around),
    };
    let inner = StmtKind::For(Loop {
        body,
        ..inner.clone()
    });
    vec![Stmt::new(inner, stmt.origin, stmt.made_by)]
}

/// The order in which the innermost loop of a nest accesses arrays whose elements are next to each
/// other for the outermost one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// All arrays with a stride.
    Columns,
    /// Some arrays with a stride, and others element by element.
    Both,
}

impl Order {
    /// Returns the order of accesses; `None` if none has a stride in the inner loop.
    fn of(outer: &Loop, inner: &Loop) -> Option<Order> {
        let mut accesses = Accesses {
            outer,
            inner,
            has_columns: false,
            has_rows: false,
        };
        walk::look(&inner.body, &mut accesses);
        accesses.has_columns.then_some(match accesses.has_rows {
            true => Order::Both,
            false => Order::Columns,
        })
    }
}

struct Accesses<'l> {
    outer: &'l Loop,
    inner: &'l Loop,
    has_columns: bool,
    has_rows: bool,
}

impl Look for Accesses<'_> {
    fn place(&mut self, place: &Place) {
        let Some(index) = &place.index else { return };
        let is_far = match linear_form(index, self.inner.counter) {
            Some((stride, _)) => stride
                .as_const()
                .is_none_or(|stride| stride.abs() >= MIN_STRIDE),
            None => false,
        };
        let is_column = is_far && has_unit_stride(index, self.outer.counter);
        self.has_columns |= is_column;
        let is_of_both = [self.outer, self.inner]
            .iter()
            .all(|this| index.mentions(this.counter));
        self.has_rows |= !is_far && is_of_both;
    }
}
