//! Register tiles: computes a contraction in tiles whose sums are in vector registers, and reads
//! its matrix from a packed copy.
//!
//! `for i { for k { for j { sums[j] += a[i][k] * b[k][j] } } }` with [`ROWS`] iterations of `i`
//! together becomes, for each tile of [`VECTORS`] registers of columns, a loop over `k` that loads
//! and stores no sums. The columns of `b` for each tile are copied before the loop over `i` such
//! that the loop over `k` reads them consecutively: without that, rows whose length is a power of
//! two occupy the same sets of a cache. Each tile of columns is computed for [`GROUPS`] groups of
//! rows, one after the other, so that the columns stay in a cache, and the whole matrix is read once
//! for all these rows. (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
//! 2008, whose innermost kernel and blocks of rows these are.)
//!
//! Vectors are written explicitly, because GCC keeps the sums of an equivalent loop over the
//! columns on the stack. The operations of each sum, and their order, stay the same.

use nat::{Nat, Prop, Var};
use rise::Type;
use rise::core::Origin;
use rustc_hash::FxHashSet;
use syntax::ast::{Literal, ScalarType};

use super::{Accumulation, FACTOR, ReplaceLoad, UnrollAndJam, loads};
use crate::analysis::iterations::{end_of_multiple, has_iterations, next, number_of_values};
use crate::analysis::uses::Mention;
use crate::ir::renaming::Renaming;
use crate::ir::walk::{self, Change};
use crate::ir::{
    Binary, Expr, ExprKind, Home, Id, Loop, LoopMode, Place, Stmt, StmtKind, Variable,
};
use crate::opt::vectorization::Widen;

/// The number of rows of a tile.
const ROWS: i64 = 6;
/// The number of groups of [`ROWS`] rows that are computed for a tile of columns.
const GROUPS: i64 = 4;
/// The minimal number of rows that repay copying a matrix.
const MIN_ROWS: i64 = ROWS * GROUPS;
/// The number of vector registers for each row of a tile. The tile, a vector of each column and a
/// factor fit into the 16 registers of AVX, and the sums are enough for the latency of `fma`.
const VECTORS: i64 = 2;
/// The number of columns of a tile for the widest registers. A constant number of columns below
/// that is not worth tiles.
const MIN_COLUMNS: i64 = 32;

/// A loop that computes tiles.
pub(super) struct Tiled {
    /// The statements before the loop: the copies of matrices.
    pub before: Vec<Stmt>,
    /// The loop over blocks of [`GROUPS`] groups of rows.
    pub tiles: Loop,
    /// The end of the rows in groups.
    pub end: Nat,
}

/// A part of the computation of a group of rows.
enum Part {
    /// Statements for all columns of the rows.
    Rows(Vec<Stmt>),
    /// A loop over tiles of columns.
    Tiles(Box<Stmt>),
}

/// A copy of a matrix, in the order in which tiles read it.
struct Packed {
    /// The place of an element by the counters of the accumulation.
    source: Place,
    copy: Id,
}

/// The loops of an accumulation, with sizes that are the same for all tiles.
struct Nest<'l> {
    steps: &'l Loop,
    columns: &'l Loop,
    scalar: ScalarType,
    /// The number of lanes of a register, a size variable.
    lanes: Nat,
    /// The number of columns of a tile.
    width: Nat,
    /// The end of the columns in tiles.
    end: Nat,
    origin: Origin,
}

