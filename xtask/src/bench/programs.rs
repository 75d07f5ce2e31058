//! Measures the low-level programs of the examples: their compilation time, and the speed of the
//! generated code in comparison with straightforward C for the same algorithm (`xtask/kernels`),
//! both at -O3.
//!
//! Both programs run in turns, on the same arguments; a ratio is the hand-written time divided by
//! the generated time of one turn: 1 means equal speed, and more means faster than the hand-written
//! one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codegen::Target;
use db::{Database, Declaration, FilePath, ItemId};
use runtime::cc::{Compiler, Executable, Program, Runs};
use runtime::launch::{Launch, Request, prepare};
use runtime::process::{Cancel, Limits};
use runtime::{Shape, Value};
use serde_json::Value as Json;

use super::Outcome;

/// The number of turns, of several calls each.
const TURNS: usize = 11;
/// The approximate time of the calls of the hand-written program in a turn, which calls the
/// generated program as often.
const TURN: Duration = Duration::from_millis(60);
/// The number of compilations, of which the median counts.
const COMPILATIONS: usize = 5;
/// A program is slow below this part of the hand-written program's speed.
const SLOW: f64 = 0.95;

/// An entry of `kernels.json`.
pub(super) struct Kernel {
    pub name: String,
    pub file: String,
    openmp: bool,
    sizes: Vec<(String, u64)>,
}

/// The measurements of a program.
struct Measured {
    name: String,
    compile: Duration,
    generated: Duration,
    written: Duration,
    /// The ratio of each turn, sorted.
    ratios: Vec<f64>,
}

/// Measures and prints all programs whose name contains `only`.
pub fn run(root: &Path, only: &str, json: bool) -> Outcome<()> {
    let named = |kernel: &Kernel| kernel.name.contains(only);
    let printer = Printer {
        name: |kernel: &Kernel| &kernel.name,
        line,
        as_json,
        summary,
    };
    let kernels = kernels(root)?.into_iter().filter(named);
    let measure = |kernel: &Kernel, compiler: &Compiler, limits: &Limits| {
        measure(root, kernel, compiler, limits)
    };
    printer.run(kernels, json, measure)
}

/// Prints the measurements `M` of entries `E`.
pub(super) struct Printer<E, M> {
    pub name: fn(&E) -> &str,
    pub line: fn(&M) -> String,
    pub as_json: fn(&M) -> Json,
    pub summary: fn(&[M]),
}

impl<E, M> Printer<E, M> {
    /// Measures and prints each entry, and then the summary; with `json`, prints one array.
    pub fn run(
        &self,
        entries: impl Iterator<Item = E>,
        json: bool,
        measure: impl Fn(&E, &Compiler, &Limits) -> Outcome<M>,
    ) -> Outcome<()> {
        let limits = Limits {
            time: None,
            cancel: Cancel::default(),
        };
        let compiler = Compiler::find(&limits)?;
        let mut all = Vec::new();
        for entry in entries {
            let measured = measure(&entry, &compiler, &limits)
                .map_err(|error| format!("{}: {error}", (self.name)(&entry)))?;
            if !json {
                println!("{}", (self.line)(&measured));
            }
            all.push(measured);
        }
        if json {
            let all: Vec<Json> = all.iter().map(self.as_json).collect();
            println!("{}", serde_json::to_string_pretty(&all)?);
        } else {
            (self.summary)(&all);
        }
        Ok(())
    }
}

/// Reads the list of programs.
pub(super) fn kernels(root: &Path) -> Outcome<Vec<Kernel>> {
    let text = std::fs::read_to_string(root.join("xtask/kernels/kernels.json"))?;
    let all: Vec<BTreeMap<String, Json>> = serde_json::from_str(&text)?;
    let word = |entry: &BTreeMap<String, Json>, key: &str| {
        let value = entry.get(key).and_then(Json::as_str);
        value.unwrap_or_default().to_owned()
    };
    let kernel = |entry: &BTreeMap<String, Json>| {
        let sizes = entry.get("bench").and_then(Json::as_object);
        let size = |(name, value): (&String, &Json)| Some((name.clone(), value.as_u64()?));
        Kernel {
            name: word(entry, "name"),
            file: word(entry, "file"),
            openmp: word(entry, "backend") == "openmp",
            sizes: sizes.into_iter().flatten().filter_map(size).collect(),
        }
    };
    Ok(all.iter().map(kernel).collect())
}

