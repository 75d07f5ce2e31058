//! Marks short loops over private arrays to be unrolled, so that their elements can become
//! variables: private memory with computed indices is slow on a device. Also marks the loops over
//! vector lanes that are left.

use nat::Nat;

use super::{Pass, Run};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Look};
use crate::ir::{Function, Loop, LoopMode, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "unrolling",
    run: Run::Always(run),
    changes: Changes::all("unrolled, so that elements of private memory become variables"),
};

/// The maximal number of statements that a sequential loop may have after unrolling for the pass to
/// mark it.
const MAX_STATEMENTS: i64 = 1024;

/// The maximal number of iterations that a sequential loop may have for the pass to mark it.
const MAX_ROUNDS: i64 = 64;

/// The maximal number of elements of a private array for which loops are marked: elements of larger
/// ones do not become variables.
const MAX_ELEMENTS: i64 = 256;

/// Marks the loops of a function to be unrolled.
fn run(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    block(&mut body, function);
    function.body = body;
}

/// Marks loops of a block to be unrolled, also those over vector lanes with a constant number, and
/// returns the number of statements of the block after unrolling.
fn block(body: &mut [Stmt], function: &Function) -> i64 {
    let mut total: i64 = 0;
    for stmt in body {
        let size = match &mut stmt.kind {
            StmtKind::For(_) => repetition(stmt, function),
            StmtKind::If {
                then, otherwise, ..
            } => block(then, function) + block(otherwise, function),
            StmtKind::Block(inner) => block(inner, function),
            _ => 0,
        };
        total = total.saturating_add(size.saturating_add(1));
    }
    total
}

fn repetition(stmt: &mut Stmt, function: &Function) -> i64 {
    let StmtKind::For(Loop {
        counter,
        from,
        to,
        step,
        mode,
        body,
    }) = &mut stmt.kind
    else {
        return 0;
    };
    let size = block(body, function);
    let rounds = match (Nat::sub(to, from).as_const(), step.as_const()) {
        (Some(length), Some(step)) if step > 0 => (length + step - 1) / step,
        _ => return size,
    };
    let whole = size.saturating_mul(rounds.max(1));
    if *mode == LoopMode::Vector {
        *mode = LoopMode::Unrolled;
    }
    if *mode == LoopMode::Unrolled {
        return whole;
    }
    if *mode != LoopMode::Sequential || rounds > MAX_ROUNDS || whole > MAX_STATEMENTS {
        return size;
    }
    let mut found = Private {
        counter: *counter,
        function,
        yes: false,
    };
    walk::look(body, &mut found);
    if found.yes {
        *mode = LoopMode::Unrolled;
        return whole;
    }
    size
}

/// A visitor that finds places in private memory whose index or lane depends on a counter, and that
/// are in arrays of at most [`MAX_ELEMENTS`] elements or are single lanes.
struct Private<'f> {
    counter: nat::Var,
    function: &'f Function,
    yes: bool,
}

impl Look for Private<'_> {
    fn place(&mut self, place: &Place) {
        let variable = &self.function.variables[place.id.0 as usize];
        let count = variable.count.as_ref().and_then(Nat::as_const);
        let small = count.is_some_and(|count| count <= MAX_ELEMENTS);
        let sizes = [&place.index, &place.lane];
        let mut indices = sizes.into_iter().flatten();
        self.yes |= variable.is_private()
            && (small || place.lane.is_some())
            && indices.any(|index| index.mentions(self.counter));
    }
}
