//! Imperative DPIA to C, OpenMP and OpenCL.
//!
//! [`ir`] is the loop language in the middle.

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

/// The text of an imperative program.
///
/// # Errors
/// Everything in it that has no code.
pub fn compile(program: &PhraseProgram, target: Target) -> Result<Module, Vec<CompileError>> {
    compile_for(program, target, IndexPolicy::default())
}

/// The text of an imperative program, with sizes and indices of this width, or of one that the sizes
/// of each call choose. Kernels cannot choose: theirs have 64 bits then if there are sizes for which
/// they need them, and [`Device::narrow`] is for a host that chooses.
///
/// # Errors
/// Everything in it that has no code.
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
