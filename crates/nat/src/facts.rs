//! Assumptions about sizes.
//!
//! A fact that determines the form of a variable is applied by substitution: `s divides n` replaces
//! `n` by the product `s*q` with a new variable `q` for `n/s`; then `(n/s)*s`, `n % s` and
//! `s divides n*m` need no further rules. Other facts are kept as inequalities, divisibilities,
//! equations and conditions on ranges.

use crate::arith::{gcd, plain_mul};
use crate::assumptions::{Assumptions, FIRST_QUOTIENT_VAR, SamplePoints, Substitution, is_inner};
use crate::binding::{Mapper, build};
use crate::division::floor_rem;
use crate::nonneg::{is_nonneg, tighten};
use crate::prop::Prop;
use crate::repr::{Atom, Factor, Mono, Nat, Op, Term, Var};
use std::sync::Arc;

/// A set of assumptions about sizes. Every variable is an integer `>= 0`. Cloning is cheap.
#[derive(Clone, Debug, Default)]
pub struct Facts(pub(crate) Arc<Assumptions>);

impl Facts {
    /// Makes an empty set of assumptions.
    pub fn new() -> Facts {
        Facts::default()
    }

    /// Returns true if nothing is assumed.
    pub fn is_empty(&self) -> bool {
        self.0.assumed.is_empty()
    }

    /// Returns the assumptions in the order in which they were made, without repetitions.
    pub fn assumed(&self) -> &[Prop] {
        &self.0.assumed
    }

    /// Returns true if `self` and `other` have the same assumptions in the same order. This takes
    /// constant time for clones to which nothing was added.
    pub fn is_same(&self, other: &Facts) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.assumed == other.0.assumed
    }

    /// Does nothing: every variable is an integer `>= 0`, declared or not.
    pub fn declare(&mut self, _var: Var) {}

    /// Adds a condition to the assumptions; an assumption that is already present changes nothing.
    pub fn assume(&mut self, prop: &Prop) {
        let known = Arc::make_mut(&mut self.0);
        if !known.assumed.contains(prop) {
            known.assumed.push(prop.clone());
            known.learn(prop);
            known.retry_divides();
            known.points = SamplePoints::default();
        }
    }

    /// Assumes `from <= var < to_exclusive`.
    pub fn range(&mut self, var: Var, from: &Nat, to_exclusive: &Nat) {
        let var = Nat::var(var);
        if !from.is_zero() {
            self.assume(&Prop::AtLeast(var.clone(), from.clone()));
        }
        self.assume(&Prop::AtLeast(to_exclusive.clone(), var + 1));
    }
}

impl Assumptions {
    fn learn(&mut self, prop: &Prop) {
        match prop {
            Prop::AtLeast(a, b) => self.learn_nonneg(self.inner(&Nat::sub(a, b))),
            Prop::Equal(a, b) => self.learn_zero(self.inner(&Nat::sub(a, b))),
            Prop::Divides(d, a) => {
                let (d, a) = (self.inner(d), self.inner(a));
                self.learn_nonneg(&d - 1);
                self.learn_divides(d, a);
            }
            Prop::ForAll { .. } => {
                let prop = prop.map(&|nat, _| self.inner(nat));
                self.for_all.push(prop);
            }
        }
    }

    /// Learns the recorded divisibilities again, because with the facts learned since then they may
    /// determine substitutions.
    fn retry_divides(&mut self) {
        for (d, a) in std::mem::take(&mut self.divides) {
            self.learn_divides(self.inner(&d), self.inner(&a));
        }
    }

    fn learn_nonneg(&mut self, nat: Nat) {
        // `-c*v + k >= 0` with `0 <= k < c` implies `v = 0`.
        if let [term, rest @ ..] = nat.terms().as_ref() {
            let only = Nat::from_term(term.mono.clone(), 1).as_var();
            let constant = nat.constant_part();
            let alone = rest.len() == usize::from(constant != 0);
            if let Some(var) =
                only.filter(|_| alone && (0..term.coeff.saturating_neg()).contains(&constant))
            {
                return self.substitute_var(var, Nat::ZERO);
            }
        }
        // Conditions to prove are tightened in the same way.
        let nat = tighten(&nat);
        if !nat.is_plainly_nonneg() && !self.nonneg.contains(&nat) {
            self.nonneg.push(nat);
        }
    }

