//! Tests of arithmetic.

use crate::harness::{eval, fails};
use runtime::interp::ErrorKind;

/// Evaluates an expression of two numbers of a type.
fn binary(ty: &str, expr: &str, x: &str, y: &str) -> String {
    let text = format!("def main = fun(x: {ty}, y: {ty} => {expr})");
    eval(&text, &[], &[x, y])
}

#[test]
fn integers_wrap_at_their_own_width() {
    assert_eq!(binary("i8", "x + y", "127", "1"), "-128");
    assert_eq!(binary("u8", "x - y", "0", "1"), "255");
    assert_eq!(binary("i16", "x * y", "300", "300"), "24464");
    assert_eq!(binary("i32", "x + y", "2147483647", "1"), "-2147483648");
    assert_eq!(binary("u32", "x * y", "65536", "65537"), "65536");
    assert_eq!(
        binary("i64", "x - y", "-9223372036854775808", "1"),
        "9223372036854775807"
    );
    assert_eq!(binary("u64", "x + y", "18446744073709551615", "2"), "1");
    assert_eq!(binary("i8", "-x", "-128", "0"), "-128");
    assert_eq!(binary("u8", "-x", "1", "0"), "255");
}

#[test]
fn division_truncates() {
    assert_eq!(binary("i32", "x / y", "-7", "2"), "-3");
    assert_eq!(binary("i32", "x % y", "-7", "2"), "-1");
    assert_eq!(binary("i32", "x / y", "7", "-2"), "-3");
    assert_eq!(binary("i32", "x % y", "7", "-2"), "1");
    assert_eq!(binary("i32", "x / y", "-2147483648", "-1"), "-2147483648");
    assert_eq!(binary("i32", "x % y", "-2147483648", "-1"), "0");
    assert_eq!(binary("u8", "x / y", "200", "3"), "66");
}

#[test]
fn division_by_zero_stops_for_integers_only() {
    let text = "def main = fun(x: i32, y: i32 => x / y)";
    assert_eq!(fails(text, &[], &["1", "0"]), ErrorKind::DivisionByZero);
    let text = "def main = fun(x: u8, y: u8 => x % y)";
    assert_eq!(fails(text, &[], &["1", "0"]), ErrorKind::DivisionByZero);
    assert_eq!(binary("f32", "x / y", "1", "0"), "inf");
    assert_eq!(binary("f64", "x / y", "-1", "0"), "-inf");
}

#[test]
fn floats_are_rounded_to_their_own_type_after_each_operation() {
    assert_eq!(binary("f32", "x + y", "16777216", "1"), "16777216.0");
    assert_eq!(binary("f64", "x + y", "16777216", "1"), "16777217.0");
    assert_eq!(binary("f16", "x + y", "2048", "1"), "2048.0");
    assert_eq!(binary("f16", "x * y", "60000", "2"), "inf");
    assert_eq!(binary("f32", "(x + y) - x", "16777216", "1"), "0.0");
    assert_eq!(binary("f32", "x * y", "0.1", "3"), "0.3");
    assert_eq!(binary("f32", "x * y - 1.0f", "0.1", "10"), "0.0");
}

#[test]
fn comparisons_with_nan_are_false_but_for_inequality() {
    for op in ["<", "<=", ">", ">=", "=="] {
        assert_eq!(binary("f32", &format!("x {op} y"), "NaN", "1"), "false");
    }
    assert_eq!(binary("f32", "x != y", "NaN", "NaN"), "true");
    assert_eq!(binary("f32", "x == y", "0.0", "-0.0"), "true");
    assert_eq!(binary("bool", "x < y", "false", "true"), "true");
    assert_eq!(binary("u8", "x > y", "200", "100"), "true");
    assert_eq!(binary("i8", "x > y", "-1", "1"), "false");
}

#[test]
fn casts_wrap_truncate_and_saturate() {
    let cast = |from: &str, to: &str, x: &str| {
        eval(
            &format!("def main = fun(x: {from} => (cast(x) : {to}))"),
            &[],
            &[x],
        )
    };
    let table = [
        ("i32", "u8", "300", "44"),
        ("i32", "i8", "200", "-56"),
        ("i8", "u32", "-1", "4294967295"),
        ("u64", "i32", "4294967295", "-1"),
        ("i8", "i64", "-5", "-5"),
        ("f32", "i32", "-2.9", "-2"),
        ("f32", "u8", "300.5", "255"),
        ("f32", "u8", "-1.5", "0"),
        ("f32", "i32", "1e20", "2147483647"),
        ("f32", "i64", "-1e30", "-9223372036854775808"),
        ("f64", "i16", "NaN", "0"),
        ("f32", "bool", "0.5", "true"),
        ("f32", "bool", "-0.0", "false"),
        ("f32", "bool", "NaN", "true"),
        ("i32", "bool", "2", "true"),
        ("bool", "f32", "true", "1.0"),
        ("bool", "i32", "true", "1"),
        ("i32", "f32", "16777217", "16777216.0"),
        ("i64", "f64", "9007199254740993", "9007199254740992.0"),
        ("f64", "f32", "1e40", "inf"),
        ("f64", "f32", "0.1", "0.1"),
        ("f32", "f16", "65520", "inf"),
        ("f16", "f32", "0.1", "0.099975586"),
        ("natType", "f32", "3", "3.0"),
        ("i32", "natType", "7", "7"),
    ];
    for (from, to, x, expected) in table {
        assert_eq!(cast(from, to, x), expected, "{x} : {from} as {to}");
    }
}

