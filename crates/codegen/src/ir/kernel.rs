//! Kernels while passes run on them: one function each, with what is known of its launch.

use nat::{Nat, Prop, Var};
use rise::Names;
use rise::core::Launch;

use super::types::CType;
use super::{Function, Id, Level};
use crate::error::Result;
use crate::signature::Signature;

/// A program between the passes and its text.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The parameters and conditions, for callers.
    pub signature: Signature,
    pub code: Code,
}

/// The code of a program.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Function(Box<Function>),
    Kernels(Kernels),
}

/// The kernels of a function.
#[derive(Clone, Debug)]
pub(crate) struct Kernels {
    /// Its kernels, in the order in which they run.
    pub kernels: Vec<KernelFunction>,
    /// The global arrays that are declared outside of the kernels, so that several of them can use
    /// them.
    pub shared: Vec<Temporary>,
    /// True if the sizes of a call may choose the width of indices.
    pub depends_on_sizes: bool,
}

impl AsMut<Function> for Function {
    fn as_mut(&mut self) -> &mut Function {
        self
    }
}

impl AsMut<Function> for KernelFunction {
    fn as_mut(&mut self) -> &mut Function {
        &mut self.function
    }
}

#[derive(Clone, Debug)]
pub(crate) struct KernelFunction {
    /// The function whose body is the program of the kernel.
    pub function: Function,
    /// The state between passes.
    pub work: KernelState,
}

/// The state of a kernel between passes, besides its statements.
#[derive(Clone, Debug)]
pub(crate) struct KernelState {
    /// The sizes that it is launched with.
    pub launch: Launch,
    /// The size variables that stand for those sizes of the launch that are not known.
    pub vars: LaunchVars,
    /// The conditions on the launch, besides those of the function.
    pub requires: Vec<Prop>,
    /// The local memory that is declared in it, in bytes.
    pub local_bytes: Nat,
    /// The loops that are distributed over work-items.
    pub items: Vec<Items>,
    /// Arrays that are parameters of the kernel, because they are in global memory, or in local
    /// memory and of a size that is known only when it is launched. They are not declared.
    pub temporaries: Vec<Temporary>,
}

/// An array that the host allocates for a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    /// The array; its home says in which memory it is.
    pub id: Id,
    /// Its size, for all work-groups together if it is in global memory.
    pub bytes: Nat,
}

impl KernelState {
    /// Returns the number of work-items or groups that a loop of this level and dimension is
    /// distributed over.
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

/// A loop whose iterations are distributed over work-items or work-groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// The members of the OpenCL hierarchy among which the iterations are divided.
    pub level: Level,
    /// The dimension of the index space, 0 to 2.
    pub dim: u8,
    /// The number of iterations: in the sizes of the program, and in counters of loops around
    /// it where it is not always the same.
    pub count: Nat,
}

/// Size variables that stand for the sizes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchVars {
    /// The number of work-items of a work-group in each dimension.
    pub local: [Var; 3],
    /// The total number of work-items in each dimension.
    pub global: [Var; 3],
}

/// Returns the size of a variable or array in bytes.
///
/// # Errors
/// Fails if the type of the elements has no counterpart in C.
pub(crate) fn bytes(function: &Function, id: Id) -> Result<Nat> {
    let variable = &function.variables[id.0 as usize];
    let names = Names(function.names.as_slice().into());
    let elem = CType::of_target(&variable.elem, &names, variable.origin, function.features)?;
    let size = i64::try_from(elem.size()).unwrap_or(i64::MAX);
    let count = variable.count.clone().unwrap_or(Nat::ONE);
    Ok(count * size)
}
