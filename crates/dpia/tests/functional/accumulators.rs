//! Tests of messages about accumulators that are overwritten before they are read.

use codegen::Target::C;
use expect_test::expect;

use super::messages::say;

/// An accumulator is not checked before the implementations of its function are chosen.
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

/// Returns a program that sums matrices; `read` computes the matrix to which the next one is added.
fn sum_of(read: &str) -> String {
    format!(
        "def main = depFun(n: Nat => fun(xs: n.4.4.f32 =>\n  \
           xs |> reduceSeq(fun(acc, x => zip({read})(x) |> mapSeq(fun(rows =>\n    \
             zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2))))))(\n    \
             generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id))) |> mapSeq(mapSeq(id))))"
    )
}

#[test]
fn accumulators() {
    say(C, &sum_of("acc"), expect![[r#""#]]);
    say(
        C,
        &sum_of("acc |> transpose |> transpose"),
        expect![[r#""#]],
    );
    say(C, &sum_of("acc |> join |> split(4)"), expect![[r#""#]]);
    say(
        C,
        &sum_of("acc |> transpose"),
        expect![[r#"
            error[accumulator-moved] at fun
              the function of `reduceSeq` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: acc
              help: the accumulator is written in place: store the result before it is copied there
              fix: Store the result: `toMem |> mapSeq(mapSeq(id))`
            mended: def main = depFun(n: Nat => fun(xs: n.4.4.f32 =>
              xs |> reduceSeq(fun(acc, x => zip(acc |> transpose)(x) |> mapSeq(fun(rows =>
                zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2)))) |> toMem |> mapSeq(mapSeq(id))))(
                generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id))) |> mapSeq(mapSeq(id))))
        "#]],
    );
    say(
        C,
        &sum_of("acc |> padClamp(0)(1) |> drop(1)"),
        expect![[r#"
            error[accumulator-moved] at fun
              the function of `reduceSeq` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: acc
              help: the accumulator is written in place: store the result before it is copied there
              fix: Store the result: `toMem |> mapSeq(mapSeq(id))`
            mended: def main = depFun(n: Nat => fun(xs: n.4.4.f32 =>
              xs |> reduceSeq(fun(acc, x => zip(acc |> padClamp(0)(1) |> drop(1))(x) |> mapSeq(fun(rows =>
                zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2)))) |> toMem |> mapSeq(mapSeq(id))))(
                generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id))) |> mapSeq(mapSeq(id))))
        "#]],
    );
    say(
        C,
        &sum_of("acc |> map(padCst(0)(1)(0.0f) >> drop(1))"),
        expect![[r#"
            error[accumulator-moved] at fun
              the function of `reduceSeq` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: acc
              help: the accumulator is written in place: store the result before it is copied there
              fix: Store the result: `toMem |> mapSeq(mapSeq(id))`
            mended: def main = depFun(n: Nat => fun(xs: n.4.4.f32 =>
              xs |> reduceSeq(fun(acc, x => zip(acc |> map(padCst(0)(1)(0.0f) >> drop(1)))(x) |> mapSeq(fun(rows =>
                zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2)))) |> toMem |> mapSeq(mapSeq(id))))(
                generate(fun(i => generate(fun(j => 0.0f)))) |> mapSeq(mapSeq(id))) |> mapSeq(mapSeq(id))))
        "#]],
    );
}

#[test]
fn accumulators_of_other_shapes() {
    // The sum at `i` reads all sums.
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.4.f32 =>\n  \
           xs |> reduceSeq(fun(acc, x => x |> mapSeq(fun(a => a + (acc |> reduceSeq(add)(0.0f))))))(\n    \
             generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))",
        expect![[r#"
            error[accumulator-moved] at fun
              the function of `reduceSeq` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: acc
              help: the accumulator is written in place: store the result before it is copied there
              fix: Store the result: `toMem |> mapSeq(id)`
            mended: def main = depFun(n: Nat => fun(xs: n.4.f32 =>
              xs |> reduceSeq(fun(acc, x => x |> mapSeq(fun(a => a + (acc |> reduceSeq(add)(0.0f)))) |> toMem |> mapSeq(id)))(
                generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))
        "#]],
    );
    // The sum is stored before the accumulator is overwritten.
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.4.f32 =>\n  \
           xs |> reduceSeq(fun(acc, x =>\n    \
             let sum = toMem(acc |> reduceSeq(add)(0.0f)) in x |> mapSeq(fun(a => a + sum))))(\n    \
             generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))",
        expect![[r#""#]],
    );
    // The accumulator is written through views.
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.8.f32 =>\n  \
           xs |> reduceSeq(fun(acc, x => zip(acc |> split(4))(x |> split(4)) |> mapSeq(fun(rows =>\n    \
             zip(rows._1)(rows._2) |> mapSeq(fun(p => p._1 + p._2)))) |> join))(\n    \
             generate(fun(i => 0.0f)) |> mapSeq(id)) |> mapSeq(id)))",
        expect![[r#""#]],
    );
    // The second half reads the first one after that is overwritten.
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 =>\n  \
           xs |> reduceSeq(fun(acc, x => makePair(acc._2 |> mapSeq(fun(a => a + x)))(acc._1 |> mapSeq(id))))(\n    \
             makePair(generate(fun(i => 0.0f)) |> mapSeq(id))((generate(fun(i => 1.0f)) : 4.f32) |> mapSeq(id)))\n    \
             |> fst |> mapSeq(id)))",
        expect![[r#"
            error[accumulator-moved] at fun
              the function of `reduceSeq` reads another element of the accumulator than the one that it writes
              read here, where it may be overwritten already: acc
              help: the accumulator is written in place: store the result before it is copied there
              fix: Store the result: `toMem |> fun(p => (p._1 |> mapSeq(id), p._2 |> mapSeq(id)))`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 =>
              xs |> reduceSeq(fun(acc, x => makePair(acc._2 |> mapSeq(fun(a => a + x)))(acc._1 |> mapSeq(id)) |> toMem |> fun(p => (p._1 |> mapSeq(id), p._2 |> mapSeq(id)))))(
                makePair(generate(fun(i => 0.0f)) |> mapSeq(id))((generate(fun(i => 1.0f)) : 4.f32) |> mapSeq(id)))
                |> fst |> mapSeq(id)))
        "#]],
    );
}
