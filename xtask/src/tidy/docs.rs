//! Checks that the first sentence of a doc comment has a main clause.
//!
//! The sentence ends at the first `.`, `:`, `;`, `!` or `?` before a space, or with its paragraph.
//! It has no main clause if it starts with a word that introduces a subordinate clause, is no
//! question, and none of its parts behind a comma is a main clause. A part is one if it does not
//! start with a word that continues the subordinate clause and contains a subject and a finite
//! verb: a form of "to be", "to have", "to do" or a modal verb, or, where the sentence starts with
//! an adverbial clause ("Where …", "When …"), any word that ends like the third person.

use std::fmt;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::Package;

/// Words that introduce a clause that stands for a noun.
const NOMINAL: &[&str] = &[
    "what", "whatever", "whether", "who", "whoever", "whom", "whose", "how", "which", "why",
];

/// Words that introduce a clause that a main clause often follows.
const ADVERBIAL: &[&str] = &["where", "wherever", "when", "whenever", "if"];

/// Words that continue a subordinate clause after a comma.
const CONTINUING: &[&str] = &[
    "and",
    "or",
    "but",
    "nor",
    "not",
    "which",
    "who",
    "whom",
    "whose",
    "what",
    "where",
    "when",
    "whether",
    "how",
    "why",
    "that",
    "if",
    "unless",
    "as",
    "because",
    "since",
    "so",
    "than",
    "with",
    "without",
    "for",
    "from",
    "in",
    "of",
    "on",
    "at",
    "to",
    "by",
    "even",
    "also",
    "including",
    "e.g",
    "i.e",
];

const FINITE: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "can", "cannot",
    "could", "may", "might", "must", "should", "will", "would", "needs", "need",
];

/// A doc comment.
pub struct Comment {
    line: usize,
    text: String,
}

/// A doc comment whose first sentence has no main clause.
pub struct Fragment {
    path: String,
    line: usize,
    sentence: String,
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.sentence)
    }
}

/// Returns the doc comments of a package whose first sentence has no main clause.
pub fn fragments(package: &Package) -> Vec<Fragment> {
    let mut found = Vec::new();
    for file in &package.files {
        for comment in comments(&file.tokens) {
            let sentence = first_sentence(&comment.text);
            if is_fragment(&sentence) {
                found.push(Fragment {
                    path: file.path.clone(),
                    line: comment.line,
                    sentence,
                });
            }
        }
    }
    found
}

/// Returns the number of doc comments of a package.
pub fn count(package: &Package) -> usize {
    let files = package.files.iter();
    files.map(|file| comments(&file.tokens).len()).sum()
}

/// A `#[doc = "…"]`, which is what the parser makes of each line of a doc comment.
struct Line {
    first: usize,
    last: usize,
    inner: bool,
    text: String,
}

/// Returns the doc comments in `tokens`. Consecutive lines are joined.
fn comments(tokens: &TokenStream) -> Vec<Comment> {
    let mut lines = Vec::new();
    collect(tokens, &mut lines);
    let mut comments: Vec<Comment> = Vec::new();
    let mut before: Option<(usize, bool)> = None;
    for line in lines {
        match comments.last_mut() {
            Some(comment) if before == Some((line.first - 1, line.inner)) => {
                comment.text.push('\n');
                comment.text.push_str(&line.text);
            }
            _ => comments.push(Comment {
                line: line.first,
                text: line.text,
            }),
        }
        before = Some((line.last, line.inner));
    }
    comments
}

fn collect(tokens: &TokenStream, lines: &mut Vec<Line>) {
    let mut inner = false;
    for tree in tokens.clone() {
        match tree {
            TokenTree::Group(group) => match doc(&group, inner) {
                Some(line) => lines.push(line),
                None => collect(&group.stream(), lines),
            },
            TokenTree::Punct(mark) => inner = mark.as_char() == '!',
            _ => {}
        }
    }
}

/// Returns a line of a doc comment if the group is the content of a `doc` attribute; `None` for
/// other groups. `inner` is true if a `!` precedes it.
fn doc(group: &proc_macro2::Group, inner: bool) -> Option<Line> {
    if group.delimiter() != Delimiter::Bracket {
        return None;
    }
    let trees: Vec<TokenTree> = group.stream().into_iter().collect();
    let [
        TokenTree::Ident(name),
        TokenTree::Punct(_),
        TokenTree::Literal(literal),
    ] = trees.as_slice()
    else {
        return None;
    };
    let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) else {
        return None;
    };
    (name == "doc").then(|| Line {
        first: group.span().start().line,
        last: group.span().end().line,
        inner,
        text: text.value(),
    })
}

