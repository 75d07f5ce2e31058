//! Operand packing: computes conditional operands of accumulations once, before the loop whose
//! iterations share them.
//!
//! In `for o { for k { for x { sums[x] += weights[o][k] * (c(k, x) ? rows[k][x] : 0) } } }` the
//! condition, usually that of a border, is evaluated again for each `o`. Before the loop over `o` the
//! operand is stored as a matrix, which the accumulation reads without a condition. For a
//! convolution that is the matrix known as im2col, for one row of the image. (Chellapilla, Puri and
//! Simard, "High Performance Convolutional Neural Networks for Document Processing", 2006.)
//!
//! Only operands that belong to a row are stored: those of a whole array could take many times its
//! memory.

use nat::{Facts, Nat, Prop, Var};
use rise::Type;
use rustc_hash::FxHashSet;

use super::{Pass, Run};
use crate::analysis::accumulation::AccumulatedRow;
use crate::analysis::conditions::{assume_loop, less};
use crate::analysis::iterations::next;
use crate::analysis::uses::{Mention, Uses};
use crate::ir::renaming::Renaming;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change, mentions};
use crate::ir::{
    Expr, ExprKind, Function, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind, Variable,
};

pub(crate) const PASS: Pass = Pass {
    name: "operand-packing",
    run: Run::Always(run),
    changes: Changes {
        moved: "computes an operand that the iterations of the next loop share",
        repeated: "an operand that the iterations of a loop share is computed before that",
        rewritten: "an operand that the iterations of a loop share is computed before that",
    },
};

/// The maximal distance of the rows of an array from each other, in rows of a packed operand.
const MAX_DISTANCE: i64 = 8;
/// The minimal trip count of the loop that shares an operand, for a trip count that is a constant.
const MIN_TRIP_COUNT: i64 = 8;

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let facts = function.known();
    let mut pass = Packing {
        function,
        uses,
        facts,
        enclosing: Vec::new(),
    };
    pass.block(&mut body);
    function.body = body;
}

struct Packing<'f> {
    function: &'f mut Function,
    uses: Uses,
    facts: Facts,
    /// The counters of the enclosing loops.
    enclosing: Vec<Var>,
}

/// An operand that becomes a matrix, with the loops of its accumulation.
struct Operand {
    value: Expr,
    steps: Loop,
    columns: Loop,
}

