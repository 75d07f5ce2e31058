//! Tests of rearrangements, pairs and vectors.

use crate::harness::eval;

/// Checks the result of `f` for an argument of this type.
#[track_caller]
fn check(ty: &str, f: &str, arg: &str, expected: &str) {
    let text = format!("def main = fun(xs: {ty} => xs |> {f})");
    assert_eq!(eval(&text, &[], &[arg]), expected, "{text}");
}

#[test]
fn split_cuts_and_join_puts_together() {
    check(
        "6.i32",
        "split(2)",
        "[1,2,3,4,5,6]",
        "[[1, 2], [3, 4], [5, 6]]",
    );
    check("2.3.i32", "join", "[[1,2,3],[4,5,6]]", "[1, 2, 3, 4, 5, 6]");
    check("0.3.i32", "join", "[]", "[]");
    check(
        "2.2.i32",
        "transpose |> join",
        "[[1,2],[3,4]]",
        "[1, 3, 2, 4]",
    );
}

#[test]
fn transpose_makes_columns_rows() {
    check(
        "2.3.i32",
        "transpose",
        "[[1,2,3],[4,5,6]]",
        "[[1, 4], [2, 5], [3, 6]]",
    );
    check("0.2.i32", "transpose", "[]", "[[], []]");
    check(
        "2.2.2.i32",
        "map(transpose)",
        "[[[1,2],[3,4]],[[5,6],[7,8]]]",
        "[[[1, 3], [2, 4]], [[5, 7], [6, 8]]]",
    );
}

#[test]
fn windows_slide() {
    check(
        "4.i32",
        "slide(3)(1)",
        "[1,2,3,4]",
        "[[1, 2, 3], [2, 3, 4]]",
    );
    check(
        "7.i32",
        "slide(3)(2)",
        "[1,2,3,4,5,6,7]",
        "[[1, 2, 3], [3, 4, 5], [5, 6, 7]]",
    );
    check(
        "3.3.i32",
        "slide2D(2)(1) |> map2D(join)",
        "[[1,2,3],[4,5,6],[7,8,9]]",
        "[[[1, 2, 4, 5], [2, 3, 5, 6]], [[4, 5, 7, 8], [5, 6, 8, 9]]]",
    );
}

#[test]
fn an_array_is_repeated_up_to_a_length() {
    check("3.i32", "cycle(8)", "[1,2,3]", "[1, 2, 3, 1, 2, 3, 1, 2]");
    check("3.i32", "cycle(2)", "[1,2,3]", "[1, 2]");
    check(
        "2.2.i32",
        "cycle(3) |> join",
        "[[1,2],[3,4]]",
        "[1, 2, 3, 4, 1, 2]",
    );
    check(
        "2.i32",
        "map(fun(x => x + 1)) |> cycle(3)",
        "[1,2]",
        "[2, 3, 2]",
    );
}

#[test]
fn borders_repeat_or_are_constant() {
    check("3.i32", "padClamp(2)(1)", "[1,2,3]", "[1, 1, 1, 2, 3, 3]");
    check("3.i32", "padCst(1)(2)(9)", "[1,2,3]", "[9, 1, 2, 3, 9, 9]");
    check("2.i32", "padEmpty(2)", "[1,2]", "[1, 2, _, _]");
    check(
        "2.2.i32",
        "padClamp2D(1)",
        "[[1,2],[3,4]]",
        "[[1, 1, 2, 2], [1, 1, 2, 2], [3, 3, 4, 4], [3, 3, 4, 4]]",
    );
    check(
        "1.2.i32",
        "padCst2D(1)(0)",
        "[[1,2]]",
        "[[0, 0, 0, 0], [0, 1, 2, 0], [0, 0, 0, 0]]",
    );
    check(
        "1.(i32, f32)",
        "padClamp(1)(0)",
        "[(1,2)]",
        "[(1, 2.0), (1, 2.0)]",
    );
}

