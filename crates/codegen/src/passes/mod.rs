//! Passes over the loop language. Each takes a function and gives a better one of the same meaning.

pub(crate) mod walk;

use crate::c::{self, Plan};
use crate::error::CompileError;
use crate::ir::Function;
use crate::module::{Module, Target};
use crate::signature::Signature;

/// Runs the passes and prints the function.
///
/// # Errors
/// What has no counterpart in C: `f16`, vectors whose number of lanes is a parameter, loops to be
/// unrolled whose length is one, size functions that are parameters.
pub fn finish(
    function: Function,
    target: Target,
    signature: Signature,
) -> Result<Module, CompileError> {
    let plan = Plan::simple(&function);
    c::print(&function, &plan, target, signature)
}
