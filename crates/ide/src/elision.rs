//! Short forms of types, values and lists with at most a given number of characters, for inlay
//! hints. They are computed from the printed text, whose brackets and arrows show enough of its
//! structure.

const ELLIPSIS: char = '…';
/// The largest number of elements that a shortened value shows of each array or vector.
const MOST_ELEMENTS: usize = 8;

/// Returns the text of a type if it has at most `max` characters, or otherwise a form of it that
/// has at most `max`, without its implicit parameters and with `…` in the place of further parts.
pub(crate) fn elide(text: &str, max: usize) -> String {
    if fits(text, max) {
        return text.to_owned();
    }
    let parts: Vec<&str> = split_arrows(text)
        .into_iter()
        .filter(|part| !part.starts_with('{'))
        .collect();
    match parts.split_last() {
        Some((result, params)) if !params.is_empty() => elide_arrows(params, result, max),
        _ => elide_data(parts.first().copied().unwrap_or(text), max),
    }
}

/// Returns `{a, b, c}` with as many of the first parts as fit into `max` characters, and `…` for
/// the rest; only `…` if not even the brackets fit.
pub(crate) fn elide_list(parts: &[String], max: usize) -> String {
    (0..=parts.len())
        .rev()
        .map(|kept| {
            let mut shown = parts[..kept].to_vec();
            if kept < parts.len() {
                shown.push(ELLIPSIS.to_string());
            }
            format!("{{{}}}", shown.join(", "))
        })
        .find(|short| fits(short, max))
        .unwrap_or_else(|| ELLIPSIS.to_string())
}

/// Returns `text`, or, if it has more than `max` characters, its beginning and `…` in `max`
/// characters.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if fits(text, max) {
        return text.to_owned();
    }
    let kept = text.chars().take(max.saturating_sub(1));
    kept.chain([ELLIPSIS]).take(max).collect()
}

/// Returns the text of a value, or, if it has more than `max` characters, a form with as many of
/// the first elements of each array and vector as fit, but at most [`MOST_ELEMENTS`]. If not even
/// one fits, that form is cut.
pub(crate) fn value(text: &str, max: usize) -> String {
    if fits(text, max) {
        return text.to_owned();
    }
    (1..=MOST_ELEMENTS)
        .rev()
        .map(|kept| first_elements(text, kept))
        .find(|short| fits(short, max))
        .unwrap_or_else(|| cut(&first_elements(text, 1), max))
}

/// Shortens every array and vector in a value to its first `kept` elements.
fn first_elements(text: &str, kept: usize) -> String {
    struct List {
        is_list: bool,
        elements: usize,
        /// True if the following elements are left out.
        skips: bool,
    }
    let mut out = String::new();
    let mut around: Vec<List> = Vec::new();
    for c in text.chars() {
        let skips = around.last().is_some_and(|list| list.skips);
        match c {
            '[' | '<' | '(' => {
                around.push(List {
                    is_list: c != '(',
                    elements: 1,
                    skips,
                });
            }
            ']' | '>' | ')' => {
                around.pop();
                if !around.last().is_some_and(|list| list.skips) {
                    out.push(c);
                }
                continue;
            }
            ',' => {
                if let Some(list) = around.last_mut()
                    && list.is_list
                    && !list.skips
                {
                    list.elements += 1;
                    if list.elements > kept {
                        out.push_str(", …");
                        list.skips = true;
                        continue;
                    }
                }
            }
            _ => {}
        }
        if !skips {
            out.push(c);
        }
    }
    out
}

fn fits(text: &str, max: usize) -> bool {
    text.len() <= max || text.chars().count() <= max
}

/// Keeps as many of the first parameters as fit, and the result, which is shortened if not even
/// that fits.
fn elide_arrows(params: &[&str], result: &str, max: usize) -> String {
    (0..=params.len())
        .rev()
        .map(|kept| {
            let mut parts: Vec<&str> = params[..kept].to_vec();
            if kept < params.len() {
                parts.push("…");
            }
            parts.push(result);
            parts.join(" -> ")
        })
        .find(|short| fits(short, max))
        .unwrap_or_else(|| match max.checked_sub("… -> ".chars().count() + 1) {
            Some(_) => format!("… -> {}", elide_data(result, max - "… -> ".chars().count())),
            None => cut_front(result, max),
        })
}

