//! Compares generated OpenCL kernels with hand-written ones on a device:
//! `cargo xtask bench --opencl`.
//!
//! Programs are measured in sequence in a separate process, which prints its results line by line.
//! If it hangs or crashes, the program at fault is skipped, and a new process measures the rest: a
//! device does not terminate a kernel that hangs, but the end of the process does.

mod arguments;
mod formula;
mod kernels;
mod limits;
pub mod list;
mod measure;
mod particles;
mod report;
mod results;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use runtime::process::{Cancel, Limits, TimeLimit};
use serde_json::{Value as Json, json};

use super::Outcome;
use list::Entry;
use report::{Blas, Report};
use results::{Machine, Measured};

/// The time limit of a program, with all of its sizes.
const PATIENCE: Duration = Duration::from_secs(40);
/// The time limit of the vendor's BLAS, with the start of PyTorch.
const LIBRARY: Duration = Duration::from_secs(60);
/// A Python script that measures the vendor's BLAS through PyTorch.
const TORCH: &str = include_str!("torch_mm.py");

/// The options for OpenCL.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct Options {
    /// Measure the OpenCL programs of the examples beside kernels written by hand.
    #[arg(long)]
    opencl: bool,
    /// With --opencl: the device, by its number or a part of its name, instead of the first one.
    #[arg(long, requires = "opencl")]
    device: Option<String>,
    /// With --opencl: only programs with this in their name.
    #[arg(long, value_name = "NAME", requires = "opencl")]
    filter: Option<String>,
    /// With --opencl: write the table and its numbers into this folder.
    #[arg(long, value_name = "FOLDER", requires = "opencl")]
    out: Option<PathBuf>,
    /// With --opencl: use the small sizes at which programs are tested.
    #[arg(long, requires = "opencl")]
    tiny: bool,
    /// With --opencl: the number of rounds, of one launch each for the generated and the
    /// hand-written kernel.
    #[arg(long, default_value_t = 10)]
    rounds: usize,
    /// With --opencl: compare results with the interpreter's at small sizes first.
    #[arg(long, requires = "opencl")]
    verify: bool,
    /// With --opencl: take programs that are not measured from the numbers of another run.
    #[arg(long, value_name = "JSON", requires = "opencl")]
    merge: Option<PathBuf>,
    /// With --opencl: leave out this optional pass of the compiler; can be repeated.
    #[arg(long, value_name = "PASS", requires = "opencl")]
    without: Vec<String>,
    /// With --opencl: options of the device's compiler, for both kernels.
    #[arg(
        long,
        default_value = "",
        allow_hyphen_values = true,
        requires = "opencl"
    )]
    build_options: String,
    /// Measure these programs in this process and print the results as JSON lines.
    #[arg(long, hide = true, value_delimiter = ',')]
    measure: Option<Vec<String>>,
}

impl Options {
    /// Returns true if OpenCL is measured.
    pub fn wanted(&self) -> bool {
        self.opencl
    }

    fn wants(&self, entry: &Entry) -> bool {
        let filter = self.filter.as_deref().unwrap_or_default();
        entry.name.contains(filter) && !entry.bench.is_empty()
    }

    /// Returns the options for programs with this in their names, without these passes.
    pub fn without(&self, without: Vec<String>, filter: &str) -> Options {
        Options {
            without,
            filter: Some(filter.to_owned()),
            ..self.clone()
        }
    }
}

/// Measures, prints and writes the results.
pub fn run(root: &Path, options: &Options, as_json: bool) -> Outcome<()> {
    let here = PathBuf::from(".");
    // The sources may have been copied after the compilation.
    let root = match here.join("tests/kernels/kernels.json").is_file() {
        true => &here,
        false => root,
    };
    if let Some(names) = &options.measure {
        return measure::all(root, &list::entries(root)?, names, options);
    }
    let mut session = measured(root, options)?;
    let is_product = |entry: &Entry| entry.name.starts_with("mm") && options.wants(entry);
    let products = session.entries.iter().any(is_product);
    if products && !options.tiny {
        session.blas = blas();
    }
    session.write()?;
    let report = session.report();
    match as_json {
        true => println!("{}", serde_json::to_string_pretty(&report.json())?),
        false => println!("{}", report.markdown()),
    }
    Ok(())
}

