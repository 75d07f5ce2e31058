//! Compiles imperative DPIA to C, OpenMP and OpenCL.
//!
//! [`ir`] is the loop language between them.

mod analysis;
pub mod error;
pub mod ir;
pub mod lower;
pub mod module;
mod opt;
mod pipeline;
pub mod signature;
mod targets;

use dpia::PhraseProgram;

pub use analysis::memory;
pub use dpia::{IndexPolicy, IndexWidth, Target};
pub use error::CompileError;
pub use ir::kernel::{Items, LaunchVars};
pub use lower::{Lowered, lower};
pub use module::{
    BarrierText, Buffer, Device, ForeignText, Kernel, KernelArg, Mapping, Module, Plain, Reason,
};
pub use pipeline::finish;
pub use signature::Signature;
pub use targets::clike::{ForeignNames, reserved};
pub use targets::opencl::host::host;

/// Compiles an imperative program.
///
/// # Errors
/// All parts of the program that cannot be compiled.
pub fn compile(program: &PhraseProgram, target: Target) -> Result<Module, Vec<CompileError>> {
    compile_for(program, target, IndexPolicy::default())
}

/// Compiles an imperative program with sizes and indices of this width, or of one that is selected
/// by the sizes of each call. Kernels cannot select a width: theirs have 64 bits if there are sizes
/// for which this is required, and [`Device::narrow`] contains the others for a host that selects.
///
/// # Errors
/// All parts of the program that cannot be compiled.
pub fn compile_for(
    program: &PhraseProgram,
    target: Target,
    index: impl Into<IndexPolicy>,
) -> Result<Module, Vec<CompileError>> {
    let Lowered {
        function,
        signature,
    } = lower(program, target)?;
    finish(function, target, signature, index.into()).map_err(|error| vec![error])
}
