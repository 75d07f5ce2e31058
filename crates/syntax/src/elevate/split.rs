//! Splits a file into its items, as a whole or incrementally after an edit.
//!
//! Items are found by their tokens, and newlines matter only for the main expression:
//!
//! - A keyword that begins items (`rule`, `strategy`, `val`, …) does so at any position; `rule`
//!   before `{` does not, as it is an expression. Attributes and `unsafe` are a part of the item
//!   after them.
//! - `import "path"` and the headers are complete after the path or name; only an `@` adjacent to
//!   it is still a part of them.
//! - Outside of brackets, after a complete operand, a name, a `(`, `fun`, `if`, `with` or `rule {`
//!   at the start of a line begins the main expression, since no operator joins it to the operand.
//!   In an indented position it is a part of the item before it, where the parser reports a missing
//!   operator. In the head of a definition (before its `=`, the `:` of a `tune` or the `{` of an
//!   example), no main expression begins.
//!
//! An item begins at the first doc comment after the last token of the previous item, or else at
//! its first token; comments before that place are in no item.

use super::brackets::OpenBrackets;
use crate::Span;
use crate::lexer::elevate::{Combinator, Word};
use crate::lexer::{Language, Lexer, Token, TokenKind};
use crate::split::{Edit, Resplit, Splitter, resplit_from, scan, split_by};

/// Returns the spans of the items of an ELEVATE file, in order. An item reaches from its first
/// token, or the first doc comment that is a part of it, to the end of its last token.
pub fn split(text: &str) -> Vec<Span> {
    split_by(ElevateSplitter::new(text), text)
}

/// The state of the splitter: it decides which tokens continue the current item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No item has begun.
    Outside,
    /// `@` has been read; the name of an attribute follows.
    Attribute,
    /// The name of an attribute has been read; its arguments, another attribute or the definition
    /// follow.
    Annotated,
    /// `unsafe` has been read; `rule` follows.
    Unsafe,
    /// `import` has been read; the path follows.
    Path,
    /// `language` or `traversal` has been read; a name follows.
    Header,
    /// The item is complete: the next token begins another one, unless it is an adjacent `@`.
    Complete,
    /// The name, parameters and type of a definition, or the title of an example, are being read,
    /// up to the next token of this kind outside of brackets.
    Head(TokenKind),
    /// Any other part of an item is being read.
    Body,
}

struct ElevateSplitter<'t> {
    text: &'t str,
    state: State,
    /// The open brackets of the item.
    brackets: OpenBrackets<()>,
    /// True if the last token completes an operand.
    operand: bool,
    /// True if the last token is `not`, which may be an operator or a name.
    not: bool,
    /// True if the item is a `tune`, where `step` and `pow` join sizes.
    tune: bool,
    /// The end of the last token.
    end: u32,
    /// The start of the first doc comment since the last token.
    docs: Option<u32>,
    /// A `rule` and the start of its doc comments; the next token decides whether it begins an
    /// item.
    held: Option<(Token, Option<u32>)>,
    /// The current item, up to its last token so far.
    current: Option<Span>,
}

impl<'t> ElevateSplitter<'t> {
    fn new(text: &'t str) -> Self {
        ElevateSplitter {
            text,
            state: State::Outside,
            brackets: OpenBrackets::new(),
            operand: false,
            not: false,
            tune: false,
            end: u32::MAX,
            docs: None,
            held: None,
            current: None,
        }
    }

    /// Reads a token; `item` is true for a keyword that begins items.
    fn token(&mut self, token: Token, docs: Option<u32>, item: bool, items: &mut Vec<Span>) {
        let begins = match self.state {
            State::Outside => true,
            State::Complete => !self.applies(token),
            _ if item => !self.continues(token.kind),
            State::Body => self.begins_main(token),
            _ => false,
        };
        match (&mut self.current, begins) {
            (Some(current), false) => current.end = token.span.end,
            _ => {
                items.extend(self.current.take());
                let start = docs.unwrap_or(token.span.start);
                self.current = Some(Span::new(start, token.span.end));
                self.brackets = OpenBrackets::new();
                self.operand = false;
                self.not = false;
                self.tune = token.kind == TokenKind::Word(Word::Tune);
            }
        }
        self.state = self.next(token.kind, begins, item);
        self.count(token);
        self.end = token.span.end;
    }

