//! Tests of facts about symbolic powers.

use nat::{Facts, Nat, Prop, Var};

fn v(var: u32) -> Nat {
    Nat::var(Var(var))
}

#[test]
fn larger_exponents_make_larger_powers() {
    let (i, k, m) = (0, 1, 2);
    let mut rounds = Facts::new();
    rounds.range(Var(i), &Nat::ZERO, &v(k));
    for base in [Nat::constant(2), Nat::constant(3), v(3) + 1] {
        let written = |round: Nat| Nat::pow(&base, &(v(k) - 1 - round)) * v(m);
        let at_least = |a: Nat, b: Nat| Prop::AtLeast(a, b);
        assert!(rounds.proves(&at_least(written(Nat::ZERO), written(v(i)))));
        assert!(!rounds.proves(&at_least(written(v(i)), written(Nat::ZERO))));
        let mut later = rounds.clone();
        later.assume(&at_least(v(i), Nat::ONE));
        assert!(later.proves(&at_least(written(Nat::ONE), written(v(i)))));
        assert!(!rounds.proves(&at_least(written(Nat::ONE), written(v(i)))));
    }
    // Nothing follows for a base that may be 0.
    let power = |exp: Nat| Nat::pow(&v(3), &exp);
    assert!(!rounds.proves(&Prop::AtLeast(power(v(k)), power(v(i)))));
}

#[test]
fn powers_are_divided_by_powers_where_the_exponents_are_large_enough() {
    let mut rounds = Facts::new();
    let six = Nat::constant(6);
    rounds.range(Var(0), &Nat::ZERO, &six);
    let two = |exp: Nat| Nat::pow(&Nat::constant(2), &exp);
    let (all, half) = (two(&six - &v(0)), two(&six - 1 - v(0)));
    assert_eq!(rounds.normalize(&Nat::div(&all, &half)), Nat::constant(2));
    let rows = Nat::mul(&half, &Nat::div(&all, &half));
    assert!(rounds.proves(&Prop::Equal(rows, all.clone())));
    // The inverse quotient is not a whole number.
    let other = Nat::div(&half, &all);
    assert_ne!(rounds.normalize(&other).as_const(), Some(2));
}

#[test]
fn equal_powers_add_up_to_a_larger_one() {
    let two = |exp: Nat| Nat::pow(&Nat::constant(2), &exp);
    let half = two(Nat::constant(5) - v(0));
    let all = two(Nat::constant(6) - v(0));
    assert_eq!(Nat::add(&half, &half), all);
    assert_eq!(Nat::add(&Nat::sub(&all, &half), &half), all);
    let quarter = two(Nat::constant(4) - v(0));
    let sum = [&quarter, &quarter, &quarter, &quarter]
        .iter()
        .fold(Nat::ZERO, |sum, power| Nat::add(&sum, power));
    assert_eq!(sum, all);
    // Equal powers are merged to one term of a sum.
    assert_eq!(Nat::add(&(&half + v(1)), &half), all + v(1));
    // A power whose exponent is not negative keeps constant factors outside.
    assert_eq!(Nat::add(&two(v(0)), &two(v(0))), two(v(0) + 1));
}

#[test]
fn multiples_of_powers_are_divided_by_their_base() {
    let power = |exp: Nat| Nat::pow(&Nat::constant(2), &exp);
    for factor in [3i64, 5, 6, 7, -3] {
        for by in [2, 3, 4, 6] {
            let dividend = power(&v(0) - 1) * factor;
            let quotient = Nat::div(&dividend, &Nat::constant(by));
            for k in 1..6 {
                let expected = (factor << (k - 1)).div_euclid(by);
                let value = quotient.subst(&|_| Some(Nat::constant(k)));
                assert_eq!(value.as_const(), Some(expected), "{factor} / {by}, k = {k}");
            }
        }
    }
}
