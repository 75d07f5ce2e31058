use std::sync::Arc;

use super::*;
use crate::normal::NormalForm;
use crate::term::{Path, Store, Term, print};
use crate::testing::{EtaAbstraction, fusion, term};
use expect_test::expect;

fn apply(store: &mut Store, term: Term, strategy: &Strategy) -> Outcome {
    run(store, term, strategy, &Options::default())
}

fn step(step: StrategyKind) -> Strategy {
    Arc::new(step)
}

#[test]
fn beta_where_it_stands() {
    let mut store = Store::new();
    let root = term(
        &mut store,
        "fun((y: i32) => fun((x: i32) => fun(z => z + x)(1))(y))",
    );
    let body = |s| step(StrategyKind::Body(s));
    let beta = StrategyKind::rule(Beta);
    let once = apply(&mut store, root, &body(beta.clone()));
    expect!["fun(y => let z = 1i32 in z + y)"]
        .assert_eq(&print(&store, once.result.clone().unwrap()));
    let twice = apply(
        &mut store,
        root,
        &StrategyKind::seq([body(beta.clone()), body(beta.clone())]),
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
    let in_body = |s| (0..4).fold(s, |s, _| step(StrategyKind::Body(s)));
    let first = apply(&mut store, root, &in_body(StrategyKind::rule(fusion())));
    let one = apply(
        &mut store,
        root,
        &step(StrategyKind::TopDown(StrategyKind::rule(fusion()))),
    );
    expect!["fun(f, g, h, xs => xs |> map(h) |> map(fun(y => f(g(y)))))"]
        .assert_eq(&print(&store, first.result.clone().unwrap()));
    let (a, b) = (first.result.unwrap(), one.result.unwrap());
    assert!(store.alpha_eq(a, b));
    let last = apply(
        &mut store,
        root,
        &in_body(step(StrategyKind::Argument(StrategyKind::rule(fusion())))),
    );
    expect!["fun(f, g, h, xs => xs |> map(fun(y => g(h(y)))) |> map(f))"]
        .assert_eq(&print(&store, last.result.unwrap()));
    let lowest = apply(
        &mut store,
        root,
        &step(StrategyKind::BottomUp(StrategyKind::rule(fusion()))),
    );
    expect!["fun(f, g, h, xs => xs |> map(fun(y => g(h(y)))) |> map(f))"]
        .assert_eq(&print(&store, lowest.result.unwrap()));
    let all = apply(
        &mut store,
        root,
        &step(StrategyKind::Normalize(StrategyKind::rule(fusion()))),
    );
    assert_eq!(all.steps, 2);
    expect!["fun(f, g, h, xs => xs |> map(fun(y => let y1 = h(y) in f(g(y1)))))"]
        .assert_eq(&print(&store, all.result.unwrap()));
}

fn three_maps(store: &mut Store) -> Term {
    let text = "fun((f: f32 -> f32, g: f32 -> f32, h: f32 -> f32, xs: 8.f32) => \
                xs |> map(h) |> map(g) |> map(f))";
    term(store, text)
}

#[test]
fn a_failure_names_the_nearest_rule() {
    let mut store = Store::new();
    let root = three_maps(&mut store);
    let is_lambda = StrategyKind::test(Predicate::IsLambda);
    let strategy = step(StrategyKind::TopDown(StrategyKind::seq([
        is_lambda,
        StrategyKind::rule(GentleBeta),
    ])));
    let strategy = step(StrategyKind::Named("inline".into(), strategy));
    let failure = apply(&mut store, root, &strategy).result.unwrap_err();
    assert_eq!(failure.rule.as_deref(), Some("gentleBeta"));
    assert_eq!(failure.path, Path::ROOT);
    assert_eq!(failure.strategies, ["inline".into()]);
    let Reason::Shape { expected, found } = failure.reason else {
        panic!("the shape is wrong: {:?}", failure.reason);
    };
    assert_eq!((expected.as_str(), found), ("fun(x => body)(value)", root));
}

#[test]
fn steps_are_kept_with_their_places() {
    let mut store = Store::new();
    let root = three_maps(&mut store);
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let fuse = step(StrategyKind::Normalize(StrategyKind::rule(fusion())));
    let strategy = StrategyKind::seq([fuse, step(StrategyKind::NormalForm(NormalForm::Benf))]);
    let outcome = run(&mut store, root, &strategy, &options);
    let lines: Vec<String> = (outcome.trace.iter())
        .map(|s| {
            let (focus, result) = (print(&store, s.focus), print(&store, s.result));
            format!(
                "{} @ {}: {focus} -> {result} ({})\n",
                s.rule, s.path, s.housekeeping
            )
        })
        .collect();
    expect![[r#"
        mapFusion @ body.body.body.body: xs |> map(h) |> map(g) |> map(f) -> xs |> map(h) |> map(fun(y => f(g(y)))) (0)
        mapFusion @ body.body.body.body: xs |> map(h) |> map(fun(y => f(g(y)))) -> xs |> map(fun(y => let y1 = h(y) in f(g(y1)))) (0)
        BENF @ root: fun(f, g, h, xs => xs |> map(fun(y => let y1 = h(y) in f(g(y1))))) -> fun(f, g, h => map(fun(y => f(g(h(y)))))) (2)
    "#]].assert_eq(&lines.concat());
    assert_eq!(outcome.trace[0].before, root);
    for pair in outcome.trace.windows(2) {
        assert_eq!(pair[0].after, pair[1].before);
    }
    assert_eq!(outcome.result.unwrap(), outcome.trace[2].after);
    assert_eq!((outcome.steps, outcome.housekeeping), (2, 2));
}

#[test]
fn what_does_not_end_is_reported_with_its_circle() {
    let mut store = Store::new();
    let root = three_maps(&mut store);
    let mut why = |strategy: Strategy| {
        apply(&mut store, root, &strategy)
            .result
            .unwrap_err()
            .reason
    };
    let endless = |names: &[&str]| Reason::Endless(names.iter().map(|n| (*n).to_owned()).collect());
    let named = |name: &str, s| step(StrategyKind::Named(name.into(), s));
    assert_eq!(
        why(named(
            "stay",
            step(StrategyKind::Repeat(StrategyKind::id()))
        )),
        endless(&[])
    );
    let renamed = step(StrategyKind::Repeat(step(StrategyKind::TopDown(
        StrategyKind::rule(FreshBinder),
    ))));
    assert_eq!(why(renamed), endless(&["freshLambdaIdentifier"]));
    let abstracted = step(StrategyKind::Repeat(StrategyKind::rule(EtaAbstraction)));
    assert!(matches!(
        why(abstracted),
        Reason::TooLarge | Reason::Endless(_)
    ));
    fn forever() -> Strategy {
        let again = step(StrategyKind::Delay(Arc::new(forever)));
        step(StrategyKind::Named(
            "forever".into(),
            StrategyKind::seq([again, StrategyKind::id()]),
        ))
    }
    assert_eq!(why(forever()), endless(&["forever"]));
}

#[test]
fn limits_end_what_takes_longer() {
    let mut store = Store::new();
    let root = three_maps(&mut store);
    let fuse = || step(StrategyKind::Normalize(StrategyKind::rule(fusion())));
    let limited = |steps| step(StrategyKind::Limit(steps, fuse()));
    assert!(apply(&mut store, root, &limited(2)).result.is_ok());
    assert!(apply(&mut store, root, &limited(1)).result.is_err());
    let other = StrategyKind::choice([
        limited(1),
        step(StrategyKind::TopDown(StrategyKind::rule(fusion()))),
    ]);
    let outcome = apply(&mut store, root, &other);
    assert_eq!((outcome.steps, outcome.result.is_ok()), (1, true));
    let one_step = Options {
        steps: 1,
        ..Options::default()
    };
    let outcome = run(&mut store, root, &fuse(), &one_step);
    assert_eq!((outcome.steps, outcome.result.is_ok()), (1, false));
    let cancelled = Options {
        cancelled: Some(&|| true),
        ..Options::default()
    };
    let endless = step(StrategyKind::Repeat(StrategyKind::rule(EtaAbstraction)));
    let failure = run(&mut store, root, &endless, &cancelled)
        .result
        .unwrap_err();
    assert_eq!(failure.reason, Reason::Cancelled);
}

#[test]
fn assumptions_of_what_failed_are_taken_back() {
    #[derive(Debug)]
    struct Assuming(&'static str);
    impl Rewrite for Assuming {
        fn name(&self) -> &str {
            "assuming"
        }
        fn apply(&self, _: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
            let assumptions = vec![Assumption::Text(self.0.into())];
            Ok(Rewritten {
                assumptions,
                ..Rewritten::plain(term)
            })
        }
        fn explain(&self, _: &mut Context<'_>, _: Term) -> Reason {
            Reason::Message("it always applies".to_owned())
        }
    }
    let mut store = Store::new();
    let root = three_maps(&mut store);
    let assume = |what| StrategyKind::rule(Assuming(what));
    let failing = StrategyKind::seq([assume("first"), StrategyKind::fail()]);
    let outcome = apply(
        &mut store,
        root,
        &StrategyKind::choice([failing, assume("second")]),
    );
    assert_eq!(outcome.assumptions, [Assumption::Text("second".into())]);
    let forgotten = step(StrategyKind::Not(step(StrategyKind::Not(assume("third")))));
    assert_eq!(apply(&mut store, root, &forgotten).assumptions, []);
}

#[test]
fn functions_of_the_term_go_on_where_strategies_end() {
    let mut store = Store::new();
    let root = three_maps(&mut store);
    // p => p match { case fun(x => b) => body(inFunctions(s))(p) }, down to the maps
    fn in_functions(s: Strategy) -> Strategy {
        let go = move |cx: &mut Context<'_>, term| {
            let strategy = match cx.store.node(term) {
                crate::term::Node::Lambda(..) => step(StrategyKind::Body(in_functions(s.clone()))),
                _ => s.clone(),
            };
            CallResult::Apply(strategy, term)
        };
        step(StrategyKind::Call("inFunctions".into(), Arc::new(go)))
    }
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let outcome = run(
        &mut store,
        root,
        &in_functions(StrategyKind::rule(fusion())),
        &options,
    );
    assert_eq!(outcome.trace[0].path.to_string(), "body.body.body.body");
    let found = outcome.result.unwrap();
    assert_eq!(found, outcome.trace[0].after);
    let native = step(StrategyKind::TopDown(StrategyKind::rule(fusion())));
    let expected = apply(&mut store, root, &native).result.unwrap();
    assert!(store.alpha_eq(found, expected));
    assert!(
        apply(&mut store, root, &in_functions(StrategyKind::rule(Beta)))
            .result
            .is_err()
    );
}
