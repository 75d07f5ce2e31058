//! Tests of proofs from assumptions, and of the smallest counterexamples.

use nat::{Facts, Nat, Prop, Var, Verdict};

const N: Var = Var(0);
const M: Var = Var(1);
const S: Var = Var(2);
const K: Var = Var(3);
const F: Var = Var(7);
const G: Var = Var(8);

fn v(var: Var) -> Nat {
    Nat::var(var)
}

fn c(value: i64) -> Nat {
    Nat::constant(value)
}

fn at_least(a: impl Into<Nat>, b: impl Into<Nat>) -> Prop {
    Prop::AtLeast(a.into(), b.into())
}

fn divides(a: impl Into<Nat>, b: impl Into<Nat>) -> Prop {
    Prop::Divides(a.into(), b.into())
}

fn equal(a: impl Into<Nat>, b: impl Into<Nat>) -> Prop {
    Prop::Equal(a.into(), b.into())
}

fn facts(props: &[Prop]) -> Facts {
    let mut facts = Facts::new();
    props.iter().for_each(|prop| facts.assume(prop));
    facts
}

#[track_caller]
fn proved(assumed: &[Prop], goal: Prop) {
    assert_eq!(facts(assumed).prove(&goal), Verdict::Proved, "{goal:?}");
}

#[track_caller]
fn refuted(assumed: &[Prop], goal: Prop, sizes: &[(Var, i64)]) {
    assert_eq!(
        facts(assumed).prove(&goal),
        Verdict::Refuted(sizes.to_vec()),
        "{goal:?}"
    );
}

#[test]
fn inequalities() {
    proved(&[], at_least(N, 0));
    proved(&[], at_least(v(N) + v(M), N));
    proved(&[], at_least(v(N) * v(N), N));
    proved(&[at_least(N, 12)], at_least(N, 5));
    proved(&[at_least(N, 1), at_least(M, 1)], at_least(v(N) * v(M), 1));
    proved(&[at_least(N, M), at_least(M, S)], at_least(N, S));
    proved(
        &[at_least(M, v(K) + 1)],
        at_least(v(N) * v(M), v(N) * v(K) + v(N)),
    );
    refuted(&[], at_least(N, 1), &[(N, 0)]);
    refuted(&[at_least(N, 3)], at_least(N, 4), &[(N, 3)]);
    refuted(&[], at_least(N, M), &[(N, 0), (M, 1)]);
}

#[test]
fn bounds_of_operations() {
    proved(&[], at_least(N, Nat::div(&v(N), &c(4)) * 4));
    proved(&[], at_least(N, Nat::div(&v(N), &v(S)) * v(S)));
    proved(&[], at_least(3, Nat::rem(&v(N), &c(4))));
    proved(&[], at_least(Nat::ceil_div(&v(N), &c(4)) * 4, N));
    proved(&[], at_least(N, Nat::min(&v(N), &v(M))));
    proved(
        &[at_least(N, 2), at_least(M, 2)],
        at_least(Nat::min(&v(N), &v(M)), 2),
    );
    proved(
        &[at_least(5, N), at_least(5, M)],
        at_least(5, Nat::max(&v(N), &v(M))),
    );
    proved(&[at_least(N, 4)], at_least(Nat::div(&v(N), &c(4)), 1));
    proved(&[at_least(N, 1)], at_least(Nat::div(&(v(N) - 1), &c(4)), 0));
    proved(&[], at_least(Nat::pow(&c(2), &v(K)), 1));
    let positive = at_least(S, 1);
    proved(
        std::slice::from_ref(&positive),
        at_least(Nat::ceil_div(&v(N), &v(S)), 0),
    );
    proved(
        &[at_least(N, S), positive],
        at_least(Nat::div(&v(N), &v(S)), 1),
    );
    // The last of `n/s` tiles of `s` ends within `n`.
    let last = v(K) * v(S) + v(S);
    proved(
        &[at_least(Nat::div(&v(N), &v(S)), v(K) + 1)],
        at_least(N, last),
    );
}

