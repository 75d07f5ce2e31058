//! Implements `rise-ls cost`, which prints the estimated time of a definition, and hints at loops
//! that another program would execute faster.

use super::args::{DefinitionOptions, ImportOptions, Language};
use super::report::{Report, Reporter};
use super::run::size;
use super::workspace::Workspace;
use super::{BAD_USAGE, SUCCESS, human, json, output, select};
use crate::run;
use clap::{Args as Group, ValueEnum};
use codegen::cost::{self, Cost, Estimate, LoopEstimate, Machine, Obstacle, Vectorization};
use db::{Database, Declaration, ItemId, Target};
use runtime::launch::LaunchError;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use syntax::Diagnostic;
use syntax::ast::Name;

/// The arguments of `cost`.
#[derive(Debug, Group)]
pub struct CostOptions {
    /// The definition and the target.
    #[command(flatten)]
    pub of: DefinitionOptions,

    /// A size; sizes that are not given are 1024, or a near number that the definition accepts
    #[arg(short = 'D', value_name = "n=1024", value_parser = size)]
    pub sizes: Vec<(String, u64)>,

    /// The machine: `host` for this one, or a description in TOML [default: that of the target]
    #[arg(long, value_name = "host|FILE")]
    pub machine: Option<PathBuf>,

    /// The format of the estimate and the hints
    #[arg(long, value_enum, default_value_t)]
    pub format: CostFormat,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,
}

/// The output format of estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CostFormat {
    /// Tables and source snippets
    #[default]
    Human,
    /// One JSON object
    Json,
}

