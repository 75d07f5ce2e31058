//! What could be written at the cursor.

use crate::FilePosition;
use db::Database;
use rise::Primitive;
use syntax::{GlobalId, Span};

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// A function: definition, primitive or library.
    Function,
    /// A value: parameter, `let` name, definition of data.
    Value,
    /// A size, type or other type-level name.
    TypeParameter,
    /// A scalar type or type constructor.
    Type,
    /// A kind.
    Kind,
    /// One of the four address spaces.
    AddressSpace,
    /// A reserved word.
    Keyword,
    /// `_1`, `_2`
    Field,
    /// `@run` and the like.
    Annotation,
}

/// What documentation belongs to a completion; see [`resolve_completion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionSource {
    /// It has no documentation of its own.
    None,
    /// A definition.
    Global(GlobalId),
    /// A primitive.
    Primitive(Primitive),
}

/// Something that could be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows and filters by.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Its type.
    pub detail: Option<String>,
    /// What it replaces: the identifier under the cursor.
    pub replace: Span,
    /// What is inserted.
    pub insert: String,
    /// Whether `insert` has `${1:placeholders}` (and `$`, `}` and `\` escaped).
    pub snippet: bool,
    /// Ranks the list when compared as text.
    pub sort: String,
    /// Where its documentation comes from.
    pub source: CompletionSource,
}

/// What could be written at `at`, best first.
pub fn completions(db: &Database, at: FilePosition) -> Vec<Completion> {
    let _ = (db, at);
    Vec::new()
}

/// The documentation of a completion, as Markdown.
pub fn resolve_completion(db: &Database, source: CompletionSource) -> Option<String> {
    let _ = (db, source);
    None
}
