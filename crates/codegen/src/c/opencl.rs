//! What only OpenCL C has.

use crate::ir::Fences;

use super::Printer;

impl Printer<'_> {
    /// Writes a barrier.
    pub(super) fn barrier(&mut self, fences: Fences) {
        let flags = match (fences.local, fences.global) {
            (true, true) => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
            (_, true) => "CLK_GLOBAL_MEM_FENCE",
            _ => "CLK_LOCAL_MEM_FENCE",
        };
        self.write(&format!("barrier({flags});"));
    }
}
