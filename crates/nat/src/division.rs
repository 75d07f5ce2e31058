//! Floor division and remainder, and exact division by symbolic powers.

use crate::arith::{gcd, plain_mul, try_add, try_mul};
use crate::repr::{Mono, Nat, Op, Term};

/// The rounding of the quotients of coefficients when multiples of a divisor that is a single term
/// are subtracted from a dividend.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// Towards zero: no coefficient of the remainder has the opposite sign of that of the dividend,
    /// so `(n-1)/4` stays.
    Truncate,
    /// Towards minus infinity: for a positive constant divisor no coefficient of the remainder is
    /// negative, so `(n-1)/4` becomes `(n+3)/4 - 1`. This makes more equal sizes equal in form, but
    /// the forms are harder to read.
    Floor,
}

impl Nat {
    /// Computes `a / b`, rounded down.
    #[allow(clippy::should_implement_trait)]
    pub fn div(a: &Nat, b: &Nat) -> Nat {
        if is_plain(a, b) {
            return Op::Div(a.clone(), b.clone()).nat();
        }
        let (quotient, rest) = divide(a, b, Rounding::Truncate);
        rest.map_or(quotient.clone(), |(a, b)| {
            Nat::add(&quotient, &Op::Div(a, b).nat())
        })
    }

    /// Computes `a % b`, with the sign of `b`.
    #[allow(clippy::should_implement_trait)]
    pub fn rem(a: &Nat, b: &Nat) -> Nat {
        if let (Some(x), Some(y)) = (a.as_const(), b.as_const())
            && let Some(value) = floor_rem(x, y)
        {
            return Nat::constant(value);
        }
        if is_plain(a, b) || b.is_zero() {
            return Op::Mod(a.clone(), b.clone()).nat();
        }
        if b.is_one() || a.is_zero() || a.exact_div(b).is_some() {
            return Nat::ZERO;
        }
        let (_, a) = reduce(&drop_inner_remainders(a, b), b, Rounding::Truncate);
        if let (Some(x), Some(y)) = (a.as_const(), b.as_const())
            && let Some(value) = floor_rem(x, y)
        {
            return Nat::constant(value);
        }
        if is_remainder_of(&a, b) {
            return a;
        }
        let (factor, a, b) = without_common_factor(&a, b);
        let is_done = factor.is_one() || b.is_zero();
        let rest = if is_done {
            Op::Mod(a, b).nat()
        } else {
            Nat::rem(&a, &b)
        };
        Nat::mul(&factor, &rest)
    }

    /// Computes `a / b`, rounded up, for `b >= 1`.
    pub fn ceil_div(a: &Nat, b: &Nat) -> Nat {
        Nat::div(&Nat::sub(&Nat::add(a, b), &Nat::ONE), b)
    }

    /// Divides a size by a single term exactly, with symbolic powers: `2^k / 2^(k-1)` is 2. Returns
    /// `None` if the divisor is no single term, if no exact quotient is found, or if the form of an
    /// exponent in the quotient does not show that it is not negative.
    pub fn ratio(&self, divisor: &Nat) -> Option<Nat> {
        self.ratio_where(divisor, &Nat::is_plainly_nonneg)
    }

    /// Divides as `ratio` does; `is_nonneg` decides whether the exponents of the quotient are not
    /// negative.
    pub(crate) fn ratio_where(
        &self,
        divisor: &Nat,
        is_nonneg: &dyn Fn(&Nat) -> bool,
    ) -> Option<Nat> {
        let terms = divisor.terms();
        let [term] = terms.as_ref() else {
            return None;
        };
        let (mut above, mut below) = (self.clone(), Nat::constant(term.coeff));
        for factor in &term.mono.0 {
            let atom = factor.atom.clone().nat();
            match factor.atom.op() {
                Some(Op::Pow(base, exp)) => {
                    let exp = exp.scale(-i64::from(factor.exp));
                    above = Nat::mul(&above, &Nat::pow(base, &exp));
                }
                _ => below = Nat::mul(&below, &Nat::pow(&atom, &i64::from(factor.exp).into())),
            }
        }
        let quotient = above.exact_div(&below)?;
        let is_whole = quotient.terms().iter().all(|term| {
            term.mono.0.iter().all(|factor| match factor.atom.op() {
                Some(Op::Pow(_, exp)) => is_nonneg(exp),
                _ => true,
            })
        });
        is_whole.then_some(quotient)
    }
}

