//! The concrete syntax tree as text, for debugging.

use std::fmt::Write;

use db::Database;
use ropey::Rope;
use tree_sitter::{Node, Point, Tree};

use super::SyntaxTree;

/// The depth from which on nodes are not indented further: the text of a deeply nested tree would
/// otherwise grow quadratically.
const MAX_INDENT: usize = 60;
/// The maximal number of characters of a word that are shown; longer words are cut.
const MAX_SHOWN: usize = 40;

impl SyntaxTree {
    /// Renders the named and the missing nodes in parentheses, one on each line, with the places of
    /// their start and end (line and byte of the line, counted from 1). Nodes without named
    /// children have their text. Returns `None` if parsing takes too long.
    pub fn show(&self, db: &Database) -> Option<String> {
        Some(show(&self.text, &self.read(db)?))
    }
}

pub(super) fn show(text: &Rope, tree: &Tree) -> String {
    let mut out = String::new();
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let shown = is_shown(node);
        if shown {
            begin(&mut out, text, node, cursor.field_name(), depth);
        }
        if cursor.goto_first_child() {
            // A node that is not shown has no children.
            depth += 1;
            continue;
        }
        close(&mut out, shown);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                out.push('\n');
                return out;
            }
            depth -= 1;
            close(&mut out, is_shown(cursor.node()));
        }
    }
}

fn is_shown(node: Node) -> bool {
    node.is_named() || node.is_missing()
}

fn close(out: &mut String, shown: bool) {
    if shown {
        out.push(')');
    }
}

fn begin(out: &mut String, text: &Rope, node: Node, field: Option<&str>, depth: usize) {
    if depth > 0 {
        out.push('\n');
    }
    let indent = 2 * depth.min(MAX_INDENT);
    let field = field.map(|name| format!("{name}: ")).unwrap_or_default();
    let missing = if node.is_missing() { "MISSING " } else { "" };
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "{:indent$}{field}({missing}{} {}-{}",
        "",
        node.kind(),
        place(node.start_position()),
        place(node.end_position()),
    );
    if node.named_child_count() == 0 && !node.byte_range().is_empty() {
        let _ = write!(out, " {:?}", word(text, node));
    }
}

fn place(point: Point) -> String {
    format!("{}:{}", point.row + 1, point.column + 1)
}

fn word(text: &Rope, node: Node) -> String {
    let Some(slice) = text.get_byte_slice(node.byte_range()) else {
        return String::new();
    };
    let mut word: String = slice.chars().take(MAX_SHOWN).collect();
    if word.len() < slice.len_bytes() {
        word.push('…');
    }
    word
}
