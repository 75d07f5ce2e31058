//! Thread coarsening: lets each work-item compute a tile of [`ROWS`] by [`COLUMNS`] results of a
//! contraction, instead of one (Magni, Dubach and O'Boyle, "A Large-Scale Cross-Architecture
//! Evaluation of Thread-Coarsening", 2013).
//!
//! `global(1) for i { global(0) for j { s = z; for k { s += a[i][k] * b[k][j] } c[i][j] = s } }` loads
//! two elements for each product. A tile loads each element of `a` once for its columns, and each
//! element of `b` once for its rows, and keeps its sums in registers. Its columns are
//! `j, j + m/4, …`, so that neighbouring work-items load neighbouring elements. Rows and columns that
//! are left over have work-items of their own. All results are computed as before unless there are
//! at least [`MIN_RESULTS`]: with fewer, a device has too few tiles for its compute units. The
//! operations of each result, and their order, stay the same. A nest stays as it is if other
//! statements of its kernel access its results, as a work-item may use its own one without waiting.

use nat::{Facts, Nat, Var};
use rise::core::Origin;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{UnrollAndJam, has_common_loops, is_float_reduction, loads};
use crate::analysis::code_size;
use crate::analysis::conditions::{assume_loop, less};
use crate::analysis::iterations::{has_iterations, writes_own_elements};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::kernel::KernelFunction;
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{Function, Id, Level, Loop, LoopMode, Maker, Stmt, StmtKind};
use crate::opt::{Pass, Run};

pub(crate) const PASS: Pass<KernelFunction> = Pass {
    name: "thread-coarsening",
    run: Run::Always(|kernel| run(&mut kernel.function)),
    changes: Changes {
        moved: "computed by a work-item together with other results",
        repeated: "copied for several results, which a work-item computes together",
        rewritten: "computed by a work-item together with other results",
    },
};

/// The number of rows of a tile.
const ROWS: i64 = 4;
/// The number of columns of a tile.
const COLUMNS: i64 = 4;
/// The minimal number of results of a contraction that is computed in tiles: an H200 computes
/// products of 512 by 512 matrices slower in tiles, those of 1024 by 1024 matrices 1.15 times as fast,
/// and those of 2048 by 2048 matrices 2.3 times.
const MIN_RESULTS: i64 = 1 << 19;
/// The minimal number of rows, and of columns, for numbers that are constants.
const MIN_LENGTH: i64 = 16;
/// The maximal number of subexpressions in the statements that compute a result.
const MAX_BODY_SIZE: usize = 64;

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = UnrollAndJam {
        untracked: uses.untracked(&body),
        facts: function.known(),
        uses,
        function,
    };
    let accesses = Accesses::of(&body, &pass.uses);
    pass.coarsen(&mut body, &Nat::ONE, &accesses);
    function.body = body;
}

/// The numbers of accesses to variables.
#[derive(Default)]
struct Accesses {
    /// Of reads and writes together.
    all: FxHashMap<Id, usize>,
    writes: FxHashMap<Id, usize>,
}

impl Accesses {
    /// Counts the accesses in statements.
    fn of(body: &[Stmt], uses: &Uses) -> Accesses {
        let mut accesses = Accesses::default();
        uses.all(body, &mut |id, mention| {
            let is_write = match mention {
                Mention::Declared => return,
                Mention::Read(_) | Mention::Index => false,
                Mention::Written(_) | Mention::Pointed | Mention::Reduced => true,
            };
            *accesses.all.entry(id).or_default() += 1;
            if is_write {
                *accesses.writes.entry(id).or_default() += 1;
            }
        });
        accesses
    }

    /// Returns true if none of the other statements among `all` accesses what these ones write, or
    /// writes what these ones access. Then no work-item needs results of these statements.
    fn are_alone(&self, all: &Accesses) -> bool {
        let count = |of: &FxHashMap<Id, usize>, id: &Id| of.get(id).copied().unwrap_or_default();
        self.all.iter().all(|(id, here)| {
            let is_written = self.writes.contains_key(id);
            count(&self.writes, id) == count(&all.writes, id)
                && (!is_written || *here == count(&all.all, id))
        })
    }
}

/// A nest of two loops that are distributed over work-items, each iteration of which computes a
/// result of a contraction.
struct Contraction<'l> {
    rows: &'l Loop,
    columns: &'l Loop,
    /// The number of results of the nest in all iterations of the distributed loops around it.
    results: Nat,
}

