//! Rewrites from the user's own `.elevate` files: rules with a title at a place, and strategies for
//! the whole definition.

use db::{Database, Declaration, FileId, ItemId, Language};
use elevate::lang::Type;
use syntax::elevate::ast::ItemKind;

use super::{Ask, Deed, MoreAction};
use crate::FileRange;
use crate::rewrites::menu::{self, Entry, RewriteKind};
use crate::rewrites::offer::{Offer, Tried};
use crate::rewrites::{record, titles};
use crate::strategies::{offered, stepping};

/// The largest numbers of rules that are tried, of lines for rules, and of lines for strategies.
const MOST_RULES: usize = 64;
const MOST_LINES: usize = 8;
const MOST_STRATEGIES: usize = 24;
/// The largest number of strategies that are shown although they do not change the definition.
const MOST_REFUSED: usize = 4;
/// The limit of work for a strategy to show that it changes the definition.
const WORK: u64 = 500_000;

/// Returns the strategy files that a program imports or names, and those in its folder.
fn files(db: &Database, program: FileId) -> Vec<FileId> {
    let mut found = db.needs(program);
    let path = db.path(program);
    let folder = path.as_disk().and_then(|path| path.parent());
    let beside = db.files().into_iter().filter(|file| {
        let path = db.path(*file);
        folder.is_some() && path.as_disk().and_then(|path| path.parent()) == folder
    });
    for file in beside {
        if !found.contains(&file) {
            found.push(file);
        }
    }
    found.retain(|file| db.language(*file) == Language::Elevate && !db.is_library(*file));
    found
}

/// Returns the rules that apply at a place, and those of which only a condition fails.
pub(super) fn rules(db: &Database, range: FileRange) -> Vec<MoreAction> {
    let entries: Vec<(FileId, Entry)> = files(db, range.file)
        .into_iter()
        .flat_map(|file| {
            let items = db.items(file);
            let rules = items.iter().filter_map(|item| {
                let parsed = db.strategy_parsed(*item);
                menu::entry(&parsed.item, Some(RewriteKind::Own)).filter(|entry| entry.is_rule)
            });
            rules.map(|entry| (file, entry)).collect::<Vec<_>>()
        })
        .take(MOST_RULES)
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
        if found.len() < MOST_LINES {
            found.extend(rule(db, item, &mut offer, *file, entry));
        }
    }
    offer.keep();
    found
}

/// Returns the lines of a rule at the innermost place where it applies; otherwise one with the
/// reason, if only a condition fails.
fn rule(
    db: &Database,
    item: ItemId,
    offer: &mut Offer,
    file: FileId,
    entry: &Entry,
) -> Vec<MoreAction> {
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
            let line = |title: String, disabled, text| MoreAction {
                title,
                kind: RewriteKind::Own,
                disabled,
                ask: None,
                item: Some(item),
                deed: Deed::Strategy { from: file, text },
            };
            match offer.attempt(&strategy, at) {
                Tried::Makes(_, assumed) => {
                    let title =
                        titles::whole(&offer.known.program, entry.line(&args), None, &assumed);
                    let title = match entry.is_unsafe && !title.contains("unsafe") {
                        true => format!("{title} (unsafe)"),
                        false => title,
                    };
                    let text = record::at(&offer.places[at].path, &text);
                    lines.push(line(title, None, text));
                }
                Tried::Near if at < 2 && near.is_none() => {
                    let reason = offer.why(&strategy, at);
                    near = reason.map(|why| line(entry.line(&args), Some(why), text));
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

/// Returns the strategies that can be run on a definition: those that change it, and a few that do
/// not, with the reason. For a strategy that takes long or needs arguments this is only determined
/// when it is run.
pub(super) fn strategies(db: &Database, item: ItemId, asks: bool) -> Vec<MoreAction> {
    let program = db.file_of(item);
    let mut found = Vec::new();
    for file in files(db, program) {
        let path = db.path(file);
        let name = path.file_name();
        let mut known = Vec::new();
        offered::own(db, file, &mut known);
        for strategy in known.into_iter().filter(|strategy| !strategy.is_rule) {
            let written = quoted(&strategy.name);
            let wanted: Vec<(String, String)> = strategy
                .parameters
                .iter()
                .flatten()
                .filter(|parameter| !parameter.optional)
                .map(|parameter| (parameter.name.clone(), parameter.ty.clone()))
                .collect();
            if !wanted.is_empty() && !asks {
                continue;
            }
            let lists = strategy.parameters.iter().map(|list| {
                let names = list.iter().filter(|parameter| !parameter.optional);
                let names: Vec<String> = names.map(|p| format!("{{{}}}", p.name)).collect();
                match names.is_empty() {
                    true => String::new(),
                    false => format!("({})", names.join(", ")),
                }
            });
            let text = format!("{written}{}", lists.collect::<String>());
            let dots = if wanted.is_empty() { "" } else { "…" };
            let ask = (!wanted.is_empty()).then(|| Ask::of(db, item, Some(file), &text, wanted));
            found.push(run(
                item,
                format!("Run strategy {} of {name}{dots}", strategy.name),
                file,
                text,
                ask,
            ));
        }
        found.extend(main(db, item, file, &name));
    }
    for action in found.iter_mut().filter(|action| action.ask.is_none()) {
        if let Deed::Strategy { from, text } = &action.deed {
            action.disabled = stepping::refused(db, item, *from, text, WORK);
        }
    }
    let (mut shown, refused): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|action| action.disabled.is_none());
    shown.extend(refused.into_iter().take(MOST_REFUSED));
    shown.truncate(MOST_STRATEGIES);
    shown
}

fn run(item: ItemId, title: String, from: FileId, text: String, ask: Option<Ask>) -> MoreAction {
    MoreAction {
        title,
        kind: RewriteKind::Source,
        disabled: None,
        item: Some(item),
        deed: match ask {
            Some(_) => Deed::Nothing,
            None => Deed::Strategy { from, text },
        },
        ask,
    }
}

/// Returns the main expression of a file, if it is for this definition.
fn main(db: &Database, item: ItemId, file: FileId, name: &str) -> Option<MoreAction> {
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
    let title = format!("Run strategy {name}");
    let text = db.item_text(main).trim().to_owned();
    Some(run(item, title, file, text, None))
}

/// Quotes a name for an expression if it is no identifier.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    match name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("`{name}`"),
    }
}

pub(super) fn name_of(db: &Database, item: ItemId) -> String {
    match &db.header(item).declares {
        Declaration::Def(name) => name.to_string(),
        _ => String::new(),
    }
}
