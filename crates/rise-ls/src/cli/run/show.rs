//! Prints the results and failures of runs.

use super::super::report::{Finding, RelatedFinding, Report, Reporter};
use super::super::workspace::Workspace;
use super::super::{human, output};
use crate::run::{Complaint, Done, text};
use dpia::codes;
use runtime::value_text::Length;
use std::io::{self, Write};
use std::path::PathBuf;
use syntax::Severity;

/// The largest number of scalars of a result that is printed in full. The result of a timed run is
/// always shortened.
const MAX_SCALARS: u64 = 1_000;

/// Prints the reason for using the interpreter by default, the result (unless it was written to
/// `out_files`), the times, the device, and the verdict of `--verify`, as far as there are any.
pub fn result(done: &Done, out_files: &[PathBuf], out: &mut impl Write) -> io::Result<()> {
    if let Some(line) = text::fallback(done) {
        writeln!(out, "{line}")?;
    }
    if out_files.is_empty() {
        let whole = text::printed(done.value.shape()) <= MAX_SCALARS && done.times.is_empty();
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

/// Prints a message about a run to standard error: at its source location with this severity, or as
/// an error if it has no location.
pub fn print(workspace: &Workspace, complaint: &Complaint, severity: Severity) {
    match report(workspace, complaint, severity) {
        Some(report) => {
            // A failure to write the message cannot be reported.
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
        // The code is not printed.
        code: codes::NOT_A_PROGRAM,
        message: complaint.message.clone(),
        related,
        help: None,
    });
    Some(report)
}
