//! What is launched, in numbers.

use serde::{Deserialize, Serialize};

/// Kernels with all sizes known, and what they are given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The program.
    pub text: String,
    /// The kernels, in the order in which they run.
    pub kernels: Vec<KernelPlan>,
    /// How large the temporary buffers are.
    pub buffers: Vec<u64>,
    /// The sizes.
    pub sizes: Vec<SizePlan>,
    /// The parameters.
    pub params: Vec<ParamPlan>,
    /// Bytes of the result.
    pub output: u64,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelPlan {
    /// The kernel's name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<ArgPlan>,
    /// Work-items of a group in each dimension.
    pub local: [u64; 3],
    /// All work-items in each dimension. Where one is 0 there is nothing to do.
    pub global: [u64; 3],
}

/// A size as the kernels take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SizePlan {
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
}

/// How a parameter of the program is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamPlan {
    /// In memory of the device, so many bytes.
    Buffer(u64),
    /// By value, so many bytes.
    Value(u64),
}

/// What a parameter of a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgPlan {
    /// The memory of the result.
    Output,
    /// The size with this number.
    Size(usize),
    /// The parameter with this number.
    Param(usize),
    /// The temporary buffer with this number.
    Buffer(usize),
    /// So many bytes of local memory.
    Local(u64),
}
