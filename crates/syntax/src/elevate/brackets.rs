//! Which brackets belong together.

use super::lexer::TokenKind;
use crate::TokenKind as Rise;

/// The brackets that are open at a place, the innermost last, each with what is noted of it.
///
/// A bracket is closed by one of its own kind only. One that closes nothing changes nothing, so
/// that a `)` too many does not end the braces around it.
pub(super) struct OpenBrackets<T> {
    open: Vec<(Shape, T)>,
    /// How many of each shape are open.
    counts: [usize; 3],
}

/// Round, square or curly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
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

    /// Reads a token. Returns what was noted of the bracket that it closes, if it closes one; those
    /// that are open inside of that one are closed with it.
    pub(super) fn read(&mut self, kind: TokenKind, note: T) -> Option<T> {
        let TokenKind::Rise(kind) = kind else {
            return None;
        };
        let (shape, opens) = match kind {
            Rise::LParen => (Shape::Round, true),
            Rise::RParen => (Shape::Round, false),
            Rise::LBracket => (Shape::Square, true),
            Rise::RBracket => (Shape::Square, false),
            Rise::LBrace => (Shape::Curly, true),
            Rise::RBrace => (Shape::Curly, false),
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
