//! Lowered copies of a definition for a target.

use db::{Database, ItemId};
use syntax::Span;
use syntax::ast::ItemKind;

use super::strategy_files::name_of;
use super::{Deed, MoreAction, free_name};
use crate::rewrites::menu::{self, RewriteKind};
use crate::rewrites::verify::FileEnv;
use crate::rewrites::{RewriteAction, apply_rewrite};
use crate::{SourceEdits, TextEdit};

/// Returns, for each rewrite that lowers the whole definition, one that adds a lowered copy and
/// leaves the definition unchanged.
pub(super) fn offered(db: &Database, offered: &[RewriteAction]) -> Vec<MoreAction> {
    let line = |action: &RewriteAction| MoreAction {
        title: format!(
            "{} as `{}`",
            action.title,
            copy_name(db, action.item, &action.strategy)
        ),
        kind: RewriteKind::Lowering,
        disabled: None,
        ask: None,
        item: Some(action.item),
        deed: Deed::Copy {
            strategy: action.strategy.clone(),
        },
    };
    let copies = offered.iter().filter(|action| action.copies);
    copies.map(line).collect()
}

fn target_of(strategy: &str) -> &'static str {
    menu::target_of(strategy).map_or("c", |name| name.as_str())
}

fn copy_name(db: &Database, item: ItemId, strategy: &str) -> syntax::ast::Name {
    let wanted = format!("{}_{}", name_of(db, item), target_of(strategy));
    free_name(db, db.file_of(item), &wanted, &[])
}

/// Returns the edit that inserts a copy of a definition, lowered by a strategy of the library,
/// after the original, with the strategy in its documentation.
///
/// # Errors
/// Fails with a message if it cannot be lowered by the strategy.
pub fn lowered_copy(db: &Database, item: ItemId, strategy: &str) -> Result<SourceEdits, String> {
    let made = apply_rewrite(db, item, strategy, &[])?;
    let new = beside(db, item, strategy, &made.text).ok_or("the definition has no name")?;
    FileEnv::of(db, item).read(&new)?;
    let old = db.item_text(item);
    let newline = newline_of(&old);
    let end = db.item_span(item).start as usize + old.trim_end().len();
    // A comment after it on its last line is part of it.
    let text = db.text(db.file_of(item)).to_string();
    let rest = text[end..].split(['\r', '\n']).next().unwrap_or_default();
    let end = match rest.trim_start().starts_with("//") {
        true => end + rest.len(),
        false => end,
    } as u32;
    let edit = TextEdit {
        span: Span::empty(end),
        text: format!("{newline}{newline}{}", new.trim_end()),
    };
    Ok(SourceEdits::single(db.file_of(item), vec![edit]))
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the lowered text with another name, its own documentation, and its target.
fn beside(db: &Database, item: ItemId, strategy: &str, text: &str) -> Option<String> {
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
        "/// `{}`, lowered by `{strategy}`.{newline}",
        name_of(db, item)
    );
    if db
        .scheme(item)
        .is_some_and(|ty| dpia::functional::is_program(&ty))
    {
        new.push_str(&format!("@target({}){newline}", target_of(strategy)));
    }
    // The annotations for lowering and targets apply only to the original.
    for annotation in &parsed.item.annotations {
        let own = |known: &syntax::ast::Ident| matches!(&*known.name, "target" | "strategy");
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
