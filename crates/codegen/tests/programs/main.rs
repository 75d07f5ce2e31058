//! Tests of the compilation of programs to C.

mod arithmetic;
mod calls;
mod classic;
mod guards;
mod large;
mod loop_peeling;
mod loop_tiling;
mod operand_packing;
mod outer_loop_vectorization;
mod overlapped_tiling;
mod results;
mod segments;
mod shared;
mod small_state;
mod threads;
mod time_loops;
mod unroll_and_jam;
mod vectorizable;

use codegen::{IndexWidth, Module, Target};
use rise::core::{normalise, program_of};

/// Returns the C text of the definition `name`, or the error.
fn module(text: &str, name: &str, target: Target) -> Result<Module, String> {
    module_for(text, name, target, IndexWidth::default())
}

/// Returns the C text with sizes and indices of this width, or the error.
fn module_for(text: &str, name: &str, target: Target, index: IndexWidth) -> Result<Module, String> {
    let mut program = program_of(text, name).map_err(|error| error.to_string())?;
    normalise(&mut program).map_err(|error| error.to_string())?;
    let functional = dpia::functional(&program, target.features()).map_err(|complaints| {
        format!(
            "{:?}",
            complaints.iter().map(|c| &c.kind).collect::<Vec<_>>()
        )
    })?;
    let imperative = dpia::imperative(&functional).map_err(|error| error.to_string())?;
    codegen::compile_for(&imperative, target, index).map_err(|errors| format!("{errors:?}"))
}

/// Returns the function itself, without the declarations before it.
fn function(text: &str, name: &str, target: Target) -> String {
    match module(text, name, target) {
        Ok(module) => {
            let start = module.text.rfind("\nvoid ").map_or(0, |at| at + 1);
            module.text[start..].to_owned()
        }
        Err(error) => panic!("{error}"),
    }
}
