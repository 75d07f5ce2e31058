//! Errors that a program has only after a rewrite.

use std::sync::Arc;

use codegen::Target;
use db::{Database, ItemId};
use rise::Primitive;
use rise::core::Def;

/// Returns the reason why `new` should not replace `old` as the right side of a definition: an error
/// of `new`, as a program for the target or otherwise for its own targets, that `old` does not have.
/// Implementations that are still to be chosen are no errors. If `generate` is true, code is
/// generated, which takes longer and finds more errors.
pub(crate) fn new_error(
    db: &Database,
    item: ItemId,
    (old, new): (&Arc<Def<Primitive>>, &Arc<Def<Primitive>>),
    target: Option<Target>,
    generate: bool,
) -> Option<String> {
    let mut found = db.errors_with(item, new, target, generate);
    if !found.is_empty() {
        let known = db.errors_with(item, old, target, generate);
        found.retain(|error| known.iter().all(|old| old.message != error.message));
    }
    let error = found.into_iter().next()?;
    let message = error.message.lines().next().unwrap_or_default();
    Some(format!("the result would have an error: {message}"))
}
