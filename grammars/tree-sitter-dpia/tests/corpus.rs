//! Runs the cases of `tree-sitter test`, `test/corpus/*.txt`, without the command-line tool.

#[path = "../../common/support/mod.rs"]
mod support;

#[test]
fn every_case_parses_as_written() {
    let count = support::every_case(tree_sitter_dpia::LANGUAGE);
    assert!(count > 20, "only {count} cases were found");
}

#[test]
fn a_definition_survives_whatever_stands_before_it() {
    let broken = "@target(opencl)\ndef a : (n: Nat) -> Acc[n.f32] -> Exp[n.f32, Rd] -> Comm = depFun(n: Nat => \
                  fun((out, xs) => if (n == 0) { skip } else { new(Private, f32, fun((acc, exp) => acc = 0.0f; \
                  for(n, fun(i => acc = exp + idx(i, xs))); idxAcc(0, out) = exp)) }))";
    support::survivors(tree_sitter_dpia::LANGUAGE, broken);
}
