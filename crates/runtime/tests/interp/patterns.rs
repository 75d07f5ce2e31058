//! Tests of maps, reductions, scans and streams.

use crate::harness::eval;

/// Evaluates a function of an array of three numbers.
fn on3(f: &str) -> String {
    let text = format!("def main = fun(xs: 3.i32 => xs |> {f})");
    eval(&text, &[], &["[1,2,3]"])
}

#[test]
fn every_map_means_the_same() {
    for map in [
        "map",
        "mapSeq",
        "mapSeqUnroll",
        "mapStream",
        "iterateStream",
        "mapPar",
        "mapGlobal",
        "mapGlobal(1)",
        "mapWorkGroup(2)",
        "mapLocal(0)",
    ] {
        assert_eq!(
            on3(&format!("{map}(fun(x => x * x))")),
            "[1, 4, 9]",
            "{map}"
        );
    }
}

#[test]
fn every_reduction_means_the_same() {
    for reduce in [
        "reduce",
        "reducePar",
        "reduceSeq",
        "reduceSeqUnroll",
        "reduceSeq(Private)",
    ] {
        let text = format!("{reduce}(fun(a, x => a * 10 + x))(7)");
        assert_eq!(
            on3(&text),
            "7123",
            "{reduce}: in order, the initial value once"
        );
    }
}

#[test]
fn accumulators_may_be_anything() {
    assert_eq!(
        on3("reduceSeq(fun(a, x => (a._1 + x, a._2 * x)))((0, 1))"),
        "(6, 6)"
    );
    assert_eq!(
        on3("reduceSeq(fun(a, x => a |> mapSeq(fun(y => y + x))))(makeArray(2)(0, 10))"),
        "[6, 16]"
    );
    assert_eq!(
        on3("reduceSeq(fun(a, x => a + (cast(x) : f64)))(0.5f64)"),
        "6.5"
    );
    assert_eq!(
        on3("reduce(fun(a, x => x - a))(0)"),
        "2",
        "the accumulator on the right"
    );
}

#[test]
fn long_reductions_keep_their_order() {
    let text = "def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reduceSeq(fun(a, x => a + x * x))(0.0f)))";
    let xs: Vec<f32> = (0..5000).map(|i| (i % 97) as f32 * 0.37 - 11.0).collect();
    let expected = xs.iter().fold(0.0f32, |a, x| a + x * x);
    let words: Vec<String> = xs.iter().map(f32::to_string).collect();
    let arg = format!("[{}]", words.join(","));
    assert_eq!(eval(text, &[("n", 5000)], &[&arg]), format!("{expected:?}"));
}

#[test]
fn scans_are_inclusive() {
    assert_eq!(on3("scanSeq(fun(x, a => x + a))(0)"), "[1, 3, 6]");
    assert_eq!(
        on3("scanSeq(fun(x, a => x - a))(10)"),
        "[-9, 11, -8]",
        "the element comes first"
    );
    assert_eq!(
        on3("scanSeq(fun(x, a => (x, a._1)))((0, 0))"),
        "[(1, 0), (2, 1), (3, 2)]"
    );
}

#[test]
fn repetition_feeds_each_result_back() {
    for name in ["repeat", "repeatInPlace"] {
        let text = format!(
            "def main = depFun((n: Nat, k: Nat) => fun(xs: n.i32, y: i32 =>
              (xs, y) |> {name}(k)(fun(s => (s._1 |> map(fun(x => x * s._2)), s._2 + 1)))))"
        );
        let eval = |k| eval(&text, &[("n", 2), ("k", k)], &["[1,2]", "3"]);
        assert_eq!(eval(0), "([1, 2], 3)");
        assert_eq!(eval(1), "([3, 6], 4)");
        assert_eq!(eval(3), "([60, 120], 6)");
    }
    let until = "def main = depFun(limit: Nat => fun(x: i32 =>
      x |> repeatWhile(limit)(fun(y => y < 100))(fun(y => y * 2))))";
    for (limit, x, result) in [
        (0, "1", "(0, 1)"),
        (3, "1", "(3, 8)"),
        (9, "1", "(7, 128)"),
        (9, "100", "(0, 100)"),
    ] {
        assert_eq!(eval(until, &[("limit", limit)], &[x]), result);
    }
}

#[test]
fn iteration_feeds_each_result_back() {
    let text = "def main = depFun((m: Nat, k: Nat) => fun(xs: (m * 2^k).i32 =>
      xs |> iterate(k)(depFun(l: Nat => fun(part => part |> split(2) |> map(reduce(add)(0)))))))";
    let arg = "[1,2,3,4,5,6,7,8]";
    assert_eq!(eval(text, &[("m", 1), ("k", 3)], &[arg]), "[36]");
    assert_eq!(eval(text, &[("m", 2), ("k", 2)], &[arg]), "[10, 26]");
    assert_eq!(
        eval(text, &[("m", 8), ("k", 0)], &[arg]),
        "[1, 2, 3, 4, 5, 6, 7, 8]"
    );
    let lengths = "def main = fun(xs: 8.natType =>
      xs |> iterate(2)(depFun(l: Nat => fun(part: (l * 2).natType => part |> take(l) |> map(fun(x => x * 100 + l))))))";
    assert_eq!(eval(lengths, &[], &["[1,2,3,4,5,6,7,8]"]), "[10402, 20402]");
}

