//! Iterations whose state has few elements: each computes the next state in other variables and
//! copies it back at its end, so that both become scalar variables, which C compilers keep in
//! registers. Buffers between which pointers are exchanged would stay in memory.
//!
//! Components of the next state that one condition selects are assigned in one conditional
//! statement. GCC and Clang then branch, and GCC ends the loop where the other branch keeps the
//! state. For one conditional expression for each component, Clang computes all values in each
//! iteration.

use nat::{Nat, Var};

use super::Lower;
use super::buffers::declare;
use super::double_buffer::DoubleBuffer;
use super::env::{Bound, Env, Path};
use super::iterate::IterateLoop;
use super::read::load;
use super::store::Store;
use crate::error::Result;
use crate::ir::walk::{self, Look};
use crate::ir::{Expr, ExprKind, Id, Loop, LoopMode, Place, Stmt, StmtKind};
use rise::Ty;
use rise::core::Origin;
use rise::types::contains_array;

/// The maximal number of elements of a small state.
const MAX_ELEMENTS: i64 = 4;

/// The memory of a small state.
#[derive(Clone, Debug)]
pub(super) struct SmallState {
    /// The state that an iteration reads.
    current: Store,
    /// The state that it computes.
    next: Store,
    /// The type of both.
    ty: Ty,
}

impl Lower<'_> {
    /// Returns true if a program for a CPU iterates over a state of at most [`MAX_ELEMENTS`]
    /// elements, all of which each iteration writes; also if it iterates over more elements that
    /// contain arrays, for which there are no pointers.
    pub(super) fn has_small_state(
        &mut self,
        buffers: &DoubleBuffer<'_>,
        iterations: &IterateLoop,
    ) -> bool {
        let all = &buffers.input_count;
        let count = self.count(&buffers.array(all)).as_const();
        !self.function.features.has_work_items()
            && (contains_array(&buffers.elem)
                || count.is_some_and(|count| (1..=MAX_ELEMENTS).contains(&count)))
            && buffers.result_count == *all
            && iterations.written == *all
    }

    /// Lowers the loop over a small state, whose loops over elements are unrolled.
    pub(super) fn iterations_over_small_state(
        &mut self,
        buffers: &DoubleBuffer<'_>,
        env: &Env,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let origin = buffers.origin;
        let ty = buffers.array(&buffers.input_count);
        let [current, next] =
            ["state", "next"].map(|name| self.allocate(&name.into(), &ty, buffers.home, origin));
        let start = out.len();
        declare(&current, origin, out);
        self.copy_in(buffers, &current, env, out)?;
        let state = SmallState {
            current: current.clone(),
            next: next.clone(),
            ty,
        };
        let inner = env
            .with(&buffers.acc, Bound::Store(next.clone()))
            .with(&buffers.exp, Bound::Store(current.clone()))
            .with(&buffers.swap, Bound::CopyBack(state));
        let inner = buffers.with_redirection(inner, Bound::Skip);
        let first = out.len();
        self.command(&buffers.body, &inner, out)?;
        declare_in_loop(&next, origin, first, out);
        self.copy_out(&current, buffers, env, out)?;
        let mut ids = Vec::new();
        next.leaves(&mut ids);
        for stmt in &mut out[first..] {
            walk::each_block(stmt, &mut |inner| share_conditions(inner, &ids));
        }
        current.leaves(&mut ids);
        unroll_over(&mut out[start..], &ids);
        Ok(())
    }

    /// Copies the state that an iteration has computed to the one that the next iteration reads.
    pub(super) fn copy_back(
        &mut self,
        state: &SmallState,
        origin: Origin,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let body = &mut |lower: &mut Self, path: Path, out: &mut Vec<Stmt>| {
            let value = load(lower.part(&state.next, path.clone(), origin)?, origin);
            let place = lower.part(&state.current, path, origin)?;
            lower.assign(place, value, origin, out)
        };
        self.each_element(&state.ty, Path::new(), origin, body, out)
    }
}