/// Returns true for the division of a variable by another variable or by a constant greater than 1,
/// which cannot be simplified.
fn is_plain(a: &Nat, b: &Nat) -> bool {
    a.as_var().is_some() && (b.as_const().is_some_and(|b| b > 1) || b.as_var().is_some() && a != b)
}

pub(crate) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let down = a % b != 0 && (a < 0) != (b < 0);
    Some(quotient - i64::from(down))
}

pub(crate) fn floor_rem(a: i64, b: i64) -> Option<i64> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) {
        rest + b
    } else {
        rest
    })
}

/// Returns `(q, rest)`, where `a / b` is `q` if `rest` is `None`, and `q + x / y` if `rest` is
/// `Some((x, y))`, with simplified `x` and `y`.
pub(crate) fn divide(a: &Nat, b: &Nat, rounding: Rounding) -> (Nat, Option<(Nat, Nat)>) {
    /// The number of simplifications after which the operands are left as they are.
    const MOST: usize = 64;
    let mut quotient = Nat::ZERO;
    let (mut a, mut b) = (a.clone(), b.clone());
    for _ in 0..MOST {
        if let (Some(x), Some(y)) = (a.as_const(), b.as_const())
            && let Some(value) = floor_div(x, y)
        {
            return (Nat::add(&quotient, &Nat::constant(value)), None);
        }
        if a.is_zero() || b.is_one() {
            return (Nat::add(&quotient, &a), None);
        }
        if b.is_zero() {
            return (quotient, Some((a, b)));
        }
        if let Some(exact) = a.exact_div(&b) {
            return (Nat::add(&quotient, &exact), None);
        }
        let (out, rest) = reduce(&a, &b, rounding);
        quotient = Nat::add(&quotient, &out);
        if rest.is_zero() || is_remainder_of(&rest, &b) {
            return (quotient, None);
        }
        let (next_a, next_b) = smaller(&rest, &b);
        if (next_a == a && next_b == b) || quotient.is_too_big() {
            return (quotient, Some((next_a, next_b)));
        }
        (a, b) = (next_a, next_b);
    }
    (quotient, Some((a, b)))
}

/// Returns simpler operands with the same floor quotient, or the given ones if none are found.
fn smaller(a: &Nat, b: &Nat) -> (Nat, Nat) {
    if let Some(Op::Div(x, y)) = a.as_atom().as_ref().and_then(|atom| atom.op())
        && b.is_plainly_nonneg()
    {
        return (x.clone(), plain_mul(y, b));
    }
    if b.terms().iter().all(|t| t.coeff < 0 && t.coeff > i64::MIN)
        && a.terms().iter().all(|t| t.coeff > i64::MIN)
    {
        return (-a, -b);
    }
    match b.as_const() {
        // floor((g*x + c) / (g*y)) with 0 <= c < g
        Some(by) => {
            let varying = a
                .terms()
                .iter()
                .filter(|t| !t.mono.is_one())
                .fold(by.unsigned_abs(), |all, t| gcd(all, t.coeff.unsigned_abs()));
            let Some(common) = i64::try_from(varying).ok().filter(|g| *g > 1) else {
                return (a.clone(), b.clone());
            };
            let all = a.terms();
            let terms = all.iter().filter_map(|t| {
                let coeff = floor_div(t.coeff, common)?;
                (coeff != 0).then(|| Term {
                    mono: t.mono.clone(),
                    coeff,
                })
            });
            (
                Nat::from_sorted(terms.collect()),
                Nat::constant(by / common),
            )
        }
        None => {
            let (_, a, b) = without_common_factor(a, b);
            (a, b)
        }
    }
}

