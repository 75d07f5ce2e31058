//! Transforms the loop language. Each pass turns a function into an equivalent one.

mod address_hoisting;
pub(crate) mod conditions;
mod copies;
mod dead_code_elimination;
mod dead_store_elimination;
pub(crate) mod inlining;
pub(crate) mod kernel;
mod live_range_splitting;
mod loop_peeling;
mod loops;
mod memory;
mod pieces;
mod pointers;
mod scalar_replacement;
mod single_assignment;
pub(crate) mod sinking;
mod strength_reduction;
pub(crate) mod trace;
pub(crate) mod uses;
mod vector_legalization;
pub(crate) mod walk;

use crate::c::{self, Plan};
use crate::counts;
use crate::error::CompileError;
use crate::ir::Function;
use crate::module::Module;
use crate::signature::Signature;
use dpia::{IndexPolicy, IndexWidth, Target};

use trace::{Pass, Trace};

/// Runs the passes and prints the function.
///
/// # Errors
/// Parts without a counterpart in C: `f16`, vectors whose number of lanes is a parameter, loops to
/// be unrolled whose length is a parameter, size functions that are parameters.
pub fn finish(
    mut function: Function,
    target: Target,
    signature: Signature,
    index: IndexPolicy,
) -> Result<Module, CompileError> {
    match (target, index) {
        (Target::OpenCl, IndexPolicy::Fixed(width)) => kernel::finish(function, signature, width),
        (Target::OpenCl, IndexPolicy::BySizes) => {
            // Counts that are unknown before the launch need 64 bits, and so does a constant that
            // is too large. Any other error is the same for both widths.
            let narrow = (counts::of(&function, []).is_complete)
                .then(|| kernel::finish(function.clone(), signature.clone(), IndexWidth::Bits32))
                .and_then(Result::ok);
            if let Some(narrow) = &narrow
                && narrow.signature.sizes.is_empty()
                && narrow.counts.is_empty()
            {
                return Ok(narrow.clone());
            }
            let mut wide = kernel::finish(function, signature, IndexWidth::Bits64)?;
            if let Some(device) = &mut wide.device {
                device.narrow = narrow.map(|narrow| narrow.text);
            }
            Ok(wide)
        }
        (_, index) => {
            let plan = improve(&mut function, target)?;
            c::print(&function, &plan, target, signature, index)
        }
    }
}

/// Runs the passes for CPUs.
fn improve(function: &mut Function, target: Target) -> Result<Plan, CompileError> {
    let mut trace = Trace::start(function);
    loops::run(function)?;
    trace.after(Pass::LOOPS, function);
    scalar_replacement::replace_arrays(function);
    trace.after(Pass::SCALAR_REPLACEMENT, function);
    copies::split_tuples(function);
    trace.after(Pass::TUPLES, function);
    copies::write_through(function);
    dead_code_elimination::run(function);
    trace.after(Pass::COPIES, function);
    let mut plan = Plan {
        heap: memory::on_heap(function),
        ..Plan::default()
    };
    memory::run(function, target, &mut plan);
    trace.after(Pass::MEMORY, function);
    live_range_splitting::run(function);
    dead_store_elimination::run(function);
    trace.after(Pass::LIVE_RANGE_SPLITTING, function);
    sinking::run(function);
    copies::join_variables(function);
    // A merged variable may be used only once in the second pass.
    inlining::run(function);
    inlining::run(function);
    trace.after(Pass::SCALAR_CLEANUP, function);
    vector_legalization::legalize_vectors(function);
    trace.after(Pass::VECTOR_LEGALIZATION, function);
    pointers::run(function);
    address_hoisting::hoist_addresses(function);
    trace.after(Pass::ADDRESS_HOISTING, function);
    plan.constant = single_assignment::initialised_once(function);
    plan.trace = trace;
    Ok(plan)
}
