//! Overlapped tiling: computes consecutive loops over the rows of images in tiles of [`ROWS`] rows,
//! so that the rows of one stage are read while they are in a cache.
//!
//! `for i { a[i][..] = f(..) } for i { b[i][..] = g(a[i][..], a[i + 1][..]) }` becomes a loop over
//! tiles, in which the first loop computes the rows of `a` that the tile needs, and the second one
//! those of `b`. Rows that two tiles need are computed twice, and `a` needs memory for the rows of
//! one tile only. (Krishnamoorthy et al., "Effective Automatic Parallelization of Stencil
//! Computations", 2007; Ragan-Kelley et al., "Halide: A Language and Compiler for Optimizing
//! Parallelism, Locality, and Recomputation in Image Processing Pipelines", 2013.)
//!
//! The iterations of the last loop stay in order. Those of the loops before it may be executed
//! again and in another order: each of them writes elements of its own, and only in arrays that
//! nothing but the loops of the tile reads.

use std::collections::hash_map::Entry;
use std::ops::Range;

use nat::{Facts, Nat, Prop, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Run};
use crate::analysis::conditions::assume_loop;
use crate::analysis::dependence_test::{exact_quotient, linear_form};
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use crate::ir::{Expr, ExprKind, Function, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "overlapped-tiling",
    run: Run::Always(run),
    changes: Changes::all("computed for a tile of rows, together with the stage that reads it"),
};

/// The number of iterations of the last loop in a tile. The rows of three images that are 4096
/// numbers of 32 bits wide then fit into a cache of 1 MiB.
const ROWS: i64 = 16;
/// The greatest number of iterations of a loop for a tile, divided by the number that it would have
/// if tiles did not overlap: the numerator and the denominator.
const MAX_OVERLAP: (i64, i64) = (5, 4);

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Tiling {
        untracked: uses.untracked(&body),
        uses,
        facts: function.known(),
        function,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Tiling<'f> {
    function: &'f mut Function,
    uses: Uses,
    /// The variables that may be accessed other than by name.
    untracked: FxHashSet<Id>,
    facts: Facts,
}

/// The elements of an array that the iterations of a loop access: the iteration `i` accesses
/// elements from `stride * i + first` on, before `stride * i + end`.
#[derive(Clone, Debug)]
struct Extent {
    stride: Nat,
    first: Nat,
    end: Nat,
}

/// The variables that a loop reads and writes and does not declare, with the elements that it
/// accesses if these are known.
#[derive(Default)]
struct Accesses {
    read: FxHashMap<Id, Option<Extent>>,
    written: FxHashMap<Id, Option<Extent>>,
}

/// The iterations of a loop for a tile.
struct Iterations {
    /// The range of the counter.
    range: Range<Nat>,
    /// The range for a complete tile, or one that contains it.
    full: Range<Nat>,
    /// The number of iterations for each tile if tiles did not overlap.
    share: Nat,
}

/// A loop that is computed in tiles.
struct Member {
    /// The position of its statement in the block.
    at: usize,
    accesses: Accesses,
    iterations: Iterations,
    /// The number of iterations for a complete tile.
    count: i64,
    /// The number of all iterations.
    all: Nat,
    /// The arrays that it writes and that have memory for one tile, with the number of elements of
    /// each iteration.
    arrays: Vec<(Id, Nat)>,
}

/// Loops that are computed in the same tiles.
struct Group {
    /// The counter of the tiles.
    tile: Var,
    /// The number of the tiles.
    tiles: Nat,
    /// The last loop, and then those before it, from the last to the first one.
    members: Vec<Member>,
}

