//! Tests of tuning parameters on the command line.

use expect_test::expect;

use crate::support::Folder;

const PROGRAM: &str = "\
def scale = depFun((n: Nat) => fun(xs: n.f32 =>
  xs |> map(fun(x => x * 2.0f))))
";

const STRATEGY: &str = "\
tune rows : Nat in 4..64 step 4 where 8 divides rows

val blocks = topDown(splitJoin(rows))
";

fn folder() -> Folder {
    Folder::with(&[("a.rise", PROGRAM), ("s.elevate", STRATEGY)])
}

#[test]
fn a_value_takes_the_place_of_an_open_size() {
    let folder = folder();
    let ran = folder.run(&["rewrite", "a.rise", "s.elevate:blocks", "--tune", "rows=32"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("split(32)"), "{}", ran.out);
    assert!(!ran.out.contains("rows"), "{}", ran.out);
    // The option also applies to a parameter of the library, and to one that has a value.
    let ran = folder.run(&[
        "rewrite",
        "a.rise",
        "--strategy",
        "splitJoinMap @ outermost(isMap)",
        "--tune",
        "s=16",
    ]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("split(16)"), "{}", ran.out);
    folder.put(
        "v.elevate",
        "tune k : Nat = 4\nval v = topDown(splitJoin(k))\n",
    );
    let ran = folder.run(&["rewrite", "a.rise", "v.elevate:v", "--tune", "k=2"]);
    assert!(ran.out.contains("split(2)"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_must_hold_of_an_open_size_travels_with_the_program() {
    let folder = folder();
    let ran = folder.run(&["rewrite", "a.rise", "s.elevate:blocks"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("rows: Nat"), "{}", ran.out);
    expect![[r#"
        note: assumes rows divides n
        note: assumes 8 divides rows
        note: `rows` has no value: it is now a parameter of the definition
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let folder = folder();
    let mut said = String::new();
    for value in ["rows=12", "rows=128", "rows=9", "lanes=4", "row=8", "s=16"] {
        let ran = folder.run(&["rewrite", "a.rise", "s.elevate:blocks", "--tune", value]);
        assert_ne!(ran.status, 0, "{value}: {}", ran.out);
        assert_eq!(ran.out, "", "{value}");
        let lines = ran.err.lines().filter(|line| {
            line.starts_with("error") || line.starts_with("note") || line.contains("help")
        });
        for line in lines {
            said += &format!("{value}: {line}\n");
        }
    }
    expect![[r#"
        rows=12: error[strategy-fails]: `blocks` fails: `rows` is 12, and the condition `8 divides rows` does not hold
        rows=128: error[strategy-fails]: `blocks` fails: `rows` is 128, which is not in `4..64 step 4`
        rows=9: error[strategy-fails]: `blocks` fails: `rows` is 9, which is not in `4..64 step 4`
        lanes=4: error: the strategy has no `tune` with the name `lanes`
        lanes=4: note: its `tune`s are `rows`
        row=8: error: the strategy has no `tune` with the name `row`
        row=8: note: did you mean `rows`?
        s=16: error: the strategy has no `tune` with the name `s`
        s=16: note: its `tune`s are `rows`
    "#]]
    .assert_eq(&said);
    for value in ["rows", "rows=0", "rows=many"] {
        let ran = folder.run(&["rewrite", "a.rise", "s.elevate:blocks", "--tune", value]);
        assert_eq!(ran.status, 2, "{value}: {}", ran.err);
    }
}

#[test]
fn a_value_in_the_file_is_held_to_its_set_and_condition() {
    let folder = folder();
    folder.put(
        "w.elevate",
        "tune k : Nat in {2, 4} = 3\nval w = topDown(splitJoin(k))\n\
         tune m : Nat = 6 where 4 divides m\nval v = topDown(splitJoin(m))\n",
    );
    let found = folder.findings(&["w.elevate"]);
    let codes: Vec<_> = found.iter().map(|found| &found["code"]).collect();
    assert_eq!(codes, ["obligation-fails", "obligation-fails"], "{found:?}");
    // A valid value on the command line replaces the one in the file.
    let ran = folder.run(&["rewrite", "a.rise", "w.elevate:w", "--tune", "k=4"]);
    assert!(ran.out.contains("split(4)"), "{}{}", ran.out, ran.err);
    for (name, said) in [
        ("w", "`k` is 3, which is not in `{2, 4}`"),
        (
            "v",
            "`m` is 6, and the condition `4 divides m` does not hold",
        ),
    ] {
        let ran = folder.run(&["rewrite", "a.rise", &format!("w.elevate:{name}")]);
        assert_eq!(ran.status, 1, "{}", ran.out);
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn open_sizes_reach_the_type_and_the_users_in_the_same_edit() {
    let folder = folder();
    folder.put(
        "b.rise",
        "\
/// Twice as much.
def scale : (n: Nat) -> n.f32 -> n.f32 = depFun(n: Nat => fun(xs =>
  // One after the other.
  xs |> map(fun(x => x * 2.0f))))

def twice = depFun((n: Nat) => fun(xs: n.f32 => scale(n)(scale(n)(xs))))
",
    );
    let with = |flags: &[&str]| {
        let args = ["rewrite", "b.rise", "s.elevate:blocks", "--def", "scale"];
        folder.run(&[&args[..], flags].concat())
    };
    let ran = with(&[]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    assert!(ran.err.contains("`--tune rows=32`"), "{}", ran.err);
    let ran = with(&["--open-sizes", "--write"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r#"
        /// Twice as much.
        def scale : (n: Nat) -> (rows: Nat) -> n.f32 -> n.f32 = depFun((n: Nat, rows: Nat) => fun(xs =>
          // One after the other.
          xs |> split(rows) |> map(map(fun(x => x * 2.0f))) |> join))

        def twice = depFun((n: Nat, rows: Nat) => fun(xs: n.f32 => scale(n, rows)(scale(n, rows)(xs))))
    "#]]
    .assert_eq(&folder.get("b.rise"));
    let ran = folder.run(&["--check", "b.rise"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn users_that_cannot_hand_a_size_on_are_named() {
    let folder = folder();
    folder.put(
        "c.rise",
        "import \"a.rise\"\n\ndef again = depFun((n: Nat) => fun(xs: n.f32 => scale(n)(xs)))\n",
    );
    let ran = folder.run(&[
        "rewrite",
        "a.rise",
        "s.elevate:blocks",
        "--open-sizes",
        "--write",
    ]);
    // No definition in `a.rise` uses it, and `c.rise`, which imports it, is not considered.
    assert_eq!(ran.status, 0, "{}", ran.err);
    folder.put(
        "d.rise",
        "def scale = depFun((n: Nat) => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f))))\n\n\
         def rows = depFun((n: Nat) => fun((rows: f32, xs: n.f32) => scale(n)(xs)))\n",
    );
    let ran = folder.run(&[
        "rewrite",
        "d.rise",
        "s.elevate:blocks",
        "--def",
        "scale",
        "--open-sizes",
        "--write",
    ]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    expect![[r#"
        error: `rows` uses the definition and would have to give it `rows`, but uses that name for something else
        note: give it a value: `--tune rows=32`, or `tune rows : Nat = 32` in the strategy's file
    "#]]
    .assert_eq(&ran.err);
}

#[test]
fn an_open_size_is_called_otherwise_than_the_sizes_of_the_program() {
    let folder = Folder::with(&[(
        "a.rise",
        "def both = depFun((n: Nat, s: Nat) => fun(xs: n.f32, ys: s.f32 =>\n  xs |> map(fun(x => x + 1.0f))))\n",
    )]);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "topDown(splitJoinMap)"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r#"
        def both = depFun((n: Nat, s: Nat, s1: Nat) => fun(xs: n.f32, ys: s.f32 =>
          xs |> split(s1) |> map(map(fun(x => x + 1.0f))) |> join))
        note: assumes s1 divides n
        note: `s1` has no value: it is now a parameter of the definition
    "#]]
    .assert_eq(&format!("{}{}", ran.out, ran.err));
}

#[test]
fn what_is_assumed_of_a_size_bound_inside_is_not_said_of_the_definition() {
    let folder = Folder::with(&[(
        "a.rise",
        "def rounds = depFun(n: Nat => fun(xs: (n + 4).i32 =>\n  xs |> iterate(2)(depFun(n: Nat => fun(ys => ys |> map(fun(x => x + 1)))))))\n",
    )]);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "topDown(splitJoinMap)"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r#"
        def rounds = depFun((n: Nat, s: Nat) => fun(xs: (n + 4).i32 =>
          xs |> iterate(2)(depFun(n: Nat => fun(ys =>
            ys |> split(s) |> map(map(fun(x => x + 1))) |> join)))))
        note: assumes s divides n
        note: `s` has no value: it is now a parameter of the definition
    "#]]
    .assert_eq(&format!("{}{}", ran.out, ran.err));
    folder.put("b.rise", &ran.out);
    let ran = folder.run(&["types", "b.rise"]);
    expect![[r#"
        rounds : (n: Nat) -> (s: Nat) -> (n+4).i32 -> (n+4).i32 where s divides n + 4
    "#]]
    .assert_eq(&format!("{}{}", ran.out, ran.err));
}

#[test]
fn a_size_that_would_hide_what_a_user_uses_is_refused() {
    let folder = Folder::with(&[(
        "a.rise",
        "\
def f = depFun(n: Nat => fun(xs: n.i32 => xs |> map(fun(x => x + 1))))
def s = depFun(n: Nat => fun(a: n.i32 => a |> f(n)))
def t = depFun(n: Nat => fun(a: n.i32 => a |> s(n)))
",
    )]);
    let strategy = ["--def", "f", "--strategy", "topDown(splitJoinMap)"];
    let arguments = [
        &["rewrite", "a.rise", "--open-sizes", "--write"],
        &strategy[..],
    ]
    .concat();
    let ran = folder.run(&arguments);
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert!(ran.err.contains("`t` uses the definition"), "{}", ran.err);
}

#[test]
fn lines_end_as_those_of_the_file() {
    let folder = Folder::with(&[(
        "a.rise",
        "def f = depFun(n: Nat => fun(xs: n.i32 =>\r\n  xs |> map(fun(x => x + 1))))\r\n",
    )]);
    let strategy = "topDown(splitJoin(32))";
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", strategy, "--diff"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    folder.run(&["rewrite", "a.rise", "--strategy", strategy, "--write"]);
    let text = std::fs::read_to_string(folder.path("a.rise")).expect("the file is there");
    assert!(text.contains("split(32)"), "{text}");
    assert_eq!(
        text.matches('\n').count(),
        text.matches("\r\n").count(),
        "{text:?}"
    );
}

#[test]
fn a_range_and_a_condition_name_other_sizes() {
    let folder = folder();
    let run = |tunes: &str, values: &[&str]| {
        let strategy = "splitJoin(t) @ topDown ; splitJoin(u) @ topDown";
        folder.put("o.elevate", format!("{tunes}\n{strategy}\n"));
        assert_eq!(
            folder.findings(&["o.elevate"]),
            [] as [serde_json::Value; 0]
        );
        let tunes = values.iter().flat_map(|value| ["--tune", value]);
        let args = ["rewrite", "a.rise", "o.elevate"].into_iter().chain(tunes);
        let ran = folder.run(&args.collect::<Vec<_>>());
        let said = ran.err.lines().next().unwrap_or_default().to_owned();
        (ran.status, said)
    };
    let condition = "tune t : Nat in 2..16 step 2\ntune u : Nat in {4, 8} = 8 where t <= u";
    for (tunes, values) in [
        (condition, &["t=4", "u=8"][..]),
        ("tune t : Nat = 4\ntune u : Nat = 8 where t <= u", &[]),
        ("val t : Nat = 4\ntune u : Nat = 8 where t <= u", &[]),
        ("tune t : Nat\ntune u : Nat in 1..t", &["t=8", "u=8"]),
        ("tune t : Nat\ntune u : Nat in divisors(t)", &["t=8", "u=4"]),
    ] {
        assert_eq!(run(tunes, values).0, 0, "{tunes}: {:?}", run(tunes, values));
    }
    let (status, said) = run(condition, &["t=16", "u=8"]);
    let wrong = "error[strategy-fails]: the main expression fails: `u` is 8, and the condition `t <= u` does not hold";
    assert_eq!((status, said.as_str()), (1, wrong));
    // An undecided condition becomes an assumption of the program.
    let (status, said) = run(condition, &[]);
    assert_eq!((status, said.as_str()), (0, "note: assumes t divides n"));
}

#[test]
fn a_rule_uses_the_sizes_of_its_file() {
    let folder = folder();
    folder.put(
        "r.elevate",
        "tune t : Nat = 4\nrule r = map(f) : n.a -> n.b |-> split(t) >> map(map(f)) >> join assuming t divides n\nr @ topDown\n",
    );
    let ran = folder.run(&["rewrite", "a.rise", "r.elevate"]);
    assert!(ran.out.contains("split(4)"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_is_no_size_of_the_file_is_an_error_at_the_size() {
    let folder = folder();
    folder.put(
        "w.elevate",
        "tune t : Nat where t <= n\ntune u : Nat in 1..n\ntune v : Nat where isMap\nsplitJoin(t) @ topDown\n",
    );
    let ran = folder.run(&["--check", "w.elevate"]);
    expect![[r#"
        error[unknown-name]: there is no size `n` here
         --> w.elevate:1:25
          |
        1 | tune t : Nat where t <= n
          |                         ^
          |
          = help: a condition of a `tune` uses numbers, and sizes that .elevate files define: `tune`s, and `val`s of type `Nat`

        error[unknown-name]: there is no size `n` here
         --> w.elevate:2:20
          |
        2 | tune u : Nat in 1..n
          |                    ^
          |
          = help: a condition of a `tune` uses numbers, and sizes that .elevate files define: `tune`s, and `val`s of type `Nat`

        error[syntax-error]: expected a condition such as `n divides m`, `x notIn f` or `n <= m`, found `isMap`
         --> w.elevate:3:20
          |
        3 | tune v : Nat where isMap
          |                    ^^^^^

    "#]].assert_eq(&ran.out);
}

#[test]
fn a_size_that_fails_is_shown() {
    let folder = folder();
    let ran = folder.run(&["rewrite", "a.rise", "s.elevate:blocks", "--tune", "rows=12"]);
    expect![[r#"
        error[strategy-fails]: `blocks` fails: `rows` is 12, and the condition `8 divides rows` does not hold
         --> a.rise:1:5
          |
        1 | def scale = depFun((n: Nat) => fun(xs: n.f32 =>
          |     ^^^^^
          |
         ::: s.elevate:1:6
          |
        1 | tune rows : Nat in 4..64 step 4 where 8 divides rows
          |      ---- the error is here

    "#]]
    .assert_eq(&ran.err);
}
