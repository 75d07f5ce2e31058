//! Tests unroll-and-jam: which loops execute several iterations together.

use codegen::Target;
use expect_test::{Expect, expect};

use crate::function;

fn check(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::C));
}

fn check_parallel(text: &str, expected: Expect) {
    let text = format!("def main = {text}");
    expected.assert_eq(&function(&text, "main", Target::OpenMp));
}

/// A sum of floats waits for each addition: four sums do not wait for each other.
#[test]
fn sums_of_floats_are_computed_together() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32, x: m.f32 =>
           a |> mapSeq(fun(row => zip(row)(x) |> reduceSeq(fun(acc, p => acc + p._1 * p._2))(0.0f)))))",
        expect![],
    );
}

/// C compilers add integers in any order, so that one sum does not wait.
#[test]
fn sums_of_integers_are_left_alone() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.i32 => a |> mapSeq(reduceSeq(add)(0))))",
        expect![],
    );
}

/// Iterations of a parallel loop are executed together by one thread.
#[test]
fn iterations_of_a_parallel_loop_are_jammed() {
    check_parallel(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 => a |> mapPar(reduceSeq(add)(0.0f))))",
        expect![],
    );
}

/// The loop over the rows of `b`, and that around it, are jammed: the rows of `b` are used for
/// several sums, and each sum is loaded and stored once for several rows.
#[test]
fn accumulated_rows_are_jammed_twice() {
    check(
        "depFun((n: Nat, m: Nat, k: Nat) => fun(a: n.k.f32, b: k.m.f32 =>
           a |> mapSeq(fun(row =>
             zip(row)(b)
               |> reduceSeq(fun(acc, p => zip(acc)(p._2) |> mapSeq(fun(q => q._1 + p._1 * q._2))))(
                 generate(fun(i => 0.0f)) |> mapSeq(fun(x => x)))
               |> mapSeq(fun(x => x))))))",
        expect![],
    );
}

/// The rows of a matrix that is read once come from memory, whose speed is the limit.
#[test]
fn rows_that_are_read_once_are_added_one_by_one() {
    check(
        "depFun((n: Nat, m: Nat) => fun(a: n.m.f32 =>
           a |> reduceSeq(fun(acc, row => zip(acc)(row) |> mapSeq(fun(p => p._1 + p._2))))(
                  generate(fun(i => 0.0f)) |> mapSeq(fun(x => x)))
             |> mapSeq(fun(x => x))))",
        expect![],
    );
}

/// A loop of few iterations, and one whose inner loop has another length in each iteration, are left
/// alone.
#[test]
fn short_and_triangular_loops_are_left_alone() {
    check(
        "depFun(m: Nat => fun(a: 4.m.f32 => a |> mapSeq(reduceSeq(add)(0.0f))))",
        expect![],
    );
    check(
        "depFun(n: Nat => fun(a: n..(i => (i + 1).f32) =>
           a |> depMapSeq(depFun(i: Nat => fun(row: (i + 1).f32 => generate(fun(j: Idx[1] => row |> reduceSeq(add)(0.0f))) |> mapSeq(fun(x => x)))))))",
        expect![],
    );
}
