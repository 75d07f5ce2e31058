//! Some lines of a text, with long ones cut around the places that matter.

use ropey::Rope;
use std::ops::{Range, RangeInclusive};
use syntax::Span;

/// A line of more bytes is cut.
const LONG_LINE: usize = 1000;
/// Bytes of a cut line that are kept on both sides of a place.
const SIDE: usize = 200;
/// Stands for what is cut.
const ELLIPSIS: &str = "…";

/// Lines of a text, to be shown.
pub struct Window {
    /// The lines, each with its line break.
    pub text: String,
    /// Whether a line is not shown from its beginning, so that columns cannot be counted in it.
    pub cut: bool,
    lines: Vec<Line>,
    first: usize,
}

/// A line in a window.
struct Line {
    /// What is shown of it, in the text.
    bytes: Range<usize>,
    /// Where that begins in the window.
    at: usize,
}

/// The bytes of a line without its end.
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

/// The lines in which `span` begins and ends.
pub fn lines_of(text: &Rope, span: Span) -> RangeInclusive<usize> {
    let line = |byte: u32| text.byte_to_line((byte as usize).min(text.len_bytes()));
    let first = line(span.start);
    // A span up to a line's very start ends in the line before it.
    let last = if span.end > span.start {
        line(span.end - 1)
    } else {
        first
    };
    first..=last.max(first)
}

impl Window {
    /// The window on these lines, in which `focus` matters.
    pub fn new(text: &Rope, lines: RangeInclusive<usize>, focus: &[Span]) -> Window {
        let mut window = Window {
            text: String::new(),
            cut: false,
            lines: Vec::new(),
            first: *lines.start(),
        };
        for line in lines {
            let full = line_bytes(text, line);
            let bytes = kept(text, &full, focus);
            if bytes.start > full.start {
                window.cut = true;
                window.text.push_str(ELLIPSIS);
            }
            window.lines.push(Line {
                bytes: bytes.clone(),
                at: window.text.len(),
            });
            window.text.extend(text.byte_slice(bytes.clone()).chunks());
            if bytes.end < full.end {
                window.text.push_str(ELLIPSIS);
            }
            window.text.push('\n');
        }
        window
    }

    /// Where a byte of the text is in the window; the nearest shown place, if it is not shown.
    pub fn place(&self, byte: usize) -> usize {
        let after = self.lines.partition_point(|line| line.bytes.start <= byte);
        let Some(line) = self.lines.get(after.saturating_sub(1)) else {
            return 0;
        };
        line.at + byte.clamp(line.bytes.start, line.bytes.end) - line.bytes.start
    }

    /// Where a line of the text ends in the window.
    pub fn line_end(&self, line: usize) -> usize {
        let line = self.lines.get(line.saturating_sub(self.first));
        line.map_or(self.text.len(), |line| line.at + line.bytes.len())
    }
}

/// What is shown of a line.
fn kept(text: &Rope, full: &Range<usize>, focus: &[Span]) -> Range<usize> {
    if full.len() <= LONG_LINE {
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
            last.unwrap_or(full.end).min(first + LONG_LINE - 2 * SIDE),
        ),
        (None, Some(last)) => (last, last),
        (None, None) => (full.start, full.start),
    };
    let start = boundary(text, first.saturating_sub(SIDE).max(full.start));
    let end = boundary(text, last.max(first).saturating_add(SIDE).min(full.end));
    // What would be saved by a cut of a few bytes is not worth the dots.
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
        let window = Window::new(&text, 1..=2, &[]);
        assert_eq!(window.text, "two\nthree\n");
        assert!(!window.cut);
        assert_eq!(window.place(6), 1, "the w of two");
        assert_eq!(window.place(9), 4, "the t of three");
        assert_eq!(window.line_end(1), 3);
    }

    #[test]
    fn long_lines_are_cut_around_the_focus() {
        let line = format!("{}HERE{}", "é".repeat(500_000), "ü".repeat(500_000));
        let at = u32::try_from(line.find("HERE").unwrap()).unwrap();
        let window = Window::new(&Rope::from_str(&line), 0..=0, &[Span::new(at, at + 4)]);
        assert!(
            window.cut && window.text.len() < 500,
            "{} bytes",
            window.text.len()
        );
        let start = window.place(at as usize);
        assert_eq!(&window.text[start..start + 4], "HERE");
        assert!(window.text.starts_with('…') && window.text.ends_with("…\n"));
    }

    #[test]
    fn a_place_behind_the_text_is_its_end() {
        let text = Rope::from_str("ab");
        let window = Window::new(&text, lines_of(&text, Span::new(9, 12)), &[]);
        assert_eq!((window.text.as_str(), window.place(12)), ("ab\n", 2));
    }
}
