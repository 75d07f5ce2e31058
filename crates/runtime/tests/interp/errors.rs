//! Tests of errors: their kinds and locations.

use crate::harness::{Case, eval, fails};
use runtime::interp::{ErrorKind, Options, run};
use runtime::{Shape, Value};

#[test]
fn reading_what_was_never_written() {
    let text = "def main = fun(xs: 2.i32 => xs |> mapSeq(id) |> padEmpty(1) |> toMem |> mapSeq(fun(x => x + 1)))";
    assert_eq!(fails(text, &[], &["[1,2]"]), ErrorKind::Unwritten);
    let text = "def main = fun(xs: 8.i32 => xs |> mapSeq(id) |> padEmpty(1) |> toMem |> reduceSeq(add)(0))";
    assert_eq!(
        fails(text, &[], &["[1,2,3,4,5,6,7,8]"]),
        ErrorKind::Unwritten
    );
    let text = "def main = fun(xs: 2.i32 => xs |> mapSeq(id) |> padEmpty(1) |> toMem |> take(2) |> mapSeq(fun(x => x + 1)))";
    assert_eq!(eval(text, &[], &["[1,2]"]), "[2, 3]", "it is not read");
    let text = "def main = fun(is: 2.Idx[3], xs: 2.i32 => xs |> mapSeq(id) |> scatter(is) |> toMem |> idx(1))";
    assert_eq!(fails(text, &[], &["[0,2]", "[1,2]"]), ErrorKind::Unwritten);
    assert_eq!(eval(text, &[], &["[0,1]", "[1,2]"]), "2");
    let rows = "def main = fun(xss: 2.2.i32 => xss |> mapSeq(fun(row => row |> mapSeq(id) |> padEmpty(1))) |> toMem |> mapSeq(fun(row => row |> take(2) |> mapSeq(fun(x => x * 2)))))";
    assert_eq!(eval(rows, &[], &["[[1,2],[3,4]]"]), "[[2, 4], [6, 8]]");
}

#[test]
fn indices_are_checked() {
    let text = "def main = fun(xs: 3.i32, k: natType => xs |> idx(natAsIndex(3)(k - 1)))";
    let out = |index| ErrorKind::OutOfRange { index, bound: 3 };
    assert_eq!(fails(text, &[], &["[1,2,3]", "4"]), out(3));
    assert_eq!(fails(text, &[], &["[1,2,3]", "0"]), out(-1));
    assert_eq!(eval(text, &[], &["[1,2,3]", "3"]), "3");
    let text = "def main = fun(xs: 3.i32, ks: 8.natType => ks |> mapSeq(fun(k => xs |> idx(natAsIndex(3)(k)))))";
    assert_eq!(fails(text, &[], &["[1,2,3]", "[0,1,2,0,1,2,5,0]"]), out(5));
    assert_eq!(
        eval(text, &[], &["[1,2,3]", "[0,1,2,0,1,2,2,0]"]),
        "[1, 2, 3, 1, 2, 3, 3, 1]"
    );
}

#[test]
fn reorder_wants_a_permutation() {
    let text = "def main = depFun((n: Nat, k: Nat) => fun(xs: n.i32 =>
      xs |> reorder(n)(natFun(i => (i * k) % n))(natFun(i => (i * k) % n))))";
    let arg = "[1,2,3,4,5,6,7,8]";
    assert_eq!(
        eval(text, &[("n", 8), ("k", 3)], &[arg]),
        "[1, 4, 7, 2, 5, 8, 3, 6]"
    );
    let case = Case::new(text, &[("n", 8), ("k", 2)]);
    assert!(case.run(&case.args(&[arg])).is_err());
}

#[test]
fn parallel_scatter_may_not_collide() {
    let text = |map: &str| {
        format!(
            "def main = fun(is: 3.Idx[4], xs: 3.i32 => xs |> {map}(fun(x => x + 1)) |> scatter(is))"
        )
    };
    let args = ["[2,0,2]", "[10,20,30]"];
    assert_eq!(
        fails(&text("mapPar"), &[], &args),
        ErrorKind::Collision { index: 2 }
    );
    assert_eq!(eval(&text("mapSeq"), &[], &args), "[21, _, 31, _]");
    assert_eq!(
        eval(&text("mapPar"), &[], &["[2,0,2]", "[10,20,10]"]),
        "[21, _, 11, _]",
        "the same value twice is not a race"
    );
}

