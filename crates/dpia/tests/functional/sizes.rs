//! Tests of messages about sizes that generated code must know as constants.

use codegen::Target::{C, OpenCl, OpenMp};
use expect_test::expect;

use super::messages::say;

#[test]
fn steps_that_are_written_out() {
    say(
        C,
        "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeqUnroll(fun(x => x + 1.0f))))",
        expect![[r#"
            error[not-on-target] at mapSeqUnroll
              `mapSeqUnroll` writes out each of its `n` steps, and this number must be a constant
              help: write `mapSeq`, which is a loop, or make the size a number
              fix: Replace with `mapSeq`
            mended: def main = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(fun(x => x + 1.0f))))
        "#]],
    );
    say(
        OpenMp,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: m.n.f32 =>\n  \
           xs |> mapPar(reduceSeqUnroll(add)(0.0f))))",
        expect![[r#"
            error[not-on-target] at reduceSeqUnroll
              `reduceSeqUnroll` writes out each of its `n` steps, and this number must be a constant
              help: write `reduceSeq`, which is a loop, or make the size a number
              fix: Replace with `reduceSeq`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: m.n.f32 =>
              xs |> mapPar(reduceSeq(add)(0.0f))))
        "#]],
    );
    say(
        OpenCl,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: m.n.f32 =>\n  \
           xs |> mapGlobal(reduceSeqUnroll(Private)(add)(0.0f))))",
        expect![[r#"
            error[not-on-target] at reduceSeqUnroll
              `reduceSeqUnroll` writes out each of its `n` steps, and this number must be a constant
              help: write `reduceSeq`, which is a loop, or make the size a number
              fix: Replace with `reduceSeq`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: m.n.f32 =>
              xs |> mapGlobal(reduceSeq(Private)(add)(0.0f))))
        "#]],
    );
}

#[test]
fn steps_of_a_known_number() {
    say(
        C,
        "@assume(n == 4)\n\
         def main = depFun((n: Nat, m: Nat) => fun((xs: n.f32, ys: (n / 4).f32) =>\n  \
           xs |> mapSeqUnroll(fun(x => x * reduceSeqUnroll(add)(0.0f)(ys)))))",
        expect![],
    );
}

#[test]
fn too_many_steps() {
    say(
        C,
        "def main = fun(xs: 100000.f32 => xs |> mapSeqUnroll(fun(x => x + 1.0f)))",
        expect![[r#"
            error[not-on-target] at mapSeqUnroll
              `mapSeqUnroll` writes out 100000 steps in all, and at most 10000 are allowed
              help: write `mapSeq`, which is a loop
              fix: Replace with `mapSeq`
            mended: def main = fun(xs: 100000.f32 => xs |> mapSeq(fun(x => x + 1.0f)))
        "#]],
    );
    say(
        C,
        "def main = fun(xs: 200.200.f32 => xs |> mapSeqUnroll(mapSeqUnroll(fun(x => x + 1.0f))))",
        expect![[r#"
            error[not-on-target] at mapSeqUnroll
              `mapSeqUnroll` writes out 40000 steps in all, and at most 10000 are allowed
              help: write `mapSeq`, which is a loop
              fix: Replace with `mapSeq`
            mended: def main = fun(xs: 200.200.f32 => xs |> mapSeqUnroll(mapSeq(fun(x => x + 1.0f))))
        "#]],
    );
}

#[test]
fn lanes_of_vectors() {
    say(
        C,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: (m * n).f32 =>\n  \
           xs |> asVector(n) |> mapSeq(fun(v => v + v)) |> asScalar))",
        expect![[r#"
            error[not-on-target] at asVector
              `asVector` makes vectors of `n` lanes, and this number must be a constant
              help: write the number, as in `asVector(4)`
        "#]],
    );
    say(
        C,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: m.Vec[n, f32] =>\n  \
           xs |> mapSeq(fun(v => v + v)) |> asScalar))",
        expect![[r#"
            error[not-a-program] at main
              `main` cannot be compiled on its own: its parameter `xs` has vectors of a number of lanes that is not known
              help: write the number in its type, as in `Vec[4, f32]`
        "#]],
    );
    say(
        C,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: m.f32 =>\n  \
           xs |> mapSeq(fun(x => (vectorFromScalar(x) : Vec[n, f32]))) |> asScalar))",
        expect![[r#"
            error[not-on-target] at vectorFromScalar
              `vectorFromScalar` makes vectors of `n` lanes, and this number must be a constant
              help: write the number in its type, as in `(vectorFromScalar(x) : Vec[4, f32])`
        "#]],
    );
}

#[test]
fn values_that_move() {
    say(
        C,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: (m - 1 + n).f32 =>\n  \
           xs |> rotateValues(n)(id) |> iterateStream(reduceSeq(add)(0.0f))))",
        expect![[r#"
            error[not-on-target] at rotateValues
              `rotateValues` moves `n` values one by one, and this number must be a constant
              help: write a small number, as in `rotateValues(3)`, or `circularBuffer(n)(n)`, which moves no values
              fix: Replace with `circularBuffer(n)`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: (m - 1 + n).f32 =>
              xs |> circularBuffer(n)(n)(id) |> iterateStream(reduceSeq(add)(0.0f))))
        "#]],
    );
}

#[test]
fn reductions_of_arrays_by_threads() {
    say(
        OpenMp,
        "def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs\n  \
           |> reducePar(fun((a, b) => zip(a)(b) |> mapSeq(fun(p => p._1 + p._2))))(\n       \
                generate(fun(i => 0.0f)) |> mapSeq(id))\n  \
           |> mapPar(id)))",
        expect![[r#"
            error[not-on-target] at reducePar
              `reducePar` combines single values, and the values here are arrays
              help: write `reduceSeq`, or reduce single values inside of `mapPar`
              fix: Replace with `reduceSeq`
            mended: def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.f32 => xs
              |> reduceSeq(fun((a, b) => zip(a)(b) |> mapSeq(fun(p => p._1 + p._2))))(
                   generate(fun(i => 0.0f)) |> mapSeq(id))
              |> mapPar(id)))
        "#]],
    );
}