/// Returns `(g, a/g, b/g)` for the largest product `g` of a number and atoms that divides every
/// term of both, or `(1, a, b)` on overflow.
fn without_common_factor(a: &Nat, b: &Nat) -> (Nat, Nat, Nat) {
    let content = gcd(a.content().unsigned_abs(), b.content().unsigned_abs());
    let content = i64::try_from(content).unwrap_or(1);
    let mono = b.common_mono();
    let mono = if mono.is_one() {
        mono
    } else {
        a.common_mono().common(&mono)
    };
    if content <= 1 && mono.is_one() {
        return (Nat::ONE, a.clone(), b.clone());
    }
    let factor = Nat::from_term(mono, content.max(1));
    match (a.exact_div(&factor), b.exact_div(&factor)) {
        (Some(x), Some(y)) => (factor, x, y),
        _ => (Nat::ONE, a.clone(), b.clone()),
    }
}

/// Returns true if the form of the sizes shows that `0 <= a < b`.
fn is_remainder_of(a: &Nat, b: &Nat) -> bool {
    if let Some(Op::Mod(_, d)) = a.as_atom().as_ref().and_then(|atom| atom.op())
        && d.is_plainly_nonneg()
        && Nat::sub(b, d).is_plainly_nonneg()
    {
        return true;
    }
    a.is_plainly_nonneg() && Nat::sub(&Nat::sub(b, a), &Nat::ONE).is_plainly_nonneg()
}

/// Subtracts multiples of `b` from `a`. Returns `(k, r)` with `a = k*b + r`; `k` is 0 if nothing can
/// be subtracted. Coefficients are divided with `rounding` if `b` is a single term.
pub(crate) fn reduce(a: &Nat, b: &Nat, rounding: Rounding) -> (Nat, Nat) {
    let by = b.terms();
    match by.as_ref() {
        [] => (Nat::ZERO, a.clone()),
        [lead] => {
            let terms = a.terms();
            let out = terms.iter().filter_map(|t| {
                let mono = t.mono.over(&lead.mono)?;
                let coeff = match rounding {
                    Rounding::Truncate => t.coeff.checked_div(lead.coeff)?,
                    Rounding::Floor => floor_div(t.coeff, lead.coeff)?,
                };
                (coeff != 0).then_some(Term { mono, coeff })
            });
            let out = crate::arith::collect(out.collect()).unwrap_or(Nat::ZERO);
            let rest = try_mul(&out, b).and_then(|multiple| try_add(a, &multiple, -1));
            // A multiple of a power can have another power: `2 * 2^(k-1)` is `2^k`. To subtract it
            // from `3 * 2^(k-1)` would not make that smaller.
            let is_known = |mono: &Mono| terms.iter().any(|term| term.mono == *mono);
            match rest.filter(|rest| rest.terms().iter().all(|term| is_known(&term.mono))) {
                Some(rest) => (out, rest),
                None => (Nat::ZERO, a.clone()),
            }
        }
        [lead, ..] => reduce_by_sum(a, b, lead),
    }
}

