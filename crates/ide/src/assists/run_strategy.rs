//! Runs a strategy of the user's own files on the whole definition.
//!
//! ```rise
//! //- /main.rise
//! def dou$0ble = fun(xs: 8.f32 => xs |> map(fun(x => x + x)))
//! //- /own.elevate
//! strategy loops: Strategy = topDown(toMapSeq)
//! ```
//! *Run strategy loops of own.elevate*
//! ```rise
//! //- main.rise
//! def double = fun(xs: 8.f32 => xs |> mapSeq(fun(x => x + x)))
//! ```

use db::{Database, FileId, ItemId};
use elevate::lang::Type;
use syntax::elevate::ast::ItemKind;

use super::{Assist, AssistContext, AssistEffect, AssistHandler, Prompt};
use crate::OfferedStrategy;
use crate::rewrites::AssistKind;
use crate::strategies::{offered, stepping};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "run_strategy",
    kinds: &[AssistKind::Source],
    offer,
};

/// The largest number of strategies that are shown.
const MAX_STRATEGIES: usize = 24;
/// The largest number of strategies that are shown although they do not change the definition.
const MAX_REFUSED: usize = 4;
/// The limit of work for a strategy to show that it changes the definition, in the unit of
/// [`elevate::engine::Options::work`].
const WORK: u64 = 500_000;

/// Returns the strategies of the user's files that can be run on a definition: those that change
/// it, and at most `MAX_REFUSED` that do not, with the reason. For a strategy that takes long or
/// needs arguments this is only determined when it is run. Returns none if all kinds are requested
/// and the library offers no rewrite of the whole definition.
fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let Some(item) = cx.definition() else {
        return Vec::new();
    };
    let is_source = |action: &crate::RewriteAction| action.kind.is_source();
    if cx.request.only.is_none() && !cx.rewrites().iter().any(is_source) {
        return Vec::new();
    }
    let db = cx.db;
    let mut found = Vec::new();
    for file in offered::files_for(db, db.file_of(item)) {
        let path = db.path(file);
        let name = path.file_name();
        let mut strategies = Vec::new();
        offered::own(db, file, &mut strategies);
        for strategy in strategies.iter().filter(|strategy| !strategy.is_rule) {
            found.extend(named(cx, item, file, strategy));
        }
        if let Some(text) = main(db, item, file) {
            let (id, title) = (path.to_string(), format!("Run strategy {name}"));
            found.push(assist(item, id, title, run(db, item, file, text)));
        }
    }
    let is_enabled = |assist: &Assist| assist.disabled().is_none();
    let (mut shown, refused): (Vec<_>, Vec<_>) = found.into_iter().partition(is_enabled);
    shown.extend(refused.into_iter().take(MAX_REFUSED));
    shown.truncate(MAX_STRATEGIES);
    shown
}

/// Returns the code action for a strategy with a name; `None` if it needs arguments and the client
/// cannot ask for them.
fn named(
    cx: &AssistContext<'_>,
    item: ItemId,
    file: FileId,
    strategy: &OfferedStrategy,
) -> Option<Assist> {
    let required = || {
        let parameters = strategy.parameters.iter().flatten();
        parameters.filter(|parameter| !parameter.optional)
    };
    let wanted: Vec<(String, String)> = required()
        .map(|parameter| (parameter.name.clone(), parameter.ty.clone()))
        .collect();
    if !wanted.is_empty() && !cx.request.prompts {
        return None;
    }
    let lists = strategy.parameters.iter().map(|list| {
        let names = list.iter().filter(|parameter| !parameter.optional);
        let names: Vec<String> = names.map(|p| format!("{{{}}}", p.name)).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("({})", names.join(", ")),
        }
    });
    let text = format!(
        "{}{}",
        offered::quoted_name(&strategy.name),
        lists.collect::<String>()
    );
    let dots = if wanted.is_empty() { "" } else { "…" };
    let path = cx.db.path(file);
    let title = format!(
        "Run strategy {} of {}{dots}",
        strategy.name,
        path.file_name()
    );
    let id = format!("{path}#{}", strategy.name);
    let effect = match wanted.is_empty() {
        true => run(cx.db, item, file, text),
        false => AssistEffect::Prompt(Prompt::new(cx.db, item, Some(file), text, wanted)),
    };
    Some(assist(item, id, title, effect))
}

fn assist(item: ItemId, id: String, title: String, effect: AssistEffect) -> Assist {
    Assist::new(id, AssistKind::Source, title, effect).of_item(item)
}

fn run(db: &Database, item: ItemId, from: FileId, text: String) -> AssistEffect {
    match stepping::refused(db, item, from, &text, WORK) {
        Some(reason) => AssistEffect::Disabled(reason),
        None => AssistEffect::strategy(item, from, text),
    }
}

/// Returns the main expression of a strategy file as text, if it is a strategy or a result of one,
/// and the file does not name another definition that it is for.
fn main(db: &Database, item: ItemId, file: FileId) -> Option<String> {
    let is_main =
        |main: &&ItemId| matches!(db.strategy_parsed(**main).item.kind, ItemKind::Main { .. });
    let items = db.items(file);
    let main = *items.iter().find(is_main)?;
    let checked = db.strategy_checked(main);
    if !matches!(
        *checked.signature.scheme.ty,
        Type::Strategy(_) | Type::Result
    ) {
        return None;
    }
    // The file may name the program that it is for.
    if db
        .strategy_program(main)
        .is_some_and(|program| program != item)
    {
        return None;
    }
    Some(db.item_text(main).trim().to_owned())
}
