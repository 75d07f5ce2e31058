//! Formatting of a file, or of the items in a range.

use crate::TextEdit;
use db::{Database, FileId};
use syntax::Span;

/// The edits that format `file`; `None` if it has mistakes of syntax.
pub fn format(db: &Database, file: FileId) -> Option<Vec<TextEdit>> {
    let _ = (db, file);
    None
}

/// The edits that format the items that `range` touches.
pub fn format_range(db: &Database, file: FileId, range: Span) -> Option<Vec<TextEdit>> {
    let _ = (db, file, range);
    None
}
