//! Code actions besides the library's rewrites: rules and strategies of the user's own files,
//! lowered copies, separated convolutions, tuning parameters, undoing a rewrite, and rewrites with
//! arguments that the user enters.

mod applications;
mod idle_stages;
mod lowered_copy;
mod prompts;
mod separable_convolution;
mod strategy_files;
mod tunable;
mod undo;

#[cfg(test)]
mod tests;

use db::{Database, FileId, FilePath, FileState, ItemId, ReadError};

use super::verify::applied;
use super::{RewriteAction, RewriteKind, diff, restyle, right_side};
use crate::strategies::stepping::{self, Stepping, stepped};
use crate::{FileRange, SourceEdits, TextEdit};

pub use lowered_copy::lowered_copy;
pub use prompts::{Ask, NestLoop};
pub use undo::{Explained, Taken, explained, taken};

/// A code action besides the library's rewrites.
#[derive(Clone, Debug, PartialEq)]
pub struct MoreAction {
    /// The title in the menu.
    pub title: String,
    /// The category.
    pub kind: RewriteKind,
    /// The reason why it cannot be chosen.
    pub disabled: Option<String>,
    /// The input that it needs; it is then a strategy.
    pub ask: Option<Ask>,
    /// The definition that it changes, if it is about a single one.
    pub item: Option<ItemId>,
    deed: Deed,
}

impl MoreAction {
    /// Returns the strategy for the whole definition, if the change is one that the definitions of
    /// this file express.
    pub fn step(&self, file: FileId) -> Option<&str> {
        match &self.deed {
            Deed::Strategy { from, text } if *from == file => Some(text),
            _ => None,
        }
    }
}

/// The change that an action makes.
#[derive(Clone, Debug, PartialEq)]
enum Deed {
    /// No change: the action needs input or is disabled.
    Nothing,
    /// Applies a strategy, given as text that refers to the definitions of a file.
    Strategy { from: FileId, text: String },
    /// Adds a lowered copy of the definition.
    Copy { strategy: String },
    /// Adds definitions for the weights of a convolution, which is separated.
    Weights(Box<separable_convolution::Separation>),
    /// Replaces the text of the definition.
    Text(String),
    /// Removes stages without effect in a file.
    Tidy(FileId),
}

/// The actions that a request asks for.
pub struct Wish<'w> {
    /// Returns true for the requested kinds.
    pub kinds: &'w dyn Fn(RewriteKind) -> bool,
    /// True if the request names these kinds instead of asking for all.
    pub named: bool,
    /// True if the user can be asked for arguments.
    pub asks: bool,
    /// The rewrites that were made, the latest last.
    pub taken: &'w [Taken],
}

/// Returns the actions at a cursor or for a selection besides `offered`, which are those of
/// [`super::rewrites`].
pub fn more_actions(
    db: &Database,
    range: FileRange,
    offered: &[RewriteAction],
    wish: &Wish<'_>,
) -> Vec<MoreAction> {
    let wants = |kind| (wish.kinds)(kind);
    let mut found = Vec::new();
    if wants(RewriteKind::FixAll) && wish.named {
        found.extend(idle_stages::offered(db, range.file));
    }
    let items = db.items_in(range.file, range.span);
    let [item] = items[..] else { return found };
    if right_side(db, item).is_none() || db.dialect(range.file) != syntax::Dialect::Rise {
        return found;
    }
    if wants(RewriteKind::Undo) {
        found.extend(undo::offered(db, item, range, wish.taken));
    }
    if wants(RewriteKind::Own) {
        found.extend(strategy_files::rules(db, range));
    }
    let near = wants(RewriteKind::Image) || wants(RewriteKind::Tile);
    let here = near
        .then(|| applications::Here::of(db, item, range))
        .flatten();
    if let Some(here) = here.as_ref().filter(|_| wants(RewriteKind::Image)) {
        found.extend(separable_convolution::offered(db, range, here, wish.asks));
    }
    if wants(RewriteKind::Split) {
        found.extend(tunable::offered(db, item, range));
    }
    if wants(RewriteKind::Lowering) {
        found.extend(lowered_copy::offered(db, offered));
    }
    let on_whole = wish.named || offered.iter().any(|action| action.kind.is_source());
    if wants(RewriteKind::Source) && on_whole {
        found.extend(strategy_files::strategies(db, item, wish.asks));
    }
    if let Some(here) = here.as_ref().filter(|_| wants(RewriteKind::Tile)) {
        found.extend(prompts::orders(db, item, here, wish.asks));
    }
    if wish.asks {
        found.extend(prompts::sizes(db, item, offered, wish.kinds));
    }
    found
}