#[test]
fn divisibility() {
    proved(&[divides(12, N)], divides(4, N));
    proved(&[divides(S, N), divides(S, M)], divides(S, v(N) + v(M)));
    proved(&[at_least(S, 1)], divides(S, v(S) * v(K)));
    proved(&[divides(S, N)], divides(S, v(N) * v(M)));
    proved(&[divides(S, N)], at_least(S, 1));
    proved(&[divides(4, N), divides(6, N)], divides(12, N));
    proved(&[], divides(2, v(N) * v(N) + v(N)));
    proved(&[divides(S, v(N) + v(M))], divides(S, (v(N) + v(M)) * 3));
    proved(&[divides(2, v(N) - 1)], divides(2, v(N) + 5));
    proved(&[divides(K, S), divides(S, N)], divides(K, N));
    refuted(&[], divides(4, N), &[(N, 1)]);
    refuted(&[divides(4, N)], divides(8, N), &[(N, 4)]);
    refuted(&[at_least(N, 33)], divides(33, N), &[(N, 34)]);
    refuted(&[], divides(4, 10), &[]);
    refuted(&[], divides(S, v(S) * v(K)), &[(S, 0), (K, 0)]);
    // A fact about a multiple is found in whatever form its size is written.
    proved(&[divides(8, N), at_least(N, 1)], at_least(N, 1));
    proved(&[divides(8, N), divides(N, M)], at_least(N, 8));
}

#[test]
fn equations() {
    let tiled = |n: Var, s: Nat| Nat::div(&v(n), &s) * &s;
    proved(&[divides(S, N)], equal(tiled(N, v(S)), N));
    proved(&[divides(4, N)], equal(tiled(N, c(4)), N));
    proved(&[equal(N, v(M) * v(K))], equal(Nat::div(&v(N), &v(K)), M));
    proved(
        &[equal(v(N) + v(M), v(K) + 3)],
        equal(v(N) + v(M) + 1, v(K) + 4),
    );
    proved(&[at_least(N, M), at_least(M, N)], equal(N, M));
    proved(
        &[divides(S, v(N) - v(M))],
        equal(Nat::rem(&(v(N) - v(M)), &v(S)), 0),
    );
    proved(
        &[],
        equal(
            Nat::div(&(v(N) + 3), &c(4)),
            Nat::div(&(v(N) - 1), &c(4)) + 1,
        ),
    );
    proved(
        &[],
        equal(Nat::rem(&v(N), &c(4)), v(N) - Nat::div(&v(N), &c(4)) * 4),
    );
    refuted(&[], equal(tiled(N, c(32)), N), &[(N, 1)]);
    refuted(
        &[divides(16, N), at_least(N, 20)],
        equal(tiled(N, c(32)), N),
        &[(N, 48)],
    );
    refuted(&[], equal(v(N) * v(M), v(N) + v(M)), &[(N, 0), (M, 1)]);
}

#[test]
fn over_ranges() {
    let all = |prop: Prop| Prop::for_all(K, c(0), v(N), prop);
    proved(&[], all(at_least(N, v(K) + 1)));
    proved(&[], all(at_least(v(N) - 1 - v(K), 0)));
    refuted(&[], all(at_least(N, v(K) + 2)), &[(N, 1)]);
    let below = |f: Nat| Prop::for_all(K, c(0), v(N), at_least(M, f));
    let f = |arg: Nat| Nat::apply(F, &arg);
    proved(&[below(f(v(K)))], below(f(v(K))));
    proved(&[below(f(v(K))), at_least(N, 3)], at_least(M, f(c(2))));
    let renamed = Prop::for_all(S, c(0), v(N), at_least(M, f(v(S))));
    proved(&[below(f(v(K)))], renamed);
    assert_eq!(facts(&[]).prove(&below(f(v(K)))), Verdict::Unknown);
}

#[test]
fn functions_of_sizes_agree_up_to_their_parameter() {
    let sum = |index: Var| Nat::sum(index, &c(0), &v(N), &Nat::apply(F, &v(index)));
    assert_eq!(sum(K), sum(S));
    assert_ne!(sum(K), Nat::sum(K, &c(0), &v(N), &Nat::apply(G, &v(K))));
    let (f, g) = (v(K) * 2, v(S) * 2);
    assert_eq!(
        nat::NatFun { param: K, body: f },
        nat::NatFun { param: S, body: g }
    );
}