/// Returns the median times of the generated kernels in ms, at the largest size of each program.
pub fn times(root: &Path, options: &Options) -> Outcome<BTreeMap<String, f64>> {
    let times = measured(root, options)?.measured;
    let time = |one: Measured| {
        let last = one
            .points
            .last()
            .filter(|point| !point.generated.is_empty())?;
        Some((one.name, results::median(&last.generated)))
    };
    Ok(times.into_values().filter_map(time).collect())
}

/// Measures the wanted programs.
fn measured<'a>(root: &Path, options: &'a Options) -> Outcome<Run<'a>> {
    let mut session = Run::new(root, options)?;
    let wanted = session.entries.iter().filter(|entry| options.wants(entry));
    let mut names: Vec<String> = wanted.map(|entry| entry.name.clone()).collect();
    while !names.is_empty() {
        let before = names.len();
        session.process(&mut names)?;
        if names.len() == before {
            return Err("the process that measures ends without a word".into());
        }
    }
    Ok(session)
}

/// The results so far.
struct Run<'a> {
    options: &'a Options,
    /// All programs of the list.
    entries: Vec<Entry>,
    machine: Machine,
    measured: BTreeMap<String, Measured>,
    blas: Vec<Blas>,
    start: Instant,
}

impl<'a> Run<'a> {
    /// Creates a run without results of its own. It has the results that are to be merged.
    fn new(root: &Path, options: &'a Options) -> Outcome<Run<'a>> {
        let mut run = Run {
            options,
            entries: list::entries(root)?,
            machine: Machine::default(),
            measured: BTreeMap::new(),
            blas: Vec::new(),
            start: Instant::now(),
        };
        if let Some(path) = &options.merge {
            let json: Json = serde_json::from_str(&std::fs::read_to_string(path)?)?;
            run.machine = Machine::of(&json["machine"]);
            let all = json["programs"].as_array().into_iter().flatten();
            run.measured = all
                .map(Measured::of)
                .map(|one| (one.name.clone(), one))
                .collect();
            let blas = json["blas"].as_array().into_iter().flatten();
            run.blas = blas.filter_map(Blas::of).collect();
        }
        Ok(run)
    }

    /// Returns the report of the results, in the order of the list.
    fn report(&self) -> Report<'_> {
        let programs = self.entries.iter().filter_map(|entry| {
            let measured = self.measured.get(&entry.name)?;
            Some((entry, measured.clone()))
        });
        Report {
            machine: &self.machine,
            programs: programs.collect(),
            blas: &self.blas,
            build_options: &self.options.build_options,
            seconds: self.start.elapsed().as_secs_f64(),
        }
    }

    /// Writes the current table, so that it is kept if the run is interrupted.
    fn write(&self) -> Outcome<()> {
        if let Some(folder) = &self.options.out {
            self.report().write(folder)?;
        }
        Ok(())
    }

    fn add(&mut self, measured: Measured) -> Outcome<()> {
        self.measured.insert(measured.name.clone(), measured);
        self.write()
    }