impl<'l> Contraction<'l> {
    /// Returns the nest that a loop is the outer loop of; `times` is the number of iterations of the
    /// distributed loops around it.
    fn of(rows: &'l Loop, times: &Nat) -> Option<Contraction<'l>> {
        let [stmt] = &*rows.body else { return None };
        let StmtKind::For(columns) = &stmt.kind else {
            return None;
        };
        let is_nest = is_distributed(rows)
            && is_distributed(columns)
            && rows.mode != columns.mode
            && !columns.to.mentions(rows.counter);
        is_nest.then(|| Contraction {
            rows,
            columns,
            results: Nat::mul(times, &Nat::mul(&rows.to, &columns.to)),
        })
    }

    /// Returns true if all loads in the loops of an iteration are of elements that depend on the row
    /// or on the column but not on both, or on neither of them, and there are both of the first
    /// kinds.
    fn shares_operands(&self) -> bool {
        let (mut of_row, mut of_column, mut of_both) = (false, false, false);
        walk::each_stmt(&self.columns.body, &mut |stmt| {
            let StmtKind::For(this) = &stmt.kind else {
                return;
            };
            walk::for_each_expr(&this.body, &mut |expr| {
                for index in loads(expr).iter().filter_map(|place| place.index.as_ref()) {
                    let by_row = index.mentions(self.rows.counter);
                    let by_column = index.mentions(self.columns.counter);
                    of_both |= by_row && by_column;
                    of_row |= by_row;
                    of_column |= by_column;
                }
            });
        });
        of_row && of_column && !of_both
    }
}

/// Returns true for a loop that is distributed over all work-items.
fn is_distributed(this: &Loop) -> bool {
    matches!(this.mode, LoopMode::Items(Level::Global, _)) && this.from.is_zero()
}

impl UnrollAndJam<'_> {
    /// Computes the contractions in statements, which are executed this number of times, in tiles.
    /// `accesses` are those of the whole kernel.
    fn coarsen(&mut self, body: &mut Vec<Stmt>, times: &Nat, accesses: &Accesses) {
        for mut stmt in std::mem::take(body) {
            let facts = self.facts.clone();
            let mut times = times.clone();
            if let StmtKind::For(this) = &stmt.kind {
                let contraction = Contraction::of(this, &times)
                    .filter(|nest| self.is_coarsened(nest))
                    .filter(|_| Accesses::of(&this.body, &self.uses).are_alone(accesses));
                if let Some(nest) = contraction {
                    body.push(self.coarsened(&nest, &stmt));
                    continue;
                }
                // Results of two iterations of a loop that is not distributed might be computed by
                // different work-items, which would have to wait for each other.
                if !is_distributed(this) {
                    body.push(stmt);
                    continue;
                }
                assume_loop(&mut self.facts, this);
                times = Nat::mul(&times, &this.to);
            }
            walk::each_block(&mut stmt, &mut |inner| {
                self.coarsen(inner, &times, accesses)
            });
            self.facts = facts;
            body.push(stmt);
        }
    }

    /// Returns true if the results of a nest may be computed in any order, their statements
    /// interleaved, and tiles load fewer elements.
    fn is_coarsened(&self, nest: &Contraction<'_>) -> bool {
        let Contraction {
            rows,
            columns,
            results,
        } = nest;
        let mut declared = FxHashSet::default();
        let (mut reduces, mut is_plain) = (false, true);
        walk::each_stmt(&columns.body, &mut |stmt| match &stmt.kind {
            StmtKind::Declare(id, _) => {
                let variable = &self.function.variables[id.0 as usize];
                is_plain &= variable.count.is_none() && variable.is_private();
                declared.insert(*id);
            }
            StmtKind::For(this) => {
                reduces |= is_float_reduction(this);
                is_plain &= !walk::has_loop(&this.body);
            }
            StmtKind::Assign(..) => {}
            _ => is_plain = false,
        });
        let counters = [rows.counter, columns.counter];
        let is_data = |nat: &Nat| self.uses.is_data(nat);
        let is_small = results
            .as_const()
            .is_some_and(|results| results < MIN_RESULTS);
        let mut facts = self.facts.clone();
        assume_loop(&mut facts, rows);
        let owns = |this: &Loop, facts: &Facts| {
            writes_own_elements(this, facts, &self.uses, &self.untracked)
        };
        reduces
            && is_plain
            && !is_small
            && has_iterations(rows, MIN_LENGTH)
            && has_iterations(columns, MIN_LENGTH)
            && nest.shares_operands()
            && code_size::of_body(&columns.body).is_some_and(|size| size <= MAX_BODY_SIZE)
            && counters
                .iter()
                .all(|counter| has_common_loops(&columns.body, *counter, &declared, true))
            && !walk::sizes(&columns.body).iter().any(is_data)
            && owns(rows, &self.facts)
            && owns(columns, &facts)
    }

