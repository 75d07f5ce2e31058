//! Formats RISE and DPIA source code. Only white space changes, with one exception: the `;` after
//! the last command of a sequence is removed.
//!
//! The tree of an item determines the layout. The tokens and their comments are taken from the text
//! in order. An item with a syntax error is not changed.

mod document;
mod item;
pub(crate) mod source;
mod term;
#[cfg(test)]
mod tests;

use crate::lexer::{Lexer, Token, TokenKind};
use crate::{Dialect, Span, parse_in, split};

/// The maximal line length in characters, exceeded only by comments and where a part cannot be
/// broken.
pub const WIDTH: usize = 100;

/// Formats a RISE file. Items with syntax errors are unchanged. The function is idempotent.
pub fn format(text: &str) -> String {
    format_in(text, Dialect::Rise)
}

/// Formats a file in `dialect`, as [`format()`] does.
pub fn format_in(text: &str, dialect: Dialect) -> String {
    let each = |item: &str, newline: &str| format_item_in(item, newline, dialect);
    format_file(text, &split(text), &each)
}

/// Formats a file: `each` formats an item, given its text and the line end. The comments between
/// the items are kept, and one blank line where the text has one or more, except at the start and
/// end of the file.
pub(crate) fn format_file(
    text: &str,
    items: &[Span],
    each: &dyn Fn(&str, &str) -> String,
) -> String {
    let newline = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let mut file = FileWriter {
        out: String::with_capacity(text.len() + text.len() / 8),
        newline,
    };
    let mut end = 0;
    for &span in items {
        file.gap(text, Span::new(end, span.start), true);
        let item = &text[std::ops::Range::from(span)];
        file.out.push_str(&each(item, newline));
        end = span.end;
    }
    file.gap(text, Span::new(end, text.len() as u32), false);
    file.out
}

/// Formats the text of one RISE item with the line end `newline`; returns it unchanged if it has a
/// syntax error.
pub fn format_item(text: &str, newline: &str) -> String {
    format_item_in(text, newline, Dialect::Rise)
}

/// Formats the text of one item in `dialect`, as [`format_item`] does.
pub fn format_item_in(text: &str, newline: &str, dialect: Dialect) -> String {
    let parsed = parse_in(text, dialect);
    if !parsed.diagnostics.is_empty() {
        return text.to_owned();
    }
    let formatted = item::layout(text, &parsed.item, dialect).print(newline);
    // A safeguard: the layout must change nothing but white space.
    match same_tokens(text, &formatted, dialect) {
        true => formatted,
        false => text.to_owned(),
    }
}

/// Returns the tokens of a text, including trivia, without those that formatting removes: a `;`
/// after the last command of a sequence.
fn kept_tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut kept = Vec::with_capacity(text.len() / 4);
    let mut separator = None;
    for token in Lexer::new(text, dialect.into(), true) {
        match token.kind {
            TokenKind::Semicolon => separator = Some(kept.len()),
            kind if kind.is_trivia() => {}
            kind => {
                if let Some(at) = separator.take().filter(|_| !follows_separator(kind)) {
                    kept.remove(at);
                }
            }
        }
        kept.push(token);
    }
    if let Some(at) = separator {
        kept.remove(at);
    }
    kept
}

/// Returns true if a `;` before the token is kept, because the token does not end a sequence of
/// commands.
fn follows_separator(kind: TokenKind) -> bool {
    use TokenKind::{Colon, Comma, In, RBrace, RParen};
    !matches!(kind, RParen | RBrace | Comma | Colon | In)
}

fn same_tokens(a: &str, b: &str, dialect: Dialect) -> bool {
    let words = |text| {
        kept_tokens(text, dialect)
            .into_iter()
            .filter(|token| token.kind != TokenKind::Whitespace)
            .map(|token| (token.kind, &text[std::ops::Range::from(token.span)]))
    };
    words(a).eq(words(b))
}

struct FileWriter<'n> {
    out: String,
    newline: &'n str,
}

impl FileWriter<'_> {
    /// Writes the comments before the first item, between two items, or after the last one. Blank
    /// lines before the first comment or item of the file and after the last one are dropped;
    /// several others in a row become one.
    fn gap(&mut self, text: &str, span: Span, item_follows: bool) {
        let gap = &text[std::ops::Range::from(span)];
        let mut lines = 0;
        for Token { kind, span: place } in Lexer::within(gap, span.start == 0) {
            let piece = &gap[std::ops::Range::from(place)];
            if kind == TokenKind::Whitespace {
                if let Some(rest) = piece.strip_prefix('\u{feff}') {
                    self.out.push('\u{feff}');
                    lines += newlines(rest);
                } else {
                    lines += newlines(piece);
                }
                continue;
            }
            self.separate(lines);
            self.out.push_str(piece.trim_end());
            lines = usize::from(kind != TokenKind::BlockComment);
            if lines > 0 {
                // The line end after it ends the comment.
                self.end_line();
                lines = 0;
            }
        }
        match item_follows {
            true => self.separate(lines.max(1)),
            false => self.end_line(),
        }
    }

    /// Returns true if nothing but a byte order mark has been written.
    fn is_empty(&self) -> bool {
        self.out.trim_start_matches('\u{feff}').is_empty()
    }

    fn end_line(&mut self) {
        if !self.is_empty() && !self.out.ends_with('\n') {
            self.out.push_str(self.newline);
        }
    }

    /// Writes the separator of two pieces between which the text has `lines` line ends: a space, a
    /// line end, or a line end and a blank line. A line end that is already written counts, too.
    fn separate(&mut self, lines: usize) {
        if self.is_empty() {
            return;
        }
        let ended = usize::from(self.out.ends_with('\n'));
        match lines + ended {
            0 => self.out.push(' '),
            1 => self.end_line(),
            _ => {
                self.end_line();
                if lines > 1 {
                    self.out.push_str(self.newline);
                }
            }
        }
    }
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}
