//! Measures the running time of a schedule's program in comparison with the naive one.

use std::path::Path;
use std::time::Duration;

use codegen::Target;
use db::Database;
use runtime::cc::{Compiler, Executable, Program, Runs};
use runtime::launch::{Launch, Request, prepare};
use runtime::process::{Cancel, Limits};
use runtime::{Shape, Value};

use super::rewriting::{Loaded, on_large_stack};
use super::{Schedule, Subject};
use crate::bench::Outcome;
use crate::bench::programs::{definition, first};
use crate::bench::table::{Row, Series, Table, Unit};

/// The number of turns, in each of which all versions are called. The first is a warm-up.
const TURNS: usize = 6;
/// The time from which a version is called only once in a turn.
const SLOW: Duration = Duration::from_millis(300);
/// The maximal difference of results relative to the larger of 1 and the number: sums have another
/// order.
const TOLERANCE: f32 = 1e-3;
/// The name of the rewritten definition in the file of the original.
const NAME: &str = "version";

struct Version<'a> {
    schedule: &'a Schedule,
    executable: Executable,
    launch: Launch,
    times: Vec<Duration>,
}

/// Measures the schedules in turns with the naive version, the first of the subject.
pub fn measure(
    root: &Path,
    subject: &Subject,
    schedules: &[&Schedule],
    table: &mut Table,
) -> Outcome<()> {
    let limits = Limits {
        time: None,
        cancel: Cancel::default(),
    };
    let compiler = Compiler::find(&limits)?;
    let naive = subject.schedules.first().ok_or("there is no schedule")?;
    let others = schedules.iter().filter(|other| other.name != naive.name);
    let mut versions = Vec::new();
    for schedule in std::iter::once(&naive).chain(others) {
        versions.push(compiled(root, subject, schedule, &compiler, &limits)?);
    }
    let mut wanted: Option<Value> = None;
    for turn in 0..TURNS {
        for version in &mut versions {
            let (time, value) = call(version, &limits)?;
            match &wanted {
                None => wanted = Some(value),
                Some(wanted) if turn == 0 => same(wanted, &value)
                    .map_err(|error| format!("{}: {error}", version.schedule.name))?,
                Some(_) => {}
            }
            version.times.push(time);
        }
    }
    // The first turn is a warm-up.
    versions.iter_mut().for_each(|version| {
        version.times.remove(0);
    });
    for version in &versions {
        rows(subject, version, &versions[0].times, table);
    }
    Ok(())
}

fn rows(subject: &Subject, version: &Version<'_>, naive: &[Duration], table: &mut Table) {
    let language = if version.schedule.threads {
        "OpenMP"
    } else {
        "C"
    };
    let name = format!("{} {} ({language})", subject.title, version.schedule.name);
    let times = version.times.iter().map(|time| time.as_secs_f64() * 1e3);
    table.push(Row::new(
        &format!("{name}, a run"),
        Unit::Milliseconds,
        times.collect(),
    ));
    let pairs = naive.iter().zip(&version.times);
    let ratios: Series = pairs
        .map(|(naive, own)| naive.as_secs_f64() / own.as_secs_f64().max(1e-12))
        .collect();
    let row = Row::new(&format!("{name}, naive by own"), Unit::Ratio, ratios);
    table.push(match version.schedule.wanted {
        Some(wanted) => row.at_least(wanted),
        None => row,
    });
}

/// Returns the C text of a version, with the function name `version`, and its arguments.
pub fn text(root: &Path, subject: &Subject, schedule: &Schedule) -> Outcome<(String, Launch)> {
    let source = on_large_stack(|| {
        let program = Loaded::new(root, subject)?;
        let mut def = program.rewritten(schedule.name)?.def;
        def.name = NAME.into();
        Ok(format!("{}\n{}", program.text, rise::core::def_text(&def)))
    })?;
    let path = root.join("examples/strategies/version.rise");
    let mut db = Database::new();
    let item = definition(&mut db, &[(path, source)], NAME)?;
    let target = match schedule.threads {
        true => Target::OpenMp,
        false => Target::C,
    };
    let wrong = |found: &[syntax::Diagnostic]| format!("{}: {}", schedule.name, first(found));
    let module = db.module(item, target).map_err(|found| wrong(&found))?;
    let program = db.normalised(item).map_err(|found| wrong(&found))?;
    let sizes = subject.sizes.iter();
    let request = Request {
        sizes: sizes.map(|(name, size)| ((*name).into(), *size)).collect(),
        ..Request::default()
    };
    Ok((module.text.clone(), prepare(&program, &request)?))
}

fn compiled<'a>(
    root: &Path,
    subject: &Subject,
    schedule: &'a Schedule,
    compiler: &Compiler,
    limits: &Limits,
) -> Outcome<Version<'a>> {
    let (text, launch) = text(root, subject, schedule)?;
    let params: Vec<Shape> = launch.args.iter().map(|arg| arg.shape().clone()).collect();
    let program = Program {
        text: &text,
        function: NAME,
        outputs: launch.outputs(),
        sizes: launch.sizes.len(),
        index: codegen::IndexWidth::default(),
        params: &params,
        openmp: schedule.threads,
    };
    let executable = program.compile(compiler, limits)?;
    Ok(Version {
        schedule,
        executable,
        launch,
        times: Vec::new(),
    })
}

/// Returns the time of a call, the fastest of several for a short one, and its result.
fn call(version: &Version<'_>, limits: &Limits) -> Outcome<(Duration, Value)> {
    let launch = &version.launch;
    let sizes: Vec<i64> = launch.sizes.iter().map(|(_, value)| *value).collect();
    let args: Vec<&Value> = launch.args.iter().collect();
    let slow = version.times.last().is_none_or(|time| *time > SLOW);
    let runs = Runs {
        warm_up: 0,
        timed: if slow { 1 } else { 5 },
    };
    let result = launch.result.clone()?;
    let outcome = version
        .executable
        .run(&sizes, &args, result, launch.outputs(), runs, limits)?;
    let fastest = outcome.times.iter().min().copied().unwrap_or_default();
    Ok((fastest, outcome.value))
}

/// Returns an error if two arrays of `f32` differ by more than rounding.
fn same(wanted: &Value, found: &Value) -> Result<(), String> {
    let numbers = |value: &Value| -> Vec<f32> {
        let bytes = value.bytes().chunks_exact(4);
        bytes
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    };
    let (wanted, found) = (numbers(wanted), numbers(found));
    if wanted.len() != found.len() {
        return Err("the result has another size".into());
    }
    let near = |(a, b): &(&f32, &f32)| (*a - *b).abs() <= TOLERANCE * a.abs().max(1.0);
    match wanted.iter().zip(&found).position(|pair| !near(&pair)) {
        Some(at) => Err(format!(
            "the result differs at {at}: expected {}, found {}",
            wanted[at], found[at]
        )),
        None => Ok(()),
    }
}