impl Tiling<'_> {
    fn block(&mut self, body: &mut Vec<Stmt>) {
        let mut last = body.len();
        while last > 0 {
            last -= 1;
            if let Some(group) = self.group(body, last) {
                last = self.join(body, &group);
            }
        }
        for stmt in body {
            let facts = self.facts.clone();
            if let StmtKind::For(this) = &stmt.kind {
                assume_loop(&mut self.facts, this);
            }
            walk::each_block(stmt, &mut |inner| self.block(inner));
            self.facts = facts;
        }
    }

    /// Returns the loops that are computed in the tiles of the loop at the position `last` of a
    /// block, which includes that one; `None` if there are no others.
    fn group(&mut self, block: &[Stmt], last: usize) -> Option<Group> {
        let consumer = loop_over_rows(&block[last])?;
        let before = (0..last).rev().filter(|at| !is_declaration(&block[*at]));
        let before = before.map_while(|at| {
            let this = loop_over_rows(&block[at])?;
            (this.mode == consumer.mode).then_some((at, this))
        });
        let before: Vec<_> = before.collect();
        if before.is_empty() {
            return None;
        }
        let tile = self.function.fresh_size("tile");
        let tiles = Nat::ceil_div(&consumer.to, &Nat::constant(ROWS));
        let facts = self.facts.clone();
        self.facts.range(tile, &Nat::ZERO, &tiles);
        let members = self.members((last, consumer), before, block, tile);
        self.facts = facts;
        (members.len() > 1).then_some(Group {
            tile,
            tiles,
            members,
        })
    }

    /// Returns the loop `consumer`, and those `before` it up to the first one that cannot be computed
    /// in its tiles. The result is empty if the accesses of `consumer` are unknown.
    fn members(
        &self,
        (at, consumer): (usize, &Loop),
        before: Vec<(usize, &Loop)>,
        block: &[Stmt],
        tile: Var,
    ) -> Vec<Member> {
        let rows = Nat::constant(ROWS);
        let from = Nat::mul(&Nat::var(tile), &rows);
        let full = &from + &rows;
        let end = self.facts.normalize(&Nat::min(&full, &consumer.to));
        let Some(accesses) = self.accesses(consumer) else {
            return Vec::new();
        };
        let mut members = vec![Member {
            at,
            accesses,
            iterations: Iterations {
                range: from.clone()..end,
                full: from..full,
                share: rows,
            },
            count: ROWS,
            all: consumer.to.clone(),
            arrays: Vec::new(),
        }];
        for (at, producer) in before {
            match self.producer((at, producer), &members, block) {
                Some(member) => members.push(member),
                None => break,
            }
        }
        members
    }

    /// Returns a loop at a position of a block as one that computes what the `later` loops of a
    /// tile read; `None` if others read it too, or if too many iterations would be repeated.
    fn producer(
        &self,
        (at, this): (usize, &Loop),
        later: &[Member],
        block: &[Stmt],
    ) -> Option<Member> {
        let accesses = self.accesses(this)?;
        let is_overwritten = |id| later.iter().any(|m| m.accesses.written.contains_key(id));
        if accesses.read.keys().any(is_overwritten) {
            return None;
        }
        let mut iterations: Option<Iterations> = None;
        let mut arrays = Vec::new();
        for (id, extent) in &accesses.written {
            let stride = self.stride_of_rows(*id, extent.as_ref()?, &accesses, this)?;
            if !self.is_local(*id, at, later, block) {
                return None;
            }
            for reader in later {
                let Some(read) = reader.accesses.read.get(id) else {
                    continue;
                };
                let needed = self.needed(&reader.iterations, read.as_ref()?, &stride, this)?;
                iterations = Some(match iterations {
                    None => needed,
                    Some(iterations) => self.union(&iterations, &needed)?,
                });
            }
            arrays.push((*id, stride));
        }
        let iterations = iterations?;
        let Range { start, end } = &iterations.full;
        let count = self.facts.normalize(&Nat::sub(end, start)).as_const()?;
        let share = iterations.share.as_const()?;
        let (numerator, denominator) = MAX_OVERLAP;
        let is_repaid = count.checked_mul(denominator)? <= share.checked_mul(numerator)?;
        arrays.sort_unstable_by_key(|(id, _)| *id);
        is_repaid.then_some(Member {
            at,
            accesses,
            iterations,
            count,
            all: this.to.clone(),
            arrays,
        })
    }

    /// Returns the number of elements of an array that each iteration of a loop writes, if these
    /// are the array in order, and the iterations read no others of it.
    fn stride_of_rows(
        &self,
        id: Id,
        written: &Extent,
        accesses: &Accesses,
        this: &Loop,
    ) -> Option<Nat> {
        let stride = &written.stride;
        let is_row = |extent: &Extent| {
            extent.stride == *stride
                && self.at_least(&extent.first, &Nat::ZERO)
                && self.at_least(stride, &extent.end)
        };
        let is_row_read = match accesses.read.get(&id) {
            Some(read) => read.as_ref().is_some_and(is_row),
            None => true,
        };
        let count = self.function.variables[id.0 as usize].count.as_ref()?;
        let rest = Nat::sub(count, &Nat::mul(stride, &this.to));
        let are_rows = is_row(written)
            && is_row_read
            && stride.as_const().is_none()
            && self.facts.normalize(&rest).is_zero();
        are_rows.then(|| stride.clone())
    }

    /// Returns the iterations of a loop, which each write `stride` elements of an array, that a
    /// reader needs.
    fn needed(
        &self,
        reader: &Iterations,
        read: &Extent,
        stride: &Nat,
        this: &Loop,
    ) -> Option<Iterations> {
        // An array whose rows are empty has no elements that are needed.
        let mut facts = self.facts.clone();
        facts.assume(&Prop::AtLeast(stride.clone(), Nat::ONE));
        let facts = &facts;
        if !at_least(facts, &read.first, &Nat::ZERO) {
            return None;
        }
        // An iteration of the reader passes over `numerator / denominator` rows of the array.
        let (numerator, denominator, unit) = match exact_quotient(&read.stride, stride) {
            Some(factor) => (factor, Nat::ONE, stride),
            None => {
                let factor = exact_quotient(stride, &read.stride)?;
                (Nat::ONE, factor, &read.stride)
            }
        };
        let first = whole_quotient(facts, &read.first, unit)?;
        let last = whole_quotient(facts, &(&read.end + -1), unit)?;
        let needed = |rows: &Range<Nat>| {
            let start = Nat::mul(&rows.start, &numerator) + &first;
            let end = Nat::mul(&(&rows.end + -1), &numerator) + &last + 1;
            Nat::div(&start, &denominator)..Nat::ceil_div(&end, &denominator)
        };
        let mut range = needed(&reader.range);
        // A read that a condition guards could be outside of the array.
        if !self.at_least(&this.to, &range.end) {
            range.end = Nat::min(&range.end, &this.to);
        }
        let share = Nat::mul(&reader.share, &numerator);
        Some(Iterations {
            range,
            full: needed(&reader.full),
            share: Nat::div(&share, &denominator),
        })
    }

    /// Returns the iterations from the first to the last of both ranges.
    fn union(&self, a: &Iterations, b: &Iterations) -> Option<Iterations> {
        let facts = &self.facts;
        let union = |a: &Range<Nat>, b: &Range<Nat>| {
            Some(least(facts, &a.start, &b.start)?..greatest(facts, &a.end, &b.end)?)
        };
        Some(Iterations {
            range: union(&a.range, &b.range)?,
            full: union(&a.full, &b.full)?,
            share: greatest(facts, &a.share, &b.share)?,
        })
    }

    /// Returns true if an array is declared in a block, and only the loop at a position and `later`
    /// ones use it, of which none writes it.
    fn is_local(&self, id: Id, at: usize, later: &[Member], block: &[Stmt]) -> bool {
        let is_user = |position| position == at || later.iter().any(|m| m.at == position);
        let declares =
            |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare(other, None) if other == id);
        self.function.is_private(id)
            && !self.untracked.contains(&id)
            && !later.iter().any(|m| m.accesses.written.contains_key(&id))
            && block.iter().any(declares)
            && block.iter().enumerate().all(|(position, stmt)| {
                declares(stmt) || is_user(position) || !self.uses.mentions(stmt, id)
            })
    }

    fn at_least(&self, a: &Nat, b: &Nat) -> bool {
        at_least(&self.facts, a, b)
    }

    /// Puts the loops of a group into a loop over tiles, and returns the position of that.
    fn join(&mut self, block: &mut Vec<Stmt>, group: &Group) -> usize {
        let mut starts = FxHashMap::default();
        for member in &group.members {
            for (id, stride) in &member.arrays {
                let variable = &mut self.function.variables[id.0 as usize];
                // There may be fewer iterations than a tile has.
                let rows = Nat::min(&Nat::constant(member.count), &member.all);
                variable.count = Some(Nat::mul(&rows, stride));
                match variable.extents.split_first_mut() {
                    Some((length, row)) if product(row) == *stride => *length = rows,
                    _ => variable.extents.clear(),
                }
                let start = Nat::mul(stride, &member.iterations.range.start);
                starts.insert(*id, start);
            }
        }
        // The last tile need not be complete, but its end is computed.
        let last = &group.tiles + -1;
        let at_last = |var| (var == group.tile).then(|| last.clone());
        let ends = group
            .members
            .iter()
            .map(|member| &member.iterations.full.end);
        self.function
            .intermediate
            .extend(ends.map(|end| end.subst(&at_last)));
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (position, mut stmt) in std::mem::take(block).into_iter().enumerate() {
            let member = group.members.iter().find(|member| member.at == position);
            match (&mut stmt.kind, member) {
                (StmtKind::For(this), Some(Member { iterations, .. })) => {
                    let mode = std::mem::replace(&mut this.mode, LoopMode::Sequential);
                    this.from = iterations.range.start.clone();
                    this.to = iterations.range.end.clone();
                    let origin = stmt.origin;
                    inside.push(stmt);
                    if position == group.members[0].at {
                        let mut body = std::mem::take(&mut inside);
                        walk::change_all(&mut body, &mut FromStart(&starts));
                        let tiles = StmtKind::For(Loop {
                            counter: group.tile,
                            from: Nat::ZERO,
                            to: group.tiles.clone(),
                            step: Nat::ONE,
                            mode,
                            body,
                        });
                        at = outside.len();
                        outside.push(Stmt::new(tiles, origin, Some(Maker::Pass(PASS.name))));
                    }
                }
                (StmtKind::Declare(id, None), _) if starts.contains_key(id) => inside.push(stmt),
                _ => outside.push(stmt),
            }
        }
        *block = outside;
        at
    }

    /// Returns the variables that a loop accesses and does not declare; `None` if it contains other
    /// statements than declarations, assignments, loops, branches and blocks.
    fn accesses(&self, this: &Loop) -> Option<Accesses> {
        let mut collect = Collect {
            uses: &self.uses,
            facts: self.facts.clone(),
            outer: this.counter,
            inner: Vec::new(),
            declared: FxHashSet::default(),
            found: Accesses::default(),
        };
        assume_loop(&mut collect.facts, this);
        collect.block(&this.body)?;
        Some(collect.found)
    }
}