fn measure(
    root: &Path,
    kernel: &Kernel,
    compiler: &Compiler,
    limits: &Limits,
) -> Outcome<Measured> {
    let path = root.join(&kernel.file);
    let sources = sources(&path)?;
    let written = std::fs::read_to_string(root.join(format!("xtask/kernels/{}.c", kernel.name)))?;
    let target = if kernel.openmp {
        Target::OpenMp
    } else {
        Target::C
    };
    let mut compile = Vec::new();
    let mut made = None;
    for _ in 0..COMPILATIONS {
        let mut db = Database::new();
        let start = Instant::now();
        let item = definition(&mut db, &sources, &kernel.name)?;
        let module = db.module(item, target).map_err(|found| first(&found))?;
        compile.push(start.elapsed());
        made = Some((db, item, module));
    }
    compile.sort();
    let (db, item, module) = made.ok_or("nothing was compiled")?;
    let program = db.normalised(item).map_err(|found| first(&found))?;
    let request = Request {
        sizes: kernel.sizes.clone(),
        ..Request::default()
    };
    let launch = prepare(&program, &request)?;
    let build = |text: &str| -> Outcome<Executable> {
        let params: Vec<Shape> = launch.args.iter().map(|v| v.shape().clone()).collect();
        let program = Program {
            text,
            function: &kernel.name,
            outputs: launch.outputs(),
            sizes: launch.sizes.len(),
            index: codegen::IndexWidth::default(),
            params: &params,
            openmp: kernel.openmp,
        };
        Ok(program.compile(compiler, limits)?)
    };
    let (ours, theirs) = (build(&module.text)?, build(&written)?);
    let probe = call(&theirs, &launch, 1, limits)?;
    let calls = (TURN.as_secs_f64() / probe.as_secs_f64().max(1e-7)).clamp(1.0, 1000.0) as u32;
    let (mut generated, mut by_hand, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let a = call(&ours, &launch, calls, limits)?;
        let b = call(&theirs, &launch, calls, limits)?;
        ratios.push(b.as_secs_f64() / a.as_secs_f64().max(1e-12));
        generated.push(a);
        by_hand.push(b);
    }
    ratios.sort_by(f64::total_cmp);
    Ok(Measured {
        name: kernel.name.clone(),
        compile: compile[compile.len() / 2],
        generated: median(generated),
        written: median(by_hand),
        ratios,
    })
}

/// Returns a file and its transitive imports, starting with itself.
pub(super) fn sources(path: &Path) -> Outcome<Vec<(PathBuf, String)>> {
    let mut all = vec![(path.to_owned(), std::fs::read_to_string(path)?)];
    let mut next = 0;
    while next < all.len() {
        let (path, text) = all[next].clone();
        next += 1;
        let imports = text.lines().filter_map(|line| line.strip_prefix("import "));
        for import in imports {
            let target = path
                .with_file_name("")
                .join(import.trim().trim_matches('"'));
            if !all.iter().any(|(known, _)| *known == target) {
                let text = std::fs::read_to_string(&target)?;
                all.push((target, text));
            }
        }
    }
    Ok(all)
}

pub(super) fn definition(
    db: &mut Database,
    sources: &[(PathBuf, String)],
    name: &str,
) -> Outcome<ItemId> {
    for (path, text) in sources {
        db.set_file(FilePath::disk(path), text.as_str());
    }
    let file = sources
        .first()
        .and_then(|(path, _)| db.file(&FilePath::disk(path)))
        .ok_or("no file")?;
    let items = db.items(file);
    let named =
        |item: &&ItemId| matches!(&db.header(**item).declares, Declaration::Def(n) if n == name);
    let found = items.iter().find(named).copied();
    found.ok_or_else(|| format!("there is no definition of `{name}`").into())
}

pub(super) fn first(found: &[syntax::Diagnostic]) -> String {
    found
        .first()
        .map_or_else(String::new, |diagnostic| diagnostic.message.clone())
}

/// Returns the median time of some calls.
pub(super) fn call(
    executable: &Executable,
    launch: &Launch,
    calls: u32,
    limits: &Limits,
) -> Outcome<Duration> {
    let sizes: Vec<i64> = launch.sizes.iter().map(|(_, value)| *value).collect();
    let args: Vec<&Value> = launch.args.iter().collect();
    let result = launch.result.clone()?;
    let runs = Runs {
        warm_up: 1,
        timed: calls,
    };
    Ok(median(
        executable
            .run(&sizes, &args, result, launch.outputs(), runs, limits)?
            .times,
    ))
}

pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

impl Measured {
    fn quantile(&self, part: f64) -> f64 {
        let at = (part * (self.ratios.len().saturating_sub(1)) as f64).round() as usize;
        self.ratios.get(at).copied().unwrap_or_default()
    }

    /// Returns true if the program is too slow, beyond the variation between turns.
    fn is_slow(&self) -> bool {
        self.quantile(0.75) < SLOW
    }
}

fn line(measured: &Measured) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    format!(
        "{:<28} compiled in {:>6.2} ms   generated {:>9.3} ms   by hand {:>9.3} ms   ratio {:>5.2} [{:.2} to {:.2}]{}",
        measured.name,
        ms(measured.compile),
        ms(measured.generated),
        ms(measured.written),
        measured.quantile(0.5),
        measured.quantile(0.25),
        measured.quantile(0.75),
        if measured.is_slow() { "  SLOW" } else { "" },
    )
}

fn summary(all: &[Measured]) {
    let slow = all.iter().filter(|measured| measured.is_slow()).count();
    let slowest = all.iter().map(|measured| measured.compile).max();
    let log: f64 = all.iter().map(|measured| measured.quantile(0.5).ln()).sum();
    let mean = (log / all.len().max(1) as f64).exp();
    println!(
        "{} programs, {slow} slower than {SLOW} of the hand-written ones; geometric mean of the ratios {mean:.2}; slowest compilation {:.2} ms",
        all.len(),
        slowest.unwrap_or_default().as_secs_f64() * 1e3,
    );
}

fn as_json(measured: &Measured) -> Json {
    serde_json::json!({
        "name": measured.name,
        "compileMs": measured.compile.as_secs_f64() * 1e3,
        "generatedMs": measured.generated.as_secs_f64() * 1e3,
        "writtenMs": measured.written.as_secs_f64() * 1e3,
        "ratio": measured.quantile(0.5),
        "ratioLow": measured.quantile(0.25),
        "ratioHigh": measured.quantile(0.75),
    })
}