#[test]
fn substitution_does_not_capture() {
    // Substitutes `m` by `k` in `sum(k, 0, n, k*m)`; the index `k` is another variable.
    let sum = Nat::sum(K, &c(0), &c(40), &Nat::rem(&v(M), &(v(K) + 1)));
    let put = sum.subst(&|var| (var == M).then(|| v(K)));
    assert!(put.mentions(K));
    assert_eq!(put.subst(&|var| (var == K).then(|| v(M))), sum);
    let nested = Nat::sum(
        K,
        &c(0),
        &v(N),
        &Nat::sum(S, &c(0), &v(K), &Nat::apply(F, &(v(S) + v(M)))),
    );
    let put = nested.subst(&|var| (var == M).then(|| v(K) + v(S)));
    let value = |nat: &Nat, k: i64, s: i64| {
        let vars = move |var: Var| {
            Some(if var == N {
                3
            } else if var == K {
                k
            } else {
                s
            })
        };
        nat.eval(&vars, &|_, arg| Some(arg * arg))
    };
    // k in 0..3, s in 0..k: (s + 5)^2: 25, 25, 36
    assert_eq!(value(&put, 2, 3), Some(86));
}

#[test]
fn what_can_never_hold() {
    let facts = Facts::new();
    assert!(facts.excludes(&divides(4, 10)));
    assert!(facts.excludes(&divides(0, N)));
    assert!(facts.excludes(&divides(4, v(N) * 8 + 2)));
    assert!(facts.excludes(&at_least(3, v(N) + 5)));
    assert!(facts.excludes(&equal(v(N) * 2, v(M) * 4 + 1)));
    assert!(!facts.excludes(&divides(4, N)));
    assert!(!facts.excludes(&at_least(N, 5)));
}

/// Inverse functions: the converse order is neither refuted nor proved.
#[test]
fn inverse_functions() {
    let app = |f: Var, arg: &Nat| Nat::apply(f, arg);
    let all = |prop: Prop| Prop::for_all(K, c(0), v(N), prop);
    let into = |f: Var| all(at_least(v(N), app(f, &v(K)) + 1));
    let undone = |f: Var, g: Var| all(equal(app(g, &app(f, &v(K))), K));
    let known = [into(F), into(G), undone(F, G)];
    proved(&known, undone(F, G));
    proved(&known, all(at_least(v(N), app(G, &app(F, &v(K))) + 1)));
    assert_eq!(facts(&known).prove(&undone(G, F)), Verdict::Unknown);
}

#[test]
fn normal_forms_under_facts() {
    let known = facts(&[divides(S, N), at_least(K, 3)]);
    let tiles = Nat::div(&v(N), &v(S));
    assert_eq!(known.normalize(&(&tiles * v(S))), v(N));
    assert_eq!(known.normalize(&(&tiles * v(S) * v(M))), v(N) * v(M));
    assert_eq!(known.normalize(&tiles), tiles);
    assert_eq!(known.normalize(&(v(N) + 1)), v(N) + 1);
    assert_eq!(known.normalize(&Nat::max(&v(K), &c(2))), v(K));
    let known = facts(&[divides(S, v(N) + v(M))]);
    let tiles = Nat::div(&(v(N) + v(M)), &v(S));
    assert_eq!(known.normalize(&(&tiles * v(S))), v(N) + v(M));
    let known = facts(&[divides(4, N), divides(6, N)]);
    assert_eq!(known.normalize(&(Nat::div(&v(N), &c(6)) * 6)), v(N));
    assert_eq!(
        known.normalize(&Nat::div(&v(N), &c(4))),
        Nat::div(&v(N), &c(4))
    );
}

#[test]
fn a_product_is_no_share_of_one_that_may_be_zero() {
    let square = v(N) * v(N);
    let product = equal(v(K), v(M) * v(N));
    assert_eq!(facts(&[product, divides(2, N)]).normalize(&square), square);
}

