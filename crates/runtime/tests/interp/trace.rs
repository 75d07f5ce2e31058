//! Tests of recorded values.

use crate::harness::{Case, line};
use runtime::interp::{Options, TraceLimits, run_traced};

#[test]
fn the_first_value_of_each_stage() {
    let text = "def main = depFun(n: Nat => fun(xs: n.i32 => xs |> split(2) |> map(reduce(add)(0)) |> scanSeq(add)(0)))";
    let case = Case::new(text, &[("n", 4)]);
    let options = Options {
        trace: Some(TraceLimits {
            values: 100,
            elements: 8,
        }),
        ..Options::default()
    };
    let (value, trace) = run_traced(
        &case.program,
        &case.bindings,
        &case.args(&["[1,2,3,4]"]),
        &options,
    );
    assert_eq!(line(&value.expect("a result")), "[3, 10]");
    let shown: Vec<String> = trace
        .iter()
        .map(|(origin, value)| {
            let span = case.program.origins[origin.0 as usize].span;
            let stage = &text[span.start as usize..span.end as usize];
            let stage = stage.rsplit("|> ").next().unwrap_or(stage);
            format!("{stage}: {}", line(value))
        })
        .collect();
    for expected in [
        "split(2): [[1, 2], [3, 4]]",
        "map(reduce(add)(0)): [3, 7]",
        "scanSeq(add)(0): [3, 10]",
    ] {
        assert!(
            shown.iter().any(|line| line == expected),
            "{expected} in {shown:#?}"
        );
    }
}

#[test]
fn what_was_computed_before_an_error() {
    let text = "def main = fun(xs: 2.i32 => xs |> mapSeq(fun(x => x + 1)) |> toMem |> mapSeq(fun(x => 1 / x)))";
    let case = Case::new(text, &[]);
    let options = Options {
        trace: Some(TraceLimits {
            values: 100,
            elements: 8,
        }),
        ..Options::default()
    };
    let (value, trace) = run_traced(
        &case.program,
        &case.bindings,
        &case.args(&["[-1,2]"]),
        &options,
    );
    assert!(value.is_err());
    assert!(trace.iter().any(|(_, value)| line(value) == "[0, 3]"));
}
