//! Splits a file into its items, as a whole or incrementally after an edit, in every dialect.
//!
//! Items are found by their tokens alone: `import`, `def`, `foreign` and `@` never occur inside an
//! expression, so each begins an item. There are three exceptions: `def` right after `foreign`;
//! `@`, `foreign` and `def` after an annotation, which they continue; and an `@` between two
//! operands, in the position of an operator, which is a mistake of the item around it. Text before
//! the first item or after an import's path is a stray item. An item begins at the first doc
//! comment after the last token of the previous item, or else at its first token; comments before
//! that place are in no item.

use crate::Span;
use crate::lexer::{Language, Lexer, Token, TokenKind};

/// A replacement in a text: the bytes `start..old_end` become `start..new_end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The start of the replaced bytes and of the new ones.
    pub start: u32,
    /// The end of the replaced bytes in the old text.
    pub old_end: u32,
    /// The end of the new bytes in the new text.
    pub new_end: u32,
}

impl Edit {
    /// Returns the offset in the new text of an offset after the edit in the old text.
    fn shift(self, at: u32) -> u32 {
        at - self.old_end + self.new_end
    }
}

/// The change of the items of a file by an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resplit {
    /// The number of old items at the start that keep their text and offset.
    pub prefix: usize,
    /// The number of old items at the end that keep their text and move with the edit.
    pub suffix: usize,
    /// The spans of the items between `prefix` and `suffix`, in the new text.
    pub middle: Vec<Span>,
}

/// Returns the spans of the items of a file, in order. An item reaches from its first token, or the
/// first doc comment that is a part of it, to the end of its last token.
pub fn split(text: &str) -> Vec<Span> {
    split_by(RiseSplitter::new(text), text)
}

/// A state machine that reads tokens and collects the spans of items.
pub(crate) trait Splitter {
    const LANGUAGE: Language;

    fn feed(&mut self, token: Token, items: &mut Vec<Span>);

    /// Ends the current item, if there is one, and adds its span to `items`.
    fn finish(&mut self, items: &mut Vec<Span>);

    /// Returns the current item, up to its last token so far.
    fn current(&self) -> Option<Span>;
}

/// Returns the spans of the items of a text that `splitter` reads from its start.
pub(crate) fn split_by<S: Splitter>(mut splitter: S, text: &str) -> Vec<Span> {
    let mut items = Vec::new();
    for token in Lexer::new(text, S::LANGUAGE, true) {
        splitter.feed(token, &mut items);
    }
    splitter.finish(&mut items);
    items
}

/// The state of the splitter: it decides which tokens continue the current item.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// No item has begun.
    #[default]
    Outside,
    /// The `@` of an annotation has been read, but not yet the `def` or `foreign` after the
    /// annotations.
    Annotated,
    /// `foreign` has been read; `def` follows.
    Foreign,
    /// `import` has been read; the path follows.
    Import,
    /// The import is complete: the next token begins another item.
    Imported,
    /// The item lasts until a token begins another item.
    Body,
}

struct RiseSplitter<'t> {
    text: &'t str,
    state: State,
    /// The start of the first doc comment since the last token.
    docs: Option<u32>,
    /// The current item, up to its last token so far.
    current: Option<Span>,
}

impl<'t> RiseSplitter<'t> {
    fn new(text: &'t str) -> Self {
        RiseSplitter {
            text,
            state: State::default(),
            docs: None,
            current: None,
        }
    }
}

impl Splitter for RiseSplitter<'_> {
    const LANGUAGE: Language = Language::Rise;

    #[inline(always)]
    fn feed(&mut self, token: Token, items: &mut Vec<Span>) {
        if token.kind.is_trivia() {
            if token.kind == TokenKind::DocComment {
                self.docs.get_or_insert(token.span.start);
            }
            return;
        }
        let docs = self.docs.take();
        if let (State::Body, Some(item)) = (self.state, &mut self.current)
            && (!begins_item(token.kind) || is_operator(self.text, *item, token))
        {
            item.end = token.span.end;
            return;
        }
        let (begins, state) = step(self.state, token.kind);
        self.state = state;
        match (&mut self.current, begins) {
            (Some(item), false) => item.end = token.span.end,
            _ => {
                self.finish(items);
                let start = docs.unwrap_or(token.span.start);
                self.current = Some(Span::new(start, token.span.end));
            }
        }
    }

    fn finish(&mut self, items: &mut Vec<Span>) {
        items.extend(self.current.take());
    }

    fn current(&self) -> Option<Span> {
        self.current
    }
}

/// Returns true for the tokens that begin an item, except where they continue an annotated or
/// foreign definition, or are operators.
fn begins_item(token: TokenKind) -> bool {
    use TokenKind::{At, Def, Foreign, Import};
    matches!(token, At | Def | Foreign | Import)
}

/// Returns true if the token is an `@` in the position of an infix operator: after the item so far
/// on the same line, and apart from the name after it or adjacent to the text before it.
fn is_operator(text: &str, item: Span, token: Token) -> bool {
    let [end, start, behind] =
        [item.end, token.span.start, token.span.end].map(|place| place as usize);
    let gap = text.get(end..start).unwrap_or("\n");
    let is_apart = !text[behind..].starts_with(|c: char| c == '_' || c.is_alphabetic());
    token.kind == TokenKind::At && !gap.contains('\n') && (gap.is_empty() || is_apart)
}