#[test]
fn parts_are_taken_and_chained() {
    check("4.i32", "take(1)", "[1,2,3,4]", "[1]");
    check("4.i32", "drop(1)", "[1,2,3,4]", "[2, 3, 4]");
    check("4.i32", "dropLast(1)", "[1,2,3,4]", "[1, 2, 3]");
    check(
        "2.i32",
        "fun(x => concat(x)(x |> map(fun(y => y * 10))))",
        "[1,2]",
        "[1, 2, 10, 20]",
    );
    check(
        "2.(i32, bool)",
        "fun(x => concat(x)(x))",
        "[(1,true),(2,false)]",
        "[(1, true), (2, false), (1, true), (2, false)]",
    );
}

#[test]
fn elements_are_gathered_scattered_and_reordered() {
    let gather = "def main = fun(is: 4.Idx[3], xs: 3.i32 => xs |> gather(is))";
    assert_eq!(
        eval(gather, &[], &["[2,0,2,1]", "[10,20,30]"]),
        "[30, 10, 30, 20]"
    );
    let scatter = "def main = fun(is: 3.Idx[4], xs: 3.i32 => xs |> mapSeq(id) |> scatter(is))";
    assert_eq!(
        eval(scatter, &[], &["[2,0,2]", "[10,20,30]"]),
        "[20, _, 30, _]",
        "the last one counts"
    );
    check(
        "4.i32",
        "reorder(4)(natFun(i => 3 - i))(natFun(i => 3 - i))",
        "[1,2,3,4]",
        "[4, 3, 2, 1]",
    );
    check(
        "4.i32",
        "reorder(4)(natFun(i => (i + 1) % 4))(natFun(i => (i + 3) % 4))",
        "[1,2,3,4]",
        "[2, 3, 4, 1]",
    );
    check(
        "6.i32",
        "reorderWithStride(2)",
        "[0,1,2,3,4,5]",
        "[0, 2, 4, 1, 3, 5]",
    );
    check(
        "4.i32",
        "mapSeq(id) |> scatterShift(1)",
        "[1,2,3,4]",
        "[4, 1, 2, 3]",
    );
}

#[test]
fn single_elements() {
    check("3.i32", "idx(1)", "[1,2,3]", "2");
    check("2.2.i32", "idx(1) |> idx(0)", "[[1,2],[3,4]]", "3");
    check("2.2.i32", "idx(1)", "[[1,2],[3,4]]", "[3, 4]");
    check(
        "2.(i32, 2.f32)",
        "idx(1)",
        "[(1,[2,3]),(4,[5,6])]",
        "(4, [5.0, 6.0])",
    );
    check(
        "2.2.(i32, f32)",
        "idx(1) |> idx(0) |> snd",
        "[[(1,2),(3,4)],[(5,6),(7,8)]]",
        "6.0",
    );
    let at = "def main = fun(i: Idx[3], xs: 3.i32 => xs |> idx(i))";
    assert_eq!(eval(at, &[], &["2", "[1,2,3]"]), "3");
}

#[test]
fn arrays_are_made() {
    let make = "def main = fun(x: i32, y: i32 => makeArray(3)(x, y, x + y))";
    assert_eq!(eval(make, &[], &["1", "2"]), "[1, 2, 3]");
    let pairs = "def main = fun(x: i32, y: f32 => makeArray(2)((x, y), (x, y + y)))";
    assert_eq!(eval(pairs, &[], &["1", "2"]), "[(1, 2.0), (1, 4.0)]");
    let generate = "def main = (generate(fun(i => indexAsNat(i) * 2)) : 4.natType)";
    assert_eq!(eval(generate, &[], &[]), "[0, 2, 4, 6]");
    let table = "def main = (generate(fun(i => generate(fun(j => indexAsNat(i) * 10 + indexAsNat(j))))) : 2.3.natType)";
    assert_eq!(eval(table, &[], &[]), "[[0, 1, 2], [10, 11, 12]]");
    let many = "def main = (generate(fun(i => indexAsNat(i))) : 3000.natType) |> drop(2998)";
    assert_eq!(eval(many, &[], &[]), "[2998, 2999]");
}

