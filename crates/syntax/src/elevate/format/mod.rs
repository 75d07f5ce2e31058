//! Formats ELEVATE files. Only white space changes; RISE terms are laid out as in RISE files.
//!
//! If a sequence of strategies takes several lines, they end with `;`, unless in the text one of
//! them begins with it; the lines of chains of other operators begin with the operator. A block in
//! braces keeps several lines if, in the text, a line ends after its `{`.

mod expr;
mod item;

use super::{ast, parse, split};
use crate::format::source::{Layout, Writer};
use crate::lexer::{Language, Lexer, Token, TokenKind};

/// Formats an ELEVATE file. Items with syntax errors are unchanged. The function is idempotent.
pub fn format(text: &str) -> String {
    crate::format::format_file(text, &split(text), &format_item)
}

/// Formats the text of one ELEVATE item with the line end `newline`; returns it unchanged if it has
/// a syntax error.
pub fn format_item(text: &str, newline: &str) -> String {
    let parsed = parse(text);
    if parsed.has_error() {
        return text.to_owned();
    }
    let tokens = Lexer::new(text, Language::Elevate, true).collect();
    let mut layout = ItemLayout {
        item: &parsed.item,
        writer: Writer::over(text, &parsed.item.rise, tokens),
    };
    layout.item();
    let formatted = layout.writer.out.print(newline);
    // A safeguard: the layout must change nothing but white space.
    match words(text).eq(words(&formatted)) {
        true => formatted,
        false => text.to_owned(),
    }
}

/// Returns the tokens and comments of a text, each with its kind, its text, and a Boolean that is
/// true for the `(` of a call.
fn words(text: &str) -> impl Iterator<Item = (TokenKind, &str, bool)> {
    let mut before = None;
    Lexer::new(text, Language::Elevate, true).filter_map(move |token| {
        let Token { kind, span } = token;
        let callee = before.replace(kind);
        if kind == TokenKind::Whitespace {
            return None;
        }
        let call = kind == TokenKind::LParen && callee.is_some_and(ends_callee);
        let piece = &text[std::ops::Range::from(span)];
        Some((kind, piece.trim_end(), call))
    })
}

/// Returns true if a `(` directly after the token begins the arguments of a call.
fn ends_callee(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Quoted
            | TokenKind::Metavariable
            | TokenKind::Ident
            | TokenKind::Let
            | TokenKind::RParen
            | TokenKind::RBracket
            | TokenKind::RBrace
    )
}

struct ItemLayout<'t> {
    item: &'t ast::Item,
    writer: Writer<'t>,
}

impl<'t> Layout<'t> for ItemLayout<'t> {
    fn writer(&mut self) -> &mut Writer<'t> {
        &mut self.writer
    }
}

impl ItemLayout<'_> {
    /// Writes `{ a | b }` on one line, or each part on its own line if it does not fit or, in the
    /// text, a line ends after the `{`. `separated` is true if a `|` separates the parts; then
    /// several parts are aligned after the `|`.
    fn braces(&mut self, count: usize, separated: bool, mut each: impl FnMut(&mut Self, usize)) {
        let aligned = separated && count > 1;
        self.group(|layout| {
            layout.word();
            if layout.writer.begins_line() {
                layout.writer.out.break_parent();
            }
            layout.indented(|layout| {
                for at in 0..count {
                    match (aligned, at) {
                        (true, 0) => layout.indented(|layout| {
                            layout.line();
                            each(layout, at);
                        }),
                        (true, _) => {
                            layout.line();
                            layout.word_space();
                            layout.indented(|layout| each(layout, at));
                        }
                        (false, _) => {
                            layout.line();
                            each(layout, at);
                        }
                    }
                }
            });
            layout.line();
            layout.word();
        });
    }
}
