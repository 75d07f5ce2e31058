//! Semantic tokens of strategy files.

use elevate::lang::TYPES;
use syntax::TokenKind;
use syntax::elevate::lex;

use super::{Class, Modifiers, TokenType, Word, WordKind, word_class};

/// Words that are keywords only in some contexts, and otherwise names.
const CONTEXTUAL: [&str; 11] = [
    "and", "apply", "divides", "expect", "failure", "input", "modulo", "not", "notIn", "or",
    "trace",
];

pub(super) fn words(text: &str) -> impl Iterator<Item = Word> {
    lex(text).filter_map(|token| {
        let kind = match token.kind {
            kind if kind.is_comment() => WordKind::Comment,
            kind if kind.is_trivia() => return None,
            TokenKind::Attribute => WordKind::Sign,
            _ => WordKind::Name,
        };
        Some(Word { token, kind })
    })
}

/// Returns the class of a token of a strategy file independently of its context; brackets and most
/// names have none.
pub(super) fn plain(kind: TokenKind, word: &str) -> Option<Class> {
    let class = |ty| Some((ty, Modifiers::default()));
    match kind {
        TokenKind::Word(_) => class(TokenType::Keyword),
        TokenKind::Combinator(..) | TokenKind::MapsTo | TokenKind::Cons => {
            class(TokenType::Operator)
        }
        TokenKind::Metavariable => class(TokenType::Parameter),
        TokenKind::Ident if TYPES.iter().any(|(name, _)| *name == word) => {
            Some((TokenType::Type, Modifiers::DEFAULT_LIBRARY))
        }
        TokenKind::Ident if CONTEXTUAL.contains(&word) => class(TokenType::Keyword),
        TokenKind::Attribute | TokenKind::Quoted | TokenKind::OpenQuote => None,
        kind => word_class(kind, word),
    }
}
