//! A recursive-descent parser from the tokens of one item to its tree.
//!
//! Every construct returns a tree, with [`TermKind::Missing`] for absent parts. Only the first
//! mistake of the item is reported; error recovery parses the rest without reports. The modules
//! `recover_…`, `block` and `lexical_errors` recognise mistakes and notations of other languages. A
//! missing token is reported at the last character of the token before it, so that the span is
//! visible; an unexpected token is reported at its own span.

mod atom;
mod block;
mod command;
mod delimiters;
mod foreign;
mod function;
mod head;
mod item;
mod lexical_errors;
mod literal;
mod operator;
mod pattern;
mod recover_applications;
mod recover_brackets;
mod recover_conditions;
mod recover_definitions;
mod recover_dots;
mod recover_import_paths;
mod recover_items;
mod recover_operators;
mod recover_patterns;
mod recover_qualified_names;
mod recover_statements;
mod term;

use crate::ast::{Binder, BinderId, Item, Name, Term, TermId, TermKind};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::{Diagnostic, Dialect, Fix, Span, codes};
pub(crate) use delimiters::loose_call;
pub(crate) use item::docs;
pub use lexical_errors::no_bits;
use operator::PendingOperator;

/// The maximal nesting depth of brackets, functions and other enclosing constructs.
///
/// Chains do not nest: `a |> f |> g`, `f(a)(b)`, `s -> t -> u`, `n.m.t`, and `let` after `let` are
/// parsed by loops and limited by [`MAX_HEIGHT`] alone.
pub const MAX_DEPTH: usize = 256;

/// The maximal number of terms on a path from a root to a leaf of the tree of an item.
///
/// A recursive traversal of a tree needs a stack for this many calls. An item with a higher tree is
/// reported as [`codes::TOO_DEEP`], and its terms that are too high are replaced by
/// [`TermKind::Missing`].
pub const MAX_HEIGHT: usize = 1000;

/// The tree of an item and the diagnostics about its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The tree.
    pub item: Item,
    /// The diagnostics: at most one error, about the syntax.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the text of one RISE item, as [`split`](crate::split) returns it. Spans are relative to
/// its start.
///
/// Absent terms are [`TermKind::Missing`]. At most one error is reported, the first one: for a
/// missing token at the last character of the token before it, for an unexpected token at its own
/// span. A character that begins no token, or a comment or string without its end, takes precedence
/// over other errors.
pub fn parse(text: &str) -> Parsed {
    parse_in(text, Dialect::Rise)
}

/// Parses the text of one item in `dialect`, as [`parse`] does.
pub fn parse_in(text: &str, dialect: Dialect) -> Parsed {
    let mut parser = Parser::new(text, dialect);
    let (docs, annotations, kind) = parser.item();
    let item = Item {
        docs,
        annotations,
        kind,
        terms: parser.terms.into_boxed_slice(),
        binders: parser.binders.into_boxed_slice(),
        locals: parser.locals.into_boxed_slice(),
        synonyms: parser.synonyms.into_boxed_slice(),
    };
    Parsed {
        item,
        diagnostics: parser.error.into_iter().collect(),
    }
}

/// The syntactic category that is allowed at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermCategory {
    /// A value, or a command in DPIA.
    Expr,
    /// An argument: a value, a size, a type or an address space.
    Arg,
    /// A type, such as one after a colon, in which operators need parentheses.
    Type,
    /// A size or type inside brackets, in which operators need no parentheses.
    Size,
}

impl TermCategory {
    /// Returns the category of the terms within parentheses that are in a position of this
    /// category.
    fn inside(self) -> TermCategory {
        match self {
            TermCategory::Type => TermCategory::Size,
            mode => mode,
        }
    }

    /// Returns true for positions of types, and of sizes and types in brackets: there, `3.3`
    /// denotes the two sizes of a matrix type.
    fn is_type(self) -> bool {
        matches!(self, TermCategory::Type | TermCategory::Size)
    }
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    dialect: Dialect,
    /// The name of the enclosing language for messages, if it is not the dialect itself. In such a
    /// language the `(` of a call is adjacent to the callee, and names may be in backquotes.
    host: Option<&'static str>,
    /// The nesting depth at which `&&` and `||` join conditions of the enclosing language, not
    /// terms; `None` outside of such conditions.
    pub(crate) conditions: Option<usize>,
    /// The tokens without trivia; the last one is [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    pub(crate) pos: usize,
    pub(crate) terms: Vec<Term>,
    /// The height of every term: the number of terms on the longest path from it to a leaf.
    heights: Vec<u16>,
    pub(crate) binders: Vec<Binder>,
    /// The names that the item would define by keywords that begin no definition in RISE.
    pub(crate) synonyms: Vec<Name>,
    /// The local definitions so far.
    pub(crate) locals: Vec<TermId>,
    /// The first error.
    pub(crate) error: Option<Diagnostic>,
    pub(crate) nesting: usize,
    /// True if the item opens more brackets than it closes; `None` before this is computed.
    open_brackets: Option<bool>,
    /// True in annotations and after `where`, where `|` and `divides` are operators.
    divides: bool,
    /// True in the conditions after parameters left of `=`, which end at the `=`.
    before_equals: bool,
    /// The operators whose right operand is being parsed, as a stack; every chain uses its own part
    /// at the end.
    pending: Vec<PendingOperator>,
    /// The arguments of the calls that are being parsed; every call uses its own part at the end.
    args: Vec<TermId>,
    /// The parameters of the functions that are being parsed; every function uses its own part at
    /// the end.
    params: Vec<BinderId>,
}

