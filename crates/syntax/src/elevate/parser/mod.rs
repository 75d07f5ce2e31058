//! Recursive descent from the tokens of one item to its tree.
//!
//! The parser holds one of RISE over the same tokens: where a term of RISE belongs, that one goes
//! on from the current token, and gives it back behind the term. What is ELEVATE's own is nothing
//! to it, so that a term ends there.
//!
//! As in RISE, every construct yields a tree, with `Missing` for what is absent; the first
//! mistake of the item is reported, and what follows it is parsed in silence.

mod condition;
mod expr;
mod item;
mod pattern;
mod primary;
mod rule;
mod slips;
mod types;

use super::ast::{
    Cond, CondId, CondKind, Expr, ExprId, ExprKind, Item, Param, ParamId, Pattern, PatternId,
    PatternKind, Type, TypeId, TypeKind,
};
use super::brackets::OpenBrackets;
use super::lexer::{Lexer, Quotes, Token, TokenKind, Word};
use crate::ast::{Ident, ItemKind as RiseItemKind, Name};
use crate::parser::{Parser as RiseParser, docs};
use crate::{Code, Diagnostic, MAX_DEPTH, MAX_HEIGHT, Severity, Span, TokenKind as Rise};
use expr::Pending;
pub use item::ATTRIBUTES;

