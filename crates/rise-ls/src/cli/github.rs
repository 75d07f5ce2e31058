//! Writes findings as workflow commands, which GitHub shows beside the lines of a change.

use super::position;
use super::report::{Finding, Report};
use std::io::{self, Write};
use syntax::Severity;

/// Writes a command for each finding, and one for `hidden`, the text about findings that are not
/// listed.
pub fn write(report: &Report, hidden: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    for finding in &report.findings {
        writeln!(out, "{}", command(level(finding.severity), report, finding))?;
    }
    match hidden {
        Some(hidden) => writeln!(out, "::notice::{}", data(hidden)),
        None => Ok(()),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    }
}

fn command(level: &str, report: &Report, finding: &Finding) -> String {
    let source = report.source(finding.source);
    let range = position::range(&source.text, finding.span);
    let lines = format!(
        "line={},endLine={}",
        range.start.line + 1,
        range.end.line + 1
    );
    // GitHub rejects columns of different lines.
    let columns = if range.start.line == range.end.line {
        format!(
            ",col={},endColumn={}",
            range.start.character + 1,
            range.end.character + 1
        )
    } else {
        String::new()
    };
    let mut message = finding.message.clone();
    if let Some(help) = &finding.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    format!(
        "::{level} file={},{lines}{columns},title={}::{}",
        property(&source.path),
        property(finding.code.as_str()),
        data(&message)
    )
}

/// Escapes a message, in which line breaks would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property, in which commas and colons would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