impl UnrollAndJam<'_> {
    /// Returns the tiles of the accumulations in a loop; `None` if the loop has none, or if its
    /// iterations may not be executed together.
    pub(super) fn tiled(&mut self, this: &Loop) -> Option<Tiled> {
        if !has_iterations(this, MIN_ROWS) {
            return None;
        }
        let mut accumulations = FxHashSet::default();
        let is_simple = this.body.iter().all(|stmt| match &stmt.kind {
            StmtKind::For(inner) if self.accumulation(inner).is_some() => {
                accumulations.insert(inner.counter)
            }
            _ => {
                let mut has_nest = false;
                walk::each_stmt(std::slice::from_ref(stmt), &mut |stmt| {
                    has_nest |=
                        matches!(&stmt.kind, StmtKind::For(inner) if walk::has_loop(&inner.body));
                });
                !has_nest
            }
        });
        if !is_simple || accumulations.is_empty() || !self.is_jammable(this, false) {
            return None;
        }
        let mut written = FxHashSet::default();
        self.uses.all(&this.body, &mut |id, mention| {
            if !matches!(mention, Mention::Read(_)) {
                written.insert(id);
            }
        });
        let copies = self.copies(this, ROWS);
        let jammed = self.jam(&this.body, &copies, false);
        let (mut before, mut parts) = (Vec::new(), Vec::new());
        for stmt in jammed {
            match &stmt.kind {
                StmtKind::For(steps) if accumulations.contains(&steps.counter) => {
                    self.tile(this, steps, &written, &mut before, &mut parts)?;
                }
                _ => add_rows(&mut parts, [stmt]),
            }
        }
        let groups = self.groups(this);
        let rows = Nat::mul(&groups, &Nat::constant(ROWS));
        Some(Tiled {
            before,
            end: self.facts.normalize(&(&this.from + &rows)),
            tiles: self.blocks(this, &groups, parts)?,
        })
    }

    /// Returns the loop over the blocks of groups of rows that consist of these parts; `None` if the
    /// parts share variables that a block cannot have for each group.
    fn blocks(&mut self, this: &Loop, groups: &Nat, parts: Vec<Part>) -> Option<Loop> {
        let expanded = self.expanded(&parts)?;
        let counter = self.counter_like(this);
        let first_group = Nat::var(counter);
        let of_block = Nat::min(&Nat::constant(GROUPS), &Nat::sub(groups, &first_group));
        let mut body: Vec<Stmt> = (expanded.iter())
            .map(|one| Stmt::new(StmtKind::Declare(one.copy, None), one.origin, None))
            .collect();
        for part in parts {
            let number = self.counter_like(this);
            let over_groups = |mut group: Vec<Stmt>| {
                for variable in &expanded {
                    variable.expand(&mut group, number);
                }
                let groups_before = &first_group + &Nat::var(number);
                let row = &this.from + &Nat::mul(&groups_before, &Nat::constant(ROWS));
                let mut renaming = Renaming::default();
                renaming.vars.insert(this.counter, row);
                renaming.apply(&mut group);
                let origin = group.first().map_or(Origin(0), |stmt| stmt.origin);
                let over_groups = StmtKind::For(Loop {
                    counter: number,
                    from: Nat::ZERO,
                    to: of_block.clone(),
                    step: Nat::ONE,
                    mode: LoopMode::Sequential,
                    body: group,
                });
                Stmt::new(over_groups, origin, None)
            };
            body.push(match part {
                Part::Rows(group) => over_groups(group),
                Part::Tiles(mut stmt) => {
                    if let StmtKind::For(tiles) = &mut stmt.kind {
                        let group = std::mem::take(&mut tiles.body);
                        tiles.body = vec![over_groups(group)];
                    }
                    *stmt
                }
            });
        }
        Some(Loop {
            counter,
            from: Nat::ZERO,
            to: groups.clone(),
            step: Nat::constant(GROUPS),
            body,
            ..this.clone()
        })
    }

    /// Returns the variables that one part declares and others use; `None` if they are not all in
    /// private memory with known accesses.
    fn expanded(&mut self, parts: &[Part]) -> Option<Vec<Expanded>> {
        let mut declared = Vec::new();
        let mut uses: Vec<FxHashSet<Id>> = Vec::new();
        for part in parts {
            let stmts = match part {
                Part::Rows(stmts) => stmts.as_slice(),
                Part::Tiles(stmt) => std::slice::from_ref(&**stmt),
            };
            declared.extend(stmts.iter().filter_map(|stmt| match &stmt.kind {
                StmtKind::Declare(id, _) => Some(*id),
                _ => None,
            }));
            let mentioned = stmts.iter().map(|stmt| self.uses.mentioned_in(stmt));
            uses.push(mentioned.flatten().collect());
        }
        declared.retain(|id| uses.iter().filter(|uses| uses.contains(id)).count() > 1);
        let is_known = |id: &Id| self.function.is_private(*id) && !self.untracked.contains(id);
        if !declared.iter().all(is_known) {
            return None;
        }
        let expanded = |id: Id| {
            let mut variable = self.function.variables[id.0 as usize].clone();
            let origin = variable.origin;
            let count = variable.count.take().unwrap_or(Nat::ONE);
            variable.count = Some(Nat::mul(&count, &Nat::constant(GROUPS)));
            variable.extents = Vec::new();
            Expanded {
                id,
                count,
                copy: self.function.fresh_variable(variable),
                origin,
            }
        };
        Some(declared.into_iter().map(expanded).collect())
    }

    /// Returns true if the loop is known to have [`MIN_ROWS`] iterations.
    fn has_many_rows(&self, this: &Loop) -> bool {
        let length = Nat::sub(&this.to, &this.from);
        let many = Prop::AtLeast(length, Nat::constant(MIN_ROWS));
        self.facts.proves(&many)
    }

    /// Returns the number of groups of rows that are in tiles: none if there are few rows.
    fn groups(&self, this: &Loop) -> Nat {
        let length = number_of_values(this, &self.facts);
        let groups = Nat::div(&length, &Nat::constant(ROWS));
        if self.has_many_rows(this) {
            return self.facts.normalize(&groups);
        }
        // This is zero for fewer rows, and not less than the number of groups for others.
        let blocks = Nat::div(&length, &Nat::constant(MIN_ROWS));
        let maximum = Nat::mul(&blocks, &Nat::constant(2 * GROUPS - 1));
        self.facts.normalize(&Nat::min(&groups, &maximum))
    }

    /// Adds the tiles of an accumulation of several rows, and the loops over the remaining columns.
    fn tile(
        &mut self,
        this: &Loop,
        steps: &Loop,
        written: &FxHashSet<Id>,
        before: &mut Vec<Stmt>,
        parts: &mut Vec<Part>,
    ) -> Option<()> {
        let [stmt] = &*steps.body else { return None };
        let StmtKind::For(columns) = &stmt.kind else {
            return None;
        };
        let rows = Accumulation::of_rows(&columns.body)?;
        let first = rows.first()?;
        let Type::Scalar(scalar @ (ScalarType::F32 | ScalarType::F64)) = *first.value.ty else {
            return None;
        };
        let is_vectorised = rows
            .iter()
            .all(|row| row.value.ty == first.value.ty && is_arithmetic(&row.value));
        let trip_count = columns.to.as_const();
        if !is_vectorised
            || !columns.from.is_zero()
            || !columns.step.is_one()
            || !steps.step.is_one()
            || trip_count.is_some_and(|count| count < MIN_COLUMNS)
        {
            return None;
        }
        let lanes = Nat::var(self.function.register(scalar));
        let width = Nat::mul(&lanes, &Nat::constant(VECTORS));
        let end = Nat::mul(&Nat::div(&columns.to, &width), &width);
        let nest = Nest {
            steps,
            columns,
            scalar,
            lanes,
            width,
            end,
            origin: stmt.origin,
        };
        let packed = self.packed(this, &nest, &rows, written)?;
        let tiles = self.tiles(&nest, &rows, &packed)?;
        for packed in &packed {
            let copy = self.copy(this, &nest, packed);
            before.extend(copy);
        }
        parts.push(Part::Tiles(tiles.into()));
        add_rows(parts, self.remaining_columns(&nest, &rows));
        Some(())
    }

    /// Returns the matrices whose rows the accumulation reads in each iteration of the outer loop;
    /// `None` if there are none, or more than two.
    fn packed(
        &mut self,
        this: &Loop,
        nest: &Nest<'_>,
        rows: &[Accumulation],
        written: &FxHashSet<Id>,
    ) -> Option<Vec<Packed>> {
        const MAX_PACKED: usize = 2;
        let (step, column) = (nest.steps.counter, nest.columns.counter);
        let mut sources: Vec<Place> = Vec::new();
        for place in rows.iter().flat_map(|row| loads(&row.value)) {
            let Some(index) = &place.index else { continue };
            let is_matrix = index.mentions(column)
                && index.mentions(step)
                && !index.mentions(this.counter)
                && !written.contains(&place.id)
                && place.members.is_empty()
                && place.lane.is_none()
                && place.lanes.is_none()
                && Nat::sub(&next(index, column, 1), index).is_one();
            if is_matrix && !sources.contains(place) {
                sources.push(place.clone());
            }
        }
        if sources.is_empty() || sources.len() > MAX_PACKED {
            return None;
        }
        let packed = sources.into_iter().map(|source| {
            let mut variable = self.function.variables[source.id.0 as usize].clone();
            let depth = Nat::sub(&nest.steps.to, &nest.steps.from);
            variable.name = "panels".into();
            variable.count = Some(Nat::mul(&depth, &nest.columns.to));
            variable.extents = Vec::new();
            variable.home = Home::Local(None);
            let copy = self.function.fresh_variable(variable);
            self.function.aligned.insert(copy, 64);
            Packed { source, copy }
        });
        Some(packed.collect())
    }

    /// Returns the statements that copy a matrix, unless the outer loop has no tiles.
    fn copy(&mut self, this: &Loop, nest: &Nest<'_>, packed: &Packed) -> Vec<Stmt> {
        let steps = nest.steps;
        let tile = self.counter_like(nest.columns);
        let step = self.counter_like(steps);
        let column = self.counter_like(nest.columns);
        let mut source = Expr::new(
            ExprKind::Load(packed.source.clone()),
            Type::Scalar(nest.scalar).into(),
            nest.origin,
        );
        let mut renaming = Renaming::default();
        let at = Nat::var(tile) + &Nat::var(column);
        renaming.vars.insert(nest.columns.counter, at);
        renaming.vars.insert(steps.counter, Nat::var(step));
        renaming.apply_to_expr(&mut source);
        let place = Place::element(
            packed.copy,
            nest.index(&Nat::var(tile), &Nat::var(step)) + &Nat::var(column),
        );
        let stmt = |kind| Stmt::new(kind, nest.origin, None);
        let sequential = |counter, to: &Nat, step: Nat, body| {
            stmt(StmtKind::For(Loop {
                counter,
                from: Nat::ZERO,
                to: to.clone(),
                step,
                mode: LoopMode::Sequential,
                body,
            }))
        };
        let body = vec![stmt(StmtKind::Assign(place, source))];
        let body = vec![sequential(column, &nest.width, Nat::ONE, body)];
        let body = vec![stmt(StmtKind::For(Loop {
            counter: step,
            body,
            ..steps.clone()
        }))];
        let loops = sequential(tile, &nest.end, nest.width.clone(), body);
        let length = Nat::sub(&this.to, &this.from);
        let rows = Nat::constant(MIN_ROWS);
        let copies = match self.has_many_rows(this) {
            true => loops,
            false => {
                let ty = |scalar| Type::Scalar(scalar).into();
                let size =
                    |nat| Expr::new(ExprKind::Nat(nat), ty(ScalarType::NatType), nest.origin);
                let sides = (Box::new(size(length)), Box::new(size(rows)));
                let condition = ExprKind::Binary(Binary::Ge, sides.0, sides.1);
                stmt(StmtKind::If {
                    condition: Expr::new(condition, ty(ScalarType::Bool), nest.origin),
                    then: vec![loops],
                    otherwise: Vec::new(),
                })
            }
        };
        vec![stmt(StmtKind::Declare(packed.copy, None)), copies]
    }

    /// Returns the loop over the tiles: each loads its sums, adds the products of all steps, and
    /// stores the sums.
    fn tiles(&mut self, nest: &Nest<'_>, rows: &[Accumulation], packed: &[Packed]) -> Option<Stmt> {
        let (steps, columns) = (nest.steps, nest.columns);
        let tile = self.counter_like(columns);
        let step = self.counter_like(steps);
        let lane = self.function.fresh_size("lane");
        let widen = Widen {
            lane,
            lanes: nest.lanes.clone(),
        };
        let ty = Type::Vector(nest.lanes.clone(), Type::Scalar(nest.scalar).into());
        let ty: rise::Ty = ty.into();
        let stmt = |kind| Stmt::new(kind, nest.origin, None);
        let (mut before, mut inside, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            for vector in 0..VECTORS {
                let first = Nat::mul(&nest.lanes, &Nat::constant(vector));
                let mut renaming = Renaming::default();
                let column = Nat::var(tile) + &first + &Nat::var(lane);
                renaming.vars.insert(columns.counter, column);
                renaming.vars.insert(steps.counter, Nat::var(step));
                let widened = |place: &Place| {
                    let load = ExprKind::Load(place.clone());
                    let mut load = Expr::new(load, row.value.ty.clone(), nest.origin);
                    renaming.apply_to_expr(&mut load);
                    match &load.kind {
                        ExprKind::Load(place) => widen.place(place),
                        _ => None,
                    }
                };
                let sum = widened(&row.sum)?;
                let mut value = row.value.clone();
                renaming.apply_to_expr(&mut value);
                let mut value = widen.expr(&value)?;
                let variable = Variable::scalar("acc".into(), ty.clone(), nest.origin);
                let acc = self.function.fresh_variable(variable);
                let load = |place: &Place| {
                    Expr::new(ExprKind::Load(place.clone()), ty.clone(), nest.origin)
                };
                let current = load(&Place::plain(acc));
                walk::change_expr(&mut value, &mut ReplaceLoad(&sum, &current));
                for packed in packed {
                    let old = widened(&packed.source)?;
                    let index = nest.index(&Nat::var(tile), &Nat::var(step)) + &first;
                    let new = Place {
                        lanes: Some(nest.lanes.clone()),
                        ..Place::element(packed.copy, index)
                    };
                    walk::change_expr(&mut value, &mut walk::ReplacePlace(&old, &new));
                }
                before.push(stmt(StmtKind::Declare(acc, Some(load(&sum)))));
                inside.push(stmt(StmtKind::Assign(Place::plain(acc), value)));
                after.push(stmt(StmtKind::Assign(sum, current)));
            }
        }
        before.push(stmt(StmtKind::For(Loop {
            counter: step,
            body: inside,
            ..steps.clone()
        })));
        before.extend(after);
        Some(stmt(StmtKind::For(Loop {
            counter: tile,
            from: Nat::ZERO,
            to: nest.end.clone(),
            step: nest.width.clone(),
            mode: LoopMode::Sequential,
            body: before,
        })))
    }

    /// Returns the loops over the columns that are in no tile, with several steps together.
    fn remaining_columns(&mut self, nest: &Nest<'_>, rows: &[Accumulation]) -> Vec<Stmt> {
        let steps = nest.steps;
        let columns = |body| {
            Stmt::new(
                StmtKind::For(Loop {
                    from: nest.end.clone(),
                    body,
                    ..nest.columns.clone()
                }),
                nest.origin,
                None,
            )
        };
        let assign = |row: &Accumulation, factor| {
            let value = row.chained_value(steps.counter, factor);
            Stmt::new(StmtKind::Assign(row.sum.clone(), value), nest.origin, None)
        };
        let end = end_of_multiple(steps, FACTOR, &self.facts);
        let parts = [
            (steps.from.clone(), end.clone(), FACTOR),
            (end, steps.to.clone(), 1),
        ];
        let mut out = Vec::new();
        for (from, to, factor) in parts {
            if from == to {
                continue;
            }
            let body = rows.iter().map(|row| assign(row, factor)).collect();
            let kind = StmtKind::For(Loop {
                from,
                to,
                step: Nat::constant(factor),
                body: vec![columns(body)],
                ..steps.clone()
            });
            let mut stmt = [Stmt::new(kind, nest.origin, None)];
            Renaming::of_declared(self.function, &stmt).apply(&mut stmt);
            out.extend(stmt);
        }
        out
    }

    fn counter_like(&mut self, this: &Loop) -> Var {
        let name = self.function.names.get(this.counter.0 as usize).cloned();
        self.function.fresh_size(&name.unwrap_or_default())
    }
}

