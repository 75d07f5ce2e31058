//! Extracts lines of a text for a snippet, and truncates long lines around the marked ranges.

use ropey::Rope;
use std::ops::{Range, RangeInclusive};
use syntax::Span;

/// The largest length in bytes of a line that is not truncated.
const MAX_LINE_BYTES: usize = 1000;
/// The number of bytes of a truncated line that are kept before and after the marked ranges.
const CONTEXT_BYTES: usize = 200;
const ELLIPSIS: &str = "…";

/// The extracted lines, with a mapping of byte offsets.
pub struct SnippetText {
    /// The lines, each followed by a line break, with `…` in place of truncated parts.
    pub text: String,
    /// True if a line is truncated at its beginning, so that its columns cannot be computed from
    /// the snippet.
    pub cut: bool,
    lines: Vec<Line>,
    first: usize,
}

struct Line {
    /// The byte range of the text that is shown.
    bytes: Range<usize>,
    /// The offset of these bytes in the snippet.
    at: usize,
}

/// Returns the byte range of a line without its line break.
pub fn line_bytes(text: &Rope, line: usize) -> Range<usize> {
    let start = text.line_to_byte(line);
    let content = text.line(line);
    let breaks = content
        .chars_at(content.len_chars())
        .reversed()
        .take(2)
        .take_while(|c| matches!(c, '\n' | '\r'));
    start..start + content.len_bytes() - breaks.count()
}

/// Returns the range from the line in which `span` begins to the one in which it ends.
pub fn lines_of(text: &Rope, span: Span) -> RangeInclusive<usize> {
    let line = |byte: u32| text.byte_to_line((byte as usize).min(text.len_bytes()));
    let first = line(span.start);
    // A span that ends at the start of a line ends in the line before it.
    let last = if span.end > span.start {
        line(span.end - 1)
    } else {
        first
    };
    first..=last.max(first)
}

impl SnippetText {
    /// Extracts these lines. Truncated lines keep the text around the spans of `focus`.
    pub fn new(text: &Rope, lines: RangeInclusive<usize>, focus: &[Span]) -> SnippetText {
        let mut snippet = SnippetText {
            text: String::new(),
            cut: false,
            lines: Vec::new(),
            first: *lines.start(),
        };
        for line in lines {
            let full = line_bytes(text, line);
            let bytes = kept(text, &full, focus);
            if bytes.start > full.start {
                snippet.cut = true;
                snippet.text.push_str(ELLIPSIS);
            }
            snippet.lines.push(Line {
                bytes: bytes.clone(),
                at: snippet.text.len(),
            });
            snippet.text.extend(text.byte_slice(bytes.clone()).chunks());
            if bytes.end < full.end {
                snippet.text.push_str(ELLIPSIS);
            }
            snippet.text.push('\n');
        }
        snippet
    }

    /// Maps a byte offset of the text to an offset in the snippet: to the nearest shown byte of its
    /// line if the byte itself is truncated.
    pub fn place(&self, byte: usize) -> usize {
        let after = self.lines.partition_point(|line| line.bytes.start <= byte);
        let Some(line) = self.lines.get(after.saturating_sub(1)) else {
            return 0;
        };
        line.at + byte.clamp(line.bytes.start, line.bytes.end) - line.bytes.start
    }

    /// Returns the offset in the snippet at which a line of the text ends.
    pub fn line_end(&self, line: usize) -> usize {
        let line = self.lines.get(line.saturating_sub(self.first));
        line.map_or(self.text.len(), |line| line.at + line.bytes.len())
    }
}

/// Returns the byte range of the part of a line that is shown; `full` is the range of the line.
fn kept(text: &Rope, full: &Range<usize>, focus: &[Span]) -> Range<usize> {
    if full.len() <= MAX_LINE_BYTES {
        return full.clone();
    }
    let starts = focus
        .iter()
        .map(|span| span.start as usize)
        .filter(|start| (full.start..=full.end).contains(start));
    let ends = focus
        .iter()
        .map(|span| span.end as usize)
        .filter(|end| (full.start..=full.end).contains(end));
    let (first, last) = match (starts.clone().min(), ends.max()) {
        (Some(first), last) => (
            first,
            last.unwrap_or(full.end)
                .min(first + MAX_LINE_BYTES - 2 * CONTEXT_BYTES),
        ),
        (None, Some(last)) => (last, last),
        (None, None) => (full.start, full.start),
    };
    let start = boundary(text, first.saturating_sub(CONTEXT_BYTES).max(full.start));
    let end = boundary(
        text,
        last.max(first).saturating_add(CONTEXT_BYTES).min(full.end),
    );
    // A cut of a few bytes would not be shorter than the ellipsis.
    let start = if start - full.start <= ELLIPSIS.len() {
        full.start
    } else {
        start
    };
    start..end
}

fn boundary(text: &Rope, byte: usize) -> usize {
    text.char_to_byte(text.byte_to_char(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_are_shown_whole_and_end_alike() {
        let text = Rope::from_str("one\r\ntwo\rthree\nfour");
        let snippet = SnippetText::new(&text, 1..=2, &[]);
        assert_eq!(snippet.text, "two\nthree\n");
        assert!(!snippet.cut);
        assert_eq!(snippet.place(6), 1, "the w of two");
        assert_eq!(snippet.place(9), 4, "the t of three");
        assert_eq!(snippet.line_end(1), 3);
    }

    #[test]
    fn long_lines_are_cut_around_the_focus() {
        let line = format!("{}HERE{}", "é".repeat(500_000), "ü".repeat(500_000));
        let at = u32::try_from(line.find("HERE").unwrap()).unwrap();
        let snippet = SnippetText::new(&Rope::from_str(&line), 0..=0, &[Span::new(at, at + 4)]);
        assert!(
            snippet.cut && snippet.text.len() < 500,
            "{} bytes",
            snippet.text.len()
        );
        let start = snippet.place(at as usize);
        assert_eq!(&snippet.text[start..start + 4], "HERE");
        assert!(snippet.text.starts_with('…') && snippet.text.ends_with("…\n"));
    }

    #[test]
    fn a_place_behind_the_text_is_its_end() {
        let text = Rope::from_str("ab");
        let snippet = SnippetText::new(&text, lines_of(&text, Span::new(9, 12)), &[]);
        assert_eq!((snippet.text.as_str(), snippet.place(12)), ("ab\n", 2));
    }
}
