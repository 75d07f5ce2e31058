//! Plans launches: evaluates the sizes of a module for a device, and checks the limits of the
//! device.

use super::DeviceInfo;
use super::host_steps::{Launches, PlannedArg};
use super::launch_sizes::{self, KernelLoops};
use super::plan::{ArgPlan, KernelPlan, OutputPlan, ParamPlan, Plan, SizePlan};
use super::plan_error::{PlanError, items};
use crate::launch::{self, Launch};
use crate::shape::{Bindings, Shape};
use codegen::ir::Level;
use codegen::{IndexWidth, Kernel, KernelArg, Module};
use nat::Nat;
use rise::Names;
use syntax::ast::Name;

/// Plans the launches of a module's kernels on this device.
///
/// # Errors
/// Fails if the device does not support the launches, or sizes do not fit.
pub fn plan(module: &Module, launch: &Launch, device: &DeviceInfo) -> Result<Plan, PlanError> {
    if module.signature.params.len() != launch.args.len() {
        return Err(PlanError::other_parameters());
    }
    let planner = Planner::new(module, &launch.sizes, device)?;
    planner.check_types()?;
    let mut kernels = Vec::new();
    let result = match &launch.result {
        Ok(shape) => shape,
        Err(error) => return Err(PlanError::Result(error.clone())),
    };
    let signature = &module.signature;
    let outputs = result.outputs(signature.inout.len() + signature.outputs.len());
    let outputs = outputs.ok_or_else(PlanError::other_parameters)?;
    let outputs = outputs.into_iter().enumerate();
    let outputs = outputs.map(|(at, (offset, shape))| OutputPlan {
        offset,
        size: shape.size(),
        source: signature.inout.get(at).copied(),
    });
    let size = |value: i64| match module.signature.index {
        IndexWidth::Bits32 => SizePlan::Int(i32::try_from(value).unwrap_or(i32::MAX)),
        IndexWidth::Bits64 => SizePlan::Long(value),
    };
    let mut args = Vec::new();
    for kernel in planner.kernels() {
        let (kernel, of_kernel) = planner.kernel(kernel, result.size())?;
        kernels.push(kernel);
        args.push(of_kernel);
    }
    let launches = planner.launches(&args)?;
    let params = launch.args.iter().map(|value| {
        let bytes = value.bytes().len() as u64;
        match value.shape() {
            Shape::Array(..) | Shape::DepArray(_) => ParamPlan::Buffer(bytes),
            _ => ParamPlan::Value(bytes),
        }
    });
    let buffers = planner.buffers(&kernels)?;
    let Launches {
        launches, order, ..
    } = launches;
    let plan = Plan {
        text: module.text.clone(),
        kernels,
        launches,
        order,
        buffers,
        sizes: launch.sizes.iter().map(|(_, value)| size(*value)).collect(),
        params: params.collect(),
        outputs: outputs.collect(),
        result: result.size(),
    };
    planner.check_memory(&plan)?;
    planner.check_parameters(&plan)?;
    Ok(plan)
}

/// Returns true if the counters and the global sizes of a launch fit into the indices of the
/// module. Also returns true for other errors, which do not depend on the index width.
pub fn counters_fit(module: &Module, sizes: &[(Name, i64)], device: &DeviceInfo) -> bool {
    let Ok(planner) = Planner::new(module, sizes, device) else {
        return true;
    };
    let mut plans = planner.kernels().iter().map(|one| planner.kernel(one, 1));
    !plans.any(|plan| {
        matches!(
            plan,
            Err(PlanError::Steps { .. } | PlanError::ManyItems { .. })
        )
    })
}

/// A module for a device, with the sizes of its program.
pub(super) struct Planner<'a> {
    module: &'a Module,
    pub(super) device: &'a DeviceInfo,
    bindings: Bindings,
}