    /// Measures the first of these programs and the following ones up to a failure, and removes
    /// them from the list.
    fn process(&mut self, names: &mut Vec<String>) -> Outcome<()> {
        let options = self.options;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bench", "--opencl", "--measure", &names.join(",")]);
        command.args(["--rounds", &options.rounds.to_string()]);
        command.arg(format!("--build-options={}", options.build_options));
        if let Some(device) = &options.device {
            command.args(["--device", device]);
        }
        for pass in &options.without {
            command.args(["--without", pass]);
        }
        if options.tiny {
            command.arg("--tiny");
        }
        if options.verify {
            command.arg("--verify");
        }
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or("no standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Ok(line) = serde_json::from_str::<Json>(&line)
                    && sender.send(line).is_err()
                {
                    return;
                }
            }
        });
        let ended = self.follow(&lines, names);
        // After its last line the process has finished its work.
        let _ = child.kill();
        let status = child.wait()?;
        if let Some(why) = ended?
            && !names.is_empty()
        {
            let name = names.remove(0);
            let error = match why {
                RecvTimeoutError::Timeout => {
                    format!("it takes more than {} s", PATIENCE.as_secs())
                }
                RecvTimeoutError::Disconnected => {
                    format!("its process ends: {}", runtime::process::describe(status))
                }
            };
            eprintln!("{name}: {error}");
            self.add(Measured {
                name,
                error: Some(error),
                ..Measured::default()
            })?;
        }
        Ok(())
    }

    /// Reads the lines of a process until all programs are measured. Returns the reason if no
    /// further line arrives.
    fn follow(
        &mut self,
        lines: &Receiver<Json>,
        names: &mut Vec<String>,
    ) -> Outcome<Option<RecvTimeoutError>> {
        while !names.is_empty() {
            let line = match lines.recv_timeout(PATIENCE) {
                Ok(line) => line,
                Err(why) => return Ok(Some(why)),
            };
            if let Some(error) = line["failed"].as_str() {
                return Err(error.into());
            }
            if line["device"].is_string() {
                self.machine = Machine::of(&line);
                let machine = &self.machine;
                eprintln!(
                    "{}: copies {:.0} GB/s, computes {:.2} TFLOP/s",
                    machine.device,
                    machine.copy / 1e9,
                    machine.arithmetic / 1e12
                );
                continue;
            }
            let one = Measured::of(&line);
            eprintln!("{}", progress(&one));
            names.retain(|name| *name != one.name);
            self.add(one)?;
        }
        Ok(None)
    }
}

/// Returns a progress line about a program.
fn progress(measured: &Measured) -> String {
    let mut line = format!("{:<24}", measured.name);
    if measured.verified > 0 {
        line += &format!(" as the interpreter at {} sizes", measured.verified);
    }
    for point in &measured.points {
        match point.generated.is_empty() {
            true => line += &format!("; by hand {:.4} ms", results::median(&point.by_hand)),
            false => line += &format!("; {:.4} ms", results::median(&point.generated)),
        }
        if let Some(ratio) = point.ratio() {
            line += &format!(
                " (by hand {:.4} ms, {ratio:.2})",
                results::median(&point.by_hand)
            );
        }
        if point.wrong > 0 {
            line += &format!(
                ", {} places differ, by {:.1e}",
                point.wrong, point.difference
            );
        }
    }
    let times = measured.seconds.iter();
    let times: Vec<String> = times.map(|(what, s)| format!("{what} {s:.2}")).collect();
    line += &format!("  [s: {}]", times.join(", "));
    if let Some(error) = &measured.error {
        line += &format!("; {}", error.lines().next().unwrap_or_default());
    }
    line
}

/// Prints a line for the parent process.
fn say(line: &Json) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Prints the reason why nothing can be measured.
fn say_failure(error: &str) -> Outcome<()> {
    say(&json!({ "failed": error }))
}

/// Measures the vendor's BLAS; returns an empty list without PyTorch and a GPU.
fn blas() -> Vec<Blas> {
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(LIBRARY)),
        cancel: Cancel::default(),
    };
    let mut command = Command::new("python3");
    command.args(["-c", TORCH]);
    let Ok(finished) = runtime::process::run(&mut command, &limits) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&finished.stdout);
    let line = |line: &str| {
        let (size, time) = line.split_once(' ')?;
        Some(Blas {
            size: size.parse().ok()?,
            time: time.trim().parse().ok()?,
        })
    };
    text.lines().filter_map(line).collect()
}
