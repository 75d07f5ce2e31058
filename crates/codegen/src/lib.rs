//! Compiles imperative DPIA to C, OpenMP and OpenCL: lowers a program to the loop language, runs
//! the passes, and prints the text of a target.
//!
//! [`ir`] defines the loop language between DPIA and the languages of the targets; [`pipeline`]
//! lists the passes that transform it.

mod analysis;
pub mod codes;
pub mod cost;
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
pub use dpia::{Features, IndexPolicy, IndexWidth, Parallelism};
pub use error::CompileError;
pub use ir::host::HostStep;
pub use ir::kernel::{Items, LaunchVars};
pub use ir::{Listing, Mapping, PassSet};
pub use lower::Lowered;
pub use module::{
    BarrierText, Buffer, Device, ForeignText, Kernel, KernelArg, Module, Plain, Reason,
};
pub use pipeline::{Options, Stage};
pub use signature::Signature;
pub use targets::clike::{ForeignNames, reserved};
pub use targets::{
    Description, HostProgram, Target, TargetSelection, Targets, marked_targets, target_of,
};

/// Lowers an imperative program to the loop language, with all optimisations of lowering. The
/// program has size parameters, an acceptor for the result and expressions as parameters, in any
/// order, and its body is a command.
///
/// # Errors
///
/// Fails with the errors of the parameters and the result, which generated functions cannot take,
/// up to the first parameter that is not data; if there are none, with the first error in the
/// command.
pub fn lower(program: &PhraseProgram, target: Target) -> Result<Lowered, Vec<CompileError>> {
    lower::lower(program, target.features(), &PassSet::default())
}

/// Compiles an imperative program with the default [`IndexPolicy`] and all passes.
///
/// # Errors
/// Fails with all errors of the parameters and the result or, if there are none, with the first
/// error of lowering, of a pass or of the printer.
pub fn compile(program: &PhraseProgram, target: Target) -> Result<Module, Vec<CompileError>> {
    compile_for(program, target, IndexPolicy::default())
}

/// Compiles an imperative program with these options: the passes to leave out, and the width of
/// sizes and indices, which the sizes of each call can select.
///
/// Kernels cannot select a width. If the sizes of a call are to select it, the kernels in the text
/// have 32-bit indices if no call needs wider ones, otherwise 64-bit indices. In the second case,
/// [`Device::narrow`] contains the same kernels with 32-bit indices for a host that selects; it is
/// `None` if the sizes of a call do not determine whether 32 bits are sufficient, or if 32 bits
/// never are.
///
/// # Errors
/// Fails with all errors of the parameters and the result or, if there are none, with the first
/// error of lowering, of a pass or of the printer.
pub fn compile_for(
    program: &PhraseProgram,
    target: Target,
    options: impl Into<Options>,
) -> Result<Module, Vec<CompileError>> {
    compile_interruptibly(program, target, &options.into(), &|| ())
}

/// Compiles an imperative program as [`compile_for`] does. Calls `interrupt` before each pass, which
/// may unwind.
///
/// # Errors
/// Fails as [`compile_for`] does.
pub fn compile_interruptibly(
    program: &PhraseProgram,
    target: Target,
    options: &Options,
    interrupt: &dyn Fn(),
) -> Result<Module, Vec<CompileError>> {
    let lowered = lower::lower(program, target.features(), &options.without)?;
    optimised(lowered, target, options, interrupt).map_err(|error| vec![error])
}

/// Prints an imperative program in the loop language, as it is at a point in its compilation.
///
/// # Errors
/// Fails with all errors of the parameters and the result or, if there are none, with the first
/// error of lowering or of a pass before that point.
pub fn print_after(
    program: &PhraseProgram,
    stage: Stage,
    options: &Options,
) -> Result<Listing, Vec<CompileError>> {
    let lowered = lower::lower(program, stage.target().features(), &options.without)?;
    pipeline::print_after(lowered, options, stage).map_err(|error| vec![error])
}

/// Runs the passes on a lowered program for this target, and prints the text.
///
/// # Errors
/// Fails with the first error of a pass or, if there is none, with the error for the first part of
/// the program that has no code in the language of the target.
pub fn finish(
    lowered: Lowered,
    target: Target,
    options: impl Into<Options>,
) -> Result<Module, CompileError> {
    optimised(lowered, target, &options.into(), &|| ())
}

fn optimised(
    mut lowered: Lowered,
    target: Target,
    options: &Options,
    interrupt: &dyn Fn(),
) -> Result<Module, CompileError> {
    lowered.function.features = target.features();
    lowered.function.without = options.without.clone();
    let optimised = pipeline::optimise(lowered, options, interrupt)?;
    targets::emit(optimised, target, options.index)
}
