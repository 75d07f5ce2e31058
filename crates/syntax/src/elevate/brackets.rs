//! Matches opening and closing brackets.

use crate::TokenKind;

/// A stack of the open brackets at a position, each with a value of type `T`.
///
/// A bracket is closed only by one of its own shape, which also closes the open brackets within it.
/// A closing bracket without an open one of its shape has no effect, so that a superfluous `)` does
/// not close the braces around it.
pub(super) struct OpenBrackets<T> {
    open: Vec<(BracketKind, T)>,
    /// The number of open brackets of each shape.
    counts: [usize; 3],
}

/// The shape of a bracket: round, square or curly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketKind {
    Round,
    Square,
    Curly,
}

impl<T> OpenBrackets<T> {
    pub(super) fn new() -> Self {
        OpenBrackets {
            open: Vec::new(),
            counts: [0; 3],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Reads a token. An opening bracket is put on the stack with the value `note`. A closing
    /// bracket removes the innermost open bracket of its shape and the brackets within it; the
    /// value of the former is returned. Any other token has no effect.
    pub(super) fn read(&mut self, kind: TokenKind, note: T) -> Option<T> {
        let (shape, opens) = match kind {
            TokenKind::LParen => (BracketKind::Round, true),
            TokenKind::RParen => (BracketKind::Round, false),
            TokenKind::LBracket => (BracketKind::Square, true),
            TokenKind::RBracket => (BracketKind::Square, false),
            TokenKind::LBrace => (BracketKind::Curly, true),
            TokenKind::RBrace => (BracketKind::Curly, false),
            _ => return None,
        };
        if opens {
            self.counts[shape as usize] += 1;
            self.open.push((shape, note));
            return None;
        }
        if self.counts[shape as usize] == 0 {
            return None;
        }
        while let Some((innermost, note)) = self.open.pop() {
            self.counts[innermost as usize] -= 1;
            if innermost == shape {
                return Some(note);
            }
        }
        None
    }
}
