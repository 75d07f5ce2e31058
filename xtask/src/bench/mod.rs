//! Measures the speed and memory of the release binary from outside: over its standard input and
//! output, and on its command line. Also measures compilation, generated programs, OpenCL kernels
//! and strategies in this process.

mod ablation;
mod client;
mod compile;
mod corpus;
mod counts;
mod generate;
mod hints;
mod opencl;
mod preview;
mod programs;
mod random;
mod server;
mod strategies;
mod table;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use generate::Generated;
pub use opencl::list as kernel_list;
use table::{Row, Series, Table, Unit};

/// The options of the measurements.
#[derive(clap::Args)]
pub struct Options {
    /// Measure this binary instead of building one.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Keystrokes to type.
    #[arg(long, default_value_t = 10_000)]
    edits: usize,
    /// Runs of what is measured from a cold start.
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Lines of the workspace; a tenth of them are in the file that is edited.
    #[arg(long, default_value_t = 100_000)]
    lines: usize,
    /// Seed of the generated texts.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the workspace into this folder, and keep it.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Measure only the low-level programs of the examples, those with this in their names.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    programs: Option<String>,
    /// Measure only the default schedules of the programs in `tests/corpus`, those with this in their
    /// names, in comparison with their references in C.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    corpus: Option<String>,
    /// With --corpus: measure the default schedules for OpenMP, in comparison with the references with
    /// OpenMP.
    #[arg(long, requires = "corpus")]
    threads: bool,
    /// Measure only the compilation time of each definition of the examples for each target, those
    /// with this in their names; with `--keep` the texts are written into its folder.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    compile: Option<String>,
    /// Compare the kernels of the OpenCL programs of the examples, those with this in their names,
    /// with those without the simplification of indices, the elimination of barriers and the
    /// simplification of control flow; with `--opencl` also their run times.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    ablation: Option<String>,
    /// Count the instructions of ten queries and of ten generated programs under callgrind, and
    /// compare them with the recorded ones.
    #[arg(long)]
    counts: bool,
    /// With --counts: record the counts.
    #[arg(long, requires = "counts")]
    update: bool,
    /// Put this query, and nothing else.
    #[arg(long, hide = true)]
    counted_query: Option<String>,
    /// Measure only the latency of an open preview for this number of keystrokes.
    #[arg(long, value_name = "KEYSTROKES", num_args = 0..=1, default_missing_value = "500")]
    preview: Option<usize>,
    /// Measure only typing, hovers and menus without and with performance hints, for this number of
    /// keystrokes.
    #[arg(long, value_name = "KEYSTROKES", num_args = 0..=1, default_missing_value = "500")]
    hints: Option<usize>,
    /// The options for strategies.
    #[command(flatten)]
    strategies: strategies::Options,
    /// The options for OpenCL.
    #[command(flatten)]
    opencl: opencl::Options,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// The number of keystrokes with an open preview.
const KEYSTROKES: usize = 500;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs the measurements that the options select, and prints the results.
pub fn run(options: &Options) -> Outcome<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if let Some(only) = &options.programs {
        return programs::run(&root, only, options.json);
    }
    if let Some(only) = &options.corpus {
        return corpus::run(&root, only, options.threads, options.json);
    }
    if let Some(only) = &options.compile {
        return compile::run(&root, only, options.keep.as_deref(), options.json);
    }
    if let Some(name) = &options.counted_query {
        return counts::counted_query(&root, name);
    }
    if options.counts {
        return counts::run(&root, options.update, options.json);
    }
    if let Some(only) = &options.ablation {
        return ablation::run(&root, only, &options.opencl, options.json);
    }
    if options.opencl.wanted() {
        return opencl::run(&root, &options.opencl, options.json);
    }
    if options.strategies.wanted() {
        return strategies::run(&root, &options.strategies, options.json);
    }
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => build()?,
    };
    if let Some(edits) = options.preview {
        let mut table = Table::new(&[]);
        preview::measure(&root, &binary, edits, &mut table)?;
        return print(&table, options.json);
    }
    if let Some(edits) = options.hints {
        let mut table = Table::new(&[]);
        hints::measure(&root, &binary, edits, &mut table)?;
        return print(&table, options.json);
    }
    let scratch = tempfile::tempdir()?;
    let folder = options
        .keep
        .clone()
        .unwrap_or_else(|| scratch.path().join("workspace"));
    std::fs::create_dir_all(&folder)?;
    let files = generate::workspace(options.seed, options.lines / 10, 1_000, options.lines);
    generate::write(&files, &folder)?;
    let mut table = Table::new(&files);
    check(&binary, &folder, &files, options.runs, &mut table)?;
    cold_start(&binary, scratch.path(), options, &mut table)?;
    let main = files.last().ok_or("nothing was generated")?;
    server::measure(&binary, &folder, main, options.edits, &mut table)?;
    server::large_document(&binary, &mut table)?;
    preview::measure(&root, &binary, KEYSTROKES, &mut table)?;
    hints::measure(&root, &binary, KEYSTROKES, &mut table)?;
    strategies::measure(&root, "", &mut table)?;
    print(&table, options.json)
}

