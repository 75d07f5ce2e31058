//! Tests of the limits on time, steps and memory.

use std::time::Duration;

use crate::harness::Case;
use runtime::interp::{ErrorKind, Options, run};
use runtime::process::Cancel;

/// A program that takes very long.
const ENDLESS: &str = "def main = fun(x: i32 =>
  (generate(fun(i => indexAsNat(i))) : 1000000.natType) |> mapSeq(fun(i =>
    (generate(fun(j => indexAsNat(j))) : 1000000.natType) |> reduceSeq(fun(a, j => a * i + j))(0)))
    |> reduceSeq(add)(0))";

fn stops(options: &Options<'_>) -> ErrorKind {
    let case = Case::new(ENDLESS, &[]);
    match run(&case.program, &case.bindings, &case.args(&["1"]), options) {
        Ok(_) => panic!("it finished"),
        Err(error) => error.kind,
    }
}

#[test]
fn time_is_limited() {
    let options = Options {
        time_limit: Some(Duration::from_millis(30)),
        ..Options::default()
    };
    assert_eq!(stops(&options), ErrorKind::Timeout);
}

#[test]
fn steps_are_limited() {
    let options = Options {
        step_limit: Some(100_000),
        ..Options::default()
    };
    assert_eq!(stops(&options), ErrorKind::TooManySteps);
}

#[test]
fn runs_can_be_cancelled() {
    let cancel = Cancel::default();
    cancel.cancel();
    let options = Options {
        cancel: Some(&cancel),
        ..Options::default()
    };
    assert_eq!(stops(&options), ErrorKind::Cancelled);
}

#[test]
fn memory_is_limited() {
    let limit = 1 << 20;
    let options = Options {
        memory_limit: limit,
        ..Options::default()
    };
    assert_eq!(stops(&options), ErrorKind::OutOfMemory { limit });
    let huge = "def main = fun(x: f32 => (generate(fun(i => generate(fun(j => x)))) : 1000000.2000.f32) |> map(reduce(add)(0.0f)))";
    let case = Case::new(huge, &[]);
    let outcome = run(&case.program, &case.bindings, &case.args(&["1"]), &options);
    assert!(matches!(outcome, Err(error) if error.kind == ErrorKind::OutOfMemory { limit }));
}

