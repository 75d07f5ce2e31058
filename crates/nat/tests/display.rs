//! Tests of the printing of sizes and conditions.

use nat::{Nat, Prop, Var};
use smol_str::{SmolStr, format_smolstr};

fn name(var: Var) -> SmolStr {
    match var.0 {
        0 => "n".into(),
        1 => "m".into(),
        2 => "s".into(),
        3 => "f".into(),
        4 => "i".into(),
        other => format_smolstr!("v{other}"),
    }
}

fn v(var: u32) -> Nat {
    Nat::var(Var(var))
}

fn c(value: i64) -> Nat {
    Nat::constant(value)
}

fn text(nat: Nat) -> String {
    nat.display(&name).to_string()
}

#[test]
fn sums_and_products() {
    let (n, m) = (v(0), v(1));
    assert_eq!(text(&n * &m + 2), "n*m + 2");
    assert_eq!(text(c(2) + &m + &n * 3), "n*3 + m + 2");
    assert_eq!(text(&n - 1), "n - 1");
    assert_eq!(text(c(3) - &n), "3 - n");
    assert_eq!(text(&m - &n), "m - n");
    assert_eq!(text(-&n), "-n");
    assert_eq!(text(&n * &n), "n^2");
    assert_eq!(text(c(-3)), "-3");
    assert_eq!(format!("{:#}", (&n + 1).display(&name)), "n+1");
}

#[test]
fn division() {
    let (n, m, s) = (v(0), v(1), v(2));
    assert_eq!(text(Nat::div(&(&n - 1), &s)), "(n-1)/s");
    assert_eq!(text(Nat::div(&n, &c(4)) + 1), "n/4 + 1");
    assert_eq!(text(Nat::div(&n, &c(4)) * 4), "(n/4)*4");
    assert_eq!(text(Nat::div(&n, &(&m * &s))), "n/(m*s)");
    assert_eq!(text(Nat::div(&(&n * &m), &s)), "n*m/s");
    assert_eq!(text(Nat::div(&n, &s) * &m), "m*(n/s)");
    assert_eq!(text(Nat::rem(&n, &c(4))), "n%4");
    assert_eq!(text(Nat::ceil_div(&n, &c(4))), "ceilDiv(n, 4)");
    assert_eq!(text(Nat::ceil_div(&n, &s)), "ceilDiv(n, s)");
    assert_eq!(text(Nat::ceil_div(&n, &s) * 2 + 1), "ceilDiv(n, s)*2 + 1");
}

#[test]
fn functions() {
    let (n, m, i) = (v(0), v(1), v(4));
    assert_eq!(text(Nat::min(&n, &m)), "min(n, m)");
    assert_eq!(
        text(Nat::max(&n, &Nat::max(&m, &c(3)))),
        "max(3, max(n, m))"
    );
    assert_eq!(text(Nat::log2(&n)), "log2(n)");
    assert_eq!(text(Nat::pow(&c(2), &n)), "2^n");
    assert_eq!(text(Nat::pow(&n, &(&m + 1))), "n*n^m");
    assert_eq!(text(Nat::pow(&n, &(&m - 1))), "n^(m-1)");
    assert_eq!(text(Nat::pow(&Nat::pow(&n, &m), &n)), "n^(n*m)");
    let sum = Nat::sum(Var(4), &c(0), &n, &Nat::apply(Var(3), &i));
    assert_eq!(text(sum.clone()), "sum(i, 0, n, f(i))");
    assert_eq!(text(sum + &i), "i + sum(j, 0, n, f(j))");
}

#[test]
fn what_stands_before_a_dot() {
    let n = v(0);
    assert!(n.is_atomic() && c(3).is_atomic() && Nat::apply(Var(3), &(&n + 1)).is_atomic());
    assert!(!(&n + 1).is_atomic() && !Nat::div(&n, &c(2)).is_atomic() && !(&n * 2).is_atomic());
}

#[test]
fn conditions() {
    let show = |prop: Prop| prop.display(&name).to_string();
    assert_eq!(show(Prop::Divides(c(4), v(0))), "4 divides n");
    assert_eq!(show(Prop::AtLeast(v(0), c(1))), "n >= 1");
    assert_eq!(show(Prop::Equal(v(0) * v(1), v(2))), "n*m == s");
    let all = Prop::for_all(Var(4), c(0), v(0), Prop::AtLeast(v(1), v(4)));
    assert_eq!(show(all), "for all 0 <= i < n: m >= i");
}

#[test]
fn powers_of_quotients_keep_their_parentheses() {
    let (n, m) = (Nat::var(Var(0)), Nat::var(Var(1)));
    let name = |v: Var| ["n", "m"][v.0 as usize].into();
    let quotient = Nat::div(&n, &m);
    let remainder = Nat::rem(&n, &m);
    let text = |nat: &Nat| nat.display(&name).to_string();
    assert_eq!(text(&Nat::pow(&quotient, &Nat::constant(2))), "(n/m)^2");
    assert_eq!(text(&Nat::pow(&remainder, &Nat::constant(2))), "(n%m)^2");
    assert_eq!(text(&Nat::pow(&n, &Nat::constant(2))), "n^2");
}
