//! What is said of accumulators that are overwritten.

use dpia::Target::C;
use expect_test::expect;

use super::messages::say;

/// How the function writes is not known before it is chosen.
#[test]
fn not_before_the_choice() {
    say(
        C,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> reduceSeq(fun(a, r =>\n  \
           zip(a)(r |> map(fun(x => x + 1.0f))) |> map(fun(p => p._1 + p._2))))(\n    \
           generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))",
        expect![[r#"
            error[missing-choice] at map
              `map` does not say how it is computed, and its result is written
              help: write `mapSeq`
              fix: Choose `mapSeq`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs |> reduceSeq(fun(a, r =>
              zip(a)(r |> map(fun(x => x + 1.0f))) |> mapSeq(fun(p => p._1 + p._2))))(
                generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))
        "#]],
    );
}
