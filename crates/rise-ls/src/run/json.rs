//! Serialises runs and failures to JSON, for `run --format json` and for editors, and computes the
//! statistics of timed runs.

use super::{Done, Failure, KernelRun, OnDevice};
use runtime::compare::{Comparison, Difference};
use runtime::launch::{ArgumentSource, LaunchError};
use runtime::value_text::{Length, json};
use serde::{Serialize, Serializer};
use std::path::PathBuf;
use std::time::Duration;
use syntax::ast::Name;

#[derive(Serialize)]
struct Result<'a> {
    def: &'a str,
    backend: &'static str,
    /// The reason for the interpreter, if it was not requested.
    fallback: Option<&'a str>,
    /// The options of the compiler.
    flags: Option<&'a [String]>,
    /// The sizes, in the order of the definition's size parameters.
    #[serde(serialize_with = "as_object")]
    sizes: &'a [(Name, i64)],
    args: Vec<Arg<'a>>,
    r#type: String,
    /// The time of the last call in seconds.
    elapsed: f64,
    times: Option<Times>,
    device: Option<Device<'a>>,
    kernels: Option<Vec<Kernel<'a>>>,
    transfers: Option<Transfers>,
    bandwidth: Option<Bandwidth>,
    verify: Option<Verify>,
    printed: &'a str,
    out: Option<OutFiles>,
    /// The result as printed, shortened.
    text: String,
}

/// The files to which the outputs were written.
#[derive(Serialize)]
#[serde(untagged)]
enum OutFiles {
    /// One file for the whole result.
    Whole(String),
    /// One file for each output.
    Outputs(Vec<String>),
}

impl OutFiles {
    fn of(paths: &[PathBuf]) -> Option<OutFiles> {
        let text = |path: &PathBuf| path.display().to_string();
        match paths {
            [] => None,
            [path] => Some(OutFiles::Whole(text(path))),
            _ => Some(OutFiles::Outputs(paths.iter().map(text).collect())),
        }
    }
}

#[derive(Serialize)]
struct Arg<'a> {
    name: &'a str,
    r#type: String,
    from: String,
}

#[derive(Serialize)]
struct Times {
    runs: usize,
    /// The shortest time in seconds; `median` and `max` are in seconds, too.
    min: f64,
    median: f64,
    max: f64,
    gflops: Option<f64>,
    gigabytes: f64,
}

#[derive(Serialize)]
struct Device<'a> {
    name: &'a str,
    platform: &'a str,
}

#[derive(Serialize)]
struct Kernel<'a> {
    name: &'a str,
    local: [u64; 3],
    global: [u64; 3],
    /// The median time in seconds.
    time: f64,
}

/// The times of the transfers to and from the device, in seconds.
#[derive(Serialize)]
struct Transfers {
    up: f64,
    down: f64,
}

#[derive(Serialize)]
struct Bandwidth {
    /// The bandwidth of a copy on the device, in 1e9 bytes per second.
    copy: f64,
    /// The bandwidth of the run as a fraction of `copy`.
    share: f64,
}

#[derive(Serialize)]
struct Verify {
    ok: bool,
    compared: u64,
    skipped: u64,
    wrong: u64,
    /// The number of elements of the interpreter's result that are NaN; `infinite` counts
    /// infinities.
    nan: u64,
    infinite: u64,
    first: Option<Place>,
    worst: Option<Place>,
}

#[derive(Serialize)]
struct Place {
    path: String,
    actual: serde_json::Value,
    expected: serde_json::Value,
    /// The error relative to the larger of 1 and the expected number; `None` if it is not finite.
    error: Option<f64>,
}

/// Serialises sizes as an object whose keys have the order of the list.
fn as_object<S: Serializer>(sizes: &[(Name, i64)], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_map(sizes.iter().map(|(name, value)| (name.as_str(), value)))
}

/// Returns the run as one line of JSON. It contains the result under `value` if `whole` is set and
/// the result was not written to a file.
pub fn result(done: &Done, out: &[PathBuf], whole: bool) -> String {
    let head = Result {
        def: &done.def,
        backend: done.backend.as_str(),
        fallback: done.fallback.as_deref(),
        flags: done.flags.as_deref(),
        sizes: &done.launch.sizes,
        args: args(done),
        r#type: done.value.shape().to_string(),
        elapsed: done.elapsed.as_secs_f64(),
        times: times(done),
        device: done.device.as_ref().map(|device| Device {
            name: &device.name,
            platform: &device.platform,
        }),
        kernels: done.device.as_ref().map(kernels),
        transfers: done.device.as_ref().map(|device| Transfers {
            up: device.upload.as_secs_f64(),
            down: device.download.as_secs_f64(),
        }),
        bandwidth: Summary::of(done)
            .and_then(|summary| summary.bandwidth)
            .map(|(copy, share)| Bandwidth { copy, share }),
        verify: done.verified.as_ref().map(verify),
        printed: &done.printed,
        out: OutFiles::of(out),
        text: done.value.text(Length::Short),
    };
    let mut text = serde_json::to_string(&head).unwrap_or_else(|_| "{}".to_owned());
    if whole && out.is_empty() && text.len() > 2 {
        text.truncate(text.len() - 1);
        text.push_str(",\"value\":");
        // Writing to a string does not fail.
        let _ = done.value.write_json(&mut text);
        text.push('}');
    }
    text
}

