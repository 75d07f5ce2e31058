//! Checks of kernels and their launch sizes against the limits of the device.

use nat::{Nat, Prop};
use rise::core::{Launch, Origin};
use rise::{Arg, Primitive, Type};
use syntax::ast::ScalarType;

use super::access_inference::AccessInference;
use super::primitive_checks::has;
use super::problem::{DeviceLimit, LaunchError, ParallelMap, ProblemKind};
use super::write_conflicts::WriteDestination;

/// The state outside of a kernel, which is restored at its end.
pub(super) struct SavedKernelState {
    launch: Launch,
    nest: Vec<ParallelMap>,
    in_kernel: bool,
    kernel: Option<Origin>,
}

impl AccessInference {
    /// Enters the kernel of an `oclRun`, which writes to `into`, and returns the state outside of
    /// it; `None` for other primitives and on targets without work-items. A kernel whose result
    /// another kernel reads runs before that one, so it is not inside it.
    pub(super) fn enter_kernel(
        &mut self,
        (primitive, at): (Primitive, Origin),
        types: &[Arg],
        into: &WriteDestination,
    ) -> Option<SavedKernelState> {
        if primitive != Primitive::OclRun || !self.target.has_work_items() {
            return None;
        }
        let launch = launch_of(types);
        let outer = self.correctly_nested_maps().first().copied();
        let again = self.again;
        if outer.is_some() || again.is_some() || (self.in_kernel && into.is_result()) {
            self.report(at, ProblemKind::KernelInside { outer, again });
        }
        self.check_launch(Some(at), &launch);
        Some(SavedKernelState {
            launch: std::mem::replace(&mut self.launch, launch),
            nest: std::mem::take(&mut self.nest),
            in_kernel: std::mem::replace(&mut self.in_kernel, true),
            kernel: self.kernel.replace(at),
        })
    }

    /// Returns true if the host can run the rounds of a primitive, which writes to `into`: it is
    /// outside of every kernel, and the number of its rounds is a size. A loop whose result a kernel
    /// reads runs before that kernel, so it is not inside it.
    pub(super) fn is_host_loop(&self, primitive: Primitive, into: &WriteDestination) -> bool {
        matches!(primitive, Primitive::Repeat | Primitive::RepeatInPlace)
            && !(self.in_kernel && into.is_result())
    }

    pub(super) fn leave_kernel(&mut self, around: Option<SavedKernelState>) {
        if let Some(around) = around {
            self.launch = around.launch;
            self.nest = around.nest;
            self.in_kernel = around.in_kernel;
            self.kernel = around.kernel;
        }
    }

    /// Checks the launch sizes of the `oclRun` at `kernel`, or those of the annotation if that is
    /// `None`. Sizes that are not refuted are checked again before a launch.
    pub(super) fn check_launch(&mut self, kernel: Option<Origin>, launch: &Launch) {
        if !self.target.has_work_items() {
            return;
        }
        let Some(wrong) = self.wrong_launch(launch) else {
            return;
        };
        let at = kernel.unwrap_or(Origin(0));
        self.report(at, ProblemKind::Launch { kernel, wrong });
    }

    fn wrong_launch(&self, launch: &Launch) -> Option<LaunchError> {
        let zero = |size: &Nat| self.facts.proves(&Prop::Equal(size.clone(), Nat::ZERO));
        let above = |size: &Nat, most: u64| {
            let most = Nat::constant(i64::try_from(most).unwrap_or(i64::MAX));
            self.facts.excludes(&Prop::AtLeast(most, size.clone()))
        };
        let sizes = |at: usize| (launch.local[at].as_ref(), launch.global[at].as_ref());
        for dimension in 0..3 {
            let (local, global) = sizes(usize::from(dimension));
            let global = global.is_some_and(zero);
            if global || local.is_some_and(zero) {
                return Some(LaunchError::Nothing { dimension, global });
            }
        }
        let mut group = Nat::ONE;
        for dimension in 0..3 {
            let at = usize::from(dimension);
            let Some(local) = sizes(at).0 else {
                continue;
            };
            let most = self.device.work_item_sizes[at].min(self.device.work_group);
            if above(local, most) {
                return Some(LaunchError::LargeGroup {
                    dimension: Some(dimension),
                    items: self.facts.normalize(local),
                    limit: self.limit(most),
                });
            }
            group = &group * local;
        }
        if above(&group, self.device.work_group) {
            return Some(LaunchError::LargeGroup {
                dimension: None,
                items: self.facts.normalize(&group),
                limit: self.limit(self.device.work_group),
            });
        }
        (0..3).find_map(|dimension| {
            let (Some(local), Some(global)) = sizes(usize::from(dimension)) else {
                return None;
            };
            let divides = Prop::Divides(local.clone(), global.clone());
            self.facts
                .excludes(&divides)
                .then(|| LaunchError::Remainder {
                    dimension,
                    local: local.clone(),
                    global: global.clone(),
                })
        })
    }

    pub(super) fn limit(&self, most: u64) -> DeviceLimit {
        DeviceLimit {
            device: self.device.name.clone(),
            most,
        }
    }

    /// Reports `f64` and `f16` in a type if the device lacks them, each once for a program.
    pub(super) fn check_device_has(&mut self, ty: &Type, at: Origin) {
        let lacks = [
            (ScalarType::F64, self.device.fp64),
            (ScalarType::F16, self.device.fp16),
        ];
        for (scalar, there) in lacks {
            let kind = ProblemKind::NotOnDevice {
                scalar,
                device: self.device.name.clone(),
            };
            if !there && has(ty, scalar) && !self.problems.iter().any(|c| c.kind == kind) {
                self.report(at, kind);
            }
        }
    }
}

fn launch_of(types: &[Arg]) -> Launch {
    let sizes: Vec<Nat> = types
        .iter()
        .filter_map(|arg| match arg {
            Arg::Nat(size) => Some(size.clone()),
            _ => None,
        })
        .collect();
    let (local, global) = sizes.split_at(sizes.len().min(3));
    Launch::of(local, global)
}
