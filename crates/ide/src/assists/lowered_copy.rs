//! Adds a lowered copy of a definition for a target, and leaves the definition unchanged.
//!
//! ```rise
//! def dou$0ble = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + x))))
//! ```
//! *Lower to C as `double_c`*
//! ```rise
//! def double = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + x))))
//!
//! /// `double`, lowered by `lowerToC`.
//! @target(c)
//! def double_c = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + x))))
//! ```

use codegen::Target;
use db::{Database, ItemId};
use elevate::term::Path;
use syntax::ast::ItemKind;

use super::edits::{free_name, inserted_after, newline_of};
use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::SourceEdits;
use crate::item_view::def_name;
use crate::rewrites::apply::apply_rewrite_for;
use crate::rewrites::verify::FileEnv;
use crate::rewrites::{AssistKind, RewriteAction, menu};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "lowered_copy",
    kinds: &[AssistKind::Lowering],
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    if cx.definition().is_none() {
        return Vec::new();
    }
    let assist = |action: &RewriteAction| {
        let (item, strategy) = (action.item, action.strategy.clone());
        let name = copy_name(cx.db, item, &strategy);
        let title = format!("{} as `{name}`", action.title);
        let id = strategy.clone();
        let effect = AssistEffect::edit(move |db| lowered_copy(db, item, &strategy));
        Assist::new(id, AssistKind::Lowering, title, effect).of_item(item)
    };
    let copies = cx.rewrites().iter().filter(|action| action.copies);
    copies.map(assist).collect()
}

/// Returns true if a strategy, given as text, is one of the library with the kind `lowering`, so
/// that it lowers definitions for a target.
pub fn lowers(strategy: &str) -> bool {
    menu::entry_of(strategy).is_some_and(|entry| entry.kind == AssistKind::Lowering)
}

/// Returns the target of a lowering strategy of the library; the default target if it names none.
fn target_of(strategy: &str) -> Target {
    let name = menu::entry_of(strategy).and_then(|entry| entry.options.target.as_ref());
    name.and_then(|name| Target::from_name(name))
        .unwrap_or_default()
}

/// Returns true if the definition can be compiled for a target by itself.
fn is_program(db: &Database, item: ItemId) -> bool {
    let scheme = db.scheme(item);
    scheme.is_some_and(|scheme| dpia::functional::is_program(&scheme))
}

fn copy_name(db: &Database, item: ItemId, strategy: &str) -> syntax::ast::Name {
    let wanted = format!(
        "{}_{}",
        def_name(db, item).unwrap_or_default(),
        target_of(strategy).as_str()
    );
    free_name(db, db.file_of(item), &wanted, &[])
}

/// Returns the edit that inserts a copy of a definition, lowered by a strategy of the library,
/// after the original, with the strategy in its documentation. Instead of the default schedule of a
/// target, a definition with `@exact` gets the one that keeps its rounding.
///
/// # Errors
/// Fails with a message if the definition cannot be lowered by the strategy, if it has no name, or
/// if the copy has errors.
pub fn lowered_copy(db: &Database, item: ItemId, strategy: &str) -> Result<SourceEdits, String> {
    let target = is_program(db, item).then(|| target_of(strategy));
    let applied = match strategy == target_of(strategy).description().lowering {
        true => db.schedule_name(item, target_of(strategy)),
        false => strategy,
    };
    let made = apply_rewrite_for(db, item, applied, &Path::ROOT, target)?;
    let new =
        beside(db, item, (strategy, applied), &made.text).ok_or("the definition has no name")?;
    FileEnv::of(db, item).read(&new)?;
    let edit = inserted_after(db, item, &new);
    Ok(SourceEdits::single(db.file_of(item), vec![edit]))
}

/// Returns the lowered text with another name and its own documentation, and, if it is a program,
/// with an annotation for its target. The annotations `@target`, `@strategy` and `@exact` of the original
/// are omitted. Returns `None` if the definition has no name.
fn beside(
    db: &Database,
    item: ItemId,
    (strategy, applied): (&str, &str),
    text: &str,
) -> Option<String> {
    let parsed = syntax::parse(text);
    let ItemKind::Def {
        name: Some(name), ..
    } = &parsed.item.kind
    else {
        return None;
    };
    let newline = newline_of(text);
    let head = text[..name.span.start as usize].rfind("def")?;
    let mut new = format!(
        "/// `{}`, lowered by `{applied}`.{newline}",
        def_name(db, item).unwrap_or_default()
    );
    if is_program(db, item) {
        new.push_str(&format!(
            "@target({}){newline}",
            target_of(strategy).as_str()
        ));
    }
    // The annotations for lowering and targets apply only to the original.
    for annotation in &parsed.item.annotations {
        let own =
            |known: &syntax::ast::Ident| matches!(&*known.name, "target" | "strategy" | "exact");
        if !annotation.name.as_ref().is_some_and(own) {
            new.push_str(&text[std::ops::Range::from(annotation.span)]);
            new.push_str(newline);
        }
    }
    new.push_str(&text[head..name.span.start as usize]);
    new.push_str(&copy_name(db, item, strategy));
    new.push_str(&text[name.span.end as usize..]);
    Some(new)
}
