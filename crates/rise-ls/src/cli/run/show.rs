//! Results and failures for people.

use super::super::report::{Finding, RelatedFinding, Report, Reporter};
use super::super::workspace::Workspace;
use super::super::{FOUND, human, output};
use crate::run::{Complaint, Done, text};
use runtime::text::Length;
use std::io::{self, Write};
use std::path::Path;
use syntax::{Code, Severity};

/// Single values up to which a result is shown whole.
const WHOLE: u64 = 1_000;

/// The result, times, and whether it is right.
pub fn result(done: &Done, out_file: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    if let Some(line) = text::fallback(done) {
        writeln!(out, "{line}")?;
    }
    if out_file.is_none() {
        let whole = text::printed(done.value.shape()) <= WHOLE && done.times.is_empty();
        let length = if whole { Length::Full } else { Length::Short };
        writeln!(out, "{}", done.value.text(length))?;
    }
    for line in [
        text::times(done),
        text::on_device(done),
        text::verdict(done),
    ]
    .into_iter()
    .flatten()
    {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Prints errors to standard error, and returns the exit status.
pub fn errors(report: &Report) -> u8 {
    // Nobody is left to tell if this fails.
    let _ = human::write(report, &output::stderr_renderer(), &mut io::stderr().lock());
    FOUND
}

/// Prints a complaint with its place, if it has one.
pub fn print(workspace: &Workspace, complaint: &Complaint, severity: Severity) {
    match report(workspace, complaint, severity) {
        Some(report) => {
            // Nobody is left to tell if this fails.
            let _ = human::write_plain(
                &report,
                &output::stderr_renderer(),
                &mut io::stderr().lock(),
            );
        }
        None => output::error(&complaint.message),
    }
}

fn report(workspace: &Workspace, complaint: &Complaint, severity: Severity) -> Option<Report> {
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
        severity,
        // It is not shown.
        code: Code::NotAProgram,
        message: complaint.message.clone(),
        related,
        help: None,
    });
    Some(report)
}
