//! The definitions of a file, and of the workspace.

use crate::SymbolKind;
use db::{Database, FileId};
use syntax::Span;

/// A definition in a file's outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// Its name.
    pub name: String,
    /// Its type.
    pub detail: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole item, documentation included.
    pub full: Span,
    /// The name.
    pub focus: Span,
}

/// A definition somewhere in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The file.
    pub file: FileId,
    /// The name's span.
    pub focus: Span,
}

/// The definitions of `file`, in order.
pub fn document_symbols(db: &Database, file: FileId) -> Vec<DocumentSymbol> {
    let _ = (db, file);
    Vec::new()
}

/// At most `limit` definitions whose name has the letters of `query` in order, best first.
pub fn workspace_symbols(db: &Database, query: &str, limit: usize) -> Vec<WorkspaceSymbol> {
    let _ = (db, query, limit);
    Vec::new()
}
