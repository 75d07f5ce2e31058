//! Runs the OpenCL programs of the examples under Oclgrind: each at its sizes, with a comparison
//! with the interpreter. Before that, kernels with one planted error each test that Oclgrind finds
//! them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use runtime::ocl::{ArgPlan, KernelPlan, LaunchPlan, OutputPlan, Plan, Runs, Worker};
use runtime::process::{Cancel, Limits, TimeLimit};
use runtime::{Shape, Value};

use super::Options;
use crate::bench::kernel_list::{Entry, Sizes, entries};
use crate::oclgrind::Oclgrind;

/// Kernels of 16 work-items in two groups, and the expected message of Oclgrind; none for the first
/// kernel.
const PLANTED: &[(&str, &str, &str)] = &[
    (
        "fine",
        "shared[i] = i; barrier(CLK_LOCAL_MEM_FENCE); output[id] = shared[(i + 1) % 8];",
        "",
    ),
    (
        "race",
        "shared[i] = i; output[id] = shared[(i + 1) % 8];",
        "data race at local memory",
    ),
    (
        "race_of_groups",
        "output[i] = id;",
        "data race at global memory",
    ),
    (
        "same_value",
        "output[0] = 1.0f;",
        "data race at global memory",
    ),
    (
        "divergence",
        "shared[i] = i; if (i < 3) barrier(CLK_LOCAL_MEM_FENCE); output[id] = shared[i];",
        "divergence detected (barrier)",
    ),
    (
        "behind_global",
        "output[id + 1] = id;",
        "Invalid write of size 4 at global memory",
    ),
    (
        "behind_local",
        "shared[i + 1] = i; output[id] = i;",
        "Invalid write of size 4 at local memory",
    ),
    (
        "behind_private",
        "float own[4]; for (int k = 0; k <= 4; k += 1) own[k] = i; output[id] = own[i & 3];",
        "at private memory",
    ),
];

/// Runs all programs, and returns an error with those that fail.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    let oclgrind = Oclgrind::find()?;
    planted(&oclgrind)?;
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => crate::bench::build().map_err(|error| error.to_string())?,
    };
    let binary = binary.canonicalize().map_err(|error| error.to_string())?;
    let only = options.only.as_deref().unwrap_or_default();
    let entries = entries(root)?;
    let wanted = entries.iter().filter(|entry| entry.name.contains(only));
    let jobs: Vec<(&Entry, &Sizes)> = wanted
        .flat_map(|entry| entry.verify.iter().map(move |sizes| (entry, sizes)))
        .collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.unwrap_or(threads).max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((entry, sizes)) = jobs.get(at) else {
                        return;
                    };
                    let wrong = attempt(root, &binary, &oclgrind, entry, sizes, at);
                    let mut found = found.lock().unwrap_or_else(|lock| lock.into_inner());
                    found.extend(wrong);
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(|lock| lock.into_inner());
    println!("Oclgrind: {} runs, {} not clean", jobs.len(), found.len());
    match found.is_empty() {
        true => Ok(()),
        false => Err(found.join("\n")),
    }
}

/// Returns the failure of a program at these sizes.
fn attempt(
    root: &Path,
    binary: &PathBuf,
    oclgrind: &Oclgrind,
    entry: &Entry,
    sizes: &Sizes,
    number: usize,
) -> Option<String> {
    let mut command = Command::new(binary);
    command.current_dir(root).arg("run").arg(&entry.file);
    command.args(["--def", &entry.def, "--backend", "opencl"]);
    command.args(["--device", "oclgrind", "--verify"]);
    if let Some(tolerance) = entry.tolerance {
        command.args(["--tolerance", &tolerance.to_string()]);
    }
    let sizes_given = sizes
        .iter()
        .map(|(name, value)| format!("-D{name}={value}"));
    command.args(sizes_given);
    let log = format!("log{number}");
    oclgrind.set_up(&mut command, &log);
    let said = match command.output() {
        Ok(output) if output.status.success() => String::new(),
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    let (found, _) = oclgrind.found(&log, 0);
    if said.is_empty() && found.is_empty() {
        return None;
    }
    let first: Vec<&str> = said.lines().take(30).collect();
    Some(format!(
        "{} at {sizes:?}:\n{found}\n{}",
        entry.name,
        first.join("\n")
    ))
}

/// Tests that Oclgrind finds the planted errors, and none in a correct kernel.
fn planted(oclgrind: &Oclgrind) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(std::time::Duration::from_secs(60))),
        cancel: Cancel::default(),
    };
    let result = Shape::Array(16, Shape::Scalar(syntax::ast::ScalarType::F32).into());
    for (name, body, expected) in PLANTED {
        let program = std::env::current_exe().map_err(|error| said(&error))?;
        let mut command = Command::new(program);
        command.arg("device-worker");
        oclgrind.set_up(&mut command, name);
        let mut worker = Worker::start(&mut command, &limits).map_err(|error| said(&error))?;
        let all = worker.devices().map_err(|error| said(&error))?;
        let device = all.first().map_or(0, |device| device.number);
        let runs = Runs {
            warm_up: 0,
            timed: 1,
            bandwidth: false,
        };
        let args: &[&Value] = &[];
        // A driver may abort at an error.
        let _ = worker.run(
            device,
            &plan(name, body),
            args,
            result.clone(),
            runs,
            &mut |_| (),
        );
        worker.finish();
        let (found, _) = oclgrind.found(name, 0);
        let as_expected = match *expected {
            "" => found.is_empty(),
            words => found.contains(words),
        };
        if !as_expected {
            let wanted = format!("the planted kernel `{name}` should show {expected:?}");
            return Err(format!("{wanted}, and Oclgrind says:\n{found}"));
        }
    }
    println!("Oclgrind finds what is planted: {} kernels", PLANTED.len());
    Ok(())
}

/// Returns the launch of a planted kernel.
fn plan(name: &str, body: &str) -> Plan {
    let head = "size_t id = get_global_id(0); size_t i = get_local_id(0); local float shared[8];";
    Plan {
        text: format!("kernel void {name}(global float *output) {{ {head} {body} }}\n"),
        kernels: vec![KernelPlan {
            name: name.to_owned(),
            local: [8, 1, 1],
            global: [16, 1, 1],
        }],
        launches: vec![LaunchPlan {
            kernel: 0,
            args: vec![ArgPlan::Output(0)],
        }],
        order: vec![0],
        buffers: Vec::new(),
        sizes: Vec::new(),
        params: Vec::new(),
        outputs: vec![OutputPlan {
            offset: 0,
            size: 64,
            source: None,
        }],
        result: 64,
    }
}
