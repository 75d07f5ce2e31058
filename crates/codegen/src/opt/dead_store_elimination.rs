//! Eliminates dead stores: removes assignments whose value no statement reads, going backwards
//! through each block.

use rustc_hash::FxHashSet;

use crate::ir::{Function, Id, Loop, Stmt, StmtKind};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;

pub(crate) const PASS: Pass = Pass {
    name: "dead-store-elimination",
    run: Run::Always(run),
    changes: Changes {
        moved: "moved to another block",
        repeated: "a value that nothing reads is not stored",
        rewritten: "a value that nothing reads is not stored",
    },
};

/// Removes dead stores to private variables that are not arrays and whose uses are all known.
fn run(function: &mut Function) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut pass = DeadStores {
        excluded: uses.untracked(&body),
        uses,
        function,
    };
    pass.block(&mut body, &FxHashSet::default(), &mut FxHashSet::default());
    function.body = body;
}

struct DeadStores<'f> {
    uses: Uses,
    excluded: FxHashSet<Id>,
    function: &'f Function,
}

impl DeadStores<'_> {
    /// Removes the dead stores of a block. `later` contains the variables that are used after the
    /// current statement, and `around` those that are declared in the enclosing blocks up to the
    /// innermost loop. Only stores to variables of `around` and of the block are removed, because
    /// the next iteration of a loop may read others.
    fn block(&mut self, body: &mut Vec<Stmt>, around: &FxHashSet<Id>, later: &mut FxHashSet<Id>) {
        let mut own = around.clone();
        own.extend(body.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Declare(id, _) => Some(id),
            _ => None,
        }));
        for at in (0..body.len()).rev() {
            match &mut body[at].kind {
                StmtKind::Assign(place, _) => {
                    let id = place.id;
                    let is_last = own.contains(&id) && !later.contains(&id);
                    if is_last
                        && place.index.is_none()
                        && self.function.is_private(id)
                        && !self.excluded.contains(&id)
                    {
                        body.remove(at);
                        continue;
                    }
                }
                StmtKind::If {
                    then, otherwise, ..
                } => {
                    self.block(then, &own, &mut later.clone());
                    self.block(otherwise, &own, &mut later.clone());
                }
                StmtKind::Block(body) => self.block(body, &own, &mut later.clone()),
                StmtKind::For(Loop { body, .. }) => {
                    self.block(body, &FxHashSet::default(), &mut FxHashSet::default());
                }
                _ => {}
            }
            self.uses.stmt(&body[at], &mut |id, mention| {
                if mention != Mention::Declared {
                    later.insert(id);
                }
            });
        }
    }
}
