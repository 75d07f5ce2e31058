//! The evaluation of types, dependencies first.
//!
//! The query of a type calls those of the types that it depends on, and such a chain may be ten
//! thousand definitions long. The traversal here uses an explicit stack and evaluates dependencies
//! first, so that each query finds its results memoised and does not recurse deeply, neither when
//! it is executed nor when it is validated. The methods of the database get the arguments of their
//! queries from it, and [`crate::nesting`] detects one that does not.

use rustc_hash::FxHashSet;

use crate::files::ItemId;
use crate::inputs::{Db, SourceItem};
use crate::items::language;
use crate::language::Language;
use crate::scope::dependencies;
use crate::strategies::{named_definition, strategy_checked};
use crate::types::checked;

/// Evaluates the types of these items and of everything that they use, including the strategies
/// that they name. Skips the items in `seen`, to which it adds all visited ones.
pub(crate) fn evaluate(
    db: &dyn Db,
    roots: impl IntoIterator<Item = ItemId>,
    seen: &mut FxHashSet<ItemId>,
) {
    enum Step {
        Enter(ItemId),
        Leave(ItemId),
    }
    let mut steps: Vec<Step> = Vec::new();
    for root in roots {
        steps.push(Step::Enter(root));
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(item) => {
                    if seen.insert(item) {
                        steps.push(Step::Leave(item));
                        dependencies(db, item, |used| steps.push(Step::Enter(used)));
                    }
                }
                Step::Leave(item) => {
                    if let Some(strategy) = evaluate_one(db, item.into()) {
                        steps.push(Step::Enter(strategy));
                    }
                }
            }
        }
    }
}

/// Evaluates the type of one item, and returns the definition that the item names in `@strategy`;
/// `None` if it names none that exists, or one of the strategy library.
fn evaluate_one(db: &dyn Db, item: SourceItem) -> Option<ItemId> {
    if language(db, item) == Language::Elevate {
        strategy_checked(db, item);
        return None;
    }
    if !checked(db, item).has_strategy {
        return None;
    }
    let strategy = named_definition(db, item.into())?.ok()?;
    (!elevate::lang::Library::contains(strategy)).then(|| ItemId::from_global(strategy))
}
