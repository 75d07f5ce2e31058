//! "Did you mean …?"

/// The candidate that is most like `word`, if one is close enough to be a slip.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Nobody mistypes a name of a thousand letters by two.
    const LONG: usize = 64;
    if word.len() > LONG {
        return None;
    }
    let limit = match word.chars().count() {
        0..=1 => 0,
        2..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word && candidate.len() <= LONG)
        .filter_map(|candidate| Some((distance(word, candidate, limit)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words,
/// ignoring case (a difference of case alone counts as 1), if it is at most `limit`.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.eq_ignore_ascii_case(b) {
        return (limit >= 1).then_some(1);
    }
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    let found = last[b.len()];
    (found <= limit).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let names = ["map", "mapSeq", "reduce", "transpose", "zip"];
        assert_eq!(closest("redcue", names), Some("reduce"));
        assert_eq!(closest("Map", names), Some("map"));
        assert_eq!(closest("tranpose", names), Some("transpose"));
        assert_eq!(closest("mapseq", names), Some("mapSeq"));
        assert_eq!(closest("x", names), None);
        assert_eq!(closest("scatter", names), None);
    }
}