/// An item and what is to be said about its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The tree.
    pub item: Item,
    /// At most one syntax error, and before it what is only worth a warning.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the text has a syntax error.
    pub fn has_error(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Parses the text of one item of ELEVATE, as [`split`](super::split) finds it. Spans count from
/// its start.
///
/// The tree is whole: `Missing` stands for what is absent. At most one error is reported, the
/// first, at the places where [`parse`](crate::parse) reports errors of RISE.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser::new(text);
    let (attributes, kind) = parser.item();
    let rise = crate::ast::Item {
        docs: None,
        annotations: Box::default(),
        kind: RiseItemKind::Stray,
        terms: parser.rise.terms.into_boxed_slice(),
        binders: parser.rise.binders.into_boxed_slice(),
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

/// The nodes of one kind, each with the length of the longest path down from it.
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
}

struct Parser<'t> {
    /// The tokens, the place among them, the terms of RISE, the first mistake.
    rise: RiseParser<'t>,
    /// For every token what it is in ELEVATE.
    kinds: Vec<TokenKind>,
    /// For every opening bracket the token that closes it; for others, and where none does, the
    /// last token.
    partners: Vec<u32>,
    /// Operators in typographic quotes, with what is meant.
    typographic: Vec<(Span, &'static str)>,
    exprs: Arena<Expr>,
    conds: Arena<Cond>,
    patterns: Arena<Pattern>,
    types: Arena<Type>,
    params: Vec<Param>,
    /// Operators whose right operand is being read; every chain has its own stretch at the end.
    pending: Vec<Pending>,
    /// Whether the item is a `tune`.
    tune: bool,
    /// Whether a `=>` ends the expression: in the guard of a case, outside of brackets.
    guard: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        let mut parser = Parser {
            rise: RiseParser::hosted(text, "ELEVATE"),
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
        Lexer::within(text, true).for_each(|token| parser.take_in(token));
        parser.rise.end();
        parser.kinds.push(TokenKind::Rise(Rise::End));
        parser.pair_brackets();
        parser
    }

    /// Adds a token, or reports what is none.
    fn take_in(&mut self, token: Token) {
        let mut kind = token.kind.in_rise();
        match token.kind {
            TokenKind::Rise(rise) if rise.is_trivia() => return,
            TokenKind::Rise(
                rise @ (Rise::Unknown | Rise::OpenComment | Rise::OpenString | Rise::OpenRawString),
            ) => {
                let span = token.span;
                self.rise.lexical_error(crate::Token { kind: rise, span });
                if matches!(rise, Rise::Unknown | Rise::OpenComment) {
                    // A sign that is only written otherwise here stands there now.
                    let meant = self.rise.tokens.get(self.kinds.len()).copied();
                    self.kinds
                        .extend(meant.map(|token| TokenKind::Rise(token.kind)));
                    return;
                }
            }
            TokenKind::OpenQuote => {
                let span = Span::new(token.span.start, token.span.start + 1);
                self.rise.report(|| {
                    Diagnostic::error(
                        Code::Unterminated,
                        span,
                        "this backquote has no partner on its line",
                    )
                });
                return;
            }
            TokenKind::Combinator(combinator, Quotes::Typographic) => {
                self.typographic
                    .push((token.span, combinator.op().as_str()));
            }
            // Both ends of a range are sizes; in terms of RISE it would be a type.
            TokenKind::Rise(Rise::DotDot) if self.tune => kind = Rise::Unknown,
            TokenKind::Word(Word::Tune) => self.tune = true,
            _ => {}
        }
        self.kinds.push(token.kind);
        self.rise.tokens.push(crate::Token {
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

    // Tokens.

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

    fn bump(&mut self) -> crate::Token {
        self.rise.bump()
    }

    fn at(&self, kind: Rise) -> bool {
        self.kind() == TokenKind::Rise(kind)
    }

    fn eat(&mut self, kind: Rise) -> Option<crate::Token> {
        self.at(kind).then(|| self.bump())
    }

    fn at_word(&self, word: Word) -> bool {
        self.kind() == TokenKind::Word(word)
    }

    fn eat_word(&mut self, word: Word) -> Option<crate::Token> {
        self.at_word(word).then(|| self.bump())
    }

    /// Whether a name stands here that means something at such a place only.
    fn at_name(&self, name: &str) -> bool {
        self.at(Rise::Ident) && self.text() == name
    }

    fn eat_name(&mut self, name: &str) -> Option<crate::Token> {
        self.at_name(name).then(|| self.bump())
    }

    /// Whether the token `n` places ahead is a `(` that touches the one before it.
    fn call_ahead(&self, n: usize) -> bool {
        self.peek(n) == TokenKind::Rise(Rise::LParen)
            && n > 0
            && self.rise.peek(n - 1).span.end == self.rise.peek(n).span.start
    }

    /// Whether the `(` here belongs to a call.
    fn at_call(&self) -> bool {
        self.at(Rise::LParen) && self.rise.last_end() == self.span().start
    }

    /// A name and where it stands. `what` names it if it is missing.
    fn ident(&mut self, what: &str) -> Option<Ident> {
        let token = self.rise.token();
        let word = match self.kind() {
            TokenKind::Rise(Rise::Ident) | TokenKind::Quoted => false,
            TokenKind::Rise(kind) => kind.is_reserved(),
            TokenKind::Word(_) => true,
            _ => false,
        };
        if word {
            let text = self.quoted();
            self.rise.report(|| {
                Diagnostic::error(
                    Code::ReservedName,
                    token.span,
                    format!("{text} is a reserved word: choose another name"),
                )
            });
        } else if !matches!(
            self.kind(),
            TokenKind::Rise(Rise::Ident) | TokenKind::Quoted
        ) {
            self.rise.expected(what);
            return None;
        }
        self.bump();
        Some(Ident {
            name: self.name(token.span),
            span: token.span,
        })
    }

    /// The name that is written at a place, without backquotes; an empty one is reported.
    fn name(&mut self, span: Span) -> Name {
        let name = self.rise.name(span);
        if name.is_empty() {
            self.rise
                .error_at(span, || "a name must be in backquotes".to_owned());
        }
        name
    }

    /// From bracket to bracket without what `=>` means outside.
    fn bracketed<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let guard = std::mem::replace(&mut self.guard, false);
        let result = inner(self);
        self.guard = guard;
        result
    }

    // The tree.

    /// Whether a node of this height may be built; if not, that is reported.
    fn fits(&mut self, height: u16, span: Span) -> bool {
        let fits = height as usize <= MAX_HEIGHT;
        if !fits {
            self.rise.too_deep(span);
        }
        fits
    }

    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let height = self.height_of(&kind) + 1;
        ExprId(match self.fits(height, span) {
            true => self.exprs.push(Expr { kind, span }, height),
            false => {
                let kind = ExprKind::Missing;
                self.exprs.push(Expr { kind, span }, 1)
            }
        })
    }

    fn push_cond(&mut self, kind: CondKind, span: Span) -> CondId {
        let height = match &kind {
            CondKind::Or(a, b) | CondKind::And(a, b) => {
                self.conds.height(a.0).max(self.conds.height(b.0))
            }
            CondKind::Not(a) | CondKind::Paren(a) => self.conds.height(a.0),
            CondKind::Holds { strategy, .. } => self.exprs.height(strategy.0),
            _ => 0,
        } + 1;
        CondId(match self.fits(height, span) {
            true => self.conds.push(Cond { kind, span }, height),
            false => {
                let kind = CondKind::Missing;
                self.conds.push(Cond { kind, span }, 1)
            }
        })
    }

    fn push_pattern(&mut self, kind: PatternKind, span: Span) -> PatternId {
        let all = |parts: &[PatternId]| {
            parts
                .iter()
                .map(|part| self.patterns.height(part.0))
                .max()
                .unwrap_or(0)
        };
        let height = match &kind {
            PatternKind::List(parts) | PatternKind::Node(_, parts) => all(parts),
            PatternKind::Cons(a, b) => all(&[*a, *b]),
            PatternKind::Success(a) | PatternKind::Failure(a) => all(&[*a]),
            _ => 0,
        } + 1;
        PatternId(match self.fits(height, span) {
            true => self.patterns.push(Pattern { kind, span }, height),
            false => {
                let kind = PatternKind::Missing;
                self.patterns.push(Pattern { kind, span }, 1)
            }
        })
    }

    fn push_type(&mut self, kind: TypeKind, span: Span) -> TypeId {
        let all = |parts: &[TypeId]| {
            parts
                .iter()
                .map(|part| self.types.height(part.0))
                .max()
                .unwrap_or(0)
        };
        let height = match &kind {
            TypeKind::Apply { args, .. } | TypeKind::Tuple(args) => all(args),
            TypeKind::Arrow(a, b) => all(&[*a, *b]),
            TypeKind::Missing | TypeKind::Name(_) => 0,
        } + 1;
        TypeId(match self.fits(height, span) {
            true => self.types.push(Type { kind, span }, height),
            false => {
                let kind = TypeKind::Missing;
                self.types.push(Type { kind, span }, 1)
            }
        })
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

    /// A hole for something absent, right behind the last token.
    fn missing(&mut self) -> ExprId {
        let span = Span::empty(self.rise.last_end());
        self.push(ExprKind::Missing, span)
    }

    /// Runs `inner` one level deeper; `None`, and that it is too deep, where it is.
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

/// The one warning about operators in quotes from print.
fn typographic_quotes(places: &[(Span, &'static str)]) -> Option<Diagnostic> {
    let &(first, operator) = places.first()?;
    let edits = places
        .iter()
        .map(|&(span, operator)| (span, operator.to_owned()))
        .collect();
    Some(
        Diagnostic::new(
            Severity::Warning,
            Code::SyntaxError,
            first,
            format!("these quotes are from print: write `{operator}`, with or without backquotes"),
        )
        .fix("Write the operators without quotes", edits, true),
    )
}
