//! Marks short loops to be unrolled whose counters select elements that then need no memory: of
//! literal arrays, and on devices, where private memory with computed indices is slow, also of
//! private arrays. On devices it also marks the loops over vector lanes that are left, and on CPUs
//! those over windows of two dimensions.

use nat::Nat;

use super::unroll_and_jam::reduces_windows;
use super::{Pass, Run};
use crate::analysis::vectorization::MAX_UNROLLED_BY_COMPILERS;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Look};
use crate::ir::{ExprKind, Function, Loop, LoopMode, Place, Stmt, StmtKind};

/// Marks loops over literal and private arrays and over vector lanes.
pub(crate) const PASS: Pass = Pass {
    name: "unrolling",
    run: Run::Always(|function| mark(function, DEVICE)),
    changes: Changes::all("unrolled, so that elements of private memory become variables"),
};

/// Marks loops over literal arrays.
pub(crate) const LITERAL_ARRAYS: Pass = Pass {
    name: "unrolling",
    run: Run::Always(|function| mark(function, CPU)),
    changes: Changes::all("unrolled, so that elements of arrays are known"),
};

/// The loops that are marked.
#[derive(Clone, Copy)]
struct Limits {
    /// The maximal number of statements that a sequential loop may have after unrolling.
    statements: i64,
    /// The maximal number of iterations that a sequential loop may have.
    rounds: i64,
    /// The maximal number of elements of a private array whose loops are marked, as loops over lanes
    /// are: elements of larger ones do not become variables. `None` if only loops over literal
    /// arrays are marked.
    private: Option<i64>,
}

const DEVICE: Limits = Limits {
    statements: 1024,
    rounds: 64,
    private: Some(256),
};

const CPU: Limits = Limits {
    statements: 64,
    rounds: 16,
    private: None,
};

/// Marks the loops of a function to be unrolled.
fn mark(function: &mut Function, limits: Limits) {
    let mut body = std::mem::take(&mut function.body);
    Marking { function, limits }.block(&mut body);
    function.body = body;
}

struct Marking<'f> {
    function: &'f Function,
    limits: Limits,
}

impl Marking<'_> {
    /// Marks loops of a block to be unrolled, and returns the number of statements of the block
    /// after unrolling.
    fn block(&self, body: &mut [Stmt]) -> i64 {
        let mut total: i64 = 0;
        for stmt in body {
            let size = match &mut stmt.kind {
                StmtKind::For(this) => self.repetition(this),
                StmtKind::If {
                    then, otherwise, ..
                } => self.block(then) + self.block(otherwise),
                StmtKind::Block(inner) => self.block(inner),
                _ => 0,
            };
            total = total.saturating_add(size.saturating_add(1));
        }
        total
    }

    fn repetition(&self, this: &mut Loop) -> i64 {
        let limits = self.limits;
        let size = self.block(&mut this.body);
        let length = Nat::sub(&this.to, &this.from).as_const();
        let rounds = match (length, this.step.as_const()) {
            (Some(length), Some(step)) if step > 0 => (length + step - 1) / step,
            _ => {
                if self.limits.private.is_none() {
                    mark_windows(this);
                }
                return size;
            }
        };
        let whole = size.saturating_mul(rounds.max(1));
        if limits.private.is_some() && this.mode == LoopMode::Vector {
            this.mode = LoopMode::Unrolled;
        }
        if this.mode == LoopMode::Unrolled {
            return whole;
        }
        if this.mode != LoopMode::Sequential || rounds > limits.rounds || whole > limits.statements
        {
            return size;
        }
        let is_marked = selects_from_literals(&this.body, this.counter)
            || limits.private.is_some_and(|elements| {
                let mut found = Private {
                    counter: this.counter,
                    function: self.function,
                    elements,
                    yes: false,
                };
                walk::look(&this.body, &mut found);
                found.yes
            });
        if is_marked {
            this.mode = LoopMode::Unrolled;
            return whole;
        }
        size
    }
}

/// Marks the loops over windows of two dimensions that C compilers do not unroll themselves, although
/// they then compute neighbouring results in the lanes of vectors.
fn mark_windows(this: &mut Loop) {
    /// The maximal number of iterations of nested loops that are marked.
    const MAX_ITERATIONS: i64 = 128;
    let mut iterations: i64 = 1;
    let mut loops = 0;
    walk::each_stmt(&this.body, &mut |stmt| {
        if let StmtKind::For(inner) = &stmt.kind {
            let length = Nat::sub(&inner.to, &inner.from).as_const();
            let is_plain = inner.mode == LoopMode::Sequential && inner.step.is_one();
            iterations = match length.filter(|_| is_plain) {
                Some(length) => iterations.saturating_mul(length.max(1)),
                None => i64::MAX,
            };
            loops += 1;
        }
    });
    let is_long = iterations > MAX_UNROLLED_BY_COMPILERS && iterations <= MAX_ITERATIONS;
    if loops == 2 && is_long && reduces_windows(this) {
        fn mark(body: &mut [Stmt]) {
            for stmt in body {
                if let StmtKind::For(inner) = &mut stmt.kind {
                    inner.mode = LoopMode::Unrolled;
                    mark(&mut inner.body);
                }
            }
        }
        mark(&mut this.body);
    }
}

/// Returns true if statements contain elements of literal arrays whose index depends on a counter.
fn selects_from_literals(body: &[Stmt], counter: nat::Var) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |stmt| {
        walk::each_expr(stmt, &mut |expr| {
            walk::sub_exprs(expr, &mut |part| {
                let selects = |index: &Nat| index.mentions(counter);
                found |= matches!(&part.kind, ExprKind::Element(_, index) if selects(index));
            });
        });
    });
    found
}

/// A visitor that finds places in private memory whose index or lane depends on a counter, and that
/// are in arrays of at most `elements` elements or are single lanes.
struct Private<'f> {
    counter: nat::Var,
    function: &'f Function,
    elements: i64,
    yes: bool,
}

impl Look for Private<'_> {
    fn place(&mut self, place: &Place) {
        let variable = &self.function.variables[place.id.0 as usize];
        let count = variable.count.as_ref().and_then(Nat::as_const);
        let small = count.is_some_and(|count| count <= self.elements);
        let sizes = [&place.index, &place.lane];
        let mut indices = sizes.into_iter().flatten();
        self.yes |= variable.is_private()
            && (small || place.lane.is_some())
            && indices.any(|index| index.mentions(self.counter));
    }
}