impl<'t> Parser<'t> {
    /// Creates a parser for the terms in a text of another language, whose name is `host`. The
    /// caller adds the tokens and calls [`end`](Parser::end).
    pub(crate) fn embedded(text: &'t str, host: &'static str) -> Self {
        Parser {
            host: Some(host),
            ..Parser::empty(text, Dialect::Rise)
        }
    }

    fn empty(text: &'t str, dialect: Dialect) -> Self {
        Parser {
            text,
            dialect,
            host: None,
            conditions: None,
            tokens: Vec::with_capacity(text.len() / 4 + 2),
            pos: 0,
            terms: Vec::with_capacity(text.len() / 6 + 4),
            heights: Vec::with_capacity(text.len() / 6 + 4),
            binders: Vec::new(),
            synonyms: Vec::new(),
            locals: Vec::new(),
            error: None,
            nesting: 0,
            open_brackets: None,
            divides: false,
            before_equals: false,
            pending: Vec::new(),
            args: Vec::new(),
            params: Vec::new(),
        }
    }

    fn new(text: &'t str, dialect: Dialect) -> Self {
        let mut parser = Parser::empty(text, dialect);
        let (mut is_foreign, mut is_c) = (false, false);
        for token in Lexer::new(text, dialect.into(), true) {
            is_foreign |= token.kind == TokenKind::Foreign;
            is_c |= is_foreign && matches!(token.kind, TokenKind::Equals | TokenKind::LBrace);
            match token.kind {
                kind if kind.is_trivia() => {}
                TokenKind::Unknown if is_c || parser.slice(token.span) == "\\" => {
                    parser.tokens.push(token);
                }
                TokenKind::Unknown | TokenKind::OpenComment => parser.lexical_error(token),
                TokenKind::OpenString | TokenKind::OpenRawString => {
                    parser.lexical_error(token);
                    parser.tokens.push(token);
                }
                _ => parser.tokens.push(token),
            }
        }
        parser.end();
        parser
    }

    /// Appends the end token.
    pub(crate) fn end(&mut self) {
        let span = Span::empty(self.text.len() as u32);
        self.tokens.push(Token {
            kind: TokenKind::End,
            span,
        });
    }

