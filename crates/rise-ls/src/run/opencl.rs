//! Runs programs on OpenCL devices.

use super::{Complaint, Failure, Job, Ran, Runs, devices};
use codegen::{Kernel, Module, Target};
use rise::core::Origin;
use runtime::cc::{Message, RunError, Severity};
use runtime::ocl::{self, DeviceInfo, OclError, Outcome, Plan, Worker, WorkerError};
use runtime::process;
use runtime::{Shape, Value};
use std::sync::Arc;
use std::time::Duration;

/// The device of a run, and the times of its parts.
#[derive(Clone, Debug)]
pub struct OnDevice {
    pub name: String,
    pub platform: String,
    /// The kernels, in the order of their execution.
    pub kernels: Vec<KernelRun>,
    /// The time of the transfer of the arguments to the device.
    pub upload: Duration,
    /// The time of the transfer of the result back.
    pub download: Duration,
    /// The copy bandwidth of the device in bytes per second, if runs were timed.
    pub copy_bandwidth: Option<f64>,
}

/// The execution of a kernel.
#[derive(Clone, Debug)]
pub struct KernelRun {
    pub name: String,
    /// The number of work-items of a work-group in each dimension.
    pub local: [u64; 3],
    /// The number of work-items in each dimension.
    pub global: [u64; 3],
    /// The execution time by the device's clock: the median of the runs.
    pub time: Duration,
}

