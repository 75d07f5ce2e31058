//! The diagnostics of the syntax, names and types of items.

use std::sync::Arc;

use syntax::Diagnostic;

use crate::cross_item_diagnostics::{CrossItemDiagnostics, cross_item_diagnostics};
use crate::files::ItemId;
use crate::inputs::{Db, SourceItem};
use crate::items::language;
use crate::language::Language;
use crate::strategies::strategy_checked;
use crate::types::checked;

/// Returns the diagnostics of the item's syntax, names and types, including those that depend on
/// other items. Those of a strategy's application, an example's run, and targets are not included.
pub(crate) fn item_diagnostics(db: &dyn Db, item: ItemId) -> Arc<[Diagnostic]> {
    let own = match language(db, item.into()) {
        Language::Rise | Language::Dpia => checked(db, item.into()).diagnostics.clone(),
        Language::Elevate => strategy_diagnostics(db, item),
    };
    let file = SourceItem::from(item).file(db);
    with_cross_item(item, own, cross_item_diagnostics(db, file.into()))
}

/// Returns the diagnostics of the syntax and types of an item of a strategy file.
pub(crate) fn strategy_diagnostics(db: &dyn Db, item: ItemId) -> Arc<[Diagnostic]> {
    strategy_checked(db, item.into())
        .diagnostics
        .as_slice()
        .into()
}

/// Merges the diagnostics `own` of the item with those of `notes`, which depend on other items.
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

/// Joins two lists of diagnostics, sorted by range and severity.
pub(crate) fn merged(some: &[Diagnostic], others: &[Diagnostic]) -> Arc<[Diagnostic]> {
    let mut all = [some, others].concat();
    all.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    all.into()
}
