//! Loop interchange: puts a loop whose iterations share a matrix directly around the accumulation
//! that reads the matrix.
//!
//! `for o { for y { for k { for x { sums[x] += weights[o][k] * rows[y][k][x] } } } }` reads the rows
//! of each `y` again for each `o`. With the loop over `y` outside, the iterations of `o` read the same
//! rows, and can be executed together: see [unroll-and-jam](super::unroll_and_jam). (Allen and
//! Kennedy, *Optimizing Compilers for Modern Architectures*, 2001, section 5.2.)

use nat::Facts;
use rustc_hash::FxHashSet;

use super::{Pass, Run};
use crate::analysis::accumulation::AccumulatedRow;
use crate::analysis::conditions::assume_loop;
use crate::analysis::iterations::writes_own_elements;
use crate::analysis::uses::Uses;
use crate::ir::trace::Changes;
use crate::ir::walk::{self, mentions};
use crate::ir::{Function, Id, Loop, LoopMode, Stmt, StmtKind};

pub(crate) const PASS: Pass = Pass {
    name: "loop-interchange",
    run: Run::Always(run),
    changes: Changes::all("the loop was inside the one that is now inside it"),
};

fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = Interchange {
        untracked: uses.untracked(&body),
        uses,
        facts: function.known(),
    };
    pass.block(&mut body);
    function.body = body;
}

struct Interchange {
    uses: Uses,
    /// The variables that may be accessed other than by name.
    untracked: FxHashSet<Id>,
    facts: Facts,
}

impl Interchange {
    fn block(&mut self, body: &mut Vec<Stmt>) {
        for stmt in body {
            let facts = self.facts.clone();
            if let StmtKind::For(this) = &mut stmt.kind {
                if self.is_interchanged(this) {
                    interchange(this);
                }
                assume_loop(&mut self.facts, this);
            }
            walk::each_block(stmt, &mut |inner| self.block(inner));
            self.facts = facts;
        }
    }

    /// Returns true if a loop contains nothing but a loop that should be outside of it, and may be.
    fn is_interchanged(&self, this: &Loop) -> bool {
        let [stmt] = &*this.body else { return false };
        let StmtKind::For(inner) = &stmt.kind else {
            return false;
        };
        let has_plain_mode =
            |this: &Loop| matches!(this.mode, LoopMode::Sequential | LoopMode::Parallel);
        let sizes = [&inner.from, &inner.to, &inner.step];
        let mut facts = self.facts.clone();
        assume_loop(&mut facts, this);
        has_plain_mode(this)
            && has_plain_mode(inner)
            && sizes
                .iter()
                .all(|size| !size.mentions(this.counter) && !self.uses.is_data(size))
            && shares_rows(this, inner)
            && writes_own_elements(this, &self.facts, &self.uses, &self.untracked)
            && writes_own_elements(inner, &facts, &self.uses, &self.untracked)
    }
}

/// Returns true if the iterations of the outer loop accumulate the same rows with factors of their
/// own, and those of the inner loop accumulate other rows with the same factors.
fn shares_rows(outer: &Loop, inner: &Loop) -> bool {
    let (outer, y) = (outer.counter, inner.counter);
    AccumulatedRow::all(&inner.body).iter().any(|row| {
        let column = row.columns.counter;
        let operands = row.operands();
        let (rows, factors): (Vec<_>, Vec<_>) = operands
            .into_iter()
            .partition(|operand| mentions(operand, column));
        rows.iter().any(|row| mentions(row, y))
            && rows.iter().all(|row| !mentions(row, outer))
            && factors.iter().any(|factor| mentions(factor, outer))
            && factors.iter().all(|factor| !mentions(factor, y))
    })
}

/// Exchanges a loop and the one that is its body, except for their modes.
fn interchange(this: &mut Loop) {
    let [stmt] = &mut *this.body else { return };
    let StmtKind::For(inner) = &mut stmt.kind else {
        return;
    };
    std::mem::swap(&mut this.counter, &mut inner.counter);
    std::mem::swap(&mut this.from, &mut inner.from);
    std::mem::swap(&mut this.to, &mut inner.to);
    std::mem::swap(&mut this.step, &mut inner.step);
}