impl<'a> Planner<'a> {
    fn new(
        module: &'a Module,
        sizes: &[(Name, i64)],
        device: &'a DeviceInfo,
    ) -> Result<Self, PlanError> {
        let signature = &module.signature;
        if module.device.is_none() {
            let message = "the program was not compiled for OpenCL";
            return Err(PlanError::NotKernels(message.to_owned()));
        }
        if signature.sizes.len() != sizes.len() {
            return Err(PlanError::other_parameters());
        }
        let values = signature.sizes.iter().zip(sizes);
        let bindings = Bindings {
            nats: values
                .map(|((var, _), (_, value))| (*var, *value))
                .collect(),
            names: Names(signature.names.clone().into()),
            ..Bindings::default()
        };
        launch::check(&signature.requires, &bindings)?;
        Ok(Planner {
            module,
            device,
            bindings,
        })
    }

    fn kernels(&self) -> &'a [Kernel] {
        self.module.device.as_ref().map_or(&[], |all| &all.kernels)
    }

    /// Plans a kernel: chooses the launch sizes that are not given, and checks all of them.
    fn kernel(
        &self,
        kernel: &Kernel,
        result: u64,
    ) -> Result<(KernelPlan, Vec<PlannedArg>), PlanError> {
        let wanted = self.wanted(kernel)?;
        let mut tried = launch_sizes::preferred(&wanted, self.device);
        let mut refused = None;
        loop {
            let (local, global) = wanted.launch(tried, self.device);
            let error = match self.with_sizes(kernel, local, global, result) {
                Ok(plan) => return Ok(plan),
                Err(error) => error,
            };
            let smaller = self.smaller(kernel, &wanted, tried, &error);
            // The error of the first choice is reported.
            let first = refused.unwrap_or(error);
            tried = match smaller {
                Some(smaller) => smaller,
                None => return Err(first),
            };
            refused = Some(first);
        }
    }

    /// Returns the launch sizes and iteration counts that the program determines.
    fn wanted(&self, kernel: &Kernel) -> Result<KernelLoops, PlanError> {
        let all = |sizes: &[Option<Nat>; 3], what: &str| -> Result<[Option<u64>; 3], PlanError> {
            let mut found = [None; 3];
            for (at, size) in sizes.iter().enumerate() {
                let Some(size) = size else { continue };
                let what = || format!("the {what} size in dimension {at}");
                found[at] = Some(self.size(kernel, size, &self.bindings, what)?);
            }
            Ok(found)
        };
        Ok(KernelLoops {
            local: all(&kernel.launch.local, "local")?,
            global: all(&kernel.launch.global, "global")?,
            counts: self.counts(kernel),
        })
    }

    /// Returns the iteration counts that work-items share, by level and dimension, as far as they
    /// only depend on the program's sizes.
    fn counts(&self, kernel: &Kernel) -> Vec<(codegen::ir::Level, u8, u64)> {
        let count = |items: &codegen::Items| {
            let count = self.bindings.nat(&items.count).ok()?;
            Some((items.level, items.dim, count))
        };
        kernel.items.iter().filter_map(count).collect()
    }

    fn size(
        &self,
        kernel: &Kernel,
        size: &Nat,
        bindings: &Bindings,
        what: impl Fn() -> String,
    ) -> Result<u64, PlanError> {
        bindings.nat(size).map_err(|error| PlanError::Size {
            kernel: kernel.name.clone(),
            what: what(),
            error,
        })
    }

    fn with_sizes(
        &self,
        kernel: &Kernel,
        local: [u64; 3],
        global: [u64; 3],
        result: u64,
    ) -> Result<(KernelPlan, Vec<PlannedArg>), PlanError> {
        // Kernels that have nothing to do are not launched, nor are those of an empty result.
        let idle = result == 0 || self.has_nothing_to_do(kernel, global);
        let (local, global) = match idle {
            true => (local.map(|size| size.max(1)), [0; 3]),
            false => (local, global),
        };
        let empty = global.iter().position(|size| *size == 0);
        if let Some(dim) = empty.filter(|_| !idle) {
            let kernel = kernel.name.clone();
            return Err(PlanError::NoItems { kernel, dim });
        }
        let index = self.module.signature.index;
        check_sizes(&kernel.name, local, global, self.device, index)?;
        let bindings = self.launched(kernel, local, global);
        if !idle {
            check_steps(kernel, local, global, &bindings, index)?;
            launch::check(&kernel.requires, &bindings).map_err(|error| PlanError::Condition {
                kernel: kernel.name.clone(),
                local,
                global,
                error: Box::new(error),
            })?;
        }
        let declared = || "the local memory".to_owned();
        let mut local_bytes = self.size(kernel, &kernel.local_bytes, &bindings, declared)?;
        let mut args = Vec::new();
        for arg in &kernel.args {
            args.push(match arg {
                KernelArg::Local { bytes } => {
                    let bytes = self.size(kernel, bytes, &bindings, declared)?;
                    local_bytes = local_bytes.saturating_add(bytes);
                    PlannedArg::Fixed(ArgPlan::Local(bytes))
                }
                other => self
                    .planned(other)
                    .ok_or_else(PlanError::other_parameters)?,
            });
        }
        if local_bytes > self.device.local_memory {
            return Err(PlanError::LocalMemory {
                kernel: kernel.name.clone(),
                needed: local_bytes,
                limit: self.device.local_memory,
                device: self.device.name.clone(),
            });
        }
        let plan = KernelPlan {
            name: kernel.name.to_string(),
            local,
            global,
        };
        Ok((plan, args))
    }

    /// Plans an argument; `None` for local memory, whose size is that of a launch.
    fn planned(&self, arg: &KernelArg) -> Option<PlannedArg> {
        let inout = &self.module.signature.inout;
        let fixed = match arg {
            KernelArg::Output(at) => ArgPlan::Output(inout.len() + at),
            KernelArg::Size(at) => ArgPlan::Size(*at),
            KernelArg::Param(at) => match inout.iter().position(|updated| updated == at) {
                Some(output) => ArgPlan::Output(output),
                None => ArgPlan::Param(*at),
            },
            KernelArg::Buffer(at) => ArgPlan::Buffer(*at),
            KernelArg::Handle(at) => return Some(PlannedArg::Handle(*at)),
            KernelArg::Local { .. } => return None,
        };
        Some(PlannedArg::Fixed(fixed))
    }

    /// Runs the steps of the host, which launch kernels with these arguments.
    fn launches(&self, args: &[Vec<PlannedArg>]) -> Result<Launches, PlanError> {
        let steps = self.module.device.iter().flat_map(|device| &device.steps);
        let steps: Vec<_> = steps.cloned().collect();
        let mut launches = Launches::default();
        let mut bindings = self.bindings.clone();
        launches.run(&steps, args, &|arg| self.planned(arg), &mut bindings)?;
        Ok(launches)
    }

    /// Returns true if a dimension of the global size is 0, and so is the number of iterations of
    /// each loop over work-items or groups in this dimension. All writes to global memory are in
    /// these loops, unless one work-item is launched in the dimension.
    fn has_nothing_to_do(&self, kernel: &Kernel, global: [u64; 3]) -> bool {
        let is_empty = |items: &codegen::Items| self.bindings.nat(&items.count) == Ok(0);
        let is_idle = |dim: usize| {
            let mut loops = (kernel.items.iter())
                .filter(|items| usize::from(items.dim) == dim && items.level != Level::Local)
                .peekable();
            loops.peek().is_some() && loops.all(is_empty)
        };
        (0..3).any(|dim| global[dim] == 0 && is_idle(dim))
    }

    /// Returns the sizes of the temporary buffers in bytes, which may depend on the launch sizes of
    /// the kernels that use them.
    fn buffers(&self, kernels: &[KernelPlan]) -> Result<Vec<u64>, PlanError> {
        let all = self.module.device.iter().flat_map(|device| &device.buffers);
        let mut found = Vec::new();
        for (at, buffer) in all.enumerate() {
            let what = || format!("the temporary array `{}`", buffer.name);
            let uses = |kernel: &Kernel| kernel.args.contains(&KernelArg::Buffer(at));
            let mut bytes = None;
            for (kernel, plan) in self.kernels().iter().zip(kernels) {
                if uses(kernel) {
                    let bindings = self.launched(kernel, plan.local, plan.global);
                    bytes = bytes.max(Some(self.size(kernel, &buffer.bytes, &bindings, what)?));
                }
            }
            // Kernels get other buffers from handles; their sizes are those of the program.
            found.push(match (bytes, self.kernels().first()) {
                (Some(bytes), _) => bytes,
                (None, Some(kernel)) => self.size(kernel, &buffer.bytes, &self.bindings, what)?,
                (None, None) => 0,
            });
        }
        Ok(found)
    }

    /// Returns the sizes of the program together with those of a launch.
    pub(super) fn launched(&self, kernel: &Kernel, local: [u64; 3], global: [u64; 3]) -> Bindings {
        let mut bindings = self.bindings.clone();
        let vars = (kernel.sizes.local.into_iter().zip(local))
            .chain(kernel.sizes.global.into_iter().zip(global));
        for (var, value) in vars {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            bindings.nats.insert(var, value);
        }
        bindings
    }

    fn check_memory(&self, plan: &Plan) -> Result<(), PlanError> {
        let params = self.module.signature.params.iter().zip(&plan.params);
        let params = params.filter_map(|((name, _), param)| match param {
            ParamPlan::Buffer(bytes) => Some((format!("the argument `{name}`"), *bytes)),
            ParamPlan::Value(_) => None,
        });
        let temporary = self.module.device.iter().flat_map(|device| &device.buffers);
        let temporary = temporary
            .zip(&plan.buffers)
            .map(|(buffer, bytes)| (format!("the temporary array `{}`", buffer.name), *bytes));
        let result = plan
            .outputs
            .iter()
            .map(|output| ("the result".to_owned(), output.size));
        let mut needed: u64 = 0;
        for (what, bytes) in params.chain(result).chain(temporary) {
            if bytes > self.device.max_allocation {
                return Err(PlanError::Buffer {
                    what,
                    needed: bytes,
                    limit: self.device.max_allocation,
                    device: self.device.name.clone(),
                });
            }
            needed = needed.saturating_add(bytes);
        }
        if needed > self.device.global_memory {
            return Err(PlanError::Memory {
                needed,
                limit: self.device.global_memory,
                device: self.device.name.clone(),
            });
        }
        Ok(())
    }

    /// Checks that the parameters of each kernel are not larger than the device supports, which may
    /// be as little as 256 bytes. Buffers and local memory count 8 bytes each.
    fn check_parameters(&self, plan: &Plan) -> Result<(), PlanError> {
        for launch in &plan.launches {
            let bytes = |arg: &ArgPlan| match arg {
                ArgPlan::Size(_) => match self.module.signature.index {
                    IndexWidth::Bits32 => 4,
                    IndexWidth::Bits64 => 8,
                },
                ArgPlan::Param(at) => match plan.params.get(*at) {
                    Some(ParamPlan::Value(bytes)) => *bytes,
                    _ => 8,
                },
                ArgPlan::Output(_) | ArgPlan::Buffer(_) | ArgPlan::Local(_) => 8,
            };
            let needed: u64 = launch.args.iter().map(bytes).sum();
            let Some(kernel) = plan.kernels.get(launch.kernel) else {
                continue;
            };
            if needed > self.device.parameter_bytes {
                return Err(PlanError::Parameters {
                    kernel: kernel.name.as_str().into(),
                    needed,
                    limit: self.device.parameter_bytes,
                    device: self.device.name.clone(),
                });
            }
        }
        Ok(())
    }

    fn check_types(&self) -> Result<(), PlanError> {
        let missing = |ty, name| PlanError::Type {
            ty,
            name,
            device: self.device.name.clone(),
        };
        let has = |word| has_word(&self.module.text, word);
        if !self.device.fp64 && has("double") {
            return Err(missing(
                "f64",
                "floating-point numbers of 64 bits (the extension cl_khr_fp64)",
            ));
        }
        if !self.device.fp16 && has("half") {
            return Err(missing(
                "f16",
                "floating-point numbers of 16 bits (the extension cl_khr_fp16)",
            ));
        }
        Ok(())
    }
}

