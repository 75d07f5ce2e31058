//! Measures the latency of an editor: the whole list of code actions at every position of the
//! largest examples, when the cursor moves and after a keystroke; and the diagnostics during edits
//! of strategies, and of programs that refer to a strategy.

use std::path::Path;
use std::time::Instant;

use db::{Database, FileId, FilePath};
use ide::FileRange;
use syntax::{Severity, Span};

use super::rewriting::on_large_stack;
use crate::bench::Outcome;
use crate::bench::table::{Row, Series, Table, Unit};

/// The measured files: Harris, the matrix product, and the longest program for OpenCL.
const FILES: [&str; 5] = [
    "opencl/harris",
    "c/harris",
    "strategies/gemm",
    "opencl/mm",
    "opencl/stencils3d",
];
/// The limit in milliseconds for a list, and for the diagnostics of syntax and types after a
/// keystroke.
const LIMIT: f64 = 5.0;
/// The step between the positions at which keystrokes are measured in programs; in strategies it is
/// a quarter of this.
const TYPED: usize = 16;

/// The strategies that are edited, with the programs that refer to them: the files, the start of
/// the definition, and the strategy.
const TYPED_IN: [(&str, &str, &str); 2] = [
    ("gemm", "def mm ", "parallelOpenMP"),
    ("binomial", "def binomial ", "scanlinePar"),
];

/// Measures the lists of code actions and the keystrokes.
pub fn measure(root: &Path, table: &mut Table) -> Outcome<()> {
    lists(root, table)?;
    for (name, def, strategy) in TYPED_IN {
        let (strategies, program) = on_large_stack(|| typed_in(root, name, def, strategy))?;
        for (what, times) in [
            ("elevate", strategies),
            ("rise, which names a strategy", program),
        ] {
            let name = format!("keystroke in strategies/{name}.{what}");
            table.push(Row::new(&name, Unit::Milliseconds, times.types).tail(LIMIT));
            let name = "  until examples and strategies have run, too";
            table.push(Row::new(name, Unit::Milliseconds, times.runs));
        }
    }
    Ok(())
}

/// The milliseconds from keystrokes to diagnostics.
#[derive(Default)]
struct Keystrokes {
    /// The time to the diagnostics of syntax and types of the document itself, which are sent
    /// first.
    types: Series,
    /// The time to all diagnostics of both documents.
    runs: Series,
}

fn lists(root: &Path, table: &mut Table) -> Outcome<()> {
    for name in FILES {
        let path = root.join(format!("examples/{name}.rise"));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let (moved, typed) = on_large_stack(|| {
            let mut db = Database::new();
            let file = db.set_file(FilePath::disk(&path), text.as_str());
            ide::diagnostics(&db, file);
            Ok((moved(&db, file, &text), typed(&mut db, file, &text)))
        })?;
        let row = |what: &str, series| {
            Row::new(&format!("{name}: {what}"), Unit::Milliseconds, series).tail(LIMIT)
        };
        table.push(row("code actions at each place", moved));
        table.push(row("code actions after a keystroke", typed));
    }
    Ok(())
}

/// Returns the positions in a text where words, numbers and operators start.
fn places(text: &str) -> Vec<usize> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 0,
        '(' | ')' | '[' | ']' | ',' => 2,
        _ => 3,
    };
    let before = std::iter::once(0).chain(text.chars().map(kind));
    let starts = text.char_indices().zip(before);
    starts
        .filter(|((_, c), before)| kind(*c) != 0 && kind(*c) != *before)
        .map(|((at, _), _)| at)
        .collect()
}

/// Returns the milliseconds for the list of code actions.
fn listed(db: &Database, file: FileId, at: usize) -> f64 {
    let span = Span::empty(u32::try_from(at).unwrap_or(u32::MAX));
    let start = Instant::now();
    let found = ide::rewrites(db, FileRange { file, span }, &|_| true);
    let time = start.elapsed().as_secs_f64() * 1e3;
    drop(found);
    time
}

/// Measures the list while the cursor moves from position to position.
fn moved(db: &Database, file: FileId, text: &str) -> Series {
    let places = places(text);
    places.into_iter().map(|at| listed(db, file, at)).collect()
}

/// Measures the list after a space is typed at a position, and after it is deleted: the definition
/// is new in both cases. The diagnostics have been computed before.
fn typed(db: &mut Database, file: FileId, text: &str) -> Series {
    let mut times = Series::default();
    for at in places(text).into_iter().step_by(TYPED) {
        for (range, new) in [(at..at, " "), (at..at + 1, "")] {
            db.edit_file(file, range, new);
            ide::diagnostics(db, file);
            times.push(listed(db, file, at));
        }
    }
    times
}

/// Measures the diagnostics after a letter is typed and deleted in a file of strategies, and in a
/// program that refers to one of them. They are computed as the server does: first without runs.
fn typed_in(
    root: &Path,
    name: &str,
    def: &str,
    strategy: &str,
) -> Result<(Keystrokes, Keystrokes), String> {
    let mut db = Database::new();
    let mut open = Vec::new();
    for ending in ["elevate", "rise"] {
        let path = root.join(format!("examples/strategies/{name}.{ending}"));
        let text = std::fs::read_to_string(&path);
        let mut text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        if ending == "rise" {
            let annotation = format!("@strategy(\"{name}.elevate\", {strategy})\n{def}");
            text = text.replacen(def, &annotation, 1);
        }
        let file = db.set_file(FilePath::disk(&path), text.as_str());
        open.push((file, text));
    }
    let files: Vec<FileId> = open.iter().map(|(file, _)| *file).collect();
    let wrong = |db: &Database| {
        let found = files.iter().flat_map(|file| ide::diagnostics(db, *file));
        let found: Vec<_> = found.collect();
        let is_error = |found: &ide::FileDiagnostic| found.severity == Severity::Error;
        found.into_iter().find(is_error)
    };
    if let Some(mistake) = wrong(&db) {
        return Err(format!("strategies/{name}: {}", mistake.message));
    }
    let check_types = |db: &Database, file: FileId| {
        let run = db.runs(file).into_iter().map(|(item, _)| item).collect();
        for (item, found) in db.file_diagnostics_without_runs(file, &run) {
            ide::item_diagnostics(db, item, &found);
        }
    };
    let mut keystrokes = |file: FileId, text: &str| {
        let mut times = Keystrokes::default();
        for at in places(text).into_iter().step_by(TYPED / 4) {
            for (range, new) in [(at..at, "x"), (at..at + 1, "")] {
                let start = Instant::now();
                let milliseconds = || start.elapsed().as_secs_f64() * 1e3;
                db.edit_file(file, range, new);
                check_types(&db, file);
                times.types.push(milliseconds());
                drop(wrong(&db));
                times.runs.push(milliseconds());
            }
        }
        times
    };
    let mut all = open.iter().map(|(file, text)| keystrokes(*file, text));
    Ok((
        all.next().unwrap_or_default(),
        all.next().unwrap_or_default(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_where_words_and_operators_start() {
        assert_eq!(places("xs |> map(f)\n  x1"), [0, 3, 6, 9, 10, 11, 15]);
    }
}
