//! A definition whose own words cannot be kept, in its file as the printer writes it.

use crate::cli::workspace::Workspace;
use crate::loader;
use db::{Database, ItemId};
use rise::Primitive;
use rise::core::{Def, def_text};
use std::ops::Range;
use syntax::Severity;

/// The text of the definition behind its documentation and annotations, as the printer writes it.
pub fn item_text(db: &Database, item: ItemId, def: &Def<Primitive>) -> String {
    let text = format!("{}{}", head(db, item), def_text(def).trim_end());
    syntax::format_item(&text, "\n")
}

/// What stands before the definition's `def`.
fn head(db: &Database, item: ItemId) -> String {
    let old = db.item_text(item);
    let before_name = old.get(..db.header(item).span.start as usize);
    let start = before_name.and_then(|text| text.rfind("def"));
    start.map_or_else(String::new, |start| old[..start].to_owned())
}

/// The text of the definition's file with the definition printed anew; `None` if that would lose a
/// comment, or is not read again without errors.
pub fn file_with(workspace: &Workspace, item: ItemId, def: &Def<Primitive>) -> Option<String> {
    let db = &workspace.db;
    let file = db.file_of(item);
    let old = db.item_text(item);
    let rest = old.strip_prefix(head(db, item).as_str())?;
    if syntax::lex(rest).any(|token| token.kind.is_comment()) {
        return None;
    }
    let new = item_text(db, item, def);
    let mut text = db.text(file).to_string();
    text.replace_range(Range::from(db.item_span(item)), &new);
    is_right(workspace, item, &text).then_some(text)
}

/// Whether the file with this text has no more errors than it had.
fn is_right(workspace: &Workspace, item: ItemId, text: &str) -> bool {
    let file = workspace.db.file_of(item);
    let mut fresh = Database::new();
    let new = fresh.set_file(workspace.db.path(file), text);
    loader::load_imports(&mut fresh, &workspace.roots, loader::PATIENCE);
    errors(&fresh, new) <= errors(&workspace.db, file)
}

fn errors(db: &Database, file: db::FileId) -> usize {
    let all = db.file_diagnostics(file);
    let found = all.iter().flat_map(|(_, found)| found.iter());
    found
        .filter(|found| found.severity == Severity::Error)
        .count()
}