/// Adds statements for all columns of the rows to the last part, or as a new one.
fn add_rows(parts: &mut Vec<Part>, stmts: impl IntoIterator<Item = Stmt>) {
    match parts.last_mut() {
        Some(Part::Rows(rows)) => rows.extend(stmts),
        _ => parts.push(Part::Rows(stmts.into_iter().collect())),
    }
}

impl Nest<'_> {
    /// Returns the index of the first column of a tile at a step in a packed matrix.
    fn index(&self, tile: &Nat, step: &Nat) -> Nat {
        let depth = Nat::sub(&self.steps.to, &self.steps.from);
        let row = Nat::mul(&Nat::sub(step, &self.steps.from), &self.width);
        Nat::mul(&depth, tile) + &row
    }
}

/// Returns true if an expression consists of sums, differences, products and `fma` of loaded values
/// and literals.
fn is_arithmetic(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Load(_) | ExprKind::Literal(Literal::Int { .. } | Literal::Float { .. }) => true,
        ExprKind::Binary(Binary::Add | Binary::Sub | Binary::Mul, a, b) => {
            is_arithmetic(a) && is_arithmetic(b)
        }
        ExprKind::Call(function, args) => {
            function.body.is_none()
                && matches!(function.name.as_str(), "fma" | "fmaf")
                && args.iter().all(is_arithmetic)
        }
        _ => false,
    }
}

/// A variable of a group of rows, for which each group of a block has its own elements of a new
/// array.
struct Expanded {
    id: Id,
    /// The number of elements; 1 for a variable that is not an array.
    count: Nat,
    copy: Id,
    origin: Origin,
}

impl Expanded {
    /// Replaces the variable in the statements for the group that has this number in the block.
    fn expand(&self, group: &mut Vec<Stmt>, number: Var) {
        let offset = Nat::mul(&Nat::var(number), &self.count);
        group.retain_mut(|stmt| match &mut stmt.kind {
            StmtKind::Declare(id, value) if *id == self.id => {
                let Some(value) = value.take() else {
                    return false;
                };
                stmt.kind = StmtKind::Assign(Place::plain(self.id), value);
                true
            }
            _ => true,
        });
        walk::change_all(group, &mut Expand(self, offset));
    }
}

/// A visitor that replaces a variable by the elements from an index on of the new array.
struct Expand<'e>(&'e Expanded, Nat);

impl Change for Expand<'_> {
    fn place(&mut self, place: &mut Place) {
        if place.id == self.0.id {
            place.id = self.0.copy;
            place.index = Some(match &place.index {
                Some(index) => index + &self.1,
                None => self.1.clone(),
            });
        }
    }
}
