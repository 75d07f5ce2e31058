//! Computes the unified diff of two texts, as `diff -u` prints it.

use std::fmt::Write;
use std::ops::Range;

/// The number of unchanged lines that are shown before and after a change.
const CONTEXT: usize = 3;
/// The largest table for the longest common subsequence. Longer changed parts are shown as
/// replaced.
const LARGEST_TABLE: usize = 4_000_000;

/// Returns the unified diff, which is empty if the texts are equal.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let (old, new) = (lines(old), lines(new));
    let changes = changes(&old, &new);
    let Some(last) = changes.len().checked_sub(1) else {
        return String::new();
    };
    let mut out = format!("--- {path}\n+++ {path}\n");
    let mut from = 0;
    for at in 0..=last {
        let ends = at == last || changes[at + 1].old.start - changes[at].old.end > 2 * CONTEXT;
        if ends {
            hunk(&mut out, &old, &new, &changes[from..=at]);
            from = at + 1;
        }
    }
    out
}

/// Splits a text into lines, each with its line break.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A range of lines that is replaced by another one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the changes from one text to the other, in order, with unchanged lines between any two.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old[same..].iter().rev().zip(new[same..].iter().rev());
    let tail = rest.take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same..old.len() - tail], &new[same..new.len() - tail]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let kept = match old.len().checked_mul(new.len()) {
        Some(size) if size <= LARGEST_TABLE => longest_common(old, new),
        _ => Vec::new(),
    };
    let mut found: Vec<Change> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (a, b) in kept.into_iter().chain([(old.len(), new.len())]) {
        if i < a || j < b {
            found.push(Change {
                old: same + i..same + a,
                new: same + j..same + b,
            });
        }
        (i, j) = (a + 1, b + 1);
    }
    found
}

/// Returns the index pairs of a longest common subsequence, by dynamic programming.
fn longest_common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // The length of a longest common subsequence of the lines from these positions on.
    let mut table = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            table[i * width + j] = if old[i] == new[j] {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Writes a hunk: changes that are near each other, with the lines around and between them.
fn hunk(out: &mut String, old: &[&str], new: &[&str], changes: &[Change]) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return;
    };
    let before = first.old.start.min(CONTEXT);
    let after = (old.len() - last.old.end).min(CONTEXT);
    let (old_lines, new_lines) = (
        first.old.start - before..last.old.end + after,
        first.new.start - before..last.new.end + after,
    );
    // Writing to a string does not fail.
    let _ = writeln!(out, "@@ -{} +{} @@", place(&old_lines), place(&new_lines));
    let mut at = old_lines.start;
    for change in changes {
        old[at..change.old.start]
            .iter()
            .for_each(|text| line(out, ' ', text));
        old[change.old.clone()]
            .iter()
            .for_each(|text| line(out, '-', text));
        new[change.new.clone()]
            .iter()
            .for_each(|text| line(out, '+', text));
        at = change.old.end;
    }
    old[at..old_lines.end]
        .iter()
        .for_each(|text| line(out, ' ', text));
}

fn place(lines: &Range<usize>) -> String {
    match lines.len() {
        // The line before an empty range is given, as `diff -u` does.
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn line(out: &mut String, mark: char, text: &str) {
    out.push(mark);
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn as_diff_writes_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let new = "a\nb\nC\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm";
        expect![[r#"
            --- x.rise
            +++ x.rise
            @@ -1,6 +1,6 @@
             a
             b
            -c
            +C
             d
             e
             f
            @@ -10,3 +10,4 @@
             j
             k
             l
            +m
            \ No newline at end of file
        "#]]
        .assert_eq(&unified("x.rise", old, new));
        assert_eq!(unified("x.rise", old, old), "");
        assert_eq!(unified("x", "", "a\n"), "--- x\n+++ x\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified("x", "a\n", ""), "--- x\n+++ x\n@@ -1 +0,0 @@\n-a\n");
    }

    #[test]
    fn changes_lead_from_one_text_to_the_other() {
        let texts = [
            "",
            "a\nb\n",
            "b\na\nb\nc\n",
            "c\nc\n",
            "a\nx\nb\ny\nc\n",
            "y\n",
        ];
        for old in texts {
            for new in texts {
                let (old, new) = (lines(old), lines(new));
                let mut made: Vec<&str> = Vec::new();
                let mut at = 0;
                for change in changes(&old, &new) {
                    made.extend(&old[at..change.old.start]);
                    made.extend(&new[change.new.clone()]);
                    at = change.old.end;
                }
                made.extend(&old[at..]);
                assert_eq!(made, new);
            }
        }
    }
}