/// Returns the edits of an action.
///
/// # Errors
/// Fails with a message if the change cannot be made.
pub fn more_edits(db: &Database, action: &MoreAction) -> Result<SourceEdits, String> {
    let nothing = || "there is nothing to be done".to_owned();
    match (&action.deed, action.item) {
        (Deed::Tidy(file), _) => Ok(idle_stages::edits(db, *file)),
        (Deed::Strategy { from, text }, Some(item)) => by_strategy(db, item, *from, text),
        (Deed::Copy { strategy }, Some(item)) => lowered_copy(db, item, strategy),
        (Deed::Weights(separation), Some(item)) => separation.edits(db, item),
        (Deed::Text(text), Some(item)) => Ok(to_text(db, item, text)),
        (Deed::Nothing, _) | (_, None) => Err(nothing()),
    }
}

/// Applies a strategy, given as text that refers to the definitions of a file, to a definition.
fn by_strategy(
    db: &Database,
    item: ItemId,
    from: FileId,
    text: &str,
) -> Result<SourceEdits, String> {
    let made = stepped(db, item, from, text, Stepping::default())?;
    if let Some((message, _)) = made.failure {
        return Err(message);
    }
    let edits = made.edits?;
    match stepping::is_empty(&edits) {
        true => Err(stepping::UNCHANGED.to_owned()),
        false => Ok(edits),
    }
}

/// Returns the edits that replace the text of a definition.
fn to_text(db: &Database, item: ItemId, text: &str) -> SourceEdits {
    let old = db.item_text(item);
    let edit = diff::edit(&old, text).map(|(span, text)| TextEdit {
        span: db.absolute(item, span),
        text,
    });
    SourceEdits::single(db.file_of(item), edit.into_iter().collect())
}

/// Converts a cursor or selection to offsets from the beginning of a definition.
fn in_item(db: &Database, item: ItemId, range: FileRange) -> syntax::Span {
    let start = db.item_span(item).start;
    syntax::Span::new(
        range.span.start.saturating_sub(start),
        range.span.end.saturating_sub(start),
    )
}

/// Returns the text of a definition after edits of its file; `None` if they reach outside of it.
fn text_after(db: &Database, item: ItemId, edits: &SourceEdits) -> Option<String> {
    let place = db.item_span(item);
    let [(file, edits)] = &edits.files[..] else {
        return None;
    };
    let inside = |edit: &TextEdit| place.contains(edit.span);
    if *file != db.file_of(item) || !edits.iter().all(inside) {
        return None;
    }
    let own = |edit: &TextEdit| restyle::Edit {
        span: syntax::Span::new(edit.span.start - place.start, edit.span.end - place.start),
        text: edit.text.clone(),
    };
    let edits: Vec<restyle::Edit> = edits.iter().map(own).collect();
    Some(applied(&db.item_text(item), &edits))
}

/// Returns an unused name similar to the wanted one. An import that cannot be read might define any
/// name, and is ignored.
fn free_name(db: &Database, file: FileId, wanted: &str, taken: &[&str]) -> syntax::ast::Name {
    let known = |name: &str| match db.resolve(file, name) {
        db::Binding::Def(_) | db::Binding::Ambiguous(_) => true,
        db::Binding::Broken | db::Binding::Unknown => taken.contains(&name),
    };
    super::names::free(wanted, &known)
}

/// Creates a database with the same files, but another text for one of them.
fn with_text(db: &Database, own: FileId, text: &str) -> Database {
    let mut later = Database::new();
    for file in db.files() {
        if file == own {
            later.set_file(db.path(file), text);
        } else if !db.is_library(file) && matches!(db.state(file), FileState::Present(_)) {
            later.set_file(db.path(file), &*db.text(file).to_string());
        }
    }
    let missing: Vec<FilePath> = later.missing().into_iter().collect();
    for path in missing {
        later.set_absent(path, ReadError::NotFound(std::sync::Arc::default()));
    }
    later
}
