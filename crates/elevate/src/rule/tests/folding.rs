//! Tests definitions and compositions in patterns, which match equivalent terms of other forms.

use expect_test::expect;

use super::terms::{outcome, rewrite};

const SWAP: &str = "rule swap = dot(a, b) |-> dot(b, a)";

#[test]
fn a_definition_in_a_pattern_is_its_name_and_its_right_side() {
    for body in [
        "dot(xs)(ys)",
        "zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0)",
        "reduce(add)(0)(map(fun(q => fst(q) * snd(q)))(zip(xs)(ys)))",
    ] {
        let program = format!("depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => {body}))");
        let swapped = "depFun(n: Nat => fun(xs, ys => dot(ys)(xs)))\n";
        assert_eq!(outcome(SWAP, &[], &program), swapped);
    }
}

#[test]
fn what_is_not_the_right_side_is_not_the_definition() {
    for body in [
        // The bodies have another operator, another initial value, and another product.
        "zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(mul)(0)",
        "zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(1)",
        "zip(xs)(ys) |> map(fun(p => p._2 * p._1)) |> reduce(add)(0)",
    ] {
        let program = format!("depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => {body}))");
        let found = outcome(SWAP, &[], &program);
        assert!(!found.starts_with("depFun"), "{found}");
    }
}

#[test]
fn a_function_that_waits_for_arguments_is_the_definition_too() {
    let rows = "rule rows = map(dot(w)) |-> map(fun(row => dot(row)(w)))";
    let expected = "depFun((n: Nat, m: Nat) => fun(M, x => M |> map(fun(row => dot(row)(x)))))\n";
    for stage in [
        "dot(x)",
        "fun(r => dot(x)(r))",
        "fun(r => zip(x)(r) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0))",
    ] {
        let program =
            format!("depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) => M |> map({stage})))");
        assert_eq!(outcome(rows, &[], &program), expected, "{stage}");
    }
    // `x` must not be the row itself.
    let program = "depFun((n: Nat, m: Nat) => fun(M: n.m.f32 => M |> map(fun(r => zip(r)(r) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0)))))";
    let found = outcome(rows, &[], program);
    assert!(!found.starts_with("depFun"), "{found}");
}

#[test]
fn definitions_of_definitions_are_seen_through() {
    rewrite(
        "rule once = map3D(f) |-> map(map(map(f)))",
        &[],
        "depFun((n: Nat, m: Nat, k: Nat) => fun((f: f32 -> f32, xs: n.m.k.f32) => xs |> map(map(map(f)))))",
        expect![[r#"
            depFun((n: Nat, m: Nat, k: Nat) => fun(f, xs => xs |> map(map(map(f)))))
        "#]],
    );
    rewrite(
        "rule twice = xs |> map2D(f) |> map2D(g) |-> xs |> map2D(f >> g)",
        &[],
        "depFun((n: Nat, m: Nat) => fun((f: f32 -> f32, xs: n.m.f32) => xs |> map(map(f)) |> map2D(f)))",
        expect![[r#"
            depFun((n: Nat, m: Nat) => fun(f, xs => map2D(fun(x => f(f(x))))(xs)))
        "#]],
    );
}

#[test]
fn sizes_of_a_definition_are_found_in_its_right_side() {
    // `dropLast(k)` is `take(m)` of an array of `m + k` elements.
    rewrite(
        "rule short = dropLast(k) |-> dropLast(k) >> map(id)",
        &[],
        "depFun(n: Nat => fun(xs: (n + 3).f32 => xs |> take(n)))",
        expect![[r#"
            depFun(n: Nat => fun(x => dropLast(3)(x) |> map(id)))
        "#]],
    );
}

#[test]
fn longer_compositions_are_pipelines() {
    let fuse = "rule fuse = map(f) >> map(g) |-> map(f >> g)";
    let expected = "depFun(n: Nat => fun(f, g, h, xs => xs |> map(fun(x => g(f(x)))) |> map(h)))\n";
    for body in [
        "xs |> map(f) |> map(g) |> map(h)",
        "xs |> (map(f) >> map(g) >> map(h))",
        "xs |> (map(f) >> (map(g) >> map(h)))",
        "(map(h) << map(g) << map(f))(xs)",
        "map(h)(map(g)(map(f)(xs)))",
    ] {
        let program = format!(
            "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32, h: f32 -> f32, xs: n.f32) => {body}))"
        );
        let bottom_up = outcome(
            "rule fuse = xs |> map(f) |> map(g) |> map(h) |-> xs |> map(f >> g) |> map(h)",
            &[],
            &program,
        );
        assert_eq!(bottom_up, expected, "{body}");
        assert_eq!(
            outcome(fuse, &[], &program),
            outcome(
                fuse,
                &[],
                &program.replace(body, "xs |> map(f) |> map(g) |> map(h)")
            )
        );
    }
}

#[test]
fn the_first_stage_of_a_composition_is_as_many_as_there_are() {
    let split = "rule split = map(f >> g) |-> map(f) >> map(g)";
    let program = |stage: &str| {
        format!(
            "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32, xs: n.f32) => xs |> map({stage})))"
        )
    };
    let expected = "depFun(n: Nat => fun(f, g, xs => xs |> map(fun(x => g(f(x)))) |> map(f)))\n";
    for stages in ["f >> g >> f", "f >> (g >> f)", "fun(x => f(g(f(x))))"] {
        assert_eq!(outcome(split, &[], &program(stages)), expected, "{stages}");
    }
    // One stage is not a composition, and a stage that contains the variable is not one either.
    for stage in [
        "f",
        "fun(x => x)",
        "fun(x => x * f(x))",
        "fun(x => x * (2.0f * x))",
    ] {
        let found = outcome(split, &[], &program(stage));
        assert!(!found.starts_with("depFun"), "{stage}: {found}");
    }
}
