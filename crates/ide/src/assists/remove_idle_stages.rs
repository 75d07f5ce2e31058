//! Removes the stages without effect from a whole file.
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
use elevate::engine::{Options, run};
use elevate::lang::Definitions;
use rise::core::Def;
use syntax::Dialect;

use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::SourceEdits;
use crate::rewrites::program::Program;
use crate::rewrites::strategies::Strategies;
use crate::rewrites::{AssistKind, rewritten};
use crate::strategies::stepping;

/// The rules that only remove stages; functions are kept as they are.
const IDLE: &str = "normalize(removeTransposePair <+ mapIdentity <+ takeAll <+ dropNothing \
    <+ padEmptyNothing <+ splitThenJoin <+ joinThenSplit <+ unzipZipIdentity \
    <+ asVectorAsScalarId <+ asScalarAsVectorId)";

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
    if cx.resolved.is_none() && stepping::is_empty(&edits(db, file)) {
        return Vec::new();
    }
    let title = "Remove all stages that do nothing".to_owned();
    let effect = AssistEffect::edit(move |db| Ok(edits(db, file)));
    vec![Assist::new("file", AssistKind::FixAll, title, effect)]
}

/// Returns the edits of all definitions of a file. A definition whose result cannot be written as
/// text is left unchanged.
fn edits(db: &Database, file: FileId) -> SourceEdits {
    let mut edits = Vec::new();
    for &item in &*db.items(file) {
        db.unwind_if_cancelled();
        let Some(def) = db.elaborated(item) else {
            continue;
        };
        let Some(new) = tidied(&def) else {
            continue;
        };
        if let Ok(done) = rewritten(db, item, &new, false) {
            edits.extend(done.edits.files.into_iter().flat_map(|(_, edits)| edits));
        }
    }
    SourceEdits::single(file, edits)
}

/// Returns the definition without idle stages, if it has any.
fn tidied(def: &Def<rise::Primitive>) -> Option<Def<rise::Primitive>> {
    let (store, strategies) = Strategies::start(Definitions::default());
    let mut program = Program::of(store, def).ok()?;
    let strategy = strategies.get(IDLE)?;
    let root = program.root();
    let options = Options {
        facts: program.facts.clone(),
        ..Options::default()
    };
    let made = run(&mut program.store, root, &strategy, &options)
        .result
        .ok()?;
    if made == root {
        return None;
    }
    program.export(made, def).ok()
}