/// Replaces the contents of brackets by `…`, innermost first, until the text fits. If that is not
/// enough, leaves out the first dimensions, or otherwise the beginning of the text.
fn elide_data(text: &str, max: usize) -> String {
    let mut short = text.to_owned();
    while !fits(&short, max) {
        let Some((open, close)) = first_group(&short) else {
            return last_dimensions(text, max)
                .or_else(|| last_dimensions(&short, max))
                .unwrap_or_else(|| cut_front(&short, max));
        };
        short.replace_range(open + 1..close, "…");
    }
    short
}

/// Keeps as many of the last dimensions of an array as fit, with the element type: `….m.f32`.
fn last_dimensions(text: &str, max: usize) -> Option<String> {
    let mut depth = 0_usize;
    text.char_indices()
        .filter(|(_, c)| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            *c == '.' && depth == 0
        })
        .map(|(at, _)| format!("{ELLIPSIS}{}", &text[at..]))
        .find(|short| fits(short, max))
}

/// Removes the beginning of a type: its end contains the element type, which is more important.
fn cut_front(text: &str, max: usize) -> String {
    let count = text.chars().count();
    let skipped = count.saturating_sub(max.saturating_sub(1));
    std::iter::once(ELLIPSIS)
        .chain(text.chars().skip(skipped))
        .take(max)
        .collect()
}

/// Returns the byte offsets of the first pair of brackets, in the order of the closing ones, that
/// has more than one character inside, so is not yet elided. Sizes precede the element type, so
/// they are elided first.
fn first_group(text: &str) -> Option<(usize, usize)> {
    let mut open = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => open.push(at),
            ')' | ']' | '}' => {
                let Some(start) = open.pop() else { continue };
                if text[start + 1..at].chars().count() > 1 {
                    return Some((start, at));
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits `text` at each `->` that is outside of all brackets.
pub(crate) fn split_arrows(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'-' if depth == 0 && bytes.get(at + 1) == Some(&b'>') => {
                parts.push(text[start..at].trim());
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, max: usize, short: &str) {
        assert_eq!(elide(text, max), short);
        assert!(short.chars().count() <= max, "{short} is longer than {max}");
    }

    #[test]
    fn what_fits_stays() {
        check("n.m.f32", 40, "n.m.f32");
        check("(n: Nat) -> n.f32 -> f32", 24, "(n: Nat) -> n.f32 -> f32");
    }

    #[test]
    fn functions_keep_their_first_parameters_and_their_result() {
        check(
            "(n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32",
            40,
            "(n: Nat) -> (m: Nat) -> … -> n.f32",
        );
        check(
            "(n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32",
            20,
            "… -> n.f32",
        );
    }

    #[test]
    fn implicit_parameters_go_first() {
        check(
            "{n: Nat} -> {t: Num} -> n.t -> n.t -> t",
            20,
            "n.t -> n.t -> t",
        );
    }

    #[test]
    fn brackets_are_emptied_from_the_inside() {
        check(
            "(n*4 + 3*(m - 1)).(f32, f32)",
            27,
            "(n*4 + 3*(…)).(f32, f32)",
        );
        check("(n*4 + 3*(m - 1)).(f32, f32)", 17, "(…).(f32, f32)");
    }

    #[test]
    fn what_has_no_brackets_keeps_its_end() {
        check("aaaaaaaa.bbbbbbbb.cccccccc.f32", 12, "….f32");
        check("aaaaaaaa.bbbbbbbb.cccccccc.f32", 14, "….cccccccc.f32");
        check("aaaaaaaaaaaaaaaa", 12, "…aaaaaaaaaaa");
    }

    #[test]
    fn brackets_are_never_cut_in_two() {
        check("(h + 2).(w + 2).Vec[2, f32]", 13, "….Vec[2, f32]");
        check("(h + 2).(w + 2).Vec[2, f32]", 10, "….Vec[…]");
    }

    #[test]
    fn values_keep_their_first_elements() {
        let text = "[[(0, <1, 2>), (1, <3, 4>)], [(2, <5, 6>), (3, <7, 8>)]]";
        assert_eq!(value(text, 80), text);
        assert_eq!(value(text, 40), "[[(0, <1, …>), …], …]");
        assert_eq!(value("[0.5, 1.5, 2.5, 3.5]", 15), "[0.5, 1.5, …]");
        assert_eq!(value("-1234567890.0", 5), "-123…");
        for max in 1..60 {
            let short = value(text, max);
            assert!(short.chars().count() <= max, "{short}");
        }
    }

    #[test]
    fn any_limit_is_kept() {
        let text = "(n: Nat) -> ((a, b), Vec[4, f32]) -> größe.(n + 1).DepPair[k => k.f32]";
        for max in 1..90 {
            assert!(
                elide(text, max).chars().count() <= max,
                "{}",
                elide(text, max)
            );
        }
    }
}
