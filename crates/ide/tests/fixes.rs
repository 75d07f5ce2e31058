//! Tests of quick fixes: every fix of the incorrect programs, of the examples and of mutated
//! examples is applied, until none is offered.

use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use db::{Database, FileId, FilePath, ReadError};
use ide::{FileDiagnostic, FileFix};
use runtime::generate::Random;
use syntax::{Code, Severity, TokenKind};

/// The largest number of fixes that are applied to one program.
const MOST_FIXES: usize = 30;

/// The default number of mutated programs; the environment variable `MUTATED_PROGRAMS` overrides
/// it.
const MUTATED: u64 = 700;

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

/// A program to which fixes are applied.
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

    /// Returns the text after a fix; `None` if the fix changes another file.
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

/// The first code of `rise` of each stage after the parser: names, types, targets.
const STAGES: [Code; 3] = [
    rise::codes::UNKNOWN_NAME,
    rise::codes::TYPE_MISMATCH,
    rise::codes::MISSING_MEMORY,
];

/// Returns the number of stages before the one that reports `code`.
fn stage(code: Code) -> usize {
    let place = |code| rise::codes::DIAGNOSTICS.iter().position(|one| *one == code);
    if let Some(at) = place(code) {
        return STAGES
            .iter()
            .filter(|first| place(**first) <= Some(at))
            .count();
    }
    if syntax::codes::DIAGNOSTICS.contains(&code) || code == db::codes::NOT_TEXT {
        return 0;
    }
    let is_name = |name: &Code| code != db::codes::INTERNAL && *name == code;
    match db::codes::DIAGNOSTICS.iter().any(is_name) || code == elevate::codes::SHADOWED_NAME {
        true => 1,
        false => 3,
    }
}

/// Counts the errors of each stage. Errors of an earlier stage hide those of later ones, so that
/// fixing one may show others.
fn errors(found: &[FileDiagnostic]) -> [usize; 4] {
    let mut count = [0; 4];
    for found in found {
        if found.severity == Severity::Error {
            count[stage(found.code)] += 1;
        }
    }
    count
}

/// Applies one of the fixes, and then repeatedly the first one that is offered; returns a message
/// if an invariant is violated. In a program with several errors, fixing one may show another, so
/// only for a program with a single error a fix must not add errors.
fn mended(program: &mut Program, first: usize, adds_no_error: bool) -> Result<(), String> {
    let mut number = first;
    let mut seen = HashSet::from([program.text.clone()]);
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
        if !seen.insert(text.clone()) {
            return Err(shown("leads back to an earlier text"));
        }
        let wrong = shown("raises the number of errors");
        program.set(&text);
        let (old, new) = (errors(&before), errors(&program.diagnostics()));
        if adds_no_error && new > old {
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

/// Returns the violated invariants of a program's fixes, and the number of fixes.
fn wrong_fixes(program: &mut Program, adds_no_error: bool) -> (Vec<String>, usize) {
    let original = program.text.clone();
    let found = program.diagnostics();
    let fixes = found.iter().flat_map(|found| &found.fixes);
    let count = fixes.filter(|fix| fix.disabled.is_none()).count();
    let mut wrong = Vec::new();
    for first in 0..count {
        if let Err(why) = mended(program, first, adds_no_error) {
            wrong.push(format!("{}: {why}", program.path.display()));
        }
        program.set(&original);
    }
    (wrong, count)
}

/// Loads the programs in these folders into one database.
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
        let (found, count) = wrong_fixes(&mut program, true);
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

/// Makes a typical mistake in a text: deletes a token, exchanges two names, replaces a name by
/// another, or deletes an argument.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut below = |bound: usize| (random.draw() >> 11) as usize % bound.max(1);
    let tokens: Vec<_> = syntax::lex(text)
        .filter(|token| !token.kind.is_trivia())
        .collect();
    let names: Vec<_> = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Ident)
        .map(|token| Range::<usize>::from(token.span))
        .collect();
    let mut new = text.to_owned();
    match below(4) {
        0 if !tokens.is_empty() => {
            new.replace_range(Range::from(tokens[below(tokens.len())].span), "");
        }
        1 if !names.is_empty() => {
            let (one, other) = (below(names.len()), below(names.len()));
            let (first, last) = (one.min(other), one.max(other));
            new.replace_range(names[last].clone(), &text[names[first].clone()]);
            new.replace_range(names[first].clone(), &text[names[last].clone()]);
        }
        2 if !names.is_empty() => {
            let (place, name) = (below(names.len()), below(names.len()));
            new.replace_range(names[place].clone(), &text[names[name].clone()]);
        }
        _ => {
            let opened: Vec<usize> = text.match_indices('(').map(|(at, _)| at).collect();
            let Some(&start) = opened.get(below(opened.len())) else {
                return new;
            };
            let mut depth = 0;
            let closed = text[start..].char_indices().find(|(_, sign)| {
                depth += i32::from(*sign == '(') - i32::from(*sign == ')');
                depth == 0
            });
            if let Some((length, _)) = closed {
                new.replace_range(start..start + length + 1, "");
            }
        }
    }
    new
}

#[test]
fn quick_fixes_of_mutated_programs_end_and_change_something() {
    let (mut db, mut paths) = programs(&["examples"]);
    paths.retain(|path| path.extension().is_some_and(|end| end == "rise"));
    let count = std::env::var("MUTATED_PROGRAMS").ok();
    let count = count.map_or(MUTATED, |count| count.parse().expect("a number"));
    let (mut wrong, mut applied) = (Vec::new(), 0);
    for seed in 0..count {
        let mut random = Random::new(seed);
        let path = &paths[(random.draw() >> 11) as usize % paths.len()];
        let mut program = Program::open(db, path);
        let original = program.text.clone();
        program.set(&mutated(&mut random, &original));
        let (found, fixes) = wrong_fixes(&mut program, false);
        wrong.extend(
            found
                .into_iter()
                .map(|found| format!("seed {seed}, {found}")),
        );
        applied += fixes;
        program.set(&original);
        db = program.db;
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    assert!(applied > 20, "only {applied} fixes");
}
