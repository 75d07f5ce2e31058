//! The diagnostics of items that do not depend on targets.

use std::sync::Arc;

use syntax::Diagnostic;

use crate::cross_item_diagnostics::{CrossItemDiagnostics, cross_item_diagnostics};
use crate::files::ItemId;
use crate::inputs::{Db, SourceItem};
use crate::items::language;
use crate::language::Language;
use crate::strategies::strategy_checked;
use crate::types::checked;

/// Returns the diagnostics of the item, including those that depend on other items, without those
/// of targets.
pub(crate) fn item_diagnostics(db: &dyn Db, item: ItemId) -> Arc<[Diagnostic]> {
    let own = match language(db, item.into()) {
        Language::Rise | Language::Dpia => checked(db, item.into()).diagnostics.clone(),
        Language::Elevate => strategy_diagnostics(db, item),
    };
    let file = SourceItem::from(item).file(db);
    with_cross_item(item, own, cross_item_diagnostics(db, file.into()))
}

/// Returns the diagnostics of the text of an item of a strategy file.
pub(crate) fn strategy_diagnostics(db: &dyn Db, item: ItemId) -> Arc<[Diagnostic]> {
    strategy_checked(db, item.into())
        .diagnostics
        .as_slice()
        .into()
}

/// Merges the diagnostics of the item's text with those that depend on other items.
pub(crate) fn with_cross_item(
    item: ItemId,
    own: Arc<[Diagnostic]>,
    notes: &CrossItemDiagnostics,
) -> Arc<[Diagnostic]> {
    match notes.get(&item) {
        None => own,
        Some(notes) => merged(notes, &own),
    }
}

/// Joins diagnostics, in the order of their places.
pub(crate) fn merged(some: &[Diagnostic], others: &[Diagnostic]) -> Arc<[Diagnostic]> {
    let mut all = [some, others].concat();
    all.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    all.into()
}
