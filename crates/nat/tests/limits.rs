//! Tests that nothing grows without bound, overflows or panics.

use nat::{Facts, Nat, NatFun, Prop, Solution, Var, Verdict, solve};

fn v(var: u32) -> Nat {
    Nat::var(Var(var))
}

fn c(value: i64) -> Nat {
    Nat::constant(value)
}

#[test]
fn long_chains_of_operations() {
    let chain = (0..20_000).fold(v(0), |n, step| {
        Nat::rem(&n, &(v(1 + step % 3) + i64::from(step)))
    });
    assert!(chain.is_too_big());
    assert_eq!(
        Facts::new().prove(&Prop::Equal(chain.clone(), v(0))),
        Verdict::Unknown
    );
    let stuck = solve(&(&chain + 1), &v(9), &Facts::new(), &|_| false, &|_, _| {
        true
    });
    assert_eq!(stuck, Solution::Stuck);
    let sum = (0..20_000).fold(c(0), |n, _| n + v(0) + i64::MAX);
    assert_eq!(sum.eval(&|_| Some(0), &|_, _| None), None);
}

#[test]
fn repeated_doubling_of_a_shared_size() {
    let twice = (0..200).fold(v(0), |n, _| {
        Nat::rem(&(&n + 1), &(&n + 2)) + Nat::div(&n, &v(1))
    });
    assert!(twice.is_too_big());
}

#[test]
fn products_of_many_sums() {
    let product = (0..40).fold(c(1), |n, at| n * (v(2 * at) + v(2 * at + 1)));
    let value = product.eval(&|_| Some(1), &|_, _| None);
    assert!(value.is_none_or(|value| value == 1 << 40));
}

#[test]
fn extreme_numbers() {
    for a in [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX] {
        for b in [i64::MIN, -1, 0, 1, i64::MAX] {
            let (x, y) = (c(a) * v(0) + a, c(b) * v(1) + b);
            let make = [
                Nat::add,
                Nat::sub,
                Nat::mul,
                Nat::div,
                Nat::rem,
                Nat::min,
                Nat::max,
            ];
            for make in make
                .into_iter()
                .chain([Nat::pow as fn(&Nat, &Nat) -> Nat, Nat::ceil_div])
            {
                let nat = make(&x, &y);
                let _ = nat.display(&|_| "n".into()).to_string();
                let _ = Nat::log2(&nat);
                let _ = Facts::new().prove(&Prop::AtLeast(nat.clone(), y.clone()));
                let _ = Facts::new().prove(&Prop::Divides(y.clone(), nat.clone()));
                let _ = solve(&nat, &y, &Facts::new(), &|v| v == Var(0), &|_, _| true);
                let mut facts = Facts::new();
                facts.assume(&Prop::Divides(x.clone(), nat.clone()));
                facts.assume(&Prop::Equal(nat.clone(), y.clone()));
                facts.assume(&Prop::AtLeast(y.clone(), nat.clone()));
                let _ = facts.normalize(&(&nat * 3));
            }
        }
    }
}

#[test]
fn symbolic_powers_stay() {
    let tower = Nat::pow(&c(2), &c(1_000_000));
    assert_eq!(tower.as_const(), None);
    assert_eq!(&tower * 3 - &tower * 3, Nat::ZERO);
    assert_eq!(
        Nat::pow(&v(0), &c(i64::MAX)).eval(&|_| Some(1), &|_, _| None),
        Some(1)
    );
    let (a, b) = (Nat::pow(&c(2), &(v(0) + 3)), Nat::pow(&c(2), &v(0)) * 8);
    assert_eq!(a, b);
    assert_eq!(Nat::pow(&c(4), &v(0)), Nat::pow(&c(2), &(v(0) * 2)));
}

/// Makes a size beyond the limit of depth from remainders by these divisors.
fn oversized(start: &Nat, divisors: i64) -> Nat {
    (0..150).fold(start.clone(), |n, step| {
        Nat::rem(&(n + 1), &(v(1) + divisors + step))
    })
}

#[test]
fn oversized_sizes_that_differ_are_not_equal() {
    let (a, b) = (oversized(&v(0), 3), oversized(&v(0), 5));
    let others = [oversized(&v(2), 3), oversized(&(v(0) + 1), 3)];
    for b in others.into_iter().chain([b]) {
        // The outermost divisors are the same.
        let (a, b) = (Nat::rem(&a, &v(1)), Nat::rem(&b, &v(1)));
        assert!(a.is_too_big() && b.is_too_big());
        assert_ne!(a, b);
        assert!(!Nat::sub(&a, &b).is_zero());
        let equal = Prop::Equal(a.clone(), b.clone());
        assert_eq!(Facts::new().prove(&equal), Verdict::Unknown);
        assert!(!Facts::new().proves(&Prop::Divides(a.clone(), b.clone())));
        let solution = solve(&a, &b, &Facts::new(), &|_| false, &|_, _| true);
        assert_eq!(solution, Solution::Stuck);
    }
}

#[test]
fn oversized_sizes_are_equal_to_themselves() {
    let (a, b) = (oversized(&v(0), 3), oversized(&v(0), 3));
    assert!(a.is_too_big());
    assert_eq!(a, b);
    let solution = solve(
        &(&a + &v(7)),
        &(&b + 3),
        &Facts::new(),
        &|var| var == Var(7),
        &|_, _| true,
    );
    let Solution::Solved(solved) = solution else {
        panic!("{solution:?}")
    };
    assert_eq!(solved[0].value, c(3));
}

#[test]
fn oversized_sizes_depend_on_their_variables() {
    let a = oversized(&v(0), 3);
    assert!(a.mentions(Var(0)) && a.mentions(Var(1)) && !a.mentions(Var(2)));
    let at = |value: i64| a.subst(&|var| (var == Var(0)).then(|| c(value)));
    assert_ne!(at(0), at(1));
    assert_eq!(at(1), at(1));
    // The unknown occurs on both sides, so that it has no value.
    let open = |var| var == Var(0);
    let solution = solve(&a, &v(0), &Facts::new(), &open, &|_, _| true);
    assert_eq!(solution, Solution::Stuck);

    let of_index = Nat::sum(Var(0), &c(0), &v(2), &a);
    assert_ne!(
        of_index,
        Nat::sum(Var(0), &c(0), &v(2), &oversized(&v(0), 5))
    );
    assert!(!of_index.mentions(Var(0)));

    let applied = oversized(&Nat::apply(Var(9), &v(0)), 3);
    let put = |by: i64| {
        let (param, body) = (Var(0), v(0) * by);
        let fun = NatFun { param, body };
        applied.subst_fun(&|var| (var == Var(9)).then(|| fun.clone()))
    };
    assert_ne!(put(1), put(2));
    assert_eq!(put(2), put(2));
    let renamed = applied.rename_fun(&|var| (var == Var(9)).then_some(Var(10)));
    assert!(renamed.mentions(Var(10)) && !renamed.mentions(Var(9)));
}

#[test]
fn facts_keep_the_variables_of_oversized_sizes() {
    let mut facts = Facts::new();
    facts.assume(&Prop::Divides(v(3), v(0)));
    let a = oversized(&v(0), 3);
    assert_eq!(facts.normalize(&a), a);
    assert!(facts.proves(&Prop::Equal(&a + &a, a * 2)));
}
