//! Writes findings as JSON: one object per line.

use super::position::{self, Range};
use super::report::{Finding, Report, severity_word};
use serde::Serialize;
use std::io::{self, Write};

/// A finding.
#[derive(Serialize)]
pub struct Line<'a> {
    path: &'a str,
    range: Range,
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    related: Vec<Related<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Related<'a> {
    path: &'a str,
    range: Range,
    message: &'a str,
}

pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    for line in lines(report) {
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Returns the findings of a report.
pub fn lines(report: &Report) -> impl Iterator<Item = Line<'_>> {
    (report.findings.iter()).map(|finding| line(report, finding))
}

fn line<'a>(report: &'a Report, finding: &'a Finding) -> Line<'a> {
    let source = report.source(finding.source);
    let related = finding.related.iter().map(|related| {
        let source = report.source(related.source);
        Related {
            path: &source.path,
            range: position::range(&source.text, related.span),
            message: &related.message,
        }
    });
    Line {
        path: &source.path,
        range: position::range(&source.text, finding.span),
        severity: severity_word(finding.severity),
        code: finding.code.as_str(),
        message: &finding.message,
        related: related.collect(),
        help: finding.help.as_deref(),
    }
}
