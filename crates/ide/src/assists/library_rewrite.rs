//! Applies a rewrite of the strategy library at the cursor.
//!
//! ```rise
//! def two = fun((xs: 4.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> ma$0p(g))
//! ```
//! *Fuse maps: one array of 4 f32 less*
//! ```rise
//! def two = fun((xs: 4.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f >> g))
//! ```

use db::ItemId;
use elevate::term::{Child, Path};

use super::{Assist, AssistContext, AssistEdits, AssistEffect, AssistHandler};
use crate::RewriteAction;
use crate::rewrites::{AssistKind, apply_rewrite, menu};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "library_rewrite",
    kinds: AssistKind::OF_LIBRARY,
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    if let Some(id) = cx.resolved {
        return resolved(cx, id).into_iter().collect();
    }
    cx.rewrites().iter().map(assist).collect()
}

/// Returns the code action for a rewrite.
pub(super) fn assist(action: &RewriteAction) -> Assist {
    let effect = match &action.disabled {
        Some(reason) => AssistEffect::Disabled(reason.clone()),
        None => rewrite(action.item, action.strategy.clone(), action.path.clone()),
    };
    let id = format!("{}@{}", action.strategy, letters(&action.path));
    Assist {
        preferred: action.preferred,
        ..Assist::new(id, action.kind, action.title.clone(), effect).of_item(action.item)
    }
}

/// Returns the rewrite that an id stands for. The id contains the strategy and the path, so that no
/// rewrite has to be tried.
fn resolved(cx: &AssistContext<'_>, id: &str) -> Option<Assist> {
    let item = cx.definition()?;
    let (strategy, path) = id.rsplit_once('@')?;
    let effect = rewrite(item, strategy.to_owned(), path_of(path)?);
    let kind = menu::entry_of(strategy)?.kind;
    Some(Assist::new(id, kind, strategy.to_owned(), effect).of_item(item))
}

fn rewrite(item: ItemId, strategy: String, path: Path) -> AssistEffect {
    AssistEffect::edit(move |db| {
        let made = apply_rewrite(db, item, &strategy, &path)?;
        Ok(AssistEdits {
            edits: made.edits,
            step: Some(made.step),
        })
    })
}

/// Renders a path as text, with one letter for each child on it.
fn letters(path: &Path) -> String {
    let letter = |child: &Child| match child {
        Child::Function => 'f',
        Child::Argument => 'a',
        Child::Body => 'b',
    };
    path.0.iter().map(letter).collect()
}

fn path_of(letters: &str) -> Option<Path> {
    let child = |letter| match letter {
        'f' => Some(Child::Function),
        'a' => Some(Child::Argument),
        'b' => Some(Child::Body),
        _ => None,
    };
    letters.chars().map(child).collect::<Option<_>>().map(Path)
}
