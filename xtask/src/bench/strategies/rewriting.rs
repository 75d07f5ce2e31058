//! Measures the number of rewriting steps per second, and the time and memory of the application of
//! schedules.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use elevate::lang::{Definition, File, NotRewritten, Programs, Request, Rewritten, rewrite};
use rise::Primitive;
use rise::core::Def;
use serde_json::{Value as Json, json};
use syntax::elevate::ast::{ItemKind, Order};

use super::{Schedule, Subject, subject, workloads};
use crate::bench::Outcome;
use crate::bench::table::{Row, Series, Table, Unit};

/// The number of times that a schedule is applied after the first time.
const TIMES: usize = 15;
/// The number of rounds of the workloads of steps.
const ROUNDS: u32 = 5;
/// The target of the time of a schedule in milliseconds.
const LIMIT: f64 = 200.0;
/// The target of the steps per second.
const RATE: f64 = 1_000_000.0;
/// The stack of the thread that rewrites, in bytes.
const STACK: usize = 256 << 20;

/// Measures the number of rewriting steps per second.
pub fn steps(table: &mut Table) {
    for measured in workloads::all(ROUNDS) {
        let rate = Series::from_iter([measured.rate()]);
        let name = format!("steps: {}", measured.name);
        table.push(Row::new(&name, Unit::StepsPerSecond, rate).at_least(RATE));
    }
}

/// Applies a schedule in a separate process, whose peak memory is measured.
pub fn measure(subject: &Subject, schedule: &Schedule, table: &mut Table) -> Outcome<()> {
    let (title, name) = (subject.title, schedule.name);
    let output = Command::new(std::env::current_exe()?)
        .args(["bench", "--schedule", &format!("{title}:{name}")])
        .output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(message.trim_start_matches("error: ").trim().into());
    }
    let said: Json = serde_json::from_slice(&output.stdout)?;
    let numbers = |key: &str| -> Series {
        let all = said[key].as_array().into_iter().flatten();
        all.filter_map(Json::as_f64).collect()
    };
    let (steps, normal) = (&said["steps"], &said["housekeeping"]);
    let row = |what: &str, unit, series| Row::new(&format!("{title} {name}{what}"), unit, series);
    let head = format!(": {steps} steps, {normal} of normal forms");
    table.push(row(&head, Unit::Milliseconds, numbers("milliseconds")).at_most(LIMIT));
    table.push(row(", the first time", Unit::Milliseconds, numbers("first")).at_most(LIMIT));
    table.push(row(
        ", steps of both kinds",
        Unit::StepsPerSecond,
        numbers("rates"),
    ));
    table.push(row(
        ", memory of the process",
        Unit::Megabytes,
        numbers("megabytes"),
    ));
    Ok(())
}

/// Applies `program:schedule` in this process.
pub fn here(root: &Path, wanted: &str) -> Outcome<Json> {
    let (title, name) = wanted.split_once(':').ok_or("which schedule?")?;
    let subject = subject(title)?;
    let applied = on_large_stack(|| {
        let program = Loaded::new(root, subject)?;
        let (mut times, mut rates) = (Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..=TIMES {
            let start = Instant::now();
            let rewritten = program.rewritten(name)?;
            let seconds = start.elapsed().as_secs_f64();
            times.push(seconds * 1e3);
            rates.push((rewritten.steps + rewritten.housekeeping) as f64 / seconds);
            last = Some(rewritten);
        }
        let last = last.ok_or("nothing was rewritten")?;
        Ok(json!({
            "steps": last.steps,
            "housekeeping": last.housekeeping,
            "first": &times[..1],
            "milliseconds": &times[1..],
            "rates": &rates[1..],
            "megabytes": [peak().unwrap_or_default()],
        }))
    })?;
    Ok(applied)
}

/// Returns the peak memory of this process in megabytes.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// Runs `work` on a thread with a large stack, as its recursion is as deep as the terms.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, String> + Send) -> Outcome<T> {
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, work)?;
        thread
            .join()
            .map_err(|_| std::io::Error::other("the strategy panicked"))
    })?;
    Ok(result?)
}

/// A program and its strategies.
pub struct Loaded {
    /// The text of the program's file.
    pub text: String,
    def: Arc<Def<Primitive>>,
    file: File,
    order: Order,
}

impl Loaded {
    /// Reads a program of `examples/strategies` and the file of its schedules.
    pub fn new(root: &Path, subject: &Subject) -> Result<Loaded, String> {
        let folder = root.join("examples/strategies");
        let read = |ending: &str| {
            let path = folder.join(format!("{}.{ending}", subject.file));
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let (text, strategies) = (read("rise")?, read("elevate")?);
        let programs = Programs::of(&text);
        let def = programs.named(subject.def);
        let def = def.and_then(|id| programs.definition(id));
        let def = def.ok_or_else(|| format!("there is no definition of `{}`", subject.def))?;
        let file = File::new(&strategies, programs);
        let order = file.items().find_map(order_of).unwrap_or(Order::Default);
        Ok(Loaded {
            text,
            def,
            file,
            order,
        })
    }

    /// Applies a schedule to the program.
    pub fn rewritten(&self, name: &str) -> Result<Rewritten, String> {
        let strategy = self.file.named(name);
        let strategy = strategy.ok_or_else(|| format!("there is no schedule `{name}`"))?;
        let request = Request::default();
        let definitions = self.file.definitions();
        rewrite(strategy, definitions, &self.def, self.order, &request).map_err(|why| match why {
            NotRewritten::Failed(report) => {
                format!("{name}: {}\n{}", report.message, report.notes.join("\n"))
            }
            other => format!("{name}: {other:?}"),
        })
    }
}

fn order_of(definition: &Arc<Definition>) -> Option<Order> {
    match definition.item.kind {
        ItemKind::Traversal { order, .. } => order,
        _ => None,
    }
}
