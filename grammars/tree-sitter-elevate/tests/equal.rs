//! Tests that the compiler's parser and this grammar return the same tree for every text; the
//! intended differences, in terms, are those of the RISE grammar.

#[path = "../../common/support/mod.rs"]
mod support;

mod words;

use std::fs;
use std::ops::Range;

use support::{Compiler, Equality};
use syntax::{Diagnostic, Severity, elevate};
use tree_sitter::Node;

struct Elevate;

impl Compiler for Elevate {
    fn extension(&self) -> &'static str {
        "elevate"
    }

    fn items(&self, text: &str) -> Result<Vec<String>, Diagnostic> {
        elevate::split(text)
            .into_iter()
            .map(|span| {
                let parsed = elevate::parse(&text[Range::from(span)]);
                let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
                match parsed.diagnostics.into_iter().find(is_error) {
                    Some(error) => Err(error),
                    None => {
                        let docs = parsed.item.docs.as_ref().map_or("", |docs| &docs.text);
                        Ok(format!(
                            "{docs:?} {}",
                            support::sexpr_elevate::dump(&parsed.item)
                        ))
                    }
                }
            })
            .collect()
    }

    fn tokens(&self, text: &str) -> Vec<Range<usize>> {
        elevate::lex(text)
            .filter(|token| !token.kind.is_trivia())
            .map(|token| token.span.into())
            .collect()
    }

    fn dump(&self, text: &str, root: Node<'_>) -> Vec<String> {
        words::items(text, root)
    }
}

fn elevate() -> Equality<Elevate> {
    Equality::new(tree_sitter_elevate::LANGUAGE, Elevate)
}

#[test]
fn on_every_file_of_the_repository() {
    let files = elevate().on_files(&["examples", "tests", "crates"]);
    assert!(files > 20, "only {files} files were found");
}

#[test]
fn on_every_corpus_case() {
    elevate().on_cases();
}

const RIGHT: &[&str] = &[
    "splitJoinMap   `@` outermost(isMap)   `;`\ntoMapWorkGroup `@` outermost(isMap)   `;`\n\
     fuseReduceMap  `@` every(isReduce)    `;`\ntoReduceSeq    `@` every(isReduce)",
    "import \"a.elevate\" language rise traversal argumentFirst val a = b\nc",
    "tune s : Nat tune t : Nat in 1..n - 1 pow 2 = 4 where 4 divides t and t != 8 || t > s",
    "tune u : Nat in divisors(n * 2) tune v : Nat in {1, 2 * n}",
    "rule splitJoin(n: Nat = s)(d: Int, a: Addr = Private) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join",
    "rule a = slide(n)(s) >> split(k) ↦ slide(w)(s*k) let w = s*(k-1) + n requires w <= m assuming k divides (m - 1)",
    "unsafe rule a = { map(g) >> reduce(f)(z) |-> x | reduce(f)(z) : n.t -> t |-> (y : t) where x notIn f }",
    "rule beta = _ /// docs\n@title(\"β\", [a, 1], b = c) @hidden\nrule eta = fun(x => f(x)) |-> f where x notIn f",
    "rule a = x |-> y where not (x notIn f or (n == m) and p(x)) && !holds(s ; t <+ u, x) and e : AddrSp",
    "rule a = x |-> let y = x in f(y) let n = m where ((n + 1)) * 2 divides k and (f(n)) < 3",
    "rule `map -> mapSeq` = map |-> mapSeq\n`map -> mapSeq` @ outermost(isPrimitive(map)) ; `a`",
    "strategy f[a, b](l: List[a], t: (a, b) -> Strategy -> ())(g): List[(a)] = l def g() = f",
    "strategy s = a <+ b ; c @ d ;; e@f <+ (g, h) ; [1, -2.5f, x(y = 1, z)] <+ not u and -v + w % 2 * 3 < 4 or !x",
    "strategy s = x :: y :: z == [] <+ if a then b ; c else p => q ; r",
    "strategy s = p => p match { case [] => a case [n] => b case n :: ms if n > 1 && m => c case _ => d }",
    "strategy s = p match { case fun(x => b) => a case fun(x, b) => a case app(map(f), _ :: _) => Success(fun(x, nb)) }",
    "strategy s = a match { case depapp(f, n) => b case Success(lit(-1)) => c } match { case map(?f) : t => true case \"x\" => _ }",
    "strategy s = p match { case x if (a, b => c)(d) => (x, y: Nat) => e }",
    "strategy s(c)(d) = s(b).mapSuccess(nb => rise { fun(x => nb) |> map(f)(y) }).size ; fail",
    "val a: Strategy = with BENF { b ;; c } ; rule { x |-> y | z |-> w assuming 2 divides n }\n(d ;; e)(mm)",
    "val a = f(fun(x => x + 1), depFun(n: Nat => n), Local, f32, Vec[4, f32], natFun(i => i + 1), n.m, let)",
    "pred isMap = { map | map(_) | map(_)(_) : n.t } pred p(d: Int) = isMap <+ fail normalform N(n: Nat) = normalize(a)",
    "example \"three\" { input fun(xs: n.f32 => xs |> map(h)) apply normalize(a) expect xs |> map(h >> g) modulo BENF }",
    "@slow example { input x apply s expect failure } example { input x apply s expect trace [a, `b c`] modulo N }",
    "val a = Seq(1, List(), not(b)) ; not ; not c",
    "val a = b // one\n/* two */ `;;` /// three\nc val d = e",
    "strategy größe = maß(größe)",
];

