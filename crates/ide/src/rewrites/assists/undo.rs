//! Undoing of rewrites as long as their result is still in the text.

use db::{Database, FileId, ItemId};
use rustc_hash::FxHashSet;
use syntax::Span;
use syntax::ast::TermKind;

use super::{Deed, MoreAction, in_item, text_after, with_text};
use crate::rewrites::menu::RewriteKind;
use crate::rewrites::verify::FileEnv;
use crate::strategies::stepping::{Stepping, StrategyStep, stepped};
use crate::{FilePosition, FileRange, SourceEdits};

/// A rewrite that was made, or whose edits were sent to the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    file: FileId,
    title: String,
    /// The strategy for the whole definition, if the rewrite has one.
    step: Option<String>,
    /// The text of the definition after the rewrite.
    after: String,
    /// The smallest term of that text that contains all changes.
    place: Span,
    /// The text of this place before the rewrite.
    before: String,
}

/// Records the edits of a definition so that they can be undone. Returns `None` if they change more
/// than this definition.
pub fn taken(
    db: &Database,
    item: ItemId,
    title: &str,
    step: Option<&str>,
    edits: &SourceEdits,
) -> Option<Taken> {
    let before = db.item_text(item);
    let after = text_after(db, item, edits)?;
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
    let was: FxHashSet<(u32, u32)> = spans(&before).map(|span| (span.start, span.end)).collect();
    let place = spans(&after)
        .filter(|span| {
            let end = (span.end as usize + before.len()).saturating_sub(after.len());
            span.contains(new) && was.contains(&(span.start, end as u32))
        })
        .min_by_key(|span| span.len())
        .unwrap_or(Span::new(0, after.len() as u32));
    let rest = after.len() - place.end as usize;
    Some(Taken {
        file: db.file_of(item),
        title: title.to_owned(),
        step: step.map(str::to_owned),
        before: before[place.start as usize..before.len() - rest].to_owned(),
        place,
        after,
    })
}

/// Returns the ranges of the terms of a definition.
fn spans(text: &str) -> impl Iterator<Item = Span> {
    let terms = syntax::parse(text).item.terms;
    let written = terms
        .into_iter()
        .filter(|term| term.kind != TermKind::Missing && !term.span.is_empty());
    written.map(|term| term.span)
}

impl Taken {
    /// Returns the range of the changed part in a definition's text, if it is still there: the text
    /// before it, or the text after it, must be unchanged since the rewrite.
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

/// Returns the latest rewrite whose result is still at a place of a definition, with the text
/// before it.
fn latest<'t>(
    db: &Database,
    item: ItemId,
    range: FileRange,
    taken: &'t [Taken],
) -> Option<(&'t Taken, String)> {
    if taken.is_empty() {
        return None;
    }
    let selection = in_item(db, item, range);
    let text = db.item_text(item);
    let scheme = db.scheme(item)?;
    let back = |taken: &Taken| {
        let place = taken.found(&text)?;
        place.contains(selection).then_some(())?;
        let mut old = text.to_string();
        old.replace_range(std::ops::Range::from(place), &taken.before);
        let (inference, _) = FileEnv::of(db, item).read(&old).ok()?;
        // Undoing may remove size parameters that the rewrite added.
        let whole = place.len() as usize == text.len();
        (whole || inference.scheme.ty == scheme.ty).then_some(old)
    };
    let mut known = taken.iter().rev().filter(|taken| taken.file == range.file);
    known.find_map(|taken| Some((taken, back(taken)?)))
}

/// Returns the action that undoes the latest rewrite whose result is still here.
pub(super) fn offered(
    db: &Database,
    item: ItemId,
    range: FileRange,
    taken: &[Taken],
) -> Option<MoreAction> {
    let (taken, old) = latest(db, item, range, taken)?;
    Some(MoreAction {
        title: format!("Undo this rewrite: {}", taken.title),
        kind: RewriteKind::Undo,
        disabled: None,
        ask: None,
        item: Some(item),
        deed: Deed::Text(old),
    })
}

/// The explanation of a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The title in the menu.
    pub title: String,
    /// The strategy for the whole definition.
    pub strategy: String,
    /// The steps, with places in the text before the rewrite.
    pub steps: Vec<StrategyStep>,
}

/// Returns the steps of the latest rewrite whose result is still at a place.
pub fn explained(db: &Database, at: FilePosition, taken: &[Taken]) -> Option<Explained> {
    let (item, _) = db.item_at(at.file, at.offset)?;
    let range = FileRange {
        file: at.file,
        span: Span::empty(at.offset),
    };
    let (taken, old) = latest(db, item, range, taken)?;
    let strategy = taken.step.clone()?;
    let (place, mut text) = (db.item_span(item), db.text(at.file).to_string());
    text.replace_range(std::ops::Range::from(place), &old);
    let earlier = with_text(db, at.file, &text);
    let file = earlier.file(&db.path(at.file))?;
    let items = earlier.items(file);
    let is_it = |item: &&ItemId| earlier.item_span(**item).start == place.start;
    let item = *items.iter().find(is_it)?;
    let made = stepped(&earlier, item, file, &strategy, Stepping::default()).ok()?;
    Some(Explained {
        title: taken.title.clone(),
        strategy,
        steps: made.steps,
    })
}
