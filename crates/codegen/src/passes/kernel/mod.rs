//! Passes for OpenCL kernels: privatisation, memory, barriers and work-item mapping. They run on
//! one kernel at a time, a [`Function`] whose body is that of the kernel, while the loops that are
//! distributed over work-items still count from 0 to their number.

mod barriers;
mod branches;
mod dependence_test;
mod flow;
mod groups;
mod lanes;
mod layout;
mod memory;
mod parts;
mod privatization;
mod reuse;
mod unroll;
mod work_item_mapping;

use dpia::IndexWidth;
use nat::{Nat, Prop};
use rise::core::Launch;

use crate::c::{self, Plan};
use crate::error::CompileError;
use crate::ir::{Function, Id, Level};
use crate::module::{Items, LaunchVars, Module};
use crate::signature::Signature;

use super::trace::{Pass, Trace};
use super::{
    address_hoisting, copies, dead_code_elimination, dead_store_elimination, inlining,
    live_range_splitting, loops, scalar_replacement, single_assignment, sinking,
    strength_reduction,
};

pub(crate) use parts::{Part, Parts};

/// The state of a kernel between passes, besides its statements.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// The launch sizes.
    pub launch: Launch,
    /// The size variables for the unknown launch sizes.
    pub vars: LaunchVars,
    /// The conditions on the launch, in addition to those of the function.
    pub requires: Vec<Prop>,
    /// The local memory that it declares, in bytes.
    pub local_bytes: Nat,
    /// The loops that are distributed over work-items.
    pub items: Vec<Items>,
    /// The arrays that are parameters of the kernel, because they are in global memory, or in local
    /// memory with a size that is known only at launch. They are not declared.
    pub temporaries: Vec<Temporary>,
}

/// An array that the host allocates for a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    /// The array; its home is the memory that contains it.
    pub id: Id,
    /// Its size, for all work-groups together if it is in global memory.
    pub bytes: Nat,
}

impl Work {
    /// Returns the number of work-items or groups over which a loop of this level and dimension is
    /// distributed.
    pub fn count(&self, level: Level, dimension: u8) -> Nat {
        let at = usize::from(dimension.min(2));
        let known = |size: &Option<Nat>, var| size.clone().unwrap_or_else(|| Nat::var(var));
        let local = known(&self.launch.local[at], self.vars.local[at]);
        let global = known(&self.launch.global[at], self.vars.global[at]);
        match level {
            Level::Local => local,
            Level::Global => global,
            Level::WorkGroup => Nat::div(&global, &local),
        }
    }
}

/// Runs the passes on an OpenCL function and prints its kernels.
///
/// # Errors
/// Private memory that another work-item reads; barriers that not all work-items reach; statements
/// outside of all kernels; types and functions without a counterpart in OpenCL C.
pub(crate) fn finish(
    mut function: Function,
    mut signature: Signature,
    index: IndexWidth,
) -> Result<Module, CompileError> {
    function.index = index;
    signature.index = index;
    let mut parts = parts::split(function)?;
    let mut texts = Vec::new();
    for kernel in &mut parts.kernels {
        let plan = improve(&mut kernel.function, &mut kernel.work)?;
        texts.push(plan);
    }
    c::print_kernels(&parts, &texts, signature)
}

/// Runs the passes on a kernel.
fn improve(function: &mut Function, work: &mut Work) -> Result<Plan, CompileError> {
    let mut trace = Trace::start(function);
    work_item_mapping::assume_launch(function, work);
    privatization::run(function, work)?;
    memory::run(function, work)?;
    trace.after(Pass::PRIVATIZATION, function);
    work_item_mapping::run(function, work);
    trace.after(Pass::WORK_ITEM_MAPPING, function);
    lanes::widen_loops(&mut function.body);
    unroll::run(function);
    loops::run(function)?;
    trace.after(Pass::LOOPS, function);
    branches::join(function);
    lanes::take_apart(function);
    scalar_replacement::replace_arrays(function);
    trace.after(Pass::SCALAR_REPLACEMENT, function);
    copies::split_tuples(function);
    trace.after(Pass::TUPLES, function);
    copies::write_through(function);
    dead_code_elimination::run(function);
    trace.after(Pass::COPIES, function);
    live_range_splitting::run(function);
    dead_store_elimination::run(function);
    trace.after(Pass::LIVE_RANGE_SPLITTING, function);
    sinking::run(function);
    copies::join_variables(function);
    // A merged variable may be used only once in the second pass.
    inlining::run(function);
    inlining::run(function);
    dead_code_elimination::run(function);
    trace.after(Pass::SCALAR_CLEANUP, function);
    strength_reduction::reduce_strength(function);
    trace.after(Pass::STRENGTH_REDUCTION, function);
    address_hoisting::hoist_addresses(function);
    lanes::align(function);
    trace.after(Pass::ADDRESS_HOISTING, function);
    Ok(Plan {
        constant: single_assignment::initialised_once(function),
        trace,
        ..Plan::default()
    })
}

#[cfg(test)]
mod tests;