/// The reason why a run has no result, as it is serialised.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureJson {
    pub error: String,
    /// `program`, `request`, `unavailable`, `failed` or `stopped`.
    pub kind: &'static str,
    /// The sizes without a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_sizes: Vec<String>,
}

/// Describes the reason why a run has no result.
pub fn failure(failure: &Failure) -> FailureJson {
    let missing_sizes = match failure {
        Failure::Launch(LaunchError::MissingSizes(names)) => {
            names.iter().map(ToString::to_string).collect()
        }
        _ => Vec::new(),
    };
    let kind = match failure {
        Failure::Wrong(_) => "program",
        Failure::Launch(_) | Failure::Plan(_) => "request",
        Failure::Unavailable(_) => "unavailable",
        Failure::Failed(_) => "failed",
        Failure::Cancelled => "stopped",
    };
    FailureJson {
        error: failure_text(failure),
        kind,
        missing_sizes,
    }
}

fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::Wrong(all) => {
            let first = all.iter().flat_map(|(_, diagnostics)| diagnostics).next();
            first.map_or_else(String::new, |diagnostic| diagnostic.message.clone())
        }
        Failure::Launch(error) => error.to_string(),
        Failure::Plan(error) => error.to_string(),
        Failure::Unavailable(message) => message.clone(),
        Failure::Failed(complaint) => complaint.message.clone(),
        Failure::Cancelled => "stopped".to_owned(),
    }
}

fn args(done: &Done) -> Vec<Arg<'_>> {
    let from = |source: &ArgumentSource| match source {
        ArgumentSource::Generated(generator) => generator.to_string(),
        ArgumentSource::Literal(_) => "value".to_owned(),
        ArgumentSource::File(path) => path.display().to_string(),
    };
    let launch = &done.launch;
    let all = launch.params.iter().zip(&launch.args).zip(&launch.sources);
    all.map(|((name, value), source)| Arg {
        name,
        r#type: value.shape().to_string(),
        from: from(source),
    })
    .collect()
}

fn kernels(device: &OnDevice) -> Vec<Kernel<'_>> {
    device.kernels.iter().map(kernel).collect()
}

fn kernel(run: &KernelRun) -> Kernel<'_> {
    Kernel {
        name: &run.name,
        local: run.local,
        global: run.global,
        time: run.time.as_secs_f64(),
    }
}

fn times(done: &Done) -> Option<Times> {
    let summary = Summary::of(done)?;
    Some(Times {
        runs: done.times.len(),
        min: summary.min.as_secs_f64(),
        median: summary.median.as_secs_f64(),
        max: summary.max.as_secs_f64(),
        gflops: summary.gflops,
        gigabytes: summary.gigabytes,
    })
}

/// The statistics of timed runs.
pub struct Summary {
    /// The shortest time.
    pub min: Duration,
    /// The median time.
    pub median: Duration,
    /// The longest time.
    pub max: Duration,
    /// Floating-point operations per median time, in 1e9 per second; `None` if they cannot be
    /// counted.
    pub gflops: Option<f64>,
    /// Bytes of the arguments and the result per median time, in 1e9 per second.
    pub gigabytes: f64,
    /// The copy bandwidth of the device in 1e9 bytes per second, and the fraction of it that
    /// `gigabytes` is.
    pub bandwidth: Option<(f64, f64)>,
}

impl Summary {
    /// Computes the statistics of a run, or returns `None` if it was not timed.
    pub fn of(done: &Done) -> Option<Summary> {
        let (min, max) = (*done.times.iter().min()?, *done.times.iter().max()?);
        let median = median(done.times.clone());
        // The clock may measure a duration of 0.
        let nanoseconds = median.as_nanos().max(1) as f64;
        let args = done.launch.args.iter().map(|value| value.bytes().len());
        let bytes = args.sum::<usize>() + done.value.bytes().len();
        let gigabytes = bytes as f64 / nanoseconds;
        let copy = done.device.as_ref().and_then(|run| run.copy_bandwidth);
        Some(Summary {
            min,
            median,
            max,
            gflops: done.flops.map(|flops| flops as f64 / nanoseconds),
            gigabytes,
            bandwidth: copy.map(|copy| (copy / 1e9, gigabytes * 1e9 / copy)),
        })
    }
}

/// Returns the median time, or 0 if there is none.
pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let middle = times.len() / 2;
    match times.get(middle) {
        None => Duration::ZERO,
        Some(upper) if times.len().is_multiple_of(2) => (times[middle - 1] + *upper) / 2,
        Some(upper) => *upper,
    }
}

fn verify(found: &Comparison) -> Verify {
    Verify {
        ok: found.wrong == 0,
        compared: found.compared,
        skipped: found.skipped,
        wrong: found.wrong,
        nan: found.nan,
        infinite: found.infinite,
        first: found.first.as_ref().map(place),
        worst: found.worst.as_ref().map(place),
    }
}

fn place(difference: &Difference) -> Place {
    let value = |scalar| {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = json(scalar, &mut text);
        serde_json::from_str(&text).unwrap_or_default()
    };
    Place {
        path: difference.path.to_string(),
        actual: value(difference.actual),
        expected: value(difference.expected),
        error: difference.error.is_finite().then_some(difference.error),
    }
}