#[test]
fn parallel_scatter_may_not_collide_behind_views_and_functions() {
    let args = ["[1,1]", "[10,20,30,40]"];
    for body in [
        "xs |> mapPar(id) |> split(2) |> map(scatter(is))",
        "xs |> mapPar(id) |> split(2) |> map(fun(row => row |> scatter(is)))",
        "xs |> split(2) |> mapPar(mapPar(id)) |> map(map(id) >> scatter(is))",
        "xs |> split(2) |> mapSeq(mapPar(id)) |> map(fun(row => put(is)(row)))",
        "xs |> split(2) |> mapSeq(fun(row => put(is)(mapPar(id)(row))))",
        "xs |> split(2) |> transpose |> mapPar(mapSeq(id)) |> transpose |> map(scatter(is))",
        "xs |> split(2) |> mapSeq(fun(row => put(is)(given(depFun(n: Nat => mapPar(id)))(row))))",
    ] {
        let text = format!(
            "def put = fun(is: 2.Idx[2], ys: 2.i32 => ys |> scatter(is))
def given : ((n: Nat) -> n.i32 -> n.i32) -> 2.i32 -> 2.i32 = fun(f, ys => f(2)(ys))
def main = fun(is: 2.Idx[2], xs: 4.i32 => {body})"
        );
        assert_eq!(
            fails(&text, &[], &args),
            ErrorKind::Collision { index: 1 },
            "{text}"
        );
    }
    // One thread writes each row, or the scattered array is stored in memory.
    for body in [
        "xs |> split(2) |> mapPar(mapSeq(id)) |> map(scatter(is))",
        "xs |> split(2) |> mapPar(fun(row => put(is)(mapSeq(id)(row))))",
        "xs |> split(2) |> mapPar(fun(row => row |> mapSeq(id))) |> map(put(is))",
        "xs |> mapPar(id) |> toMem |> mapSeq(id) |> split(2) |> map(scatter(is))",
    ] {
        let text = format!(
            "def put = fun(is: 2.Idx[2], ys: 2.i32 => ys |> scatter(is))
def main = fun(is: 2.Idx[2], xs: 4.i32 => {body})"
        );
        let found = eval(&text, &[], &args);
        assert_eq!(found, "[[_, 20], [_, 40]]", "{text}");
    }
}

#[test]
fn errors_say_where() {
    let text = "def main = fun(x: i32 => 1 + 12 / x)";
    let case = Case::new(text, &[]);
    let error = case
        .run(&case.args(&["0"]))
        .expect_err("it divides by zero");
    let origin = error.origin.expect("it has a place");
    let span = case.program.origins[origin.0 as usize].span;
    assert_eq!(&text[span.start as usize..span.end as usize], "12 / x");
    let used = "def ratio = fun(a: i32, b: i32 => a / b)
def main = fun(x: i32 => ratio(x)(x - x))";
    let case = Case::new(used, &[]);
    let error = case
        .run(&case.args(&["5"]))
        .expect_err("it divides by zero");
    let source = &case.program.origins[error.origin.expect("a place").0 as usize];
    assert!(source.def.is_some(), "it is in another definition");
    assert!(source.used_at.is_some());
}

#[test]
fn errors_in_elements_that_are_read() {
    let text = "def main = fun(xs: 3.i32 => xs |> map(fun(x => 6 / x)) |> reduce(add)(0))";
    assert_eq!(fails(text, &[], &["[1,0,3]"]), ErrorKind::DivisionByZero);
    let text = "def main = fun(xs: 3.i32 => xs |> map(fun(x => makeArray(2)(x, 6 / x))))";
    assert_eq!(fails(text, &[], &["[0,2,3]"]), ErrorKind::DivisionByZero);
    let text = "def main = fun(xs: 3.i32 => xs |> map(fun(x => (x, 6 / x))) |> map(fst))";
    assert_eq!(fails(text, &[], &["[0,2,3]"]), ErrorKind::DivisionByZero);
    let text = "def main = fun(xs: 8.i32 => xs |> map(fun(x => 6 / x)) |> drop(1))";
    assert_eq!(
        eval(text, &[], &["[0,1,2,3,4,5,6,7]"]),
        "[6, 3, 2, 1, 1, 1, 0]"
    );
    let text = "def main = fun(xs: 3.i32 => xs |> mapSeq(fun(x => 6 / x)) |> toMem |> drop(1))";
    assert_eq!(
        fails(text, &[], &["[0,2,3]"]),
        ErrorKind::DivisionByZero,
        "a loop computes all"
    );
}

