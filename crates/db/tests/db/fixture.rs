//! Workspaces that are written as one text, and the rendering of their diagnostics.

use std::fmt::Write;

use db::{Database, FileId, FilePath, ReadError};

/// Returns the path of the file with this name in the workspace.
pub fn path(name: &str) -> FilePath {
    FilePath::disk(format!("/workspace/{name}"))
}

/// Creates a database with the files of `text`, each after a line `//- name`; text before the first
/// such line is `main.rise`. Imported files that are not among them are not found.
pub fn workspace(text: &str) -> Database {
    fill(Database::new(), text)
}

/// Adds the files of `text` to `db`.
pub fn fill(mut db: Database, text: &str) -> Database {
    for (name, text) in files(text) {
        db.set_file(path(name), text);
    }
    let siblings = files(text)
        .into_iter()
        .map(|(name, _)| name.into())
        .collect();
    settle_missing(&mut db, &ReadError::NotFound(siblings));
    db
}

/// Marks every missing file as one that cannot be read.
pub fn settle_missing(db: &mut Database, why: &ReadError) {
    for path in db.missing() {
        db.set_absent(path, why.clone());
    }
}

fn files(text: &str) -> Vec<(&str, &str)> {
    let mut files = Vec::new();
    for (at, part) in text.split("//- ").enumerate() {
        if at == 0 && part.trim().is_empty() {
            continue;
        }
        files.push(match part.split_once('\n') {
            Some((name, text)) if at > 0 => (name.trim(), text),
            _ => ("main.rise", part),
        });
    }
    files
}

/// Returns the file with this name.
pub fn file(db: &Database, name: &str) -> FileId {
    db.file(&path(name))
        .unwrap_or_else(|| panic!("no file {name}"))
}

/// Renders every diagnostic of the workspace's own files, one a line, with the text at its place.
pub fn report(db: &Database) -> String {
    let mut out = String::new();
    for file in db.files().into_iter().filter(|&file| !db.is_library(file)) {
        let text = db.text(file).to_string();
        let name = db.path(file).file_name();
        let quote = |item, span| {
            let span = db.absolute(item, span);
            text.get(std::ops::Range::from(span))
                .unwrap_or("<outside>")
                .to_owned()
        };
        for (item, diagnostics) in db.file_diagnostics(file) {
            for diagnostic in diagnostics.iter() {
                let place = quote(item, diagnostic.span);
                let (code, message) = (diagnostic.code.as_str(), &diagnostic.message);
                let severity = diagnostic.severity;
                writeln!(out, "{name} [{place}] {severity:?} {code}: {message}").unwrap();
                for related in &diagnostic.related {
                    let at = related.place.item.map_or(item, |global| db.item_of(global));
                    let home = db.file_of(at);
                    let span = db.absolute(at, related.place.span);
                    let text = db.text(home).to_string();
                    let place = text.get(std::ops::Range::from(span)).unwrap_or("<outside>");
                    let name = db.path(home).file_name();
                    writeln!(out, "  {name} [{place}]: {}", related.message).unwrap();
                }
                if let Some(help) = &diagnostic.help {
                    writeln!(out, "  help: {help}").unwrap();
                }
            }
        }
    }
    out
}

/// Replaces the first occurrence of `old` in the file by `new`.
pub fn replace(db: &mut Database, name: &str, old: &str, new: &str) {
    let id = file(db, name);
    let text = db.text(id).to_string();
    let at = text
        .find(old)
        .unwrap_or_else(|| panic!("no `{old}` in {name}"));
    db.edit_file(id, at..at + old.len(), new);
}
