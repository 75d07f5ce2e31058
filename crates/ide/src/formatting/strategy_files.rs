//! Formatting of strategy files.

use syntax::Span;
use syntax::elevate::{Token, lex};

use crate::TextEdit;

/// Returns the edits that turn `old`, which begins at `base`, into `new`: one for each blank that
/// changes, or a single edit if more than blanks change.
pub(super) fn differences(old: &str, new: &str, base: u32) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    blanks(old, new, base).unwrap_or_else(|| {
        vec![TextEdit {
            span: Span::new(base, base + old.len() as u32),
            text: new.to_owned(),
        }]
    })
}

fn blanks(old: &str, new: &str, base: u32) -> Option<Vec<TextEdit>> {
    let (mut before, mut after) = (words(old), words(new));
    let (mut at, mut to) = (0, 0);
    let mut edits = Vec::new();
    loop {
        let (was, is) = (before.next(), after.next());
        let (old_gap, new_gap) = (gap(old, at, was), gap(new, to, is));
        if old_gap.1 != new_gap.1 {
            edits.push(TextEdit {
                span: old_gap.0.shifted(base),
                text: new_gap.1.to_owned(),
            });
        }
        match (was, is) {
            (None, None) => return Some(edits),
            (Some(was), Some(is)) if slice(old, was.span) == slice(new, is.span) => {
                (at, to) = (was.span.end, is.span.end);
            }
            _ => return None,
        }
    }
}

/// Returns the text between the last token and this one.
fn gap(text: &str, from: u32, word: Option<Token>) -> (Span, &str) {
    let end = word.map_or(text.len() as u32, |word| word.span.start);
    let span = Span::new(from, end);
    (span, slice(text, span))
}

fn slice(text: &str, span: Span) -> &str {
    text.get(std::ops::Range::from(span)).unwrap_or_default()
}

/// Returns the tokens of a text, including comments but not blanks.
fn words(text: &str) -> impl Iterator<Item = Token> {
    lex(text).filter(|token| !token.kind.is_trivia() || token.kind.is_comment())
}
