use std::sync::Arc;

use super::*;
use crate::engine::{Beta, Eta, Options, Predicate, Strategy, StrategyKind, run};
use crate::testing::{EtaAbstraction, Random, fission, fusion, term};
use proptest::arbitrary::any;
use proptest::collection::vec;
use proptest::test_runner::Config;
use proptest::{prop_assert, prop_assert_eq, proptest};
use rise::Primitive;

fn step(step: StrategyKind) -> Strategy {
    Arc::new(step)
}

/// Returns `repeat(topDown(s))` in a form that the engine does not translate to its own
/// `normalize`.
fn normalize(s: Strategy) -> Strategy {
    let search = step(StrategyKind::Choice(
        step(StrategyKind::TopDown(s)),
        StrategyKind::fail(),
    ));
    step(StrategyKind::Repeat(search))
}

/// Returns the βη-normal form by its definition.
fn benf() -> Strategy {
    normalize(StrategyKind::choice([
        StrategyKind::rule(Eta),
        StrategyKind::rule(Beta),
    ]))
}

/// Returns the data-flow normal form by its definition.
fn dfnf() -> Strategy {
    let is = |predicate| StrategyKind::test(predicate);
    let expand = || {
        let is_lambda = step(StrategyKind::Not(is(Predicate::IsLambda)));
        StrategyKind::seq([is_lambda, StrategyKind::rule(EtaAbstraction)])
    };
    let argument_of = |p, s| {
        let of = step(StrategyKind::Function(is(Predicate::IsPrimitive(p))));
        normalize(StrategyKind::seq([of, step(StrategyKind::Argument(s))]))
    };
    let lacks = || {
        let function = |p| step(StrategyKind::Function(is(Predicate::IsPrimitive(p))));
        let reduce = step(StrategyKind::One(function(Primitive::Reduce)));
        StrategyKind::choice([function(Primitive::Map), reduce])
    };
    let complete = StrategyKind::seq([
        step(StrategyKind::One(lacks())),
        step(StrategyKind::Not(is(Predicate::IsApply))),
        step(StrategyKind::One(StrategyKind::seq([
            lacks(),
            StrategyKind::rule(EtaAbstraction),
        ]))),
    ]);
    StrategyKind::seq([
        benf(),
        argument_of(Primitive::Map, expand()),
        argument_of(Primitive::Reduce, expand()),
        argument_of(Primitive::Reduce, step(StrategyKind::Body(expand()))),
        normalize(complete),
    ])
}

/// Returns the rewrite normal form by its definition.
fn rnf() -> Strategy {
    let once = StrategyKind::seq([dfnf(), StrategyKind::rule(fission())]);
    StrategyKind::seq([normalize(once), dfnf()])
}

fn agree(store: &mut Store, term: Term) {
    let forms = [
        (NormalForm::Benf, benf()),
        (NormalForm::Dfnf, dfnf()),
        (NormalForm::Rnf, rnf()),
    ];
    for (form, textbook) in forms {
        let expected = run(store, term, &textbook, &Options::default());
        let expected = expected.result.expect("a normal form");
        let found = normalise(store, form, term, &mut Memo::default(), u32::MAX);
        let (found, _) = found.expect("a normal form");
        assert!(
            store.alpha_eq(found, expected),
            "{form:?} of {}:\n{}\nand not\n{}",
            crate::term::print(store, term),
            crate::term::print(store, found),
            crate::term::print(store, expected),
        );
    }
}

#[test]
fn the_textbook_agrees() {
    let texts = [
        "fun((f: f32 -> f32, xs: 8.f32) => xs |> map(f))",
        "fun((f: f32 -> f32, g: f32 -> f32) => map(f) >> map(g))",
        "fun((f: f32 -> f32, xs: 8.8.8.f32) => xs |> map(map(map(f))))",
        "fun((f: f32 -> f32, g: f32 -> f32, xs: 8.8.f32) => xs |> map(map(g >> f)))",
        "fun((f: f32 -> f32, xs: 8.16.f32) => xs |> map(map(f) >> split(4) >> map(map(f)) >> join))",
        "fun((op: f32 -> f32 -> f32, xs: 8.16.f32) => xs |> map(reduce(op)(0.0f)) |> reduce(add)(0.0f))",
        "fun((xs: 8.16.f32) => xs |> map(fun(row => row |> map(fun(x => x * x)) |> reduce(add)(0.0f))))",
        "fun((a: 8.4.f32, b: 4.8.f32) => a |> map(fun(row => b |> transpose |> map(fun(col => \
         zip(row)(col) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f))))))",
        "depFun((n: Nat) => fun((xs: n.f32) => xs |> map(fun(x => fun(y => y + x)(x * x)))))",
    ];
    for text in texts {
        let mut store = Store::new();
        let root = term(&mut store, text);
        agree(&mut store, root);
    }
}

/// Returns sets of rules to compare both versions of `normalize` on.
fn sets_of_rules() -> Vec<Strategy> {
    let is_apply = || StrategyKind::test(Predicate::IsApply);
    Vec::from([
        StrategyKind::rule(Beta),
        StrategyKind::choice([StrategyKind::rule(Eta), StrategyKind::rule(Beta)]),
        StrategyKind::rule(fusion()),
        StrategyKind::choice([
            StrategyKind::rule(fusion()),
            StrategyKind::rule(Eta),
            StrategyKind::rule(Beta),
        ]),
        StrategyKind::rule(fission()),
        StrategyKind::seq([
            is_apply(),
            step(StrategyKind::Argument(StrategyKind::rule(fusion()))),
        ]),
        step(StrategyKind::One(StrategyKind::seq([
            is_apply(),
            StrategyKind::rule(Beta),
        ]))),
        step(StrategyKind::Function(StrategyKind::rule(fission()))),
    ])
}

proptest! {
    #![proptest_config(Config::with_cases(64))]

    #[test]
    fn the_textbook_agrees_on_random_terms(choices in vec(any::<u8>(), 0..60)) {
        let mut store = Store::new();
        let root = Random::array(&mut store, choices);
        agree(&mut store, root);
    }

    #[test]
    fn normalize_does_what_its_equation_says(
        choices in vec(any::<u8>(), 0..80),
        at in 0_usize..8,
    ) {
        let mut store = Store::new();
        let root = Random::array(&mut store, choices);
        let rules = &sets_of_rules()[at];
        let options = Options::default();
        let found = run(&mut store, root, &step(StrategyKind::Normalize(rules.clone())), &options);
        let expected = run(&mut store, root, &normalize(rules.clone()), &options);
        prop_assert_eq!(found.steps, expected.steps);
        let (found, expected) = (found.result.unwrap(), expected.result.unwrap());
        prop_assert!(
            store.alpha_eq(found, expected),
            "{}: {}\nand not\n{}",
            crate::term::print(&store, root),
            crate::term::print(&store, found),
            crate::term::print(&store, expected)
        );
    }
}