impl Packing<'_> {
    fn block(&mut self, body: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(body) {
            let StmtKind::For(this) = &mut stmt.kind else {
                walk::each_block(&mut stmt, &mut |inner| self.block(inner));
                body.push(stmt);
                continue;
            };
            let origin = stmt.origin;
            for operand in self.operands(this) {
                let matrix = self.matrix(&operand);
                walk::change_all(&mut this.body, &mut Replace(&operand.value, &matrix));
                let loops = self.computed(operand, &matrix, this.mode);
                let stmt = |kind| Stmt::new(kind, origin, Some(Maker::Pass(PASS.name)));
                body.push(stmt(StmtKind::Declare(matrix.id, None)));
                // A loop without iterations reads no operand, which may not exist then.
                body.push(stmt(StmtKind::If {
                    condition: less(&this.from, &this.to, origin),
                    then: vec![stmt(StmtKind::For(loops))],
                    otherwise: Vec::new(),
                }));
            }
            let facts = self.facts.clone();
            assume_loop(&mut self.facts, this);
            self.enclosing.push(this.counter);
            self.block(&mut this.body);
            self.enclosing.pop();
            self.facts = facts;
            body.push(stmt);
        }
    }

    /// Returns the conditional operands of accumulations in a loop that are the same in all of its
    /// iterations.
    fn operands(&self, this: &Loop) -> Vec<Operand> {
        let trip_count = Nat::sub(&this.to, &this.from).as_const();
        let is_plain = matches!(this.mode, LoopMode::Sequential | LoopMode::Parallel);
        if !is_plain || trip_count.is_some_and(|count| count < MIN_TRIP_COUNT) {
            return Vec::new();
        }
        let mut inside = FxHashSet::from_iter([this.counter]);
        walk::each_stmt(&this.body, &mut |stmt| {
            if let StmtKind::For(inner) = &stmt.kind {
                inside.insert(inner.counter);
            }
        });
        let mut changed = FxHashSet::default();
        self.uses.all(&this.body, &mut |id, mention| {
            if !matches!(mention, Mention::Read(_)) {
                changed.insert(id);
            }
        });
        let directly_inside = this.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::For(steps) => AccumulatedRow::of(steps),
            _ => None,
        });
        let mut found = Vec::new();
        for row in directly_inside {
            let (steps, columns) = (row.steps.counter, row.columns.counter);
            let sizes = [&row.steps.from, &row.steps.to, &row.columns.to];
            let are_shared = sizes.iter().all(|size| {
                !size.any_var(&|var| inside.contains(&var)) && !self.uses.is_data(size)
            }) && row.steps.step.is_one()
                && row.columns.from.is_zero()
                && row.columns.step.is_one();
            let of_this = |var: &Var| *var != steps && *var != columns;
            let others: Vec<_> = inside.iter().copied().filter(of_this).collect();
            for operand in row.operands() {
                let is_packed = are_shared
                    && matches!(operand.kind, ExprKind::Select(..))
                    && matches!(*operand.ty, Type::Scalar(_))
                    && mentions(operand, steps)
                    && mentions(operand, columns)
                    && !others.iter().any(|var| mentions(operand, *var))
                    && !found
                        .iter()
                        .any(|known: &Operand| known.value.kind == operand.kind)
                    && self.is_conditional_load(operand, &changed)
                    && self.is_of_row(operand, &row.columns.to);
                if is_packed {
                    found.push(Operand {
                        value: operand.clone(),
                        steps: row.steps.clone(),
                        columns: row.columns.clone(),
                    });
                }
            }
        }
        found
    }

    /// Returns true if an expression consists of conditions on sizes, literals, and loads of
    /// variables that are not among the `changed` ones.
    fn is_conditional_load(&self, expr: &Expr, changed: &FxHashSet<Id>) -> bool {
        let mut is_simple = true;
        walk::sub_exprs(expr, &mut |part| {
            is_simple &= match &part.kind {
                ExprKind::Load(_)
                | ExprKind::Literal(_)
                | ExprKind::Nat(_)
                | ExprKind::Select(..) => true,
                ExprKind::Binary(operator, ..) => operator.is_comparison(),
                _ => false,
            };
        });
        self.uses.expr(expr, &mut |id, mention| {
            is_simple &= matches!(mention, Mention::Read(_)) && !changed.contains(&id);
        });
        is_simple
    }

    /// Returns true if the array that an operand reads has a row of similar length for each
    /// iteration of an enclosing loop.
    fn is_of_row(&self, operand: &Expr, columns: &Nat) -> bool {
        let longest = Nat::mul(columns, &Nat::constant(MAX_DISTANCE));
        let mut is_of_row = false;
        walk::sub_exprs(operand, &mut |part| {
            let ExprKind::Load(Place {
                index: Some(index), ..
            }) = &part.kind
            else {
                return;
            };
            is_of_row |= self.enclosing.iter().any(|counter| {
                let distance = Nat::sub(&next(index, *counter, 1), index);
                let is_at_most = |limit: &Nat| {
                    let prop = Prop::AtLeast(limit.clone(), distance.clone());
                    self.facts.proves(&prop)
                };
                !distance.is_zero() && is_at_most(&longest)
            });
        });
        is_of_row
    }

    /// Declares a matrix for an operand, and returns the place of its element.
    fn matrix(&mut self, operand: &Operand) -> Place {
        let Operand {
            value,
            steps,
            columns,
        } = operand;
        let extents = vec![Nat::sub(&steps.to, &steps.from), columns.to.clone()];
        let variable = Variable {
            count: Some(Nat::mul(&extents[0], &extents[1])),
            extents,
            ..Variable::scalar("packed".into(), value.ty.clone(), value.origin)
        };
        let id = self.function.fresh_variable(variable);
        let row = Nat::sub(&Nat::var(steps.counter), &steps.from);
        Place::element(id, Nat::mul(&row, &columns.to) + &Nat::var(columns.counter))
    }

    /// Returns the loops that compute the matrix of an operand, in the mode of the loop whose
    /// iterations share it.
    fn computed(&mut self, operand: Operand, matrix: &Place, mode: LoopMode) -> Loop {
        let origin = operand.value.origin;
        let stmt = |kind| Stmt::new(kind, origin, Some(Maker::Pass(PASS.name)));
        let element = stmt(StmtKind::Assign(matrix.clone(), operand.value));
        let columns = stmt(StmtKind::For(Loop {
            body: vec![element],
            ..operand.columns
        }));
        let mut loops = Loop {
            mode,
            body: vec![columns],
            ..operand.steps
        };
        let mut own = Renaming::of_declared(self.function, &loops.body);
        own.add_var(self.function, loops.counter);
        own.apply(&mut loops.body);
        if let Some(counter) = own.vars.get(&loops.counter).and_then(Nat::as_var) {
            loops.counter = counter;
        }
        loops
    }
}

/// A visitor that replaces an expression by the load of a place.
struct Replace<'e>(&'e Expr, &'e Place);

impl Change for Replace<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if expr.kind == self.0.kind {
            expr.kind = ExprKind::Load(self.1.clone());
        }
    }
}
