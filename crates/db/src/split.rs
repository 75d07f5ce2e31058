//! Splitting of texts into items, also of many texts in parallel, and the change of a file's items
//! that results from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ropey::Rope;
use syntax::Span;

use crate::header::Header;
use crate::language::Language;
use crate::trees::{Tree, parse};

/// The text of an item with its language, and its header if that has already been computed.
pub(crate) struct ItemText {
    pub text: Arc<str>,
    language: Language,
    header: Option<Header>,
}

/// The text of an item with its header, and its syntax tree if the text was parsed to compute the
/// header.
pub(crate) struct ParsedItemText {
    pub text: Arc<str>,
    pub header: Header,
    pub parsed: Option<Tree>,
}

impl ItemText {
    pub fn new(text: Arc<str>, language: Language) -> Self {
        ItemText {
            text,
            language,
            header: None,
        }
    }

    pub fn read(self) -> ParsedItemText {
        match self.header {
            Some(header) => ParsedItemText {
                text: self.text,
                header,
                parsed: None,
            },
            None => {
                let parsed = parse(&self.text, self.language);
                let header = Header::of(&parsed, &self.text);
                ParsedItemText {
                    text: self.text,
                    header,
                    parsed: Some(parsed),
                }
            }
        }
    }
}

/// A change of the items of a file.
pub(crate) struct Replacement {
    /// The number of items at the start that are unchanged.
    pub prefix: usize,
    /// The number of items at the end that are unchanged but moved.
    pub suffix: usize,
    /// The distance in bytes by which the unchanged items at the end move, modulo 2^32.
    pub shift: u32,
    /// The ranges in the new text of the items between the unchanged ones at the start and at the
    /// end.
    pub spans: Vec<Span>,
    /// The texts of these items, as many as `spans`.
    pub pieces: Vec<ItemText>,
}

impl Replacement {
    /// Creates a change that replaces all items. Their headers are computed at once if `read` is
    /// true.
    pub fn whole(text: &str, language: Language, read: bool) -> Self {
        let spans = language.split(text);
        let piece = |span: &Span| {
            let text: Arc<str> = text[std::ops::Range::from(*span)].into();
            let header = read.then(|| Header::of(&parse(&text, language), &text));
            ItemText {
                text,
                language,
                header,
            }
        };
        let pieces = spans.iter().map(piece).collect();
        Replacement {
            prefix: 0,
            suffix: 0,
            shift: 0,
            spans,
            pieces,
        }
    }
}

/// A text that has already been split into items whose headers have been computed, so that adding
/// it to a database is fast.
pub struct ParsedFile {
    pub(crate) rope: Rope,
    pub(crate) language: Language,
    pub(crate) cut: Replacement,
}

impl ParsedFile {
    /// Splits a text in this language into items, and computes their headers.
    pub fn new(text: &str, language: Language) -> Self {
        ParsedFile {
            rope: Rope::from_str(text),
            language,
            cut: Replacement::whole(text, language, true),
        }
    }

    /// Returns the text.
    pub fn text(&self) -> &Rope {
        &self.rope
    }
}

impl std::fmt::Debug for ParsedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a text of {} bytes", self.rope.len_bytes())
    }
}

/// Prepares many texts on at most `threads` threads, but at least on this one, and returns them in
/// the same order.
pub(crate) fn parse_all(texts: &[(String, Language)], threads: usize) -> Vec<ParsedFile> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(texts.len()));
    let work = || {
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some((text, language)) = texts.get(at)
        {
            let prepared = (at, ParsedFile::new(text, *language));
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(prepared);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(texts.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, prepared)| prepared).collect()
}

/// Converts an offset in bytes; one that does not fit becomes `u32::MAX`, because the database
/// rejects such a text as a whole.
pub(crate) fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Returns the last boundary between characters of the text at or before `offset`, both in bytes.
pub(crate) fn boundary(rope: &Rope, offset: usize) -> usize {
    let offset = offset.min(rope.len_bytes());
    rope.char_to_byte(rope.byte_to_char(offset))
}

pub(crate) fn slice(rope: &Rope, span: Span) -> Arc<str> {
    let slice = rope.byte_slice(std::ops::Range::from(span));
    slice
        .as_str()
        .map_or_else(|| slice.to_string().into(), Into::into)
}
