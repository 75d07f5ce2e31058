//! Measures strategies: the speed of rewriting, and the speed of the resulting programs.
//!
//! The schedules are those of `examples/strategies`: the seven versions of TVM's matrix product and
//! the versions of the binomial filter. A version is compiled like any program, and runs in turns
//! with the naive one on the same arguments; different results are an error. The lists of rewrites
//! in an editor are measured in the largest examples.

mod menus;
mod peers;
mod rewriting;
mod versions;
mod workloads;

use std::path::Path;

use super::Outcome;
use super::table::Table;

/// The options for strategies.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct Options {
    /// Measure only strategies: steps per second, the lists of code actions (`menus`), and each
    /// schedule with this in its name.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    strategies: Option<String>,
    /// Measure the fastest matrix product in turns with TVM's of the same schedule and with
    /// OpenBLAS. Needs Python with `apache-tvm` and `numpy`.
    #[arg(long)]
    peers: bool,
    /// Apply one schedule in this process, and print its time and memory as JSON.
    #[arg(long, hide = true, value_name = "PROGRAM:SCHEDULE")]
    schedule: Option<String>,
}

impl Options {
    /// Returns true if only strategies are measured.
    pub fn wanted(&self) -> bool {
        self.strategies.is_some() || self.peers || self.schedule.is_some()
    }
}

/// A program to which schedules are applied.
pub struct Subject {
    /// The prefix of its rows.
    title: &'static str,
    /// The name of its file in `examples/strategies` and that of the schedules, without extension.
    file: &'static str,
    /// The name of its definition.
    def: &'static str,
    /// The sizes of its runs.
    sizes: &'static [(&'static str, u64)],
    /// The measured schedules, the naive version first.
    schedules: &'static [Schedule],
}

/// A schedule and the target of its speed.
struct Schedule {
    /// The name in the file.
    name: &'static str,
    /// True if its program uses threads.
    threads: bool,
    /// The target of the speedup over the naive version.
    wanted: Option<f64>,
}

const fn plain(name: &'static str) -> Schedule {
    Schedule {
        name,
        threads: false,
        wanted: None,
    }
}

const fn threads(name: &'static str) -> Schedule {
    Schedule {
        name,
        threads: true,
        wanted: None,
    }
}

/// The measured programs.
const SUBJECTS: [Subject; 2] = [
    Subject {
        title: "gemm",
        file: "gemm",
        def: "mm",
        sizes: &[("n", 1024)],
        schedules: &[
            plain("baselineC"),
            plain("blockingC"),
            plain("vectorizationC"),
            plain("loopPermC"),
            threads("arrayPackingOpenMP"),
            threads("cacheBlocksOpenMP"),
            Schedule {
                name: "parallelOpenMP",
                threads: true,
                wanted: Some(50.0),
            },
        ],
    },
    Subject {
        title: "binomial",
        file: "binomial",
        def: "binomial",
        sizes: &[("n", 2048), ("m", 2048)],
        schedules: &[
            plain("baseSeq"),
            plain("factorisedSeq"),
            plain("separatedSeq"),
            plain("scanlineSeq"),
            plain("regRotSeq"),
            threads("scanlinePar"),
        ],
    },
];

/// The title of the program and the schedule of the fastest matrix product.
const FASTEST: (&str, &str) = ("gemm", "parallelOpenMP");

/// Runs the measurements that the options select, and prints the results.
pub fn run(root: &Path, options: &Options, json: bool) -> Outcome<()> {
    if let Some(schedule) = &options.schedule {
        println!("{}", rewriting::here(root, schedule)?);
        return Ok(());
    }
    let mut table = Table::new(&[]);
    if let Some(only) = &options.strategies {
        measure(root, only, &mut table)?;
    }
    if options.peers {
        peers::measure(root, &mut table)?;
    }
    super::print(&table, json)
}

/// Adds the measurements of the schedules that have `only` in their names or in the titles of their
/// programs. Also adds those of steps if `only` is empty, and those of code actions if `only` is
/// empty or a part of `menus`.
pub fn measure(root: &Path, only: &str, table: &mut Table) -> Outcome<()> {
    if only.is_empty() {
        rewriting::steps(table);
    }
    if only.is_empty() || "menus".contains(only) {
        menus::measure(root, table)?;
    }
    for subject in &SUBJECTS {
        let chosen =
            |schedule: &&Schedule| schedule.name.contains(only) || subject.title.contains(only);
        let schedules: Vec<&Schedule> = subject.schedules.iter().filter(chosen).collect();
        for schedule in &schedules {
            rewriting::measure(subject, schedule, table)?;
        }
        if !schedules.is_empty() {
            versions::measure(root, subject, &schedules, table)?;
        }
    }
    Ok(())
}

fn subject(title: &str) -> Outcome<&'static Subject> {
    let found = SUBJECTS.iter().find(|subject| subject.title == title);
    found.ok_or_else(|| format!("there is no program `{title}`").into())
}
