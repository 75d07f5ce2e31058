//! The items whose diagnostics require running an example or a strategy, and the texts that the
//! results depend on.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::elevate::ast::ItemKind;

use crate::files::{FileId, ItemId};
use crate::inputs::{Db, SourceFile, SourceItem};
use crate::items::{imports, items, strategy_parsed};
use crate::language::Language;
use crate::scope::dependencies;
use crate::strategies::named_definition;

/// The texts of an item and of everything that it uses. The result of running the item is unchanged
/// as long as these are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInputs(Arc<[(ItemId, Arc<str>)]>);

/// Returns the items of the file that have to be run for complete diagnostics: examples, and
/// definitions of RISE that name a strategy in `@strategy` or use, directly or transitively, one
/// that does.
pub(crate) fn runs(db: &dyn Db, file: FileId) -> Vec<(ItemId, RunInputs)> {
    let items = items(db, file.into());
    let run: Vec<ItemId> = match SourceFile::from(file).language(db) {
        Language::Elevate => {
            let is_example = |item: &ItemId| {
                let parsed = strategy_parsed(db, *item);
                matches!(parsed.item.kind, ItemKind::Example { .. })
            };
            items.iter().copied().filter(is_example).collect()
        }
        Language::Rise if sees_strategies(db, file) => lowered_among(db, &items),
        Language::Rise | Language::Dpia => Vec::new(),
    };
    run.into_iter()
        .map(|item| (item, run_inputs(db, item.into())))
        .collect()
}

#[salsa::tracked(returns(clone))]
fn run_inputs(db: &dyn Db, item: SourceItem) -> RunInputs {
    let mut texts = Vec::new();
    visit_uses(db, &[item.into()], |used, _| {
        texts.push((used, SourceItem::from(used).text(db)));
    });
    RunInputs(texts.into())
}

/// Visits the items and all their direct and transitive dependencies, including the strategies that
/// they name. `visit` gets each of them with its direct dependencies.
fn visit_uses(db: &dyn Db, roots: &[ItemId], mut visit: impl FnMut(ItemId, &[ItemId])) {
    let mut seen: FxHashSet<ItemId> = roots.iter().copied().collect();
    let mut open: Vec<ItemId> = roots.to_vec();
    let mut uses = Vec::new();
    while let Some(next) = open.pop() {
        uses.clear();
        dependencies(db, next, |used| uses.push(used));
        if let Some(Ok(strategy)) = named_definition(db, next)
            && !elevate::lang::Library::contains(strategy)
        {
            uses.push(ItemId::from_global(strategy));
        }
        visit(next, &uses);
        open.extend(uses.iter().copied().filter(|used| seen.insert(*used)));
    }
}

/// Returns true if a definition of the file, or of a file that it imports directly or transitively,
/// names a strategy in `@strategy`.
fn sees_strategies(db: &dyn Db, file: FileId) -> bool {
    let mut seen = FxHashSet::from_iter([file]);
    let mut open = vec![file];
    while let Some(next) = open.pop() {
        if names_strategies(db, next.into()) {
            return true;
        }
        let imported = imports(db, next.into());
        let targets = imported.iter().filter_map(|import| import.target);
        open.extend(targets.filter(|target| seen.insert(*target)));
    }
    false
}

#[salsa::tracked(returns(copy))]
fn names_strategies(db: &dyn Db, file: SourceFile) -> bool {
    let names_one = |item: &ItemId| SourceItem::from(*item).strategy(db).is_some();
    items(db, file).iter().any(names_one)
}

/// Returns those of `items` that name a strategy in `@strategy`, or use, directly or transitively,
/// an item that does, in their order.
fn lowered_among(db: &dyn Db, items: &[ItemId]) -> Vec<ItemId> {
    let mut users: FxHashMap<ItemId, Vec<ItemId>> = FxHashMap::default();
    let mut open = Vec::new();
    visit_uses(db, items, |item, uses| {
        if SourceItem::from(item).strategy(db).is_some() {
            open.push(item);
        }
        for &used in uses {
            users.entry(used).or_default().push(item);
        }
    });
    let mut lowered: FxHashSet<ItemId> = open.iter().copied().collect();
    while let Some(next) = open.pop() {
        let users = users.get(&next).into_iter().flatten().copied();
        open.extend(users.filter(|user| lowered.insert(*user)));
    }
    items
        .iter()
        .copied()
        .filter(|item| lowered.contains(item))
        .collect()
}
