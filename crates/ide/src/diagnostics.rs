//! What is wrong in a file, and edits that mend it.

use crate::{FileRange, SourceEdits};
use db::{Database, FileId};
use syntax::{Code, Severity, Span};

/// A second place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedPlace {
    /// Where.
    pub place: FileRange,
    /// What stands there.
    pub message: String,
}

/// An edit that mends what a diagnostic reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFix {
    /// A menu line.
    pub title: String,
    /// What it changes.
    pub edits: SourceEdits,
    /// Whether it is the one obvious mend.
    pub preferred: bool,
    /// Why it cannot be chosen.
    pub disabled: Option<String>,
}

/// A [`syntax::Diagnostic`] whose places are files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostic {
    /// What kind of message.
    pub code: Code,
    /// Its weight.
    pub severity: Severity,
    /// Where, in the file.
    pub span: Span,
    /// What was expected, what was found.
    pub message: String,
    /// Further places, also of other files.
    pub related: Vec<RelatedPlace>,
    /// What to do.
    pub help: Option<String>,
    /// Edits that do it.
    pub fixes: Vec<FileFix>,
}

/// An edit that is offered at a place, and what it mends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    /// The edit.
    pub fix: FileFix,
    /// What it mends.
    pub diagnostic: FileDiagnostic,
}

/// Everything that is reported in `file`, in the order of the text.
pub fn diagnostics(db: &Database, file: FileId) -> Vec<FileDiagnostic> {
    let _ = (db, file);
    Vec::new()
}

/// The fixes of what is reported in `range` (its ends included).
pub fn code_actions(db: &Database, range: FileRange) -> Vec<CodeAction> {
    let _ = (db, range);
    Vec::new()
}
