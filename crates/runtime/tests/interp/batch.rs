//! Tests that optimised evaluation of functions on small arrays has the results of the reference
//! semantics.

use crate::harness::Case;
use runtime::Value;
use runtime::generate::Fill;

/// Compares both ways of running `f` on arrays of several lengths with elements of this type.
#[track_caller]
fn check(element: &str, f: &str) {
    for n in [1, 2, 7, 100, 3000] {
        let text = format!("def main = depFun(n: Nat => fun(xs: n.{element} => xs |> {f}))");
        let case = Case::new(&text, &[("n", n)]);
        let shapes = case.shapes().into_iter();
        let args: Vec<Value> = shapes
            .map(|shape| {
                Fill::Random(n as u64)
                    .value(shape)
                    .unwrap_or_else(|error| panic!("{error}"))
            })
            .collect();
        let outcomes = case.both_ways(&args);
        assert!(outcomes.agree(), "n = {n}: {text}\n{outcomes:?}");
    }
}

#[test]
fn nested_maps() {
    check("3.i32", "map(map(fun(x => x * x + 1)))");
    check(
        "3.2.f32",
        "map(fun(m => m |> transpose |> map(fun(r => r |> map(fun(x => x * 2.0f) )))))",
    );
    check(
        "(i32, 4.i32)",
        "map(fun(p => p._2 |> map(fun(x => x * p._1))))",
    );
    check(
        "2.3.i32",
        "map(fun(m => m |> map(fun(r => m |> map(fun(s => zip(r)(s) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0)))))))",
    );
    check(
        "4.i32",
        "map(fun(v => zip(v)(generate(fun(i => cast(indexAsNat(i))))) |> map(fun(p => p._1 - p._2))))",
    );
}

#[test]
fn reductions_and_accumulators() {
    check("5.f32", "map(reduce(add)(0.0f))");
    check(
        "5.f32",
        "map(reduceSeq(fun(a, x => (a._1 + x, a._2 * x)))((0.0f, 1.0f)))",
    );
    check(
        "3.2.i32",
        "map(reduceSeq(fun(a, r => zip(a)(r) |> mapSeq(fun(p => p._1 * 3 + p._2))))(makeArray(2)(1, 2)))",
    );
    check("4.i32", "map(fun(v => v |> scanSeq(add)(0)))");
    check(
        "8.i32",
        "map(iterate(3)(depFun(l: Nat => fun(part: (l * 2).i32 => part |> split(2) |> map(reduce(add)(0))))))",
    );
    check("5.i32", "map(repeat(3)(map(fun(x => x * x + 1))))");
    check(
        "i32",
        "map(fun(x => (x, 1) |> repeatInPlace(4)(fun(p => (p._2, p._1 + p._2)))))",
    );
    check(
        "i32",
        "map(fun(x => x |> repeatWhile(5)(fun(y => y < 40))(fun(y => y * 2 + 1))))",
    );
    check(
        "i32",
        "map(fun(x => (generate(fun(i => indexAsNat(i))) : 6.natType) |> reduceSeq(fun(a, i => a * x + cast(i)))(1)))",
    );
}

#[test]
fn rearrangements() {
    check("6.i32", "map(split(2) >> transpose >> join >> take(4))");
    check(
        "5.i32",
        "map(fun(v => v |> slide(3)(1) |> map(reduce(add)(0)) |> padCst(1)(1)(7)))",
    );
    check(
        "5.i32",
        "map(fun(v => v |> padClamp(1)(2) |> map(fun(x => x + 1))))",
    );
    check("2.i32", "map(fun(v => concat(v)(v |> map(fun(x => -x)))))");
    check(
        "4.i32",
        "map(fun(v => v |> reorder(4)(natFun(i => 3 - i))(natFun(i => 3 - i)) |> map(fun(x => x * 2))))",
    );
    check(
        "3.i32",
        "map(fun(v => makeArray(2)(v |> idx(2), v |> reduce(add)(0))))",
    );
    check(
        "i32",
        "map(fun(x => makeArray(2)(makeArray(1)(x), makeArray(1)(x + 1))))",
    );
    check(
        "4.i32",
        "map(fun(v => v |> rotateValues(2)(fun(x => x + 1)) |> mapStream(reduceSeq(add)(0))))",
    );
}

#[test]
fn elements() {
    check(
        "3.3.f32",
        "map(fun(m => (m |> idx(1) |> idx(2)) * (m |> idx(0) |> idx(0))))",
    );
    check("(Idx[3], 3.f32)", "map(fun(p => p._2 |> idx(p._1)))");
    check(
        "(Idx[3], 3.2.f32)",
        "map(fun(p => p._2 |> idx(p._1) |> map(fun(x => x + 1.0f))))",
    );
    check(
        "(Idx[2], 2.(i32, f32))",
        "map(fun(p => p._2 |> idx(p._1) |> snd))",
    );
    check(
        "3.f32",
        "fun(xs => xs |> map(fun(v => v |> map(fun(x => x + (v |> idx(1)))))))",
    );
}

#[test]
fn vectors() {
    check(
        "Vec[4, f32]",
        "map(fun(v => v * v + vectorFromScalar(0.5f)))",
    );
    check("Vec[3, i32]", "map(fun(v => -v))");
    check(
        "2.Vec[4, i32]",
        "map(fun(vs => vs |> asScalar |> reduce(add)(0)))",
    );
    check(
        "4.f32",
        "map(asVector(2) >> map(mapVec(fun(x => x / 3.0f))) >> asScalar)",
    );
    check(
        "2.Vec[2, i32]",
        "map(reduceSeq(fun(a, v => a + v * v))(vectorFromScalar(0)))",
    );
}

#[test]
fn choices_and_failures() {
    check(
        "(i32, i32)",
        "map(fun(p => select(p._2 == 0)(0)(p._1 / p._2)))",
    );
    check(
        "(i32, 2.i32)",
        "map(fun(p => select(p._1 > 0)(p._2)(p._2 |> map(neg))))",
    );
    check("(i32, i32)", "mapSeq(fun(p => p._1 / p._2))");
    check(
        "3.i32",
        "map(fun(v => v |> map(fun(x => 10 / x)) |> take(1))) |> map(fun(v => v |> map(fun(x => x + 1))))",
    );
    check(
        "2.i32",
        "map(fun(v => let w = v |> map(fun(x => x * x)) in zip(v)(w) |> map(fun(p => p._1 + p._2)) |> reduce(add)(0)))",
    );
}

#[test]
fn holes() {
    check(
        "2.i32",
        "mapSeq(fun(v => v |> mapSeq(id) |> padEmpty(1))) |> toMem |> mapSeq(fun(v => v |> take(2) |> mapSeq(fun(x => x + 1))))",
    );
    check("2.i32", "mapSeq(fun(v => v |> mapSeq(id) |> padEmpty(1)))");
    check(
        "2.i32",
        "mapSeq(fun(v => v |> mapSeq(id) |> padEmpty(1))) |> toMem |> mapSeq(mapSeq(id))",
    );
}