    fn learn_zero(&mut self, nat: Nat) {
        if nat.is_zero() {
            return;
        }
        // An equation of two variables substitutes the later one by the earlier one.
        let terms = nat.terms();
        let single = terms.iter().filter(|term| matches!(term.coeff, 1 | -1));
        let values = single.filter_map(|term| {
            let var = Nat::from_term(term.mono.clone(), 1).as_var()?;
            let this = Nat::from_term(term.mono.clone(), term.coeff);
            let value = Nat::sub(&nat, &this).scale(-term.coeff);
            (!value.mentions(var) && value.is_plainly_nonneg()).then_some((var, value))
        });
        match values.max_by_key(|(var, _)| (!is_inner(*var), *var)) {
            Some((var, value)) => self.substitute_var(var, value),
            None => self.zero.push(nat),
        }
    }

    fn learn_divides(&mut self, d: Nat, a: Nat) {
        if a.exact_div(&d).is_some() {
            return;
        }
        let learned = match d.as_const() {
            Some(by) => self.learn_multiple(by, &a),
            None => self.learn_product(&d, &a),
        };
        if !learned {
            self.divides.push((d, a));
        }
    }

    /// Uses `by | k*v + c`, which implies `v = m*q + r`: substitutes `v` unless `m` is 1. Returns
    /// false if the fact has another form or no solution.
    fn learn_multiple(&mut self, by: i64, a: &Nat) -> bool {
        if by < 1 {
            return false;
        }
        let left: Vec<Term> = a
            .terms()
            .iter()
            .filter_map(|t| {
                let coeff = floor_rem(t.coeff, by)?;
                (coeff != 0).then(|| Term {
                    mono: t.mono.clone(),
                    coeff,
                })
            })
            .collect();
        let left = Nat::from_sorted(left);
        let (term, constant) = match left.terms().as_ref() {
            [term] => (term.clone(), 0),
            [term, last] if last.mono.is_one() => (term.clone(), last.coeff),
            _ => return false,
        };
        let Some(var) = Nat::from_term(term.mono.clone(), 1).as_var() else {
            return false;
        };
        let Some((rest, modulus)) = congruence(term.coeff, constant, by) else {
            return false;
        };
        if modulus > 1 {
            self.give_multiple(var, &Nat::constant(modulus), &Nat::constant(rest));
        }
        true
    }

    /// Uses `d | v - r` with `v >= r`, which implies `v = d*q + r`: substitutes `v`. Returns false
    /// if the fact has another form, if the form of `r` does not show that it is not negative, or
    /// if `v >= r` is not proved.
    fn learn_product(&mut self, d: &Nat, a: &Nat) -> bool {
        for term in a.terms().iter().filter(|t| t.coeff == 1) {
            let Some(var) = Nat::from_term(term.mono.clone(), 1).as_var() else {
                continue;
            };
            let rest = Nat::sub(&Nat::var(var), a);
            if d.mentions(var) || rest.mentions(var) || !rest.is_plainly_nonneg() {
                continue;
            }
            self.points = SamplePoints::default();
            if rest.is_zero() || is_nonneg(self, a) {
                self.give_multiple(var, d, &rest);
                return true;
            }
        }
        false
    }

    /// Substitutes `var` by `d*q + rest` with a new variable `q`.
    fn give_multiple(&mut self, var: Var, d: &Nat, rest: &Nat) {
        let quotient = self.outer(&Nat::div(&Nat::sub(&Nat::var(var), rest), d));
        let Ok(number) = u32::try_from(self.quotients.len()) else {
            return;
        };
        let new = Nat::var(Var(FIRST_QUOTIENT_VAR + number));
        self.quotients.push(quotient);
        self.substitute_var(var, Nat::add(&plain_mul(d, &new), rest));
    }

