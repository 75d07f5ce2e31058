//! What stands under the cursor: type with sizes, kind, documentation, obligations.

use crate::FilePosition;
use db::Database;
use syntax::Span;

/// What there is to say about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What the cursor stands on.
    pub range: Span,
    /// Markdown with code blocks in RISE.
    pub markdown: String,
}

/// What stands at `at`.
pub fn hover(db: &Database, at: FilePosition) -> Option<Hover> {
    let _ = (db, at);
    None
}
