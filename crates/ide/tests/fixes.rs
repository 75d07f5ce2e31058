//! Every quick fix of the wrong programs and of the examples, applied until none is offered.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use db::{Database, FileId, FilePath, ReadError};
use ide::{FileDiagnostic, FileFix};
use syntax::{Code, Severity};

/// No program needs so many.
const MOST_FIXES: usize = 30;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path
            .extension()
            .is_some_and(|end| end == "rise" || end == "dpia" || end == "elevate")
        {
            found.push(path);
        }
    }
}

/// A program that is mended.
struct Program {
    db: Database,
    path: PathBuf,
    file: FileId,
    text: String,
}

impl Program {
    fn open(mut db: Database, path: &Path) -> Program {
        let text = fs::read_to_string(path).expect("a text");
        let file = db.set_file(FilePath::disk(path), text.clone());
        Program {
            db,
            path: path.to_owned(),
            file,
            text,
        }
    }

    fn set(&mut self, text: &str) {
        self.text = text.to_owned();
        self.file = self
            .db
            .set_file(FilePath::disk(&self.path), text.to_owned());
    }

    fn diagnostics(&self) -> Vec<FileDiagnostic> {
        ide::diagnostics(&self.db, self.file)
    }

    /// The text after a fix; `None` if the fix is about another file.
    fn fixed(&self, fix: &FileFix) -> Option<String> {
        let mut text = self.text.clone();
        for (file, edits) in &fix.edits.files {
            if *file != self.file {
                return None;
            }
            for edit in edits.iter().rev() {
                text.replace_range(Range::from(edit.span), &edit.text);
            }
        }
        Some(text)
    }
}

/// The codes that the stages begin with, behind syntax: names, types, targets.
const STAGES: [Code; 3] = [Code::UnknownName, Code::TypeMismatch, Code::MissingChoice];

/// How many errors each stage has. What is wrong with the syntax of a definition hides what is wrong
/// with its names, and so on: mending the one may show the other.
fn errors(found: &[FileDiagnostic]) -> [usize; 4] {
    let place = |code: Code| Code::ALL.iter().position(|other| *other == code);
    let mut count = [0; 4];
    for found in found {
        if found.severity == Severity::Error {
            let before = STAGES
                .iter()
                .filter(|first| place(**first) <= place(found.code));
            count[before.count()] += 1;
        }
    }
    count
}

/// Applies one of the fixes, and then the first of those that are offered until there is none; says
/// what is wrong with that.
fn mended(program: &mut Program, first: usize) -> Result<(), String> {
    let mut number = first;
    for _ in 0..MOST_FIXES {
        let before = program.diagnostics();
        let fixes = before.iter().flat_map(|found| &found.fixes);
        let Some(fix) = fixes.filter(|fix| fix.disabled.is_none()).nth(number) else {
            return Ok(());
        };
        number = 0;
        let title = &fix.title;
        let Some(text) = program.fixed(fix) else {
            return Ok(());
        };
        let shown = |why: &str| format!("`{title}` {why}:\n{}\n--\n{text}", program.text);
        if text == program.text {
            return Err(shown("changes nothing"));
        }
        let wrong = shown("raises the number of errors");
        program.set(&text);
        let (old, new) = (errors(&before), errors(&program.diagnostics()));
        if new > old {
            let messages: Vec<String> = program
                .diagnostics()
                .into_iter()
                .map(|found| found.message)
                .collect();
            return Err(format!("{wrong}\n{messages:#?}"));
        }
    }
    Err(format!("it does not end:\n{}", program.text))
}

/// What is wrong with the fixes of a program, and how many it has.
fn wrong_fixes(program: &mut Program) -> (Vec<String>, usize) {
    let original = program.text.clone();
    let found = program.diagnostics();
    let fixes = found.iter().flat_map(|found| &found.fixes);
    let count = fixes.filter(|fix| fix.disabled.is_none()).count();
    let mut wrong = Vec::new();
    for first in 0..count {
        if let Err(why) = mended(program, first) {
            wrong.push(format!("{}: {why}", program.path.display()));
        }
        program.set(&original);
    }
    (wrong, count)
}

/// The programs below these folders, in one database.
fn programs(folders: &[&str]) -> (Database, Vec<PathBuf>) {
    let mut paths = Vec::new();
    for folder in folders {
        collect(&root().join(folder), &mut paths);
    }
    paths.sort();
    let mut db = Database::new();
    for path in &paths {
        let text = fs::read_to_string(path).expect("a text");
        db.set_file(FilePath::disk(path), text);
    }
    for path in db.missing() {
        db.set_absent(path, ReadError::NotFound(std::sync::Arc::default()));
    }
    (db, paths)
}

#[test]
fn quick_fixes_end_and_change_something_and_add_no_error() {
    let (mut db, paths) = programs(&["tests/wrong", "examples"]);
    let (mut wrong, mut applied) = (Vec::new(), 0);
    for path in paths {
        let mut program = Program::open(db, &path);
        let (found, count) = wrong_fixes(&mut program);
        wrong.extend(found);
        applied += count;
        db = program.db;
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    assert!(applied > 50, "only {applied} fixes");
}