impl Runs<'_> {
    /// Compiles the program and launches it on a device once, or `bench` times after a warm-up.
    pub(super) fn on_device(
        &self,
        target: Target,
        job: &Job,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Ran, Failure> {
        progress("starting OpenCL");
        let mut worker = devices::worker(self.limits)?;
        let all = devices::found(&mut worker)?;
        let device = ocl::choose(&all, job.wanted_device()).map_err(WorkerError::from)?;
        let given = |sizes: &Option<Vec<u64>>| sizes.clone().unwrap_or_default();
        let (local, global) = (given(&job.local), given(&job.global));
        ocl::check_given(&self.program.name, &local, &global, device)?;
        progress("translating");
        self.check_memory(device)?;
        let mut fitting = device.clone();
        let mut demanded = None;
        let (module, plan, outcome) = loop {
            let (module, plan) = self.planned(target, &fitting, demanded.take())?;
            match self.launch_on(&mut worker, device, &plan, job, progress) {
                Err(WorkerError::Ocl(OclError::Registers { limit, .. }))
                    if limit < fitting.work_group =>
                {
                    demanded = module.demanding_sizes().map(Arc::new);
                    if demanded.is_some() {
                        worker = devices::worker(self.limits)?;
                        continue;
                    }
                    // A local size that the program leaves open may be reduced to the limit that
                    // the kernel's registers allow; a size that the program demands is not reduced.
                    fitting.work_group = limit;
                    worker = devices::worker(self.limits)?;
                }
                Err(WorkerError::Ocl(OclError::Build { log })) => {
                    return Err(self.refused_kernels(target, &module, &log));
                }
                Err(WorkerError::Crashed { stage, how, output }) => {
                    return Err(crashed(device, &module, stage, &how, &output));
                }
                outcome => break (module, plan, outcome?),
            }
        };
        if let Some(bytes) = outcome.report.copy_bandwidth {
            devices::keep_bandwidth(device, bytes);
        }
        let printed = worker.finish();
        Ok(self.ran(target, &module, device, &plan, outcome, job, printed))
    }

    /// Returns the generated kernels with a launch plan: those of `demanded` if it is given. If
    /// there is only one kernel and its local size is open, the size is chosen, and the kernel is
    /// generated again for it if possible.
    fn planned(
        &self,
        target: Target,
        device: &DeviceInfo,
        demanded: Option<Arc<Module>>,
    ) -> Result<(Arc<Module>, Plan), Failure> {
        if let Some(module) = demanded {
            let plan = ocl::plan(&module, self.launch, device)?;
            return Ok((module, plan));
        }
        let module = self.module(target)?;
        let plan = ocl::plan(&module, self.launch, device)?;
        let kernels = module.device.iter().flat_map(|device| &device.kernels);
        let is_open = |kernel: &Kernel| kernel.launch.local.iter().any(Option::is_none);
        // The kernels of a program with several ones have their own sizes.
        if let ([chosen], true) = (plan.kernels.as_slice(), kernels.into_iter().any(is_open))
            && let Ok(module) = self.db.module_of_groups(self.item, target, chosen.local)
            && let Ok(plan) = ocl::plan(&module, self.launch, device)
        {
            return Ok((module, plan));
        }
        Ok((module, plan))
    }

    /// Checks that the host has enough memory. Arguments are sent to the worker process one at a
    /// time, and it keeps them only if the device is a CPU. Both processes hold the result.
    fn check_memory(&self, device: &DeviceInfo) -> Result<(), Failure> {
        let args = self.launch.args.iter().map(|arg| arg.bytes().len() as u64);
        let args: u64 = match device.kind {
            ocl::DeviceType::Cpu => args.sum(),
            _ => args.max().unwrap_or_default(),
        };
        let result = self.launch.result.as_ref().map_or(0, Shape::size);
        let needed = args.saturating_add(result.saturating_mul(2));
        match process::available_memory() {
            Some(available) if needed > available => {
                Err(RunError::Memory { needed, available }.into())
            }
            _ => Ok(()),
        }
    }

    fn launch_on(
        &self,
        worker: &mut Worker,
        device: &DeviceInfo,
        plan: &Plan,
        job: &Job,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Outcome, WorkerError> {
        let args: Vec<&Value> = self.launch.args.iter().collect();
        let result = self.launch.result.clone()?;
        let runs = ocl::Runs {
            warm_up: u32::from(job.bench.is_some()),
            timed: job.bench.unwrap_or(1),
            bandwidth: job.bench.is_some() && devices::bandwidth(device).is_none(),
        };
        let mut stage = |stage: ocl::Stage| progress(stage.title());
        worker.run(device.number, plan, &args, result, runs, &mut stage)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "each is the result of another step of the run"
    )]
    fn ran(
        &self,
        target: Target,
        module: &Module,
        device: &DeviceInfo,
        plan: &Plan,
        outcome: Outcome,
        job: &Job,
        printed: String,
    ) -> Ran {
        let Outcome { value, report } = outcome;
        let times: Vec<Duration> = report.runs.iter().map(|run| run.iter().sum()).collect();
        let kernels = plan.kernels.iter().enumerate().map(|(at, kernel)| {
            let times = report.runs.iter().filter_map(|run| run.get(at).copied());
            KernelRun {
                name: kernel.name.clone(),
                local: kernel.local,
                global: kernel.global,
                time: super::json::median(times.collect()),
            }
        });
        let device = OnDevice {
            name: device.name.clone(),
            platform: device.platform.clone(),
            kernels: kernels.collect(),
            upload: report.upload,
            download: report.download,
            copy_bandwidth: (job.bench.is_some())
                .then(|| devices::bandwidth(device))
                .flatten(),
        };
        Ran {
            warnings: self.kernel_warnings(target, module, &report.log),
            value,
            elapsed: times.last().copied().unwrap_or_default(),
            times: if job.bench.is_some() {
                times
            } else {
                Vec::new()
            },
            printed,
            flags: Some(vec![ocl::OPTIONS.to_owned()]),
            device: Some(device),
        }
    }

    /// Returns the failure for kernels that the driver's compiler rejects: at the use of a function
    /// that is not found, or at the source location of the first error, as far as they are known.
    fn refused_kernels(&self, target: Target, module: &Module, log: &str) -> Failure {
        let messages = ocl::parse_log(log);
        let mut errors = messages
            .iter()
            .filter(|message| message.severity == Severity::Error);
        if let Some(name) = ocl::unresolved(log) {
            let message = format!("there is no function `{name}` in OpenCL C; give it a body");
            if let Some(failure) = self.not_found(name, &message) {
                return failure;
            }
        }
        let Some(first) = errors.next() else {
            return Failure::failed(
                OclError::Build {
                    log: log.to_owned(),
                }
                .to_string(),
            );
        };
        Failure::Failed(self.said_of_kernels(target, module, first))
    }

    /// Returns the warnings of the driver's compiler about the bodies of foreign functions.
    fn kernel_warnings(&self, target: Target, module: &Module, log: &str) -> Vec<Complaint> {
        let messages = ocl::parse_log(log);
        let warnings = messages
            .iter()
            .filter(|message| message.severity == Severity::Warning);
        let in_bodies = warnings.filter(|message| {
            let at = offset(&module.text, message);
            at.is_some_and(|at| (module.foreign.iter()).any(|own| own.range.contains(&at)))
        });
        in_bodies
            .map(|message| self.said_of_kernels(target, module, message))
            .collect()
    }

    fn said_of_kernels(&self, target: Target, module: &Module, message: &Message) -> Complaint {
        let (place, uses) = match offset(&module.text, message) {
            Some(at) => self.place_in_kernels(target, module, at),
            None => (None, Vec::new()),
        };
        Complaint {
            message: format!("the OpenCL compiler: {}", message.text),
            place,
            uses,
        }
    }

    /// Maps a byte of the generated text to the source: to the body of a foreign function, or else
    /// to the phrase of the innermost part that contains it.
    fn place_in_kernels(
        &self,
        target: Target,
        module: &Module,
        at: usize,
    ) -> (Option<super::Location>, Vec<super::Location>) {
        let own = module.foreign.iter().find(|own| own.range.contains(&at));
        if let Some(own) = own {
            let place = self.body_place(&own.function, at - own.range.start);
            return (place, Vec::new());
        }
        let around = module.map.iter().filter(|part| part.range.contains(&at));
        match around.min_by_key(|part| part.range.len()) {
            Some(part) => self.places_of(target, part.origin),
            None => (None, Vec::new()),
        }
    }

    /// Returns the source locations of a phrase of the compiled program, whose origins differ from
    /// those of the linked program.
    fn places_of(
        &self,
        target: Target,
        origin: Origin,
    ) -> (Option<super::Location>, Vec<super::Location>) {
        match self.db.imperative(self.item, target) {
            Ok(program) => self.places_in(&program.origins, origin),
            Err(_) => self.places(origin),
        }
    }
}

/// Returns the failure for a driver that crashed, with advice.
fn crashed(
    device: &DeviceInfo,
    module: &Module,
    stage: ocl::Stage,
    how: &str,
    output: &str,
) -> Failure {
    let doing = match stage {
        // Many drivers compile a kernel when it is launched.
        ocl::Stage::Running => "compiling or running the kernels",
        stage => stage.title(),
    };
    let mut text = format!(
        "the OpenCL driver of {} crashed while {doing}: it {how}",
        device.name
    );
    let advice = match module.foreign.is_empty() {
        true => "kernels stay in their memory, so that the driver is most likely wrong: ",
        false => "a C function of the program may be wrong, or the driver: ",
    };
    text.push_str("; ");
    text.push_str(advice);
    text.push_str("try other sizes (`--local`, `--global`), another device (`--device`), or `--backend interp`");
    if !output.is_empty() {
        text.push_str("\nlast it said: ");
        text.push_str(output);
    }
    Failure::failed(text)
}

fn offset(text: &str, message: &Message) -> Option<usize> {
    let line = message.line.checked_sub(1)? as usize;
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let at = before + (message.column.max(1) - 1) as usize;
    (at < text.len()).then_some(at)
}
