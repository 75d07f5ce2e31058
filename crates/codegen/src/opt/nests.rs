//! The traversal that passes on nests of loops have in common, with what they know at each loop.

use nat::Facts;
use rustc_hash::FxHashSet;

use crate::analysis::conditions::assume_loop;
use crate::analysis::uses::Uses;
use crate::ir::walk;
use crate::ir::{Function, Id, Loop, Stmt, StmtKind};

/// A function and the facts that hold where a pass looks at a loop.
pub(super) struct Nests<'f> {
    /// The function, without its statements.
    pub function: &'f mut Function,
    pub uses: Uses,
    /// The variables that may be accessed other than by name.
    pub untracked: FxHashSet<Id>,
    /// The facts about sizes, also about the counters of the loops around.
    pub facts: Facts,
}

/// Returns the statements in place of a loop; `None` to leave it as it is and to go on with the loops
/// inside it.
type Replace<'r> = dyn FnMut(&mut Nests<'_>, &Stmt, &Loop) -> Option<Vec<Stmt>> + 'r;

/// Replaces loops of a function. Each loop is looked at before those inside it.
pub(super) fn replace_loops(function: &mut Function, replace: &mut Replace<'_>) {
    let uses = Uses::of(function);
    let mut body = std::mem::take(&mut function.body);
    let mut nests = Nests {
        untracked: uses.untracked(&body),
        uses,
        facts: function.known(),
        function,
    };
    nests.block(&mut body, replace);
    function.body = body;
}

impl Nests<'_> {
    fn block(&mut self, body: &mut Vec<Stmt>, replace: &mut Replace<'_>) {
        for mut stmt in std::mem::take(body) {
            let facts = self.facts.clone();
            if let StmtKind::For(this) = &stmt.kind {
                if let Some(replaced) = replace(self, &stmt, this) {
                    body.extend(replaced);
                    continue;
                }
                assume_loop(&mut self.facts, this);
            }
            walk::each_block(&mut stmt, &mut |inner| self.block(inner, replace));
            self.facts = facts;
            body.push(stmt);
        }
    }
}
