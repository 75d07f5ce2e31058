//! Runs on OpenCL devices.

use super::{Backend, Complaint, Failure, Job, Ran, Runs, devices};
use codegen::{Kernel, Module};
use rise::core::Origin;
use runtime::cc::{Message, RunError, Severity};
use runtime::ocl::{self, DeviceInfo, OclError, Outcome, Plan, Worker, WorkerError};
use runtime::process;
use runtime::{Shape, Value};
use std::sync::Arc;
use std::time::Duration;

/// Where a program ran, and how long the parts of that took.
#[derive(Clone, Debug)]
pub struct OnDevice {
    /// The device's name.
    pub name: String,
    /// Its platform's.
    pub platform: String,
    /// The kernels, in the order in which they ran.
    pub kernels: Vec<KernelRun>,
    /// How long the arguments took to the device.
    pub upload: Duration,
    /// How long the result took back.
    pub download: Duration,
    /// Bytes a second that the device copies, if runs were timed.
    pub copy_bandwidth: Option<f64>,
}

/// A kernel that ran.
#[derive(Clone, Debug)]
pub struct KernelRun {
    /// Its name in the code.
    pub name: String,
    /// Work-items of a group in each dimension.
    pub local: [u64; 3],
    /// All work-items in each dimension.
    pub global: [u64; 3],
    /// How long it took, by the device's clock: the median of the runs.
    pub time: Duration,
}

impl Runs<'_> {
    /// Compiles the program, and launches it on a device: once, or so many times after a warm-up.
    pub(super) fn on_device(
        &self,
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
            let (module, plan) = self.planned(&fitting, demanded.take())?;
            match self.launch_on(&mut worker, device, &plan, job, progress) {
                Err(WorkerError::Ocl(OclError::Registers { limit, .. }))
                    if limit < fitting.work_group =>
                {
                    demanded = module.demanding_sizes().map(Arc::new);
                    if demanded.is_some() {
                        worker = devices::worker(self.limits)?;
                        continue;
                    }
                    // Sizes that nobody has said may be smaller; those that are said are refused.
                    fitting.work_group = limit;
                    worker = devices::worker(self.limits)?;
                }
                Err(WorkerError::Ocl(OclError::Build { log })) => {
                    return Err(self.refused_kernels(&module, &log));
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
        Ok(self.ran(&module, device, &plan, outcome, job, printed))
    }

    /// The kernels, and what their launch is. Where nobody says the local size, it is chosen, and
    /// the kernel is compiled for it as if it had been said.
    fn planned(
        &self,
        device: &DeviceInfo,
        demanded: Option<Arc<Module>>,
    ) -> Result<(Arc<Module>, Plan), Failure> {
        if let Some(module) = demanded {
            let plan = ocl::plan(&module, self.launch, device)?;
            return Ok((module, plan));
        }
        let module = self.module(Backend::OpenCl)?;
        let plan = ocl::plan(&module, self.launch, device)?;
        let kernels = module.device.iter().flat_map(|device| &device.kernels);
        let is_open = |kernel: &Kernel| kernel.launch.local.iter().any(Option::is_none);
        // Parts of a program that are kernels of their own have their sizes.
        if let ([chosen], true) = (plan.kernels.as_slice(), kernels.into_iter().any(is_open))
            && let Ok(module) = self.db.module_of_groups(self.item, chosen.local)
            && let Ok(plan) = ocl::plan(&module, self.launch, device)
        {
            return Ok((module, plan));
        }
        Ok((module, plan))
    }

    /// Whether this machine has the memory: arguments go to the process that launches one at a
    /// time, and stay there where the device is the processor; the result is in both.
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

    fn ran(
        &self,
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
            warnings: self.kernel_warnings(module, &report.log),
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

    /// What the driver's compiler says of the program, where it belongs in its text.
    fn refused_kernels(&self, module: &Module, log: &str) -> Failure {
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
        Failure::Failed(self.said_of_kernels(module, first))
    }

    /// What it warns of in the program's own functions.
    fn kernel_warnings(&self, module: &Module, log: &str) -> Vec<Complaint> {
        let messages = ocl::parse_log(log);
        let warnings = messages
            .iter()
            .filter(|message| message.severity == Severity::Warning);
        let in_bodies = warnings.filter(|message| {
            let at = offset(&module.text, message);
            at.is_some_and(|at| (module.foreign.iter()).any(|own| own.range.contains(&at)))
        });
        in_bodies
            .map(|message| self.said_of_kernels(module, message))
            .collect()
    }

    fn said_of_kernels(&self, module: &Module, message: &Message) -> Complaint {
        let (place, uses) = match offset(&module.text, message) {
            Some(at) => self.place_in_kernels(module, at),
            None => (None, Vec::new()),
        };
        Complaint {
            message: format!("the OpenCL compiler: {}", message.text),
            place,
            uses,
        }
    }

    /// Where a byte of generated text comes from: in the body of a foreign function, or else the
    /// phrase of the innermost part that it is in.
    fn place_in_kernels(
        &self,
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
            Some(part) => self.places_of(Backend::OpenCl, part.origin),
            None => (None, Vec::new()),
        }
    }

    /// The places of a phrase of the compiled program, which has origins of its own.
    fn places_of(
        &self,
        backend: Backend,
        origin: Origin,
    ) -> (Option<super::Location>, Vec<super::Location>) {
        let target = backend.target();
        match target.and_then(|target| self.db.imperative(self.item, target).ok()) {
            Some(program) => self.places_in(&program.origins, origin),
            None => self.places(origin),
        }
    }
}

/// A driver that has crashed, and what can be done about it.
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

/// The byte of a text that a message is about.
fn offset(text: &str, message: &Message) -> Option<usize> {
    let line = message.line.checked_sub(1)? as usize;
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let at = before + (message.column.max(1) - 1) as usize;
    (at < text.len()).then_some(at)
}
