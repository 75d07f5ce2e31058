//! Features of targets that lowering, analyses and passes distinguish.

/// What may be assumed of where a function runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Parallel loops are run by threads, each with a stack of its own.
    pub threads: bool,
    /// Kernels are run by work-items in groups, with an address space for each of them.
    pub work_items: bool,
    /// There are floats of 16 bits.
    pub half_floats: bool,
}