/// Returns `(k, r)` with `a = k*b + r` for a sum `b` with the first term `lead`. Subtracts at most
/// 64 multiples of `b` from `a`, each only if the remainder becomes at most `n - 2` terms longer,
/// where `n` is the number of terms of `b`, and its `negativity` does not increase.
fn reduce_by_sum(a: &Nat, b: &Nat, lead: &Term) -> (Nat, Nat) {
    let (mut quotient, mut rest) = (Nat::ZERO, a.clone());
    'next: for _ in 0..64 {
        for term in rest.terms().iter() {
            let Some(mono) = term.mono.over(&lead.mono) else {
                continue;
            };
            let Some(coeff) = term.coeff.checked_div(lead.coeff).filter(|c| *c != 0) else {
                continue;
            };
            let part = Nat::from_term(mono, coeff);
            let multiple = try_mul(&part, b);
            let Some(after) = multiple.and_then(|multiple| try_add(&rest, &multiple, -1)) else {
                continue;
            };
            let simpler = after.terms().len() <= rest.terms().len() + b.terms().len() - 2;
            if simpler && negativity(&after) <= negativity(&rest) {
                quotient = Nat::add(&quotient, &part);
                rest = after;
                continue 'next;
            }
        }
        break;
    }
    (quotient, rest)
}

fn negativity(nat: &Nat) -> u128 {
    let negative = nat
        .terms()
        .iter()
        .filter(|t| t.coeff < 0)
        .fold(0u128, |all, t| all + u128::from(t.coeff.unsigned_abs()));
    let strange = nat
        .terms()
        .iter()
        .filter(|t| !t.mono.is_plainly_nonneg())
        .count();
    negative + strange as u128
}

/// Removes inner remainders from the dividend `a` of `a % b`: `(x % d) % b` is `x % b` if `d` is a
/// multiple of `b`.
fn drop_inner_remainders(a: &Nat, b: &Nat) -> Nat {
    let mut out = a.clone();
    for term in a.terms().iter() {
        for factor in &term.mono.0 {
            let Some(Op::Mod(x, d)) = factor.atom.op() else {
                continue;
            };
            if factor.exp != 1 || x.as_const().is_some() || d.exact_div(b).is_none() {
                continue;
            }
            let Some(rest) = term.mono.over(&Mono::atom(factor.atom.clone())) else {
                continue;
            };
            if is_remainder_of(a, b) {
                return a.clone();
            }
            let this = Nat::from_term(term.mono.clone(), term.coeff);
            let opened = plain_mul(&Nat::from_term(rest, term.coeff), x);
            out = Nat::add(&Nat::sub(&out, &this), &opened);
            break;
        }
    }
    out
}

/// Divides a size by a number exactly, using powers whose exponents are large enough: `2^(k-i) / 2`
/// is `2^(k-i-1)` if `is_nonneg` accepts `k-i-1`. Returns `None` if that does not succeed, or if
/// `b < 2`.
pub(crate) fn exact_quotient(a: &Nat, b: i64, is_nonneg: &dyn Fn(&Nat) -> bool) -> Option<Nat> {
    if b < 2 {
        return None;
    }
    let mut quotient = Nat::ZERO;
    for term in a.terms().iter() {
        let part = match term.coeff % b {
            0 => Nat::from_term(term.mono.clone(), term.coeff / b),
            _ => term_quotient(term, b, is_nonneg)?,
        };
        quotient = Nat::add(&quotient, &part);
    }
    Some(quotient)
}

fn term_quotient(term: &Term, b: i64, is_nonneg: &dyn Fn(&Nat) -> bool) -> Option<Nat> {
    term.mono.0.iter().enumerate().find_map(|(at, factor)| {
        let Some(Op::Pow(base, exp)) = factor.atom.op() else {
            return None;
        };
        let number = base.as_const().filter(|base| *base >= 2)?;
        let exp = exp.scale(i64::from(factor.exp));
        // The number of the power's factors that the division consumes.
        let mut coeff = term.coeff;
        let mut taken = 0;
        while coeff % b != 0 {
            coeff = coeff.checked_mul(number).filter(|_| taken < 63)?;
            taken += 1;
        }
        let left = Nat::sub(&exp, &Nat::constant(taken));
        if !is_nonneg(&left) {
            return None;
        }
        let mut others = term.mono.clone();
        others.0.remove(at);
        let others = Nat::from_term(others, coeff / b);
        Some(Nat::mul(&others, &Nat::pow(base, &left)))
    })
}