/// Collects the accesses of a loop.
struct Collect<'u> {
    uses: &'u Uses,
    facts: Facts,
    /// The counter of the loop.
    outer: Var,
    /// The loops inside it around the present statement, outermost first.
    inner: Vec<(Var, Range<Nat>)>,
    declared: FxHashSet<Id>,
    found: Accesses,
}

impl Collect<'_> {
    fn block(&mut self, body: &[Stmt]) -> Option<()> {
        body.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt) -> Option<()> {
        walk::each_expr(stmt, &mut |expr| self.expr(expr));
        match &stmt.kind {
            StmtKind::Declare(id, _) => _ = self.declared.insert(*id),
            StmtKind::Assign(place, _) => self.access(place, true),
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.block(then)?;
                self.block(otherwise)?;
            }
            StmtKind::Block(body) => self.block(body)?,
            StmtKind::For(this) => {
                if !is_plain(this.mode) {
                    return None;
                }
                let facts = self.facts.clone();
                assume_loop(&mut self.facts, this);
                let range = this.from.clone()..this.to.clone();
                self.inner.push((this.counter, range));
                self.block(&this.body)?;
                self.inner.pop();
                self.facts = facts;
            }
            StmtKind::Point(..)
            | StmtKind::Swap(..)
            | StmtKind::Reduce(_)
            | StmtKind::Barrier(_)
            | StmtKind::Kernel(_) => return None,
        }
        Some(())
    }

    fn expr(&mut self, expr: &Expr) {
        walk::sub_exprs(expr, &mut |part| {
            if let ExprKind::Load(place) = &part.kind {
                self.access(place, false);
            }
        });
    }

    fn access(&mut self, place: &Place, is_written: bool) {
        if self.declared.contains(&place.id) {
            return;
        }
        let extent = self.extent(place);
        let all = match is_written {
            true => &mut self.found.written,
            false => &mut self.found.read,
        };
        match all.entry(place.id) {
            Entry::Vacant(entry) => _ = entry.insert(extent),
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                *known = known
                    .as_ref()
                    .zip(extent.as_ref())
                    .and_then(|(a, b)| hull(&self.facts, a, b));
            }
        }
    }

    /// Returns the elements to which a place belongs in the iterations of the loops around it.
    fn extent(&self, place: &Place) -> Option<Extent> {
        let index = place.index.as_ref()?;
        if place.lane.is_some() || place.lanes.is_some() || self.uses.is_data(index) {
            return None;
        }
        let (stride, rest) = match index.mentions(self.outer) {
            true => linear_form(index, self.outer)?,
            false => (Nat::ZERO, index.clone()),
        };
        if stride.any_var(&|var| self.inner.iter().any(|(counter, _)| *counter == var)) {
            return None;
        }
        let greatest = |nat: Nat| {
            let mut counters = self.inner.iter().rev();
            counters.try_fold(nat, |nat, (counter, Range { start, end })| {
                self.facts.upper_bound(&nat, *counter, start, &(end + -1))
            })
        };
        let end = greatest(rest.clone())? + 1;
        let first = Nat::sub(&Nat::ZERO, &greatest(Nat::sub(&Nat::ZERO, &rest))?);
        Some(Extent { stride, first, end })
    }
}

