//! Tests of the errors for wrong strategies.

use expect_test::{Expect, expect};

use crate::support::Folder;

const PROGRAM: &str = "\
def scale = depFun((n: Nat) => fun(xs: n.f32 => xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))

def minus = depFun((n: Nat) => fun(xs: n.f32 => xs |> reduce(sub)(0.0f)))

def any = depFun((n: Nat) => fun((op: f32 -> f32 -> f32, xs: n.f32) => xs |> reduce(op)(0.0f)))

def inner = depFun((n: Nat) => fun((xs: n.f32, ys: n.f32) => dot(xs)(ys)))

def wrong = fun(xs: 3.f32 => xs |> split(2))
";

/// Returns the error for a strategy that is applied to a definition, without the excerpts of the
/// text.
fn said(def: &str, strategy: &str) -> String {
    let folder = Folder::with(&[("a.rise", PROGRAM)]);
    let ran = folder.run(&["rewrite", "a.rise", "--def", def, "--strategy", strategy]);
    assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
    lines(&ran.err)
}

fn lines(text: &str) -> String {
    let is_picture = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        line.is_empty() || (line.starts_with('|') && !line.contains("- "))
    };
    let lines = text.lines().filter(|line| !is_picture(line));
    lines.map(|line| format!("{line}\n")).collect()
}

