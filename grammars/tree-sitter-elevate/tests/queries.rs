//! Tests that every query compiles and captures the right nodes.

use std::fs;
use std::path::Path;
use streaming_iterator::StreamingIterator as _;
use tree_sitter::{Parser, Query, QueryCursor};
use tree_sitter_elevate as elevate;

const SAMPLE: &str = r#"import "tiling.elevate"
language rise
tune size : Nat in 8..64 pow 2

/// Splits a map.
@title("Split map") @looping
unsafe rule splitJoin(n: Nat = size) = map(?f) : m.s -> m.t |->
  split(n) >> map(map(?f)) >> join // chunks
  let k = n * 2
  where x notIn f and not holds(isMap, f)
  assuming n divides m

strategy twice[a](s: Strategy, l: List[a]): Strategy =
  p => s(p) match {
    case Success(q) if q == p => s ; one(s) <+ fail
    case fun(y => b) => rise { b }
    case n :: ns => l.size
  }
pred isLow = { mapSeq | reduceSeq(_) }
normalform LNF = normalize(low)
example "one" { input fun(x => 1.0f) apply twice(`a b`) expect trace [splitJoin] modulo LNF }
splitJoin(4) `@` outermost(isMap) ;; low
"#;

/// Returns lines `capture text`, in the order of the text; for a text of several lines its first
/// one.
fn captures(query: &str) -> Vec<String> {
    let language = elevate::LANGUAGE.into();
    let query = Query::new(&language, query).expect("the query compiles");
    let mut parser = Parser::new();
    parser.set_language(&language).expect("the versions fit");
    let tree = parser.parse(SAMPLE, None).expect("no limit is set");
    assert!(
        !tree.root_node().has_error(),
        "{}",
        tree.root_node().to_sexp()
    );
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

#[track_caller]
fn expect_all(query: &str, expected: &[&str]) {
    assert_eq!(captures(query), expected);
}

#[test]
fn highlights() {
    expect(
        elevate::HIGHLIGHTS_QUERY,
        &[
            "keyword.import import",
            "string \"tiling.elevate\"",
            "constant.builtin rise",
            "type.parameter size",
            "keyword pow",
            "comment.documentation /// Splits a map.",
            "attribute title",
            "attribute looping",
            "keyword.modifier unsafe",
            "keyword rule",
            "function splitJoin",
            "variable.parameter n",
            "type.builtin Nat",
            "function.builtin map",
            "variable.parameter ?f",
            "operator |->",
            "operator >>",
            "comment // chunks",
            "keyword let",
            "keyword where",
            "keyword.operator notIn",
            "keyword.operator and",
            "keyword.operator not",
            "function.builtin holds",
            "keyword assuming",
            "keyword.operator divides",
            "type.parameter a",
            "type.builtin List",
            "type a",
            "keyword.conditional match",
            "keyword.conditional case",
            "constructor Success",
            "operator <+",
            "function.builtin one",
            "keyword rise",
            "function.method size",
            "function isLow",
            "keyword normalform",
            "keyword input",
            "number.float 1.0f",
            "keyword modulo",
            "operator `@`",
            "operator ;;",
            "punctuation.bracket [",
        ],
    );
}

/// Of several patterns that match a name, the last one decides.
#[test]
fn what_wins_for_a_name() {
    let found = captures(elevate::HIGHLIGHTS_QUERY);
    let last = |text: &str| {
        found
            .iter()
            .rev()
            .find_map(|line| line.strip_suffix(&format!(" {text}")))
    };
    assert_eq!(last("outermost"), Some("function.builtin"));
    assert_eq!(last("mapSeq"), Some("function.builtin"));
    assert_eq!(last("Strategy"), Some("type.builtin"));
    assert_eq!(last("low"), Some("variable"));
    assert_eq!(last("`a b`"), Some("variable"));
}

#[test]
fn locals() {
    expect(
        elevate::LOCALS_QUERY,
        &[
            "local.definition.function splitJoin",
            "local.definition.function twice",
            "local.definition.function isLow",
            "local.definition.function LNF",
            "local.definition.parameter size",
            "local.definition n",
            "local.definition k",
            "local.definition.type a",
            "local.definition p",
            "local.definition q",
            "local.definition y",
            "local.definition ns",
            "local.reference ?f",
            "local.reference `a b`",
            "local.scope case fun(y => b) => rise { b }",
            "local.scope fun(y => b)",
        ],
    );
}

#[test]
fn folds() {
    expect(
        elevate::FOLDS_QUERY,
        &[
            "fold import \"tiling.elevate\"",
            "fold /// Splits a map.",
            "fold @title(\"Split map\") @looping",
            "fold s(p) match {",
            "fold example \"one\" { input fun(x => 1.0f) apply twice(`a b`) expect trace [splitJoin] modulo LNF }",
        ],
    );
}

#[test]
fn indents() {
    expect(
        elevate::INDENTS_QUERY,
        &[
            "indent.begin s(p) match {",
            "indent.begin case n :: ns => l.size",
            "indent.branch }",
            "indent.end }",
            "indent.ignore // chunks",
        ],
    );
}

#[test]
fn injections() {
    expect_all(
        elevate::INJECTIONS_QUERY,
        &[
            "injection.content /// Splits a map.",
            "injection.content // chunks",
        ],
    );
}

#[test]
fn tags() {
    expect(
        elevate::TAGS_QUERY,
        &[
            "doc /// Splits a map.",
            "name splitJoin",
            "definition.function @title(\"Split map\") @looping",
            "name LNF",
            "reference.call splitJoin(4)",
        ],
    );
}

/// The editors need copies of the queries, because an extension contains only its own folder.
#[test]
fn the_copies_of_the_editors_are_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["highlights", "locals", "folds", "indents", "injections"] {
        let ours = root.join(format!("grammars/tree-sitter-elevate/queries/{name}.scm"));
        let theirs = root.join(format!("editors/nvim/queries/elevate/{name}.scm"));
        assert_eq!(
            fs::read_to_string(ours).expect("our query"),
            fs::read_to_string(&theirs).expect("their copy"),
            "copy queries/{name}.scm to {}",
            theirs.display()
        );
    }
}
