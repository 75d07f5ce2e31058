//! Results and failures for people.

use super::super::report::{Finding, RelatedFinding, Report, Reporter};
use super::super::workspace::Workspace;
use super::super::{FOUND, human, output};
use crate::run::{Complaint, Done, Summary};
use runtime::Shape;
use runtime::compare::{Comparison, Difference};
use runtime::launch::Source;
use runtime::text::Length;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use syntax::{Code, Severity};

/// Places up to which a value is shown whole.
const WHOLE: u64 = 1_000;

/// What the program ran with: `dot in C, n = 1024, xs random, ys zeros, seed 0`.
pub fn conditions(done: &Done) -> String {
    let mut text = format!("`{}` ran in {}", done.def, done.backend.title());
    let sizes = done
        .launch
        .sizes
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    let sizes: Vec<String> = sizes.collect();
    if !sizes.is_empty() {
        text.push_str(&format!(" with {}", sizes.join(", ")));
    }
    let all = done.launch.params.iter().zip(&done.launch.sources);
    let random = all
        .filter(|(_, source)| **source == Source::Random)
        .map(|(name, _)| name.as_str());
    let random: Vec<&str> = random.collect();
    if !random.is_empty() {
        text.push_str(&format!("; random: {}", random.join(", ")));
    }
    text
}

/// How much there is to print: single values, and rows that have none.
fn printed(shape: &Shape) -> u64 {
    match shape {
        Shape::Scalar(_) | Shape::Index(_) => 1,
        Shape::Vector(n, _) => u64::from(*n),
        Shape::Array(n, row) => n.saturating_mul(printed(row).max(1)),
        Shape::DepArray(rows) => {
            let all = rows.shapes().iter().map(|row| printed(row).max(1));
            all.fold(0, u64::saturating_add)
        }
        Shape::Pair(a, b) => printed(a).saturating_add(printed(b)),
        Shape::DepPair(_, value) => printed(value).saturating_add(1),
    }
}

/// The result, times, and whether it is right.
pub fn result(done: &Done, out_file: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    if out_file.is_none() {
        let whole = printed(done.value.shape()) <= WHOLE && done.times.is_empty();
        let length = if whole { Length::Full } else { Length::Short };
        writeln!(out, "{}", done.value.text(length))?;
    }
    if let Some(summary) = Summary::of(done) {
        writeln!(out, "{}", times(&summary, done.times.len()))?;
    }
    if let Some(found) = &done.verified {
        writeln!(out, "{}", verdict(found))?;
    }
    Ok(())
}

fn times(summary: &Summary, runs: usize) -> String {
    let Summary {
        min, median, max, ..
    } = summary;
    let mut text = format!(
        "{runs} run{}: min {}, median {}, max {}",
        if runs == 1 { "" } else { "s" },
        time(*min),
        time(*median),
        time(*max)
    );
    if let Some(gflops) = summary.gflops {
        text.push_str(&format!("; {} GFLOP/s", digits(gflops)));
    }
    text.push_str(&format!("; {} GB/s", digits(summary.gigabytes)));
    text
}

/// Four digits and a unit.
fn time(time: Duration) -> String {
    let nanoseconds = time.as_nanos() as f64;
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.into_iter().find(|(size, _)| nanoseconds >= *size) {
        Some((size, unit)) => format!("{} {unit}", digits(nanoseconds / size)),
        None => format!("{nanoseconds} ns"),
    }
}

fn digits(value: f64) -> String {
    let decimals = match value {
        _ if value >= 1000.0 => 0,
        _ if value >= 100.0 => 1,
        _ if value >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

fn verdict(found: &Comparison) -> String {
    let skipped = match found.skipped {
        0 => String::new(),
        count => format!("; {count} are never written"),
    };
    let elements = if found.compared == 1 {
        "element"
    } else {
        "elements"
    };
    let (Some(first), Some(worst)) = (&found.first, &found.worst) else {
        return format!(
            "right: {} {elements} as in the interpreter{skipped}",
            found.compared
        );
    };
    let mut text = format!(
        "wrong: {} of {} {elements}{skipped}; first {}",
        found.wrong,
        found.compared,
        difference(first)
    );
    if worst != first {
        text.push_str(&format!("; worst {}", difference(worst)));
    }
    text
}

fn difference(difference: &Difference) -> String {
    let Difference {
        path,
        actual,
        expected,
        ..
    } = difference;
    let at = path.to_string();
    let at = if at.is_empty() {
        "the result".to_owned()
    } else {
        at
    };
    format!("{at}: {actual} instead of {expected}")
}

/// Prints errors to standard error, and returns the exit status.
pub fn errors(report: &Report) -> u8 {
    // Nobody is left to tell if this fails.
    let _ = human::write(report, &output::stderr_renderer(), &mut io::stderr().lock());
    FOUND
}

/// A complaint with its place, if it has one.
pub fn complaint(workspace: &Workspace, complaint: &Complaint) -> Option<Report> {
    let (item, span) = complaint.place?;
    let mut reporter = Reporter::new(&workspace.db, &workspace.base);
    let (source, span) = reporter.place(item, span.into());
    let related = complaint.uses.iter().map(|(item, span)| {
        let (source, span) = reporter.place(*item, (*span).into());
        let message = "used here".to_owned();
        RelatedFinding {
            source,
            span,
            message,
        }
    });
    let related = related.collect();
    let mut report = reporter.finish();
    report.findings.push(Finding {
        source,
        span,
        severity: Severity::Error,
        // It is not shown.
        code: Code::NotAProgram,
        message: complaint.message.clone(),
        related,
        help: None,
    });
    Some(report)
}
