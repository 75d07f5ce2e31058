//! From a name to where it, or its type, is defined.

use crate::{FilePosition, NavTarget};
use db::Database;

/// Where the name at `at` is defined.
pub fn goto_definition(db: &Database, at: FilePosition) -> Vec<NavTarget> {
    let _ = (db, at);
    Vec::new()
}

/// Where the names in the type of what stands at `at` are bound.
pub fn goto_type_definition(db: &Database, at: FilePosition) -> Vec<NavTarget> {
    let _ = (db, at);
    Vec::new()
}
