//! Finds the intended word for a misspelt one, and the RISE scalar type for a type of another
//! language.

use crate::ast::ScalarType;

/// Returns the candidate with the smallest edit distance to `word`, if the distance is at most 1
/// for a word of 2 to 5 characters, 2 for one of 6 or 7, or 3 for a longer one. A candidate with as
/// many characters as `word` must have the same letters if these are at most 3 characters, and the
/// same letters or the same first letter if they are 4 or 5: `sub` is not returned for `sum`.
///
/// Candidates that equal `word`, and words of more than 64 bytes, are not considered. Of several
/// candidates at the same distance, the first one in lexicographic order is returned, and single
/// letters come last.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Long names are not compared, for the cost.
    const MAX_LENGTH: usize = 64;
    if word.len() > MAX_LENGTH {
        return None;
    }
    let limit = match word.chars().count() {
        0..=1 => 0,
        2..=5 => 1,
        6..=7 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word && candidate.len() <= MAX_LENGTH)
        .filter_map(|candidate| {
            let is_letter = candidate.chars().count() == 1;
            Some(((distance(word, candidate, limit)?, is_letter), candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns true if two names differ by one letter: by one that is inserted, left out, replaced or
/// exchanged with the next one. Names with fewer than three letters must only differ in the case,
/// because different short names are usual, and so are names that differ only in their numbers.
pub fn is_one_letter_away(a: &str, b: &str) -> bool {
    if a == b {
        return false;
    }
    let stem = |name: &str| {
        name.trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    let is_scalar = |name| ScalarType::from_text(name).is_some();
    let differ_in_number = stem(a) == stem(b) && !is_scalar(a) && !is_scalar(b);
    let is_short = a.chars().count().max(b.chars().count()) < 3;
    match is_short || differ_in_number {
        true => a.to_lowercase() == b.to_lowercase(),
        false => strsim::osa_distance(a, b) == 1,
    }
}

/// Returns the name of the RISE scalar type for a type name of other languages, such as `f32` for
/// `float`; `None` for other names, also for those of RISE.
pub fn foreign_scalar(name: &str) -> Option<&'static str> {
    Some(match name {
        "half" | "float16" | "Float16" => "f16",
        "float" | "single" | "float32" | "Float32" => "f32",
        "double" | "float64" | "Float64" => "f64",
        "char" | "int8" | "Int8" | "int8_t" => "i8",
        "short" | "int16" | "Int16" | "int16_t" => "i16",
        "int" | "integer" | "int32" | "Int32" | "int32_t" => "i32",
        "long" | "int64" | "Int64" | "int64_t" => "i64",
        "byte" | "uchar" | "uint8" | "UInt8" | "uint8_t" => "u8",
        "ushort" | "uint16" | "UInt16" | "uint16_t" => "u16",
        "uint" | "unsigned" | "uint32" | "UInt32" | "uint32_t" => "u32",
        "ulong" | "uint64" | "UInt64" | "uint64_t" => "u64",
        "Bool" | "boolean" => "bool",
        "nat" | "size_t" | "usize" => "natType",
        _ => return None,
    })
}

/// The maximal length in characters of words that are not corrected by a replacement of letters,
/// since it often results in another word.
const MAX_TINY_LENGTH: usize = 3;
/// The maximal length in characters of words whose first letter is not corrected by a replacement,
/// since this often results in another word.
const MAX_SHORT_LENGTH: usize = 5;

/// Returns the edit distance of two words if it is at most `limit`: the number of insertions,
/// deletions, replacements and swaps of neighbours, ignoring case (a difference of case alone
/// counts as 1).
///
/// Returns `None`, too, for short words of the same length that are not made of the same letters:
/// up to [`MAX_TINY_LENGTH`], or up to [`MAX_SHORT_LENGTH`] if their first letters differ.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.eq_ignore_ascii_case(b) {
        return (limit >= 1).then_some(1);
    }
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let lengths = [&a, &b].map(|word| word.chars().count());
    let [shorter, longer] = [lengths[0].min(lengths[1]), lengths[0].max(lengths[1])];
    if longer - shorter > limit {
        return None;
    }
    let found = strsim::osa_distance(&a, &b);
    let is_replaced = longer == shorter && !has_same_letters(&a, &b);
    let changes_word = is_replaced
        && (shorter <= MAX_TINY_LENGTH
            || shorter <= MAX_SHORT_LENGTH && a.chars().next() != b.chars().next());
    (found <= limit && !changes_word).then_some(found)
}

/// Returns true if two words have the same letters in any order, as after a swap.
fn has_same_letters(a: &str, b: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Library names that are short or similar to other words.
    const NAMES: [&str; 24] = [
        "abs",
        "add",
        "concat",
        "dot",
        "drop",
        "fst",
        "join",
        "let",
        "map",
        "mapSeq",
        "max",
        "min",
        "pad",
        "reduce",
        "slide",
        "snd",
        "split",
        "sub",
        "take",
        "tile",
        "toMem",
        "transpose",
        "zip",
        "zip3",
    ];

    #[test]
    fn slips_are_found() {
        for (word, meant) in [
            ("redcue", "reduce"),
            ("Map", "map"),
            ("mpa", "map"),
            ("mapp", "map"),
            ("ad", "add"),
            ("zpi", "zip"),
            ("fts", "fst"),
            ("mapseq", "mapSeq"),
            ("mapSeqq", "mapSeq"),
            ("joim", "join"),
            ("jion", "join"),
            ("tkae", "take"),
            ("tiles", "tile"),
            ("slid", "slide"),
            ("spilt", "split"),
            ("tranpose", "transpose"),
            ("trasnpsoe", "transpose"),
            ("consat", "concat"),
        ] {
            assert_eq!(closest(word, NAMES), Some(meant), "{word}");
        }
    }

    #[test]
    fn names_one_letter_away() {
        for (a, b) in [
            ("heigth", "height"),
            ("N", "n"),
            ("f23", "f32"),
            ("row", "rows"),
        ] {
            assert!(is_one_letter_away(a, b), "{a}, {b}");
        }
        for (a, b) in [
            ("n", "m"),
            ("rows1", "rows2"),
            ("width", "width"),
            ("n", "n2"),
        ] {
            assert!(!is_one_letter_away(a, b), "{a}, {b}");
        }
    }

    #[test]
    fn other_words_are_no_slips() {
        for word in [
            "x", "xs", "sum", "sort", "while", "scatter", "for", "if", "mod", "mul", "lit", "man",
            "make", "file", "fake", "crop", "sin", "tan", "pow", "hip", "span", "loop", "cast",
            "else", "while", "filter", "product",
        ] {
            assert_eq!(closest(word, NAMES), None, "{word}");
        }
    }
}
