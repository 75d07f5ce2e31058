//! Undoes a rewrite as long as its result is still in the text, and explains such a rewrite.
//!
//! ```rise
//! def two = fun((xs: 4.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> ma$0p(g))
//! ```
//! *Fuse maps: one array of 4 f32 less*
//! ```rise
//! def two = fun((xs: 4.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f $0>> g))
//! ```
//! *Undo this rewrite: Fuse maps: one array of 4 f32 less*
//! ```rise
//! def two = fun((xs: 4.f32, f: f32 -> f32, g: f32 -> f32) => xs |> map(f) |> map(g))
//! ```

use db::{Database, FileId, ItemId};
use rustc_hash::FxHashSet;
use syntax::Span;
use syntax::ast::TermKind;

use super::edits::{in_item, with_text};
use super::{Assist, AssistContext, AssistEdits, AssistEffect, AssistHandler};
use crate::rewrites::verify::{FileEnv, applied};
use crate::rewrites::{AssistKind, diff, restyle};
use crate::strategies::stepping::{Stepping, StrategyStep, stepped};
use crate::{FilePosition, FileRange, SourceEdits, TextEdit};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "undo_rewrite",
    kinds: &[AssistKind::Undo],
    offer,
};

/// A rewrite that was made, or whose edits were sent to the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoableRewrite {
    file: FileId,
    title: String,
    /// The strategy for the whole definition, if the rewrite has one.
    step: Option<String>,
    /// The text of the definition after the rewrite.
    after: String,
    /// The smallest term of that text that contains all changes and was a term before the rewrite,
    /// too, or otherwise the whole text.
    place: Span,
    /// The text of this place before the rewrite.
    before: String,
}

/// Returns the ranges of the terms in the text of a definition that are not empty.
fn spans(text: &str) -> impl Iterator<Item = Span> {
    let terms = syntax::parse(text).item.terms;
    let written = terms
        .into_iter()
        .filter(|term| term.kind != TermKind::Missing && !term.span.is_empty());
    written.map(|term| term.span)
}

impl UndoableRewrite {
    /// Records the edits of a definition so that they can be undone. Returns `None` if they change
    /// nothing, or more than this definition.
    pub fn new(
        db: &Database,
        item: ItemId,
        title: &str,
        made: &AssistEdits,
    ) -> Option<UndoableRewrite> {
        let before = db.item_text(item);
        let after = text_after(db, item, &made.edits)?;
        let same = |(a, b): &(char, char)| a == b;
        let length = |c: (char, char)| c.0.len_utf8();
        let start: usize = before
            .chars()
            .zip(after.chars())
            .take_while(same)
            .map(length)
            .sum();
        let ends = before[start..]
            .chars()
            .rev()
            .zip(after[start..].chars().rev());
        let tail: usize = ends.take_while(same).map(length).sum();
        if start == after.len() && before.len() == after.len() {
            return None;
        }
        let new = Span::new(start as u32, (after.len() - tail) as u32);
        // Only places that were a term before, too: these are where a user looks for the rewritten
        // part.
        let was: FxHashSet<(u32, u32)> =
            spans(&before).map(|span| (span.start, span.end)).collect();
        let place = spans(&after)
            .filter(|span| {
                let end = (span.end as usize + before.len()).saturating_sub(after.len());
                span.contains(new) && was.contains(&(span.start, end as u32))
            })
            .min_by_key(|span| span.len())
            .unwrap_or(Span::new(0, after.len() as u32));
        let rest = after.len() - place.end as usize;
        Some(UndoableRewrite {
            file: db.file_of(item),
            title: title.to_owned(),
            step: made.step.clone(),
            before: before[place.start as usize..before.len() - rest].to_owned(),
            place,
            after,
        })
    }