#[test]
fn what_is_not_needed_is_not_computed() {
    assert_eq!(binary("i32", "select(y == 0)(0)(x / y)", "1", "0"), "0");
    assert_eq!(binary("i32", "y != 0 && x / y > 0", "1", "0"), "false");
    assert_eq!(binary("i32", "y == 0 || x / y > 0", "1", "0"), "true");
    assert_eq!(
        binary("i32", "let q = x / y in select(y == 0)(7)(q)", "1", "0"),
        "7"
    );
    assert_eq!(binary("i32", "fst((x, x / y))", "1", "0"), "1");
    let text = "def main = fun(x: i32, y: i32 =>
      makeArray(2)(x, y) |> map(fun(z => x / z)) |> take(1))";
    assert_eq!(eval(text, &[], &["1", "0"]), "[1]");
}

#[test]
fn guards_hold_for_many_elements_too() {
    let text = "def main = depFun(n: Nat => fun(xs: n.i32 =>
      xs |> map(fun(x => select(x == 0 || 12 / x > 5)(0)(12 / x)))))";
    assert_eq!(
        eval(text, &[("n", 8)], &["[0,1,2,3,4,0,6,12]"]),
        "[0, 0, 0, 4, 3, 0, 2, 1]"
    );
}

#[test]
fn sizes_are_numbers() {
    let text = "def main = depFun(n: Nat => fun(x: natType => x + n * n))";
    assert_eq!(eval(text, &[("n", 5)], &["1"]), "26");
    let text = "def main = depFun(n: Nat => fun(xs: n.f32 => reduce(add)(0.0f)(xs) / cast(n)))";
    assert_eq!(eval(text, &[("n", 4)], &["[1,2,3,4]"]), "2.5");
}

#[test]
fn literals_have_the_type_of_their_context() {
    assert_eq!(
        eval("def main = fun(x: f32 => x * 2)", &[], &["1.5"]),
        "3.0"
    );
    assert_eq!(
        eval("def main = fun(x: u8 => x + 200u8)", &[], &["100"]),
        "44"
    );
    assert_eq!(
        eval("def main = fun(x: f64 => x + 0.1f64)", &[], &["0.2"]),
        "0.30000000000000004"
    );
    assert_eq!(
        eval("def main = fun(x: bool => x || !true)", &[], &["false"]),
        "false"
    );
}

#[test]
fn math_functions_are_built_in() {
    let unary = |declaration: &str, x: &str| {
        let ty = if declaration.contains("f64") {
            "f64"
        } else {
            "f32"
        };
        let name = declaration.split_once('(').map_or("", |(name, _)| name);
        let text = format!("foreign def {declaration}\ndef main = fun(x: {ty} => {name}(x))");
        eval(&text, &[], &[x])
    };
    assert_eq!(unary("sqrt(x: f32): f32", "2"), "1.4142135");
    assert_eq!(unary("sqrtf(x: f32): f32", "2"), "1.4142135");
    assert_eq!(unary("sqrt(x: f64): f64", "2"), "1.4142135623730951");
    assert_eq!(unary("floor(x: f32): f32", "-1.5"), "-2.0");
    assert_eq!(unary("rint(x: f32): f32", "2.5"), "2.0");
    let text = "foreign def fmaxf(a: f32, b: f32): f32
def main = depFun(n: Nat => fun(xs: n.f32 => xs |> reduce(fmaxf)(0.0f)))";
    assert_eq!(eval(text, &[("n", 7)], &["[1,5,2,9,3,4,0]"]), "9.0");
    let text = "foreign def fma(a: f64, b: f64, c: f64): f64
def main = fun(xs: 8.f64 => xs |> map(fun(x => fma(x, x, 1.0f64))))";
    assert_eq!(
        eval(text, &[], &["[0,1,2,3,4,5,6,7]"]),
        "[1.0, 2.0, 5.0, 10.0, 17.0, 26.0, 37.0, 50.0]"
    );
    let text = "foreign def remainder(a: f32, b: f32): f32
def main = fun(x: f32, y: f32 => remainder(x, y))";
    assert_eq!(eval(text, &[], &["5", "2"]), "1.0");
    assert_eq!(eval(text, &[], &["7", "2"]), "-1.0");
    assert_eq!(eval(text, &[], &["3", "2"]), "-1.0");
    assert_eq!(unary("erf(x: f64): f64", "0.5"), "0.5204998778130465");
    assert_eq!(unary("lround(x: f32): i32", "2.5"), "3");
    assert_eq!(unary("logbf(x: f32): f32", "10"), "3.0");
    let text = "foreign def ldexp(x: f32, e: i32): f32
def main = fun(xs: 8.f32 => xs |> map(fun(x => ldexp(x, 3))))";
    assert_eq!(
        eval(text, &[], &["[0,1,2,3,4,5,6,7]"]),
        "[0.0, 8.0, 16.0, 24.0, 32.0, 40.0, 48.0, 56.0]"
    );
}

