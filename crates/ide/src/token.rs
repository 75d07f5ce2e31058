//! The words and symbols of an item's text around a cursor.

use syntax::lexer::{Token, TokenKind, lex_in};
use syntax::{Dialect, Span};

/// The token that the cursor means: a word that it touches, else the one after it, else the one
/// before it.
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

/// Whether the token is written with letters or digits.
pub(crate) const fn is_word(kind: TokenKind) -> bool {
    kind.is_reserved()
        || matches!(
            kind,
            TokenKind::Ident | TokenKind::Underscore | TokenKind::Int | TokenKind::Float
        )
}

/// The tokens that end at or before `offset`, comments and blanks left out. A token that holds
/// `offset` in its middle, or a word that ends there, is the second part.
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

/// The brackets that match, in the order of the closing ones.
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
            // Brackets never reach over the start of an item.
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