/// A visitor that makes the indices of arrays relative to the element that it maps each array to.
struct FromStart<'s>(&'s FxHashMap<Id, Nat>);

impl Change for FromStart<'_> {
    fn place(&mut self, place: &mut Place) {
        if let (Some(start), Some(index)) = (self.0.get(&place.id), &mut place.index) {
            *index = Nat::sub(index, start);
        }
    }
}

/// Returns the loop that a statement is, if it counts the rows of an image from 0, and computes each
/// in loops of which at most one has a length that is not a constant.
fn loop_over_rows(stmt: &Stmt) -> Option<&Loop> {
    let StmtKind::For(this) = &stmt.kind else {
        return None;
    };
    let is_long = this.to.as_const().is_none_or(|rows| rows > 2 * ROWS);
    let is_over_rows = is_plain(this.mode)
        && this.from.is_zero()
        && this.step.is_one()
        && is_long
        && dimensions(&this.body) == 1;
    is_over_rows.then_some(this)
}

/// Returns the greatest number of loops inside each other whose length is not a constant.
fn dimensions(body: &[Stmt]) -> u32 {
    let of = |stmt: &Stmt| {
        let mut inside = 0;
        walk::blocks(stmt, &mut |body| inside = inside.max(dimensions(body)));
        match &stmt.kind {
            StmtKind::For(this) if Nat::sub(&this.to, &this.from).as_const().is_none() => {
                inside + 1
            }
            _ => inside,
        }
    };
    body.iter().map(of).max().unwrap_or_default()
}

