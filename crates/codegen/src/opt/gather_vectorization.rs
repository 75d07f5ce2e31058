//! Marks innermost loops of parallel regions that gather, which is that they load elements at indices
//! that depend on data, to be vectorised if their iterations are independent.
//!
//! A C compiler sees that by itself only if it knows that what the loop writes does not overlap what
//! it gathers. Elsewhere that follows from `restrict`, which GCC ignores in the functions that it
//! makes of parallel regions.

use nat::Facts;
use rustc_hash::FxHashSet;

use super::{Pass, Run};
use crate::analysis::conditions::assume_loop;
use crate::analysis::iterations::writes_own_elements;
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{ExprKind, Function, Id, Loop, LoopMode, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "gather-vectorization",
    run: Run::Always(run),
    changes: Changes::all("the iterations are marked as independent"),
};

fn run(function: &mut Function) {
    if !function.features.has_threads() {
        return;
    }
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Gathers {
        untracked: uses.untracked(&body),
        uses,
        facts: function.known(),
        is_parallel: false,
    };
    pass.block(&mut body);
    function.body = body;
}

struct Gathers {
    uses: Uses,
    /// The variables that may be accessed other than by name.
    untracked: FxHashSet<Id>,
    facts: Facts,
    /// True in a parallel region.
    is_parallel: bool,
}

impl Gathers {
    fn block(&mut self, body: &mut Vec<Stmt>) {
        for stmt in body {
            let (facts, is_parallel) = (self.facts.clone(), self.is_parallel);
            if let StmtKind::For(this) = &mut stmt.kind {
                self.is_parallel |= this.mode == LoopMode::Parallel;
                if is_parallel && self.gathers(this) {
                    this.mode = LoopMode::Vector;
                }
                assume_loop(&mut self.facts, this);
            }
            walk::each_block(stmt, &mut |inner| self.block(inner));
            self.facts = facts;
            self.is_parallel = is_parallel;
        }
    }

    /// Returns true if a loop consists of declarations and assignments, loads elements at indices
    /// that depend on data, and has independent iterations.
    fn gathers(&self, this: &Loop) -> bool {
        let is_straight = this
            .body
            .iter()
            .all(|stmt| matches!(stmt.kind, StmtKind::Declare(..) | StmtKind::Assign(..)));
        let mut has_gather = false;
        walk::for_each_expr(&this.body, &mut |expr| {
            walk::sub_exprs(expr, &mut |part| {
                if let ExprKind::Load(place) = &part.kind {
                    let index = place.index.as_ref();
                    has_gather |= index.is_some_and(|index| self.uses.is_data(index));
                }
            });
        });
        this.mode == LoopMode::Sequential
            && this.step.is_one()
            && is_straight
            && has_gather
            && writes_own_elements(this, &self.facts, &self.uses, &self.untracked)
    }
}
