//! Tests the programs with which upstream tests its barriers, and compares the numbers of barriers
//! with the ideal ones.

use super::{Grid, check};

/// Returns a program with a chunk for each work-group; the launch is not known, so that a group may
/// have several chunks.
fn several(body: &str) -> String {
    program("", body)
}

/// Returns a program in which each group has one chunk, and each work-item one element.
fn once(body: &str) -> String {
    program("@opencl(local = [8], global = [n])\n", body)
}

const START: &str = "
def rev : (n: Nat) -> {t: DataType} -> n.t -> n.t = depFun(n: Nat => fun(xs =>
  xs |> reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))))
";

fn program(launch: &str, body: &str) -> String {
    format!(
        "{START}
def sum : {{n: Nat}} -> n.f32 -> f32 = fun(xs => xs |> reduceSeq(Private)(add)(0.0f))
def twice : f32 -> f32 = fun(x => x + x)

@target(opencl)
{launch}def program = depFun(n: Nat => fun(xs: n.f32 =>
  xs |> split(8) |> mapWorkGroup({body}) |> join))
"
    )
}

/// Returns the numbers of barriers if groups may have several chunks, and if each has one.
fn numbers(body: &str) -> (usize, usize) {
    let grids = [
        Grid {
            local: [8, 1, 1],
            global: [16, 1, 1],
        },
        Grid {
            local: [2, 1, 1],
            global: [4, 1, 1],
        },
    ];
    let loops = check(&several(body), "program", &[32], &grids);
    let once = check(&once(body), "program", &[32], &grids[..1]);
    (loops, once)
}

/// The name and body of a program, and its numbers of barriers if groups may have several chunks,
/// and if each has one: the actual and the ideal numbers.
type Case = (&'static str, &'static str, (usize, usize), (usize, usize));

const LINES: &[Case] = &[
    ("basicBarrier", "mapLocal(twice)", (0, 0), (0, 0)),
    (
        "1D thread sharing",
        "fun(c => c |> mapLocal(twice) |> toMem(Local) |> slide(3)(1) |> mapLocal(sum))",
        (2, 1),
        (2, 1),
    ),
    (
        "toGlobal sharing",
        "fun(c => c |> mapLocal(twice) |> toMem(Global) |> slide(3)(1) |> mapLocal(sum))",
        (2, 1),
        (2, 1),
    ),
    (
        "noReorderLocal",
        "fun(c => c |> mapLocal(twice) |> toMem(Local) |> mapLocal(twice))",
        (0, 0),
        (1, 0),
    ),
    (
        "reorderLocal",
        "fun(c => c |> rev(8) |> mapLocal(twice) |> toMem(Local) |> mapLocal(twice))",
        (0, 0),
        (1, 0),
    ),
    (
        "reorderLastLocal",
        "fun(c => c |> mapLocal(twice) |> toMem(Local) |> rev(8) |> mapLocal(twice))",
        (2, 1),
        (2, 1),
    ),
    (
        "noLoopReorder3Local",
        "fun(c => c |> rev(8) |> mapLocal(twice) |> toMem(Local) |> rev(8) |> mapLocal(twice)
               |> toMem(Local) |> rev(8) |> mapLocal(twice))",
        (2, 2),
        (3, 2),
    ),
    (
        "reorderInLocalButSequential",
        "fun(c => c |> split(4) |> mapLocal(fun(r => r |> mapSeq(twice))) |> toMem(Local)
               |> map(rev(4)) |> mapLocal(fun(r => r |> mapSeq(twice))) |> join)",
        (0, 0),
        (0, 0),
    ),
    (
        "tail",
        "fun(c => c |> mapLocal(twice) |> toMem(Global) |> drop(1) |> mapLocal(twice))",
        (2, 1),
        (2, 1),
    ),
    (
        "tailInLocal",
        "fun(c => c |> mapLocal(twice) |> toMem(Local) |> drop(1) |> mapLocal(twice))",
        (2, 1),
        (2, 1),
    ),
    (
        "copyToLocalInZip",
        "fun(c => zip(c |> mapLocal(twice) |> toMem(Local))(c |> mapLocal(twice) |> toMem(Local))
               |> mapLocal(fun(p => p._1 + p._2)))",
        (0, 0),
        (2, 1),
    ),
    (
        "copyToLocalInZipAndReorder",
        "fun(c => zip(c |> mapLocal(twice) |> toMem(Local) |> rev(8))(
               c |> mapLocal(twice) |> toMem(Local) |> rev(8)) |> mapLocal(fun(p => p._1 + p._2)))",
        (2, 1),
        (2, 1),
    ),
    (
        "copyOneToLocalInZip",
        "fun(c => zip(c |> mapLocal(twice) |> toMem(Local) |> rev(8))(c) |> mapLocal(fun(p => p._1 + p._2)))",
        (2, 1),
        (2, 1),
    ),
    (
        "tupleBarrierJustLocal",
        "fun(c => zip(c)(c) |> mapLocal(fun(p => makePair(p._1)(p._2))) |> toMem(Local) |> rev(8)
               |> mapLocal(fun(p => p._1 + p._2)))",
        (2, 1),
        (2, 1),
    ),
    (
        "tupleBarrierJustGlobal",
        "fun(c => zip(c)(c) |> mapLocal(fun(p => makePair(p._1)(p._2))) |> toMem(Global) |> rev(8)
               |> mapLocal(fun(p => p._1 + p._2)))",
        (2, 1),
        (2, 1),
    ),
    (
        "two reads of one",
        "fun(c => let t = c |> mapLocal(twice) |> toMem(Local) in
               zip(t |> rev(8))(t) |> mapLocal(fun(p => p._1 + p._2)))",
        (2, 1),
        (2, 1),
    ),
];

