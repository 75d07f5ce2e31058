//! Converts between the client's positions (line and character) and byte offsets.
//!
//! No conversion fails: a position outside of the text, or inside of a character, becomes the
//! nearest one before it.

use ropey::Rope;
use ropey::str_utils::byte_to_line_idx;
use syntax::Span;
use tower_lsp::lsp_types::{Position, PositionEncodingKind, Range};

/// The position encoding: the unit in which the client counts columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// UTF-16 code units, the default of the protocol.
    #[default]
    Utf16,
    /// Unicode code points.
    Utf32,
}

impl Encoding {
    /// Returns the first of the client's encodings that is supported; UTF-16 if there is none.
    pub fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        };
        offered
            .unwrap_or_default()
            .iter()
            .find_map(known)
            .unwrap_or_default()
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the length of `text` in this encoding.
    pub fn len(self, text: &str) -> usize {
        match self {
            _ if text.is_ascii() => text.len(),
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
            Encoding::Utf32 => text.chars().count(),
        }
    }
}

/// The byte offset of a position, and a flag that the position had to be moved to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clamped {
    pub byte: usize,
    /// True if the line was after the last one, or the column was inside of a character.
    pub moved: bool,
}

/// Returns the byte offset of `position`. A column after the end of the line means its end, as the
/// protocol demands; a line after the last one, or a column inside of a character, counts as moved.
pub fn to_byte(rope: &Rope, position: Position, encoding: Encoding) -> Clamped {
    let line = position.line as usize;
    if line >= rope.len_lines() {
        return Clamped {
            byte: rope.len_bytes(),
            moved: true,
        };
    }
    let start = rope.line_to_char(line);
    let end = content_end(rope, line);
    let column = position.character as usize;
    let char = match encoding {
        Encoding::Utf32 => start.saturating_add(column).min(end),
        Encoding::Utf8 => {
            let byte = rope.char_to_byte(start).saturating_add(column);
            rope.byte_to_char(byte.min(rope.char_to_byte(end)))
        }
        Encoding::Utf16 => {
            let unit = rope.char_to_utf16_cu(start).saturating_add(column);
            rope.utf16_cu_to_char(unit.min(rope.char_to_utf16_cu(end)))
        }
    };
    let byte = rope.char_to_byte(char);
    let moved = char < end && column_of(rope, start, char, encoding) != column;
    Clamped { byte, moved }
}

/// Returns the position of a byte offset, or that of the end of the text if the offset is after it.
pub fn to_position(rope: &Rope, byte: usize, encoding: Encoding) -> Position {
    if let Some(position) = near_position(rope, byte, encoding) {
        return position;
    }
    far_position(rope, byte, encoding)
}

fn far_position(rope: &Rope, byte: usize, encoding: Encoding) -> Position {
    let char = rope.byte_to_char(byte.min(rope.len_bytes()));
    let line = rope.char_to_line(char);
    let column = column_of(rope, rope.line_to_char(line), char, encoding);
    Position::new(number(line), number(column))
}

/// Returns the position of a byte whose line starts in the same chunk of the rope, and else `None`.
/// The lookup descends into the rope once and scans some hundred bytes.
fn near_position(rope: &Rope, byte: usize, encoding: Encoding) -> Option<Position> {
    let (chunk, chunk_start, _, chunk_line) = rope.get_chunk_at_byte(byte)?;
    let before = chunk.get(..byte - chunk_start)?;
    let bytes = before.as_bytes();
    let last = *bytes.last()?;
    let line_start = bytes
        .iter()
        .rposition(|&byte| matches!(byte, b'\n' | b'\r'))?
        + 1;
    if last == b'\r' {
        // The next chunk may begin with `
        // `.
        return None;
    }
    let line = chunk_line + byte_to_line_idx(before, before.len());
    let column = encoding.len(before.get(line_start..)?);
    Some(Position::new(number(line), number(column)))
}

/// The line starts of a constant text, for the conversion of many offsets.
pub struct Lines<'t> {
    text: &'t str,
    /// The byte offsets of the line starts.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Lines<'t> {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                starts.push(at + 1);
            }
        }
        Lines { text, starts }
    }

    /// Converts a range of byte offsets to a range of positions.
    pub fn range(&self, bytes: &std::ops::Range<usize>, encoding: Encoding) -> Range {
        Range::new(
            self.position(bytes.start, encoding),
            self.position(bytes.end, encoding),
        )
    }

    fn position(&self, byte: usize, encoding: Encoding) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte) - 1;
        let before = self.text.get(self.starts[line]..byte);
        Position::new(
            number(line),
            number(encoding.len(before.unwrap_or_default())),
        )
    }
}

/// Returns the span of a range; empty if its end is before its start.
pub fn to_span(rope: &Rope, range: Range, encoding: Encoding) -> Span {
    let start = number(to_byte(rope, range.start, encoding).byte);
    let end = number(to_byte(rope, range.end, encoding).byte);
    Span::new(start, end.max(start))
}

pub fn to_range(rope: &Rope, span: Span, encoding: Encoding) -> Range {
    Range::new(
        to_position(rope, span.start as usize, encoding),
        to_position(rope, span.end as usize, encoding),
    )
}

