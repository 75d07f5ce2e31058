//! A new name for a definition or binder, everywhere.

use crate::{FilePosition, SourceEdits};
use db::Database;
use syntax::Span;

/// Why a name cannot be changed so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameError {
    /// In plain words.
    pub message: String,
}

/// What would be renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameTarget {
    /// The name under the cursor.
    pub span: Span,
    /// The name.
    pub name: String,
}

/// Whether the name at `at` can be renamed.
///
/// # Errors
/// There is no name, or it belongs to the language or the standard library.
pub fn prepare_rename(db: &Database, at: FilePosition) -> Result<RenameTarget, RenameError> {
    let _ = (db, at);
    Err(RenameError { message: String::new() })
}

/// Renames what the name at `at` stands for.
///
/// # Errors
/// The name cannot be renamed, the new name is none, or it would change what some name means.
pub fn rename(db: &Database, at: FilePosition, new: &str) -> Result<SourceEdits, RenameError> {
    let _ = (db, at, new);
    Err(RenameError { message: String::new() })
}