/// Returns two values: true if the token begins an item, and the state after the token.
fn step(state: State, token: TokenKind) -> (bool, State) {
    use State::*;
    match (token, state) {
        (TokenKind::At, state) => (state != Annotated, Annotated),
        (TokenKind::Foreign, state) => (state != Annotated, Foreign),
        (TokenKind::Def, Annotated | Foreign) => (false, Body),
        (TokenKind::Def, _) => (true, Body),
        (TokenKind::Import, _) => (true, Import),
        (TokenKind::String, Import) => (false, Imported),
        (_, Outside | Imported) => (true, Body),
        (_, Annotated) => (false, Annotated),
        (_, Foreign | Import | Body) => (false, Body),
    }
}

/// Computes the items after an edit from the items before it; the result equals [`split`] of the
/// new text.
///
/// `read` returns the text at a span of the new text, which has `new_len` bytes. `read` is usually
/// called only for text of the edited item, the one before it and the one after it.
pub fn resplit(old: &[Span], edit: Edit, new_len: u32, read: &dyn Fn(Span) -> String) -> Resplit {
    let first = restart(old, edit, new_len, read);
    resplit_from(first, old, edit, new_len, read, &|text, base, complete| {
        scan(RiseSplitter::new(text), text, base, old, edit, complete)
    })
}

/// The new items up to the first old item that is unchanged, and the index of that old item, or the
/// number of old items if the text ends the file and no later one is unchanged. The result is
/// `None` if the text ends before this is decided.
pub(crate) type ScanResult = Option<(Vec<Span>, usize)>;

/// Computes the items after an edit, from the old item `first` on. `scan` reads the items of a text
/// that begins at an offset; its last argument is true if the text reaches to the end of the file.
pub(crate) fn resplit_from(
    first: usize,
    old: &[Span],
    edit: Edit,
    new_len: u32,
    read: &dyn Fn(Span) -> String,
    scan: &dyn Fn(&str, u32, bool) -> ScanResult,
) -> Resplit {
    let base = if first == 0 { 0 } else { old[first].start };
    let behind = old.partition_point(|item| item.start < edit.old_end);
    let mut lookahead = 1;
    loop {
        let (end, complete) = match old.get(behind + lookahead - 1) {
            Some(item) => (edit.shift(item.end), false),
            None => (new_len, true),
        };
        let text = read(Span::new(base, end));
        if let Some((middle, kept)) = scan(&text, base, complete) {
            return trim(old, edit, first, middle, old.len() - kept);
        }
        lookahead *= 2;
    }
}

/// Returns the index of an old item before the edit whose start is certainly unchanged, or 0 if no
/// item begins before the edit.
///
/// This is the last item that begins before the edit, if its first token begins items and ends
/// before the edit. Otherwise it is the item before that one (or the first item), because the edit
/// is after all of its text.
fn restart(old: &[Span], edit: Edit, new_len: u32, read: &dyn Fn(Span) -> String) -> usize {
    let before = old.partition_point(|item| item.start < edit.start);
    let Some(last) = before.checked_sub(1) else {
        return 0;
    };
    let item = old[last];
    let text = read(Span::new(item.start, item.end.min(edit.start).min(new_len)));
    let leads = Lexer::within(&text, false)
        .find(|token| !token.kind.is_trivia())
        .is_some_and(|token| begins_item(token.kind) && item.start + token.span.end < edit.start);
    if leads { last } else { last.saturating_sub(1) }
}

/// Reads items from `base` on, up to one that begins at the start of an old item after the edit.
///
/// If there is none, all items are new if the text is `complete`; otherwise the result is `None`.
pub(crate) fn scan<S: Splitter>(
    mut splitter: S,
    text: &str,
    base: u32,
    old: &[Span],
    edit: Edit,
    complete: bool,
) -> ScanResult {
    let mut items = Vec::new();
    let mut reading = None;
    let shifted = |items: Vec<Span>| items.into_iter().map(|span| span.shifted(base)).collect();
    for token in Lexer::new(text, S::LANGUAGE, base == 0) {
        splitter.feed(token, &mut items);
        let start = splitter.current().map(|item| item.start + base);
        if start == reading {
            continue;
        }
        reading = start;
        // An `@` adjacent to the edit may have changed.
        let Some(start) = start.filter(|&start| {
            start > edit.new_end
                || start == edit.new_end && !text[(start - base) as usize..].starts_with('@')
        }) else {
            continue;
        };
        let before = start - edit.new_end + edit.old_end;
        if let Ok(kept) = old.binary_search_by_key(&before, |item| item.start) {
            return Some((shifted(items), kept));
        }
    }
    splitter.finish(&mut items);
    complete.then(|| (shifted(items), old.len()))
}

/// Moves unchanged items in front of the edit from `middle` to the prefix.
fn trim(old: &[Span], edit: Edit, first: usize, mut middle: Vec<Span>, suffix: usize) -> Resplit {
    let same = middle
        .iter()
        .zip(&old[first..old.len() - suffix])
        .take_while(|(new, old)| new == old && old.end <= edit.start)
        .count();
    middle.drain(..same);
    Resplit {
        prefix: first + same,
        suffix,
        middle,
    }
}