/// Returns true if all iterations of a loop in this mode are executed as written, possibly at the
/// same time.
fn is_plain(mode: LoopMode) -> bool {
    matches!(mode, LoopMode::Sequential | LoopMode::Parallel)
}

fn is_declaration(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Declare(_, None))
}

fn at_least(facts: &Facts, a: &Nat, b: &Nat) -> bool {
    facts.proves(&Prop::AtLeast(a.clone(), b.clone()))
}

/// Returns the greater one of two sizes, if it is known which one that is.
fn greatest(facts: &Facts, a: &Nat, b: &Nat) -> Option<Nat> {
    match at_least(facts, a, b) {
        true => Some(a.clone()),
        false => at_least(facts, b, a).then(|| b.clone()),
    }
}

/// Returns the smaller one of two sizes, if it is known which one that is.
fn least(facts: &Facts, a: &Nat, b: &Nat) -> Option<Nat> {
    match at_least(facts, b, a) {
        true => Some(a.clone()),
        false => at_least(facts, a, b).then(|| b.clone()),
    }
}

/// Returns the elements from the first to the last one of two extents with the same stride.
fn hull(facts: &Facts, a: &Extent, b: &Extent) -> Option<Extent> {
    if a.stride != b.stride {
        return None;
    }
    Some(Extent {
        stride: a.stride.clone(),
        first: least(facts, &a.first, &b.first)?,
        end: greatest(facts, &a.end, &b.end)?,
    })
}

/// Returns the quotient of a size divided by another, rounded down, if it is a constant.
///
/// The quotient for large values of all variables is the only one that is tried.
fn whole_quotient(facts: &Facts, a: &Nat, b: &Nat) -> Option<Nat> {
    const LARGE: i64 = 1 << 14;
    let value = |nat: &Nat| nat.eval(&|_| Some(LARGE), &|_, _| None);
    let quotient = value(a)?.checked_div_euclid(value(b)?)?;
    let below = |quotient| Nat::mul(b, &Nat::constant(quotient));
    let is_known =
        at_least(facts, a, &below(quotient)) && at_least(facts, &below(quotient + 1), &(a + 1));
    is_known.then(|| Nat::constant(quotient))
}

fn product(factors: &[Nat]) -> Nat {
    factors
        .iter()
        .fold(Nat::ONE, |all, factor| Nat::mul(&all, factor))
}
