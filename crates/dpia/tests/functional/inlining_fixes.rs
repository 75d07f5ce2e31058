//! Tests of fixes that replace a name by the definition's body.

use codegen::Target::{C, OpenMp};
use expect_test::expect;

use crate::file::{check, each_fix_helps, mended};
use crate::messages::say;

#[test]
fn named_streams() {
    let streams = [
        "let s = xs |> circularBuffer(3)(3)(fun(x => x * 2.0f)) in\n  \
         s |> iterateStream(reduceSeq(add)(0.0f))",
        "let s = xs |> mapStream(fun(x => x * 2.0f)) in\n  \
         let t = s |> mapStream(fun(x => x + 1.0f)) in t |> iterateStream(id)",
        "let s = xs |> mapStream(fun(x => x * 2.0f)) in\n  \
         zip(s)(s) |> iterateStream(fun(p => p._1 + p._2))",
    ];
    let expected = [
        expect![[r#"
            error[stream-as-array] at circularBuffer(3)(3)(fun(x => x * 2.0f))
              `s` is a stream, and `let` can only name a value that can be read several times
              named here: let
              help: a stream can be used only once: write its expression where it is used
              fix: Write the stream in place of `s`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>
              xs |> circularBuffer(3)(3)(fun(x => x * 2.0f)) |> iterateStream(reduceSeq(add)(0.0f))))
        "#]],
        expect![[r#"
            error[stream-as-array] at mapStream(fun(x => x * 2.0f))
              `s` is a stream, and `let` can only name a value that can be read several times
              named here: let
              help: a stream can be used only once: write its expression where it is used
              fix: Write the stream in place of `s`
            error[stream-as-array] at mapStream(fun(x => x + 1.0f))
              `t` is a stream, and `let` can only name a value that can be read several times
              named here: let
              help: a stream can be used only once: write its expression where it is used
              fix: Write the stream in place of `t`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>
              xs |> mapStream(fun(x => x * 2.0f)) |> mapStream(fun(x => x + 1.0f)) |> iterateStream(id)))
        "#]],
        expect![[r#"
            error[stream-as-array] at mapStream(fun(x => x * 2.0f))
              `s` is a stream, and `let` can only name a value that can be read several times
              named here: let
              help: write the expression of a stream where it is used, once; store a value that is used several times
              fix: Store it: `iterateStream(id) |> toMem`
            mended: def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>
              let s = xs |> mapStream(fun(x => x * 2.0f)) |> iterateStream(id) |> toMem in
              zip(s)(s) |> iterateStream(fun(p => p._1 + p._2))))
        "#]],
    ];
    for (stream, expected) in streams.into_iter().zip(expected) {
        let text = format!("def main = depFun(n: Nat => fun(xs: (n + 2).f32 =>\n  {stream}))");
        say(C, &text, expected);
    }
}

#[test]
fn reductions_that_may_be_grouped() {
    let main =
        |f: &str| format!("def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce({f})(0.0f)))");
    say(
        OpenMp,
        &main("fun(a, b => a - b)"),
        expect![[r#"
        error[missing-choice] at reduce
          `reduce` does not say how it is computed
          help: choose one of `reduceSeq`, `reducePar`; `reducePar` combines in any grouping: choose it only if the function is associative, which is not known of this one
          fix: Choose `reduceSeq`
          fix: Choose `reducePar`, if the function is associative
        mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(fun(a, b => a - b))(0.0f)))
    "#]],
    );
    for known in [
        "add",
        "fun(a, b => b * a)",
        "fun(a, b => select(a < b)(b)(a))",
    ] {
        let def = check(&main(known), "main", OpenMp);
        assert!(!def.shown().contains("associative"), "{}", def.shown());
    }
}

#[test]
fn reductions_in_the_library() {
    let text = "def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => dot(xs)(ys)))";
    say(
        C,
        text,
        expect![[r#"
            error[missing-choice] at dot
              `dot` uses `reduce`, which does not say how it is computed
              `dot` uses `reduce` here: (elsewhere)
              help: write out what it computes: `zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)`
              fix: Write it out with `reduceSeq`
            mended: def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))
        "#]],
    );
    say(
        OpenMp,
        text,
        expect![[r#"
            error[missing-choice] at dot
              `dot` uses `reduce`, which does not say how it is computed
              `dot` uses `reduce` here: (elsewhere)
              help: write out what it computes: `zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)`
              fix: Write it out with `reduceSeq`
              fix: Write it out with `reducePar`
            mended: def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))
        "#]],
    );
    let within =
        |body: &str| format!("def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => {body}))");
    let mend = |body: &str| {
        each_fix_helps(&within(body), "main", C);
        mended(&within(body), "main", C)
    };
    expect!["def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(ys)(xs) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f)))"].assert_eq(&mend("xs |> dot(ys)"));
    expect!["def main = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => 2.0f * (zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f))))"].assert_eq(&mend("2.0f * dot(xs)(ys)"));
    // A function that is not applied stays.
    let text = "def main = depFun(n: Nat => fun((m: n.n.f32, x: n.f32) => m |> mapSeq(dot(x))))";
    say(
        C,
        text,
        expect![[r#"
            error[missing-choice] at dot
              `dot` uses `reduce`, which does not say how it is computed
              `dot` uses `reduce` here: (elsewhere)
              help: write out what it computes: `fun(ys => zip(x)(ys) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f))`
        "#]],
    );
    // The parameter of the library does not get the name of the argument.
    let text = "def main = depFun(n: Nat => fun((m: n.n.f32, ys: n.f32) => m |> mapSeq(dot(ys))))";
    say(
        C,
        text,
        expect![[r#"
        error[missing-choice] at dot
          `dot` uses `reduce`, which does not say how it is computed
          `dot` uses `reduce` here: (elsewhere)
          help: write out what it computes: `fun(ys1 => zip(ys)(ys1) |> map(fun(p => p._1 * p._2)) |> reduceSeq(add)(0.0f))`
    "#]],
    );
}
