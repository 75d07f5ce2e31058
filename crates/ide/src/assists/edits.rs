//! Edits and names that several assists need.

use db::{Binding, Database, FileId, FilePath, FileState, ItemId, ReadError};
use syntax::Span;
use syntax::ast::Name;

use crate::rewrites::{diff, names};
use crate::{FileRange, SourceEdits, TextEdit};

/// Returns the edits that replace the text of a definition.
pub(super) fn to_text(db: &Database, item: ItemId, text: &str) -> SourceEdits {
    let old = db.item_text(item);
    let edit = diff::edit(&old, text).map(|(span, text)| TextEdit {
        span: db.absolute(item, span),
        text,
    });
    SourceEdits::single(db.file_of(item), edit.into_iter().collect())
}

/// Converts a cursor or selection to offsets from the beginning of a definition.
pub(super) fn in_item(db: &Database, item: ItemId, range: FileRange) -> Span {
    let start = db.item_span(item).start;
    Span::new(
        range.span.start.saturating_sub(start),
        range.span.end.saturating_sub(start),
    )
}

/// Returns an unused name similar to the wanted one. An import that cannot be read might define any
/// name, and is ignored.
pub(super) fn free_name(db: &Database, file: FileId, wanted: &str, taken: &[&str]) -> Name {
    let known = |name: &str| match db.resolve(file, name) {
        Binding::Def(_) | Binding::Ambiguous(_) => true,
        Binding::Broken | Binding::Unknown => taken.contains(&name),
    };
    names::free(wanted, &known)
}

/// Creates a database with the same files, but another text for one of them.
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
