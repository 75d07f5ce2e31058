//! Runs the cases of `tree-sitter test`, `test/corpus/*.txt`, without the command-line tool.

use std::fmt::Write as _;
use std::fs;

use tree_sitter::{Language, Node, Parser, TreeCursor};

use super::{cases, corpus};

/// Prints a tree as the command-line tool does: named nodes, their fields, and missing tokens.
fn sexp(node: Node<'_>) -> String {
    let mut out = String::new();
    write_node(&mut node.walk(), &mut out);
    out
}

fn write_node(cursor: &mut TreeCursor<'_>, out: &mut String) {
    let node = cursor.node();
    let shown = node.is_named() || node.is_missing();
    if shown {
        if !out.is_empty() {
            out.push(' ');
        }
        if let Some(field) = cursor.field_name() {
            let _ = write!(out, "{field}: ");
        }
        let _ = match (node.is_missing(), node.is_named()) {
            (true, true) => write!(out, "(MISSING {}", node.kind()),
            (true, false) => write!(out, "(MISSING {:?}", node.kind()),
            (false, _) => write!(out, "({}", node.kind()),
        };
    }
    if cursor.goto_first_child() {
        loop {
            write_node(cursor, out);
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }
    if shown {
        out.push(')');
    }
}

/// Replaces `(UNEXPECTED 'x')`, as the command-line tool prints it, by an error node without
/// children.
fn without_characters(expected: &str) -> String {
    let mut out = String::new();
    let mut rest = expected;
    while let Some((before, after)) = rest.split_once("(UNEXPECTED '") {
        let (_, after) = after.split_once("')").expect("the character is quoted");
        out.push_str(before);
        out.push_str("(ERROR)");
        rest = after;
    }
    out + rest
}

fn parser(language: &Language) -> Parser {
    let mut parser = Parser::new();
    parser.set_language(language).expect("the versions fit");
    parser
}

/// Runs every case; returns the number of cases.
pub fn every_case(language: impl Into<Language>) -> usize {
    let mut parser = parser(&language.into());
    let mut count = 0;
    let mut wrong = String::new();
    for file in corpus() {
        let text = fs::read_to_string(&file).expect("a text");
        for case in cases(&text) {
            count += 1;
            let tree = parser.parse(&case.source, None).expect("no limit is set");
            let found = sexp(tree.root_node());
            let expected = without_characters(&case.expected);
            if found != expected {
                let _ = writeln!(
                    wrong,
                    "{}: {}\nexpected {expected}\nfound    {found}\n",
                    file.display(),
                    case.name
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    count
}

/// Truncates `broken` at every sign, appends a complete definition, and asserts that an error in
/// the first does not affect the second.
pub fn survivors(language: impl Into<Language>, broken: &str) {
    let mut parser = parser(&language.into());
    let whole = "/// docs\n@target(c)\ndef last = fun(x => x)\n";
    let mut lost = Vec::new();
    for (cut, _) in broken
        .char_indices()
        .filter(|(_, c)| matches!(c, ' ' | '(' | ')' | '{' | '}' | '=' | ';' | '.'))
    {
        let text = format!("{}\n{whole}", &broken[..cut]);
        let tree = parser.parse(&text, None).expect("no limit is set");
        let root = tree.root_node();
        let last = root
            .named_children(&mut root.walk())
            .last()
            .expect("a node");
        let name = last
            .child_by_field_name("name")
            .map(|name| &text[name.byte_range()]);
        if !last.kind().ends_with("definition") || last.has_error() || name != Some("last") {
            lost.push(&broken[..cut]);
        }
    }
    assert!(lost.is_empty(), "definitions were lost behind {lost:#?}");
}
