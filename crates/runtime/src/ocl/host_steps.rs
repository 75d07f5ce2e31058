//! Runs the steps of a host with numeric sizes, which gives the launches of kernels in their order.

use super::plan::{ArgPlan, LaunchPlan};
use super::plan_error::PlanError;
use crate::shape::Bindings;
use codegen::{HostStep, KernelArg};
use rustc_hash::FxHashMap;

/// The largest number of launches of a run.
const MAX_LAUNCHES: usize = 1_000_000;

/// The launches of a run, which are found step by step.
#[derive(Default)]
pub(super) struct Launches {
    /// The different launches.
    pub launches: Vec<LaunchPlan>,
    /// The numbers of the launches in the order of their execution.
    pub order: Vec<u32>,
    numbers: FxHashMap<LaunchPlan, u32>,
    /// The memory to which each handle refers.
    handles: FxHashMap<usize, ArgPlan>,
}

/// An argument of a kernel before the steps have run: that of each launch, or a handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PlannedArg {
    /// The same argument in each launch.
    Fixed(ArgPlan),
    /// The memory to which the handle with this index refers.
    Handle(usize),
}

impl Launches {
    /// Runs steps. `kernels` are the arguments of each kernel, and `memory` plans an argument that
    /// is memory.
    ///
    /// # Errors
    /// Fails if a size cannot be computed, or if there are too many launches.
    pub fn run(
        &mut self,
        steps: &[HostStep<KernelArg>],
        kernels: &[Vec<PlannedArg>],
        memory: &impl Fn(&KernelArg) -> Option<PlannedArg>,
        bindings: &mut Bindings,
    ) -> Result<(), PlanError> {
        for step in steps {
            match step {
                HostStep::Launch(kernel) => self.launch(*kernel, kernels)?,
                HostStep::Point(handle, other) => {
                    let other = memory(other).and_then(|other| self.resolved(other));
                    self.point(memory(handle), other);
                }
                HostStep::Swap(one, other) => {
                    let (one, other) = (memory(one), memory(other));
                    let values = [one, other].map(|arg| arg.and_then(|arg| self.resolved(arg)));
                    self.point(one, values[1]);
                    self.point(other, values[0]);
                }
                HostStep::Repeat {
                    counter,
                    count,
                    body,
                } => {
                    let count = bindings.nat(count).map_err(PlanError::Rounds)?;
                    for round in 0..i64::try_from(count).unwrap_or(i64::MAX) {
                        bindings.nats.insert(*counter, round);
                        self.run(body, kernels, memory, bindings)?;
                    }
                }
                HostStep::IfEqual {
                    sizes,
                    then,
                    otherwise,
                } => {
                    let [one, other] = sizes.each_ref().map(|size| bindings.nat(size));
                    let (one, other) = (
                        one.map_err(PlanError::Rounds)?,
                        other.map_err(PlanError::Rounds)?,
                    );
                    let chosen = if one == other { then } else { otherwise };
                    self.run(chosen, kernels, memory, bindings)?;
                }
            }
        }
        Ok(())
    }

    fn launch(&mut self, kernel: usize, kernels: &[Vec<PlannedArg>]) -> Result<(), PlanError> {
        let args = kernels.get(kernel).into_iter().flatten();
        let args = args.map(|arg| self.resolved(*arg));
        let args = args.collect::<Option<Vec<_>>>();
        let args = args.ok_or_else(PlanError::other_parameters)?;
        if self.order.len() == MAX_LAUNCHES {
            return Err(PlanError::Launches {
                limit: MAX_LAUNCHES,
            });
        }
        let launch = LaunchPlan { kernel, args };
        let next = u32::try_from(self.launches.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(launch.clone()).or_insert(next);
        if number == next {
            self.launches.push(launch);
        }
        self.order.push(number);
        Ok(())
    }

    fn resolved(&self, arg: PlannedArg) -> Option<ArgPlan> {
        match arg {
            PlannedArg::Fixed(arg) => Some(arg),
            PlannedArg::Handle(at) => self.handles.get(&at).copied(),
        }
    }

    fn point(&mut self, handle: Option<PlannedArg>, memory: Option<ArgPlan>) {
        if let (Some(PlannedArg::Handle(at)), Some(memory)) = (handle, memory) {
            self.handles.insert(at, memory);
        }
    }
}
