//! Which local sizes are tried next where those that were chosen are refused: smaller ones, in the
//! dimensions that are at fault.

use super::planner::Planner;
use super::refusal::{PlanError, items};
use super::sizes::Loops;
use crate::launch;
use codegen::{Kernel, KernelArg};
use nat::{Prop, Var};

/// The dimensions.
const ALL: [usize; 3] = [0, 1, 2];

impl Planner<'_> {
    /// Local sizes below these, for another attempt; none if none of them would help.
    pub(super) fn smaller(
        &self,
        kernel: &Kernel,
        wanted: &Loops,
        tried: [u64; 3],
        error: &PlanError,
    ) -> Option<[u64; 3]> {
        match error {
            PlanError::Condition { .. } => self.meeting(kernel, wanted, tried),
            PlanError::LocalMemory { .. } => {
                let declared = [&kernel.local_bytes].into_iter();
                let passed = kernel.args.iter().filter_map(|arg| match arg {
                    KernelArg::Local { bytes } => Some(bytes),
                    _ => None,
                });
                let bytes: Vec<_> = declared.chain(passed).collect();
                let dims = self.dims(kernel, |var| bytes.iter().any(|size| size.mentions(var)));
                wanted.halved(tried, &dims)
            }
            PlanError::GroupDimension { dim, .. } | PlanError::EmptyGroup { dim, .. } => {
                wanted.halved(tried, &[*dim])
            }
            PlanError::Group { .. } => wanted.halved(tried, &ALL),
            // What else is refused does not become another by smaller groups.
            _ => None,
        }
    }

    /// The dimensions in which the local or the global size is among the variables.
    fn dims(&self, kernel: &Kernel, among: impl Fn(Var) -> bool) -> Vec<usize> {
        let sizes = &kernel.sizes;
        let here = |dim: &usize| among(sizes.local[*dim]) || among(sizes.global[*dim]);
        ALL.into_iter().filter(here).collect()
    }

    /// The largest group that meets a condition that does not hold, and differs from this one in
    /// one of the dimensions that the condition is about. Where no such group does, the largest of
    /// them is halved.
    fn meeting(&self, kernel: &Kernel, wanted: &Loops, tried: [u64; 3]) -> Option<[u64; 3]> {
        let holds = |prop: &Prop, local: [u64; 3]| {
            let (local, global) = wanted.launch(local);
            let bindings = self.launched(kernel, local, global);
            launch::check(std::slice::from_ref(prop), &bindings).is_ok()
        };
        let broken = kernel.requires.iter().find(|prop| !holds(prop, tried))?;
        let dims = self.dims(kernel, |var| broken.mentions(var));
        let in_one = |dim: usize| {
            let with = |size| {
                let mut local = tried;
                local[dim] = size;
                local
            };
            let below = (1..tried[dim]).rev().map(with);
            below.into_iter().find(|local| holds(broken, *local))
        };
        let open = dims.iter().copied().filter(|dim| wanted.is_open(*dim));
        let met = open.filter_map(in_one).max_by_key(items);
        met.or_else(|| wanted.halved(tried, &dims))
    }
}
