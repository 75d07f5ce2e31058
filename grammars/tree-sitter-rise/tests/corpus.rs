//! Runs the cases of `tree-sitter test`, `test/corpus/*.txt`, without the command-line tool.

#[path = "../../common/support/mod.rs"]
mod support;

#[test]
fn every_case_parses_as_written() {
    let count = support::every_case(tree_sitter_rise::LANGUAGE);
    assert!(count > 90, "only {count} cases were found");
}

#[test]
fn a_definition_survives_whatever_stands_before_it() {
    let broken = "@run(n = 4)\ndef a : (n: Nat) -> n.3.f32 = depFun(n: Nat => fun(x: n.f32 => \
                  x |> map(fun(y => let z = (y, 1) in (z._1 : f32))) |> f(3.3.f32, natFun(i => i + 1))))";
    support::survivors(tree_sitter_rise::LANGUAGE, broken);
}