fn print(table: &Table, json: bool) -> Outcome<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(&table.json())?);
    } else {
        print!("{table}");
    }
    Ok(())
}

/// Builds the release binary and returns its path.
pub fn build() -> Outcome<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = [
        "build",
        "--release",
        "--package",
        "rise-ls",
        "--message-format",
        "json-render-diagnostics",
    ];
    let output = Command::new(cargo)
        .args(arguments)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("building rise-ls failed".into());
    }
    let lines = String::from_utf8(output.stdout)?;
    let executable = lines.lines().rev().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    });
    executable.ok_or_else(|| "cargo named no binary".into())
}

/// Measures `rise-ls --check` from a cold start.
fn check(
    binary: &Path,
    folder: &Path,
    files: &[Generated],
    runs: usize,
    table: &mut Table,
) -> Outcome<()> {
    let lines: usize = files.iter().map(Generated::lines).sum();
    let (mut speed, mut parsing) = (Series::default(), Series::default());
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let output = Command::new(binary)
            .arg("--check")
            .arg(folder)
            .arg("--stats")
            .output()?;
        let seconds = start.elapsed().as_secs_f64();
        let report = [output.stdout, output.stderr].concat();
        if !output.status.success() {
            let start: String = String::from_utf8_lossy(&report)
                .chars()
                .take(2_000)
                .collect();
            return Err(format!("the generated workspace has errors:\n{start}").into());
        }
        speed.push(lines as f64 / seconds);
        if let Some(alone) = seconds_of(&String::from_utf8_lossy(&report), "parsing") {
            parsing.push(100.0 * alone / seconds);
        }
    }
    table.push(Row::new("--check from cold", Unit::LinesPerSecond, speed).at_least(100_000.0));
    table.push(Row::new(
        "  parsing alone, one core, of that time",
        Unit::Percent,
        parsing,
    ));
    Ok(())
}

/// Returns the seconds in the line of `--stats` that starts with `word`.
fn seconds_of(report: &str, word: &str) -> Option<f64> {
    let line = report
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Measures the time from the start of the process to the first diagnostics of a file of 1,000
/// lines.
fn cold_start(binary: &Path, scratch: &Path, options: &Options, table: &mut Table) -> Outcome<()> {
    let folder = scratch.join("small");
    std::fs::create_dir_all(&folder)?;
    let files = generate::workspace(options.seed + 1, 1_000, 1_000, 1_000);
    generate::write(&files, &folder)?;
    let mut times = Series::default();
    for _ in 0..options.runs.max(1) {
        times.push(server::first_diagnostics(binary, &folder, &files[0])?.as_secs_f64() * 1e3);
    }
    table.push(
        Row::new(
            "cold start to first diagnostics, 1,000 lines",
            Unit::Milliseconds,
            times,
        )
        .at_most(50.0),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_from_the_report() {
        assert_eq!(
            seconds_of("a 1\n  parsing   0.25 s on one core", "parsing"),
            Some(0.25)
        );
        assert_eq!(seconds_of("check 0.25", "parsing"), None);
    }
}