/// Tests the operand that is the result for a NaN and for two zeros, and the smallest integers.
#[test]
fn minimum_maximum_and_absolute_value() {
    let of = |function: &str, ty: &str, args: &[&str]| {
        let params: Vec<String> = (["x", "y"].iter().take(args.len()))
            .map(|name| format!("{name}: {ty}"))
            .collect();
        let call = if args.len() == 2 { "(x)(y)" } else { "(x)" };
        let text = format!("def main = fun({} => {function}{call})", params.join(", "));
        eval(&text, &[], args)
    };
    for ty in ["f16", "f32", "f64"] {
        assert_eq!(of("min", ty, &["2", "-1"]), "-1.0");
        assert_eq!(of("max", ty, &["2", "-1"]), "2.0");
        for function in ["min", "max"] {
            assert_eq!(of(function, ty, &["NaN", "1"]), "1.0");
            assert_eq!(of(function, ty, &["1", "NaN"]), "NaN");
            assert_eq!(of(function, ty, &["0.0", "-0.0"]), "-0.0");
            assert_eq!(of(function, ty, &["-0.0", "0.0"]), "0.0");
        }
        assert_eq!(of("abs", ty, &["-1.5"]), "1.5");
        assert_eq!(of("abs", ty, &["-0.0"]), "0.0");
    }
    assert_eq!(of("min", "u8", &["200", "3"]), "3");
    assert_eq!(of("max", "i8", &["-128", "127"]), "127");
    assert_eq!(of("abs", "i8", &["-128"]), "-128");
    assert_eq!(of("abs", "i64", &["-5"]), "5");
    assert_eq!(of("abs", "u8", &["255"]), "255");
    let text = "def main = fun(xs: 4.i32, ys: 4.i32 =>
      zip(asVector(2)(xs))(asVector(2)(ys)) |> map(fun(p => abs(max(p._1)(p._2)))) |> asScalar)";
    let args = ["[-4, 2, -3, 4]", "[-5, 1, 2, 3]"];
    assert_eq!(eval(text, &[], &args), "[4, 2, 2, 4]");
}

#[test]
fn functions_of_floats() {
    let of = |function: &str, arg: &str| {
        ["f16", "f32", "f64"].map(|ty| {
            let text = format!("def main = fun(x: {ty} => {function}(x))");
            eval(&text, &[], &[arg])
        })
    };
    assert_eq!(of("sqrt", "2.25"), ["1.5"; 3]);
    assert_eq!(of("sqrt", "-1"), ["NaN"; 3]);
    assert_eq!(of("exp", "0"), ["1.0"; 3]);
    assert_eq!(of("log", "1"), ["0.0"; 3]);
    assert_eq!(of("floor", "-1.5"), ["-2.0"; 3]);
    assert_eq!(of("ceil", "-1.5"), ["-1.0"; 3]);
    assert_eq!(of("round", "2.5"), ["2.0"; 3]);
    assert_eq!(of("round", "-3.5"), ["-4.0"; 3]);
    assert_eq!(of("round", "-0.25"), ["-0.0"; 3]);
    let text = "def main = fun(xs: 4.f64 => xs |> asVector(2) |> map(sqrt) |> asScalar)";
    assert_eq!(eval(text, &[], &["[1, 4, 9, 16]"]), "[1.0, 2.0, 3.0, 4.0]");
}

/// Tests that `fma` rounds once; two roundings would give another result in each case.
#[test]
fn fma_rounds_once() {
    let of = |ty: &str, args: [&str; 3]| {
        let text = format!("def main = fun(x: {ty}, y: {ty}, z: {ty} => fma(x)(y)(z))");
        eval(&text, &[], &args)
    };
    let f32s = ["1.0000001", "1.0000001", "-1.0000002"];
    assert_eq!(of("f32", f32s), "1.4210855e-14");
    let f64s = [
        "1.0000000000000002",
        "1.0000000000000002",
        "-1.0000000000000004",
    ];
    assert_eq!(of("f64", f64s), "4.930380657631324e-32");
    // The sum is just below the midpoint of two 16-bit floats, and a 32-bit float is on it.
    let f16s = ["1.0009766", "0.00048780441", "1.0009766"];
    assert_eq!(of("f16", f16s), "1.0009766");
    assert_eq!(of("f32", ["NaN", "0", "1"]), "NaN");
    let text = "def main = fun(xs: 4.f32, ys: 4.f32 =>
      zip(asVector(2)(xs))(asVector(2)(ys)) |> map(fun(p => fma(p._1)(p._1)(p._2))) |> asScalar)";
    let args = ["[1.0000001, 2, 3, 4]", "[-1.0000002, 1, 2, 3]"];
    assert_eq!(eval(text, &[], &args), "[1.4210855e-14, 5.0, 11.0, 19.0]");
}
