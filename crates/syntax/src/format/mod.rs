//! The formatter: the same tokens and comments, laid out anew.
//!
//! An item's tree says how its tokens group, and nothing but white space changes: the tokens are
//! taken from the text one by one, each with the comments that belong to it. What has a syntax
//! error stays as it is.

mod document;
mod item;
mod source;
mod term;
#[cfg(test)]
mod tests;

use crate::lexer::{Lexer, Token, TokenKind};
use crate::{Span, parse, split};

/// Lines are at most this many characters long where their parts allow it.
pub const WIDTH: usize = 100;

/// Formats a file. Items with syntax errors are left byte for byte as they are; formatting twice
/// is formatting once.
pub fn format(text: &str) -> String {
    let newline = match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let mut file = File {
        out: String::with_capacity(text.len() + text.len() / 8),
        newline,
    };
    let mut end = 0;
    for span in split(text) {
        file.gap(text, Span::new(end, span.start), true);
        file.out
            .push_str(&format_item(&text[std::ops::Range::from(span)], newline));
        end = span.end;
    }
    file.gap(text, Span::new(end, text.len() as u32), false);
    file.out
}

/// Formats the text of one item; gives it back unchanged if it has a syntax error.
pub fn format_item(text: &str, newline: &str) -> String {
    let parsed = parse(text);
    if !parsed.diagnostics.is_empty() {
        return text.to_owned();
    }
    let formatted = item::layout(text, &parsed.item).print(newline);
    // Nothing but white space may change, whatever the layout does.
    match same_tokens(text, &formatted) {
        true => formatted,
        false => text.to_owned(),
    }
}

fn same_tokens(a: &str, b: &str) -> bool {
    let words = |text| {
        Lexer::new(text)
            .filter(|token| token.kind != TokenKind::Whitespace)
            .map(|token| (token.kind, &text[std::ops::Range::from(token.span)]))
    };
    words(a).eq(words(b))
}

/// The formatted file so far.
struct File<'n> {
    out: String,
    newline: &'n str,
}

impl File<'_> {
    /// The comments and blank lines before the first item, between two, or behind the last one.
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
                // The line end that follows is the comment's own.
                self.end_line();
                lines = 0;
            }
        }
        match item_follows {
            true => self.separate(lines.max(1)),
            false => self.end_line(),
        }
    }

    /// Whether nothing but a byte order mark is written yet.
    fn is_empty(&self) -> bool {
        self.out.trim_start_matches('\u{feff}').is_empty()
    }

    fn end_line(&mut self) {
        if !self.is_empty() && !self.out.ends_with('\n') {
            self.out.push_str(self.newline);
        }
    }

    /// What stands between two pieces that were `lines` lines apart.
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
