//! The words and symbols of an item's text around a cursor.

use syntax::lexer::{Token, TokenKind, lex};

/// The token that the cursor means: a word that it touches, else the one after it, else the one
/// before it.
pub(crate) fn at(text: &str, offset: u32) -> Option<Token> {
    let mut found: Option<Token> = None;
    for token in lex(text) {
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
pub(crate) fn before(text: &str, offset: u32) -> (Vec<Token>, Option<Token>) {
    let mut before = Vec::new();
    for token in lex(text) {
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
