//! Tests that every query compiles and captures the right nodes.

use std::fs;
use std::path::Path;
use streaming_iterator::StreamingIterator as _;
use tree_sitter::{Parser, Query, QueryCursor};
use tree_sitter_dpia as dpia;

const SAMPLE: &str = r#"/// The sum.
@target(opencl)
def sum : (n: Nat) -> (w: ReadWrite) -> Acc[f32] -> Exp[n.f32, Rd] -> Comm =
  depFun((n: Nat, w: ReadWrite) => fun((out, xs) =>
    new(Private, f32, fun((acc, exp) =>
      if (true) {
        acc = 0.0f; // begin
        for(n, fun(i => acc = exp + idx(i, xs)))
      } else { skip };
      out = exp))))
"#;

/// Returns lines `capture text`, in the order of the text; for a text of several lines its first
/// one.
fn captures(query: &str) -> Vec<String> {
    let language = dpia::LANGUAGE.into();
    let query = Query::new(&language, query).expect("the query compiles");
    let mut parser = Parser::new();
    parser.set_language(&language).expect("the versions fit");
    let tree = parser.parse(SAMPLE, None).expect("no limit is set");
    assert!(!tree.root_node().has_error());
    let mut cursor = QueryCursor::new();
    let mut found = Vec::new();
    let mut all = cursor.captures(&query, tree.root_node(), SAMPLE.as_bytes());
    while let Some((matched, index)) = all.next() {
        let capture = matched.captures()[*index];
        let name = query.capture_names()[capture.index as usize];
        let text = SAMPLE[capture.node.byte_range()]
            .lines()
            .next()
            .unwrap_or("");
        found.push(format!("{name} {text}"));
    }
    found
}

#[track_caller]
fn expect(query: &str, expected: &[&str]) {
    let found = captures(query);
    for line in expected {
        assert!(
            found.iter().any(|found| found == line),
            "no `{line}` in {found:#?}"
        );
    }
}

#[test]
fn highlights() {
    expect(
        dpia::HIGHLIGHTS_QUERY,
        &[
            "comment.documentation /// The sum.",
            "attribute target",
            "keyword def",
            "function sum",
            "type.parameter w",
            "type.builtin ReadWrite",
            "type.builtin Acc",
            "type.builtin Comm",
            "constant.builtin Rd",
            "constant.builtin Private",
            "function.builtin new",
            "function.builtin for",
            "function.builtin idx",
            "keyword.conditional if",
            "keyword.conditional else",
            "keyword skip",
            "operator =",
            "punctuation.delimiter ;",
            "punctuation.bracket {",
        ],
    );
}

#[test]
fn locals() {
    expect(
        dpia::LOCALS_QUERY,
        &[
            "local.definition w",
            "local.definition acc",
            "local.reference acc",
            "local.scope fun((acc, exp) =>",
        ],
    );
}

#[test]
fn folds_and_indents() {
    expect(
        dpia::FOLDS_QUERY,
        &["fold @target(opencl)", "fold {", "fold fun((acc, exp) =>"],
    );
    expect(
        dpia::INDENTS_QUERY,
        &[
            "indent.begin {",
            "indent.begin acc = 0.0f",
            "indent.branch }",
        ],
    );
}

#[test]
fn injections_and_tags() {
    expect(dpia::INJECTIONS_QUERY, &["injection.content // begin"]);
    expect(dpia::TAGS_QUERY, &["doc /// The sum.", "name sum"]);
}

/// The editors need copies of the queries, because an extension contains only its own folder.
#[test]
fn the_copies_of_the_editors_are_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["highlights", "locals", "folds", "indents", "injections"] {
        let ours = root.join(format!("grammars/tree-sitter-dpia/queries/{name}.scm"));
        let theirs = root.join(format!("editors/nvim/queries/dpia/{name}.scm"));
        assert_eq!(
            fs::read_to_string(ours).expect("our query"),
            fs::read_to_string(&theirs).expect("their copy"),
            "copy queries/{name}.scm to {}",
            theirs.display()
        );
    }
}
