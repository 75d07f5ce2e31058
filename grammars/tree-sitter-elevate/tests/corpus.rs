//! Runs the cases of `tree-sitter test`, `test/corpus/*.txt`, without the command-line tool.

#[path = "../../common/support/mod.rs"]
mod support;

#[test]
fn every_case_parses_as_written() {
    let count = support::every_case(tree_sitter_elevate::LANGUAGE);
    assert!(count > 60, "only {count} cases were found");
}

#[test]
fn a_definition_survives_whatever_stands_before_it() {
    let rule = "@title(\"Split\")\nunsafe rule a(n: Nat = 4, d: List[Nat]) = { map(f) : n.t |-> split(n) >> map(fun(x => \
                (f(x), 1))) let m = n * (k - 1) where x notIn f and not within(map(_)) | reduce |-> x }";
    support::survivors(tree_sitter_elevate::LANGUAGE, rule);
    let strategy = "strategy a[t](f: (Nat, t) -> Strategy): List[t] = b(x, n = [1]) ; (c match { case fun(x => y) \
                    if d(x) => rise { g(x) } case Success(n :: _) => if e then (x, y) => x else rule { h |-> (i) } }) \
                    @ with BENF { outermost(j) }";
    support::survivors(tree_sitter_elevate::LANGUAGE, strategy);
    let example = "example \"a\" { input fun(x => f(x)) apply topDown(g(2)) expect trace [a, b] modulo c }\n\
                   tune s : Nat in 1..divisors(4) where (4) divides s";
    support::survivors(tree_sitter_elevate::LANGUAGE, example);
}
