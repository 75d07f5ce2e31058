//! Implements `rise-ls fmt`, which formats files in place.
//!
//! Items with syntax errors stay byte for byte as they are, and are reported. The other items of
//! the file are formatted.

use super::args::FmtOptions;
use super::report::Reporter;
use super::workspace::{Input, current_folder, inputs, not_text};
use super::{BAD_USAGE, FAILURE, SUCCESS, human, output};
use crate::loader::{Content, NotText, reason};
use crate::roots::Roots;
use db::{Database, FilePath, Language};
use std::io::{self, Write};
use std::path::Path;
use syntax::{Diagnostic, Severity};

pub fn run(options: &FmtOptions) -> u8 {
    let mut roots = Roots::default();
    options.paths.iter().for_each(|path| roots.add(path));
    let inputs = inputs(&options.paths, &roots);
    for path in &inputs.outside {
        output::note(&format!(
            "{}: the link leads out of the folder; its file stays as it is",
            path.display()
        ));
    }
    let base = current_folder();
    let mut status = if inputs.unreadable {
        BAD_USAGE
    } else {
        SUCCESS
    };
    for input in &inputs.files {
        status = status.max(one(input, &base, options));
    }
    status
}

fn one(input: &Input, base: &Path, options: &FmtOptions) -> u8 {
    let path = input.path(base);
    let language = input.language(options.language);
    let (text, bom) = match input.read() {
        Ok(Content::Text { text, bom }) => (text, bom),
        Ok(Content::NotText(bad)) => return reject(&path, &bad, base),
        Err(problem) => return failed(&problem.to_string()),
    };
    let formatted = language.format(&text);
    let mistakes = show_mistakes(&path, &text, language, base);
    let done = match input {
        _ if options.check => list(&path, base, formatted != text),
        Input::Stdin => print(&formatted, bom),
        Input::File(_) if formatted == text => SUCCESS,
        Input::File(path) => match replace(path, &formatted, bom) {
            Ok(()) => SUCCESS,
            Err(problem) => failed(&format!("{}: {}", path.display(), reason(&problem))),
        },
    };
    done.max(mistakes)
}

fn failed(message: &str) -> u8 {
    output::error(message);
    BAD_USAGE
}

/// Prints the name of the file if formatting changes it, and returns the exit status.
fn list(path: &FilePath, base: &Path, changes: bool) -> u8 {
    if !changes {
        return SUCCESS;
    }
    output::result(FAILURE, |out| {
        writeln!(out, "{}", super::report::shown(path, base))
    })
}

fn print(text: &str, bom: bool) -> u8 {
    output::result(SUCCESS, |out| out.write_all(&bytes(text, bom)))
}

fn bytes(text: &str, bom: bool) -> Vec<u8> {
    let mark = if bom { "\u{feff}" } else { "" };
    [mark.as_bytes(), text.as_bytes()].concat()
}

fn reject(path: &FilePath, bad: &NotText, base: &Path) -> u8 {
    let db = Database::new();
    let mut reporter = Reporter::new(&db, base);
    reporter.outside(path, &bad.lossy, &not_text(bad));
    show(reporter)
}

/// Prints the syntax errors, which prevent items of the file from being formatted, and returns the
/// exit status.
fn show_mistakes(path: &FilePath, text: &str, language: Language, base: &Path) -> u8 {
    let db = Database::new();
    let mut reporter = Reporter::new(&db, base);
    for item in language.split(text) {
        let mistakes = language.mistakes(&text[std::ops::Range::from(item)]);
        for mistake in mistakes
            .iter()
            .filter(|mistake| mistake.severity == Severity::Error)
        {
            let place = mistake.span.shifted(item.start);
            reporter.outside(
                path,
                text,
                &Diagnostic {
                    span: place,
                    ..mistake.clone()
                },
            );
        }
    }
    show(reporter)
}

fn show(reporter: Reporter<'_>) -> u8 {
    let report = reporter.finish();
    match report.findings.is_empty() {
        true => SUCCESS,
        false => human::errors(&report),
    }
}

/// Returns true if the file begins with a UTF-8 byte order mark; false if it cannot be read.
pub fn has_mark(path: &Path) -> bool {
    use std::io::Read as _;
    let mut start = [0; 3];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"\xef\xbb\xbf"
}

/// Replaces the text of a file atomically. The new text follows a byte order mark if `bom` is set.
///
/// # Errors
/// Fails if the file cannot be written, or is read-only.
pub fn replace(path: &Path, text: &str, bom: bool) -> io::Result<()> {
    output::replace(path, |out| out.write_all(&bytes(text, bom)))
}
