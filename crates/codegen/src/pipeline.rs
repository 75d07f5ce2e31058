//! Passes over the loop language. Each transforms a function into an equivalent one.

use dpia::{IndexPolicy, IndexWidth, Target};

use crate::analysis::trace::{Pass, Trace};
use crate::analysis::{Plan, counts, single_assignment};
use crate::error::CompileError;
use crate::ir::Function;
use crate::ir::kernel::Work;
use crate::module::Module;
use crate::opt::{
    address_hoisting, allocation, branch_fusion, copy_propagation, dead_code_elimination,
    dead_store_elimination, inlining, kernel_memory, kernel_outlining, live_range_splitting, loops,
    pointers, privatization, scalar_replacement, sinking, strength_reduction, unrolling,
    vector_legalization, vectorization, work_item_mapping,
};
use crate::signature::Signature;
use crate::targets::clike;
use crate::targets::opencl::kernels::print_kernels;

/// Runs the passes and prints the function.
///
/// # Errors
/// What has no counterpart in C: `f16`, vectors whose number of lanes is a parameter, loops to be
/// unrolled whose length is one, size functions that are parameters.
pub fn finish(
    mut function: Function,
    target: Target,
    signature: Signature,
    index: IndexPolicy,
) -> Result<Module, CompileError> {
    match (target, index) {
        (Target::OpenCl, IndexPolicy::Fixed(width)) => finish_kernels(function, signature, width),
        (Target::OpenCl, IndexPolicy::BySizes) => {
            // What is not known before the launch is counted with 64 bits, and so is a constant that
            // is too large. Any other error is the same with both widths.
            let narrow = (counts::of(&function, []).is_complete)
                .then(|| finish_kernels(function.clone(), signature.clone(), IndexWidth::Bits32))
                .and_then(Result::ok);
            if let Some(narrow) = &narrow
                && narrow.signature.sizes.is_empty()
                && narrow.counts.is_empty()
            {
                return Ok(narrow.clone());
            }
            let mut wide = finish_kernels(function, signature, IndexWidth::Bits64)?;
            if let Some(device) = &mut wide.device {
                device.narrow = narrow.map(|narrow| narrow.text);
            }
            Ok(wide)
        }
        (_, index) => {
            let plan = improve(&mut function, target)?;
            clike::print(&function, &plan, target, signature, index)
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
    copy_propagation::split_tuples(function);
    trace.after(Pass::TUPLES, function);
    copy_propagation::write_through(function);
    dead_code_elimination::run(function);
    trace.after(Pass::COPIES, function);
    let mut plan = Plan {
        heap: allocation::on_heap(function),
        ..Plan::default()
    };
    allocation::run(function, target, &mut plan);
    trace.after(Pass::MEMORY, function);
    live_range_splitting::run(function);
    dead_store_elimination::run(function);
    trace.after(Pass::LIVE_RANGE_SPLITTING, function);
    sinking::run(function);
    copy_propagation::join_variables(function);
    // What is merged the first time may be used once then.
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

/// Runs the passes on a function for OpenCL and prints its kernels.
///
/// # Errors
/// Private memory that another work-item reads; barriers where not all work-items come; what stands
/// outside of all kernels; what has no counterpart in OpenCL C.
fn finish_kernels(
    mut function: Function,
    mut signature: Signature,
    index: IndexWidth,
) -> Result<Module, CompileError> {
    function.index = index;
    signature.index = index;
    let mut parts = kernel_outlining::split(function)?;
    let mut texts = Vec::new();
    for kernel in &mut parts.kernels {
        let plan = improve_kernel(&mut kernel.function, &mut kernel.work)?;
        texts.push(plan);
    }
    print_kernels(&parts, &texts, signature)
}

/// Runs the passes on a kernel.
fn improve_kernel(function: &mut Function, work: &mut Work) -> Result<Plan, CompileError> {
    let mut trace = Trace::start(function);
    work_item_mapping::assume_launch(function, work);
    privatization::run(function, work)?;
    kernel_memory::run(function, work)?;
    trace.after(Pass::PRIVATIZATION, function);
    work_item_mapping::run(function, work);
    trace.after(Pass::WORK_ITEM_MAPPING, function);
    vectorization::widen_loops(&mut function.body);
    unrolling::run(function);
    loops::run(function)?;
    trace.after(Pass::LOOPS, function);
    branch_fusion::join(function);
    vectorization::take_apart(function);
    scalar_replacement::replace_arrays(function);
    trace.after(Pass::SCALAR_REPLACEMENT, function);
    copy_propagation::split_tuples(function);
    trace.after(Pass::TUPLES, function);
    copy_propagation::write_through(function);
    dead_code_elimination::run(function);
    trace.after(Pass::COPIES, function);
    live_range_splitting::run(function);
    dead_store_elimination::run(function);
    trace.after(Pass::LIVE_RANGE_SPLITTING, function);
    sinking::run(function);
    copy_propagation::join_variables(function);
    // What is merged the first time may be used once then.
    inlining::run(function);
    inlining::run(function);
    dead_code_elimination::run(function);
    trace.after(Pass::SCALAR_CLEANUP, function);
    strength_reduction::reduce_strength(function);
    trace.after(Pass::STRENGTH_REDUCTION, function);
    address_hoisting::hoist_addresses(function);
    vectorization::align(function);
    trace.after(Pass::ADDRESS_HOISTING, function);
    Ok(Plan {
        constant: single_assignment::initialised_once(function),
        trace,
        ..Plan::default()
    })
}