/// Prints the estimate and the hints, and returns the exit status.
pub fn run(options: &CostOptions) -> u8 {
    let loaded = Workspace::load_file(&options.of.file, options.language, &options.imports);
    let (workspace, file) = match loaded {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let Some(item) = select(&workspace.db, file, options.of.def.as_deref()) else {
        return BAD_USAGE;
    };
    let target = (options.of.target)
        .or_else(|| workspace.db.targets(item).iter().next())
        .unwrap_or_default();
    let machine = match options.machine.as_deref().map(|path| machine(path, target)) {
        Some(Ok(machine)) => Some(machine),
        Some(Err(message)) => {
            output::error(&message);
            return BAD_USAGE;
        }
        None => Machine::of_target(target),
    };
    let sizes: Vec<(Name, i64)> = (options.sizes.iter())
        .map(|(name, value)| (Name::from(name), i64::try_from(*value).unwrap_or(i64::MAX)))
        .collect();
    match workspace
        .db
        .estimate_on(item, target, machine.as_ref(), &sizes)
    {
        Ok(found) => {
            let estimate = &*found.estimate;
            if let Err(error) = check_sizes(&workspace.db, item, &options.sizes, estimate) {
                output::error(&error.to_string());
                return BAD_USAGE;
            }
            let report = report(&workspace, item, &found.hints);
            let shown = Shown {
                name: name(&workspace.db, item),
                target,
                estimate,
                machine: machine.as_ref(),
            };
            output::result(SUCCESS, |out| match options.format {
                CostFormat::Human => shown.human(&report, out),
                CostFormat::Json => shown.json(&report, out),
            })
        }
        Err(errors) => human::errors(&report(&workspace, item, &errors)),
    }
}

fn name(db: &Database, item: ItemId) -> String {
    match &db.header(item).declares {
        Declaration::Def(name) => name.to_string(),
        _ => String::new(),
    }
}

fn report(workspace: &Workspace, item: ItemId, diagnostics: &[Diagnostic]) -> Report {
    let mut reporter = Reporter::new(&workspace.db, &workspace.base);
    reporter.item(item, diagnostics);
    reporter.finish()
}

/// Checks the given sizes together with those that the estimate assumes, as `rise-ls run` does.
/// Sizes that are all assumed are not checked.
fn check_sizes(
    db: &Database,
    item: ItemId,
    given: &[(String, u64)],
    estimate: &Estimate,
) -> Result<(), LaunchError> {
    if given.is_empty() {
        return Ok(());
    }
    let assumed = (estimate.sizes.iter())
        .filter(|(.., is_assumed)| *is_assumed)
        .map(|(name, value, _)| (name.to_string(), value.unsigned_abs()));
    let sizes = given.iter().cloned().chain(assumed).collect();
    run::check_sizes(db, item, sizes)
}

/// Returns the machine that `--machine` names.
///
/// # Errors
/// Returns a message for a file that cannot be read or is no description of a machine.
fn machine(path: &Path, target: Target) -> Result<Machine, String> {
    if path == "host" {
        return Ok(host(target));
    }
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    Machine::parse(&text).map_err(|error| format!("{}: {}", path.display(), error.trim_end()))
}

/// Returns the default machine of the target with the sizes of this machine's caches, as far as the
/// system knows them, of the last one with half of its size, and with measured times of additions and
/// of reads from memory. The number of threads is that of this machine if the target uses threads, and
/// 1 otherwise.
fn host(target: Target) -> Machine {
    let mut machine = Machine {
        name: "host".to_owned(),
        ..Machine::of_target(target).unwrap_or_default()
    };
    if machine.threads > 1 {
        let threads = std::thread::available_parallelism().map(usize::from);
        machine.threads = threads.map_or(1, |threads| u32::try_from(threads).unwrap_or(1));
    }
    for index in 0..8 {
        let folder = PathBuf::from(format!("/sys/devices/system/cpu/cpu0/cache/index{index}"));
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let (level, size, kind) = (read("level"), read("size"), read("type"));
        let name = format!("L{}", level.trim());
        let kilobytes = size.trim().strip_suffix('K');
        let kilobytes = kilobytes.and_then(|size| size.parse::<u64>().ok());
        let cache = machine.caches.iter_mut().find(|cache| cache.name == name);
        if let (Some(cache), Some(kilobytes)) = (cache, kilobytes)
            && kind.trim() != "Instruction"
        {
            cache.bytes = kilobytes << 10;
            if cache.ways.is_some() {
                cache.ways = read("ways_of_associativity").trim().parse().ok();
            }
        }
    }
    machine.register_bytes = register_bytes();
    machine.cycles.latency = seconds_of_addition() * machine.frequency;
    if let Some(last) = machine.caches.last_mut() {
        // Other cores use it too, in virtual machines also those of others.
        last.bytes /= 2;
        last.consecutive = bandwidth_of_memory();
        last.total = last.total.max(last.consecutive);
    }
    machine
}

/// Returns the size of the vector registers that generated C uses.
fn register_bytes() -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        return 64;
    }
    32
}

/// Measures the time of an addition that waits for the one before.
fn seconds_of_addition() -> f64 {
    const ADDITIONS: u32 = 1_000_000;
    let run = || {
        let summand = std::hint::black_box(1e-3_f32);
        let start = Instant::now();
        let sum = (0..ADDITIONS).fold(0.0_f32, |sum, _| sum + summand);
        std::hint::black_box(sum);
        start.elapsed().as_secs_f64() / f64::from(ADDITIONS)
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Measures how many bytes of memory one thread reads in a second.
fn bandwidth_of_memory() -> f64 {
    const WORDS: usize = 16 << 20;
    let data = std::hint::black_box(vec![1_u64; WORDS]);
    let run = || {
        let start = Instant::now();
        std::hint::black_box(data.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)));
        start.elapsed().as_secs_f64()
    };
    let seconds = (0..3).map(|_| run()).fold(f64::INFINITY, f64::min);
    (WORDS * size_of::<u64>()) as f64 / seconds
}

/// The maximal length of the text of a number of operations in the sizes.
const MAX_NUMBER: usize = 120;

