//! Passes for OpenCL kernels: what work-items have of their own, memory, barriers. They run on one
//! kernel at a time, a [`Function`] whose body is that of the kernel, while loops that work-items
//! share still count from 0 to their number.

mod barriers;
mod memory;
mod shares;

use nat::{Nat, Prop};
use rise::core::Launch;

use crate::error::CompileError;
use crate::ir::{Function, Id, Level};
use crate::module::LaunchVars;

/// A kernel while passes work on it, besides the statements.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// The sizes that it is launched with.
    pub launch: Launch,
    /// What stands for those that are not known.
    pub vars: LaunchVars,
    /// What must hold when it is launched, besides what the function requires.
    pub requires: Vec<Prop>,
    /// Arrays that are parameters of the kernel, because they are in global memory, or in local
    /// memory and of a size that is known only when it is launched. They are not declared.
    pub temporaries: Vec<Temporary>,
}

/// An array that a kernel is given by who launches it.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    /// The array; its home says in which memory it is.
    pub id: Id,
    /// How large it is, for all work-groups together if it is in global memory.
    pub bytes: Nat,
}

impl Work {
    /// How many there are that share the iterations of a loop of this level in this dimension.
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

/// Runs those that need the loops of work-items as they are written.
///
/// # Errors
/// Private memory that another work-item reads; barriers where not all work-items come.
pub(crate) fn run(function: &mut Function, work: &mut Work) -> Result<(), CompileError> {
    shares::run(function, work)?;
    memory::run(function, work)?;
    barriers::run(function, work)
}