const WRONG: &[&str] = &[
    "strategy a = b ;",
    "strategy a = ; b",
    "strategy a = b ; ; c",
    "strategy a = b <+ <+ c",
    "strategy a = [b c]",
    "strategy a = (b (c))",
    "strategy a = f(x, )",
    "strategy a = f(x",
    "strategy a = ()",
    "strategy a = ?f",
    "strategy a = x.",
    "strategy a = x.1",
    "strategy a = if b then c",
    "strategy a = if b else c",
    "strategy a = b match",
    "strategy a = b match { x => y }",
    "strategy a = b match { case x y }",
    "strategy a = b match { case x -> y }",
    "strategy a = b match { case app(x) => y }",
    "strategy a = b match { case Success(x, y) => y }",
    "strategy a = b match { case x => y } ; c",
    "strategy a = a < b < c",
    "strategy a = 1 |> f",
    "strategy a = rise { }",
    "strategy a = rise { x",
    "strategy a = with { b }",
    "strategy a = rule { }",
    "strategy a = { b }",
    "strategy a = let x = y in z",
    "strategy a = x: Nat => x",
    "strategy a = fun",
    "strategy a",
    "strategy a(b = 1",
    "strategy a b = c",
    "strategy a (b) = c",
    "strategy a: = b",
    "strategy a: f32 = b",
    "strategy a: List[] = b",
    "strategy a[] = b",
    "strategy = b",
    "strategy match = b",
    "strategy rule = b",
    "val a(b) = c",
    "val a == b",
    "pred a = { }",
    "pred a = { b | }",
    "pred a = { b } <+ c",
    "pred a: Pred = b",
    "rule a = b",
    "rule a = b |->",
    "rule a = |-> b",
    "rule a = b -> c",
    "rule a = b |-> c : t",
    "rule a = b |-> c | d |-> e",
    "rule a = { b |-> c, d |-> e }",
    "rule a = { b |-> c",
    "rule a = f (x) |-> x",
    "rule a = f(x : t) |-> x",
    "rule a = b ; c |-> d",
    "rule a = b |-> c where",
    "rule a = b |-> c where d",
    "rule a = b |-> c where d + 1",
    "rule a = b |-> c where n divides",
    "rule a = b |-> c where n divides m and",
    "rule a = b |-> c where holds(s)",
    "rule a = b |-> c where (n divides m",
    "rule a = b |-> c where x notIn",
    "rule a = b |-> c let = d",
    "rule a = b |-> c let d e",
    "rule a: Rule = b |-> c",
    "unsafe strategy a = b",
    "unsafe",
    "tune a",
    "tune a = 4",
    "tune a : Nat in 1",
    "tune a : Nat in {}",
    "tune a : Nat in 1..",
    "tune a : Nat in 1..2 step",
    "tune a : Nat where a > 1 = 4",
    "example { input x apply s }",
    "example { input x expect y apply s }",
    "example { input x apply s expect }",
    "example { input x apply s expect y modulo }",
    "example { input x apply s expect trace [a b] }",
    "example x { input x apply s expect y }",
    "import a",
    "import \"a",
    "language haskell",
    "language",
    "traversal sideways",
    "@title(\"a\")",
    "@title(\"a\" rule b = c |-> d",
    "@title(\"a\") import \"b\"",
    "@title(\"a\") b ; c",
    "a @b ; c",
    "val a = b)",
    "val a = b c",
    "val a = b\n  c",
    "val a = b (c)",
    "val a = b | c",
    "une a : Nat = 4",
    "fun a(b) = c",
    "val a = b }",
    "val a = `b",
    "val a = b /* open",
    "val a = \"b",
    "val a = #",
    "val a = b where c == d",
];

#[test]
fn on_right_programs() {
    elevate().on_right(RIGHT);
}

#[test]
fn on_wrong_programs() {
    elevate().on_wrong(WRONG);
}

#[test]
fn on_programs_with_a_token_missing() {
    elevate().with_a_token_missing(RIGHT);
}

/// Tests only every n-th definition of the library: all of them take half a minute.
#[test]
fn on_definitions_of_the_library_with_a_token_missing() {
    let library = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../crates/elevate/src/library"
    );
    let mut definitions = Vec::new();
    let mut files: Vec<_> = fs::read_dir(library)
        .expect("the library is there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(file).expect("a text");
        let items = elevate::split(&text).into_iter();
        definitions.extend(items.map(|item| text[Range::<usize>::from(item)].to_owned()));
    }
    assert!(definitions.len() > 300, "only {} items", definitions.len());
    let some: Vec<&str> = definitions.iter().step_by(13).map(String::as_str).collect();
    elevate().with_a_token_missing(&some);
}