#[test]
fn a_quotient_by_a_sum_stays_a_quotient() {
    let (n, m) = (Nat::var(Var(0)), Nat::var(Var(1)));
    let divisor = Nat::add(&n, &Nat::constant(1));
    let quotient = Nat::div(&m, &divisor);
    let mut facts = Facts::new();
    facts.assume(&Prop::Divides(divisor.clone(), m.clone()));
    assert_eq!(facts.normalize(&quotient), quotient);
    assert_eq!(facts.normalize(&Nat::mul(&quotient, &divisor)), m);
}

#[test]
fn powers_are_divided_where_their_exponents_are_large_enough() {
    let (i, k, n) = (Var(0), Var(1), Var(2));
    let power = |base: i64, exp: Nat| Nat::pow(&c(base), &exp);
    let mut rounds = Facts::new();
    rounds.range(i, &Nat::ZERO, &v(k));
    let whole = power(2, v(k) - v(i));
    assert!(rounds.proves(&divides(2, &v(n) * &whole)));
    assert!(!rounds.proves(&divides(4, &v(n) * &whole)));
    assert!(rounds.proves(&divides(4, &(&v(n) * &whole) * 2)));
    assert!(!rounds.proves(&divides(3, whole.clone())));
    let half = rounds.normalize(&Nat::div(&whole, &c(2)));
    assert_eq!(half, power(2, v(k) - v(i) - 1));
    assert!(rounds.proves(&equal(&Nat::div(&whole, &c(2)) * 2, whole.clone())));
    assert!(!Facts::new().proves(&divides(2, whole)));
    assert!(rounds.proves(&divides(9, power(3, v(k) - v(i) + 1))));
    assert!(!rounds.proves(&divides(27, power(3, v(k) - v(i) + 1))));
    let six = power(2, c(6) - v(i));
    assert!(Facts::new().proves(&at_least(64, six.clone())));
    assert!(Facts::new().proves(&at_least(&v(n) * 64, &v(n) * &six)));
    assert!(!Facts::new().proves(&at_least(63, six)));
}

/// The remainder of `step*steps + within` by a multiple of `step`, where `within` is less than
/// `step`.
#[test]
fn remainders_keep_what_is_less_than_a_common_factor() {
    let mut known = Facts::new();
    known.range(K, &c(0), &c(4));
    known.range(S, &c(0), &v(M));
    let simple = |nat: Nat| known.normalize(&nat);
    let lane = &c(4) * &v(N) + v(K);
    assert_eq!(
        simple(Nat::rem(&lane, &c(64))),
        &c(4) * &Nat::rem(&v(N), &c(16)) + v(K)
    );
    assert_eq!(simple(Nat::div(&lane, &c(64))), Nat::div(&v(N), &c(16)));
    let number = &c(4) * &v(N) + c(3);
    assert_eq!(
        simple(Nat::rem(&number, &c(64))),
        &c(4) * &Nat::rem(&v(N), &c(16)) + c(3)
    );
    let row = v(M) * v(N) + v(S);
    let rows = v(M) * v(F);
    assert_eq!(
        simple(Nat::rem(&row, &rows)),
        v(M) * Nat::rem(&v(N), &v(F)) + v(S)
    );
    assert_eq!(simple(Nat::div(&row, &rows)), Nat::div(&v(N), &v(F)));
    // Without the range nothing is known about the lane.
    let wide = &c(4) * &v(N) + v(G);
    assert_eq!(simple(Nat::rem(&wide, &c(64))), Nat::rem(&wide, &c(64)));
}

#[test]
fn sums_of_multiples_of_a_difference_are_multiples() {
    let rows = |a: Var, b: Var| (v(a) * v(M) + v(b)) * (v(N) - 2);
    let apart = rows(K, S) - rows(F, G);
    proved(&[at_least(N, 3)], divides(v(N) - 2, apart));
}

/// A remainder need not grow with its dividend.
#[test]
fn remainders_are_not_ordered() {
    let mut known = Facts::new();
    known.range(K, &c(0), &v(N));
    known.range(S, &(v(K) + 1), &v(N));
    let (at, next) = (Nat::rem(&(v(K) + 1), &v(N)), Nat::rem(&(v(S) + 1), &v(N)));
    assert!(!known.proves(&at_least(next, at + 1)));
}
