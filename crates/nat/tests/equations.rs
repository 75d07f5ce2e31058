//! Tests of equations of index arithmetic with floor division and remainder.

use nat::{Facts, Nat, Prop, Var};

const N: Var = Var(0);
const M: Var = Var(1);
const I: Var = Var(2);
const J: Var = Var(3);
const K: Var = Var(4);
const D: Var = Var(5);

fn v(var: Var) -> Nat {
    Nat::var(var)
}

fn c(value: i64) -> Nat {
    Nat::constant(value)
}

fn div(a: impl Into<Nat>, b: impl Into<Nat>) -> Nat {
    Nat::div(&a.into(), &b.into())
}

fn rem(a: impl Into<Nat>, b: impl Into<Nat>) -> Nat {
    Nat::rem(&a.into(), &b.into())
}

/// Assumes `lower <= var < upper` for each.
fn ranges(all: &[(Var, Nat, Nat)]) -> Facts {
    let mut facts = Facts::new();
    for (var, from, to) in all {
        facts.range(*var, from, to);
    }
    facts
}

fn under(facts: &Facts, nat: Nat, expected: Nat) {
    assert_eq!(
        facts.normalize(&nat),
        facts.normalize(&expected),
        "normal form of {nat:?}"
    );
}

#[test]
fn quotient_and_remainder_make_the_dividend() {
    let a = v(N) + v(M) * 3 + 5;
    assert_eq!(div(&a, D) * v(D) + rem(&a, D), a);
    assert_eq!(div(N, D) * v(D) * v(K) + rem(N, D) * v(K), v(N) * v(K));
    assert_eq!(div(N, 4) * 4 + rem(N, 4), v(N));
}

#[test]
fn what_lies_in_the_range_of_a_remainder() {
    let facts = ranges(&[(I, c(0), v(M)), (J, c(0), v(N))]);
    under(&facts, rem(I, M), v(I));
    under(&facts, div(J, N), c(0));
    assert_eq!(div(rem(I, 10), 20), c(0));
}

#[test]
fn multiples_of_a_sum_come_out() {
    let by = v(M) + 2;
    let base = v(M) * v(J) + v(J) * 2;
    let facts = ranges(&[(I, c(0), v(M) + 2)]);
    under(&facts, rem(&base + v(I), &by), v(I));
    under(&facts, div(&base + v(I), &by), v(J));

    let by = v(N) + 2;
    let whole = v(N) * v(I) + v(N) * v(K) + v(I) * 2 + v(K) * 2 + v(J);
    let facts = ranges(&[(J, c(0), v(N) + 2)]);
    under(&facts, rem(&whole, &by), v(J));
    under(&facts, div(&whole, &by), v(I) + v(K));

    assert_eq!(div(v(N) * 2 + v(M) * v(N), v(M) + 2), v(N));
}

#[test]
fn stencils() {
    let by = v(M) + 2;
    let base = v(J) * 2 + v(J) * v(M);
    let facts = ranges(&[(I, c(0), v(M)), (K, c(0), c(3))]);
    under(&facts, rem(&base + v(K) + v(I), &by), v(I) + v(K));
    under(&facts, div(&base + v(K) + v(I), &by), v(J));
    under(&facts, rem(&base + 2 + v(M) + v(I), &by), v(I));
    under(&facts, div(&base + 2 + v(M) + v(I), &by), v(J) + 1);
    under(&facts, rem(&base + 4 + v(M) * 2 + v(I), &by), v(I));
    under(&facts, div(&base + 4 + v(M) * 2 + v(I), &by), v(J) + 2);
    let facts = ranges(&[(I, c(0), v(N))]);
    under(&facts, rem(v(I) + v(N) + 4, v(N) + 2), v(I) + 2);
    under(&facts, div(v(I) + v(N) + 4, v(N) + 2), c(1));
    under(&facts, rem(v(K) + v(I) + v(N), v(K) + v(N)), v(I));
}

#[test]
fn constants_and_sums() {
    assert_eq!(rem(v(N) * 2 + 5, v(N) + 2), c(1));
    assert_eq!(div(v(N) * 2 + 5, v(N) + 2), c(2));
    let (g1, g2) = (v(I), v(J));
    let by = v(N) + 2;
    assert_eq!(div(&g1 * 2 + &g1 * v(N), &by), g1);
    let nested = rem(&g1, &by) + &g2 * 2 + &g2 * v(N);
    assert_eq!(rem(&nested, &by), rem(&g1, &by));
    assert_eq!(div(&nested, &by), g2);
}