#[test]
fn parameters_need_values() {
    let text = "def main = depFun(n: Nat => fun(xs: n.i32 => xs))";
    let case = Case::new(text, &[]);
    let error = case.run(&[]).expect_err("no size");
    assert_eq!(error.kind, ErrorKind::MissingParameter("n".to_owned()));
    let case = Case::new(text, &[("n", 2)]);
    let error = case.run(&[]).expect_err("no argument");
    assert_eq!(
        error.kind,
        ErrorKind::ArgumentCount {
            expected: 1,
            actual: 0
        }
    );
    let wrong = Value::zeros(Shape::Scalar(syntax::ast::ScalarType::I32)).expect("a value");
    let error = case.run(&[wrong]).expect_err("another shape");
    assert_eq!(
        error.to_string(),
        "the parameter `xs` is of type 2.i32, and its argument is of type i32"
    );
}

#[test]
fn obligations_are_checked_before_the_work_starts() {
    let text = "def main = depFun(n: Nat => fun(xs: n.i32 => xs |> split(4)))";
    assert_eq!(
        fails(text, &[("n", 2)], &["[1,2]"]),
        ErrorKind::Obligation("4 divides n".to_owned())
    );
}

#[test]
fn functions_in_c_need_somebody_to_call_them() {
    let text = "foreign def clamp(x: f32): f32 = \"\"\"{ return x < 0.0f ? 0.0f : x; }\"\"\"
def main = fun(x: f32 => clamp(x))";
    assert_eq!(
        fails(text, &[], &["1"]),
        ErrorKind::UnknownForeign("clamp".to_owned())
    );
    struct Clamp;
    impl runtime::interp::ForeignCall for Clamp {
        fn call(&self, function: &rise::core::Foreign, args: &[Value]) -> Result<Value, String> {
            assert_eq!(function.name, "clamp");
            let [arg] = args else {
                return Err("one argument".to_owned());
            };
            let leaf = runtime::Leaf::Scalar(syntax::ast::ScalarType::F32);
            let x = arg.get(0, leaf).map_or(0.0, runtime::Scalar::as_f64) as f32;
            let scalar = runtime::Scalar::F32(x.max(0.0));
            Value::scalar(arg.shape().clone(), scalar).map_err(|error| error.to_string())
        }

        fn call_batch(
            &self,
            _: &rise::core::Foreign,
            _: &[u8],
            _: usize,
        ) -> Result<Vec<u8>, String> {
            Err("it is called once".to_owned())
        }
    }
    let case = Case::new(text, &[]);
    let options = Options {
        foreign: Some(&Clamp),
        ..Options::default()
    };
    let outcome = run(&case.program, &case.bindings, &case.args(&["-3"]), &options);
    assert_eq!(
        crate::harness::line(&outcome.expect("a result").value),
        "0.0"
    );
}

#[test]
fn an_element_that_pads_nothing_is_not_computed() {
    let text = "def main = depFun((l: Nat, r: Nat) => fun(xs: 2.i32, d: i32 => xs |> padCst(l)(r)(1 / d)))";
    let args = ["[1,2]", "0"];
    assert_eq!(eval(text, &[("l", 0), ("r", 0)], &args), "[1, 2]");
    assert_eq!(
        fails(text, &[("l", 0), ("r", 1)], &args),
        ErrorKind::DivisionByZero
    );
    let rows = "def main = depFun((l: Nat, r: Nat) => fun(xss: 2.2.i32, d: i32 =>
      xss |> mapSeq(fun(xs => xs |> padCst(l)(r)(1 / d) |> mapSeq(fun(x => x + 1)))))) ";
    let args = ["[[1,2],[3,4]]", "0"];
    assert_eq!(eval(rows, &[("l", 0), ("r", 0)], &args), "[[2, 3], [4, 5]]");
}
