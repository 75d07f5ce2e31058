//! Defines the passes over the loop language, usually one in each file; [`crate::pipeline`] defines
//! their order.

pub(crate) mod address_hoisting;
pub(crate) mod allocation;
pub(crate) mod boolean_reductions;
pub(crate) mod branch_fusion;
pub(crate) mod conditional_sums;
pub(crate) mod copy_coalescing;
pub(crate) mod copy_elision;
pub(crate) mod dead_code_elimination;
pub(crate) mod dead_store_elimination;
pub(crate) mod delinearization;
pub(crate) mod gather_vectorization;
pub(crate) mod histogram_reductions;
pub(crate) mod inlining;
pub(crate) mod kernel_memory;
pub(crate) mod kernel_outlining;
pub(crate) mod live_range_splitting;
pub(crate) mod loop_fusion;
pub(crate) mod loop_interchange;
pub(crate) mod loop_tiling;
pub(crate) mod loops;
mod nests;
pub(crate) mod operand_packing;
pub(crate) mod outer_loop_vectorization;
pub(crate) mod overlapped_tiling;
pub(crate) mod partial_reductions;
pub(crate) mod pointers;
pub(crate) mod privatization;
pub(crate) mod reductions;
pub(crate) mod row_accumulation;
pub(crate) mod scalar_replacement;
pub(crate) mod single_assignment;
pub(crate) mod sinking;
pub(crate) mod strength_reduction;
pub(crate) mod tuple_splitting;
pub(crate) mod unroll_and_jam;
pub(crate) mod unrolling;
pub(crate) mod vector_alignment;
pub(crate) mod vector_legalization;
pub(crate) mod vector_scalarization;
pub(crate) mod vectorization;
pub(crate) mod work_item_mapping;

#[cfg(test)]
mod tests;

use crate::error::Result;
use crate::ir::Function;
use crate::ir::trace::Changes;

/// A transformation of a function, or of a kernel whose loops are not yet distributed over
/// work-items, into an equivalent one.
pub(crate) struct Pass<On = Function> {
    /// The name on the command line and in descriptions of changes, usually that of its file with
    /// hyphens.
    pub name: &'static str,
    pub run: Run<On>,
    /// The descriptions of the changes that it makes to a statement.
    pub changes: Changes,
}

/// The function that transforms a program.
pub(crate) enum Run<On> {
    /// A transformation that cannot fail.
    Always(fn(&mut On)),
    /// A transformation that fails with an error of the program.
    Fallible(fn(&mut On) -> Result<()>),
}

impl<On> Pass<On> {
    /// Runs the pass, and returns the error that it finds.
    pub fn apply(&self, on: &mut On) -> Result<()> {
        match self.run {
            Run::Always(run) => run(on),
            Run::Fallible(run) => run(on)?,
        }
        Ok(())
    }
}