/// Declares the variables of a store in the body of the loop among the statements from `first` on.
fn declare_in_loop(store: &Store, origin: Origin, first: usize, out: &mut Vec<Stmt>) {
    let mut declarations = Vec::new();
    declare(store, origin, &mut declarations);
    let body = out[first..]
        .iter_mut()
        .find_map(|stmt| match &mut stmt.kind {
            StmtKind::For(Loop { body, .. }) => Some(body),
            _ => None,
        });
    match body {
        Some(body) => body.splice(0..0, declarations),
        None => out.splice(first..first, declarations),
    };
}

/// Makes one conditional statement of consecutive assignments to these variables whose values one
/// condition selects. The conditions and values must not read the variables.
fn share_conditions(body: &mut Vec<Stmt>, ids: &[Id]) {
    let mut rest = std::mem::take(body).into_iter().peekable();
    while let Some(mut stmt) = rest.next() {
        walk::each_block(&mut stmt, &mut |inner| share_conditions(inner, ids));
        let condition = selection(&stmt, ids).cloned();
        let mut run = vec![stmt];
        while condition.is_some()
            && let Some(next) = rest.next_if(|next| selection(next, ids) == condition.as_ref())
        {
            run.push(next);
        }
        match condition {
            Some(condition) if run.len() > 1 => body.push(conditional(condition, run)),
            _ => body.extend(run),
        }
    }
}

/// Returns the condition that selects the value which a statement assigns to one of these
/// variables, if it is such a statement.
fn selection<'s>(stmt: &'s Stmt, ids: &[Id]) -> Option<&'s Expr> {
    match &stmt.kind {
        StmtKind::Assign(place, value) if ids.contains(&place.id) => match &value.kind {
            ExprKind::Select(condition, ..) => Some(condition),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the conditional statement for assignments whose values this condition selects.
fn conditional(condition: Expr, assignments: Vec<Stmt>) -> Stmt {
    let origin = condition.origin;
    let (mut then, mut otherwise) = (Vec::new(), Vec::new());
    for stmt in assignments {
        if let StmtKind::Assign(place, value) = stmt.kind
            && let ExprKind::Select(_, a, b) = value.kind
        {
            for (branch, value) in [(&mut then, a), (&mut otherwise, b)] {
                let kind = StmtKind::Assign(place.clone(), *value);
                branch.push(Stmt::new(kind, stmt.origin, stmt.made_by));
            }
        }
    }
    let kind = StmtKind::If {
        condition,
        then,
        otherwise,
    };
    Stmt::new(kind, origin, None)
}

/// Marks the loops with at most [`MAX_ELEMENTS`] iterations that access these variables by their
/// counters for unrolling.
fn unroll_over(body: &mut [Stmt], ids: &[Id]) {
    for stmt in body {
        walk::each_block(stmt, &mut |inner| unroll_over(inner, ids));
        if let StmtKind::For(this) = &mut stmt.kind
            && this.mode == LoopMode::Sequential
            && Nat::sub(&this.to, &this.from)
                .as_const()
                .is_some_and(|n| n <= MAX_ELEMENTS)
            && accesses_by(&this.body, this.counter, ids)
        {
            this.mode = LoopMode::Unrolled;
        }
    }
}

/// Returns true if statements access one of these variables by an index that depends on a counter.
fn accesses_by(body: &[Stmt], counter: Var, ids: &[Id]) -> bool {
    struct Finds<'i> {
        counter: Var,
        ids: &'i [Id],
        found: bool,
    }
    impl Look for Finds<'_> {
        fn place(&mut self, place: &Place) {
            let index = place.index.as_ref();
            self.found |= self.ids.contains(&place.id)
                && index.is_some_and(|index| index.mentions(self.counter));
        }
    }
    let mut finds = Finds {
        counter,
        ids,
        found: false,
    };
    walk::look(body, &mut finds);
    finds.found
}