/// Checks that the counters of loops over work-items or work-groups fit into an index after the
/// last iteration. They grow by the number of work-items or work-groups.
fn check_steps(
    kernel: &Kernel,
    local: [u64; 3],
    global: [u64; 3],
    bindings: &Bindings,
    index: IndexWidth,
) -> Result<(), PlanError> {
    for items in &kernel.items {
        let dim = usize::from(items.dim.min(2));
        let Ok(count) = bindings.nat(&items.count) else {
            continue;
        };
        let launch = &kernel.launch;
        let (step, is_written) = match items.level {
            Level::Global => (global[dim], launch.global[dim].is_some()),
            Level::Local => (local[dim], launch.local[dim].is_some()),
            Level::WorkGroup => (
                global[dim] / local[dim],
                launch.global[dim].is_some() && launch.local[dim].is_some(),
            ),
        };
        // Each work-item runs one iteration, so that no loop is generated.
        let is_single = is_written && count == step;
        if count > 0 && !is_single && count - 1 + step >= index.limit() {
            return Err(PlanError::Steps {
                kernel: kernel.name.clone(),
                dim,
                count,
                step,
                index,
            });
        }
    }
    Ok(())
}

/// Checks that launch sizes are allowed, independent of the kernel: no local size is 0, the global
/// size is a multiple of the local size and fits into an index, and the device supports the local
/// size.
fn check_sizes(
    kernel: &Name,
    local: [u64; 3],
    global: [u64; 3],
    device: &DeviceInfo,
    index: IndexWidth,
) -> Result<(), PlanError> {
    for dim in 0..3 {
        let (kernel, device_name) = (kernel.clone(), device.name.clone());
        let (here, all) = (local[dim], global[dim]);
        if here == 0 {
            return Err(PlanError::EmptyGroup { kernel, dim });
        }
        if here > device.work_item_sizes[dim] {
            return Err(PlanError::GroupDimension {
                kernel,
                dim,
                local: here,
                limit: device.work_item_sizes[dim],
                device: device_name,
            });
        }
        if !all.is_multiple_of(here) {
            return Err(PlanError::Multiple {
                kernel,
                dim,
                global: all,
                local: here,
            });
        }
        if all >= index.limit() {
            return Err(PlanError::ManyItems {
                kernel,
                dim,
                global: all,
                index,
            });
        }
    }
    if items(&local) > device.work_group {
        return Err(PlanError::Group {
            kernel: kernel.clone(),
            local,
            limit: device.work_group,
            device: device.name.clone(),
        });
    }
    Ok(())
}

