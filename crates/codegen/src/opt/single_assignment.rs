//! Marks variables with a single assignment, their declaration: C code declares them `const`.

use rustc_hash::FxHashSet;

use crate::ir::{Function, Id, Stmt, StmtKind};

use super::Pass;
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;

pub(crate) const PASS: Pass = Pass {
    name: "single-assignment",
    run: |function| {
        function.constants = initialised_once(function);
        Ok(())
    },
    changes: Changes {
        moved: "keeps its first value",
        repeated: "keeps its first value",
        rewritten: "keeps its first value",
    },
};

/// Returns the scalar variables that keep their initial value.
fn initialised_once(function: &Function) -> FxHashSet<Id> {
    let uses = Uses::of(function);
    let mut written = FxHashSet::default();
    let mut initialised = FxHashSet::default();
    collect_initialised(&function.body, &mut initialised);
    uses.all(&function.body, &mut |id, mention| {
        if matches!(
            mention,
            Mention::Written(_) | Mention::Pointed | Mention::Reduced
        ) {
            written.insert(id);
        }
    });
    initialised.retain(|id| !written.contains(id));
    initialised
}

fn collect_initialised(body: &[Stmt], out: &mut FxHashSet<Id>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Declare(id, Some(_)) => {
                out.insert(*id);
            }
            StmtKind::For { body, .. } | StmtKind::Block(body) => collect_initialised(body, out),
            StmtKind::If {
                then, otherwise, ..
            } => {
                collect_initialised(then, out);
                collect_initialised(otherwise, out);
            }
            StmtKind::Reduce(reduce) => {
                collect_initialised(&reduce.element_body, out);
                collect_initialised(&reduce.combine, out);
            }
            _ => {}
        }
    }
}