    /// Returns the range of the changed part in a definition's text, if it is still there: the text
    /// before it, or the text after it, must be unchanged since the rewrite. Returns `None` also if
    /// the part may have been undone, because its longer text from before the rewrite is there.
    fn found(&self, text: &str) -> Option<Span> {
        let part = &self.after[std::ops::Range::from(self.place)];
        let (head, tail) = (
            &self.after[..self.place.start as usize],
            &self.after[self.place.end as usize..],
        );
        // The old part may begin or end like the new one if a stage was removed.
        let is_undone =
            |holds: &dyn Fn(&str) -> bool| self.before.len() > part.len() && holds(&self.before);
        if let Some(rest) = text.strip_prefix(head)
            && rest.starts_with(part)
        {
            return (!is_undone(&|before| rest.starts_with(before))).then_some(self.place);
        }
        let rest = text.strip_suffix(tail)?;
        let head = rest.strip_suffix(part)?;
        if is_undone(&|before| rest.ends_with(before)) {
            return None;
        }
        Some(Span::new(head.len() as u32, rest.len() as u32))
    }
}

/// Returns the latest rewrite whose result is still in a definition and contains the place, with
/// the text that the definition has if the rewrite is undone. That text must have no errors and,
/// unless the rewrite changed the whole definition, the same type.
fn latest<'t>(
    db: &Database,
    item: ItemId,
    range: FileRange,
    undoable: &'t [UndoableRewrite],
) -> Option<(&'t UndoableRewrite, String)> {
    if undoable.is_empty() {
        return None;
    }
    let selection = in_item(db, item, range);
    let text = db.item_text(item);
    let scheme = db.scheme(item)?;
    let back = |rewrite: &UndoableRewrite| {
        let place = rewrite.found(&text)?;
        place.contains(selection).then_some(())?;
        let mut old = text.to_string();
        old.replace_range(std::ops::Range::from(place), &rewrite.before);
        let (inference, _) = FileEnv::of(db, item).read(&old).ok()?;
        // Undoing may remove size parameters that the rewrite added.
        let whole = place.len() as usize == text.len();
        (whole || inference.scheme.ty == scheme.ty).then_some(old)
    };
    let mut known = undoable
        .iter()
        .rev()
        .filter(|rewrite| rewrite.file == range.file);
    known.find_map(|rewrite| Some((rewrite, back(rewrite)?)))
}

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let found = cx.definition().and_then(|item| {
        let (rewrite, old) = latest(cx.db, item, cx.place(), cx.request.undoable)?;
        let title = format!("Undo this rewrite: {}", rewrite.title);
        let effect = AssistEffect::edit(move |db| Ok(diff::in_file(db, item, &old)));
        Some(Assist::new("latest", AssistKind::Undo, title, effect))
    });
    found.into_iter().collect()
}

/// Returns the text of a definition after edits; `None` if they are not all in the definition.
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
        span: Span::new(edit.span.start - place.start, edit.span.end - place.start),
        text: edit.text.clone(),
    };
    let edits: Vec<restyle::Edit> = edits.iter().map(own).collect();
    Some(applied(&db.item_text(item), &edits))
}

/// The explanation of a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub struct RewriteExplanation {
    /// The title in the menu.
    pub title: String,
    /// The strategy for the whole definition.
    pub strategy: String,
    /// The steps, with places in the text before the rewrite.
    pub steps: Vec<StrategyStep>,
}

/// Returns the steps of the latest rewrite whose result is still at a place; `None` if there is
/// none, if this rewrite has no strategy for the whole definition, or if the strategy cannot be
/// applied again.
pub fn explain_rewrite(
    db: &Database,
    at: FilePosition,
    undoable: &[UndoableRewrite],
) -> Option<RewriteExplanation> {
    let (item, _) = db.item_at(at.file, at.offset)?;
    let range = FileRange {
        file: at.file,
        span: Span::empty(at.offset),
    };
    let (rewrite, old) = latest(db, item, range, undoable)?;
    let strategy = rewrite.step.clone()?;
    let (place, mut text) = (db.item_span(item), db.text(at.file).to_string());
    text.replace_range(std::ops::Range::from(place), &old);
    let earlier = with_text(db, at.file, &text);
    let file = earlier.file(&db.path(at.file))?;
    let items = earlier.items(file);
    let is_it = |item: &&ItemId| earlier.item_span(**item).start == place.start;
    let item = *items.iter().find(is_it)?;
    let made = stepped(&earlier, item, file, &strategy, Stepping::default()).ok()?;
    Some(RewriteExplanation {
        title: rewrite.title.clone(),
        strategy,
        steps: made.steps,
    })
}
