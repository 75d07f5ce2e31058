//! Text to tokens. Every byte of the text belongs to exactly one token; nothing is rejected here.
//!
//! The tokens of RISE, and besides: operators of strategies, plain or in quotes; names in
//! backquotes; metavariables `?f`; `|->`; `::`; the words of ELEVATE.

use super::ast::Op;
use crate::{Span, lexer};
use unicode_ident::is_xid_start;

/// A word, symbol, or stretch of trivia.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A token of RISE that means the same here, trivia too.
    Rise(crate::TokenKind),
    /// A reserved word of ELEVATE that RISE does not have.
    Word(Word),
    /// `;`, `;;`, `<+`, `@` between strategies, and how it is written.
    Combinator(Combinator, Quotes),
    /// The `@` of an attribute: it touches the name behind it, and not what stands before it.
    Attribute,
    /// `|->` or `↦`
    MapsTo,
    /// `::`
    Cons,
    /// `` `a name` `` on one line.
    Quoted,
    /// A backquote without its partner on this line, up to the end of the line.
    OpenQuote,
    /// `?f`
    Metavariable,
}

/// The operators between strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combinator {
    /// `;`
    Seq,
    /// `;;`
    SeqNormal,
    /// `<+`
    Choice,
    /// `@`
    At,
}

impl Combinator {
    /// The operator in the tree.
    pub const fn op(self) -> Op {
        match self {
            Combinator::Seq => Op::Seq,
            Combinator::SeqNormal => Op::SeqNormal,
            Combinator::Choice => Op::Choice,
            Combinator::At => Op::At,
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        match text {
            ";" => Some(Combinator::Seq),
            ";;" => Some(Combinator::SeqNormal),
            "<+" => Some(Combinator::Choice),
            "@" => Some(Combinator::At),
            _ => None,
        }
    }
}

/// How an operator is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quotes {
    /// `;`
    Plain,
    /// `` `;` ``
    Back,
    /// `‘;‘`, as text that is copied from print has it.
    Typographic,
}

macro_rules! words {
    ($($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)?) => {
        /// The words that ELEVATE reserves besides those of RISE.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Word { $($(#[$doc])* $variant),+ }

        impl Word {
            /// All of them.
            pub const ALL: &'static [Word] = &[$(Word::$variant),+];

            /// As it is written.
            pub const fn as_str(self) -> &'static str {
                match self { $(Word::$variant => $text),+ }
            }

            /// The one that is written so.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Word::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// Begins a rule; before `{` a rule without a name.
    Rule = "rule",
    /// Stands before `rule`.
    Unsafe = "unsafe",
    /// Begins a strategy.
    Strategy = "strategy",
    /// Begins a value.
    Val = "val",
    /// Begins a predicate.
    Pred = "pred",
    /// Begins a normal form.
    NormalForm = "normalform",
    /// Begins a size that is tuned.
    Tune = "tune",
    /// Begins an example.
    Example = "example",
    /// Begins the header that names the language of the programs.
    Language = "language",
    /// Begins the header that sets the order of traversals.
    Traversal = "traversal",
    /// Stands behind what is looked at.
    Match = "match",
    /// Begins a case.
    Case = "case",
    /// Begins a choice by a truth value, or the guard of a case.
    If = "if",
    /// Stands before the first branch.
    Then = "then",
    /// Stands before the second branch.
    Else = "else",
    /// Sets the normal form of `;;`.
    With = "with",
    /// Begins a condition that is decided.
    Where = "where",
    /// Begins a condition that must be proved.
    Requires = "requires",
    /// Begins a condition that must not be refuted.
    Assuming = "assuming",
}

impl Word {
    /// Whether it begins an item wherever it stands; `rule` does so unless a `{` follows it.
    pub const fn begins_item(self) -> bool {
        matches!(
            self,
            Word::Rule
                | Word::Unsafe
                | Word::Strategy
                | Word::Val
                | Word::Pred
                | Word::NormalForm
                | Word::Tune
                | Word::Example
                | Word::Language
                | Word::Traversal
        )
    }
}

impl TokenKind {
    /// Whether it means nothing to the parser: whitespace and closed comments.
    pub const fn is_trivia(self) -> bool {
        matches!(self, TokenKind::Rise(kind) if kind.is_trivia())
    }

    /// Whether it is a comment of any form.
    pub const fn is_comment(self) -> bool {
        matches!(self, TokenKind::Rise(kind) if kind.is_comment())
    }

    /// What it is to the parser of RISE: its own tokens are what they are, names are names, and
    /// nothing else goes on with a term.
    pub(super) const fn in_rise(self) -> crate::TokenKind {
        match self {
            TokenKind::Rise(crate::TokenKind::Bar | crate::TokenKind::At) => {
                crate::TokenKind::Unknown
            }
            TokenKind::Rise(kind) => kind,
            TokenKind::Quoted | TokenKind::Metavariable => crate::TokenKind::Ident,
            _ => crate::TokenKind::Unknown,
        }
    }
}

/// The tokens of a text, trivia included, in order and without gaps.
pub fn lex(text: &str) -> impl Iterator<Item = Token> {
    Lexer::within(text, true)
}

/// The iterator behind [`lex`].
pub(super) struct Lexer<'t> {
    text: &'t str,
    inner: lexer::Lexer<'t>,
    /// Whether a token that is no trivia ends at the current place.
    touching: bool,
}

