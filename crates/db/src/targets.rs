//! Diagnostics of items as programs for their targets.

use std::sync::Arc;

use codegen::{Target, Targets};
use dpia::functional;

use rise::codes;
use rise::core::LinkError;
use rustc_hash::FxHashSet;
use syntax::{Diagnostic, Dialect, Severity, Span};

use crate::cross_item_diagnostics::cross_item_diagnostics;
use crate::inputs::{Options, SourceFile, SourceItem};
use crate::language::Language;
use crate::phrases;
use crate::queries::{
    Checked, bindings, checked, dialect, item_diagnostics, items, language, linked, parsed,
    with_cross_item,
};
use crate::scope::Binding;
use crate::stages::{code_linked, target_diagnostics};
use crate::strategies::{example, lowered};
use crate::{Db, FileId, FilePath, ItemId};

/// Returns the targets that the item is checked for. These are its annotated targets; or, for a
/// program that nothing else in its file uses, the target of its patterns or of its strategy, and
/// the target that every program is checked for.
pub(crate) fn targets(db: &dyn Db, item: ItemId) -> Targets {
    let for_all = Options::get(db).target(db);
    targets_among(db, item, checked(db, item.into()), for_all)
}

fn targets_among(db: &dyn Db, item: ItemId, checked: &Checked, for_all: Option<Target>) -> Targets {
    let selection = checked.selection;
    let has_strategy = SourceItem::from(item).strategy(db).is_some();
    let is_for_some = !selection.marked.is_empty() || selection.used.is_some() || has_strategy;
    if !is_for_some && for_all.is_none() {
        return Targets::default();
    }
    let file = SourceItem::from(item).file(db);
    if is_wrong(checked) || matches!(SourceFile::from(file).path(db), FilePath::Std(_)) {
        return Targets::default();
    }
    if !selection.marked.is_empty() {
        return selection.marked;
    }
    let scheme = checked.scheme.as_deref();
    let stands_alone = scheme.is_some_and(functional::stands_alone)
        && !used_inside(db, file.into()).contains(&item)
        && !has_unreadable(db, file.into());
    if stands_alone {
        let lowered_for = has_strategy.then(|| lowered_for(db, item)).flatten();
        let own = lowered_for.or(selection.used);
        own.into_iter().chain(for_all).collect()
    } else {
        Targets::default()
    }
}

/// Returns the target for which the strategy of an item lowers it; `None` if it fails.
fn lowered_for(db: &dyn Db, item: ItemId) -> Option<Target> {
    let program = code_linked(db, item.into()).ok()?;
    Some(Target::with(functional::required(&program.body)))
}

fn is_wrong(checked: &Checked) -> bool {
    checked
        .diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Returns the items of the file that other items of it use.
#[salsa::tracked]
fn used_inside(db: &dyn Db, file: SourceFile) -> FxHashSet<ItemId> {
    let mut used = FxHashSet::default();
    for &item in items(db, file).iter() {
        for (_, binding) in bindings(db, item.into()).iter() {
            if let Binding::Def(other) = *binding
                && other != item
            {
                used.insert(other);
            }
        }
    }
    used
}

/// Returns true if a definition of the file has a syntax error, so that its uses are not known.
#[salsa::tracked]
fn has_unreadable(db: &dyn Db, file: SourceFile) -> bool {
    let items = items(db, file);
    let mut each = items.iter();
    each.any(|item| *is_unreadable(db, (*item).into()))
}

#[salsa::tracked]
fn is_unreadable(db: &dyn Db, item: SourceItem) -> bool {
    !parsed(db, item.into()).diagnostics.is_empty()
}

pub(crate) fn all_diagnostics(db: &dyn Db, item: ItemId) -> Arc<[Diagnostic]> {
    let language = language(db, item.into());
    let found = item_diagnostics(db, item);
    add_target_diagnostics(db, item, language, targets(db, item), found)
}

/// Returns the items of the file that have diagnostics; nothing is run for those in `skipped`.
pub(crate) fn file_diagnostics(
    db: &dyn Db,
    file: FileId,
    items: &[ItemId],
    skipped: &FxHashSet<ItemId>,
) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
    let notes = cross_item_diagnostics(db, file.into());
    let for_all = Options::get(db).target(db);
    // Read once, because a file may have thousands of items.
    let language = SourceFile::from(file).language(db);
    let all = items.iter().map(|&item| {
        let checked = checked(db, item.into());
        let found = with_cross_item(item, checked, notes);
        if skipped.contains(&item) {
            return (item, found);
        }
        let targets = targets_among(db, item, checked, for_all);
        (
            item,
            add_target_diagnostics(db, item, language, targets, found),
        )
    });
    all.filter(|(_, diagnostics)| !diagnostics.is_empty())
        .collect()
}

