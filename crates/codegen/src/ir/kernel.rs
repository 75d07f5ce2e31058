//! Defines the programs on which passes run after lowering: one function, or kernels, which are
//! functions with properties of their launch. Also computes the sizes of variables in bytes.

use nat::{Nat, Prop, Var};
use rise::Names;
use rise::core::Launch;

use super::host::HostStep;
use super::types::CType;
use super::{Function, Id, Level};
use crate::error::Result;
use crate::signature::Signature;

/// A program on which passes run, and which the printer of a target then writes.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The signature of the program for callers.
    pub signature: Signature,
    pub code: Code,
}

/// The code of a program: a function for a CPU, or kernels.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Function(Box<Function>),
    Kernels(Kernels),
}

/// The kernels of a function.
#[derive(Clone, Debug)]
pub(crate) struct Kernels {
    /// The kernels, in the order in which they run first.
    pub kernels: Vec<KernelFunction>,
    /// The steps of the host. Memory is that of the function before it was split.
    pub steps: Vec<HostStep<Id>>,
    /// The handles in `steps`: pointers of the function before it was split, which stand for whole
    /// arrays.
    pub handles: Vec<Id>,
    /// The global arrays that are declared outside of the kernels, so that several kernels can use
    /// them.
    pub shared: Vec<Temporary>,
    /// True if the sizes of each call select the width of indices and suffice to do so.
    pub depends_on_sizes: bool,
}

impl Kernels {
    /// Returns true if the host launches one kernel once, whose parameters are those of the program.
    pub fn is_one_launch(&self) -> bool {
        self.kernels.len() == 1 && self.steps == [HostStep::Launch(0)]
    }
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
    /// The properties of its launch and memory that the passes determine.
    pub work: KernelState,
}

/// The properties of a kernel besides its statements, which the passes determine.
#[derive(Clone, Debug)]
pub(crate) struct KernelState {
    /// The sizes of its launch; `None` for those that the caller chooses.
    pub launch: Launch,
    /// The size variables that stand for the sizes of the launch that are not known.
    pub vars: LaunchVars,
    /// The conditions on sizes for a launch, in addition to those of the function.
    pub requires: Vec<Prop>,
    /// The size in bytes of the local arrays that are declared in it.
    pub local_bytes: Nat,
    /// The loops that are distributed over work-items or work-groups, each once.
    pub items: Vec<Items>,
    /// The arrays that are parameters of the kernel and are not declared in it: arrays in global
    /// memory, and those in local memory whose size is known only when it is launched.
    pub temporaries: Vec<Temporary>,
}

/// An array of a kernel that the host allocates.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    /// The array, which is in local or global memory.
    pub id: Id,
    /// Its size in bytes; if it is in global memory, for all work-groups together.
    pub bytes: Nat,
}

impl KernelState {
    /// Returns the number of work-items or groups that a loop of this level and dimension is
    /// distributed over; it contains the size variables of the launch where its sizes are not
    /// known.
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
    /// The level of the OpenCL execution model whose members execute the iterations.
    pub level: Level,
    /// The dimension of the index space, 0 to 2.
    pub dim: u8,
    /// The number of iterations, in terms of the sizes of the program and, if it varies, of the
    /// counters of enclosing loops.
    pub count: Nat,
}

/// The size variables that stand for the sizes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchVars {
    /// The number of work-items of a work-group in each dimension.
    pub local: [Var; 3],
    /// The total number of work-items in each dimension.
    pub global: [Var; 3],
}

/// Returns the size in bytes of a variable or array.
///
/// # Errors
/// Fails if the type of the elements has no counterpart in the language of the target.
pub(crate) fn bytes(function: &Function, id: Id) -> Result<Nat> {
    let variable = &function.variables[id.0 as usize];
    let names = Names(function.names.as_slice().into());
    let elem = CType::of_target(&variable.elem, &names, variable.origin, function.features)?;
    let size = i64::try_from(elem.size()).unwrap_or(i64::MAX);
    let count = variable.count.clone().unwrap_or(Nat::ONE);
    Ok(count * size)
}
