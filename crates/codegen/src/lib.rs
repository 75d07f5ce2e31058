//! Imperative DPIA to C, OpenMP and OpenCL.
//!
//! [`ir`] is the loop language in the middle.

mod c;
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
pub use dpia::{IndexWidth, Target};
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
    compile_for(program, target, IndexWidth::default())
}

/// The text of an imperative program, with sizes and indices of this width.
///
/// # Errors
/// Everything in it that has no code.
pub fn compile_for(
    program: &PhraseProgram,
    target: Target,
    index: IndexWidth,
) -> Result<Module, Vec<CompileError>> {
    let Lowered {
        mut function,
        mut signature,
    } = lower(program, target)?;
    function.index = index;
    signature.index = index;
    finish(function, target, signature).map_err(|error| vec![error])
}
