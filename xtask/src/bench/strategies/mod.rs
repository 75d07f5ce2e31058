//! Strategies: how fast they rewrite, and how fast what they make runs.
//!
//! The schedules are those of `examples/strategies`: the seven versions of TVM's matrix product and
//! the versions of the binomial filter. A version is compiled as any program is, and runs in turns
//! with the naive one, on the same arguments; results that differ are an error. What an editor asks
//! for, the list of rewrites at a place, is measured in the largest examples.

mod menus;
mod peers;
mod rewriting;
mod versions;

use std::path::Path;

use super::Outcome;
use super::table::Table;

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct Options {
    /// Measure only strategies: steps a second, the lists of code actions (`menus`), and each schedule
    /// with this in its name.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    strategies: Option<String>,
    /// Measure the fastest matrix product in turns with TVM's of the same schedule and with
    /// OpenBLAS. Needs Python with `apache-tvm` and `numpy`.
    #[arg(long)]
    peers: bool,
    /// Apply one schedule in this process, and say in JSON what it took.
    #[arg(long, hide = true, value_name = "PROGRAM:SCHEDULE")]
    schedule: Option<String>,
}

impl Options {
    /// Whether nothing else is to be measured.
    pub fn wanted(&self) -> bool {
        self.strategies.is_some() || self.peers || self.schedule.is_some()
    }
}

/// A program that schedules are applied to.
pub struct Subject {
    /// What its rows begin with.
    title: &'static str,
    /// Its file in `examples/strategies`, without the ending; that of the schedules, too.
    file: &'static str,
    /// Its definition.
    def: &'static str,
    /// The sizes that it runs at.
    sizes: &'static [(&'static str, u64)],
    /// What is measured of it, the naive version first.
    schedules: &'static [Schedule],
}

/// A schedule and what it is for.
struct Schedule {
    /// Its name in the file.
    name: &'static str,
    /// Whether its program uses threads.
    threads: bool,
    /// How many times as fast as the naive version it is wanted.
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

/// What is measured.
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

/// The fastest version of the matrix product.
const FASTEST: (&str, &str) = ("gemm", "parallelOpenMP");

/// Measures and prints.
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

/// Adds what there is to say about the schedules with `only` in their names.
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
