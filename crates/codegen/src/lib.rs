//! Compiles imperative DPIA to C, OpenMP and OpenCL.
//!
//! [`ir`] is the loop language between them.

mod c;
mod counts;
pub mod error;
pub mod host;
pub mod ir;
pub mod lower;
pub mod memory;
pub mod module;
mod passes;
pub mod signature;

use dpia::PhraseProgram;

pub use c::ForeignNames;
pub use c::reserved;
pub use dpia::{IndexPolicy, IndexWidth, Target};
pub use error::CompileError;
pub use host::host;
pub use lower::{Lowered, lower};
pub use module::{
    BarrierText, Buffer, Device, ForeignText, Items, Kernel, KernelArg, LaunchVars, Mapping,
    Module, Plain, Reason,
};
pub use passes::finish;
pub use signature::Signature;

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
