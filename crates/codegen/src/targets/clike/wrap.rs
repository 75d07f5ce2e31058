//! Wraps long lines of generated text as a person would.

use std::ops::Range;

/// The maximal length of a line in bytes.
const MAX_LINE: usize = 100;

/// The number of spaces by which a continuation line is indented for each level of nesting.
const INDENT: usize = 4;

/// The number of levels of nesting as which a bracket counts, where a parenthesis counts as one:
/// lines are broken within indices last.
const BRACKET: usize = 1000;

/// The position in bytes of a space that becomes a line break, and the number of spaces after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Break {
    at: usize,
    indent: usize,
}

/// The rank of a space at which a line may be broken; spaces in looser expressions have smaller
/// ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seam {
    /// The number of enclosing parentheses and braces, and [`BRACKET`] for each enclosing bracket.
    depth: usize,
    tightness: u8,
}

/// Returns the text with long lines broken before operators and after commas, semicolons and `=`,
/// the outermost first; lines for the preprocessor are not changed. The `ranges` of bytes are
/// changed to those in the new text.
pub(in crate::targets) fn wrap<'r>(
    text: &str,
    ranges: impl Iterator<Item = &'r mut Range<usize>>,
) -> String {
    let breaks = breaks(text);
    for range in ranges {
        *range = moved(range.start, &breaks)..moved(range.end, &breaks);
    }
    let mut out = String::with_capacity(text.len() + breaks.len() * 2 * INDENT);
    let mut from = 0;
    for found in &breaks {
        out.push_str(&text[from..found.at]);
        out.push('\n');
        out.extend((0..found.indent).map(|_| ' '));
        from = found.at + 1;
    }
    out.push_str(&text[from..]);
    out
}

fn moved(offset: usize, breaks: &[Break]) -> usize {
    let before = breaks.partition_point(|found| found.at < offset);
    offset
        + breaks[..before]
            .iter()
            .map(|found| found.indent)
            .sum::<usize>()
}

fn breaks(text: &str) -> Vec<Break> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim_end();
        if code.len() > MAX_LINE && !code.trim_start().starts_with('#') {
            all.extend(in_line(code).into_iter().map(|found| Break {
                at: found.at + start,
                ..found
            }));
        }
        start += line.len();
    }
    all
}

/// Returns the line breaks of a line.
fn in_line(line: &str) -> Vec<Break> {
    let indent = line.len() - line.trim_start().len();
    let seams = seams(line);
    let mut all = Vec::new();
    // The current line starts at `from` in the text and `column` in the output.
    let (mut from, mut column) = (0, 0);
    while column + line.len() - from > MAX_LINE {
        let last = from + MAX_LINE - column;
        let rest = seams.iter().filter(|(at, _)| *at > from);
        let fitting = rest.clone().filter(|(at, _)| *at <= last);
        // The last one of the loosest seams; a line without a fitting seam is broken at its first
        // one.
        let best = fitting.min_by_key(|(at, seam)| (*seam, usize::MAX - at));
        let Some((at, seam)) = best.or_else(|| rest.min_by_key(|(at, _)| *at)) else {
            break;
        };
        let indent = indent + INDENT * (1 + seam.depth % BRACKET);
        all.push(Break { at: *at, indent });
        (from, column) = (at + 1, indent);
    }
    all
}

/// Returns the positions in bytes of the spaces at which a line may be broken, with their ranks.
fn seams(line: &str) -> Vec<(usize, Seam)> {
    let bytes = line.as_bytes();
    let mut all = Vec::new();
    let (mut depth, mut quoted) = (0usize, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' if at == 0 || bytes[at - 1] != b'\\' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b'[' => depth += BRACKET,
            b']' => depth = depth.saturating_sub(BRACKET),
            b' ' => {
                let before = at.checked_sub(1).map(|at| bytes[at]);
                if let Some(tightness) = tightness(before, &line[at + 1..]) {
                    all.push((at, Seam { depth, tightness }));
                }
            }
            _ => {}
        }
    }
    all
}

/// Returns the tightness of the operator next to a space, less for looser operators and least after
/// a comma or semicolon; `None` if the line may not be broken at the space.
fn tightness(before: Option<u8>, after: &str) -> Option<u8> {
    if matches!(before, Some(b',' | b';')) {
        return Some(0);
    }
    // A value is moved to the next line before a product in it is broken.
    if before == Some(b'=') {
        return Some(3);
    }
    let operators = [
        (1, ["? ", ": ", "|| ", "&& "].as_slice()),
        (2, &["== ", "!= ", "< ", "> ", "<= ", ">= ", "+ ", "- "]),
        (4, &["* ", "/ ", "% "]),
    ];
    let mut operators = operators.into_iter();
    let found = operators.find(|(_, signs)| signs.iter().any(|sign| after.starts_with(sign)));
    found.map(|(tightness, _)| tightness)
}

#[cfg(test)]
mod tests {
    use super::wrap;

    fn wrapped(text: &str) -> String {
        wrap(text, std::iter::empty())
    }

    #[test]
    fn sums_are_broken_before_products_and_products_before_indices() {
        let text = "    output[i * n + j] = vertical[0] * image[(i + 1) * w + j + 1] + \
                    vertical[1] * image[(i + 2) * w + j + 1] + vertical[2] * image[i * w];\n";
        let expected = "    output[i * n + j] = vertical[0] * image[(i + 1) * w + j + 1]\n        \
                        + vertical[1] * image[(i + 2) * w + j + 1] + vertical[2] * image[i * w];\n";
        assert!(text.len() > 100);
        assert_eq!(wrapped(text), expected);
    }

    #[test]
    fn what_is_short_or_no_code_stays() {
        let pragma = format!("#pragma omp {}\n", "parallel, ".repeat(20));
        let text = format!("{pragma}    x = a + b;\n");
        assert_eq!(wrapped(&text), text);
    }

    #[test]
    fn a_string_is_not_broken() {
        let message = "\"n >= 1, m + 1 >= 2\"".repeat(6);
        let text = format!("    assert(n >= 1 && {message});\n");
        let expected = format!("    assert(n >= 1\n            && {message});\n");
        assert_eq!(wrapped(&text), expected);
    }

    #[test]
    fn ranges_move_with_their_text() {
        let text = format!("    x = {} + last + {};\n", "a".repeat(60), "b".repeat(60));
        let at = text.find("last").unwrap_or(0);
        let mut range = at..at + 4;
        let new = wrap(&text, std::iter::once(&mut range));
        assert_eq!(new.lines().count(), 2);
        assert_eq!(&new[range], "last");
    }

    #[test]
    fn no_line_is_too_long_that_can_be_broken() {
        let text = format!("    x = {};\n", ["abcdefgh"; 40].join(" + "));
        assert!(wrapped(&text).lines().all(|line| line.len() <= 100));
    }
}