/// Evaluates the diagnostics of the item's targets.
pub(crate) fn evaluate_target_diagnostics(db: &dyn Db, item: ItemId) {
    if dialect(db, item.into()) == Dialect::Dpia {
        phrases::diagnostics(db, item.into());
    }
    for target in targets(db, item).iter() {
        target_diagnostics(db, item.into(), target);
    }
}

/// Returns `found` with the diagnostics of the item's targets.
fn add_target_diagnostics(
    db: &dyn Db,
    item: ItemId,
    language: Language,
    targets: Targets,
    found: Arc<[Diagnostic]>,
) -> Arc<[Diagnostic]> {
    let found = add_strategy_diagnostics(
        db,
        item,
        language,
        add_phrase_diagnostics(db, item, language, found),
    );
    let mut said: Vec<(Target, Arc<[Diagnostic]>)> = Vec::new();
    for target in targets.iter().filter(|_| is_linked(db, item)) {
        let of_target = target_diagnostics(db, item.into(), target);
        if !of_target.is_empty() {
            said.push((target, of_target));
        }
    }
    if said.is_empty() {
        return found;
    }
    let mut all: Vec<Diagnostic> = found.to_vec();
    let several = targets.iter().count();
    for (target, of_target) in &said {
        for diagnostic in of_target.iter() {
            if all.iter().any(|other| same_place(other, diagnostic)) {
                continue;
            }
            let mut diagnostic = diagnostic.clone();
            let agree = |(_, of_target): &&(Target, Arc<[Diagnostic]>)| {
                of_target.iter().any(|other| same_place(other, &diagnostic))
            };
            if said.iter().filter(agree).count() < several {
                diagnostic.message = format!("for {}: {}", target.title(), diagnostic.message);
            }
            all.push(diagnostic);
        }
    }
    all.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    all.into()
}

/// Returns false if the item uses one with errors, which have been reported.
fn is_linked(db: &dyn Db, item: ItemId) -> bool {
    let error = match dialect(db, item.into()) {
        Dialect::Rise => linked(db, item.into()).err(),
        Dialect::Dpia => phrases::linked(db, item.into()).err(),
    };
    !matches!(
        error,
        Some(LinkError::Broken | LinkError::BrokenUse { .. } | LinkError::Recursive { .. })
    )
}

/// Returns `found` with the diagnostics of the strategy of a definition, or of an example.
fn add_strategy_diagnostics(
    db: &dyn Db,
    item: ItemId,
    language: Language,
    found: Arc<[Diagnostic]>,
) -> Arc<[Diagnostic]> {
    let of_strategy: Vec<Diagnostic> = if language == Language::Elevate {
        example(db, item.into()).to_vec()
    } else {
        lowering_diagnostics(db, item)
    };
    if of_strategy.is_empty() {
        return found;
    }
    let mut all = [&*found, &*of_strategy].concat();
    all.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    all.into()
}

/// Returns the diagnostics of the strategy that a definition names.
fn lowering_diagnostics(db: &dyn Db, item: ItemId) -> Vec<Diagnostic> {
    // Few definitions name one, so no query result is stored for the others.
    if SourceItem::from(item).strategy(db).is_none() {
        return Vec::new();
    }
    match lowered(db, item.into()) {
        None => Vec::new(),
        Some(Ok(lowered)) => {
            let strategy = SourceItem::from(item).strategy(db).as_ref();
            let span = strategy.map_or_else(Span::default, |name| name.span);
            let assumes = |text: &String| {
                let message = format!("the strategy assumes {text}");
                Diagnostic::new(Severity::Information, codes::OBLIGATION, span, message)
            };
            lowered.assumed.iter().map(assumes).collect()
        }
        Some(Err(wrong)) => wrong.to_vec(),
    }
}

/// Returns `found` with the diagnostics of a definition of DPIA that do not depend on the target.
fn add_phrase_diagnostics(
    db: &dyn Db,
    item: ItemId,
    language: Language,
    found: Arc<[Diagnostic]>,
) -> Arc<[Diagnostic]> {
    if language.dialect() == Dialect::Rise {
        return found;
    }
    let of_phrase = phrases::diagnostics(db, item.into());
    if of_phrase.is_empty() {
        return found;
    }
    let mut all = [&*found, &*of_phrase].concat();
    all.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
    all.into()
}

/// Returns true if two diagnostics report the same error, possibly for different targets.
fn same_place(a: &Diagnostic, b: &Diagnostic) -> bool {
    (a.code, a.span) == (b.code, b.span)
}
