use std::sync::Arc;

use super::*;
use crate::term::{Store, Term, print};
use crate::testing::{fusion, term};
use expect_test::expect;

fn apply(store: &mut Store, term: Term, strategy: &Strategy) -> Outcome {
    run(store, term, strategy, &Options::default())
}

fn step(step: Step) -> Strategy {
    Arc::new(step)
}

#[test]
fn beta_where_it_stands() {
    let mut store = Store::new();
    let root = term(
        &mut store,
        "fun((y: i32) => fun((x: i32) => fun(z => z + x)(1))(y))",
    );
    let body = |s| step(Step::Body(s));
    let beta = Step::rule(Beta);
    let once = apply(&mut store, root, &body(beta.clone()));
    expect!["fun(y => let z = 1i32 in z + y)"]
        .assert_eq(&print(&store, once.result.clone().unwrap()));
    let twice = apply(
        &mut store,
        root,
        &Step::seq([body(beta.clone()), body(beta.clone())]),
    );
    expect!["add(1)"].assert_eq(&print(&store, twice.result.clone().unwrap()));
    assert_eq!(twice.steps, 2);
    let failed = apply(&mut store, root, &beta);
    assert!(failed.result.is_err());
}

#[test]
fn fusion_in_the_first_place_that_fits() {
    let mut store = Store::new();
    let text = "fun((f: f32 -> f32, g: f32 -> f32, h: f32 -> f32, xs: 8.f32) => \
                xs |> map(h) |> map(g) |> map(f))";
    let root = term(&mut store, text);
    let in_body = |s| Step::apply_times(4, |s| step(Step::Body(s)), s);
    let first = apply(&mut store, root, &in_body(Step::rule(fusion())));
    let one = apply(&mut store, root, &step(Step::TopDown(Step::rule(fusion()))));
    expect!["fun(f, g, h, xs => xs |> map(h) |> map(fun(y => f(g(y)))))"]
        .assert_eq(&print(&store, first.result.clone().unwrap()));
    let (a, b) = (first.result.unwrap(), one.result.unwrap());
    assert!(store.alpha_eq(a, b));
    let last = apply(
        &mut store,
        root,
        &in_body(step(Step::Argument(Step::rule(fusion())))),
    );
    expect!["fun(f, g, h, xs => xs |> map(fun(y => g(h(y)))) |> map(f))"]
        .assert_eq(&print(&store, last.result.unwrap()));
    let lowest = apply(
        &mut store,
        root,
        &step(Step::BottomUp(Step::rule(fusion()))),
    );
    expect!["fun(f, g, h, xs => xs |> map(fun(y => g(h(y)))) |> map(f))"]
        .assert_eq(&print(&store, lowest.result.unwrap()));
    let all = apply(
        &mut store,
        root,
        &step(Step::Normalize(Step::rule(fusion()))),
    );
    assert_eq!(all.steps, 2);
    expect!["fun(f, g, h, xs => xs |> map(fun(y => let y1 = h(y) in f(g(y1)))))"]
        .assert_eq(&print(&store, all.result.unwrap()));
}
