//! Positions as lines and columns, both counted from 0 and columns in UTF-16 code units, as in LSP.

use ropey::Rope;
use serde::Serialize;
use syntax::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    pub line: usize,
    /// The column in UTF-16 code units.
    pub character: usize,
}

/// A half-open range of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Range {
    pub start: Position,
    /// The exclusive end.
    pub end: Position,
}

/// Returns the position of the byte offset `byte`, or the end of the text if it is behind it.
pub fn position(text: &Rope, byte: usize) -> Position {
    let char = text.byte_to_char(byte.min(text.len_bytes()));
    let line = text.char_to_line(char);
    let start = text.char_to_utf16_cu(text.line_to_char(line));
    Position {
        line,
        character: text.char_to_utf16_cu(char) - start,
    }
}

pub fn range(text: &Rope, span: Span) -> Range {
    Range {
        start: position(text, span.start as usize),
        end: position(text, span.end as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_utf16_units_and_all_line_ends_count() {
        let text = Rope::from_str("a😀b\r\nc\rd\né!");
        let at = |pattern: char| {
            let byte = text.to_string().find(pattern).unwrap();
            let Position { line, character } = position(&text, byte);
            (line, character)
        };
        assert_eq!(at('b'), (0, 3));
        assert_eq!(at('c'), (1, 0));
        assert_eq!(at('d'), (2, 0));
        assert_eq!(at('!'), (3, 1));
        assert_eq!(
            position(&text, text.len_bytes() + 7),
            Position {
                line: 3,
                character: 2
            }
        );
    }
}