    fn substitute_var(&mut self, var: Var, value: Nat) {
        let put = |nat: &Nat| nat.subst(&|v| (v == var).then(|| value.clone()));
        for shape in &mut self.substitutions {
            shape.value = put(&shape.value);
        }
        if !value.is_plainly_nonneg() {
            self.nonneg.push(value.clone());
        }
        self.for_all = self
            .for_all
            .iter()
            .map(|p| p.map(&|nat, _| put(nat)))
            .collect();
        let (divides, zero, nonneg) = (
            std::mem::take(&mut self.divides),
            std::mem::take(&mut self.zero),
            std::mem::take(&mut self.nonneg),
        );
        self.substitutions.push(Substitution {
            var,
            value: value.clone(),
        });
        // Learning may determine further substitutions, so each fact is rewritten before it is
        // learned.
        nonneg
            .iter()
            .for_each(|nat| self.learn_nonneg(self.inner(nat)));
        divides
            .iter()
            .for_each(|(d, a)| self.learn_divides(self.inner(d), self.inner(a)));
        zero.iter().for_each(|nat| self.learn_zero(self.inner(nat)));
    }

    /// Returns true if the variable is substituted by a size in which no term has a quotient
    /// variable as a factor.
    pub(crate) fn has_value(&self, var: Var) -> bool {
        let of_shape = |t: &Term| inner_factors(&t.mono).next().is_some();
        let shape = self.substitutions.iter().find(|s| s.var == var);
        shape.is_some_and(|s| !s.value.terms().iter().any(of_shape))
    }

    /// Replaces the quotient variables in a size by the quotients that they represent.
    fn named(&self, nat: &Nat) -> Nat {
        nat.subst(&|v| {
            self.quotients
                .get(v.0.checked_sub(FIRST_QUOTIENT_VAR)? as usize)
                .cloned()
        })
    }

    /// Translates a size back to the caller's variables.
    pub(crate) fn outer(&self, nat: &Nat) -> Nat {
        if self.quotients.is_empty() {
            return nat.clone();
        }
        let inside = nat.map(&mut Outer(self));
        self.named(&self.contract(&inside))
    }

    /// Applies the substitutions in reverse: with `n = 12*q`, `3*q*m` becomes `(n/4)*m`.
    fn contract(&self, nat: &Nat) -> Nat {
        let whole = self.contract_if(nat, &Nat::is_one);
        self.contract_if(&whole, &|_| true)
    }

    fn contract_if(&self, nat: &Nat, fits: &dyn Fn(&Nat) -> bool) -> Nat {
        let mut out = nat.clone();
        for shape in self.substitutions.iter().filter(|s| !is_inner(s.var)) {
            let terms = shape.value.terms();
            let has_inner = |t: &&Term| inner_factors(&t.mono).next().is_some();
            let Some(lead) = terms.iter().find(has_inner) else {
                continue;
            };
            if !out.terms().iter().any(|term| may_share(term, lead)) {
                continue;
            }
            // A part of a shape such as `(n + 1)*q` cannot be expressed by the variable.
            let is_product = terms.iter().filter(has_inner).count() == 1;
            let this = Nat::from_term(lead.mono.clone(), lead.coeff);
            // `lead` is `var - others`.
            let multiple = Nat::sub(&Nat::var(shape.var), &Nat::sub(&shape.value, &this));
            for term in out.clone().terms().iter() {
                // A divisor that may be 0 is not allowed.
                let is_share = |by: &Nat| is_product && is_nonneg(self, &(by - 1));
                let usable = |by: &Nat| fits(by) && (by.is_one() || is_share(by));
                let Some((part, by)) = as_share(term, lead).filter(|(_, by)| usable(by)) else {
                    continue;
                };
                let old = Nat::from_term(term.mono.clone(), term.coeff);
                let new = Nat::mul(&part, &Nat::div(&multiple, &by));
                out = Nat::add(&Nat::sub(&out, &old), &new);
            }
        }
        out
    }
}

