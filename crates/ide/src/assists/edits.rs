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
/// are not among them do not exist in it. The options of the database are not copied.
pub(super) fn with_text(db: &Database, changed: FileId, text: &str) -> Database {
    let mut later = Database::new();
    for file in db.files() {
        let is_present = matches!(db.state(file), FileState::Present(_));
        if file != changed && (db.is_library(file) || !is_present) {
            continue;
        }
        // The path of a file without an extension does not determine its language.
        later.set_language(db.path(file), db.language(file));
        if file == changed {
            later.set_file(db.path(file), text);
        } else {
            later.set_file(db.path(file), &*db.text(file).to_string());
        }
    }
    let missing: Vec<FilePath> = later.missing().into_iter().collect();
    for path in missing {
        later.set_absent(path, ReadError::NotFound(std::sync::Arc::default()));
    }
    later
}

#[cfg(test)]
mod tests {
    use super::with_text;
    use db::{Database, FilePath, Language};

    #[test]
    fn other_texts_keep_the_languages_of_files() {
        let mut db = Database::new();
        let paths = [FilePath::disk("/dpia"), FilePath::disk("/strategy")];
        let languages = [Language::Dpia, Language::Elevate];
        for (path, language) in paths.iter().zip(languages) {
            db.set_language(path.clone(), language);
        }
        let files = paths.clone().map(|path| db.set_file(path, ""));
        for changed in files {
            let later = with_text(&db, changed, "// changed\n");
            let found = paths.clone().map(|path| later.file(&path));
            let found = found.map(|file| file.map(|file| later.language(file)));
            assert_eq!(found, languages.map(Some));
        }
    }
}
