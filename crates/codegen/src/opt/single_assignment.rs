//! Marks variables that are assigned only by their declaration: C code declares them `const`.

use rustc_hash::FxHashSet;

use crate::ir::{Function, Id, StmtKind};

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk;

pub(crate) const PASS: Pass = Pass {
    name: "single-assignment",
    run: Run::Always(|function| function.constants = initialised_once(function)),
    changes: Changes::all("keeps its first value"),
};

/// Returns the variables that are declared with a value and are not assigned afterwards.
fn initialised_once(function: &Function) -> FxHashSet<Id> {
    let uses = Uses::of(function);
    let mut written = FxHashSet::default();
    let mut initialised = FxHashSet::default();
    walk::each_stmt(&function.body, &mut |stmt| {
        if let StmtKind::Declare(id, Some(_)) = stmt.kind {
            initialised.insert(id);
        }
    });
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
