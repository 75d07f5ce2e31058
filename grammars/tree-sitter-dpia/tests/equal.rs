//! Tests that the compiler's parser and this grammar return the same tree for every text; the
//! intended differences are those of the RISE grammar.

#[path = "../../common/support/mod.rs"]
mod support;

use support::Equality;
use syntax::Dialect;

fn dpia() -> Equality<Dialect> {
    Equality::new(tree_sitter_dpia::LANGUAGE, Dialect::Dpia)
}

#[test]
fn on_every_file_of_the_repository() {
    let files = dpia().on_files(&["examples", "tests", "crates"]);
    assert!(files >= 2, "only {files} files were found");
}

#[test]
fn on_every_corpus_case() {
    dpia().on_cases();
}

const RIGHT: &[&str] = &[
    "def a = skip",
    "def a = skip;",
    "def a = b = c",
    "def a = b = c;",
    "def a = b = c; d = e; f(x);",
    "def a = b = 1 + let x = 2 in x; c = 3",
    "def a = b = let x = 2 in x; c = 3",
    "def a = b = 1; let x = 2 in c = x; d = x",
    "def a = b = -let x = 2 in c; d",
    "def a = -let x = 2 in c; -d",
    "def a = let x = b = c; d in x",
    "def a = f(b = c, d; e, g;)(h; i -> j)",
    "def a = f(b; (n: Nat) -> c, b; let x = 1 in c; d)",
    "def a = f(b -> c = d; e)",
    "def a = (b; c, d = e)",
    "def a = (b; : Comm)",
    "def a = f(b = n.f32; c)",
    "def a = fun((acc, exp) => acc = exp; acc = exp + 1)",
    "def a = if (x == y) { skip } else { b = 1; c = 2; }",
    "def a = if (x) { if (y) { skip } else { b } } else { for(n, fun(i => b)) }; c",
    "def a = if (let y = x in y < 1) { skip } else { skip }(1)",
    "def a = x + if (y) { skip } else { skip } |> skip",
    "def a : (n: Nat) -> (w: ReadWrite) -> Exp[n.f32, w] -> Exp[n.f32, Rd] -> Acc[n.f32] -> Comm = b",
    "def a : ({w: ReadWrite} -> Exp[(f32, s -> t), _]) -> Comm = b",
    "def a = f(Rd, Wr, St, Exp[3.3.f32, w], Acc[t] -> Comm, Comm)",
    "def a = depFun((w: ReadWrite) => fun(x: Exp[f32, w] => x))",
    "@run(n = 1)\n@opencl(local = [n, 1], global = [64])\ndef a = b = 1; c = 2\ndef d = e;",
    "foreign def f(x: f32): f32 = \"\"\"{ return x; }\"\"\"\ndef a = b = f(1.0f)",
    "/// docs\ndef a = // one\n b = /* ; */ c; // two\n d = e; // three\n",
];

const WRONG: &[&str] = &[
    "def a = ;",
    "def a = b =",
    "def a = b = c = d",
    "def a = b; ; c",
    "def a = b = 1 c = 2",
    "def a = b = 1;; c",
    "def a = f(; b)",
    "def a = f(b = 1 c = 2)",
    "def a = b := 1",
    "def a = b += 1",
    "def a = b[1] = 2",
    "def a = let x = 1; b",
    "def a = if",
    "def a = if (x = y) { skip } else { skip }",
    "def a = if (x;) { skip } else { skip }",
    "def a = if x { skip } else { skip }",
    "def a = if (x) skip else skip",
    "def a = if (x) { skip }",
    "def a = if (x) { } else { skip }",
    "def a = if (x) { skip }; else { skip }",
    "def a = if (x) { skip } else if (y) { skip } else { skip }",
    "def a = if (x) { skip } else { skip",
    "def a = else { skip }",
    "def a = if = 1",
    "def skip = 1",
    "def a = fun(Comm => 1)",
    "def a : Exp = b",
    "def a : Exp[f32] = b",
    "def a : Exp[f32, 3] = b",
    "def a : Exp[f32, Rd, Wr] = b",
    "def a : Exp(f32, Rd) = b",
    "def a : Acc = b",
    "def a : Acc[f32, Rd] = b",
    "def a : Comm[f32] = b",
    "def a : f32; f32 = b",
    "def a : (w: Rd) -> Comm = b",
    "@run(n = 1; m = 2) def a = b",
    "@run(n = m = 2) def a = b",
    "@opencl(local = [a; b]) def a = b",
];

#[test]
fn on_right_programs() {
    dpia().on_right(RIGHT);
}

#[test]
fn on_wrong_programs() {
    dpia().on_wrong(WRONG);
}

#[test]
fn on_programs_with_a_token_missing() {
    dpia().with_a_token_missing(RIGHT);
}