/// Checks the launch sizes of the user against the limits of the device, before the program is
/// compiled for them. Missing dimensions are 1, and missing sizes are not checked.
pub fn check_given(
    program: &Name,
    local: &[u64],
    global: &[u64],
    device: &DeviceInfo,
) -> Result<(), PlanError> {
    let all = |sizes: &[u64]| [0, 1, 2].map(|dim| sizes.get(dim).copied().unwrap_or(1));
    let local = all(local);
    let global = match global {
        // Every local size divides itself.
        [] => local,
        sizes => all(sizes),
    };
    // The index width is not known yet.
    check_sizes(program, local, global, device, IndexWidth::Bits64)
}

/// Returns true if C text contains a word, possibly with a vector width as a suffix, outside of
/// comments.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = without_comments(text);
    let mut words = code.split(|c| !is_word(c));
    words.any(|found| {
        let lanes = found.strip_prefix(word);
        lanes.is_some_and(|lanes| lanes.chars().all(|c| c.is_ascii_digit()))
    })
}

fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        code.push_str(before);
        let end = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else if let Some(inside) = comment.strip_prefix("/*") {
            // The `*` that opens a comment does not close it.
            inside.find("*/").map_or(comment.len(), |end| end + 4)
        } else {
            1
        };
        code.push(' ');
        rest = &comment[end..];
    }
    code.push_str(rest);
    code
}

#[cfg(test)]
#[path = "planner_tests.rs"]
mod tests;