#[test]
fn pairs() {
    check("(i32, f32)", "mapFst(fun(x => x + 1))", "(1,2)", "(2, 2.0)");
    check(
        "(i32, f32)",
        "mapSnd(fun(x => x / 2.0f))",
        "(1,2)",
        "(1, 1.0)",
    );
    check(
        "3.(i32, f32)",
        "unzip",
        "[(1,2),(3,4),(5,6)]",
        "([1, 3, 5], [2.0, 4.0, 6.0])",
    );
    check(
        "2.(i32, f32)",
        "map(fun(p => (p._2, p._1)))",
        "[(1,2),(3,4)]",
        "[(2.0, 1), (4.0, 3)]",
    );
    let zip = "def main = fun(xs: 2.i32, ys: 2.2.f32 => zip(xs)(ys) |> map(fun(p => p._2 |> map(fun(y => (y, p._1))))))";
    assert_eq!(
        eval(zip, &[], &["[1,2]", "[[3,4],[5,6]]"]),
        "[[(3.0, 1), (4.0, 1)], [(5.0, 2), (6.0, 2)]]"
    );
    check(
        "(2.i32, (f32, bool))",
        "snd |> fst",
        "([1,2],(3,true))",
        "3.0",
    );
}

#[test]
fn vectors() {
    check(
        "8.i32",
        "asVector(4)",
        "[1,2,3,4,5,6,7,8]",
        "[<1, 2, 3, 4>, <5, 6, 7, 8>]",
    );
    check(
        "4.i32",
        "asVector(2) |> map(fun(v => v * v)) |> asScalar",
        "[1,2,3,4]",
        "[1, 4, 9, 16]",
    );
    check(
        "Vec[4, f32]",
        "mapVec(fun(x => select(x < 0.0f)(0.0f)(x)))",
        "<1,-2,3,-4>",
        "<1.0, 0.0, 3.0, 0.0>",
    );
    check("Vec[2, i32]", "fun(v => -v)", "<1,-2>", "<-1, 2>");
    let spread = "def main = fun(x: f32, v: Vec[4, f32] => vectorFromScalar(x) * v)";
    assert_eq!(
        eval(spread, &[], &["2", "<1,2,3,4>"]),
        "<2.0, 4.0, 6.0, 8.0>"
    );
    check(
        "4.f32",
        "asVectorAligned(2) |> reduce(add)(vectorFromScalar(0.0f))",
        "[1,2,3,4]",
        "<4.0, 6.0>",
    );
    check(
        "5.f32",
        "slideVectors(2)",
        "[1,2,3,4,5]",
        "[<1.0, 2.0>, <2.0, 3.0>, <3.0, 4.0>, <4.0, 5.0>]",
    );
}

#[test]
fn functions_that_only_rearrange_are_applied_to_all_elements_at_once() {
    let matrix = "[[1,2,3,4],[5,6,7,8]]";
    check(
        "2.4.i32",
        "map(split(2))",
        matrix,
        "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]",
    );
    check(
        "2.4.i32",
        "map(split(2) >> transpose >> join)",
        matrix,
        "[[1, 3, 2, 4], [5, 7, 6, 8]]",
    );
    check(
        "2.4.i32",
        "map(padClamp(1)(0) >> take(3))",
        matrix,
        "[[1, 1, 2], [5, 5, 6]]",
    );
    check(
        "2.4.i32",
        "map(fun(row => zip(row |> take(2))(row |> drop(2))))",
        matrix,
        "[[(1, 3), (2, 4)], [(5, 7), (6, 8)]]",
    );
    check(
        "2.(2.i32, 2.f32)",
        "map(fun(p => zip(p._1)(p._2)))",
        "[([1,2],[3,4]),([5,6],[7,8])]",
        "[[(1, 3.0), (2, 4.0)], [(5, 7.0), (6, 8.0)]]",
    );
    check(
        "2.4.i32",
        "tile(1)(2)",
        matrix,
        "[[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]]",
    );
    check(
        "2.4.i32",
        "tile(1)(2) |> unslide2D",
        matrix,
        "[[1, 2, 3, 4], [5, 6, 7, 8]]",
    );
    check(
        "0.4.i32",
        "map(split(2)) |> join |> transpose",
        "[]",
        "[[], []]",
    );
}
