//! Utilities for the tests of all grammars: the corpus, and trees in the compiler's notation.

#![allow(dead_code, unused_imports, reason = "every test uses a part of it")]

mod dump;
mod equal;
mod run;
#[path = "../../../crates/syntax/tests/rendering/sexpr.rs"]
pub mod sexpr;
#[path = "../../../crates/syntax/tests/rendering/sexpr_elevate.rs"]
pub mod sexpr_elevate;

pub use dump::{Dump, list, number, unescape, unquoted};
pub use equal::{Compiler, Equality};
pub use run::{every_case, survivors};

use std::fs;
use std::path::{Path, PathBuf};
use tree_sitter::Node;

/// A source text and its expected tree.
pub struct Case {
    pub name: String,
    pub source: String,
    pub expected: String,
}

/// Returns the files of the corpus.
pub fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
}

/// Parses the cases of a file. A case is a name between two lines of `=`, a source, a line of `-`,
/// and a tree.
pub fn cases(text: &str) -> Vec<Case> {
    let is_rule = |line: &str, of: char| line.len() >= 3 && line.chars().all(|c| c == of);
    let lines: Vec<&str> = text.lines().collect();
    let rules: Vec<usize> = (0..lines.len())
        .filter(|&at| is_rule(lines[at], '='))
        .collect();
    assert!(
        rules.len().is_multiple_of(2),
        "every name stands between two rules"
    );
    let starts: Vec<(usize, usize)> = rules.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let ends = starts
        .iter()
        .skip(1)
        .map(|&(next, _)| next)
        .chain([lines.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&(above, below), end)| {
            let body = &lines[below + 1..end];
            let split = body
                .iter()
                .rposition(|line| is_rule(line, '-'))
                .expect("a rule stands between source and tree");
            Case {
                name: lines[above + 1..below].join("\n"),
                source: body[..split].join("\n").trim_matches('\n').to_owned(),
                expected: words(&body[split + 1..].join("\n")),
            }
        })
        .collect()
}

/// Normalises the white space of an S-expression to single spaces.
fn words(tree: &str) -> String {
    tree.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("( ", "(")
        .replace(" )", ")")
}

/// Returns true if the tree below a node has an error: one of tree-sitter, or an item that the next
/// one cuts off.
pub fn has_error(node: Node<'_>) -> bool {
    node.has_error()
        || node.kind() == "missing"
        || node.named_children(&mut node.walk()).any(has_error)
}