    /// Returns true if a keyword that begins items continues the current item.
    fn continues(&self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::Import | TokenKind::Word(Word::Language | Word::Traversal) => false,
            TokenKind::Word(Word::Rule) if self.state == State::Unsafe => true,
            _ => matches!(self.state, State::Annotated | State::Attribute),
        }
    }

    /// Returns true if the token is an `@` adjacent to the token before it, which therefore begins
    /// no attributes. It continues even a complete item: on its own it would begin attributes.
    fn applies(&self, token: Token) -> bool {
        let at = matches!(token.kind, TokenKind::Combinator(Combinator::At, _));
        at && token.span.start == self.end
    }

    /// Returns true if a token begins the main expression after a complete operand.
    fn begins_main(&self, token: Token) -> bool {
        if !self.brackets.is_empty() || !self.operand || !self.starts_line(token) {
            return false;
        }
        match token.kind {
            TokenKind::Ident => !self.joins(token),
            TokenKind::Quoted | TokenKind::Metavariable => true,
            TokenKind::LParen | TokenKind::Fun => true,
            TokenKind::Word(Word::If | Word::With | Word::Rule) => true,
            _ => false,
        }
    }

    /// Returns true if a token is the first of its line and not indented.
    fn starts_line(&self, token: Token) -> bool {
        let before = self.text.as_bytes().get(..token.span.start as usize);
        before.is_some_and(|before| before.ends_with(b"\n"))
    }

    /// Returns true if a name is an operator after an operand.
    fn joins(&self, token: Token) -> bool {
        match self.slice(token) {
            "and" | "or" | "divides" | "notIn" => true,
            "step" | "pow" => self.tune,
            _ => false,
        }
    }

    fn slice(&self, token: Token) -> &'t str {
        self.text
            .get(std::ops::Range::from(token.span))
            .unwrap_or("")
    }

    /// Returns the state after a token.
    fn next(&self, kind: TokenKind, begins: bool, item: bool) -> State {
        match (kind, self.state) {
            (TokenKind::Attribute, _) if item => State::Attribute,
            (TokenKind::Word(Word::Unsafe), _) => State::Unsafe,
            (TokenKind::Word(Word::Language | Word::Traversal), _) => State::Header,
            (TokenKind::Import, _) => State::Path,
            (TokenKind::Word(Word::Example), _) if item => State::Head(TokenKind::LBrace),
            (TokenKind::Word(Word::Tune), _) if item => State::Head(TokenKind::Colon),
            (_, _) if item => State::Head(TokenKind::Equals),
            (_, _) if begins => State::Body,
            (TokenKind::String, State::Path) => State::Complete,
            (TokenKind::Ident | TokenKind::Quoted, State::Header) => State::Complete,
            (kind, State::Head(end)) if self.brackets.is_empty() && kind == end => State::Body,
            (_, State::Attribute) => State::Annotated,
            (TokenKind::LParen, State::Annotated) => State::Annotated,
            (_, State::Annotated) if self.brackets.is_empty() => State::Body,
            (_, State::Unsafe | State::Path | State::Header | State::Complete) => State::Body,
            (_, state) => state,
        }
    }

    /// Updates the open brackets and the flags about operands.
    fn count(&mut self, token: Token) {
        self.brackets.read(token.kind, ());
        let name = token.kind == TokenKind::Ident;
        let joins = name && (self.operand || self.not) && self.joins(token);
        self.not = name && self.slice(token) == "not";
        self.operand = ends_operand(token.kind) && !self.not && !joins;
    }
}

impl Splitter for ElevateSplitter<'_> {
    const LANGUAGE: Language = Language::Elevate;

    fn feed(&mut self, token: Token, items: &mut Vec<Span>) {
        if token.kind.is_trivia() {
            if token.kind == TokenKind::DocComment {
                self.docs.get_or_insert(token.span.start);
            }
            return;
        }
        let docs = self.docs.take();
        if let Some((held, docs)) = self.held.take() {
            let item = token.kind != TokenKind::LBrace;
            self.token(held, docs, item, items);
        }
        match token.kind {
            TokenKind::Word(Word::Rule) => self.held = Some((token, docs)),
            kind => {
                let item = begins_item(kind);
                self.token(token, docs, item, items);
            }
        }
    }

    fn finish(&mut self, items: &mut Vec<Span>) {
        if let Some((held, docs)) = self.held.take() {
            self.token(held, docs, true, items);
        }
        items.extend(self.current.take());
    }

    fn current(&self) -> Option<Span> {
        self.current
    }
}

/// Returns true if a token begins items at any position; `rule` does unless a `{` follows it.
fn begins_item(kind: TokenKind) -> bool {
    match kind {
        TokenKind::Attribute | TokenKind::Import | TokenKind::Def => true,
        TokenKind::Word(word) => word.begins_item(),
        _ => false,
    }
}

/// Returns true if an operand can end with a token.
fn ends_operand(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(
        kind,
        Quoted
            | Metavariable
            | Ident
            | Underscore
            | Int
            | Float
            | String
            | True
            | False
            | Scalar
            | Kind
            | Address
            | RParen
            | RBracket
            | RBrace
    )
}

/// Computes the items after an edit from the items before it; the result equals [`split`] of the
/// new text.
///
/// `read` returns the text at a span of the new text, which has `new_len` bytes. `read` is usually
/// called twice: for the start of the edited item, and for that item and the one after it.
pub fn resplit(old: &[Span], edit: Edit, new_len: u32, read: &dyn Fn(Span) -> String) -> Resplit {
    let first = restart(old, edit, new_len, read);
    resplit_from(first, old, edit, new_len, read, &|text, base, complete| {
        scan(ElevateSplitter::new(text), text, base, old, edit, complete)
    })
}

/// Returns the index of the last item whose first two tokens end before the edit, so that its start
/// and these tokens are certainly unchanged; 0 if there is none.
fn restart(old: &[Span], edit: Edit, new_len: u32, read: &dyn Fn(Span) -> String) -> usize {
    let before = old.partition_point(|item| item.start < edit.start);
    for at in (1..before).rev() {
        let item = old[at];
        let text = read(Span::new(item.start, edit.start.min(new_len)));
        let mut tokens =
            Lexer::new(&text, Language::Elevate, false).filter(|token| !token.kind.is_trivia());
        let Some(second) = tokens.nth(1) else {
            continue;
        };
        if item.start + second.span.end < edit.start {
            return at;
        }
    }
    0
}