#[test]
fn one_after_the_other() {
    for &(name, body, ours, ideal) in LINES {
        let found = numbers(body);
        assert_eq!(found, ours, "{name}");
        assert!(found.0 <= ideal.0 && found.1 <= ideal.1, "{name}");
    }
}

#[test]
fn loops_in_order_around_and_inside() {
    let inside =
        "fun(c => c |> split(4) |> mapSeq(fun(row => row |> mapLocal(twice) |> toMem(Local)
         |> slide(3)(1) |> mapLocal(sum))) |> join)";
    assert_eq!(numbers(inside), (2, 2), "mapSeq in the group");
    let around =
        "fun(c => c |> split(4) |> mapSeq(fun(row => row |> mapLocal(twice))) |> toMem(Local)
         |> map(slide(3)(1)) |> mapSeq(fun(row => row |> mapLocal(sum))) |> join)";
    assert_eq!(numbers(around), (2, 1), "mapSeq around each map");
}

#[test]
fn two_dimensions() {
    let grid = Grid {
        local: [4, 2, 1],
        global: [4, 4, 1],
    };
    let program = |launch: &str, body: &str| {
        format!(
            "{START}
def sum : {{n: Nat}} -> n.f32 -> f32 = fun(xs => xs |> reduceSeq(Private)(add)(0.0f))
def twice : f32 -> f32 = fun(x => x + x)
def local2D : {{n: Nat}} -> {{m: Nat}} -> {{s: DataType}} -> {{t: DataType}} -> (s -> t) -> n.m.s -> n.m.t =
  fun(f => mapLocal(1)(mapLocal(0)(f)))
@target(opencl)
{launch}def program = depFun(n: Nat => fun(xs: n.n.f32 =>
  xs |> split(8) |> map(transpose) |> map(split(8)) |> map(map(transpose))
    |> mapWorkGroup(1)(mapWorkGroup(0)({body}))))
"
        )
    };
    let once = "@opencl(local = [8, 8], global = [n, n])\n";
    for (name, body, ours) in [
        (
            "2D sharing",
            "fun(t => t |> local2D(twice) |> toMem(Local) |> map(slide(3)(1)) |> local2D(sum))",
            (2, 1),
        ),
        (
            "doubleNestedMapLcl",
            "fun(t => t |> local2D(twice) |> toMem(Local) |> local2D(twice))",
            (0, 0),
        ),
        (
            "doubleNestedMapLclWithReorder",
            "fun(t => t |> local2D(twice) |> toMem(Local) |> transpose |> local2D(twice))",
            (2, 1),
        ),
        (
            "nested 1D in mapLocal(1)",
            "mapLocal(1)(fun(row => row |> mapLocal(0)(twice) |> toMem(Local) |> slide(3)(1) |> mapLocal(0)(sum)))",
            (2, 1),
        ),
    ] {
        let loops = check(&program("", body), "program", &[16], &[grid]);
        let single = check(&program(once, body), "program", &[16], &[grid]);
        assert_eq!((loops, single), ours, "{name}");
    }
}