fn check(rule: &str, expected: Expect) {
    let folder = Folder::with(&[("r.elevate", rule)]);
    let ran = folder.run(&["--check", "r.elevate"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    expected.assert_eq(&lines(&ran.out));
}

#[test]
fn one_that_does_not_end_is_reported_with_its_loop() {
    expect![[r#"
        error[strategy-fails]: the strategy does not end: it repeats rule { … }
         --> a.rise:1:13
          = found: depFun(n: Nat => fun(xs => xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))
            after 66 steps
          = help: `repeatNTimes(n)(s)` and `limit(n)(s)` end; `--trace` shows the steps
    "#]].assert_eq(&said(
        "scale",
        "repeat(topDown(rule { mul(x)(y) |-> mul(y)(x) }))",
    ));
    expect![[r#"
        error[strategy-fails]: the strategy does not end: the strategy that it repeats never fails, and changes nothing
         --> a.rise:1:13
          = found: depFun(n: Nat => fun(xs => xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))
          = help: repeat a strategy that fails in the end: `try(s)`, `tryAll(s)` and `unfold(f)` succeed also where they change nothing
    "#]].assert_eq(&said("scale", "repeat(id)"));
    let unfolded = said("scale", "normalize(unfold(dot))");
    assert!(
        unfolded.contains(
            "the strategy does not end: the strategy that it repeats never fails, and changes nothing"
        ),
        "{unfolded}"
    );
    let called = said("scale", "lowerToGroups(32, 32)");
    assert!(called.contains("an argument too many?"), "{called}");
}

#[test]
fn one_that_fails_shows_the_nearest_miss() {
    expect![[r#"
        error[strategy-fails]: the strategy fails: `rule { … }` does not apply: `3.0f` is not found
         --> a.rise:1:49
          = found: 2.0f
            in: xs |> map(fun(x => x * 2.0f))
          = help: `s @ topDown` looks for a place at which `s` applies, and `try(s)` succeeds without one
    "#]]
    .assert_eq(&said(
        "scale",
        "topDown(rule { map(f) >> map(fun(y => y * 3.0f)) |-> map(fun(y => y * 3.0f)) })",
    ));
}

#[test]
fn one_for_another_definition_says_what_is_missing() {
    expect![[r#"
        error[strategy-fails]: the strategy fails: `fuseReduceMap` does not apply: `map(g) >> reduce(f)(z)` is not found
         --> a.rise:1:13
          = found: depFun(n: Nat => fun(xs => xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))
          = help: `s @ topDown` looks for a place at which `s` applies, and `try(s)` succeeds without one
    "#]].assert_eq(&said("scale", "fuseReduceMap @ topDown"));
}

#[test]
fn one_that_does_not_look_into_a_call_says_so() {
    let text = said("inner", "toReduceSeq @ topDown");
    let note = "`dot` is called by its name: `unfold(dot)` puts its right side there";
    assert!(text.contains(note), "{text}");
    let folder = Folder::with(&[("a.rise", PROGRAM)]);
    let strategy = "unfold(dot) ; toReduceSeq @ topDown";
    let args = [
        "rewrite",
        "a.rise",
        "--def",
        "inner",
        "--strategy",
        strategy,
    ];
    let ran = folder.run(&args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("reduceSeq"), "{}", ran.out);
}

#[test]
fn what_is_no_strategy_for_a_definition_is_not_applied() {
    for (strategy, wanted) in [
        ("topDown", "needs arguments before it is a strategy"),
        ("lowerToC(32)", "not to `32`: leave this argument out"),
    ] {
        let text = said("scale", strategy);
        assert!(text.contains(wanted), "{strategy}: {text}");
    }
}

#[test]
fn a_rule_keeps_scopes() {
    check(
        "rule out = map(fun(x => f(gx))) |-> map(f) >> map(fun(y => gx))\n",
        expect![[r#"
            error[unknown-name]: `f` may use `x`, which the pattern binds around `f` and nothing binds here
             --> r.elevate:1:41
              |                    - `x` is bound here  ^
              = help: write `where x notIn f` if `f` does not use `x`
            error[unknown-name]: `gx` may use `x`, which the pattern binds around `gx` and nothing binds here
             --> r.elevate:1:60
              |                    - `x` is bound here                     ^^
              = help: write `where x notIn gx` if `gx` does not use `x`
        "#]],
    );
}

#[test]
fn a_rule_keeps_types() {
    check(
        "rule split2 = map(f) |-> map(f) >> split(2)\n",
        expect![[r#"
            error[infinite-type]: the type of this would contain itself, as a part of `2.t`
             --> r.elevate:1:36
              |               ------               ^^^^^^^^
              = help: is an argument missing, or a step that takes the part out, such as `._1`?
        "#]],
    );
}

#[test]
fn a_law_that_does_not_hold_or_is_not_known_stops_a_rule() {
    let rule = "topDown(rule { reduce(op)(z) |-> reduce(fun(a, b => op(b)(a)))(z) requires commutative(op) })";
    expect![[r#"
        error[strategy-fails]: the strategy fails: `rule { … }` does not apply: `commutative(op)` does not hold: `sub` is not commutative
         --> a.rise:3:49
          = found: xs |> reduce(sub)(0.0f)
    "#]].assert_eq(&said("minus", rule));
    expect![[r#"
        error[strategy-fails]: the strategy fails: `rule { … }` does not apply: it cannot be decided whether `commutative(op)` holds: it is not known whether the operator is commutative
         --> a.rise:5:72
          = found: xs |> reduce(op)(0.0f)
          = help: algebraic laws are known for built-in operators only; an `unsafe rule` does not need them
    "#]].assert_eq(&said("any", rule));
}

#[test]
fn a_program_with_errors_is_not_rewritten() {
    expect![[r#"
        error[obligation-fails]: `split` needs a size that 2 divides, found the size 3
         --> a.rise:9:36
          |                 -- `xs` is `3.f32` ^^^^^
          = expected: (m*2).f32
               found: 3.f32
    "#]]
    .assert_eq(&said("wrong", "topDown(mapFusion)"));
}

#[test]
fn a_number_without_its_type_has_that_of_its_place() {
    let folder = Folder::with(&[
        ("a.rise", PROGRAM),
        (
            "z.elevate",
            "rule from(start: Expr) = reduce(op)(z) |-> reduce(op)(start)\n",
        ),
    ]);
    for (number, shown) in [("1", "1"), ("1.5", "1.5"), ("1.0f", "1.0f")] {
        folder.put(
            "u.elevate",
            format!("import \"z.elevate\"\nval s = topDown(from({number}))\n"),
        );
        let ran = folder.run(&["rewrite", "a.rise", "u.elevate:s", "--def", "minus"]);
        assert_eq!(ran.status, 0, "{number}: {}", ran.err);
        assert!(
            ran.out.contains(&format!("reduce(sub)({shown}")),
            "{}",
            ran.out
        );
    }
    folder.put(
        "u.elevate",
        "import \"z.elevate\"\nval s = topDown(from(true))\n",
    );
    let ran = folder.run(&["rewrite", "a.rise", "u.elevate:s", "--def", "minus"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
}

#[test]
fn a_program_whose_types_grow_without_end_is_noticed() {
    let folder = Folder::with(&[
        (
            "a.rise",
            "def twice = depFun(n: Nat => fun(xs: n.f32 =>\n  xs |> map(fun(x => x + 1.0f)) |> map(fun(x => x * 2.0f))))\n",
        ),
        (
            "s.elevate",
            "rule paired = map(f) |-> map(fun(x => (x, f(x)))) >> map(snd)\nval grows = allTopDown(try(paired))\n",
        ),
    ]);
    let ran = folder.run(&["rewrite", "a.rise", "--strategy", "s.elevate:grows"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert!(ran.err.contains("becomes too large"), "{}", ran.err);
    assert!(ran.err.contains("applied: `paired`"), "{}", ran.err);
}

#[test]
fn a_strategy_whose_parts_nothing_joins_is_refused() {
    expect![[r#"
        error[syntax-error]: no operator joins `lowerToC` to the expression before it: write an operator such as `;`, or put the argument in parentheses
         --> <strategy>:1:25
    "#]]
    .assert_eq(&said("scale", "mapFusion @ everywhere  lowerToC"));
    check(
        "mapFusion @ outermost(isMap)\nlowerToC\n",
        expect![[r#"
            error[syntax-error]: a file can have only one main expression, and this is a second one
             --> r.elevate:2:1
              = help: no operator joins the two expressions: insert an operator such as `;` between them, or name the first one with `val`
        "#]],
    );
}

#[test]
fn mistakes_beside_the_main_expression_are_reported() {
    for strategies in [
        "strategy wrong : Strategy = nosuch\nlowerToC\n",
        "import \"r.elevate\"\nlowerToC\n",
        "rule wrong = map(f) |-> mapSeq(f\n",
    ] {
        let folder = Folder::with(&[("a.rise", PROGRAM), ("r.elevate", strategies)]);
        let command = [
            "rewrite",
            "a.rise",
            "--def",
            "scale",
            "--strategy",
            "r.elevate",
        ];
        let ran = folder.run(&command);
        assert_ne!(ran.status, 0, "{}", ran.out);
        assert_eq!(ran.out, "");
        assert!(ran.err.contains("--> r.elevate:1:"), "{}", ran.err);
    }
}

#[test]
fn one_that_calls_too_often_is_not_said_to_be_endless() {
    let folder = Folder::with(&[("a.rise", PROGRAM)]);
    folder.put(
        "s.elevate",
        "strategy cnt(d: Int)(s: Strategy): Strategy = if d == 0 then s else cnt(d - 1)(s)\nval deep = cnt(20000)(id)\n",
    );
    let ran = folder.run(&["rewrite", "a.rise", "s.elevate:deep", "--def", "scale"]);
    expect![[r#"
        error[strategy-fails]: `deep` was stopped after 10000 calls; the last was cnt(10001)(id)
         --> a.rise:1:13
          = found: depFun(n: Nat => fun(xs => xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))
          = help: `repeatNTimes(n)(s)` and `limit(n)(s)` end; `--trace` shows the steps
    "#]].assert_eq(&lines(&ran.err));
}

#[test]
fn numbers_that_are_too_small_are_said_in_words() {
    for (strategy, wanted) in [
        (
            "splitJoin(0) @ topDown",
            "`n >= 1` does not hold: 0 is less than 1",
        ),
        ("lowerToGroups(0)", "a group has at least 1 work-item"),
        (
            "skip(-1)(mapFusion)",
            "`-1` is negative, and a size or a count is at least 0",
        ),
        (
            "repeatNTimes(-1)(mapFusion)",
            "`-1` is negative, and a size or a count is at least 0",
        ),
    ] {
        let text = said("scale", strategy);
        assert!(text.contains(wanted), "{strategy}: {text}");
    }
}

#[test]
fn a_rule_for_fewer_types_names_them_as_its_type_does() {
    let folder = Folder::with(&[("r.elevate", "rule loses = map(f) >> map(g) |-> map(f)\n")]);
    let ran = folder.run(&["--check", "r.elevate"]);
    expect![[r#"
        warning[type-mismatch]: the right side has a type only where the type `v` of the left side is `u`
         --> r.elevate:1:35
          |              ----------------     ^^^^^^
          = help: if the rule is meant for such types only, write the type in the pattern
    "#]].assert_eq(&lines(&ran.out));
}

#[test]
fn a_limit_on_steps_that_is_reached_is_named() {
    let folder = Folder::with(&[("a.rise", PROGRAM)]);
    let limited = |limit| {
        let strategy = "normalize(mapFusion) ; topDown(splitJoin(4))";
        let arguments = ["--strategy", strategy, "--limit", limit];
        let ran = folder.run(&[&["rewrite", "a.rise", "--def", "scale"], &arguments[..]].concat());
        lines(&ran.err)
    };
    expect![[r#"
        error[strategy-fails]: the strategy was stopped before its end, at the largest number of steps
         --> a.rise:1:13
          = found: depFun(n: Nat => fun(xs => xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))
          = help: `--limit N` sets the largest number of steps; `--trace` shows the steps
    "#]].assert_eq(&limited("0"));
    expect![[r#"
        error[strategy-fails]: the strategy was stopped before its end, at the largest number of steps; it last applied mapFusion
         --> a.rise:1:13
          = found: depFun(n: Nat => fun(xs => xs |> map(fun(x => x * 2.0f)) |> map(fun(y => y + 1.0f))))
            after 1 step
          = help: `--limit N` sets the largest number of steps; `--trace` shows the steps
    "#]].assert_eq(&limited("1"));
}

/// The errors of a strategy file are shown at their places, once, by every command that needs it.
#[test]
fn errors_of_the_named_strategy_are_shown_in_its_file() {
    let program = "@strategy(\"s.elevate\", s)
def f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))
";
    for strategy in [
        "val s = implementInOrder(contracts = yes)\n",
        "val h = implementInOrder(contracts = yes)\nval s = normalize(delta) ; h\n",
    ] {
        let folder = Folder::with(&[("a.rise", program), ("s.elevate", strategy)]);
        for command in [
            &["check", "a.rise"][..],
            &["emit", "a.rise", "--as", "c"],
            &["run", "a.rise", "-D", "n=4"],
            &["cost", "a.rise"],
            &["types", "a.rise"],
        ] {
            let ran = folder.run(command);
            let shown = format!("{}{}", ran.out, ran.err);
            assert_eq!(ran.status, 1, "{command:?}: {shown}");
            assert_eq!(shown.matches("error[").count(), 1, "{command:?}: {shown}");
            let place = "there is no strategy `yes`\n --> s.elevate:1:";
            assert!(shown.contains(place), "{command:?}: {shown}");
            assert!(shown.contains("a value of type Bool is `true` or `false`"));
        }
    }
}

/// A definition that uses one whose strategy has errors, or fails, has the errors of the strategy.
#[test]
fn the_user_of_a_definition_shows_the_errors_of_its_strategy() {
    let text = "@target(c)\n@strategy(\"s.elevate\", s)\n\
                def f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => x + 1.0f))))\n\n\
                @target(c)\ndef g = depFun(n: Nat => fun(xs: n.f32 => f(n)(xs)))\n";
    let folder = Folder::with(&[("a.rise", text)]);
    let commands: [&[&str]; 4] = [
        &["emit", "a.rise", "--def", "g", "--as", "c"],
        &["run", "a.rise", "--def", "g", "-D", "n=2"],
        &["cost", "a.rise", "--def", "g"],
        &["--check", "a.rise"],
    ];
    let mut said = String::new();
    for strategy in [
        "implementInOrder(nothing = 3)",
        "implementInOrder(stored = [\"y\"])",
    ] {
        folder.put("s.elevate", format!("strategy s : Strategy = {strategy}\n"));
        let all = commands.map(|command| {
            let ran = folder.run(command);
            assert_eq!(ran.status, 1, "{}", ran.err);
            let text = if command[0] == "--check" {
                ran.out
            } else {
                ran.err
            };
            lines(&text)
        });
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        said.push_str(&all[0]);
    }
    expect![[r#"
        error[unknown-name]: the called function has no parameter `nothing`
         --> s.elevate:1:42
          = help: the parameters are `contracts`, `stored`, `recomputed`, `accumulated`, `packed`, `inOrder`, `unrolled` and `rolled`
        error[strategy-fails]: the program has no place `y` for `stored`: it has none for that list
         --> a.rise:2:24
          |         ------ tried here
          = found: depFun(n: Nat => map(fun(x => x + 1.0f)))
            tried by `s`
    "#]]
    .assert_eq(&said);
}
