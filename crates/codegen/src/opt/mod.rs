//! Passes over the loop language. Each transforms a function into an equivalent one.

pub(crate) mod address_hoisting;
pub(crate) mod allocation;
pub(crate) mod branch_fusion;
pub(crate) mod copy_propagation;
pub(crate) mod dead_code_elimination;
pub(crate) mod dead_store_elimination;
pub(crate) mod inlining;
pub(crate) mod kernel_memory;
pub(crate) mod kernel_outlining;
pub(crate) mod live_range_splitting;
pub(crate) mod loops;
pub(crate) mod pointers;
pub(crate) mod privatization;
pub(crate) mod scalar_replacement;
pub(crate) mod sinking;
pub(crate) mod strength_reduction;
pub(crate) mod unrolling;
pub(crate) mod vector_legalization;
pub(crate) mod vectorization;
pub(crate) mod work_item_mapping;

#[cfg(test)]
mod tests;