/// An estimate with what it is of.
struct Shown<'a> {
    name: String,
    target: Target,
    estimate: &'a Estimate,
    machine: Option<&'a Machine>,
}

#[derive(Serialize)]
struct CostLine<'a> {
    def: &'a str,
    target: &'a str,
    machine: Option<&'a str>,
    sizes: serde_json::Map<String, serde_json::Value>,
    /// The sizes that were not given.
    assumed: Vec<&'a str>,
    operations: Option<String>,
    seconds: Option<f64>,
    operations_seconds: Option<f64>,
    allocation_seconds: Option<f64>,
    translation_seconds: Option<f64>,
    transfers: Vec<TransferLine<'a>>,
    loops: Vec<LoopLine<'a>>,
    hints: Vec<json::Line<'a>>,
}

#[derive(Serialize)]
struct TransferLine<'a> {
    cache: &'a str,
    bytes: f64,
    seconds: f64,
}

#[derive(Serialize)]
struct LoopLine<'a> {
    counter: &'a str,
    depth: usize,
    iterations: String,
    vectorised: &'static str,
    reason: Option<String>,
    share: f64,
}

impl Shown<'_> {
    fn human(&self, report: &Report, out: &mut impl Write) -> io::Result<()> {
        let at = self.estimate.sizes_text();
        let (name, target) = (&self.name, self.target.title());
        match &self.estimate.cost {
            Some(cost) => {
                let time = cost::time_text(cost.seconds);
                writeln!(out, "{name} in {target}{at}: about {time}")?;
                self.costs(cost, out)?;
            }
            None => writeln!(
                out,
                "{name} in {target}{at}: no estimate, which needs a device"
            )?,
        }
        let lines: Vec<String> = (self.estimate.loops.iter())
            .map(|this| self.line_of_loop(this))
            .collect();
        for same in lines.chunk_by(|a, b| a == b) {
            let count = match same.len() {
                1 => String::new(),
                count => format!(" ({count} such loops)"),
            };
            writeln!(out, "{}{count}", same[0])?;
        }
        writeln!(out)?;
        human::write_snippets(report, &output::stdout_renderer(), out)
    }

    fn line_of_loop(&self, this: &LoopEstimate) -> String {
        let indent = "  ".repeat(this.depth + 1);
        let (counter, iterations) = (&this.counter, self.estimate.size_text(&this.iterations));
        let share = match this.vectorization {
            Vectorization::Outer => String::new(),
            _ => format!(", {:.0} %", this.share * 100.0),
        };
        let text = vectorization_text(this);
        format!("{indent}for {counter} ({iterations}){text}{share}")
    }

    fn costs(&self, cost: &Cost, out: &mut impl Write) -> io::Result<()> {
        // The number for the parts of peeled loops is too long to be read; JSON contains it.
        let number = self.estimate.operations.as_ref();
        let number = number.map(|operations| self.estimate.size_text(operations));
        let operations = match number.filter(|number| number.len() <= MAX_NUMBER) {
            Some(number) => format!("{number} operations"),
            None => "operations".to_owned(),
        };
        writeln!(
            out,
            "  {operations}: {}",
            cost::time_text(cost.operations_seconds)
        )?;
        if cost.allocation_seconds > 0.0 {
            let time = cost::time_text(cost.allocation_seconds);
            writeln!(out, "  new memory: {time}")?;
        }
        // Consecutive reads translate an address for each page only, which takes no time beside
        // their transfers.
        if cost.translation_seconds > 0.1 * cost.seconds {
            let time = cost::time_text(cost.translation_seconds);
            writeln!(out, "  address translation: {time}")?;
        }
        // Arrays that fit into the last cache are not transferred.
        let transfers = cost.transfers.iter();
        for (cache, bytes, seconds) in transfers.filter(|(_, _, seconds)| *seconds > 0.0) {
            let (bytes, time) = (cost::bytes_text(*bytes), cost::time_text(*seconds));
            writeln!(out, "  into {cache}: {bytes}, {time}")?;
        }
        Ok(())
    }

    fn json(&self, report: &Report, out: &mut impl Write) -> io::Result<()> {
        let estimate = self.estimate;
        let cost = estimate.cost.as_ref();
        let line = CostLine {
            def: &self.name,
            target: self.target.as_str(),
            machine: self.machine.map(|machine| machine.name.as_str()),
            sizes: (estimate.sizes.iter())
                .map(|(name, value, _)| (name.to_string(), (*value).into()))
                .collect(),
            assumed: (estimate.sizes.iter())
                .filter(|(.., is_default)| *is_default)
                .map(|(name, ..)| name.as_str())
                .collect(),
            operations: estimate
                .operations
                .as_ref()
                .map(|count| self.estimate.size_text(count)),
            seconds: cost.map(|cost| cost.seconds),
            operations_seconds: cost.map(|cost| cost.operations_seconds),
            allocation_seconds: cost.map(|cost| cost.allocation_seconds),
            translation_seconds: cost.map(|cost| cost.translation_seconds),
            transfers: (cost.iter().flat_map(|cost| &cost.transfers))
                .map(|(cache, bytes, seconds)| TransferLine {
                    cache,
                    bytes: *bytes,
                    seconds: *seconds,
                })
                .collect(),
            loops: (estimate.loops.iter())
                .map(|this| LoopLine {
                    counter: &this.counter,
                    depth: this.depth,
                    iterations: self.estimate.size_text(&this.iterations),
                    vectorised: word(&this.vectorization),
                    reason: reason(&this.vectorization),
                    share: this.share,
                })
                .collect(),
            hints: json::lines(report).collect(),
        };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)
    }
}

