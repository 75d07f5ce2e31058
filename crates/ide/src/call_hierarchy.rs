//! Which definitions use which.

use crate::{FilePosition, NavTarget};
use db::Database;
use syntax::Span;

/// One end of calls, and where they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The definition at the other end.
    pub target: NavTarget,
    /// The calls: in the caller's file.
    pub ranges: Vec<Span>,
}

/// The definition that the name at `at` stands for.
pub fn prepare_call_hierarchy(db: &Database, at: FilePosition) -> Option<NavTarget> {
    let _ = (db, at);
    None
}

/// The definitions that use the definition at `at` (a position on its name).
pub fn incoming_calls(db: &Database, at: FilePosition) -> Vec<Call> {
    let _ = (db, at);
    Vec::new()
}

/// The definitions that the definition at `at` uses.
pub fn outgoing_calls(db: &Database, at: FilePosition) -> Vec<Call> {
    let _ = (db, at);
    Vec::new()
}
