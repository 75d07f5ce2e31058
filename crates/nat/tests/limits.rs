//! Tests that nothing grows without bound, overflows or panics.

use nat::{Facts, Nat, Prop, Solution, Var, Verdict, solve};

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
