//! Launch plans with numeric sizes.

use serde::{Deserialize, Serialize};

/// The kernels of a program with all sizes, and their arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The OpenCL C text.
    pub text: String,
    /// The kernels, in the order of their first launches.
    pub kernels: Vec<KernelPlan>,
    /// The different launches.
    pub launches: Vec<LaunchPlan>,
    /// The launches in the order of their execution, each as its number in `launches`.
    pub order: Vec<u32>,
    /// The sizes of the temporary buffers in bytes.
    pub buffers: Vec<u64>,
    /// The sizes of the program.
    pub sizes: Vec<SizePlan>,
    /// The parameters of the program.
    pub params: Vec<ParamPlan>,
    /// The outputs.
    pub outputs: Vec<OutputPlan>,
    /// The size of the result in bytes.
    pub result: u64,
}

/// A part of the result that the kernels write to a buffer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputPlan {
    /// The offset in the result in bytes.
    pub offset: u64,
    /// The size in bytes.
    pub size: u64,
    /// The position of the parameter that it is updated from, if it is updated in place.
    pub source: Option<usize>,
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LaunchPlan {
    /// The number of the kernel.
    pub kernel: usize,
    /// The arguments of the kernel.
    pub args: Vec<ArgPlan>,
}

/// A kernel with the sizes of its launches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelPlan {
    /// The name of the kernel.
    pub name: String,
    /// The number of work-items of a work-group in each dimension.
    pub local: [u64; 3],
    /// The number of work-items in each dimension. If one is 0, the kernel is not launched.
    pub global: [u64; 3],
}

/// A size with the type of its kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SizePlan {
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
}

/// The way in which a parameter of the program is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParamPlan {
    /// In a buffer of this size in bytes.
    Buffer(u64),
    /// By value, with this size in bytes.
    Value(u64),
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArgPlan {
    /// The buffer of the output with this index.
    Output(usize),
    /// The size with this index.
    Size(usize),
    /// The parameter with this index.
    Param(usize),
    /// The temporary buffer with this index.
    Buffer(usize),
    /// Local memory of this size in bytes.
    Local(u64),
}
