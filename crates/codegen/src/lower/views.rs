//! Which views an access went through: they are gone from the code, and a hover on an index tells of
//! them.

use dpia::Prim;
use rise::core::Origin;

use super::Lower;
use crate::ir::View;

impl Lower<'_> {
    /// Does what `inside` does below a primitive; if that is a view that changes indices, what is
    /// read there is read through it.
    pub(super) fn below<T>(
        &mut self,
        prim: Prim,
        origin: Origin,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let changes = changes_indices(prim);
        if changes {
            let name = prim.name();
            self.views.push(View { name, origin });
        }
        let result = inside(self);
        if changes {
            self.views.pop();
        }
        result
    }

    /// A place is read here, through the views around.
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

/// Whether the index of an element is another one behind it.
fn changes_indices(prim: Prim) -> bool {
    use Prim::*;
    matches!(
        prim,
        Split
            | Join
            | Transpose
            | Slide
            | Drop
            | Reorder
            | Gather
            | Partition
            | DepJoin
            | PadCst
            | PadClamp
            | AsScalar
            | AsVector
            | AsVectorAligned
    )
}
