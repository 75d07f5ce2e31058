//! Tests of dependent arrays and pairs.

use crate::harness::{Case, eval, line};

#[test]
fn rows_of_their_own_length() {
    let text = "def main = fun(xs: 6.i32 =>
      xs |> partition(3)(natFun(i => i + 1))
         |> depMapSeq(depFun(i: Nat => fun(row => row |> mapSeq(fun(x => x * 2)))))
         |> depJoin)";
    assert_eq!(eval(text, &[], &["[1,2,3,4,5,6]"]), "[2, 4, 6, 8, 10, 12]");
    let sums = "def main = fun(rows: 3..dataFun(i => (i + 1).i32) =>
      rows |> depMapSeq(depFun(i: Nat => fun(row => makeArray(1)(row |> reduceSeq(add)(0))))) |> depJoin)";
    assert_eq!(eval(sums, &[], &["[[1],[2,3],[4,5,6]]"]), "[1, 5, 15]");
    let position = "def main = fun(rows: 3..dataFun(i => (i + 1).natType) =>
      rows |> depMapSeq(depFun(i: Nat => fun(row => row |> mapSeq(fun(x => x * 10 + i))))))";
    assert_eq!(
        eval(position, &[], &["[[1],[2,3],[4,5,6]]"]),
        "[[10], [21, 31], [42, 52, 62]]"
    );
}

#[test]
fn dependent_arrays_are_zipped() {
    let text = "def main = fun(a: 2..dataFun(i => (i + 1).i32), b: 2..dataFun(i => (i + 1).i32) =>
      depZip(a)(b) |> depMapSeq(depFun(i: Nat => fun(p => zip(p._1)(p._2) |> mapSeq(fun(q => q._1 * q._2))))) |> depJoin)";
    assert_eq!(
        eval(text, &[], &["[[2],[3,4]]", "[[5],[6,7]]"]),
        "[10, 18, 28]"
    );
}

#[test]
fn dependent_arrays_are_elements_of_arrays() {
    let text = "def main = fun(xss: 2.3.i32 =>
      xss |> mapSeq(fun(xs => xs |> partition(2)(natFun(i => i + 1)))))";
    assert_eq!(
        eval(text, &[], &["[[1,2,3],[4,5,6]]"]),
        "[[[1], [2, 3]], [[4], [5, 6]]]"
    );
    let read = "def main = fun(xss: 2.2..dataFun(i => (i + 1).i32) =>
      xss |> mapSeq(fun(rows => rows |> depJoin)))";
    assert_eq!(
        eval(read, &[], &["[[[1],[2,3]],[[4],[5,6]]]"]),
        "[[1, 2, 3], [4, 5, 6]]"
    );
    let parts = "def main = fun(xs: 4.4.i32 => xs |> partition2D(1)(2) |> depMapSeq(depFun(i: Nat => fun(rows => rows |> mapSeq(fun(row => row |> depMapSeq(depFun(j: Nat => fun(part => part |> mapSeq(fun(x => x * 2))))) |> depJoin))))) |> depJoin)";
    assert_eq!(
        eval(parts, &[], &["[[1,2,3,4],[5,6,7,8],[1,2,3,4],[5,6,7,8]]"]),
        "[[2, 4, 6, 8], [10, 12, 14, 16], [2, 4, 6, 8], [10, 12, 14, 16]]"
    );
}

#[test]
fn sizes_known_only_at_run_time() {
    let pack = "def main = fun(xs: 3.i32 => makeDepPair(3)(xs))";
    let packed = eval(pack, &[], &["[1,2,3]"]);
    assert_eq!(packed, "(3 | [1, 2, 3])");
    let text =
        "def main = fun(xs: 3.natType => dmatch(makeDepPair(3)(xs))(depFun(k: Nat => fun(ys =>
      ys |> map(fun(y => y * k)) |> reduce(add)(0)))))";
    assert_eq!(eval(text, &[], &["[1,2,3]"]), "18");
    let text = "def main = fun(xs: 4.i32 => dmatch(makeDepPair(2)(xs |> split(2)))(depFun(k: Nat => fun(yss =>
      yss |> transpose |> join |> reduce(fun(a, y => a * 10 + y))(0)))))";
    assert_eq!(eval(text, &[], &["[1,2,3,4]"]), "1324");
}

#[test]
fn dependent_pairs_come_from_outside() {
    let pack = Case::new("def main = fun(xs: 3.i32 => makeDepPair(3)(xs))", &[]);
    let packed = pack.run(&pack.args(&["[1,2,3]"])).expect("a pair");
    let sum = "def main = fun(p: DepPair[k => k.i32] =>
      dmatch(p)(depFun(k: Nat => fun(xs => xs |> reduce(add)(0)))))";
    let value = Case::new(sum, &[]).run(&[packed]).expect("a sum");
    assert_eq!(line(&value), "6");
}

#[test]
fn sparse_matrices() {
    let text = "def main = fun(rows: 3..dataFun(i => (2 - i).(Idx[4], f32)), xs: 4.f32 =>
      rows |> depMapSeq(depFun(i: Nat => fun(row =>
        let columns = row |> map(fst) in
        let values = row |> map(snd) in
        makeArray(1)(dot(values)(xs |> gather(columns)))))) |> depJoin)";
    assert_eq!(
        eval(
            text,
            &[],
            &["[[(0,1),(3,2)],[(2,3)],[]]", "[1,10,100,1000]"]
        ),
        "[2001.0, 300.0, 0.0]"
    );
}
