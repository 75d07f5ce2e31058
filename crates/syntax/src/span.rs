//! Defines ranges of bytes in the text of an item or of a file.

use std::fmt;
use std::ops::Range;

/// A half-open range of bytes, `start <= end`.
///
/// A span in a syntax tree counts from the first byte of its item, so that typing before the item
/// does not change it; the span of an item counts from the first byte of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The index of the first byte.
    pub start: u32,
    /// The index after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the span `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// Creates the empty span at `at`.
    pub const fn empty(at: u32) -> Self {
        Span { start: at, end: at }
    }

    /// Returns the smallest span that contains both spans and the bytes between them.
    pub fn cover(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Returns true if `offset` is in the span or at its end, where a cursor still touches it.
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Returns true if `other` is within this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the number of bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Returns true if the span contains no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the span moved to the right by `base` bytes.
    pub fn shifted(self, base: u32) -> Span {
        Span {
            start: self.start + base,
            end: self.end + base,
        }
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start as usize..span.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