/// Returns the first sentence, on one line. Headings and empty lines before it are skipped.
fn first_sentence(text: &str) -> String {
    let paragraph: Vec<&str> = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with('#'))
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    let mut code = false;
    let mut letters = paragraph.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        code ^= letter == '`';
        let before_space = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        let short = ["e.g.", "i.e.", "etc.", "cf."];
        let end = at + letter.len_utf8();
        if !code
            && before_space
            && matches!(letter, '.' | ':' | ';' | '!' | '?')
            && !short.iter().any(|short| paragraph[..end].ends_with(short))
        {
            return paragraph[..end].to_owned();
        }
    }
    paragraph
}

/// Returns true if a sentence is a subordinate clause without a main clause.
fn is_fragment(sentence: &str) -> bool {
    let parts = parts(sentence);
    let Some(first) = parts.first().and_then(|part| part.first()) else {
        return false;
    };
    let adverbial = ADVERBIAL.contains(&first.as_str());
    if sentence.ends_with('?') || !(adverbial || NOMINAL.contains(&first.as_str())) {
        return false;
    }
    !parts[1..].iter().any(|part| is_main(part, adverbial))
}

fn is_main(part: &[String], adverbial: bool) -> bool {
    let finite = |word: &String| {
        FINITE.contains(&word.as_str()) || (adverbial && word.len() > 2 && word.ends_with('s'))
    };
    // A verb without a subject continues a clause that stands for a noun.
    let subject = usize::from(!adverbial);
    part.first()
        .is_some_and(|first| !CONTINUING.contains(&first.as_str()))
        && part.iter().skip(subject).any(finite)
}

/// Splits a sentence at its commas into words in lower case. Code in backquotes is replaced by
/// underscores, and text in parentheses is left out.
fn parts(sentence: &str) -> Vec<Vec<String>> {
    let mut plain = String::new();
    let (mut code, mut depth) = (false, 0_usize);
    for letter in sentence.chars() {
        match letter {
            '`' => {
                code = !code;
                plain.push('_');
            }
            _ if code => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ => plain.extend(letter.to_lowercase()),
        }
    }
    plain
        .split(", ")
        .map(|part| {
            part.split_whitespace()
                .map(|word| {
                    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
                        .to_owned()
                })
                .filter(|word| !word.is_empty())
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::source::package;
    use super::*;

    fn fragment(text: &str) -> bool {
        is_fragment(&first_sentence(text))
    }

    #[test]
    fn subordinate_clauses_alone_are_fragments() {
        assert!(fragment("What it is."));
        assert!(fragment(
            "Whether `a`, the first, may be moved. It returns true."
        ));
        assert!(fragment("Who may, and who may not."));
        assert!(fragment("How a loop is split, which is its size: `n`."));
        assert!(fragment("Where the loops are (as in C, they are nested)."));
        assert!(fragment("What the pass does\nto a loop\n\nIt is long."));
        assert!(fragment("Which of them, e.g. the first."));
    }

    #[test]
    fn main_clauses_are_none() {
        assert!(!fragment("Where a loop is split, the rest stays."));
        assert!(!fragment("When it fails, returns `None`."));
        assert!(!fragment("Whether or not it is split, the loop is kept."));
        assert!(!fragment("The size of a loop. What it is not."));
        assert!(!fragment("Returns true if what it is, is known."));
        assert!(!fragment("What is a kernel?"));
        assert!(!fragment("`What` is a type."));
        assert!(!fragment("Whatsoever is no word of the list."));
        assert!(!fragment(""));
    }

    #[test]
    fn comments_are_found_with_their_lines() {
        let source = "//! What a is.\n//! More.\n\n/// The type.\nstruct S {\n    /// Who\n    /// may.\n    a: u8,\n    /** What b is. */\n    b: u8,\n}\n// What is no doc comment.\n";
        let x = package("x", "", &[("src/lib.rs", source)]);
        let found: Vec<String> = fragments(&x).iter().map(Fragment::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/x/src/lib.rs:1: What a is.",
                "crates/x/src/lib.rs:6: Who may.",
                "crates/x/src/lib.rs:9: What b is.",
            ]
        );
        assert_eq!(count(&x), 4);
    }
}