#[test]
fn padding() {
    let facts = ranges(&[(I, c(1), v(N))]);
    under(&facts, rem(v(I) - 1, N), v(I) - 1);
    assert_eq!(rem(rem(v(I) - 1, N) + v(N), N), rem(v(I) - 1 + v(N), N));
}

#[test]
fn known_multiples() {
    let mut facts = Facts::new();
    facts.assume(&Prop::Divides(c(4), v(N)));
    facts.assume(&Prop::AtLeast(v(N), c(4)));
    facts.range(I, &c(0), &div(N, 4));
    under(&facts, rem(N, 4), c(0));
    under(&facts, rem(v(I) + div(N, 2), div(N, 4)), v(I));
    under(&facts, div(v(I) + div(N, 2) + 6, div(N, 4) + 2), c(2));
    under(&facts, rem(div(N, 2) + 4, div(N, 4) + 2), c(0));
}

#[test]
fn remainders_by_constants() {
    assert_eq!(rem(v(K) * 3 - 2, 3), c(1));
    // The result is correct for floor remainders, whatever the sign of the subtracted size.
    assert_eq!(rem(c(3) - v(I), 3), rem(-v(I), 3));
    let facts = ranges(&[(I, c(0), c(32))]);
    under(&facts, rem(v(I) * 4 + 899, 128), v(I) * 4 + 3);
    assert_eq!(rem(-11, 5), c(4));
    assert_eq!(rem(11, 2), c(1));
}

#[test]
fn common_factors_cancel() {
    assert_eq!(div(1, 5) * 5, c(0));
    assert_eq!(div(v(N) * 4, 2), v(N) * 2);
    assert_eq!(div(v(N) * 4, v(M) * 2), div(v(N) * 2, M));
    assert_eq!(div(v(N) * 2, v(M) * 4), div(N, v(M) * 2));
    assert_eq!(div(v(N) * v(D), D), v(N));
    assert_eq!(div(v(N) * v(K) * 128, v(K) * 128), v(N));
}

#[test]
fn closed_sums() {
    assert_eq!(Nat::sum(I, &c(0), &c(10), &v(I)), c(45));
    assert_eq!(Nat::sum(I, &c(0), &c(1000), &v(I)), c(499_500));
    assert_eq!(Nat::sum(I, &c(0), &v(N), &c(3)), v(N) * 3);
    assert_eq!(Nat::sum(I, &c(0), &v(N), &(v(I) * 2 + 1)), v(N) * v(N));
    let squares = Nat::sum(I, &c(0), &v(N), &(v(I) * v(I)));
    assert_eq!(squares.eval(&|_| Some(10), &|_, _| None), Some(285));
}

#[test]
fn an_empty_sum_needs_no_value_of_its_body() {
    let sum = Nat::sum(I, &c(0), &v(N), &(v(I) * div(K, D)));
    assert_eq!(sum.eval(&|_| Some(0), &|_, _| None), Some(0));
    assert_eq!(sum.eval(&|_| Some(3), &|_, _| None), Some(3));
}

#[test]
fn order() {
    let facts = ranges(&[(I, c(0), v(N)), (J, c(0), c(3))]);
    assert!(facts.proves(&Prop::AtLeast(v(N) + 1, v(I) + 1)));
    let mut wide = facts.clone();
    wide.assume(&Prop::AtLeast(v(M), c(3)));
    assert!(wide.proves(&Prop::AtLeast(v(M) + 1, v(J) + 1)));
    // |i - 1| < n where 0 <= i < n and n >= 2
    let mut two = facts.clone();
    two.assume(&Prop::AtLeast(v(N), c(2)));
    assert!(two.proves(&Prop::AtLeast(
        v(N),
        Nat::max(&(v(I) - 1), &(c(1) - v(I))) + 1
    )));
}

#[test]
fn products_with_powers_have_ratios() {
    let (n, m, k) = (v(N), v(M), v(K));
    let power = |exp: Nat| Nat::pow(&n, &exp);
    assert_eq!(
        (power(&k - 1) * &m).ratio(&(power(&k - 2) * &m)),
        Some(n.clone())
    );
    let two = |exp: Nat| Nat::pow(&c(2), &exp);
    assert_eq!((two(k.clone()) * &m).ratio(&two(&k - 1)), Some(&m * 2));
    assert_eq!(two(&k - 1).ratio(&two(k.clone())), None);
    assert_eq!((&n * &m).ratio(&m), Some(n.clone()));
    assert_eq!(n.ratio(&m), None);
    assert_eq!(n.ratio(&(n.clone() + 1)), None);
}