    /// Returns the statement that computes the results of a nest in tiles if there are enough, and
    /// otherwise as before.
    fn coarsened(&mut self, nest: &Contraction<'_>, stmt: &Stmt) -> Stmt {
        let origin = stmt.origin;
        let made = |kind| Stmt::new(kind, origin, Some(Maker::Pass(PASS.name)));
        let Contraction { rows, columns, .. } = *nest;
        let [row, column] = [(rows, ROWS), (columns, COLUMNS)].map(|(this, size)| Axis {
            of: this.counter,
            item: self
                .function
                .fresh_size(&self.function.names[this.counter.0 as usize].clone()),
            size,
            tiles: Nat::div(&this.to, &Nat::constant(size)),
            all: this.to.clone(),
        });
        let body = self.parts(&row, origin, &mut |this, row_is_tiled| {
            this.parts(&column, origin, &mut |this, column_is_tiled| {
                this.results_of_item(
                    &columns.body,
                    (&row, row_is_tiled),
                    (&column, column_is_tiled),
                )
            })
        });
        let over = |axis: &Axis, this: &Loop, body| {
            made(StmtKind::For(Loop {
                counter: axis.item,
                to: axis.items(),
                body,
                ..this.clone()
            }))
        };
        let tiles = over(&row, rows, vec![over(&column, columns, body)]);
        if nest.results.as_const().is_some() {
            return tiles;
        }
        let minimum = Nat::constant(MIN_RESULTS - 1);
        made(StmtKind::If {
            condition: less(&minimum, &nest.results, origin),
            then: vec![tiles],
            otherwise: vec![stmt.clone()],
        })
    }

    /// Returns the statements for the tiles along an axis, and for the iterations that are left over if
    /// there may be some.
    fn parts(
        &mut self,
        axis: &Axis,
        origin: Origin,
        part: &mut dyn FnMut(&mut Self, bool) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let then = part(self, true);
        if axis.has_no_rest() {
            return then;
        }
        let kind = StmtKind::If {
            condition: less(&Nat::var(axis.item), &axis.tiles, origin),
            then,
            otherwise: part(self, false),
        };
        vec![Stmt::new(kind, origin, Some(Maker::Pass(PASS.name)))]
    }

    /// Returns the statements that compute the results of a work-item, from those that compute one:
    /// a tile, or the results of a row or a column or the single one that is left over.
    fn results_of_item(
        &mut self,
        body: &[Stmt],
        (row, row_is_tiled): (&Axis, bool),
        (column, column_is_tiled): (&Axis, bool),
    ) -> Vec<Stmt> {
        let rows = row.adjacent(row_is_tiled);
        let columns = column.apart(column_is_tiled);
        let mut copies = Vec::new();
        for at_row in &rows {
            for at_column in &columns {
                let mut copy = Renaming::default();
                if !copies.is_empty() {
                    copy.add_variables(self.function, body);
                }
                copy.vars.insert(row.of, at_row.clone());
                copy.vars.insert(column.of, at_column.clone());
                copies.push(copy);
            }
        }
        let mut tile = self.jam(body, &copies, true);
        let own = Renaming::of_declared(self.function, &tile);
        own.apply(&mut tile);
        tile
    }
}

/// The rows or the columns of a contraction, and their distribution over work-items.
struct Axis {
    /// The counter of the loop over them.
    of: Var,
    /// The counter of the loop over those of a work-item.
    item: Var,
    /// The number that a tile has.
    size: i64,
    /// The number of tiles.
    tiles: Nat,
    /// The number of all rows or columns.
    all: Nat,
}

impl Axis {
    /// Returns the number of work-items: one for each tile, and one for each row or column that is
    /// left over.
    fn items(&self) -> Nat {
        Nat::sub(&self.all, &self.before_rest())
    }

    /// Returns the difference between a row or column that is left over and its work-item.
    fn before_rest(&self) -> Nat {
        Nat::mul(&self.tiles, &Nat::constant(self.size - 1))
    }

    fn has_no_rest(&self) -> bool {
        Nat::mul(&self.tiles, &Nat::constant(self.size)) == self.all
    }

    fn rest(&self) -> Vec<Nat> {
        vec![Nat::var(self.item) + &self.before_rest()]
    }

    /// Returns the rows or columns of a work-item, which are adjacent if they form a tile.
    fn adjacent(&self, is_tiled: bool) -> Vec<Nat> {
        let first = Nat::mul(&Nat::var(self.item), &Nat::constant(self.size));
        match is_tiled {
            true => (0..self.size).map(|at| &first + at).collect(),
            false => self.rest(),
        }
    }

    /// Returns the rows or columns of a work-item, which are next to those of the next work-item.
    fn apart(&self, is_tiled: bool) -> Vec<Nat> {
        let at = |number| Nat::var(self.item) + &Nat::mul(&self.tiles, &Nat::constant(number));
        match is_tiled {
            true => (0..self.size).map(at).collect(),
            false => self.rest(),
        }
    }
}
