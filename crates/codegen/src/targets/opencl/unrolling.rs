//! Determines the loops that compilers for OpenCL devices are told not to unroll.

use crate::ir::walk;
use crate::ir::{ExprKind, Loop, LoopMode, Place, StmtKind};

use crate::targets::clike::Printer;

/// The number of concurrent loads from global memory that saturates its bandwidth.
const ENOUGH_LOADS: usize = 16;

impl Printer<'_> {
    /// Returns true if each iteration of a sequential loop with a constant end, whose body is
    /// declarations and assignments, already loads so many elements of global memory that unrolling
    /// the loop is harmful. Compilers for devices then issue as many loads as there are registers
    /// for, and each sum waits for its own load instead of for all at once: on an H200 the
    /// transposed matrix-vector product takes 1.04 times as long.
    pub(super) fn unrolling_harms(&self, this: &Loop) -> bool {
        let is_short = this.from.is_zero() && this.to.as_const().is_some();
        if this.mode != LoopMode::Sequential || !is_short {
            return false;
        }
        let plain = |kind: &StmtKind| matches!(kind, StmtKind::Assign(..) | StmtKind::Declare(..));
        if !this.body.iter().all(|stmt| plain(&stmt.kind)) {
            return false;
        }
        let mut read: Vec<&Place> = Vec::new();
        walk::for_each_expr(&this.body, &mut |expr| {
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
