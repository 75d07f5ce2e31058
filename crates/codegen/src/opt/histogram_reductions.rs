//! Histogram reductions: computes sums of integers whose places depend on data on several threads.
//!
//! `for i { out[bin[i]] += x[i] }` has one order of execution, as two iterations may add to the same
//! element. Afterwards the iterations are split into [`PARTS`] parts of the same length, each of which
//! has sums of its own for all elements; then these are added to `out`, and the iterations that are
//! left over are executed. Sums of integers wrap around, so that their order does not change them. A
//! guard leaves the loop as it is unless it has [`MIN_ITERATIONS`], and [`ITERATIONS_PER_SUM`] more
//! for each of these sums, so that they need less memory than what the loop reads, and a small part
//! of its time. (Pottenger and Eigenmann, *Idiom Recognition in the Polaris Parallelizing Compiler*,
//! 1995.)

use nat::{Nat, Prop, Var};
use rise::{Type, core::Origin};
use rustc_hash::FxHashSet;
use syntax::ast::Literal;

use super::{Pass, Run};
use crate::analysis::conditions::less;
use crate::analysis::iterations::number_of_values;
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::types::Int;
use crate::ir::walk::{self, Change};
use crate::ir::{
    Binary, Expr, ExprKind, Function, Home, Id, Loop, LoopMode, Maker, Place, Stmt, StmtKind,
    Variable,
};

pub(crate) const PASS: Pass = Pass {
    name: "histogram-reductions",
    run: Run::Always(run),
    changes: Changes::all("each part of the iterations has sums of its own"),
};

/// The number of parts, which is a multiple of usual numbers of threads.
const PARTS: i64 = 64;
/// The minimal number of iterations for each sum of each part.
const ITERATIONS_PER_SUM: i64 = 4;
/// The minimal number of iterations besides these, for which the start of threads takes a small part
/// of the time.
const MIN_ITERATIONS: i64 = 1 << 14;

fn run(function: &mut Function) {
    if !function.features.has_threads() {
        return;
    }
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let untracked = uses.untracked(&body);
    let mut pass = HistogramReductions {
        function,
        uses,
        untracked,
    };
    pass.block(&mut body);
    function.body = body;
}

/// The integers to which a loop adds.
struct Sums {
    /// The array that contains them.
    id: Id,
    /// The index of the first one.
    first: Nat,
    /// Their number.
    count: Nat,
}

struct HistogramReductions<'f> {
    function: &'f mut Function,
    uses: Uses,
    /// The variables that may be accessed other than by name.
    untracked: FxHashSet<Id>,
}

