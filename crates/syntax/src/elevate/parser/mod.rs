//! A recursive-descent parser from the tokens of one item to its tree.
//!
//! The parser contains a RISE parser over the same tokens: at a RISE term, the RISE parser
//! continues from the current token, up to the end of the term. To the RISE parser, names in
//! backquotes and metavariables are identifiers, and the other tokens that only ELEVATE has are
//! unknown, so that a term ends before them.
//!
//! Every construct returns a tree, with `Missing` for absent parts; only the first mistake of the
//! item is reported as an error, and error recovery parses the rest without reports. Operators in
//! typographic quotes are reported by an additional warning.

mod condition;
mod expr;
mod item;
mod pattern;
mod primary;
mod recover_keywords;
mod rule;
mod types;

use super::ast::{
    Cond, CondId, CondKind, Expr, ExprId, ExprKind, Item, Op, Param, ParamId, Pattern, PatternId,
    PatternKind, Type, TypeId, TypeKind,
};
use super::brackets::OpenBrackets;
use crate::ast::{Ident, ItemKind as RiseItemKind, Name};
use crate::lexer::elevate::{Quotes, Word};
use crate::lexer::{Language, Lexer, Token, TokenKind};
use crate::parser::{Parser as RiseParser, docs};
use crate::{Diagnostic, MAX_DEPTH, MAX_HEIGHT, Severity, Span, codes};
use expr::PendingOperator;
pub use item::ATTRIBUTES;

/// The tree of an item and the diagnostics about its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The tree.
    pub item: Item,
    /// The diagnostics: at most one warning, and after it at most one error.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Returns true if the text has a syntax error.
    pub fn has_error(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Parses the text of one ELEVATE item, as [`split`](super::split) returns it. Spans are relative
/// to its start.
///
/// Absent parts are `Missing`, or `None` for names. At most one error is reported, the first one,
/// at the position where [`parse`](crate::parse) reports such errors for RISE.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser::new(text);
    let (attributes, kind) = parser.item();
    let rise = crate::ast::Item {
        docs: None,
        annotations: Box::default(),
        kind: RiseItemKind::Stray,
        terms: parser.rise.terms.into_boxed_slice(),
        binders: parser.rise.binders.into_boxed_slice(),
        locals: Box::default(),
        synonyms: Box::default(),
    };
    let item = Item {
        docs: docs(text),
        attributes,
        kind,
        exprs: parser.exprs.nodes.into_boxed_slice(),
        params: parser.params.into_boxed_slice(),
        conds: parser.conds.nodes.into_boxed_slice(),
        patterns: parser.patterns.nodes.into_boxed_slice(),
        types: parser.types.nodes.into_boxed_slice(),
        rise,
    };
    let warning = typographic_quotes(&parser.typographic);
    Parsed {
        item,
        diagnostics: warning.into_iter().chain(parser.rise.error).collect(),
    }
}

/// An arena of nodes of one kind, each with its height: the number of ELEVATE nodes on the longest
/// path from it to a leaf.
struct Arena<T> {
    nodes: Vec<T>,
    heights: Vec<u16>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena {
            nodes: Vec::new(),
            heights: Vec::new(),
        }
    }
}

impl<T> Arena<T> {
    fn push(&mut self, node: T, height: u16) -> u32 {
        self.nodes.push(node);
        self.heights.push(height);
        (self.nodes.len() - 1) as u32
    }

    fn height(&self, index: u32) -> u16 {
        self.heights[index as usize]
    }

    fn highest(&self, nodes: impl IntoIterator<Item = u32>) -> u16 {
        let heights = nodes.into_iter().map(|index| self.height(index));
        heights.max().unwrap_or(0)
    }
}

