//! Rearrangements.

use crate::harness::eval;

#[test]
fn split_cuts_and_join_puts_together() {
    let split = "def main = depFun(n: Nat => fun(xs: (2 * n).i32 => xs |> split(2)))";
    assert_eq!(
        eval(split, &[("n", 3)], &["[1,2,3,4,5,6]"]),
        "[[1, 2], [3, 4], [5, 6]]"
    );
    let join = "def main = depFun((n: Nat, m: Nat) => fun(xss: n.m.i32 => xss |> join))";
    assert_eq!(
        eval(join, &[("n", 2), ("m", 3)], &["[[1,2,3],[4,5,6]]"]),
        "[1, 2, 3, 4, 5, 6]"
    );
}

#[test]
fn mm() {
    let mm = "def main : (n: Nat) -> (k: Nat) -> (m: Nat) -> n.k.f32 -> k.m.f32 -> n.m.f32 =
  depFun((n: Nat, k: Nat, m: Nat) => fun(a, b =>
    a |> map(fun(row => b |> transpose |> map(fun(column => dot(row)(column)))))))";
    let sizes = [("n", 2), ("k", 3), ("m", 1)];
    assert_eq!(
        eval(mm, &sizes, &["[[1,2,3],[4,5,6]]", "[[1],[10],[100]]"]),
        "[[321.0], [654.0]]"
    );
}
