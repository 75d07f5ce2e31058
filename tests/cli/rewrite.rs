//! Tests of `rise-ls rewrite`, which applies strategies from the command line.

use expect_test::expect;

use crate::support::Folder;

const PROGRAM: &str = "\
// Twice, then one more.
def scale = depFun((n: Nat) => fun(xs: n.f32 =>
  xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))
";

const RULES: &str = "\
rule fuse = map(f) >> map(g) |-> map(f >> g)

val schedule = topDown(fuse)

strategy twice(s: Strategy): Strategy = s ; s
";

fn folder() -> Folder {
    Folder::with(&[("a.rise", PROGRAM), ("s.elevate", RULES)])
}

#[test]
fn an_expression_is_a_strategy() {
    let folder = folder();
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "topDown(mapFusion)"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.starts_with("def scale ="), "{}", ran.out);
    assert_eq!(ran.out.matches("map(").count(), 1, "{}", ran.out);
    // Without `--write` no file is changed.
    assert_eq!(folder.get("a.rise"), PROGRAM);
}

#[test]
fn a_definition_of_a_file_is_a_strategy() {
    let folder = folder();
    for strategy in [
        &["--strategy", "s.elevate:schedule"][..],
        &["s.elevate:schedule"],
        &["--strategy", "s.elevate"],
    ] {
        let ran = folder.run(&[&["rewrite", "a.rise", "--def", "scale"], strategy].concat());
        assert_eq!(ran.status, 0, "{strategy:?}: {}", ran.err);
        assert_eq!(ran.out.matches("map(").count(), 1, "{}", ran.out);
    }
    let ran = folder.run(&["rewrite", "a.rise", "s.elevate:shedule"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("did you mean `schedule`?"), "{}", ran.err);
}

#[test]
fn steps_and_differences_are_shown() {
    let folder = folder();
    let with = |flags: &[&str]| {
        let ran = folder.run(&[&["rewrite", "a.rise", "s.elevate:schedule"], flags].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out
    };
    let trace = with(&["--trace", "--diff"]);
    assert!(trace.starts_with("step 1   fuse  a.rise:3:"), "{trace}");
    assert!(trace.contains("\n  before "), "{trace}");
    assert!(trace.contains("\n  after  "), "{trace}");
    assert!(trace.contains("--- a.rise\n+++ a.rise\n@@ "), "{trace}");
    assert!(trace.contains("\n // Twice, then one more.\n"), "{trace}");
    let steps = with(&["--steps", "--diff"]);
    assert!(
        steps.starts_with("       1  fuse\n       1  step"),
        "{steps}"
    );
}

#[test]
fn a_file_is_written_as_a_whole() {
    let folder = folder();
    let ran = folder.run(&["rewrite", "a.rise", "s.elevate:schedule", "--write"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    let text = folder.get("a.rise");
    assert!(
        text.starts_with("// Twice, then one more.\ndef scale"),
        "{text}"
    );
    assert_eq!(text.matches("map(").count(), 1, "{text}");
    assert_eq!(folder.run(&["--check", "a.rise"]).status, 0);
}

/// `scale`, a definition that passes its condition on, and definitions that use both.
const USERS: &str = "\
def scale = depFun((n: Nat) => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f))))
def any = depFun((n: Nat) => fun(xs: n.f32 => scale(n)(xs)))
def eight = fun(xs: 8.f32 => any(8)(xs))
def seven = fun(xs: 7.f32 => any(7)(xs))
def five = fun(xs: 5.f32 => scale(5)(xs))
";

#[test]
fn a_condition_that_users_do_not_meet_is_an_error() {
    let folder = Folder::with(&[("a.rise", USERS)]);
    let with = |size: usize| {
        let strategy = format!("topDown(splitJoin({size}))");
        let args = ["rewrite", "a.rise", "--def", "scale", "--write"];
        folder.run(&[&args[..], &["--strategy", &strategy]].concat())
    };
    let ran = with(4);
    assert_eq!(ran.status, 1);
    expect![[r#"
        error: `five` and `seven` would have an error: `scale` needs 4 divides 5, which does not hold: its type has the condition 4 divides n
    "#]].assert_eq(&ran.err);
    assert_eq!(folder.get("a.rise"), USERS);
    folder.put("a.rise", USERS.replace('7', "12").replace('5', "4"));
    assert_eq!(with(4).status, 0);
    assert!(folder.get("a.rise").contains("split(4)"));
}

#[test]
fn documentation_and_annotations_stay_where_a_type_is_written() {
    // Without the rewritten function, the type of `xs` cannot be inferred.
    let program = "\
/// Doubles.
@target(c)
def scale = fun(xs => xs |> map(fun(x => x * 2.0f)))
";
    let folder = Folder::with(&[("a.rise", program)]);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "topDown(splitJoin(4))"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r#"
        /// Doubles.
        @target(c)
        def scale : {n: Nat} -> n.f32 -> n.f32 = fun(xs =>
          xs |> split(4) |> map(map(fun(x => x * 2.0f))) |> join)
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn a_failure_says_where_and_what_is_missing() {
    let folder = folder();
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "topDown(isReduce)"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(ran.err.contains("strategy-fails"), "{}", ran.err);
    assert!(ran.err.contains("a.rise:"), "{}", ran.err);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "repeat(id)"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
}

#[test]
fn mistakes_of_the_strategy_and_of_the_program_are_shown() {
    let folder = folder();
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "topDwn(mapFusion)"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(ran.err.contains("`topDown`"), "{}", ran.err);
    folder.put("b.rise", "def b = fun(xs => xs |> map(fun(x => y)))\n");
    let ran = folder.run(&["rewrite", "b.rise", "--strategy", "mapFusion"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(ran.err.contains("unknown-name"), "{}", ran.err);
    let ran = folder.run(&[
        "rewrite",
        "a.rise",
        "--def",
        "scala",
        "--strategy",
        "mapFusion",
    ]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("did you mean `scale`?"), "{}", ran.err);
    let ran = folder.run(&["rewrite", "a.rise"]);
    assert_eq!(ran.status, 2);
}

#[test]
fn strategies_are_checked_and_their_examples_run() {
    let folder = folder();
    assert_eq!(folder.run(&["--check", "."]).status, 0);
    folder.put(
        "wrong.elevate",
        "rule same = map(f) |-> map(g)\n\nval s = topDwn(same)\n",
    );
    let found = folder.findings(&["wrong.elevate"]);
    assert!(!found.is_empty());
    folder.put(
        "example.elevate",
        "import \"s.elevate\"\n\nexample \"not what comes out\" {\n  input fun(xs => xs |> map(fun(x => x + 1.0f)) |> map(fun(x => x * 2.0f)))\n  apply topDown(fuse)\n  expect failure\n}\n",
    );
    let found = folder.findings(&["example.elevate"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "example-fails");
}

#[test]
fn the_strategy_that_a_definition_names_lowers_it() {
    let folder = Folder::with(&[
        (
            "a.rise",
            "@target(c)\n@strategy(\"low.elevate\", low)\ndef scale = depFun((n: Nat) => fun(xs: n.f32 =>\n  xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))\n",
        ),
        (
            "low.elevate",
            "val low = topDown(mapFusion) ; topDown(rule { map(f) |-> mapSeq(f) })\n",
        ),
    ]);
    let ran = folder.run(&["--check", "--deny", "warnings", "."]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let ran = folder.run(&["emit", "a.rise", "--as", "c"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.out.matches("for (").count(), 1, "{}", ran.out);
    folder.put("low.elevate", "val low = topDown(isReduce)\n");
    let found = folder.findings(&["a.rise"]);
    assert_eq!(found[0]["code"], "strategy-fails", "{found:?}");
    assert_eq!(folder.run(&["emit", "a.rise", "--as", "c"]).status, 1);
    folder.put("low.elevate", "val high = id\n");
    let found = folder.findings(&["a.rise"]);
    assert_eq!(found[0]["code"], "unknown-name", "{found:?}");
}

#[test]
fn lowering_to_c_places_memory_and_changes_nothing_the_second_time() {
    let folder = Folder::with(&[(
        "a.rise",
        "def inc = fun(x: i32 => x + 1)
def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) =>
  zip(xs)(ys) |> map(fun(p => fst(p) * snd(p))) |> reduce(add)(0.0f)))
def sum = depFun(n: Nat => map(inc) >> reduce(add)(0))
def windows = depFun(n: Nat => fun(xs: (n + 2).i32 =>
  let ys = xs |> map(inc) in ys |> slide(3)(1) |> map(reduce(add)(0)) |> map(inc)))
def sums = depFun((n: Nat, m: Nat) => fun(a: n.m.i32 =>
  a
    |> reduce(fun(acc, row => zip(acc)(row) |> map(fun(p => p._1 + p._2))))(generate(fun(i => 0)))
    |> map(inc)))
",
    )]);
    for def in ["dot", "sum", "windows", "sums"] {
        let lowered = |strategy: &str| {
            let args = ["rewrite", "a.rise", "--def", def, "--strategy", strategy];
            let ran = folder.run(&args);
            assert_eq!(ran.status, 0, "{strategy}: {}", ran.err);
            ran.out
        };
        for strategy in ["lowerToC", "lowerToOpenMP"] {
            let once = lowered(strategy);
            assert_eq!(lowered(&format!("{strategy} ; {strategy}")), once);
            let target = match strategy {
                "lowerToOpenMP" => "openmp",
                _ => "c",
            };
            let program = format!("def inc = fun(x: i32 => x + 1)\n@target({target})\n{once}");
            folder.put("lowered.rise", &program);
            let ran = folder.run(&["--check", "lowered.rise"]);
            assert_eq!(ran.status, 0, "{program}{}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn a_lowering_that_changes_nothing_is_an_error() {
    let text = "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f))))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "lowerToC"]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert_eq!(
        ran.err,
        "error: `lowerToC` changes nothing: the definition determines how everything is computed\n"
    );
}

#[test]
fn conditions_on_what_a_function_parameter_takes_stay() {
    const PARAMETER: &str = "((n: Nat) -> n.f32 -> n.f32 where 4 divides n)";
    let text = format!(
        "def applied = fun(g: {PARAMETER} => fun(xs: 8.f32 =>
  xs |> g(8) |> map(fun(x => x + 1.0f)) |> map(fun(x => x * 2.0f))))
def quarters = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(4) |> join |> map(fun(x => x + 1.0f)) |> map(fun(x => x * 2.0f))))
def main = fun(h: {PARAMETER} => fun(xs: 8.f32 =>
  xs |> applied(quarters) |> applied(depFun(n: Nat => fun(ys => ys |> split(4) |> join |> h(n))))))
"
    );
    for (def, strategy) in [
        ("applied", "mapFusion @ topDown"),
        ("applied", "lowerToC"),
        ("main", "unfold(quarters) @ topDown"),
        ("main", "(unfold(quarters) @ topDown) ; mapFusion @ topDown"),
        ("main", "unfold(applied) @ topDown"),
        ("main", "unfoldAll"),
        ("main", "BENF"),
    ] {
        let folder = Folder::with(&[("a.rise", text.as_str())]);
        let args = [
            "rewrite",
            "a.rise",
            "--def",
            def,
            "--strategy",
            strategy,
            "--write",
        ];
        let ran = folder.run(&args);
        assert_eq!(ran.status, 0, "{strategy}: {}", ran.err);
        let ran = folder.run(&["--check", "--deny", "warnings", "a.rise"]);
        assert_eq!(ran.status, 0, "{strategy}: {}{}", ran.out, ran.err);
        let types = folder.run(&["types", "a.rise"]);
        let stated = types.out.matches("where 4 divides n) ->").count();
        assert_eq!(stated, 2, "{strategy}: {}", types.out);
    }
}

#[test]
fn reductions_alone_are_written() {
    let program = "def f = fun(x: f32 => x * 2.0f |> fun(y => y + y))\n";
    let folder = Folder::with(&[("a.rise", program)]);
    for strategy in ["topDown(beta)", "BENF", "normalize(beta)"] {
        let ran = folder.run(&["rewrite", "a.rise", "--strategy", strategy]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        let reduced = "def f = fun(x: f32 => x * 2.0f |> add(x * 2.0f))\n";
        assert_eq!(ran.out, reduced, "{strategy}");
    }
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "id"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, program));
}
