//! Tests the wrong programs of `tests/wrong`: each has exactly the diagnostics that are written in
//! it, at the marked places.
//!
//! A diagnostic is written on a comment line, the marker, below the line that it is about:
//!
//! ```text
//! def nothing = fun(xs: (3 - 5).f32 => xs)
//! //                     ^^^^^ error[negative-size]: `3 - 5` is negative
//! ```
//!
//! that is `//`, spaces, as many `^` as characters are marked (to the end of the line, if the place
//! goes on), a space, the severity, the code in brackets, a colon, and the first line of the
//! message. Code that begins in the first two columns is moved right, to have room for the `//`.
//! Files without such a line must be free of diagnostics.
//!
//! `UPDATE_EXPECT=1` writes the messages that are found into lines whose place, severity and code
//! are right; `UPDATE_EXPECT=all` also writes lines for what is found elsewhere.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A diagnostic as it is written in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Marker {
    /// The index of the marked line, from 0, without the lines of markers.
    line: usize,
    /// The number of characters before the marked place.
    column: usize,
    /// The number of marked characters in that line.
    length: usize,
    /// The severity and code, such as `error[code]`.
    kind: String,
    /// The first line of the message.
    message: String,
}

impl Marker {
    /// Returns true if the markers differ at most in their messages.
    fn agrees(&self, other: &Marker) -> bool {
        (self.line, self.column, self.length, &self.kind)
            == (other.line, other.column, other.length, &other.kind)
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spaces = self.column.saturating_sub(2);
        write!(
            f,
            "//{:spaces$}{} {}: {}",
            "",
            "^".repeat(self.length),
            self.kind,
            self.message
        )
    }
}

#[derive(Debug)]
struct Program {
    /// The lines without markers, and their indices in the file.
    lines: Vec<(usize, String)>,
    markers: Vec<Marker>,
}

impl Program {
    fn read(text: &str) -> Program {
        let mut program = Program {
            lines: Vec::new(),
            markers: Vec::new(),
        };
        for (at, line) in text.lines().enumerate() {
            match marker(line, program.lines.len().saturating_sub(1)) {
                Some(marker) => program.markers.push(marker),
                None => program.lines.push((at, line.to_owned())),
            }
        }
        program
    }

    /// Converts a finding to a marker.
    fn found(&self, finding: &Value) -> Marker {
        let place = |end: &str| {
            let position = &finding["range"][end];
            let number = |key: &str| {
                usize::try_from(position[key].as_u64().expect("a number")).expect("a small one")
            };
            (number("line"), number("character"))
        };
        let ((start_line, start), (end_line, end)) = (place("start"), place("end"));
        let line = self
            .lines
            .iter()
            .rposition(|(at, _)| *at <= start_line)
            .unwrap_or_default();
        let text = self.lines.get(line).map_or("", |(_, text)| text);
        let column = characters(text, start);
        let last = if end_line > start_line {
            text.chars().count()
        } else {
            characters(text, end)
        };
        let word = |key: &str| finding[key].as_str().expect("a text");
        Marker {
            line,
            column,
            length: last.saturating_sub(column).max(1),
            kind: format!("{}[{}]", word("severity"), word("code")),
            message: word("message")
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    }

    /// Returns the text of the file with these markers.
    fn with(&self, markers: &[Marker]) -> String {
        let mut text = String::new();
        for (number, (_, line)) in self.lines.iter().enumerate() {
            text.push_str(line);
            text.push('\n');
            for marker in markers.iter().filter(|marker| marker.line == number) {
                text.push_str(&format!("{marker}\n"));
            }
        }
        text
    }
}

/// Parses a line as a marker.
fn marker(line: &str, about: usize) -> Option<Marker> {
    let rest = line.strip_prefix("//")?;
    let carets = rest.trim_start_matches(' ');
    let message = carets.trim_start_matches('^');
    let (length, column) = (carets.len() - message.len(), 2 + rest.len() - carets.len());
    if length == 0 {
        return None;
    }
    let (kind, message) = message.strip_prefix(' ')?.split_once(": ")?;
    Some(Marker {
        line: about,
        column,
        length,
        kind: kind.to_owned(),
        message: message.to_owned(),
    })
}

/// Returns the number of characters in the first `units` UTF-16 units of a line.
fn characters(line: &str, units: usize) -> usize {
    let mut seen = 0;
    line.chars()
        .take_while(|c| {
            seen += c.len_utf16();
            seen <= units
        })
        .count()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/wrong")
}

fn findings() -> BTreeMap<String, Vec<Value>> {
    let output = Command::new(env!("CARGO_BIN_EXE_rise-ls"))
        .args(["--check", ".", "--format", "json"])
        .current_dir(folder())
        .output()
        .expect("the binary starts");
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut findings: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout)
        .expect("the result is UTF-8")
        .lines()
    {
        let finding: Value = serde_json::from_str(line).expect("every line is JSON");
        findings
            .entry(finding["path"].as_str().expect("a path").to_owned())
            .or_default()
            .push(finding);
    }
    findings
}

