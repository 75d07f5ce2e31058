//! Errors that a program has only after a rewrite.

use std::sync::Arc;

use codegen::Target;
use db::{Database, ItemId};
use rise::Primitive;
use rise::core::Def;

/// Returns the reason why the second side should not replace the first as the right side of a
/// definition: an error that only the second has, as a program for the target or otherwise for its
/// own targets. Implementations that are still to be chosen are no errors. If `generate` is true,
/// code is generated, which takes longer and finds more errors.
pub(crate) fn new_error(
    db: &Database,
    item: ItemId,
    sides: (&Arc<Def<Primitive>>, &Arc<Def<Primitive>>),
    target: Option<Target>,
    generate: bool,
) -> Option<String> {
    let found = db.new_errors(item, sides, target, generate);
    let message = found.first()?.message.lines().next().unwrap_or_default();
    Some(format!("the result would have an error: {message}"))
}
