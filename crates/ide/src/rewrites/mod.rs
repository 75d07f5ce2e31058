//! Rewrites of definitions, presented as edits of their text.

pub(crate) mod align;
pub(crate) mod apply;
mod attempt_cache;
mod chain;
mod comments;
pub(crate) mod diff;
pub(crate) mod menu;
pub(crate) mod names;
mod new_errors;
pub(crate) mod offer;
mod precedence;
mod print;
pub(crate) mod program;
mod reasons;
pub(crate) mod record;
pub(crate) mod restyle;
pub(crate) mod size_parameters;
pub(crate) mod spines;
pub(crate) mod strategies;
pub(crate) mod terms;
pub(crate) mod titles;
mod users;
pub(crate) mod verify;
mod why;

#[cfg(test)]
mod actions;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod offer_tests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use db::{Database, ItemId};
use rise::Primitive;
use rise::core::Def;
use syntax::ast::ItemKind;

pub use apply::{AppliedRewrite, apply_rewrite};
pub use menu::AssistKind;
pub use offer::{RewriteAction, rewrites};
pub use record::recorded;
pub use verify::{Rewritten, Unwritable, extended, rewritten};
pub use why::{WhyNot, why_not};

/// Returns the elaborated right side of a definition of RISE, which is what strategies rewrite;
/// `None` for a foreign function and for a definition with errors.
pub(crate) fn right_side(db: &Database, item: ItemId) -> Option<Arc<Def<Primitive>>> {
    match db.parsed(item).item.kind {
        ItemKind::Def { .. } => db.elaborated(item),
        _ => None,
    }
}
