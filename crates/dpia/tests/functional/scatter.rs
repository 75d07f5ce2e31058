//! Tests for the order in which `scatter` takes its elements.

use codegen::Target;
use codegen::Target::{C, OpenCl, OpenMp};
use dpia::functional::{Problem, ProblemKind, check};
use expect_test::expect;

use super::messages::say;

#[test]
fn elements_that_memory_puts_in_order_are_named() {
    let two = "fun(ix: 2.Idx[2], iy: 2.Idx[2], xs: n.2.i32 => xs |>";
    say(
        C,
        &format!(
            "def main = depFun(n: Nat => {two}\n  mapSeq(fun(row => row |> mapSeq(id) |> scatter(ix) |> scatter(iy)))))"
        ),
        expect![[r#"
            hint[scatter-order] at scatter
              the elements that `scatter` takes are stored first: they are computed in another order, and where an index repeats, the last element is kept
              the elements are rearranged here, after they are computed: scatter
              help: rearrange the elements before the loop that computes them
        "#]],
    );
    say(
        OpenCl,
        &format!(
            "def main = depFun(n: Nat => {two}\n  mapGlobal(fun(row => row |> mapSeq(id) |> scatter(ix) |> scatter(iy)))))"
        ),
        expect![[r#"
            error[scatter-order] at scatter
              `scatter` writes its elements out of order: where an index repeats, an earlier element would replace the last one
              the elements are rearranged here, after they are computed: scatter
              help: rearrange the elements before the loop that computes them, or write `|> toMem(…) |> mapSeq(id)` behind what this `scatter` takes: it stores the elements and copies them in order
        "#]],
    );
    say(
        OpenCl,
        &format!(
            "def main = depFun(n: Nat => {two}\n  mapGlobal(mapSeq(id)) |> map(fun(row => row |> scatter(ix) |> scatter(iy)))))"
        ),
        expect![[r#"
            error[scatter-order] at scatter
              `scatter` writes its elements out of order: where an index repeats, an earlier element would replace the last one
              the elements are rearranged here, after they are computed: scatter
              help: rearrange the elements before the loop that computes them
        "#]],
    );
}

/// The way in which the order of a `scatter` is kept.
#[derive(Debug, PartialEq)]
enum Order {
    /// The loops compute its elements in order.
    Loops,
    /// The elements are stored first.
    Memory,
    /// The program is rejected.
    Refused,
}

fn order(text: &str, target: Target) -> Order {
    let mut program = rise::core::program_of(text, "main").expect(text);
    rise::core::normalise(&mut program).expect("a program of this size");
    let problems = check(&program, target.features()).problems;
    let of_order = |problem: &&Problem| matches!(problem.kind, ProblemKind::ScatterOrder { .. });
    assert!(
        problems
            .iter()
            .filter(|problem| problem.is_error())
            .all(|c| of_order(&c)),
        "{text}: {problems:?}"
    );
    match problems.iter().find(of_order) {
        None => Order::Loops,
        Some(problem) if problem.is_error() => Order::Refused,
        Some(_) => Order::Memory,
    }
}

#[test]
fn elements_in_order_need_no_memory() {
    let rest = [
        // The columns come one after the other, each from its first row to its last.
        (
            "ix: m.Idx[n], xs: n.m.i32",
            "mapSeq(mapSeq(id)) |> transpose |> scatter(ix)",
        ),
        (
            "ix: (n * m).Idx[n], xs: n.m.i32",
            "mapSeq(mapSeq(id)) |> join |> scatter(ix)",
        ),
        (
            "ix: m.Idx[n], xs: (n * m).i32",
            "mapSeq(id) |> split(m) |> map(scatter(ix))",
        ),
        (
            "ix: n.Idx[n], xs: n.i32",
            "mapSeq(id) |> padEmpty(0) |> scatter(ix)",
        ),
        // Distinct indices may be in any order.
        (
            "xs: n.i32",
            "mapSeq(id) |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i)) |> scatterShift(1)",
        ),
        (
            "xs: n.i32",
            "mapSeq(id) |> scatterShift(1) |> scatter(generate(fun(i => natAsIndex(n)(n - 1 - indexAsNat(i)))))",
        ),
        // Iterations of a parallel map have no order that could be kept.
        (
            "ix: (m * n).Idx[n], xs: n.m.i32",
            "mapSeq(fun(r => r |> mapSeq(id) |> toMem |> mapSeq(id))) |> join |> scatter(ix)",
        ),
    ];
    for (params, body) in rest {
        let text = format!("def main = depFun((n: Nat, m: Nat) => fun({params} => xs |> {body}))");
        assert_eq!(order(&text, C), Order::Loops, "{text}");
    }
}

#[test]
fn views_move_before_loops_to_keep_the_order() {
    let reverse = "reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))";
    let rest = [
        ("ix: n.Idx[n], xs: n.i32", format!("mapSeq(id) |> {reverse} |> scatter(ix)")),
        // The function of the loop does not affect the order.
        (
            "ix: n.Idx[n], xs: n.m.i32",
            format!("mapSeq(fun(row => row |> mapSeq(id) |> padEmpty(1))) |> {reverse} |> scatter(ix)"),
        ),
        (
            "ix: n.Idx[n], xs: m.n.i32",
            format!("mapSeq(fun(row => row |> mapSeq(id) |> {reverse} |> scatter(ix)))"),
        ),
        (
            "ix: n.Idx[n], xs: m.n.i32",
            format!("mapSeq(mapSeq(id)) |> map(fun(row => row |> {reverse} |> scatter(ix)))"),
        ),
        (
            "ix: n.Idx[n], xs: m.n.i32",
            format!("mapSeq(mapSeq(id)) |> map({reverse}) |> map(scatter(ix))"),
        ),
        (
            "ix: (m * n).Idx[n], xs: n.m.i32",
            "mapSeq(mapSeq(id)) |> transpose |> join |> scatter(ix)".into(),
        ),
        (
            "ix: (m * n).Idx[n], xs: n.m.i32",
            "mapSeq(fun(row => row |> mapSeq(fun(x => row |> reduceSeq(add)(x))))) |> transpose |> join |> scatter(ix)".into(),
        ),
    ];
    for (params, body) in rest {
        let text = format!("def main = depFun((n: Nat, m: Nat) => fun({params} => xs |> {body}))");
        assert_eq!(order(&text, C), Order::Loops, "{text}");
        assert_eq!(order(&text, OpenMp), Order::Loops, "{text}");
    }
}

#[test]
fn kernels_keep_the_order_without_memory() {
    let reverse = "reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))";
    for body in [
        "mapGlobal(fun(row => row |> mapSeq(fun(x => x * x)) |> REVERSE |> scatter(ix)))",
        "mapGlobal(mapSeq(id)) |> map(fun(row => row |> REVERSE |> scatter(ix)))",
        "mapGlobal(mapSeq(id)) |> map(REVERSE) |> map(scatter(ix))",
    ] {
        let text = format!(
            "def main = depFun((n: Nat, m: Nat) => fun(ix: n.Idx[n], xs: m.n.i32 => xs |> {}))",
            body.replace("REVERSE", reverse)
        );
        assert_eq!(order(&text, OpenCl), Order::Loops, "{text}");
    }
}

#[test]
fn memory_keeps_the_order_where_loops_cannot() {
    let stored = [
        (
            "ix: n.Idx[n], xs: n.i32",
            "mapSeq(id) |> scatterShift(1) |> scatter(ix)",
        ),
        (
            "ix: n.Idx[n], iy: n.Idx[n], xs: n.i32",
            "mapSeq(id) |> scatter(ix) |> scatter(iy)",
        ),
        (
            "xs: n.i32",
            "mapSeq(id) |> scatterShift(1) |> scatter(generate(fun(i => natAsIndex(n)(indexAsNat(i) / 2))))",
        ),
        // The inner loop depends on a value that is computed once for all of its iterations.
        (
            "ix: (m * n).Idx[n], xs: n.m.i32",
            "mapSeq(fun(row => row |> mapSeq(id) |> toMem |> mapSeq(id))) |> transpose |> join |> scatter(ix)",
        ),
        (
            "ix: (m * n).Idx[n], xs: n.m.i32",
            "mapSeq(mapSeq(fun(x => (x, x)))) |> transpose |> join |> scatter(ix)",
        ),
        (
            "ix: n.Idx[n], iy: n.Idx[n], xs: m.n.i32",
            "mapSeq(mapSeq(id)) |> map(fun(row => row |> scatter(ix) |> scatter(iy)))",
        ),
    ];
    for (params, body) in stored {
        let text = format!("def main = depFun((n: Nat, m: Nat) => fun({params} => xs |> {body}))");
        assert_eq!(order(&text, C), Order::Memory, "{text}");
        assert_eq!(order(&text, OpenMp), Order::Memory, "{text}");
    }
}
