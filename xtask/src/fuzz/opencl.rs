//! Fuzzes the compiler with random OpenCL programs: on a device, with a comparison with the
//! interpreter, and under Oclgrind.
//!
//! Devices are used by separate processes: a program that hangs or crashes a driver is reported
//! like any other failure.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use random_programs::{Backend, Program, program, shrink};
use runtime::Value;
use runtime::cc::Compiler;
use runtime::cc::foreign::{ForeignFunctions, functions_with_bodies};
use runtime::interp::{self, ForeignCall};
use runtime::ocl::{self, DeviceInfo, OclError, PlanError, Runs, Worker, WorkerError};
use runtime::process::Limits;

use super::batch::{Candidate, Translated, Verdict, compared, translated, words};
use super::{Found, Options, general, report, write};
use crate::oclgrind::Oclgrind;

/// The maximal number of attempts to shrink a failing program.
const SHRINKING: u32 = 300;
/// The OpenCL error code for a program without a kernel of this name.
const INVALID_KERNEL_NAME: i32 = -46;

/// Tests the programs, and returns an error with those that fail.
pub fn run(options: &Options, limits: &Limits) -> Result<(), String> {
    let oclgrind = match Oclgrind::find() {
        Ok(oclgrind) => Some(oclgrind),
        Err(error) => {
            eprintln!("programs are not watched: {error}");
            None
        }
    };
    let (next, found) = (AtomicU64::new(0), Mutex::new(Found::default()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..options.jobs.unwrap_or(threads).max(1) {
            let (next, found, oclgrind) = (&next, &found, oclgrind.as_ref());
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            // If a thread cannot be started, the others do its work.
            let _ = builder.spawn_scoped(scope, move || {
                let devices = Devices::open(options, limits, oclgrind, thread);
                match devices {
                    Ok(mut devices) => devices.work(next, found),
                    Err(error) => lock(found).wrong.push(error),
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(|lock| lock.into_inner());
    report(&found, start.elapsed());
    match found.wrong.is_empty() {
        true => Ok(()),
        false => Err(found.wrong.join("\n")),
    }
}

fn lock(found: &Mutex<Found>) -> std::sync::MutexGuard<'_, Found> {
    found.lock().unwrap_or_else(|lock| lock.into_inner())
}

/// A device with the process that uses it.
struct Device<'a> {
    worker: Option<Worker>,
    wanted: String,
    info: Option<DeviceInfo>,
    limits: &'a Limits,
    watched: Option<Watched<'a>>,
}

/// A log of Oclgrind, and the number of its bytes that have been read.
struct Watched<'a> {
    oclgrind: &'a Oclgrind,
    log: String,
    read: usize,
}

/// The devices on which a thread tests programs.
struct Devices<'a> {
    options: &'a Options,
    limits: &'a Limits,
    all: Vec<Device<'a>>,
    scratch: tempfile::TempDir,
}

impl<'a> Device<'a> {
    /// Returns the process, which is restarted if the last one has ended, and the device.
    fn worker(&mut self) -> Result<(&mut Worker, &DeviceInfo), String> {
        if self.worker.is_none() {
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut command = Command::new(program);
            command.arg("device-worker");
            if let Some(watched) = &mut self.watched {
                watched.oclgrind.set_up(&mut command, &watched.log);
                watched.read = 0;
            }
            let worker = Worker::start(&mut command, self.limits);
            let worker = self
                .worker
                .insert(worker.map_err(|error| error.to_string())?);
            let all = worker.devices().map_err(|error| error.to_string())?;
            let info = ocl::choose(&all, Some(&self.wanted)).map_err(|error| error.to_string())?;
            self.info = Some(info.clone());
        }
        match (&mut self.worker, &self.info) {
            (Some(worker), Some(info)) => Ok((worker, info)),
            _ => Err("there is no device".to_owned()),
        }
    }

    /// Runs a program, and compares its result.
    fn attempt(&mut self, (_, module, launch): &Translated, expected: &Value) -> Verdict {
        let on = self.wanted.clone();
        let (worker, info) = match self.worker() {
            Ok(opened) => opened,
            Err(error) => return Verdict::Wrong("no device", error),
        };
        let plan = match ocl::plan(module, launch, info) {
            Ok(plan) => plan,
            Err(error @ (PlanError::NotKernels(_) | PlanError::Size { .. })) => {
                return Verdict::Wrong("no plan", error.to_string());
            }
            Err(error) => return Verdict::Refused(format!("before the launch: {error}")),
        };
        let args: Vec<&Value> = launch.args.iter().collect();
        let runs = Runs {
            warm_up: 0,
            timed: 1,
            bandwidth: false,
        };
        let shape = expected.shape().clone();
        let ran = worker.run(info.number, &plan, &args, shape, runs, &mut |_| ());
        let found = self.found();
        match ran {
            // Oclgrind lacks some functions of LLVM, and does not support kernels that call others.
            Err(WorkerError::Ocl(OclError::Call { code, .. }))
                if self.watched.is_some() && code == INVALID_KERNEL_NAME =>
            {
                self.worker = None;
                Verdict::Agrees
            }
            Err(error) => {
                self.worker = None;
                Verdict::Wrong("it does not run", format!("{on}: {error}\n{found}"))
            }
            Ok(_) if !found.is_empty() => Verdict::Wrong("Oclgrind complains", found),
            Ok(outcome) => match compared(&outcome.value, expected) {
                Verdict::Wrong(kind, how) => Verdict::Wrong(kind, format!("{on}: {how}")),
                verdict => verdict,
            },
        }
    }

    /// Returns Oclgrind's messages about the last run.
    fn found(&mut self) -> String {
        let Some(watched) = &mut self.watched else {
            return String::new();
        };
        let (found, end) = watched.oclgrind.found(&watched.log, watched.read);
        watched.read = end;
        found
    }
}

impl<'a> Devices<'a> {
    fn open(
        options: &'a Options,
        limits: &'a Limits,
        oclgrind: Option<&'a Oclgrind>,
        thread: usize,
    ) -> Result<Devices<'a>, String> {
        let device = |wanted: &str, watched| Device {
            worker: None,
            wanted: wanted.to_owned(),
            info: None,
            limits,
            watched,
        };
        let mut all = vec![device(&options.device, None)];
        all.extend(oclgrind.map(|oclgrind| {
            let log = format!("log{thread}");
            let watched = Watched {
                oclgrind,
                log,
                read: 0,
            };
            device("oclgrind", Some(watched))
        }));
        for device in &mut all {
            device.worker()?;
        }
        Ok(Devices {
            options,
            limits,
            all,
            scratch: tempfile::tempdir().map_err(|error| error.to_string())?,
        })
    }

    fn work(&mut self, next: &AtomicU64, found: &Mutex<Found>) {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= self.options.count {
                return;
            }
            let number = self.options.seed + at;
            let program = program(number, Backend::OpenCl);
            let verdict = self.verdict(number, &program);
            let wrong = match &verdict {
                Verdict::Wrong(kind, how) => Some(self.wrong(number, &program, kind, how)),
                Verdict::Agrees | Verdict::Refused(_) => None,
            };
            let mut found = lock(found);
            found.tried += 1;
            found.wrong.extend(wrong);
            match verdict {
                Verdict::Agrees => found.agree += 1,
                Verdict::Refused(reason) => {
                    let refused: &mut BTreeMap<_, _> = &mut found.refused;
                    refused.entry(general(&reason)).or_insert((0, number)).0 += 1;
                }
                Verdict::Wrong(..) => {}
            }
            if found.tried.is_multiple_of(500) {
                eprintln!("{} programs, {} wrong", found.tried, found.wrong.len());
            }
        }
    }

    fn verdict(&mut self, number: u64, program: &Program) -> Verdict {
        let candidate = Candidate {
            number,
            backend: Backend::OpenCl,
            program,
        };
        let translated = match catch_unwind(AssertUnwindSafe(|| translated(&candidate))) {
            Ok(Ok(translated)) => translated,
            Ok(Err(verdict)) => return verdict,
            Err(panic) => return Verdict::Wrong("a panic", words(&*panic)),
        };
        let expected = match self.expected(&translated) {
            Ok(expected) => expected,
            Err(verdict) => return verdict,
        };
        let verdicts = self.all.iter_mut();
        let mut verdicts = verdicts.map(|device| device.attempt(&translated, &expected));
        let first_that_is_not_fine = verdicts.find(|verdict| *verdict != Verdict::Agrees);
        first_that_is_not_fine.unwrap_or(Verdict::Agrees)
    }

    /// Returns the interpreter's result.
    fn expected(&self, (program, _, launch): &Translated) -> Result<Value, Verdict> {
        let functions = functions_with_bodies(&program.body);
        let foreign = match functions.is_empty() {
            true => None,
            false => {
                let wrong = |error: String| Verdict::Wrong("its C functions", error);
                let compiler = Compiler::find(self.limits);
                let compiler = compiler.map_err(|error| wrong(error.to_string()))?;
                let scratch = self.scratch.path();
                let compiled =
                    ForeignFunctions::compile_in(scratch, &functions, &compiler, self.limits);
                Some(compiled.map_err(|error| wrong(error.to_string()))?)
            }
        };
        let options = interp::Options {
            foreign: foreign.as_ref().map(|all| all as &dyn ForeignCall),
            time_limit: self.limits.clock().left(),
            ..interp::Options::default()
        };
        let run = || interp::run(program, &launch.bindings, &launch.args, &options);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(outcome)) => Ok(outcome.value),
            Ok(Err(error)) => Err(Verdict::Wrong("the interpreter fails", error.to_string())),
            Err(panic) => Err(Verdict::Wrong("the interpreter panics", words(&*panic))),
        }
    }

    /// Shrinks a failing program, writes it to a file, and returns a description of the failure.
    fn wrong(&mut self, number: u64, program: &Program, kind: &str, how: &str) -> String {
        let mut says = how.to_owned();
        let small = shrink(
            program,
            Backend::OpenCl,
            SHRINKING,
            &mut |smaller| match self.verdict(number, smaller) {
                Verdict::Wrong(same, how) if same == kind => {
                    says = how;
                    true
                }
                _ => false,
            },
        );
        let size = match small.sized {
            true => format!(" -D n={}", 1 + number % 5),
            false => String::new(),
        };
        let says: Vec<&str> = says.lines().take(16).collect();
        let head = format!(
            "seed {number}, OpenCL{size} --seed {number}: {kind}: {}",
            says.join("\n  ")
        );
        let comment = head.replace('\n', "\n// ");
        let path = self.options.keep.join(format!("opencl{number}.rise"));
        let text = format!("// {comment}\n{}", small.text);
        eprintln!("{head}\n{}", small.text);
        match write(&path, &text) {
            Ok(()) => format!("{}: {head}\n{}", path.display(), small.text),
            Err(error) => format!("{}: {error}: {head}\n{}", path.display(), small.text),
        }
    }
}