impl HistogramReductions<'_> {
    /// Splits the loops in statements that are in no loop: one that is repeated would start threads
    /// each time.
    fn block(&mut self, body: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(body) {
            match &stmt.kind {
                StmtKind::For(this) => {
                    let sums = self.sums(this);
                    let split = sums.and_then(|sums| self.in_parts(this, &sums, stmt.origin));
                    if let Some(split) = split {
                        body.extend(split);
                        continue;
                    }
                }
                StmtKind::If { .. } | StmtKind::Block(_) => {
                    walk::each_block(&mut stmt, &mut |inner| self.block(inner));
                }
                _ => {}
            }
            body.push(stmt);
        }
    }

    /// Returns the integers to which a loop adds, if their indices depend on data, and the loop
    /// contains no loop and writes nothing else.
    fn sums(&self, this: &Loop) -> Option<Sums> {
        let mut declared = FxHashSet::default();
        let mut places = Vec::new();
        let mut is_innermost = true;
        walk::each_stmt(&this.body, &mut |stmt| match &stmt.kind {
            StmtKind::Declare(id, _) => _ = declared.insert(*id),
            StmtKind::Assign(place, value) => places.push((place, value)),
            StmtKind::If { .. } | StmtKind::Block(_) => {}
            StmtKind::For(_)
            | StmtKind::Point(..)
            | StmtKind::Swap(..)
            | StmtKind::Reduce(_)
            | StmtKind::Barrier(_)
            | StmtKind::Kernel(_) => is_innermost = false,
        });
        places.retain(|(place, _)| !declared.contains(&place.id));
        let first = places.first()?.0;
        let sums = first.id;
        let index = first.index.as_ref();
        let range = index.and_then(|index| self.range(index, this.counter));
        let variable = &self.function.variables[sums.0 as usize];
        let is_integer =
            matches!(&*variable.elem, Type::Scalar(scalar) if Int::of(*scalar).is_some());
        let is_array = variable.count.is_some() && !matches!(variable.home, Home::Pointer { .. });
        let adds_to_data = |(place, value): &(&Place, &Expr)| {
            let index = place.index.as_ref();
            place.id == sums
                && place.lanes.is_none()
                && index.and_then(|index| self.range(index, this.counter)) == range
                && matches!(&value.kind, ExprKind::Binary(Binary::Add, a, b)
                    if [a, b].iter().any(|part| part.kind == ExprKind::Load((*place).clone())))
        };
        // Each sum is read only to add to it.
        let mut reads = 0;
        for stmt in &this.body {
            self.uses.stmt(stmt, &mut |id, mention| {
                reads += usize::from(id == sums && !matches!(mention, Mention::Written(_)));
            });
        }
        let bounds = [&this.from, &this.to];
        let is_split = is_innermost
            && this.mode == LoopMode::Sequential
            && is_integer
            && is_array
            && this.step.is_one()
            && !bounds.iter().any(|bound| self.uses.is_data(bound))
            && places.iter().all(adds_to_data)
            && reads == places.len()
            && !self.untracked.contains(&sums);
        let (first, count) = range?;
        is_split.then_some(Sums {
            id: sums,
            first,
            count,
        })
    }

    /// Returns the range in which an index is that is a value of an index type plus a size: the size,
    /// and the number of values of the type.
    fn range(&self, index: &Nat, counter: Var) -> Option<(Nat, Nat)> {
        self.function.opaque.iter().find_map(|(var, value)| {
            let Type::Index(count) = &*value.ty else {
                return None;
            };
            let first = Nat::sub(index, &Nat::var(*var));
            let is_fixed = |nat: &Nat| !self.uses.is_data(nat) && !nat.mentions(counter);
            (is_fixed(&first) && is_fixed(count)).then(|| (first, count.clone()))
        })
    }

    /// Returns the statements that execute a loop in parts if it has enough iterations; `None` if it
    /// is known to have fewer.
    fn in_parts(&mut self, this: &Loop, sums: &Sums, origin: Origin) -> Option<Vec<Stmt>> {
        let made = |kind| Stmt::new(kind, origin, Some(Maker::Pass(PASS.name)));
        let facts = self.function.known();
        let count = number_of_values(this, &facts);
        let most = Nat::div(&count, &Nat::constant(PARTS * ITERATIONS_PER_SUM));
        let ty = self.function.variables[sums.id.0 as usize].elem.clone();
        let length = sums.count.clone();
        let least = &length + MIN_ITERATIONS / (PARTS * ITERATIONS_PER_SUM);
        let at_least = |a: &Nat, b: &Nat| facts.proves(&Prop::AtLeast(a.clone(), b.clone()));
        if at_least(&least, &(&most + 1)) {
            return None;
        }
        let has_enough = at_least(&most, &least);
        // The guard implies that the minimum is the number of sums. It is a number of elements that
        // fits into an index for each call.
        let capacity = Nat::mul(&Nat::constant(PARTS), &Nat::min(&length, &most));
        let parts = self.function.fresh_variable(Variable {
            count: Some(capacity),
            ..Variable::scalar("parts".into(), ty.clone(), origin)
        });
        let [part, first, of_result, at] =
            ["part", "sum", "part", "sum"].map(|name| self.function.fresh_size(name));
        let of_part =
            |part, sum: &Nat| Place::element(parts, Nat::mul(&Nat::var(part), &length) + sum);
        let over = |counter, to: &Nat, mode, stmt: Stmt| {
            made(StmtKind::For(Loop {
                counter,
                from: Nat::ZERO,
                to: to.clone(),
                step: Nat::ONE,
                mode,
                body: vec![stmt],
            }))
        };
        let expr = |kind| Expr::new(kind, ty.clone(), origin);
        let zero = expr(ExprKind::Literal(Literal::Int {
            value: 0,
            suffix: None,
        }));
        let initial = made(StmtKind::Assign(of_part(part, &Nat::var(first)), zero));
        let share = Nat::div(&count, &Nat::constant(PARTS));
        let start = |part: &Nat| &this.from + &Nat::mul(part, &share);
        let mut iterations = Loop {
            from: start(&Nat::var(part)),
            to: start(&(Nat::var(part) + 1)),
            ..this.clone()
        };
        let rest = Loop {
            from: start(&Nat::constant(PARTS)),
            ..this.clone()
        };
        walk::change_all(
            &mut iterations.body,
            &mut InPart {
                sums: sums.id,
                parts,
                offset: Nat::sub(&Nat::mul(&Nat::var(part), &length), &sums.first),
            },
        );
        let of_parts = made(StmtKind::For(Loop {
            counter: part,
            from: Nat::ZERO,
            to: Nat::constant(PARTS),
            step: Nat::ONE,
            mode: LoopMode::Parallel,
            body: vec![
                over(first, &length, LoopMode::Sequential, initial),
                made(StmtKind::For(iterations)),
            ],
        }));
        let sum = Place::element(sums.id, &sums.first + &Nat::var(at));
        let load = |place: Place| Box::new(expr(ExprKind::Load(place)));
        let added = ExprKind::Binary(
            Binary::Add,
            load(sum.clone()),
            load(of_part(of_result, &Nat::var(at))),
        );
        let addition = made(StmtKind::Assign(sum, expr(added)));
        let additions = over(at, &length, LoopMode::Parallel, addition);
        let results = over(
            of_result,
            &Nat::constant(PARTS),
            LoopMode::Replicated,
            additions,
        );
        let mut in_parts = vec![made(StmtKind::Declare(parts, None)), of_parts, results];
        if rest.from != rest.to {
            in_parts.push(made(StmtKind::For(rest)));
        }
        if has_enough {
            return Some(in_parts);
        }
        Some(vec![made(StmtKind::If {
            condition: less(&(least + -1), &most, origin),
            then: in_parts,
            otherwise: vec![made(StmtKind::For(this.clone()))],
        })])
    }
}

/// A visitor that replaces the sums by those of a part, which start at an offset.
struct InPart {
    sums: Id,
    parts: Id,
    offset: Nat,
}

impl Change for InPart {
    fn place(&mut self, place: &mut Place) {
        if place.id == self.sums {
            place.id = self.parts;
            place.index = place.index.as_ref().map(|index| &self.offset + index);
        }
    }
}
