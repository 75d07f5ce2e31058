//! Property tests of algebraic laws.

use crate::harness::{Case, line};
use proptest::prelude::*;
use runtime::Value;
use runtime::generate::Fill;

/// Runs a program with random arguments, and returns the arguments and the result.
fn random(text: &str, sizes: &[(&str, i64)], seed: u64) -> (Vec<Value>, Value) {
    let case = Case::new(text, sizes);
    let value = |(at, shape)| {
        let fill = Fill::Random(seed.wrapping_add(at as u64 * 7919));
        fill.value(shape).unwrap_or_else(|error| panic!("{error}"))
    };
    let args: Vec<Value> = case.shapes().into_iter().enumerate().map(value).collect();
    match case.run(&args) {
        Ok(result) => (args, result),
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Checks that the program returns its argument.
fn same(text: &str, sizes: &[(&str, i64)], seed: u64) -> Result<(), TestCaseError> {
    let (args, result) = random(text, sizes, seed);
    prop_assert_eq!(args[0].bytes(), result.bytes());
    Ok(())
}

/// Checks that both programs have the same result.
fn equal(left: &str, right: &str, sizes: &[(&str, i64)], seed: u64) -> Result<(), TestCaseError> {
    let (a, b) = (random(left, sizes, seed).1, random(right, sizes, seed).1);
    prop_assert_eq!(line(&a), line(&b));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn join_undoes_split(n in 0i64..20, s in 1i64..9, seed: u64) {
        same("def main = depFun((n: Nat, s: Nat) => fun(xs: (n * s).f32 => xs |> split(s) |> join))", &[("n", n), ("s", s)], seed)?;
    }

    #[test]
    fn transposing_twice_changes_nothing(n in 0i64..9, m in 0i64..9, seed: u64) {
        same("def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.(i32, f64) => xs |> transpose |> transpose))", &[("n", n), ("m", m)], seed)?;
        same("def main = depFun((n: Nat, m: Nat) => fun(xs: n.m.i16 => xs |> transpose |> map(mapSeq(id)) |> mapSeq(id) |> transpose))", &[("n", n), ("m", m)], seed)?;
    }

    #[test]
    fn reversing_twice_changes_nothing(n in 0i64..40, seed: u64) {
        let reverse = "reorder(n)(natFun(i => n - 1 - i))(natFun(i => n - 1 - i))";
        same(&format!("def main = depFun(n: Nat => fun(xs: n.u8 => xs |> {reverse} |> {reverse}))"), &[("n", n)], seed)?;
        let gather = "gather((generate(fun(i => natAsIndex(n)(n - 1 - indexAsNat(i)))) : n.Idx[n]))";
        same(&format!("def main = depFun(n: Nat => fun(xs: n.f32 => xs |> {gather} |> {gather}))"), &[("n", n)], seed)?;
    }

    #[test]
    fn scatter_undoes_gather_by_a_permutation(n in 1i64..40, seed: u64) {
        let is = "(generate(fun(i => natAsIndex(n)((indexAsNat(i) + 3) % n))) : n.Idx[n])";
        same(&format!("def main = depFun(n: Nat => fun(xs: n.f32 => xs |> gather({is}) |> mapSeq(id) |> scatter({is})))"), &[("n", n)], seed)?;
    }

    #[test]
    fn unzip_undoes_zip(n in 0i64..40, seed: u64) {
        same("def main = depFun(n: Nat => fun(p: (n.f32, n.i8) => zip(p._1)(p._2) |> unzip))", &[("n", n)], seed)?;
    }

    #[test]
    fn vectors_are_elements(n in 0i64..20, seed: u64) {
        same("def main = depFun(n: Nat => fun(xs: (4 * n).f32 => xs |> asVector(4) |> asScalar))", &[("n", n)], seed)?;
    }

    #[test]
    fn parts_make_the_whole(n in 0i64..20, m in 0i64..20, seed: u64) {
        same("def main = depFun((n: Nat, m: Nat) => fun(xs: (n + m).f32 => concat(xs |> take(n))(xs |> drop(n))))", &[("n", n), ("m", m)], seed)?;
        same("def main = depFun((n: Nat, m: Nat) => fun(xs: (n + m).f32 => xs |> partition(2)(natFun(i => n * (1 - i) + m * i)) |> depJoin))", &[("n", n), ("m", m)], seed)?;
    }

    #[test]
    fn maps_fuse(n in 0i64..3000, seed: u64) {
        let one = "def main = depFun(n: Nat => fun(xs: n.i32 => xs |> map(fun(x => x * 3)) |> map(fun(x => x - 7))))";
        let two = "def main = depFun(n: Nat => fun(xs: n.i32 => xs |> mapSeq(fun(x => x * 3 - 7))))";
        equal(one, two, &[("n", n)], seed)?;
    }

    #[test]
    fn many_at_a_time_is_one_by_one(n in 0i64..2500, seed: u64) {
        // The array in the second accumulator prevents vectorisation.
        let many = "def main = depFun(n: Nat => fun(xs: n.(f32, i32) => xs |> map(fun(p =>
          select(p._1 < 0.0f && p._2 != 0)(p._1 * p._1 / 3.0f)((cast(p._2) : f32) - p._1)))))";
        let one = "def main = depFun(n: Nat => fun(xs: n.(f32, i32) => xs |> map(fun(p =>
          makeArray(1)(select(p._1 < 0.0f && p._2 != 0)(p._1 * p._1 / 3.0f)((cast(p._2) : f32) - p._1)))) |> join))";
        equal(many, one, &[("n", n)], seed)?;
        let fold = "def main = depFun(n: Nat => fun(xs: n.(f32, f32) => xs |> reduceSeq(fun(a, p => a + p._1 * p._2))(0.5f)))";
        let loops = "def main = depFun(n: Nat => fun(xs: n.(f32, f32) => fst(xs |> reduceSeq(fun(a, p => (a._1 + p._1 * p._2, a._2)))((0.5f, 0)))))";
        equal(fold, loops, &[("n", n)], seed)?;
    }

    #[test]
    fn tiles_make_the_whole(n in 1i64..50, w in 1i64..9, seed: u64) {
        let whole = "def main = depFun((n: Nat, w: Nat) => fun(xs: (n + w + 2).i32 => xs |> slide(3)(1) |> map(reduce(add)(0))))";
        let tiles = "def main = depFun((n: Nat, w: Nat) => fun(xs: (n + w + 2).i32 =>
          xs |> tileShiftInwards(w)(map(slide(3)(1) >> map(reduce(add)(0))))))";
        equal(whole, tiles, &[("n", n), ("w", w)], seed)?;
    }
}
