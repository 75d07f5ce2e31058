//! Inferred types and sizes, shown between the words of the program.

use crate::TextEdit;
use db::{Database, FileId};
use syntax::Span;

/// Which hints are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlayConfig {
    /// Types of `fun` parameters and `let` names that have none written.
    pub parameters: bool,
    /// Types of definitions that have none written.
    pub definitions: bool,
    /// What each stage of a pipeline of several lines yields.
    pub pipelines: bool,
    /// Implicit arguments.
    pub implicits: bool,
    /// Longest label, in characters; longer types are elided.
    pub max_length: usize,
}

impl Default for InlayConfig {
    fn default() -> Self {
        InlayConfig {
            parameters: true,
            definitions: true,
            pipelines: true,
            implicits: false,
            max_length: 40,
        }
    }
}

/// What a hint shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InlayKind {
    /// The type of a parameter or `let` name.
    Parameter,
    /// The type of a definition.
    Definition,
    /// What a stage of a pipeline yields.
    Pipeline,
    /// Implicit arguments.
    Implicit,
}

/// Text to show at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// Where.
    pub offset: u32,
    /// What it shows.
    pub kind: InlayKind,
    /// At most [`InlayConfig::max_length`] characters.
    pub label: String,
    /// The whole type.
    pub tooltip: String,
    /// Edits that write the hint into the program, where it can be written.
    pub insert: Option<Vec<TextEdit>>,
    /// Whether space is wanted before it.
    pub pad_left: bool,
}

/// The hints in `range`, in the order of the text.
pub fn inlay_hints(
    db: &Database,
    file: FileId,
    range: Span,
    config: &InlayConfig,
) -> Vec<InlayHint> {
    let _ = (db, file, range, config);
    Vec::new()
}
