//! Rewrites of definitions, presented as edits of their text.

mod align;
mod apply;
mod assists;
mod attempt_cache;
mod chain;
mod comments;
mod diff;
mod menu;
mod names;
mod offer;
mod precedence;
mod print;
mod program;
mod reasons;
mod record;
mod restyle;
mod size_parameters;
mod spines;
mod strategies;
mod terms;
mod titles;
mod verify;
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

pub use align::Step;
pub use apply::{AppliedRewrite, apply_rewrite};
pub use assists::{
    Ask, Explained, MoreAction, NestLoop, Taken, Wish, explained, lowered_copy, more_actions,
    more_edits, taken,
};
pub use menu::RewriteKind;
pub use offer::{RewriteAction, rewrites};
pub(crate) use program::exported;
pub use record::recorded;
pub(crate) use verify::reduced_or_rewritten;
pub use verify::{Rewritten, Unwritable, extended, rewritten};
pub use why::{WhyNot, why_not};

/// Returns the elaborated right side of a definition, which is what strategies rewrite. A `foreign
/// def` has none.
fn right_side(db: &Database, item: ItemId) -> Option<Arc<Def<Primitive>>> {
    match db.parsed(item).item.kind {
        ItemKind::Def { .. } => db.elaborated(item),
        _ => None,
    }
}
