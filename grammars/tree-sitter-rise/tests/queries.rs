//! Tests that every query compiles and captures the right nodes.

use std::fs;
use std::path::Path;
use streaming_iterator::StreamingIterator as _;
use tree_sitter::{Parser, Query, QueryCursor};
use tree_sitter_rise as rise;

const SAMPLE: &str = r#"import "lib.rise"
import "more.rise"

/// The dot product.
/// Of two vectors.
@opencl(local = [64])
def dot : (n: Nat) -> n.f32 -> n.f32 -> f32 =
  depFun(n: Nat => fun(x: n.f32, y => // both
    zip(x)(y) |> mapSeq(square) |> toMem(Local) |> total))

foreign def square(p: (f32, f32)): f32 = """{
  return p._1 * p._2;
}"""

def total = let one = 1.0f in reduce((+))(one) >> fun(p => (p, 3)._1)
def sizes = f(natFun(i => i + 1), dataFun(j => j.f32), true, _)
"#;

/// Returns lines `capture text` of the sample in order; for a text of several lines its first one.
fn captures(query: &str) -> Vec<String> {
    captures_in(SAMPLE, query)
}

fn captures_in(sample: &str, query: &str) -> Vec<String> {
    let language = rise::LANGUAGE.into();
    let query = Query::new(&language, query).expect("the query compiles");
    let mut parser = Parser::new();
    parser.set_language(&language).expect("the versions fit");
    let tree = parser.parse(sample, None).expect("no limit is set");
    assert!(!tree.root_node().has_error());
    let mut cursor = QueryCursor::new();
    let mut found = Vec::new();
    let mut all = cursor.captures(&query, tree.root_node(), sample.as_bytes());
    while let Some((matched, index)) = all.next() {
        let capture = matched.captures()[*index];
        let name = query.capture_names()[capture.index as usize];
        let text = sample[capture.node.byte_range()]
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

#[track_caller]
fn expect_all(query: &str, expected: &[&str]) {
    assert_eq!(captures(query), expected);
}

#[test]
fn highlights() {
    expect(
        rise::HIGHLIGHTS_QUERY,
        &[
            "keyword.import import",
            "string \"lib.rise\"",
            "comment.documentation /// The dot product.",
            "attribute opencl",
            "property local",
            "keyword def",
            "function dot",
            "type.parameter n",
            "type.builtin Nat",
            "type.builtin f32",
            "keyword.function depFun",
            "variable.parameter x",
            "comment // both",
            "function.builtin zip",
            "function.call zip",
            "operator |>",
            "function.builtin mapSeq",
            "constant.builtin Local",
            "function.call total",
            "function square",
            "keyword let",
            "number.float 1.0f",
            "operator +",
            "property _1",
            "number 3",
            "type.parameter i",
            "boolean true",
            "constant.builtin _",
            "punctuation.bracket (",
            "punctuation.delimiter ,",
        ],
    );
}

#[test]
fn where_is_a_keyword_behind_a_type_only() {
    let sample = "def where : (n: Nat) -> n.f32 where 4 | n, 2 divides n = f(where)";
    let found = captures_in(sample, rise::HIGHLIGHTS_QUERY);
    let keywords: Vec<&str> = found
        .iter()
        .filter_map(|line| line.strip_prefix("keyword "))
        .collect();
    assert_eq!(keywords, ["def", "where"]);
    assert!(found.contains(&"keyword.operator divides".to_owned()));
}

/// Of several patterns that match a name, the last one decides, so that the name of a definition is
/// not highlighted as a primitive.
#[test]
fn what_wins_for_a_name() {
    let found = captures(rise::HIGHLIGHTS_QUERY);
    let last = |text: &str| {
        found
            .iter()
            .rev()
            .find_map(|line| line.strip_suffix(&format!(" {text}")))
    };
    assert_eq!(last("mapSeq"), Some("function.builtin"));
    assert_eq!(last("square"), Some("function"));
    assert_eq!(last("one"), Some("variable"));
}

#[test]
fn locals() {
    expect(
        rise::LOCALS_QUERY,
        &[
            "local.definition.function dot",
            "local.definition.function square",
            "local.definition n",
            "local.definition x",
            "local.definition one",
            "local.definition i",
            "local.definition j",
            "local.reference zip",
            "local.scope fun(x: n.f32, y => // both",
        ],
    );
}

#[test]
fn folds() {
    expect(
        rise::FOLDS_QUERY,
        &[
            "fold import \"lib.rise\"",
            "fold /// The dot product.",
            "fold @opencl(local = [64])",
            "fold depFun(n: Nat => fun(x: n.f32, y => // both",
            "fold \"\"\"{",
        ],
    );
}

#[test]
fn indents() {
    expect(
        rise::INDENTS_QUERY,
        &[
            "indent.begin fun(x: n.f32, y => // both",
            "indent.branch )",
            "indent.end )",
            "indent.ignore \"\"\"{",
        ],
    );
}

#[test]
fn injections() {
    expect_all(
        rise::INJECTIONS_QUERY,
        &[
            "injection.content /// The dot product.",
            "injection.content /// Of two vectors.",
            "injection.content // both",
            "injection.content {",
        ],
    );
}

#[test]
fn tags() {
    expect(
        rise::TAGS_QUERY,
        &[
            "doc /// The dot product.",
            "name dot",
            "definition.function @opencl(local = [64])",
            "name square",
            "name total",
            "reference.call zip(x)",
        ],
    );
}

/// The editors need copies of the queries, because an extension contains only its own folder.
#[test]
fn the_copies_of_the_editors_are_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["highlights", "locals", "folds", "indents", "injections"] {
        let ours = root.join(format!("grammars/tree-sitter-rise/queries/{name}.scm"));
        let theirs = root.join(format!("editors/nvim/queries/rise/{name}.scm"));
        assert_eq!(
            fs::read_to_string(ours).expect("our query"),
            fs::read_to_string(&theirs).expect("their copy"),
            "copy queries/{name}.scm to {}",
            theirs.display()
        );
    }
}
