//! Runs `test/corpus/*.txt`, the cases of `tree-sitter test`, without its command line.

mod support;

use std::fmt::Write as _;
use std::fs;
use support::{cases, corpus};
use tree_sitter::{Node, Parser, TreeCursor};

/// The tree as the command line prints it: named nodes, their fields, and what is missing.
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

/// `(UNEXPECTED 'x')` of the command line is an error node without children here.
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

#[test]
fn every_case_parses_as_written() {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_rise::LANGUAGE.into())
        .expect("the versions fit");
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
    assert!(count > 90, "only {count} cases were found");
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is wrong in one definition does not reach the next, whatever is missing.
#[test]
fn a_definition_survives_whatever_stands_before_it() {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_rise::LANGUAGE.into())
        .expect("the versions fit");
    let broken = "@run(n = 4)\ndef a : (n: Nat) -> n.3.f32 = depFun(n: Nat => fun(x: n.f32 => \
                  x |> map(fun(y => let z = (y, 1) in (z._1 : f32))) |> f(3.3.f32, natFun(i => i + 1))))";
    let whole = "/// docs\n@target(c)\ndef last = fun(x => x)\n";
    let mut survived = 0;
    let mut cuts = 0;
    for (cut, _) in broken
        .char_indices()
        .filter(|(_, c)| matches!(c, ' ' | '(' | ')' | '=' | '.'))
    {
        cuts += 1;
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
        if last.kind() == "definition" && !last.has_error() && name == Some("last") {
            survived += 1;
        } else {
            println!("lost behind {:?}", &broken[..cut]);
        }
    }
    assert_eq!(survived, cuts, "some definitions were lost");
}
