//! What is offered besides the library's rewrites: rules and strategies of the user's own files,
//! lowered copies, weights taken apart, sizes made parameters, rewrites taken back, and rewrites
//! whose arguments the user is asked for.

mod asked;
mod copy;
mod files;
mod here;
mod tidy;
mod tunable;
mod undo;
mod weights;

#[cfg(test)]
mod tests;

use db::{Database, FileId, FilePath, FileState, ItemId, ReadError};

use super::verify::applied;
use super::{RewriteAction, RewriteKind, diff, restyle, right_side};
use crate::strategies::stepping::{self, Stepping, stepped};
use crate::{FileRange, SourceEdits, TextEdit};

pub use asked::{Ask, NestLoop};
pub use copy::lowered_copy;
pub use undo::{Explained, Taken, explained, taken};

/// A change that is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct MoreAction {
    /// A menu line.
    pub title: String,
    /// Where it is filed.
    pub kind: RewriteKind,
    /// Why it cannot be chosen.
    pub disabled: Option<String>,
    /// What the user is asked for; the change is a strategy then, which needs it.
    pub ask: Option<Ask>,
    /// The definition that it is about, if it is one.
    pub item: Option<ItemId>,
    deed: Deed,
}

impl MoreAction {
    /// The strategy for the whole definition that it is, if it is one in the words of this file.
    pub fn step(&self, file: FileId) -> Option<&str> {
        match &self.deed {
            Deed::Strategy { from, text } if *from == file => Some(text),
            _ => None,
        }
    }
}

/// What a change does.
#[derive(Clone, Debug, PartialEq)]
enum Deed {
    /// Nothing by itself.
    Nothing,
    /// A strategy is applied, in the words of a file.
    Strategy { from: FileId, text: String },
    /// A definition gets a lowered copy.
    Copy { strategy: String },
    /// The weights of a convolution get definitions.
    Weights(Box<weights::Separation>),
    /// A definition gets another text.
    Text(String),
    /// What does nothing is removed in a file.
    Tidy(FileId),
}

/// What is wanted.
pub struct Wish<'w> {
    /// Of which kinds.
    pub kinds: &'w dyn Fn(RewriteKind) -> bool,
    /// Whether these kinds were named, and not just all of them taken.
    pub named: bool,
    /// Whether the user can be asked for arguments.
    pub asks: bool,
    /// Rewrites that were made, the latest last.
    pub taken: &'w [Taken],
}

/// What is offered at a cursor or for a selection besides `offered`, which
/// [`super::rewrites`] offers there.
pub fn more_actions(
    db: &Database,
    range: FileRange,
    offered: &[RewriteAction],
    wish: &Wish<'_>,
) -> Vec<MoreAction> {
    let wants = |kind| (wish.kinds)(kind);
    let mut found = Vec::new();
    if wants(RewriteKind::FixAll) && wish.named {
        found.extend(tidy::offered(db, range.file));
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
        found.extend(files::rules(db, range));
    }
    let near = wants(RewriteKind::Image) || wants(RewriteKind::Tile);
    let here = near.then(|| here::Here::of(db, item, range)).flatten();
    if let Some(here) = here.as_ref().filter(|_| wants(RewriteKind::Image)) {
        found.extend(weights::offered(db, range, here, wish.asks));
    }
    if wants(RewriteKind::Split) {
        found.extend(tunable::offered(db, item, range));
    }
    if wants(RewriteKind::Lowering) {
        found.extend(copy::offered(db, offered));
    }
    let on_whole = wish.named || offered.iter().any(|action| action.kind.is_source());
    if wants(RewriteKind::Source) && on_whole {
        found.extend(files::strategies(db, item, wish.asks));
    }
    if let Some(here) = here.as_ref().filter(|_| wants(RewriteKind::Tile)) {
        found.extend(asked::orders(db, item, here, wish.asks));
    }
    if wish.asks {
        found.extend(asked::sizes(db, item, offered, wish.kinds));
    }
    found
}

/// The edits of a change that was offered.
///
/// # Errors
/// Why it cannot be made, in words.
pub fn more_edits(db: &Database, action: &MoreAction) -> Result<SourceEdits, String> {
    let nothing = || "there is nothing to be done".to_owned();
    match (&action.deed, action.item) {
        (Deed::Tidy(file), _) => Ok(tidy::edits(db, *file)),
        (Deed::Strategy { from, text }, Some(item)) => by_strategy(db, item, *from, text),
        (Deed::Copy { strategy }, Some(item)) => lowered_copy(db, item, strategy),
        (Deed::Weights(separation), Some(item)) => separation.edits(db, item),
        (Deed::Text(text), Some(item)) => Ok(to_text(db, item, text)),
        (Deed::Nothing, _) | (_, None) => Err(nothing()),
    }
}

/// The edits that a strategy in the words of a file makes of a definition.
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

/// The edits that give a definition another text.
fn to_text(db: &Database, item: ItemId, text: &str) -> SourceEdits {
    let old = db.item_text(item);
    let edit = diff::edit(&old, text).map(|(span, text)| TextEdit {
        span: db.absolute(item, span),
        text,
    });
    SourceEdits::single(db.file_of(item), edit.into_iter().collect())
}

/// A cursor or selection, counted from the beginning of a definition.
fn in_item(db: &Database, item: ItemId, range: FileRange) -> syntax::Span {
    let start = db.item_span(item).start;
    syntax::Span::new(
        range.span.start.saturating_sub(start),
        range.span.end.saturating_sub(start),
    )
}

/// The text of a definition after edits of its file that lie in it.
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

/// A name like the wanted one that nothing in a file has. An import that cannot be read might define
/// any name, and takes none.
fn free_name(db: &Database, file: FileId, wanted: &str, taken: &[&str]) -> syntax::ast::Name {
    let known = |name: &str| match db.resolve(file, name) {
        db::Binding::Def(_) | db::Binding::Ambiguous(_) => true,
        db::Binding::Broken | db::Binding::Unknown => taken.contains(&name),
    };
    super::names::free(wanted, &known)
}

/// The files as they are, but for the text of one of them.
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
