//! The tokens of an item's text around a cursor, and its pairs of brackets.

use syntax::lexer::{Token, TokenKind, lex_in};
use syntax::{Dialect, Span, elevate};

/// Returns the token at the cursor: a word that touches it, otherwise the token after it, otherwise
/// the one before it. Comments are tokens, but whitespace is not.
pub(crate) fn at(text: &str, offset: u32, dialect: Dialect) -> Option<Token> {
    let mut found: Option<Token> = None;
    for token in lex_in(text, dialect) {
        if token.span.start > offset {
            break;
        }
        if !token.span.touches(offset) || token.kind == TokenKind::Whitespace {
            continue;
        }
        let better = match found {
            None => true,
            Some(before) => !is_word(before.kind) || is_word(token.kind),
        };
        if better {
            found = Some(token);
        }
    }
    found
}

/// Returns true for an identifier, a reserved word, an underscore or a number.
pub(crate) fn is_word(kind: TokenKind) -> bool {
    kind.is_reserved()
        || matches!(
            kind,
            TokenKind::Ident | TokenKind::Underscore | TokenKind::Int | TokenKind::Float
        )
}

/// Returns the tokens before `offset`, without comments and whitespace, and the token in which
/// `offset` is, which is not among them. That is a token or comment that begins before `offset` and
/// ends after it, or a word that ends at `offset`.
pub(crate) fn before(text: &str, offset: u32, dialect: Dialect) -> (Vec<Token>, Option<Token>) {
    let mut before = Vec::new();
    for token in lex_in(text, dialect) {
        if token.span.start >= offset {
            break;
        }
        let typed = token.span.end > offset || (token.span.end == offset && is_word(token.kind));
        if typed && token.kind != TokenKind::Whitespace {
            return (before, Some(token));
        }
        if !token.kind.is_trivia() {
            before.push(token);
        }
    }
    (before, None)
}

/// Returns the ranges of the opening and the closing bracket of each matching pair, in the order of
/// the closing ones.
pub(crate) fn pairs(tokens: impl Iterator<Item = Token>) -> Vec<(Span, Span)> {
    let mut open: Vec<Token> = Vec::new();
    let mut found = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => open.push(token),
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => {
                if open
                    .last()
                    .is_some_and(|start| closes(start.kind, token.kind))
                    && let Some(start) = open.pop()
                {
                    found.push((start.span, token.span));
                }
            }
            // A pair of brackets never extends over the start of an item.
            TokenKind::Def | TokenKind::Import | TokenKind::Foreign => open.clear(),
            _ => {}
        }
    }
    found
}

fn closes(open: TokenKind, close: TokenKind) -> bool {
    matches!(
        (open, close),
        (TokenKind::LParen, TokenKind::RParen)
            | (TokenKind::LBracket, TokenKind::RBracket)
            | (TokenKind::LBrace, TokenKind::RBrace)
    )
}

/// Returns the matching pairs of brackets in the text of an item of a strategy file, like
/// [`pairs`].
pub(crate) fn strategy_pairs(text: &str) -> Vec<(Span, Span)> {
    pairs(elevate::lex(text))
}
