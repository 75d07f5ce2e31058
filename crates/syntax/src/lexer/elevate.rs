//! Reads the tokens that RISE does not have: operators of strategies, plain or in quotes; the `@`
//! of attributes; names in backquotes; metavariables `?f`; `|->` and `↦`; `::`. Defines the
//! keywords of ELEVATE.

use super::{Language, Lexer, Token, TokenKind};
use crate::ast::words;
use unicode_ident::{is_xid_continue, is_xid_start};

/// The operators between strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
        /// The keyword of rules; before `{`, that of a rule without a name.
        Rule = "rule",
        /// The modifier of a rule that relies on a law which cannot be decided.
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
        /// The keyword of a condition that is decided when a rule is tried, or of the condition of
        /// a tuning parameter.
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

/// Returns the tokens of an ELEVATE text, including trivia, in order and without gaps.
pub fn lex(text: &str) -> impl Iterator<Item = Token> {
    Lexer::new(text, Language::Elevate, true)
}

/// Reads the token at the start of a text, if it is one that only ELEVATE has and no keyword, and
/// returns its kind and its length in bytes; otherwise returns `None`. `touches` is true directly
/// after a token that is not trivia.
pub(super) fn own_token(rest: &str, touches: bool) -> Option<(TokenKind, usize)> {
    use TokenKind::{Attribute, Cons, MapsTo, Metavariable};
    let plain = |combinator, length| {
        let kind = TokenKind::Combinator(combinator, Quotes::Plain);
        Some((kind, length))
    };
    match *rest.as_bytes().first()? {
        b';' if rest.starts_with(";;") => plain(Combinator::SeqNormal, 2),
        b';' => plain(Combinator::Seq, 1),
        b'<' if rest.starts_with("<+") => plain(Combinator::Choice, 2),
        b'@' if !touches && starts_name(&rest[1..]) => Some((Attribute, 1)),
        b'@' => plain(Combinator::At, 1),
        b'|' if rest.starts_with("|->") => Some((MapsTo, 3)),
        b':' if rest.starts_with("::") => Some((Cons, 2)),
        b'?' if starts_name(&rest[1..]) => Some((Metavariable, 1 + word_length(&rest[1..]))),
        b'`' => Some(quoted(rest)),
        0x80.. if rest.starts_with('↦') => Some((MapsTo, '↦'.len_utf8())),
        0x80.. => typographic(rest),
        _ => None,
    }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_xid_continue(c))
        .unwrap_or(text.len())
}

fn starts_name(text: &str) -> bool {
    text.chars()
        .next()
        .is_some_and(|c| c == '_' || is_xid_start(c))
}

/// Reads a token that begins with a backquote, and returns its kind and its length in bytes.
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

/// Reads an operator in typographic quotes, `‘;‘`, and returns its kind and its length in bytes;
/// returns `None` if there is none.
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
