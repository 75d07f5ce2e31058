//! The text of the loop language for each target.

pub(crate) mod clike;
pub(crate) mod opencl;
mod openmp;

use dpia::{IndexPolicy, Target};

use crate::error::CompileError;
use crate::ir::Features;
use crate::ir::kernel::{Code, Program};
use crate::module::Module;

/// Returns what passes may assume of a target.
pub(crate) fn features(target: Target) -> Features {
    match target {
        Target::C => Features::default(),
        Target::OpenMp => Features {
            threads: true,
            ..Features::default()
        },
        Target::OpenCl => Features {
            work_items: true,
            half_floats: true,
            ..Features::default()
        },
    }
}

/// Prints a program.
///
/// # Errors
/// What has no counterpart in the language of the target: `f16`, vectors whose number of lanes is a
/// parameter, size functions that are parameters.
pub(crate) fn emit(
    program: Program,
    target: Target,
    index: IndexPolicy,
) -> Result<Module, CompileError> {
    let Program { code, signature } = program;
    match code {
        Code::Function(function) => clike::print(*function, target, signature, index),
        Code::Kernels(parts) => opencl::kernels::print(parts, signature, index),
    }
}
