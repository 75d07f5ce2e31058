//! Edits and names that several assists need.

use db::{Binding, Database, FileId, FilePath, FileState, ItemId, ReadError};
use syntax::Span;
use syntax::ast::Name;

use crate::rewrites::names;
use crate::{FileRange, TextEdit};

/// Returns the edit that inserts the text `new` of a definition after another definition, with an
/// empty line between them.
pub(super) fn inserted_after(db: &Database, item: ItemId, new: &str) -> TextEdit {
    let old = db.item_text(item);
    let newline = newline_of(&old);
    let end = db.item_span(item).start as usize + old.trim_end().len();
    // A comment after it on its last line is part of it.
    let text = db.text(db.file_of(item)).to_string();
    let rest = text[end..].split(['\r', '\n']).next().unwrap_or_default();
    let end = match rest.trim_start().starts_with("//") {
        true => end + rest.len(),
        false => end,
    } as u32;
    TextEdit {
        span: Span::empty(end),
        text: format!("{newline}{newline}{}", new.trim_end()),
    }
}

pub(super) fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Converts a cursor or selection to offsets from the beginning of a definition.
pub(super) fn in_item(db: &Database, item: ItemId, range: FileRange) -> Span {
    let start = db.item_span(item).start;
    Span::new(
        range.span.start.saturating_sub(start),
        range.span.end.saturating_sub(start),
    )
}

/// Returns the wanted name, or that name with a number, such that no definition in scope, no
/// primitive and no name in `taken` is called so. An import that cannot be read might define any
/// name, and is ignored.
pub(super) fn free_name(db: &Database, file: FileId, wanted: &str, taken: &[&str]) -> Name {
    let known = |name: &str| match db.resolve(file, name) {
        Binding::Def(_) | Binding::Ambiguous(_) => true,
        Binding::Broken | Binding::Unknown => taken.contains(&name),
    };
    names::free(wanted, &known)
}

/// Creates a database with the same files, but another text for one of them. Imported files that
/// are not among them do not exist in it. The options of the database, and the languages of files
/// without an extension, are not copied.
pub(super) fn with_text(db: &Database, changed: FileId, text: &str) -> Database {
    let mut later = Database::new();
    for file in db.files() {
        if file == changed {
            later.set_file(db.path(file), text);
        } else if !db.is_library(file) && matches!(db.state(file), FileState::Present(_)) {
            later.set_file(db.path(file), &*db.text(file).to_string());
        }
    }
    let missing: Vec<FilePath> = later.missing().into_iter().collect();
    for path in missing {
        later.set_absent(path, ReadError::NotFound(std::sync::Arc::default()));
    }
    later
}