/// Tests that `generate`, `map` and views take no memory, as in compiled code.
#[test]
fn arrays_that_are_read_in_order_are_not_stored() {
    let options = Options {
        memory_limit: 2 << 20,
        ..Options::default()
    };
    let rows = "(generate(fun(i => generate(fun(j => x)))) : 1000.3000.i64)";
    let numbers = "(generate(fun(i => x)) : 3000000.i64)";
    let count = "(generate(fun(i => indexAsNat(i))) : 3000000.natType)";
    let hash = "reduceSeq(fun(hash, k => (hash * 31 + k) % 1000003))(0)";
    for (body, expected) in [
        (format!("{numbers} |> reduceSeq(add)(0i64)"), "6000000"),
        (
            format!("{numbers} |> map(fun(y => y + x)) |> reduceSeq(add)(0i64)"),
            "12000000",
        ),
        (
            format!(
                "zip({numbers})({numbers} |> map(fun(y => y + 1i64)))
                   |> reduceSeq(fun(sum, p => sum + p._1 * p._2))(0i64)"
            ),
            "18000000",
        ),
        (
            format!("{rows} |> join |> split(8) |> map(reduce(add)(0i64)) |> reduceSeq(add)(0i64)"),
            "6000000",
        ),
        (
            format!("{rows} |> map(fun(row => row |> map(fun(y => y + x)))) |> join |> drop(1000) |> slide(3)(1)
              |> map(reduceSeq(add)(0i64)) |> reduceSeq(add)(0i64)"),
            "35987976",
        ),
        (
            format!("{rows} |> mapSeq(reduceSeq(add)(0i64)) |> reduceSeq(add)(0i64)"),
            "6000000",
        ),
        (
            format!("concat({count})({count} |> map(fun(k => k + 1))) |> {hash}"),
            "795259",
        ),
        (format!("{count} |> padCst(2)(3)(7) |> {hash}"), "592182"),
        (format!("{count} |> padClamp(2)(3) |> {hash}"), "56720"),
        (
            format!("{count} |> padClamp(1)(1) |> slide(3)(1) |> map({hash}) |> {hash}"),
            "387606",
        ),
    ] {
        let case = Case::new(&format!("def main = fun(x: i64 => {body})"), &[]);
        let outcome = run(&case.program, &case.bindings, &case.args(&["2"]), &options);
        match outcome {
            Ok(outcome) => assert_eq!(crate::harness::line(&outcome.value), expected, "{body}"),
            Err(error) => panic!("{body}: {error}"),
        }
    }
}

#[test]
fn memory_is_given_back() {
    let text = "def main = depFun(n: Nat => fun(xs: n.f32 =>
      xs |> mapSeq(fun(x => xs |> mapSeq(fun(y => x * y)) |> toMem |> reduceSeq(add)(0.0f)))))";
    let case = Case::new(text, &[("n", 1000)]);
    let numbers: Vec<String> = (0..1000).map(|i| (i % 10).to_string()).collect();
    let options = Options {
        memory_limit: 64 << 10,
        ..Options::default()
    };
    let arg = format!("[{}]", numbers.join(","));
    let outcome = run(&case.program, &case.bindings, &case.args(&[&arg]), &options);
    assert!(outcome.is_ok(), "4 MB in all, 12 KB at a time: {outcome:?}");
}

#[test]
fn deep_programs_do_not_overflow_the_stack() {
    let mut text = String::from("def f0 = fun(x: i32 => x + 1)\n");
    for level in 1..=9 {
        let below = level - 1;
        text += &format!("def f{level} = fun(x: i32 => f{below}(f{below}(x)))\n");
    }
    text += "def main = fun(x: i32 => f9(x))";
    let case = Case::new(&text, &[]);
    let value = case.run(&case.args(&["0"])).expect("a result");
    assert_eq!(crate::harness::line(&value), "512");
    let long = format!("def main = fun(x: i32 => x{})", " + 1".repeat(900));
    let case = Case::new(&long, &[]);
    let value = case.run(&case.args(&["0"])).expect("a result");
    assert_eq!(crate::harness::line(&value), "900");
}

/// Returns a program in which a function applies another one `2^(2^level)` times.
fn power_tower(level: u32) -> String {
    let mut text = String::from("def g0 : (i32 -> i32) -> i32 -> i32 = fun(f, x => f(f(x)))\n");
    for level in 1..=level {
        let below = level - 1;
        text += &format!(
            "def g{level} : (i32 -> i32) -> i32 -> i32 = fun(f, x => g{below}(g{below}(f))(x))\n"
        );
    }
    text + &format!("def main = fun(x: i32 => g{level}(fun(y => y + 1))(x))")
}

#[test]
fn functions_that_multiply_are_refused() {
    let case = Case::new(&power_tower(3), &[]);
    let value = case.run(&case.args(&["0"])).expect("a result");
    assert_eq!(crate::harness::line(&value), "256");
    let case = Case::new(&power_tower(5), &[]);
    let error = case
        .run(&case.args(&["0"]))
        .expect_err("it is far too large");
    assert_eq!(error.kind, ErrorKind::TooLarge);
}

#[test]
fn the_time_limit_counts_what_comes_before_the_work() {
    let case = Case::new(&power_tower(5), &[]);
    let options = Options {
        time_limit: Some(Duration::ZERO),
        ..Options::default()
    };
    let outcome = run(&case.program, &case.bindings, &case.args(&["0"]), &options);
    assert!(matches!(outcome, Err(error) if error.kind == ErrorKind::Timeout));
}
