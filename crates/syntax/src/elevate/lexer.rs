//! Splits a text into tokens. Every byte of the text is in exactly one token, and no text is
//! rejected.
//!
//! The tokens are those of RISE and the following: operators of strategies, plain or in quotes;
//! names in backquotes; metavariables `?f`; `|->`; `::`; the keywords of ELEVATE.

use super::ast::Op;
use crate::ast::words;
use crate::{Span, lexer};
use unicode_ident::is_xid_start;

/// A word, a symbol or a run of trivia.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The span of the token.
    pub span: Span,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A RISE token with the same meaning, including trivia.
    Rise(crate::TokenKind),
    /// A keyword of ELEVATE that RISE does not have.
    Word(Word),
    /// An operator between strategies, `;`, `;;`, `<+` or `@`, and its notation.
    Combinator(Combinator, Quotes),
    /// The `@` of an attribute: it is adjacent to the name after it, and not to the token before
    /// it.
    Attribute,
    /// The arrow of a rule, `|->` or `↦`.
    MapsTo,
    /// The operator `::`.
    Cons,
    /// A name in backquotes on one line, `` `a name` ``.
    Quoted,
    /// A backquote without a second one on its line, up to the end of the line.
    OpenQuote,
    /// A metavariable `?f`.
    Metavariable,
}

/// The operators between strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combinator {
    /// The operator `;`.
    Seq,
    /// The operator `;;`.
    SeqNormal,
    /// The operator `<+`.
    Choice,
    /// The operator `@`.
    At,
}

impl Combinator {
    /// Returns the operator of the syntax tree.
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

/// The notations of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quotes {
    /// An operator without quotes, `;`.
    Plain,
    /// An operator in backquotes, `` `;` ``.
    Back,
    /// An operator in typographic quotes, `‘;‘`, as in text copied from print.
    Typographic,
}

words! {
    /// The keywords of ELEVATE that RISE does not reserve.
    Word {
        /// The keyword of rules; before `{` of anonymous rules.
        Rule = "rule",
        /// The modifier of a rule that needs a law which cannot be decided.
        Unsafe = "unsafe",
        /// The keyword of strategies.
        Strategy = "strategy",
        /// The keyword of values.
        Val = "val",
        /// The keyword of predicates.
        Pred = "pred",
        /// The keyword of normal forms.
        NormalForm = "normalform",
        /// The keyword of tuning parameters.
        Tune = "tune",
        /// The keyword of examples.
        Example = "example",
        /// The keyword of the header that names the language of the programs.
        Language = "language",
        /// The keyword of the header that sets the order of traversals.
        Traversal = "traversal",
        /// The keyword after the matched expression.
        Match = "match",
        /// The keyword of a case.
        Case = "case",
        /// The keyword of a conditional expression or the guard of a case.
        If = "if",
        /// The keyword before the first branch.
        Then = "then",
        /// The keyword before the second branch.
        Else = "else",
        /// The keyword that sets the normal form of `;;`.
        With = "with",
        /// The keyword of a condition that is decided.
        Where = "where",
        /// The keyword of a condition that must be proved.
        Requires = "requires",
        /// The keyword of a condition that must not be refuted.
        Assuming = "assuming",
    }
}

impl Word {
    /// Returns true if the keyword begins an item at any position; `rule` does so unless a `{`
    /// follows.
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
    /// Returns true if the parser ignores the token: whitespace and closed comments.
    pub const fn is_trivia(self) -> bool {
        matches!(self, TokenKind::Rise(kind) if kind.is_trivia())
    }

    /// Returns true for a comment of any form.
    pub const fn is_comment(self) -> bool {
        matches!(self, TokenKind::Rise(kind) if kind.is_comment())
    }

    /// Returns the kind of the token for the RISE parser: RISE tokens keep their kind, names are
    /// identifiers, and any other token ends a term.
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

/// Returns the tokens of a text, including trivia, in order and without gaps.
pub fn lex(text: &str) -> impl Iterator<Item = Token> {
    Lexer::within(text, true)
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    inner: lexer::Lexer<'t>,
    /// True if a token that is not trivia ends at the current position.
    touching: bool,
}

impl<'t> Lexer<'t> {
    /// Creates a lexer for a text that begins at the start of an item, possibly in the middle of a
    /// file.
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

    /// Reads a token that RISE does not have. Returns its kind and length.
    fn elevate_token(&self) -> Option<(TokenKind, usize)> {
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

/// Reads a token that begins with a backquote.
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

/// Reads an operator in typographic quotes, `‘;‘`.
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
        let (kind, end) = match self.elevate_token() {
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