    /// Returns the name of the language for messages: the enclosing language, or else the dialect.
    fn language(&self) -> &'static str {
        self.host.unwrap_or(self.dialect.name())
    }

    pub(crate) fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    pub(crate) fn kind(&self) -> TokenKind {
        self.tokens[self.pos].kind
    }

    /// Returns the token `n` positions ahead, or the end token.
    pub(crate) fn peek(&self, n: usize) -> Token {
        self.tokens[(self.pos + n).min(self.tokens.len() - 1)]
    }

    pub(crate) fn peek_kind(&self, n: usize) -> TokenKind {
        self.peek(n).kind
    }

    pub(crate) fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    pub(crate) fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.pos += 1;
        }
        token
    }

    pub(crate) fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        self.at(kind).then(|| self.bump())
    }

    pub(crate) fn previous(&self) -> Option<Token> {
        self.pos.checked_sub(1).map(|pos| self.tokens[pos])
    }

    /// Returns the end of the previous token, or 0 at the first token.
    pub(crate) fn last_end(&self) -> u32 {
        self.previous().map_or(0, |token| token.span.end)
    }

    /// Returns the span of the last character of the previous token, where a missing token is
    /// reported.
    pub(crate) fn last_char(&self) -> Span {
        match self.previous() {
            Some(token) => {
                let width = self
                    .slice(token.span)
                    .chars()
                    .next_back()
                    .map_or(0, char::len_utf8);
                Span::new(token.span.end - width as u32, token.span.end)
            }
            None => Span::empty(0),
        }
    }

    pub(crate) fn slice(&self, span: Span) -> &'t str {
        self.text.get(std::ops::Range::from(span)).unwrap_or("")
    }

    pub(crate) fn skip_to_end(&mut self) {
        self.pos = self.tokens.len() - 1;
    }

    pub(crate) fn push(&mut self, kind: TermKind, span: Span) -> TermId {
        let height = self.height_of(&kind);
        if height as usize > MAX_HEIGHT {
            self.too_deep(span);
            return self.push_raw(TermKind::Missing, span, 1);
        }
        self.push_raw(kind, span, height)
    }

    /// Adds a term that reaches from `start` to the end of the previous token.
    pub(crate) fn push_since(&mut self, start: u32, kind: TermKind) -> TermId {
        let span = self.since(start);
        self.push(kind, span)
    }

    fn push_raw(&mut self, kind: TermKind, span: Span, height: u16) -> TermId {
        let id = TermId(self.terms.len() as u32);
        self.terms.push(Term { kind, span });
        self.heights.push(height);
        id
    }

    fn height(&self, id: TermId) -> u16 {
        self.heights[id.0 as usize]
    }

    fn height_of(&self, kind: &TermKind) -> u16 {
        let mut below = 0;
        kind.children(&self.binders, |child| below = below.max(self.height(child)));
        below + 1
    }

    pub(crate) fn span_of(&self, id: TermId) -> Span {
        self.terms[id.0 as usize].span
    }

    pub(crate) fn kind_of(&self, id: TermId) -> &TermKind {
        &self.terms[id.0 as usize].kind
    }

    pub(crate) fn text_of(&self, id: TermId) -> &'t str {
        self.slice(self.span_of(id))
    }

    pub(crate) fn is_missing(&self, id: TermId) -> bool {
        *self.kind_of(id) == TermKind::Missing
    }

    /// Returns the span from `start` to the end of the previous token, or an empty span at `start`
    /// if that token ends before it.
    pub(crate) fn since(&self, start: u32) -> Span {
        Span::new(start, self.last_end().max(start))
    }

    /// Adds a [`TermKind::Missing`] for an absent term, directly after the previous token.
    pub(crate) fn missing(&mut self) -> TermId {
        let span = Span::empty(self.last_end());
        self.push(TermKind::Missing, span)
    }

    pub(crate) fn name(&self, span: Span) -> Name {
        let text = self.slice(span);
        match self.host {
            Some(_) => Name::new(text.trim_matches('`').trim()),
            None => Name::new(text),
        }
    }

    /// Records an error, if it is the first one of the item.
    pub(crate) fn report(&mut self, error: Diagnostic) {
        self.error.get_or_insert(error);
    }

    /// Adds edits to the first fix of the error, if the fix has this title; a fix that has 100
    /// edits or more stays unchanged. Returns false if there is no such fix.
    pub(crate) fn extend_fix(&mut self, title: &str, edits: &[(Span, String)]) -> bool {
        const MAX_EDITS: usize = 100;
        let fixes = self.error.as_mut().map(|error| &mut error.fixes[..]);
        let Some(fix) = fixes
            .and_then(<[_]>::first_mut)
            .filter(|fix| fix.title == title)
        else {
            return false;
        };
        if fix.edits.len() < MAX_EDITS {
            fix.edits.extend_from_slice(edits);
            fix.edits.sort_by_key(|(span, _)| (span.start, span.end));
        }
        true
    }

    /// Reports an error about a part of the text that has just been parsed. It replaces an error
    /// within that part, which is less precise; `was_first` is true if there was no error before
    /// that part.
    pub(crate) fn report_instead(&mut self, was_first: bool, error: Diagnostic) {
        if was_first {
            self.error = None;
        }
        self.report(error);
    }

    pub(crate) fn error_at(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::syntax(span, message));
    }

    /// Reports that `what` is missing after the previous token, with the advice `help`.
    pub(crate) fn expected_with_help(&mut self, what: &str, help: &str) {
        let is_first = self.error.is_none();
        self.expected(what);
        if let Some(error) = self.error.take() {
            self.error = Some(if is_first { error.help(help) } else { error });
        }
    }

    /// Reports that `what` is missing after the previous token.
    pub(crate) fn expected(&mut self, what: &str) {
        if self.error.is_some() {
            return;
        }
        let span = self.last_char();
        let message = match self.previous() {
            Some(token) => format!("expected {what} after {}", self.quoted(token)),
            None => format!("expected {what}"),
        };
        self.error_at(span, message);
    }

    pub(crate) fn too_deep(&mut self, span: Span) {
        self.report(Diagnostic::error(
            codes::TOO_DEEP,
            span,
            "the expression or type is nested too deeply here: write a part of it as a definition of its own",
        ));
        self.skip_to_end();
    }

    /// Calls `inner` one nesting level deeper; at the maximal depth, reports an error and returns a
    /// [`TermKind::Missing`] instead.
    pub(crate) fn nested(&mut self, inner: impl FnOnce(&mut Self) -> TermId) -> TermId {
        if self.nesting >= MAX_DEPTH {
            let span = self.token().span;
            let span = if span.is_empty() {
                self.last_char()
            } else {
                span
            };
            self.too_deep(span);
            return self.missing();
        }
        self.nesting += 1;
        let term = inner(self);
        self.nesting -= 1;
        term
    }

    /// Adds a fix to the item's error, if the span of that is `at`.
    pub(crate) fn mend(&mut self, at: Span, fix: Fix) {
        if let Some(error) = self.error.as_mut().filter(|error| error.span == at) {
            error.fixes.push(fix);
        }
    }
}
