//! Every place where a name is used.

use crate::{FilePosition, FileRange};
use db::Database;
use syntax::Span;

/// A place where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// Where.
    pub place: FileRange,
    /// Whether the name is defined here.
    pub declaration: bool,
}

/// Whether a name is defined or used at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HighlightKind {
    /// Used.
    Read,
    /// Defined.
    Write,
}

/// A place of the name under the cursor in its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Highlight {
    /// Where.
    pub span: Span,
    /// Defined or used.
    pub kind: HighlightKind,
}

/// Where the name at `at` stands, in all files, its definition first.
pub fn references(db: &Database, at: FilePosition) -> Vec<Reference> {
    let _ = (db, at);
    Vec::new()
}

/// Where the name at `at` stands in its file, in the order of the text.
pub fn highlights(db: &Database, at: FilePosition) -> Vec<Highlight> {
    let _ = (db, at);
    Vec::new()
}