fn vectorization_text(this: &LoopEstimate) -> String {
    match &this.vectorization {
        Vectorization::Outer => String::new(),
        Vectorization::Unknown => ": perhaps vectorised".to_owned(),
        Vectorization::Vector | Vectorization::Explicit => ": vectorised".to_owned(),
        Vectorization::Lanes => ": vectorised with the loop around it".to_owned(),
        Vectorization::LibraryCall => ": a call of `memset` or `memcpy`".to_owned(),
        Vectorization::OrderedSum => ": each addition waits for the one before".to_owned(),
        Vectorization::Scalar(_) => {
            let reason = reason(&this.vectorization).unwrap_or_default();
            format!(": not vectorised, {reason}")
        }
    }
}

/// Returns the reason why a loop is not vectorised.
fn reason(vectorization: &Vectorization) -> Option<String> {
    Some(match vectorization {
        Vectorization::Scalar(obstacle) => match obstacle {
            Obstacle::OrderedReduction(of) => format!("as its {of} is in a fixed order"),
            Obstacle::Call(function) => format!("as it calls `{function}`"),
            Obstacle::Recurrence(variable) => {
                format!("as each iteration needs `{variable}` of the previous one")
            }
            Obstacle::Dependence(array) => {
                format!("as an iteration may read `{array}` where an earlier one wrote")
            }
            Obstacle::IntegerDivision => "as it divides integers".to_owned(),
        },
        Vectorization::Outer
        | Vectorization::Vector
        | Vectorization::Explicit
        | Vectorization::Lanes
        | Vectorization::LibraryCall
        | Vectorization::OrderedSum
        | Vectorization::Unknown => return None,
    })
}

fn word(vectorization: &Vectorization) -> &'static str {
    match vectorization {
        Vectorization::Outer => "outer",
        Vectorization::Vector => "yes",
        Vectorization::Explicit => "explicit",
        Vectorization::Lanes => "lanes",
        Vectorization::LibraryCall => "library",
        Vectorization::OrderedSum => "ordered",
        Vectorization::Scalar(_) => "no",
        Vectorization::Unknown => "unknown",
    }
}
