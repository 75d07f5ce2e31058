//! Records the views through which an access reads: the generated code does not contain them, but a
//! hover on an index shows them.

use dpia::Prim;
use rise::Pattern;
use rise::core::Origin;
use rise::pattern::View;

use super::Lower;
use crate::ir;

impl Lower<'_> {
    /// Calls `inside`, which reads the arguments of a primitive; if that is a view that changes
    /// indices, it is recorded for the reads within.
    pub(super) fn below<T>(
        &mut self,
        prim: Prim,
        origin: Origin,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let changes = changes_indices(prim);
        if changes {
            let name = prim.name();
            self.views.push(ir::View { name, origin });
        }
        let result = inside(self);
        if changes {
            self.views.pop();
        }
        result
    }

    /// Records that the phrase reads through the current enclosing views.
    pub(super) fn note_views(&mut self, origin: Origin) {
        if self.views.is_empty() {
            return;
        }
        let known = self.function.views.entry(origin).or_default();
        for view in &self.views {
            if !known.contains(view) {
                known.push(*view);
            }
        }
    }
}

/// Returns true for a view that changes the index of an element.
fn changes_indices(prim: Prim) -> bool {
    match prim.pattern() {
        Some(Pattern::View(view)) => match view {
            // `take` and `assume` keep indices.
            View::Index => prim.index_map().is_some_and(|map| !map.is_identity()),
            View::Gather | View::PadCst | View::PadClamp | View::Lanes => true,
            View::Vectors | View::DepJoin | View::Partition => true,
            View::Scatter | View::PadEmpty | View::Unzip => false,
        },
        _ => false,
    }
}
