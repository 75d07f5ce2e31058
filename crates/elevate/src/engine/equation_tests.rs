//! Tests the equations of combinators and traversals on random terms.

use std::sync::Arc;

use proptest::arbitrary::any;
use proptest::collection::vec;
use proptest::test_runner::{Config, TestCaseError};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;
use crate::term::{Store, Term};
use crate::testing::{Random, fission, fusion};

fn step(step: StrategyKind) -> Strategy {
    Arc::new(step)
}

/// Returns one of ten strategies, most of which succeed on some terms and fail on others.
fn some_strategy(at: usize) -> Strategy {
    match at {
        0 => StrategyKind::rule(Beta),
        1 => StrategyKind::rule(fusion()),
        2 => StrategyKind::rule(fission()),
        3 => StrategyKind::id(),
        4 => StrategyKind::fail(),
        5 => step(StrategyKind::One(StrategyKind::rule(Beta))),
        6 => step(StrategyKind::TopDown(StrategyKind::rule(fusion()))),
        7 => step(StrategyKind::All(step(StrategyKind::Try(
            StrategyKind::rule(Beta),
        )))),
        8 => step(StrategyKind::Body(StrategyKind::test(Predicate::IsLambda))),
        _ => step(StrategyKind::BottomUp(StrategyKind::rule(Eta))),
    }
}

/// Returns the strategy that an equation defines. The recursive reference is evaluated when it is
/// applied.
fn recursive(equation: impl Fn(Strategy) -> Strategy + Send + Sync + 'static) -> Strategy {
    type Make = dyn Fn(Strategy) -> Strategy + Send + Sync;
    fn tie(equation: Arc<Make>) -> Strategy {
        let again = equation.clone();
        equation(step(StrategyKind::Delay(Arc::new(move || {
            tie(again.clone())
        }))))
    }
    tie(Arc::new(equation))
}

fn seq(a: &Strategy, b: &Strategy) -> Strategy {
    step(StrategyKind::Seq(a.clone(), b.clone()))
}

fn or(a: &Strategy, b: &Strategy) -> Strategy {
    step(StrategyKind::Choice(a.clone(), b.clone()))
}

fn same(store: &mut Store, root: Term, a: &Strategy, b: &Strategy) -> Result<(), TestCaseError> {
    let options = Options::default();
    let first = run(store, root, a, &options);
    let second = run(store, root, b, &options);
    prop_assert_eq!(first.steps, second.steps, "{:?} and {:?}", a, b);
    match (first.result, second.result) {
        (Ok(x), Ok(y)) => prop_assert!(store.alpha_eq(x, y), "{:?} and {:?}", a, b),
        (x, y) => prop_assert_eq!(x.is_ok(), y.is_ok(), "{:?} and {:?}", a, b),
    }
    Ok(())
}

proptest! {
    #![proptest_config(Config::with_cases(64))]

    #[test]
    fn combinators_keep_their_laws(
        choices in vec(any::<u8>(), 0..60),
        (a, b, c) in (0_usize..10, 0_usize..10, 0_usize..10),
    ) {
        let mut store = Store::new();
        let root = Random::array(&mut store, choices);
        let [a, b, c] = [a, b, c].map(some_strategy);
        let (id, fail) = (StrategyKind::id(), StrategyKind::fail());
        let mut equal = |x: &Strategy, y: &Strategy| {
            let options = Options::default();
            let first = run(&mut store, root, x, &options).result;
            let second = run(&mut store, root, y, &options).result;
            match (first, second) {
                (Ok(p), Ok(q)) => prop_assert!(store.alpha_eq(p, q), "{:?} and {:?}", x, y),
                (p, q) => prop_assert_eq!(p.is_ok(), q.is_ok(), "{:?} and {:?}", x, y),
            }
            Ok(())
        };
        equal(&seq(&id, &a), &a)?;
        equal(&seq(&a, &id), &a)?;
        equal(&or(&fail, &a), &a)?;
        equal(&or(&a, &fail), &a)?;
        equal(&seq(&seq(&a, &b), &c), &seq(&a, &seq(&b, &c)))?;
        equal(&or(&or(&a, &b), &c), &or(&a, &or(&b, &c)))?;
        let attempt = |s: &Strategy| step(StrategyKind::Try(s.clone()));
        equal(&attempt(&attempt(&a)), &attempt(&a))?;
        let not = |s: &Strategy| step(StrategyKind::Not(s.clone()));
        equal(&not(&not(&not(&a))), &not(&a))?;
        equal(&step(StrategyKind::Times(2, a.clone())), &seq(&a, &a))?;
    }

    #[test]
    fn traversals_do_what_their_equations_say(
        choices in vec(any::<u8>(), 0..60),
        at in 0_usize..4,
    ) {
        let mut store = Store::new();
        let root = Random::array(&mut store, choices);
        let s = some_strategy(at);
        let of = |s: &Strategy| s.clone();
        let t = of(&s);
        let by_equation = recursive(move |me| or(&t, &step(StrategyKind::One(me))));
        same(&mut store, root, &step(StrategyKind::TopDown(of(&s))), &by_equation)?;
        let t = of(&s);
        let by_equation = recursive(move |me| or(&step(StrategyKind::One(me)), &t));
        same(&mut store, root, &step(StrategyKind::BottomUp(of(&s))), &by_equation)?;
        let t = of(&s);
        let by_equation = recursive(move |me| seq(&step(StrategyKind::All(me)), &step(StrategyKind::Try(of(&t)))));
        same(&mut store, root, &step(StrategyKind::TryAll(of(&s))), &by_equation)?;
        let t = of(&s);
        let by_equation = recursive(move |me| or(&t, &step(StrategyKind::All(me))));
        same(&mut store, root, &step(StrategyKind::AllTd(of(&s))), &by_equation)?;
        let t = of(&s);
        let by_equation = recursive(move |me| or(&step(StrategyKind::Some(me)), &t));
        same(&mut store, root, &step(StrategyKind::SomeBu(of(&s))), &by_equation)?;
        let t = step(StrategyKind::Try(of(&s)));
        let by_equation = recursive(move |me| seq(&step(StrategyKind::All(me)), &t));
        same(&mut store, root, &step(StrategyKind::AllBottomUp(step(StrategyKind::Try(of(&s))))), &by_equation)?;
        same(&mut store, root, &step(StrategyKind::Skip(0, of(&s))), &step(StrategyKind::TopDown(of(&s))))?;
    }
}
