//! Names that could have been meant.

/// Of `candidates` the one most like `wanted`, if any is like it at all.
pub(crate) fn closest<'a>(
    wanted: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (wanted.chars().count() / 3).max(1);
    let near =
        candidates.filter_map(|candidate| Some((distance(wanted, candidate, limit)?, candidate)));
    near.min().map(|(_, candidate)| candidate)
}

/// How many characters must be changed, added, removed or swapped with the next to turn one text
/// into the other, unless that is more than `limit`.
fn distance(from: &str, to: &str, limit: usize) -> Option<usize> {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    if from.len().abs_diff(to.len()) > limit {
        return None;
    }
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=to.len()).collect()];
    for i in 1..=from.len() {
        rows.rotate_left(1);
        let [before, above, row] = &mut rows;
        row.clear();
        row.push(i);
        for j in 1..=to.len() {
            let change = above[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = change.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
    }
    rows[2].last().copied().filter(|&cost| cost <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_close() {
        let names = ["vector", "matrix", "tensor"];
        let closest = |wanted| closest(wanted, names.into_iter());
        assert_eq!(closest("matirx"), Some("matrix"));
        assert_eq!(closest("vectors"), Some("vector"));
        assert_eq!(closest("stencil"), None);
    }

    #[test]
    fn distances_count_edits() {
        assert_eq!(distance("abc", "abc", 2), Some(0));
        assert_eq!(distance("abc", "acb", 2), Some(1));
        assert_eq!(distance("", "ab", 2), Some(2));
        assert_eq!(distance("abcd", "x", 2), None);
    }
}