#[test]
fn streams_are_windows() {
    let text = "def main = depFun(n: Nat => fun(xs: (n + 2).i32 =>
      xs |> circularBuffer(4)(3)(fun(x => x * 2)) |> iterateStream(fun(w => w |> reduceSeq(add)(0)))))";
    assert_eq!(eval(text, &[("n", 3)], &["[1,2,3,4,5]"]), "[12, 18, 24]");
    assert_eq!(eval(text, &[("n", 0)], &["[1,2]"]), "[]");
    let text = "def main = fun(xs: 4.i32 => xs |> rotateValues(3)(fun(x => x + 1)))";
    assert_eq!(eval(text, &[], &["[1,2,3,4]"]), "[[2, 3, 4], [3, 4, 5]]");
    let text = "def main = fun(xs: 4.2.i32 => xs |> circularBuffer(3)(3)(mapSeq(fun(x => x * 2))) |> mapStream(transpose) |> iterateStream(mapSeq(reduceSeq(add)(0))))";
    assert_eq!(
        eval(text, &[], &["[[1,2],[3,4],[5,6],[7,8]]"]),
        "[[18, 24], [30, 36]]"
    );
}

#[test]
fn memory_changes_nothing() {
    assert_eq!(
        on3("mapSeq(fun(x => x + 1)) |> toMem |> mapSeq(fun(x => x * 2))"),
        "[4, 6, 8]"
    );
    assert_eq!(
        on3(
            "mapGlobal(fun(x => x + 1)) |> toMem(Global) |> mapGlobal(id) |> oclRun(1, 1, 1)(3, 1, 1)"
        ),
        "[2, 3, 4]"
    );
    assert_eq!(
        on3("store(fun(ys => zip(ys)(ys) |> mapSeq(fun(p => p._1 * p._2))))"),
        "[1, 4, 9]"
    );
    assert_eq!(on3("assume(3) |> split(3)"), "[[1, 2, 3]]");
}

#[test]
fn functions_are_values_until_they_are_applied() {
    let text = "
def twice : {t: DataType} -> (t -> t) -> t -> t = fun(f, x => f(f(x)))
def main = fun(xs: 3.i32 => xs |> map(twice(fun(y => y * 2))) |> twice(map(add(1))))";
    assert_eq!(eval(text, &[], &["[1,2,3]"]), "[6, 10, 14]");
    let text = "def main = fun(x: i32 => (fun(f => f(f(x))))(fun(y => y * y + x)))";
    assert_eq!(eval(text, &[], &["2"]), "38");
    let text = "def main = fun(xs: 2.i32, ys: 2.i32 => xs |> map(fun(x => ys |> map(mul(x + 1)))))";
    assert_eq!(eval(text, &[], &["[1,2]", "[3,4]"]), "[[6, 8], [9, 12]]");
    let text = "def main = fun(c: bool, xs: 2.i32 => select(c)(xs |> map(add(1)))(xs))";
    assert_eq!(eval(text, &[], &["true", "[3,4]"]), "[4, 5]");
    assert_eq!(eval(text, &[], &["false", "[3,4]"]), "[3, 4]");
}

#[test]
fn nested_lets_and_shadowed_names() {
    let text =
        "def main = fun(x: i32 => let y = x + 1 in let x = y * 2 in let y = x + y in (x, y))";
    assert_eq!(eval(text, &[], &["1"]), "(4, 6)");
}

#[test]
fn empty_arrays() {
    let text = "def main = depFun((n: Nat, m: Nat) => fun(xss: n.m.f32 =>
      xss |> map(fun(row => row |> map(fun(x => x + 1.0f)))) |> transpose |> map(reduce(add)(0.0f))))";
    assert_eq!(
        eval(text, &[("n", 0), ("m", 3)], &["[]"]),
        "[0.0, 0.0, 0.0]"
    );
    assert_eq!(eval(text, &[("n", 2), ("m", 0)], &["[[],[]]"]), "[]");
    let text = "def main = depFun((n: Nat, m: Nat) => fun(xss: (2*n).m.f32 =>
      xss |> split(2) |> map(transpose) |> map(map(map(fun(x => x + 1.0f))))
        |> map(transpose) |> join))";
    let empty = "[[],[],[],[],[],[]]";
    let expected = "[[], [], [], [], [], []]";
    assert_eq!(eval(text, &[("n", 3), ("m", 0)], &[empty]), expected);
}

#[test]
fn matrix_product_agrees_with_a_direct_computation() {
    let (n, k, m) = (7, 11, 9);
    let text = "def main : (n: Nat) -> (k: Nat) -> (m: Nat) -> n.k.i32 -> k.m.i32 -> n.m.i32 =
      depFun((n: Nat, k: Nat, m: Nat) => fun(a, b =>
        a |> map(fun(row => b |> transpose |> map(fun(column => dot(row)(column)))))))";
    let a = |i: i32, j: i32| (i * 31 + j * 17) % 23 - 11;
    let b = |i: i32, j: i32| (i * 13 + j * 7) % 19 - 9;
    let matrix = |rows: i32, columns: i32, at: &dyn Fn(i32, i32) -> i32| {
        let row = |i| {
            (0..columns)
                .map(|j| at(i, j).to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let rows: Vec<String> = (0..rows).map(|i| format!("[{}]", row(i))).collect();
        format!("[{}]", rows.join(", "))
    };
    let expected = matrix(n, m, &|i, j| (0..k).map(|l| a(i, l) * b(l, j)).sum());
    let sizes = [("n", n.into()), ("k", k.into()), ("m", m.into())];
    assert_eq!(
        eval(text, &sizes, &[&matrix(n, k, &a), &matrix(k, m, &b)]),
        expected
    );
}
