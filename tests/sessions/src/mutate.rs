//! Mutates texts at random.

use runtime::generate::Random;

use crate::corpus::{Corpus, tokens};

/// Characters that are difficult for lexers, positions and messages.
const ODD: &[&str] = &[
    "\u{0}",
    "\u{feff}",
    "\u{1F600}",
    "e\u{301}",
    "\r",
    "\r\n",
    "\n",
    "\t",
    "\u{2028}",
    "\"",
    "'",
    "`",
    "\\",
    "/*",
    "*/",
    "//",
    "///",
    "@",
    "0",
    "-1",
    "99999999999999999999",
    "1e999",
    "0x",
    "1.5f",
    "((((((((",
    "))))",
    "{",
    "}",
    "[",
    "]",
    "=>",
    "->",
    "|->",
    "|>",
    ":",
    ";",
    ",",
    "..",
    "_",
    "$",
    "\u{e4}",
    "import \"",
];
/// The depth of nesting that is inserted on purpose.
const DEPTH: usize = 300;

/// Returns a random number below `bound`, or 0 if `bound` is 0.
pub fn below(random: &mut Random, bound: usize) -> usize {
    usize::try_from(random.draw() >> 11).unwrap_or_default() % bound.max(1)
}

/// Returns a random element.
pub fn pick<'a, T>(random: &mut Random, all: &'a [T]) -> &'a T {
    &all[below(random, all.len())]
}

/// Returns a text of the corpus after some mutations, and its language.
pub fn text(random: &mut Random, corpus: &Corpus) -> (&'static str, String) {
    let seed = pick(random, &corpus.seeds);
    let mut text = seed.text.clone();
    for _ in 0..=below(random, 5) {
        text = change(random, corpus, &text);
    }
    (seed.language, text)
}

/// Returns a text after one mutation.
pub fn change(random: &mut Random, corpus: &Corpus, text: &str) -> String {
    let mut words: Vec<&str> = tokens(text).collect();
    let count = words.len();
    let (at, to) = (below(random, count), below(random, count));
    let other = |random: &mut Random| match below(random, 4) {
        0 => (*pick(random, ODD)).to_owned(),
        _ => pick(random, &corpus.words).clone(),
    };
    let owned;
    match below(random, 14) {
        0 if count > 0 => drop(words.remove(at)),
        1 if count > 0 => words.insert(to, words[at]),
        2 if count > 0 => words.swap(at, to),
        3 | 4 if count > 0 => {
            owned = other(random);
            words[at] = &owned;
        }
        5 | 6 => {
            owned = other(random);
            words.insert(at, &owned);
        }
        7 if count > 0 => {
            let (from, to) = (at.min(to), at.max(to).min(at.min(to) + 40));
            words.drain(from..to);
        }
        8 if count > 0 => {
            let (from, to) = (at.min(to), at.max(to).min(at.min(to) + 40));
            let copy = words[from..to].to_vec();
            words.splice(to..to, copy);
        }
        9 => words.truncate(at),
        10 if count > 0 => {
            // One word replaces another of the same text everywhere.
            let (from, to) = (words[at], words[to]);
            words
                .iter_mut()
                .filter(|word| **word == from)
                .for_each(|word| *word = to);
        }
        11 => {
            let (left, right) = *pick(
                random,
                &[
                    ("(", ")"),
                    ("[", "]"),
                    ("fun(x => ", ")"),
                    ("-", ""),
                    ("1.", ""),
                ],
            );
            let deep = 1 + below(random, DEPTH);
            owned = format!(
                "{}{}{}",
                left.repeat(deep),
                words.get(at).unwrap_or(&"x"),
                right.repeat(deep)
            );
            if count > 0 {
                words[at] = &owned;
            }
        }
        12 => {
            let donor = &pick(random, &corpus.seeds).text;
            let lines: Vec<&str> = donor.split_inclusive('\n').collect();
            let start = below(random, lines.len());
            owned = lines[start..lines.len().min(start + 1 + below(random, 6))].concat();
            words.insert(at, &owned);
        }
        _ => {
            let mut bytes = text.as_bytes().to_vec();
            if !bytes.is_empty() {
                let at = below(random, bytes.len());
                bytes[at] = random.draw().to_le_bytes()[3];
            }
            return String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    words.concat()
}
