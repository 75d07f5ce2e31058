//! A file to its items, at once or after an edit; the same in every dialect.
//!
//! Items are found by their tokens alone: `import`, `def`, `foreign` and `@` never stand inside an
//! expression, so each begins an item, except `def` right after `foreign`, and `@`, `foreign` and
//! `def` after an annotation, which they continue, and an `@` that stands between two operands as
//! an operator does: it is a mistake of the item around it. What stands before the first of them, or after
//! an import's path, is a stray item. Doc comments directly before an item's first token belong to
//! it; other comments between items belong to none.

use crate::Span;
use crate::lexer::{Lexer, Token, TokenKind};

/// One replacement in a text: the bytes `start..old_end` became `start..new_end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where both begin.
    pub start: u32,
    /// Where the replaced bytes ended in the old text.
    pub old_end: u32,
    /// Where the new bytes end in the new text.
    pub new_end: u32,
}

impl Edit {
    /// Where a place behind the edit stands in the new text.
    pub(crate) fn shift(self, at: u32) -> u32 {
        at - self.old_end + self.new_end
    }
}

/// How an edit changes the items of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resplit {
    /// This many old items from the start keep their text and place.
    pub prefix: usize,
    /// This many old items from the end keep their text and shift with the edit.
    pub suffix: usize,
    /// The items between them, in the new text.
    pub middle: Vec<Span>,
}

/// The items of a file, in order. An item reaches from its first token, or the first doc comment
/// that belongs to it, to the end of its last token.
pub fn split(text: &str) -> Vec<Span> {
    let mut splitter = Splitter::of(text, 0);
    let mut items = Vec::new();
    for token in Lexer::within(text, true) {
        splitter.feed(token, &mut items);
    }
    splitter.finish(&mut items);
    items
}

/// What may follow in the item that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// No item has begun.
    #[default]
    Outside,
    /// Annotations; the definition follows.
    Annotated,
    /// `foreign`; `def` follows.
    Foreign,
    /// `import`; the path follows.
    Import,
    /// The import is complete: whatever follows is another item.
    Imported,
    /// Anything but the first token of an item.
    Body,
}

/// Reads tokens and notes where items begin and end.
struct Splitter<'t> {
    /// The text, or a part of it.
    text: &'t str,
    /// Where that part begins.
    base: u32,
    state: State,
    /// The first of the doc comments since the last token.
    docs: Option<u32>,
    /// The item that is being read, up to its last token so far.
    current: Option<Span>,
}

impl<'t> Splitter<'t> {
    fn of(text: &'t str, base: u32) -> Self {
        Splitter {
            text,
            base,
            state: State::default(),
            docs: None,
            current: None,
        }
    }

    /// Reads a token; whether it is the first of an item, and then where the item begins.
    #[inline]
    fn feed(&mut self, token: Token, items: &mut Vec<Span>) -> Option<u32> {
        if token.kind.is_trivia() {
            if token.kind == TokenKind::DocComment {
                self.docs.get_or_insert(token.span.start);
            }
            return None;
        }
        let docs = self.docs.take();
        if let (State::Body, Some(item)) = (self.state, &mut self.current)
            && (!begins_item(token.kind) || is_operator(self.text, self.base, *item, token))
        {
            item.end = token.span.end;
            return None;
        }
        let (begins, state) = step(self.state, token.kind);
        self.state = state;
        match (&mut self.current, begins) {
            (Some(item), false) => {
                item.end = token.span.end;
                None
            }
            _ => {
                self.finish(items);
                let start = docs.unwrap_or(token.span.start);
                self.current = Some(Span::new(start, token.span.end));
                Some(start)
            }
        }
    }

    fn finish(&mut self, items: &mut Vec<Span>) {
        items.extend(self.current.take());
    }
}

/// Whether a token begins items, wherever it stands in a body.
fn begins_item(token: TokenKind) -> bool {
    use TokenKind::{At, Def, Foreign, Import};
    matches!(token, At | Def | Foreign | Import)
}

/// Returns true if a token is an `@` that stands where an operator of other languages would: behind
/// the item so far on the same line, and apart from the name behind it or touching what is before it.
fn is_operator(text: &str, base: u32, item: Span, token: Token) -> bool {
    let [end, start, behind] =
        [item.end, token.span.start, token.span.end].map(|place| (place - base) as usize);
    let gap = text.get(end..start).unwrap_or("\n");
    let is_apart = !text[behind..].starts_with(|c: char| c == '_' || c.is_alphabetic());
    token.kind == TokenKind::At && !gap.contains('\n') && (gap.is_empty() || is_apart)
}

/// Whether a token begins an item, and what may follow it.
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

/// The items after an edit, from the items before it: always what [`split`] gives for the new text.
///
/// `read` gives a span of the new text, which is `new_len` bytes long. Usually it is asked once,
/// for the edited item and the one behind it.
pub fn resplit(old: &[Span], edit: Edit, new_len: u32, read: &dyn Fn(Span) -> String) -> Resplit {
    let first = restart(old, edit, new_len, read);
    let base = if first == 0 { 0 } else { old[first].start };
    let behind = old.partition_point(|item| item.start < edit.old_end);
    let mut lookahead = 1;
    loop {
        let (end, complete) = match old.get(behind + lookahead - 1) {
            Some(item) => (edit.shift(item.end), false),
            None => (new_len, true),
        };
        let text = read(Span::new(base, end));
        if let Some((middle, kept)) = scan(&text, base, old, edit, complete) {
            return trim(old, edit, first, middle, old.len() - kept);
        }
        lookahead *= 2;
    }
}

/// The item to read again from: one that certainly still begins where it began.
///
/// The item that holds the start of the edit does so if its own first token lies before the edit.
/// Otherwise the one before it does: the edit then stands behind all of its text.
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

/// Reads items from `base` on, until one begins where an old item behind the edit began.
///
/// Gives the items before that one, and its index; `old.len()` if the text is `complete` and there
/// is none. Gives nothing if the text ends before that can be said.
fn scan(
    text: &str,
    base: u32,
    old: &[Span],
    edit: Edit,
    complete: bool,
) -> Option<(Vec<Span>, usize)> {
    let mut splitter = Splitter::of(text, base);
    let mut items = Vec::new();
    for token in Lexer::within(text, base == 0) {
        let token = Token {
            kind: token.kind,
            span: token.span.shifted(base),
        };
        let Some(start) = splitter.feed(token, &mut items) else {
            continue;
        };
        if start < edit.new_end {
            continue;
        }
        let before = start - edit.new_end + edit.old_end;
        if let Ok(kept) = old.binary_search_by_key(&before, |item| item.start) {
            return Some((items, kept));
        }
    }
    splitter.finish(&mut items);
    complete.then_some((items, old.len()))
}

/// Counts unchanged items in front of the edit as prefix.
pub(crate) fn trim(
    old: &[Span],
    edit: Edit,
    first: usize,
    mut middle: Vec<Span>,
    suffix: usize,
) -> Resplit {
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
