//! Applies a rule of the user's own `.elevate` files at the cursor.
//!
//! ```rise
//! //- /main.rise
//! def double = fun(xs: 8.f32 => xs |> map(fun(x => x +$0 x)))
//! //- /own.elevate
//! @title("Multiply by two")
//! rule byTwo = add(x)(x) : f32 |-> mul(2.0f)(x)
//! ```
//! *Multiply by two*
//! ```rise
//! //- main.rise
//! def double = fun(xs: 8.f32 => xs |> map(fun(x => 2.0f * x)))
//! ```

use db::{Database, FileId, ItemId};

use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::rewrites::menu::{self, Entry};
use crate::rewrites::offer::{Offer, Tried};
use crate::rewrites::{AssistKind, record, titles};
use crate::strategies::offered;

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "strategy_file_rule",
    kinds: &[AssistKind::Own],
    offer,
};

/// The largest number of rules that are tried.
const MAX_RULES: usize = 64;
/// The number of code actions after which no further rule is tried.
const MAX_LINES: usize = 8;

/// Returns the rules of the user's strategy files that apply at a place, and those of which only a
/// condition fails.
fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let (db, range) = (cx.db, cx.place());
    if cx.definition().is_none() {
        return Vec::new();
    }
    let entries: Vec<(FileId, Entry)> = offered::files_for(db, range.file)
        .into_iter()
        .flat_map(|file| {
            let items = db.items(file);
            let rules = items.iter().filter_map(|item| {
                let parsed = db.strategy_parsed(*item);
                menu::entry(&parsed.item, Some(AssistKind::Own)).filter(|entry| entry.is_rule)
            });
            rules.map(|entry| (file, entry)).collect::<Vec<_>>()
        })
        .take(MAX_RULES)
        .collect();
    if entries.is_empty() {
        return Vec::new();
    }
    let Some((item, mut offer)) = Offer::at(db, range) else {
        return Vec::new();
    };
    if offer.on_name {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (file, entry) in &entries {
        if found.len() < MAX_LINES {
            found.extend(rule(db, item, &mut offer, *file, entry));
        }
    }
    offer.keep();
    found
}

/// Returns the code actions of a rule at the innermost place where it applies, one for each preset
/// of its arguments. If it applies nowhere, returns one with the reason if, at one of the two
/// innermost places, only a condition fails.
fn rule(
    db: &Database,
    item: ItemId,
    offer: &mut Offer,
    file: FileId,
    entry: &Entry,
) -> Vec<Assist> {
    let mut near = None;
    for at in 0..offer.places.len() {
        let term = offer.places[at].term;
        let mut lines = Vec::new();
        for args in entry.presets(&offer.known.program.store, &offer.known.program.facts, term) {
            let text = entry.strategy(&args);
            let given = db.given_strategy(file, &text).ok();
            let strategy =
                given.and_then(|given| db.given_for(&given, &mut offer.known.program.store));
            let Some((_world, strategy)) = strategy else {
                return Vec::new();
            };
            let assist = |title, effect| {
                let id = format!("{}#{text}@{at}", db.path(file));
                Assist::new(id, AssistKind::Own, title, effect).of_item(item)
            };
            match offer.attempt(&strategy, at) {
                Tried::Makes(_, assumed) => {
                    let title =
                        titles::whole(&offer.known.program, entry.line(&args), None, &assumed);
                    let title = match entry.is_unsafe && !title.contains("unsafe") {
                        true => format!("{title} (unsafe)"),
                        false => title,
                    };
                    let located = record::at(&offer.places[at].path, &text);
                    lines.push(assist(title, AssistEffect::strategy(item, file, located)));
                }
                Tried::Near if at < 2 && near.is_none() => {
                    let reason = offer.why(&strategy, at);
                    near = reason.map(|why| assist(entry.line(&args), AssistEffect::Disabled(why)));
                }
                Tried::Near => {}
                Tried::Far => break,
            }
        }
        if !lines.is_empty() {
            return lines;
        }
    }
    near.into_iter().collect()
}