impl<'t> Lexer<'t> {
    /// A lexer for a text that may be taken from the middle of its file, at the beginning of an
    /// item.
    pub(super) fn within(text: &'t str, file_start: bool) -> Self {
        Lexer {
            text,
            inner: lexer::Lexer::within(text, file_start),
            touching: false,
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.inner.pos()..).unwrap_or("")
    }

    /// A token that RISE does not have, and its length.
    fn own(&self) -> Option<(TokenKind, usize)> {
        use TokenKind::{Attribute, Cons, MapsTo, Metavariable};
        let rest = self.rest();
        let plain = |combinator, length| {
            let kind = TokenKind::Combinator(combinator, Quotes::Plain);
            Some((kind, length))
        };
        match *rest.as_bytes().first()? {
            b';' if rest.starts_with(";;") => plain(Combinator::SeqNormal, 2),
            b';' => plain(Combinator::Seq, 1),
            b'<' if rest.starts_with("<+") => plain(Combinator::Choice, 2),
            b'@' if !self.touching && starts_name(&rest[1..]) => Some((Attribute, 1)),
            b'@' => plain(Combinator::At, 1),
            b'|' if rest.starts_with("|->") => Some((MapsTo, 3)),
            b':' if rest.starts_with("::") => Some((Cons, 2)),
            b'?' if starts_name(&rest[1..]) => Some((Metavariable, 1 + self.inner.word_length(1))),
            b'`' => Some(quoted(rest)),
            0x80.. if rest.starts_with('↦') => Some((MapsTo, '↦'.len_utf8())),
            0x80.. => typographic(rest),
            _ => None,
        }
    }
}

fn starts_name(text: &str) -> bool {
    text.chars()
        .next()
        .is_some_and(|c| c == '_' || is_xid_start(c))
}

/// What begins with a backquote.
fn quoted(rest: &str) -> (TokenKind, usize) {
    let line = rest.lines().next().unwrap_or(rest);
    match line[1..].find('`') {
        Some(length) => {
            let kind = match Combinator::from_text(line[1..=length].trim()) {
                Some(combinator) => TokenKind::Combinator(combinator, Quotes::Back),
                None => TokenKind::Quoted,
            };
            (kind, length + 2)
        }
        None => (TokenKind::OpenQuote, line.len()),
    }
}

/// `‘;‘`
fn typographic(rest: &str) -> Option<(TokenKind, usize)> {
    let marks = ['‘', '’', '‛', '´', '′'];
    let inner = rest.strip_prefix(marks)?;
    let length = inner.find(marks).filter(|&length| length <= 8)?;
    let combinator = Combinator::from_text(inner[..length].trim())?;
    let behind = inner[length..].chars().next().map_or(0, char::len_utf8);
    let total = rest.len() - inner.len() + length + behind;
    Some((
        TokenKind::Combinator(combinator, Quotes::Typographic),
        total,
    ))
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let start = self.inner.pos();
        let (kind, end) = match self.own() {
            Some((kind, length)) => {
                self.inner.pass(length);
                (kind, start + length)
            }
            None => {
                let token = self.inner.next()?;
                let kind = match token.kind {
                    crate::TokenKind::Ident => self
                        .text
                        .get(std::ops::Range::from(token.span))
                        .and_then(Word::from_text)
                        .map_or(TokenKind::Rise(token.kind), TokenKind::Word),
                    kind => TokenKind::Rise(kind),
                };
                (kind, token.span.end as usize)
            }
        };
        self.touching = !kind.is_trivia();
        Some(Token {
            kind,
            span: Span::new(start as u32, end as u32),
        })
    }
}
