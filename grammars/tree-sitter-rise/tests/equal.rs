//! Tests that the compiler's parser and this grammar return the same tree for every text.
//!
//! They differ intentionally in what a grammar cannot express: the range of a number, the escapes
//! of a string, a word adjacent to a number, and the nesting depth. Furthermore, the compiler's
//! parser accepts any operand in a type, so that the type checker can explain the mistake; the
//! grammar accepts only types and sizes.

#[path = "../../common/support/mod.rs"]
mod support;

use support::Equality;
use syntax::Dialect;

fn rise() -> Equality<Dialect> {
    Equality::new(tree_sitter_rise::LANGUAGE, Dialect::Rise)
}

#[test]
fn on_every_file_of_the_repository() {
    let files = rise().on_files(&["examples", "tests", "crates"]);
    assert!(files > 20, "only {files} files were found");
}

#[test]
fn on_every_corpus_case() {
    rise().on_cases();
}

const RIGHT: &[&str] = &[
    "def a = f <| g <| x |> h >> i",
    "def a = -2 ^ 2 - -x ^ -3",
    "def a = x -1",
    "def f(inout x: n.f32, inout: f32){m: Nat}(inout y: m.f32): (n.f32, m.f32) = (x, y)",
    "def a = f(3.3.f32)(3.3.3.f32)(3.3.3.3.f32)(n.3.3.3.f32)",
    "def a = f(3.3..g)(n..3.3.g)",
    "def a : 3.3.f32 -> 3.3.3.f32 -> n.3.3.3.f32 = x",
    "def a = f(n.p._1)(p._1.f32)",
    "def a = f((n: Nat) -> {t: Num} -> n.t -> t)(x + 1 -> y)",
    "def a = f((x : f32))((x + 1 : n.f32), ((x)))",
    "def a = 1 + let x = 2 in x |> f",
    "def a = f(let x = 2 in x)",
    "def a = -let x = 2 in x + 1",
    "def a = x |> let y = 1 in y >> z |> w",
    "def a = let(1)(f) |> let",
    "def a = fun((x, y: f32) => depFun(n: Nat => x))",
    "def a = f(natFun(i => sum(j, 0, i, -j - 1)), dataFun(i => (i, n.f32)))",
    "def a : DepPair[k => k.f32] -> n..dataFun(i => i.f32) -> (n + 1)..f = x",
    "def a : (f(n) + min(a, b)).(f32, (s -> t)) -> Vec[n + 1, f32] = _",
    "def a : (n) -> (n.f32) -> ((n + 1)).f32 = x",
    "def a : f(f32)(n + 1).t = x",
    "def a = ((+), (!=))",
    "def a : (n: Nat) -> n.f32 where 4 | n, n divides m + 1 = x",
    "def a : ((n: Nat) -> n.f32 -> f32 where n >= 1, n < 12) -> ((f32 where 2 | n)) = x",
    "def where = (divides : {n: Nat} -> n.where where n == 3)",
    "@assume(4 divides w)\ndef a = fun(where: (t where n > 1) => where)",
    "def a(n: Nat)(x: n.f32, y){m: Nat}(z: m.f32 -> f32): (n + 1).f32 = x",
    "def a(x) = x",
    "def a{n: Nat, t: Num}(xs: n.t)(inout): n.t where 4 | n, n > 2 = fun(inout => inout)",
    "def inout(inout: Nat)(inout: f32, where, divides: inout) = inout",
    "def a(f: (n: Nat) -> n.f32, g: {m: Nat} -> m.f32)(p: (f32, f32)): f32 -> f32 = x",
    "def a = 1f16 + 2.5e-3f64 + 1E6 + 3natType + -128i8",
    "@assume(2 * s | n + 1, f(x) == 1)\n@opencl(local = [n, 1 + 1], global = [])\n/// docs\n@strategy(\"a\\\"b\\n\", x)\ndef a = 1",
    "foreign def f(x: f32, y: Vec[4, f32]): (f32, i32) = \"\"\"{ \"\" }\"\"\"\nforeign def g(x: u8): u8",
    "import \"a.rise\"\nimport \"b\\\\c.rise\"\ndef a = 1 import \"late.rise\"",
    "/// one\n// plain\n/// two\ndef a = 1 /// three\n/* four */\n///\ndef b = 1 // end",
    "\u{feff}def größe = 1\r\ndef b = größe\r\n",
    "def a = fun((x, y) => fun(((x, y)) => fun((x, y), z => fun(x, (y, z): t => x))))",
    "def a = fun((x, (y, _)): (s, t), _: f32 => fun((x, y): (s, t) => fun(_ => x)))",
    "def a((x, y): (s, t), _, (x, (_: f32, y)), _: (s, t)) = x",
    "def a = let (x, y) = b in let (x, _): (s, t) = b in let _ = b in let x: f32 = c in x",
    "def a = f(let (x, y) = b in x) + let (x, (y, z)) = b in let(x, y)",
    "def a = (let(x, y) : f32) + let((x, y))(f) |> let(x)",
    "def a = let f(x: f32, (y, _)): f32 = x in let g(n: Nat){t: Num}(xs: n.t): n.t where 4 | n, n > 2 = xs in f",
    "def a = f(let g(x) = let h{n: Nat}(xs: n.t) = xs in h in g(let f(x)(y): s -> t = x in f))",
    "def a = f(_, _.f32) + 1",
    "def _1 = fun(_2 => _2._1)",
    "def/**/a/**/=/**/1",
];

