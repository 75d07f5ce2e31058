//! Loops that compilers are asked not to write out.

use crate::ir::{ExprKind, LoopMode, Place, StmtKind};
use crate::passes::walk;
use dpia::Target;

use super::Printer;
use super::stmt::Loop;

/// Elements of global memory on their way at once that keep memory busy.
const ENOUGH_LOADS: usize = 16;

impl Printer<'_> {
    /// Returns true if each round of a short loop reads so many elements of global memory already
    /// that writing out the loop, too, does harm. Compilers for devices then read as many as they
    /// have registers for, and each sum waits for the read that it needs, instead of for all at
    /// once: on an H200 the transposed matrix-vector product takes 1.04 times as long so.
    pub(super) fn is_written_out(&self, this: Loop<'_>) -> bool {
        let is_short = this.from.is_zero() && this.to.as_const().is_some();
        if self.target != Target::OpenCl || this.mode != LoopMode::Sequential || !is_short {
            return false;
        }
        let plain = |kind: &StmtKind| matches!(kind, StmtKind::Assign(..) | StmtKind::Declare(..));
        if !this.body.iter().all(|stmt| plain(&stmt.kind)) {
            return false;
        }
        let mut read: Vec<&Place> = Vec::new();
        walk::for_each_expr(this.body, &mut |expr| {
            walk::sub_exprs(expr, &mut |part| {
                if let ExprKind::Load(place) = &part.kind
                    && self.space(place.id) == "global "
                    && (place.index.as_ref()).is_some_and(|index| index.mentions(this.counter))
                    && !read.contains(&place)
                {
                    read.push(place);
                }
            });
        });
        read.len() >= ENOUGH_LOADS
    }
}
