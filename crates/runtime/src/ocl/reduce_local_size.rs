//! Chooses smaller local sizes after a failed attempt, in the dimensions that cause the error.

use super::launch_sizes::KernelLoops;
use super::plan_error::{PlanError, items};
use super::planner::Planner;
use crate::launch;
use codegen::{Kernel, KernelArg};
use nat::{Prop, Var};

const ALL: [usize; 3] = [0, 1, 2];

impl Planner<'_> {
    /// Returns smaller local sizes for the next attempt, or `None` if they would not help.
    pub(super) fn smaller(
        &self,
        kernel: &Kernel,
        wanted: &KernelLoops,
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
            // Other errors do not depend on the local size.
            _ => None,
        }
    }

    /// Returns the dimensions in which `among` holds for the variable of the local size or of the
    /// global size.
    fn dims(&self, kernel: &Kernel, among: impl Fn(Var) -> bool) -> Vec<usize> {
        let sizes = &kernel.sizes;
        let here = |dim: &usize| among(sizes.local[*dim]) || among(sizes.global[*dim]);
        ALL.into_iter().filter(here).collect()
    }

    /// Returns the local sizes with the most work-items that satisfy the first violated condition,
    /// and differ from `tried` only in being smaller in one dimension that the condition mentions
    /// and whose local size is not given. If there are none, halves the largest such dimension.
    /// Returns `None` if there is no such dimension, or no condition is violated.
    fn meeting(&self, kernel: &Kernel, wanted: &KernelLoops, tried: [u64; 3]) -> Option<[u64; 3]> {
        let holds = |prop: &Prop, local: [u64; 3]| {
            let (local, global) = wanted.launch(local, self.device);
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
