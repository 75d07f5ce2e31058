//! Applies the strategies of the library that tidy a whole file: they remove stages without effect.
//!
//! ```rise
//! def one = fun(a: 4.8.f32 => a |> transpose |> trans$0pose)
//!
//! def two = fun(xs: 8.f32 => xs |> map(fun(x => x + 1.0f)) |> split(4) |> join)
//! ```
//! *Remove all stages that do nothing*
//! ```rise
//! def one = fun(a: 4.8.f32 => a)
//!
//! def two = fun(xs: 8.f32 => xs |> map(fun(x => x + 1.0f)))
//! ```

use db::{Database, FileId};
use elevate::lang::Definitions;
use rise::core::Def;
use syntax::Dialect;

use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::SourceEdits;
use crate::rewrites::program::{Program, UNLIMITED};
use crate::rewrites::strategies::Strategies;
use crate::rewrites::{AssistKind, menu, rewritten};
use crate::strategies::stepping;

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "remove_idle_stages",
    kinds: &[AssistKind::FixAll],
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let (db, file) = (cx.db, cx.request.range.file);
    if cx.request.only.is_none() || db.dialect(file) != Dialect::Rise {
        return Vec::new();
    }
    let entries = menu::entries().iter();
    let entries = entries.filter(|entry| entry.kind == AssistKind::FixAll);
    let offered = entries.filter_map(|entry| {
        let strategy = entry.name.as_str();
        if cx.resolved.is_none() && stepping::is_empty(&edits(db, file, strategy)) {
            return None;
        }
        let effect = AssistEffect::edit(move |db| Ok(edits(db, file, strategy)));
        let title = entry.title.clone();
        Some(Assist::new(strategy, AssistKind::FixAll, title, effect))
    });
    offered.collect()
}

/// Returns the edits that a strategy of the library makes in all definitions of a file. A
/// definition whose result cannot be written as text is left unchanged.
fn edits(db: &Database, file: FileId, strategy: &str) -> SourceEdits {
    let mut edits = Vec::new();
    for &item in &*db.items(file) {
        db.unwind_if_cancelled();
        let Some(def) = db.elaborated(item) else {
            continue;
        };
        let Some(new) = tidied(&def, strategy) else {
            continue;
        };
        if let Ok(done) = rewritten(db, item, &new, false) {
            edits.extend(done.edits.files.into_iter().flat_map(|(_, edits)| edits));
        }
    }
    SourceEdits::single(file, edits)
}

/// Returns the definition after a strategy of the library; `None` if the strategy fails or changes
/// nothing, or the definition is too large.
fn tidied(def: &Def<rise::Primitive>, strategy: &str) -> Option<Def<rise::Primitive>> {
    let (store, strategies) = Strategies::start(Definitions::default());
    let mut program = Program::of(store, def).ok()?;
    let strategy = strategies.get(strategy)?;
    let root = program.root();
    let made = program.run(strategy, UNLIMITED).result.ok()?;
    if made == root {
        return None;
    }
    program.export(made, def).ok()
}