fn inner_factors(mono: &Mono) -> impl Iterator<Item = &Factor> {
    mono.0
        .iter()
        .filter(|f| matches!(f.atom, Atom::Var(var) if is_inner(var)))
}

/// Returns true if the term has all quotient variables of `lead`, with at least the same exponents,
/// as [`as_share`] requires.
fn may_share(term: &Term, lead: &Term) -> bool {
    inner_factors(&lead.mono).all(|of_lead| {
        let factors = &term.mono.0;
        factors
            .iter()
            .any(|f| f.atom == of_lead.atom && f.exp >= of_lead.exp)
    })
}

/// Returns `(p, d)` with `term = p * (lead / d)`, where `d` has no quotient variable as a factor;
/// `None` if the term lacks a quotient variable of `lead`.
fn as_share(term: &Term, lead: &Term) -> Option<(Nat, Nat)> {
    let common = term.mono.common(&lead.mono);
    let missing = lead.mono.over(&common)?;
    if inner_factors(&missing).next().is_some() {
        return None;
    }
    let gcd = gcd(term.coeff.unsigned_abs(), lead.coeff.unsigned_abs());
    let gcd = i64::try_from(gcd).ok()?;
    let part = Nat::from_term(term.mono.over(&common)?, term.coeff / gcd);
    Some((part, Nat::from_term(missing, lead.coeff / gcd)))
}

struct Outer<'a>(&'a Assumptions);

impl Mapper for Outer<'_> {
    fn wants(&self, _op: &Op) -> bool {
        true
    }
    fn op(&mut self, op: Op, changed: bool, _depth: u32) -> Option<Nat> {
        let again = |nat: &Nat| self.0.named(&self.0.contract(nat));
        if matches!(op, Op::BigAdd(..) | Op::BigMul(..)) {
            return changed.then(|| build(op));
        }
        let new = op.with(&mut op.operands().into_iter().map(again))?;
        (changed || new != op).then(|| build(new))
    }
}

/// Solves `coeff*v + constant ≡ 0` modulo `by`: returns `(rest, modulus)` with `v ≡ rest` modulo
/// `modulus`, or `None` if there are no solutions.
///
/// Source: Knuth, *The Art of Computer Programming*, volume 2, section 4.5.2 (extended Euclid).
fn congruence(coeff: i64, constant: i64, by: i64) -> Option<(i64, i64)> {
    let (coeff, constant, by) = (i128::from(coeff), i128::from(constant), i128::from(by));
    // The invariant is `common = coeff*factor` modulo `by`.
    let (mut common, mut next) = (by, coeff.rem_euclid(by));
    let (mut factor, mut next_factor) = (0i128, 1i128);
    while next != 0 {
        let quotient = common / next;
        (common, next) = (next, common - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    let modulus = by / common;
    let is_soluble = constant % common == 0;
    let rest = (-(constant / common) * factor).rem_euclid(modulus);
    is_soluble.then_some((i64::try_from(rest).ok()?, i64::try_from(modulus).ok()?))
}

#[cfg(test)]
mod tests {
    use super::congruence;

    #[test]
    fn congruences_have_the_solutions_that_trying_finds() {
        for by in 1..40 {
            for coeff in -12..30 {
                for constant in -45..45 {
                    let fits = |v: &i64| (coeff * v + constant) % by == 0;
                    let tried: Vec<i64> = (0..by).filter(fits).collect();
                    let solved = congruence(coeff, constant, by);
                    let listed = solved.map_or(Vec::new(), |(rest, modulus)| {
                        (0..by).filter(|v| v % modulus == rest).collect()
                    });
                    assert_eq!(listed, tried, "{coeff}*v + {constant} modulo {by}");
                }
            }
        }
        assert_eq!(congruence(1, 0, 524_288), Some((0, 524_288)));
    }
}