/// Returns the programs by their paths in the folder.
fn programs() -> BTreeMap<String, Program> {
    let mut programs = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(folder().join(&below)).expect("the folder is there") {
            let entry = entry.expect("the folder can be read");
            let path = below.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "rise" || extension == "dpia")
            {
                let text = std::fs::read_to_string(entry.path()).expect("programs are text");
                programs.insert(
                    path.to_str().expect("names are text").to_owned(),
                    Program::read(&text),
                );
            }
        }
    }
    programs
}

/// Describes the differences in a program, after an update according to `UPDATE_EXPECT`.
fn differences(path: &str, program: &Program, mut found: Vec<Marker>) -> Option<String> {
    found.sort();
    if found == program.markers {
        return None;
    }
    let agree = found.len() == program.markers.len()
        && found.iter().zip(&program.markers).all(|(a, b)| a.agrees(b));
    let update = std::env::var("UPDATE_EXPECT").unwrap_or_default();
    if update == "all" || (!update.is_empty() && agree) {
        std::fs::write(folder().join(path), program.with(&found)).expect("programs can be written");
        return None;
    }
    let list = |title: &str, markers: &[Marker]| {
        let lines: String = markers
            .iter()
            .map(|marker| format!("\n    {}: {marker}", marker.line + 1))
            .collect();
        format!(
            "\n  {title}{}",
            if lines.is_empty() { " nothing" } else { &lines }
        )
    };
    Some(format!(
        "{path}{}{}",
        list("expected", &program.markers),
        list("found", &found)
    ))
}

#[test]
fn every_wrong_program_gets_exactly_its_diagnostics() {
    let mut findings = findings();
    let mut problems = Vec::new();
    for (path, program) in programs() {
        let found = findings.remove(&path).unwrap_or_default();
        let found = found.iter().map(|finding| program.found(finding)).collect();
        problems.extend(differences(&path, &program, found));
    }
    problems.extend(
        findings
            .into_keys()
            .map(|path| format!("{path} is not among the programs")),
    );
    assert!(
        problems.is_empty(),
        "{} programs differ\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn there_are_many_and_most_have_one_error() {
    let programs = programs();
    let one = programs
        .values()
        .filter(|program| program.markers.len() == 1)
        .count();
    assert!(one >= 60, "{one} programs with one diagnostic");
}

#[test]
fn markers_are_read_as_they_are_written() {
    let text = "def é = x\n//      ^ error[unknown-name]: nothing is called `x`\n";
    let program = Program::read(text);
    let [marker] = &program.markers[..] else {
        panic!("one marker")
    };
    assert_eq!((marker.line, marker.column, marker.length), (0, 8, 1));
    assert_eq!(program.with(&program.markers), text);
    assert_eq!(
        marker.to_string(),
        "//      ^ error[unknown-name]: nothing is called `x`"
    );
    assert!(
        Program::read("// ^ is power\n//^^ no marker\n")
            .markers
            .is_empty()
    );
}
