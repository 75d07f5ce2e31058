//! What an editor waits for: the code actions of a place, the whole list, at every place of the
//! largest examples, when the cursor moves and when something was just typed; and the diagnostics
//! while strategies are typed, and programs that name one.

use std::path::Path;
use std::time::Instant;

use db::{Database, FileId, FilePath};
use ide::FileRange;
use syntax::{Severity, Span};

use super::rewriting::on_large_stack;
use crate::bench::Outcome;
use crate::bench::table::{Row, Series, Table, Unit};

/// What is looked at: Harris, the matrix product, and the longest program for OpenCL.
const FILES: [&str; 5] = [
    "opencl/harris",
    "c/harris",
    "strategies/gemm",
    "opencl/mm",
    "opencl/stencils3d",
];
/// Milliseconds that a list may take, and the diagnostics of texts and types after a keystroke.
const LIMIT: f64 = 5.0;
/// Of so many places one is where something is typed.
const TYPED: usize = 16;

/// Strategies that are typed in, each beside the program that names one of them: the files, the
/// beginning of the definition, and the strategy.
const TYPED_IN: [(&str, &str, &str); 2] = [
    ("gemm", "def mm ", "parallelOpenMP"),
    ("binomial", "def binomial ", "scanlinePar"),
];

/// Measures each file.
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

/// Milliseconds from keystrokes to diagnostics.
#[derive(Default)]
struct Keystrokes {
    /// To those of the document itself that texts and types give, which are sent first.
    types: Series,
    /// To all of both documents.
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

/// The places of a text: where words, numbers and operators start.
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

/// Milliseconds that the list takes.
fn listed(db: &Database, file: FileId, at: usize) -> f64 {
    let span = Span::empty(u32::try_from(at).unwrap_or(u32::MAX));
    let start = Instant::now();
    let found = ide::rewrites(db, FileRange { file, span }, &|_| true);
    let time = start.elapsed().as_secs_f64() * 1e3;
    drop(found);
    time
}

/// The cursor goes from place to place.
fn moved(db: &Database, file: FileId, text: &str) -> Series {
    let places = places(text);
    places.into_iter().map(|at| listed(db, file, at)).collect()
}

/// A space is typed in front of a place, and taken back: the list is that of a definition that
/// nobody has seen so. What the diagnostics need is known by then.
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

/// A letter is typed at places of a file of strategies, and of a program that names one of them,
/// and taken back; the diagnostics of both are asked for, as the server does: first without runs.
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
