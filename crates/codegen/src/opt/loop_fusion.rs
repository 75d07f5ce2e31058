//! Fuses loops: joins two sequential loops over the same range that read the same elements of
//! memory, so that each element is loaded once. Only declarations may be between them.
//!
//! Only loops without any dependence between them are fused, so that every order of their
//! iterations computes the same (Kennedy and McKinley, "Maximizing Loop Parallelism and Improving
//! Data Locality via Loop Fusion and Distribution", 1993). Common reads are required, because the
//! fused loop needs the registers and cache lines of both.

use nat::{Nat, Var};
use rustc_hash::FxHashSet;

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Look, ReplaceSize};
use crate::ir::{Function, Id, Loop, LoopMode, Place, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "loop-fusion",
    run: Run::Always(run),
    changes: Changes::all("in one loop with another one that reads the same elements"),
};

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let fusion = Fusion {
        untracked: uses.untracked(&body),
        uses,
        function,
    };
    fusion.block(&mut body);
    function.body = body;
}

struct Fusion<'f> {
    uses: Uses,
    /// The variables that are used through pointers, by indices that depend on data, or in parallel
    /// reductions.
    untracked: FxHashSet<Id>,
    function: &'f Function,
}

impl Fusion<'_> {
    fn block(&self, body: &mut Vec<Stmt>) {
        let mut fused: Vec<Stmt> = Vec::with_capacity(body.len());
        for stmt in std::mem::take(body) {
            if let StmtKind::For(second) = &stmt.kind
                && let Some((at, mut behind)) = self.partner(&fused, second)
                && let StmtKind::For(first) = &mut fused[at].kind
            {
                first.body.append(&mut behind);
                // The variables of the second loop are declared before it.
                fused[at..].rotate_left(1);
                continue;
            }
            fused.push(stmt);
        }
        for stmt in &mut fused {
            walk::each_block(stmt, &mut |inner| self.block(inner));
        }
        *body = fused;
    }

    /// Returns the position of the loop in `before` with which the loop `second`, which follows,
    /// can be fused, and the statements to append to the body of that one; `None` if there is none.
    /// Nothing but declarations of variables that are not arrays is in between.
    fn partner(&self, before: &[Stmt], second: &Loop) -> Option<(usize, Vec<Stmt>)> {
        let is_declaration = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare(..));
        let at = before.iter().rposition(|stmt| !is_declaration(stmt))?;
        let StmtKind::For(first) = &before[at].kind else {
            return None;
        };
        let [a, b] = [first, second].map(|this| (this.mode, &this.from, &this.to, &this.step));
        if a != b || first.mode != LoopMode::Sequential || has_loop(&second.body, first.counter) {
            return None;
        }
        let (reads, writes) = self.accesses(&first.body)?;
        let (other_reads, other_writes) = self.accesses(&second.body)?;
        let are_independent = writes.is_disjoint(&other_reads)
            && other_writes.is_disjoint(&reads)
            && other_writes.is_disjoint(&writes);
        let mut declarations = before[at + 1..].iter();
        let body = with_counter_of(first, second);
        (are_independent
            && declarations.all(|stmt| self.can_precede(stmt, &writes))
            && share_elements(first, &body))
        .then_some((at, body))
    }

    /// Returns true if a declaration is not of an array, and its value reads none of `writes`.
    fn can_precede(&self, declaration: &Stmt, writes: &FxHashSet<Id>) -> bool {
        let mut is_apart = true;
        self.uses.stmt(declaration, &mut |id, mention| {
            let is_scalar = self.function.variables[id.0 as usize].count.is_none();
            is_apart &= match mention {
                Mention::Declared => is_scalar,
                _ => !writes.contains(&id),
            };
        });
        is_apart
    }

    /// Returns the variables that statements read, and those that they write or declare; `None` if
    /// they may access others, contain indices that depend on data, or contain other statements
    /// than declarations, assignments, loops, branches and blocks.
    fn accesses(&self, body: &[Stmt]) -> Option<(FxHashSet<Id>, FxHashSet<Id>)> {
        let mut is_plain = true;
        walk::each_stmt(body, &mut |stmt| {
            is_plain &= match stmt.kind {
                StmtKind::Declare(..)
                | StmtKind::Assign(..)
                | StmtKind::For(_)
                | StmtKind::If { .. }
                | StmtKind::Block(_) => true,
                StmtKind::Point(..)
                | StmtKind::Swap(..)
                | StmtKind::Reduce(_)
                | StmtKind::Barrier(_)
                | StmtKind::Kernel(_) => false,
            }
        });
        let (mut reads, mut writes) = (FxHashSet::default(), FxHashSet::default());
        self.uses.all(body, &mut |id, mention| match mention {
            Mention::Read(_) => _ = reads.insert(id),
            Mention::Declared | Mention::Written(_) => _ = writes.insert(id),
            // An index that depends on data may contain a counter, which cannot be replaced there.
            Mention::Index | Mention::Pointed | Mention::Reduced => is_plain = false,
        });
        (is_plain && writes.is_disjoint(&self.untracked)).then_some((reads, writes))
    }
}

/// Returns true if statements or nested ones are a loop with this counter, as in copies of a loop.
fn has_loop(body: &[Stmt], counter: Var) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::For(inner) if inner.counter == counter);
    });
    found
}

/// Returns true if an iteration of a loop and one of a second loop, whose body has the same
/// counter, access the same element of an array. As the loops are independent, both of them read
/// it.
fn share_elements(first: &Loop, second: &[Stmt]) -> bool {
    let [a, b] = [&*first.body, second].map(|body| {
        let mut elements = Elements(first.counter, Vec::new());
        walk::look(body, &mut elements);
        elements.1
    });
    a.iter().any(|place| b.contains(place))
}

/// The counter of a loop, and the places whose indices contain it, which this visitor collects.
struct Elements(Var, Vec<Place>);

impl Look for Elements {
    fn place(&mut self, place: &Place) {
        let index = place.index.as_ref();
        if index.is_some_and(|index| index.mentions(self.0)) {
            self.1.push(place.clone());
        }
    }
}

/// Returns the body of the second loop with the counter of the first one in place of its own.
fn with_counter_of(first: &Loop, second: &Loop) -> Vec<Stmt> {
    let mut body = second.body.clone();
    let mut rename = ReplaceSize {
        var: second.counter,
        value: Nat::var(first.counter),
    };
    walk::change_all(&mut body, &mut rename);
    body
}