const WRONG: &[&str] = &[
    "def",
    "def a",
    "def a =",
    "def a = (",
    "def a = (1",
    "def a = f(",
    "def a = f()",
    "def a = f(x,)",
    "def a = x |>",
    "def a = |> x",
    "def a = x + ",
    "def a = x y",
    "def a = fun(x =>",
    "def a = fun(x)",
    "def a = fun(=> x)",
    "def a = fun x => x",
    "def a = depFun(n => n)",
    "def a = depFun(n: f32 => n)",
    "def a = fun(n: Nat => n)",
    "def a = let x = 1",
    "def a = let x = 1 in",
    "def a = let x 1 in x",
    "def a = let x: Nat = 1 in x",
    "def a = let (x) = 1 in x",
    "def a = (x, y, z)",
    "def a = (|>)",
    "def a = (!)",
    "def a = n.f32",
    "def a = n..f",
    "def a = x -> y",
    "def a = x.y",
    "def a = f >> g << h",
    "def a = f << g >> h",
    "def a = x < y < z",
    "def a = x == y != z",
    "def a = x | y",
    "def a = x = y",
    "def a = [1, 2]",
    "def a = x[1]",
    "def a = \"text\"",
    "def a = 1f",
    "def a = 0x1F",
    "def a = 1_000",
    "def a = 1.5i32",
    "def a = 3bool",
    "def a = .5",
    "def a = 1.",
    "def a = Nat",
    "def a = Array",
    "def a = Array(n, f32)",
    "def a = #",
    "def a : = 1",
    "def a : n. = 1",
    "def a : n.f32 -> = 1",
    "def a : (n: Nat) = 1",
    "def a : (n: Nat, m: Nat) -> n.m.f32 = 1",
    "def a : n + 1 = 1",
    "def a : n * 2.f32 = 1",
    "def a : Array[n] = 1",
    "def a : Tuple[s] = 1",
    "def a : fun(x => x) = 1",
    "def a : (s, t, u) = 1",
    "def a : t where = 1",
    "def a : t where n > 1, = 1",
    "def a : (t where n > 1 -> s = 1",
    "def a where n > 1 = 1",
    "def a() = 1",
    "def a(x = 1",
    "def a(x: = 1",
    "def a(x:) = 1",
    "def a(: f32) = 1",
    "def a(x,) = 1",
    "def a{} = 1",
    "def a{n} = 1",
    "def a{n: f32} = 1",
    "def a(x y) = 1",
    "def a(x)y = 1",
    "def a x = 1",
    "def a[n: Nat](x) = 1",
    "def a(x): = 1",
    "def a(x) -> f32 = 1",
    "def a(x) where n > 1 = 1",
    "def a(x: f32 where n > 1) = 1",
    "def a(_: Nat) = 1",
    "def a(let) = 1",
    "def a(x)",
    "def a(x) =",
    "def a(",
    "def fun = 1",
    "def let = 1",
    "def f32 = 1",
    "def Nat = 1",
    "def _ = 1",
    "def a = fun(in => 1)",
    "def a = depFun(_: Nat => 1)",
    "def a = 1 )",
    "x = 1",
    "foreign f(x: f32): f32",
    "foreign def f: f32",
    "foreign def f(): f32",
    "foreign def f(x): f32",
    "foreign def f(x: f32)",
    "foreign def f(x: f32): f32 = { return x; }",
    "foreign def f(x: f32): f32 = \"\"\"{",
    "import",
    "import a",
    "import \"a.rise",
    "import \"a.rise\" as b",
    "@target(c)",
    "@target(c) import \"a.rise\"",
    "@target(c def a = 1",
    "@(c) def a = 1",
    "@target c def a = 1",
    "@opencl(local = ) def a = 1",
    "@opencl(local = [1, ]) def a = 1",
    "def a = 1 /* open",
    "def a = 1 */",
];

#[test]
fn on_right_programs() {
    rise().on_right(RIGHT);
}

#[test]
fn on_wrong_programs() {
    rise().on_wrong(WRONG);
}

#[test]
fn on_programs_with_a_token_missing() {
    rise().with_a_token_missing(RIGHT);
}
