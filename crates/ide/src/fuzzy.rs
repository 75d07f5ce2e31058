//! Fuzzy matching of a typed text with names.

/// Returns the cost of matching `query` with `name`, or `None` if the characters of `query` do not
/// occur in `name` in order. The comparison ignores case. The cost is 0 for the same name, 1 for a
/// prefix, 2 for a prefix in another case, and otherwise more, the more parts of the name are
/// skipped.
pub(crate) fn score(query: &str, name: &str) -> Option<u32> {
    if name.starts_with(query) {
        return Some(if name.len() == query.len() { 0 } else { 1 });
    }
    if starts_with_any_case(query, name) {
        return Some(2);
    }
    let mut cost = 0;
    let mut rest = name.chars();
    for wanted in query.chars() {
        let mut skipped = false;
        let found = loop {
            let c = rest.next()?;
            if same(c, wanted) {
                break c;
            }
            skipped = true;
        };
        // The query `mwg` matches the capital letters of `mapWorkGroup`.
        cost += u32::from(skipped) * if found.is_uppercase() { 1 } else { 2 };
    }
    Some(3 + cost)
}

fn starts_with_any_case(query: &str, name: &str) -> bool {
    let mut name = name.chars();
    query
        .chars()
        .all(|wanted| name.next().is_some_and(|c| same(c, wanted)))
}

fn same(a: char, b: char) -> bool {
    a.eq_ignore_ascii_case(&b) || !a.is_ascii() && a.to_lowercase().eq(b.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_come_before_scattered_letters() {
        let mut names = ["reduceSeq", "mapSeq", "map", "remap", "Map2D", "makeArray"];
        names.sort_by_key(|name| score("map", name).unwrap_or(u32::MAX));
        assert_eq!(
            names,
            ["map", "mapSeq", "Map2D", "remap", "reduceSeq", "makeArray"]
        );
    }

    #[test]
    fn letters_must_stand_in_order() {
        assert_eq!(score("pam", "map"), None);
        assert!(score("mwg", "mapWorkGroup").is_some());
        assert_eq!(score("", "map"), Some(1));
    }
}
