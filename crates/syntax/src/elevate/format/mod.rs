//! A formatter that changes white space only, with the layouts of the RISE formatter.
//!
//! The lines of a sequence of strategies end with `;`, as in the papers, unless the text begins
//! lines with it; other operators begin lines. A block in braces that has several lines in the text
//! keeps several lines.

mod expr;
mod item;

use super::lexer::{Lexer, Token, TokenKind};
use super::{ast, parse, split};
use crate::TokenKind as Rise;
use crate::format::source::Writer;

/// Formats an ELEVATE file. Items with syntax errors are unchanged. The function is idempotent.
pub fn format(text: &str) -> String {
    crate::format::format_file(text, &split(text), &format_item)
}

/// Formats the text of one item; returns it unchanged if it has a syntax error.
pub fn format_item(text: &str, newline: &str) -> String {
    let parsed = parse(text);
    if parsed.has_error() {
        return text.to_owned();
    }
    let tokens = Lexer::within(text, true)
        .map(|token| crate::Token {
            kind: token.kind.in_rise(),
            span: token.span,
        })
        .collect();
    let mut layout = Layout {
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

/// Returns the tokens and comments of a text, each with true for the `(` of a call.
fn words(text: &str) -> impl Iterator<Item = (TokenKind, &str, bool)> {
    let mut before = None;
    Lexer::within(text, true).filter_map(move |token| {
        let Token { kind, span } = token;
        let callee = before.replace(kind);
        if kind == TokenKind::Rise(Rise::Whitespace) {
            return None;
        }
        let call = kind == TokenKind::Rise(Rise::LParen) && callee.is_some_and(ends_callee);
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
            | TokenKind::Rise(
                Rise::Ident | Rise::Let | Rise::RParen | Rise::RBracket | Rise::RBrace
            )
    )
}

struct Layout<'t> {
    item: &'t ast::Item,
    writer: Writer<'t>,
}

impl Layout<'_> {
    fn word(&mut self) {
        self.writer.word();
    }

    fn space(&mut self) {
        self.writer.space();
    }

    /// Writes a token and a space after it.
    fn word_space(&mut self) {
        self.word();
        self.space();
    }

    /// Writes `(a, b)` or `[a, b]`: on one line, or each element on its own; possibly empty.
    fn list(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize)) {
        if count == 0 {
            self.word();
            return self.word();
        }
        self.writer.open();
        self.word();
        self.writer.out.indent();
        self.writer.out.soft_line();
        for at in 0..count {
            if at > 0 {
                self.word();
                self.writer.out.line();
            }
            each(self, at);
        }
        self.writer.out.dedent();
        self.word();
        self.writer.out.close();
    }

    /// Writes `{ a | b }`: on one line, or each part on its own; several lines in the text are
    /// kept. The parts of several alternatives are aligned after the `|`.
    fn braces(&mut self, count: usize, separated: bool, mut each: impl FnMut(&mut Self, usize)) {
        let aligned = separated && count > 1;
        self.writer.open();
        self.word();
        if self.writer.begins_line() {
            self.writer.out.break_parent();
        }
        self.writer.out.indent();
        for at in 0..count {
            if aligned && at == 0 {
                self.writer.out.indent();
            }
            self.writer.out.line();
            if aligned && at > 0 {
                self.word_space();
                self.writer.out.indent();
            }
            each(self, at);
            if aligned {
                self.writer.out.dedent();
            }
        }
        self.writer.out.dedent();
        self.writer.out.line();
        self.word();
        self.writer.out.close();
    }

    /// Writes the text after an operator, on lines of its own if it is long.
    fn below(&mut self, each: impl FnOnce(&mut Self)) {
        self.writer.out.open();
        self.writer.out.indent();
        self.writer.out.line();
        each(self);
        self.writer.out.dedent();
        self.writer.out.close();
    }
}