struct Parser<'t> {
    /// The RISE parser, with the tokens, the current position, the RISE terms and the first error.
    rise: RiseParser<'t>,
    /// The ELEVATE kind of each token.
    kinds: Vec<TokenKind>,
    /// For each opening bracket the index of the token that closes it; for other tokens and
    /// unclosed brackets the last index.
    partners: Vec<u32>,
    /// The operators in typographic quotes, with their plain text.
    typographic: Vec<(Span, &'static str)>,
    exprs: Arena<Expr>,
    conds: Arena<Cond>,
    patterns: Arena<Pattern>,
    types: Arena<Type>,
    params: Vec<Param>,
    /// The operators whose right operand is being parsed, as a stack; every chain uses its own part
    /// at the end.
    pending: Vec<PendingOperator>,
    /// True after the keyword `tune` of the item.
    tune: bool,
    /// True if a `=>` ends the expression: in the guard of a case, outside of brackets.
    guard: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        let mut parser = Parser {
            rise: RiseParser::embedded(text, "ELEVATE"),
            kinds: Vec::new(),
            partners: Vec::new(),
            typographic: Vec::new(),
            exprs: Arena::default(),
            conds: Arena::default(),
            patterns: Arena::default(),
            types: Arena::default(),
            params: Vec::new(),
            pending: Vec::new(),
            tune: false,
            guard: false,
        };
        Lexer::new(text, Language::Elevate, true).for_each(|token| parser.push_token(token));
        parser.rise.end();
        parser.kinds.push(TokenKind::End);
        parser.pair_brackets();
        parser
    }

    /// Adds a token that is not trivia. A lexical error is reported; of these tokens, only unclosed
    /// strings and signs that denote another token are added.
    fn push_token(&mut self, token: Token) {
        let mut kind = in_rise(token.kind);
        match token.kind {
            kind if kind.is_trivia() => return,
            TokenKind::Unknown
            | TokenKind::OpenComment
            | TokenKind::OpenString
            | TokenKind::OpenRawString => {
                self.rise.lexical_error(token);
                if matches!(token.kind, TokenKind::Unknown | TokenKind::OpenComment) {
                    // A sign for which another token was added has the kind of that token.
                    let meant = self.rise.tokens.get(self.kinds.len()).copied();
                    self.kinds.extend(meant.map(|token| token.kind));
                    return;
                }
            }
            TokenKind::OpenQuote => {
                let span = Span::new(token.span.start, token.span.start + 1);
                self.rise.report(Diagnostic::error(
                    codes::UNTERMINATED,
                    span,
                    "this backquote is not closed on its line",
                ));
                return;
            }
            TokenKind::Combinator(combinator, Quotes::Typographic) => {
                let operator = Op::from(combinator).as_str();
                self.typographic.push((token.span, operator));
            }
            // Both ends of a range are sizes; to the RISE parser `..` would begin a type.
            TokenKind::DotDot if self.tune => kind = TokenKind::Unknown,
            TokenKind::Word(Word::Tune) => self.tune = true,
            _ => {}
        }
        self.kinds.push(token.kind);
        self.rise.tokens.push(Token {
            kind,
            span: token.span,
        });
    }

    fn pair_brackets(&mut self) {
        let last = self.kinds.len() as u32 - 1;
        self.partners = vec![last; self.kinds.len()];
        let mut brackets = OpenBrackets::new();
        for (at, kind) in self.kinds.iter().enumerate() {
            if let Some(opened) = brackets.read(*kind, at) {
                self.partners[opened] = at as u32;
            }
        }
    }

    fn kind(&self) -> TokenKind {
        self.kinds[self.rise.pos]
    }

    fn peek(&self, n: usize) -> TokenKind {
        self.kinds[(self.rise.pos + n).min(self.kinds.len() - 1)]
    }

    fn span(&self) -> Span {
        self.rise.token().span
    }

    fn text(&self) -> &'t str {
        self.rise.slice(self.span())
    }

    fn quoted(&self) -> String {
        self.rise.quoted(self.rise.token())
    }

    fn bump(&mut self) -> Token {
        self.rise.bump()
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        self.at(kind).then(|| self.bump())
    }

    fn at_word(&self, word: Word) -> bool {
        self.kind() == TokenKind::Word(word)
    }

    fn eat_word(&mut self, word: Word) -> Option<Token> {
        self.at_word(word).then(|| self.bump())
    }

    /// Returns true at the identifier `name`, which is a keyword only in certain positions.
    fn at_name(&self, name: &str) -> bool {
        self.at(TokenKind::Ident) && self.text() == name
    }

    fn eat_name(&mut self, name: &str) -> Option<Token> {
        self.at_name(name).then(|| self.bump())
    }

    /// Returns true if the token `n` positions ahead is a `(` adjacent to the token before it.
    fn call_ahead(&self, n: usize) -> bool {
        self.peek(n) == TokenKind::LParen
            && n > 0
            && self.rise.peek(n - 1).span.end == self.rise.peek(n).span.start
    }

    /// Returns true if the current token is the `(` of a call: it is adjacent to the token before
    /// it.
    fn at_call(&self) -> bool {
        self.at(TokenKind::LParen) && self.rise.last_end() == self.span().start
    }

    /// Parses a name; a reserved word in its place is reported and read as a name. Any other token
    /// is reported, with the description `what`, and not skipped: the result is `None`.
    fn ident(&mut self, what: &str) -> Option<Ident> {
        let token = self.rise.token();
        let word = match self.kind() {
            TokenKind::Ident | TokenKind::Quoted => false,
            kind => kind.is_reserved(),
        };
        if word {
            let text = self.quoted();
            self.rise.report(Diagnostic::error(
                codes::RESERVED_NAME,
                token.span,
                format!("{text} is a reserved word: choose another name"),
            ));
        } else if !matches!(self.kind(), TokenKind::Ident | TokenKind::Quoted) {
            self.rise.expected(what);
            return None;
        }
        self.bump();
        Some(Ident {
            name: self.name(token.span),
            span: token.span,
        })
    }

    /// Returns the name in `span`, without backquotes; an empty name is reported.
    fn name(&mut self, span: Span) -> Name {
        let name = self.rise.name(span);
        if name.is_empty() {
            self.rise
                .error_at(span, "expected a name between the backquotes");
        }
        name
    }

    /// Parses the elements of a list, which is not empty, up to its closing bracket.
    fn list<T>(
        &mut self,
        open: Token,
        closer: TokenKind,
        mut element: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let mut elements = Vec::new();
        loop {
            elements.push(element(self));
            if !self.rise.next_in_list(open, closer) {
                return elements;
            }
        }
    }

    /// Parses the elements of a list, if there are any, up to its closing bracket.
    fn list_or_empty<T>(
        &mut self,
        open: Token,
        closer: TokenKind,
        element: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        match self.eat(closer) {
            Some(_) => Vec::new(),
            None => self.list(open, closer, element),
        }
    }

    /// Calls `inner` for the contents of brackets, where a `=>` does not end a guard.
    fn bracketed<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let guard = std::mem::replace(&mut self.guard, false);
        let result = inner(self);
        self.guard = guard;
        result
    }

    /// Returns a node and its height, or `missing` in place of a node that is too high, which is
    /// reported.
    fn limited<K>(&mut self, kind: K, height: u16, span: Span, missing: K) -> (K, u16) {
        if height as usize <= MAX_HEIGHT {
            return (kind, height);
        }
        self.rise.too_deep(span);
        (missing, 1)
    }

    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let height = self.height_of(&kind) + 1;
        let (kind, height) = self.limited(kind, height, span, ExprKind::Missing);
        ExprId(self.exprs.push(Expr { kind, span }, height))
    }

    /// Adds an expression that reaches from `start` to the end of the previous token.
    fn push_since(&mut self, start: u32, kind: ExprKind) -> ExprId {
        let span = self.rise.since(start);
        self.push(kind, span)
    }

    fn push_cond(&mut self, kind: CondKind, span: Span) -> CondId {
        let height = match &kind {
            CondKind::Or(a, b) | CondKind::And(a, b) => self.conds.highest([a.0, b.0]),
            CondKind::Not(a) | CondKind::Paren(a) => self.conds.height(a.0),
            CondKind::Holds { strategy, .. } => self.exprs.height(strategy.0),
            _ => 0,
        };
        let (kind, height) = self.limited(kind, height + 1, span, CondKind::Missing);
        CondId(self.conds.push(Cond { kind, span }, height))
    }

    fn push_pattern(&mut self, kind: PatternKind, span: Span) -> PatternId {
        let height = match &kind {
            PatternKind::List(parts) | PatternKind::Node(_, parts) => {
                self.patterns.highest(parts.iter().map(|part| part.0))
            }
            PatternKind::Cons(a, b) => self.patterns.highest([a.0, b.0]),
            PatternKind::Success(a) | PatternKind::Failure(a) => self.patterns.height(a.0),
            _ => 0,
        };
        let (kind, height) = self.limited(kind, height + 1, span, PatternKind::Missing);
        PatternId(self.patterns.push(Pattern { kind, span }, height))
    }

    fn push_type(&mut self, kind: TypeKind, span: Span) -> TypeId {
        let height = match &kind {
            TypeKind::Apply { args, .. } | TypeKind::Tuple(args) => {
                self.types.highest(args.iter().map(|arg| arg.0))
            }
            TypeKind::Arrow(a, b) => self.types.highest([a.0, b.0]),
            TypeKind::Missing | TypeKind::Name(_) => 0,
        };
        let (kind, height) = self.limited(kind, height + 1, span, TypeKind::Missing);
        TypeId(self.types.push(Type { kind, span }, height))
    }

    fn push_param(&mut self, name: Name, span: Span) -> ParamId {
        self.params.push(Param {
            name,
            span,
            ty: None,
            default: None,
        });
        ParamId(self.params.len() as u32 - 1)
    }

    fn span_of(&self, id: ExprId) -> Span {
        self.exprs.nodes[id.0 as usize].span
    }

    /// Adds an [`ExprKind::Missing`] for an absent expression, directly after the previous token.
    fn missing(&mut self) -> ExprId {
        let span = Span::empty(self.rise.last_end());
        self.push(ExprKind::Missing, span)
    }

    /// Calls `inner` one nesting level deeper; reports an error and returns `None` at the maximal
    /// depth.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.rise.nesting >= MAX_DEPTH {
            let span = match self.span() {
                span if span.is_empty() => self.rise.last_char(),
                span => span,
            };
            self.rise.too_deep(span);
            return None;
        }
        self.rise.nesting += 1;
        let result = inner(self);
        self.rise.nesting -= 1;
        Some(result)
    }
}

/// Returns the kind of a token for the RISE parser: names in backquotes and metavariables are
/// identifiers; `|` and tokens that only ELEVATE has are unknown, so that they end a term.
fn in_rise(kind: TokenKind) -> TokenKind {
    match kind {
        TokenKind::Quoted | TokenKind::Metavariable => TokenKind::Ident,
        TokenKind::Bar => TokenKind::Unknown,
        kind if kind.is_elevate() => TokenKind::Unknown,
        kind => kind,
    }
}

/// Returns a single warning about all operators in typographic quotes, if there are any.
fn typographic_quotes(places: &[(Span, &'static str)]) -> Option<Diagnostic> {
    let &(first, operator) = places.first()?;
    let edits = places
        .iter()
        .map(|&(span, operator)| (span, operator.to_owned()))
        .collect();
    Some(
        Diagnostic::new(
            Severity::Warning,
            codes::SYNTAX_ERROR,
            first,
            format!("the operator is in typographic quotes: write `{operator}`, with or without backquotes"),
        )
        .fix("Write the operators without quotes", edits, true),
    )
}