/// Converts a number, saturating at the largest one of the protocol.
pub fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn column_of(rope: &Rope, line_start: usize, char: usize, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf32 => char - line_start,
        Encoding::Utf8 => rope.char_to_byte(char) - rope.char_to_byte(line_start),
        Encoding::Utf16 => rope.char_to_utf16_cu(char) - rope.char_to_utf16_cu(line_start),
    }
}

/// Returns the index of the character after the content of a line, without its line break.
fn content_end(rope: &Rope, line: usize) -> usize {
    if line + 1 >= rope.len_lines() {
        return rope.len_chars();
    }
    let mut end = rope.line_to_char(line + 1) - 1;
    let start = rope.line_to_char(line);
    if rope.char(end) == '\n' && end > start && rope.char(end - 1) == '\r' {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn at(text: &str, line: u32, character: u32, encoding: Encoding) -> (usize, bool) {
        let found = to_byte(
            &Rope::from_str(text),
            Position::new(line, character),
            encoding,
        );
        (found.byte, found.moved)
    }

    #[test]
    fn every_character_is_found_again_in_every_encoding() {
        let text = "a\u{e4}\u{1F600}z\r\nb\rc\u{2028}d\n\n\u{FEFF}e\u{0C}f";
        let rope = Rope::from_str(text);
        for encoding in ALL {
            for (byte, _) in text.char_indices() {
                if text[..byte].ends_with('\r') && text[byte..].starts_with('\n') {
                    continue;
                }
                let position = to_position(&rope, byte, encoding);
                let lines = Lines::new(text);
                assert_eq!(lines.range(&(byte..byte), encoding).start, position);
                let found = to_byte(&rope, position, encoding);
                assert_eq!(
                    found,
                    Clamped { byte, moved: false },
                    "{encoding:?} {position:?}"
                );
            }
        }
    }

    #[test]
    fn only_cr_lf_and_both_end_a_line() {
        let rope = Rope::from_str("a\u{2028}b\u{0B}c\u{85}d\ne\rf\r\ng");
        let line = |c: char| {
            let byte = rope.to_string().find(c).expect("the character is there");
            to_position(&rope, byte, Encoding::Utf32).line
        };
        assert_eq!(['a', 'd', 'e', 'f', 'g'].map(line), [0, 0, 1, 2, 3]);
    }

    #[test]
    fn the_short_way_to_a_position_leads_where_the_long_one_does() {
        // The text is longer than several chunks of a rope, with all kinds of line breaks at their
        // boundaries.
        let parts = [
            "\r\n",
            "a",
            "\n",
            "\u{e4}b",
            "\r",
            "\u{1F600}",
            "\r\n\r\n",
            "cdefg",
        ];
        let mut text = String::new();
        let mut state: usize = 7;
        while text.len() < 20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695);
            text.push_str(parts[(state >> 33) % parts.len()]);
        }
        let mut rope = Rope::from_str(&text);
        rope.insert(7_001, "x\r");
        rope.insert(7_003, "\ny");
        for encoding in ALL {
            for byte in 0..=rope.len_bytes() {
                if let Some(near) = near_position(&rope, byte, encoding) {
                    assert_eq!(
                        near,
                        far_position(&rope, byte, encoding),
                        "{encoding:?} {byte}"
                    );
                }
            }
        }
    }

    #[test]
    fn half_a_character_is_the_place_before_it() {
        assert_eq!(at("\u{1F600}x", 0, 1, Encoding::Utf16), (0, true));
        assert_eq!(at("\u{1F600}x", 0, 2, Encoding::Utf16), (4, false));
        assert_eq!(at("\u{1F600}x", 0, 3, Encoding::Utf8), (0, true));
        assert_eq!(at("\u{1F600}x", 0, 4, Encoding::Utf8), (4, false));
    }

    #[test]
    fn behind_a_line_is_its_end_and_behind_the_text_is_the_end_of_it() {
        for encoding in ALL {
            assert_eq!(at("ab\r\ncd", 0, 99, encoding), (2, false));
            assert_eq!(at("ab\r\ncd", 0, u32::MAX, encoding), (2, false));
            assert_eq!(at("ab\r\ncd", 1, 99, encoding), (6, false));
            assert_eq!(at("ab\r\ncd", 2, 0, encoding), (6, true));
            assert_eq!(at("ab\n", 1, 0, encoding), (3, false));
            assert_eq!(at("", 0, 0, encoding), (0, false));
        }
    }

    #[test]
    fn a_range_that_runs_backwards_is_empty() {
        let rope = Rope::from_str("abc");
        let range = Range::new(Position::new(0, 2), Position::new(0, 1));
        assert_eq!(to_span(&rope, range, Encoding::Utf16), Span::new(2, 2));
    }

    #[test]
    fn the_client_chooses_among_the_encodings_that_exist() {
        let offer = |kinds: &[&'static str]| {
            let kinds: Vec<_> = kinds
                .iter()
                .map(|kind| PositionEncodingKind::from(kind.to_string()))
                .collect();
            Encoding::negotiate(Some(&kinds))
        };
        assert_eq!(offer(&["utf-32", "utf-8"]), Encoding::Utf32);
        assert_eq!(offer(&["ebcdic", "utf-8"]), Encoding::Utf8);
        assert_eq!(offer(&[]), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
    }
}
