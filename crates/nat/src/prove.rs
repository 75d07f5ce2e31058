//! Deciding conditions under assumptions.

use crate::arith::plain_mul;
use crate::division::{Rounding, divide, reduce};
use crate::facts::{Facts, Known};
use crate::functions::{Extremum, build, of_members};
use crate::prop::Prop;
use crate::repr::{Atom, Mono, Nat, Op, Term, Var};
use crate::visit::Mapper;
use std::cell::Cell;

/// What is known of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds for all sizes that satisfy the assumptions.
    Proved,
    /// It does not: it fails for these sizes, which satisfy the assumptions and are the smallest
    /// such. Empty if it speaks of no variable.
    Refuted(Vec<(Var, i64)>),
    /// Neither was found.
    Unknown,
}

/// Variables from here on stand for one value of a range.
const FIRST_FRESH: u32 = 3 << 30;

impl Facts {
    /// Whether `prop` follows from the assumptions.
    pub fn prove(&self, prop: &Prop) -> Verdict {
        if self.holds(prop, 0) {
            return Verdict::Proved;
        }
        match crate::search::counterexample(self, prop) {
            Some(sizes) => Verdict::Refuted(sizes),
            None => Verdict::Unknown,
        }
    }

    /// Whether `prop` is proved; looks for no counterexample.
    pub fn proves(&self, prop: &Prop) -> bool {
        self.holds(prop, 0)
    }

    /// Whether `prop` fails for all sizes that satisfy the assumptions: `4 divides 10`, a divisor
    /// that is 0, `3 >= n + 5`.
    pub fn excludes(&self, prop: &Prop) -> bool {
        let fails = |prop: Prop| self.holds(&prop, 0);
        match prop {
            Prop::AtLeast(a, b) => fails(Prop::AtLeast(b.clone(), a + 1)),
            Prop::Divides(d, a) => {
                fails(Prop::AtLeast(Nat::ZERO, d.clone())) || {
                    let (d, a) = (self.0.inner(d), self.0.inner(a));
                    d.as_const()
                        .is_some_and(|d| d >= 1 && never_multiple(d, &a))
                }
            }
            Prop::Equal(a, b) => {
                let difference = complete(&self.0.inner(&Nat::sub(a, b)));
                let constant = difference.constant_part();
                let content = (&difference - constant).content();
                fails(Prop::AtLeast(a.clone(), b + 1))
                    || fails(Prop::AtLeast(b.clone(), a + 1))
                    || never_multiple(content, &Nat::constant(constant))
            }
            Prop::ForAll {
                var,
                from,
                to,
                prop,
            } => {
                // Fails if the range has a first value, and it fails there.
                fails(Prop::AtLeast(to.clone(), from + 1))
                    && self.excludes(&prop.subst(&|v| (v == *var).then(|| from.clone())))
            }
        }
    }

    fn holds(&self, prop: &Prop, level: u32) -> bool {
        match prop {
            Prop::AtLeast(a, b) => {
                let difference = Nat::sub(a, b);
                difference.is_plainly_nonneg() || is_nonneg(&self.0, &self.0.inner(&difference))
            }
            Prop::Divides(d, a) => {
                self.holds(&Prop::AtLeast(d.clone(), Nat::ONE), level)
                    && divides(&self.0, &self.0.inner(d), &self.0.inner(a))
            }
            Prop::Equal(a, b) => is_zero(&self.0, &self.0.inner(&Nat::sub(a, b))),
            Prop::ForAll {
                var,
                from,
                to,
                prop: body,
            } => {
                if self.0.for_all.iter().any(|known| same(known, prop)) {
                    return true;
                }
                if level > 8 {
                    return false;
                }
                let fresh = Var(FIRST_FRESH + level);
                let mut inside = self.clone();
                inside.range(fresh, from, to);
                let body = body.subst(&|v| (v == *var).then(|| Nat::var(fresh)));
                inside.holds(&body, level + 1)
            }
        }
    }
}

/// Equal up to the names of what is bound.
fn same(a: &Prop, b: &Prop) -> bool {
    match (a, b) {
        (
            Prop::ForAll {
                var: x,
                from: f,
                to: t,
                prop: p,
            },
            Prop::ForAll {
                var: y,
                from: g,
                to: u,
                prop: q,
            },
        ) => f == g && t == u && same(p, &q.subst(&|v| (v == *y).then(|| Nat::var(*x)))),
        _ => a == b,
    }
}

/// Whether no value is a multiple: all but the constant part is divisible by what does not divide
/// that.
fn never_multiple(d: i64, a: &Nat) -> bool {
    let constant = a.constant_part();
    let content = (a - constant).content();
    let common = crate::arith::gcd(d.unsigned_abs(), content.unsigned_abs());
    common != 0 && constant.unsigned_abs() % common != 0
}

/// A form in which equal sizes are equal more often, but which nobody wants to read: no
/// remainders, and divisions by constants with no negative coefficient inside.
pub(crate) fn complete(nat: &Nat) -> Nat {
    struct Complete;
    impl Mapper for Complete {
        fn op(&mut self, op: Op, changed: bool, _depth: u32) -> Option<Nat> {
            let quotient = |a: &Nat, b: &Nat| {
                let (quotient, rest) = divide(a, b, Rounding::Floor);
                rest.map_or(quotient.clone(), |(a, b)| &quotient + &Op::Div(a, b).nat())
            };
            match &op {
                Op::Div(a, b) => Some(quotient(a, b)),
                Op::Mod(a, b) if !b.is_zero() => Some(a - plain_mul(b, &quotient(a, b))),
                _ => changed.then(|| build(op)),
            }
        }
    }
    nat.map(&mut Complete)
}

/// Uses ranges and divisibilities on divisions, remainders, minima and maxima.
pub(crate) fn simplify(known: &Known, nat: &Nat) -> Nat {
    if known.nonneg.is_empty() && known.divides.is_empty() && known.zero.is_empty() {
        return nat.clone();
    }
    let simple = nat.map(&mut Simplify(known));
    if known.divides.is_empty() {
        simple
    } else {
        fold_exact(known, &simple)
    }
}

struct Simplify<'a>(&'a Known);

impl Mapper for Simplify<'_> {
    fn op(&mut self, op: Op, changed: bool, _depth: u32) -> Option<Nat> {
        let known = self.0;
        let simple = match &op {
            Op::Div(a, b) => quotient(known, a, b),
            Op::Mod(a, b) => remainder(known, a, b),
            Op::Min(all) => Some(of_members(extremes(known, all, true), Extremum::Min)),
            Op::Max(all) => Some(of_members(extremes(known, all, false), Extremum::Max)),
            _ => None,
        };
        simple.or_else(|| changed.then(|| build(op)))
    }
    fn skips(&self, atom: &Atom, _depth: u32) -> bool {
        !matches!(atom, Atom::Node(_))
    }
}

fn quotient(known: &Known, a: &Nat, b: &Nat) -> Option<Nat> {
    let (quotient, rest) = divide(a, b, Rounding::Truncate);
    let Some((rest, b)) = rest else {
        return Some(quotient);
    };
    if is_nonneg(known, &rest) && is_nonneg(known, &(&b - &rest - 1)) {
        return Some(quotient);
    }
    (is_nonneg(known, &(-&rest - 1)) && is_nonneg(known, &(&b + &rest))).then(|| quotient - 1)
}

fn remainder(known: &Known, a: &Nat, b: &Nat) -> Option<Nat> {
    let rest = if b.is_zero() {
        a.clone()
    } else {
        reduce(a, b, Rounding::Truncate).1
    };
    if is_nonneg(known, &rest) && is_nonneg(known, &(b - &rest - 1)) {
        return Some(rest);
    }
    divides(known, b, &rest).then_some(Nat::ZERO)
}

fn extremes(known: &Known, all: &[Nat], smallest: bool) -> Vec<Nat> {
    let mut kept: Vec<Nat> = Vec::new();
    let beats = |a: &Nat, b: &Nat| {
        let difference = if smallest { b - a } else { a - b };
        is_nonneg(known, &difference)
    };
    for new in all {
        if kept.iter().any(|old| beats(old, new)) {
            continue;
        }
        kept.retain(|old| !beats(new, old));
        kept.push(new.clone());
    }
    kept.sort();
    kept
}

/// Puts `(a/d)*d` together where `d` is known to divide `a`.
fn fold_exact(known: &Known, nat: &Nat) -> Nat {
    for term in nat.terms().iter() {
        for factor in &term.mono.0 {
            let Some(Op::Div(a, d)) = factor.atom.op() else {
                continue;
            };
            let atom = Mono::atom(factor.atom.clone());
            let terms = nat.terms();
            let cofactors = terms.iter().filter_map(|t| {
                Some(Term {
                    mono: t.mono.over(&atom)?,
                    coeff: t.coeff,
                })
            });
            let Some(cofactor) = crate::arith::collect(cofactors.collect()) else {
                continue;
            };
            let Some(times) = cofactor.exact_div(d) else {
                continue;
            };
            if divides(known, d, a) {
                let old = plain_mul(&cofactor, &Nat::from_term(atom, 1));
                return fold_exact(known, &(nat - old + times * a));
            }
        }
    }
    nat.clone()
}

pub(crate) fn is_zero(known: &Known, nat: &Nat) -> bool {
    if nat.is_zero() {
        return true;
    }
    let nat = complete(&simplify(known, nat));
    if nat.is_zero() {
        return true;
    }
    if nat.is_too_big() {
        return false;
    }
    let multiple = |zero: &Nat| nat.exact_div(zero).is_some();
    known.zero.iter().any(multiple)
        || follows_from_equations(known, &nat, 3)
        || (!known.is_empty_of_inequalities(&nat)
            && is_nonneg(known, &nat)
            && is_nonneg(known, &-&nat))
}

/// Adds multiples of equations until nothing is left.
fn follows_from_equations(known: &Known, nat: &Nat, depth: u32) -> bool {
    let Some(lead) = nat.terms().first().cloned() else {
        return true;
    };
    depth > 0
        && known.zero.iter().any(|zero| {
            zero.terms().iter().any(|t| {
                let (Some(mono), Some(0)) =
                    (lead.mono.over(&t.mono), lead.coeff.checked_rem(t.coeff))
                else {
                    return false;
                };
                let part = Nat::from_term(mono, lead.coeff / t.coeff);
                follows_from_equations(known, &(nat - plain_mul(&part, zero)), depth - 1)
            })
        })
}

impl Known {
    fn is_empty_of_inequalities(&self, nat: &Nat) -> bool {
        let nodes = nat.terms().iter().any(|t| t.mono.any_op(|_| true));
        self.nonneg.is_empty() && self.for_all.is_empty() && !nodes
    }
}

/// Whether `d` divides `a` where `d >= 1`.
pub(crate) fn divides(known: &Known, d: &Nat, a: &Nat) -> bool {
    if d.is_one() || a.exact_div(d).is_some() {
        return true;
    }
    let (d, a) = (complete(d), complete(&simplify(known, a)));
    if a.exact_div(&d).is_some() {
        return true;
    }
    let rest = if d.is_zero() {
        a.clone()
    } else {
        reduce(&a, &d, Rounding::Floor).1
    };
    rest.is_zero()
        || d.as_const().is_some_and(|d| divides_all_residues(d, &rest))
        || divides_by_facts(known, &d, &rest, 3)
        || is_zero_by_equations(known, &a)
}

fn is_zero_by_equations(known: &Known, a: &Nat) -> bool {
    !known.zero.is_empty() && follows_from_equations(known, a, 3)
}

/// Takes out multiples of what `d` is known to divide.
fn divides_by_facts(known: &Known, d: &Nat, a: &Nat, depth: u32) -> bool {
    let rest = reduce(a, d, Rounding::Truncate).1;
    if rest.is_zero() || rest.exact_div(d).is_some() {
        return true;
    }
    depth > 0
        && known.divides.iter().any(|(by, multiple)| {
            // d | by*k and by | multiple say d | multiple*k
            let factor = match (by.exact_div(d), d.exact_div(by)) {
                (Some(_), _) => Nat::ONE,
                (None, Some(factor)) => factor,
                _ => return false,
            };
            let multiple = plain_mul(multiple, &factor);
            rest.terms().iter().any(|term| {
                multiple.terms().first().is_some_and(|lead| {
                    let (Some(mono), Some(0)) = (
                        term.mono.over(&lead.mono),
                        term.coeff.checked_rem(lead.coeff),
                    ) else {
                        return false;
                    };
                    let part = Nat::from_term(mono, term.coeff / lead.coeff);
                    divides_by_facts(known, d, &(&rest - plain_mul(&part, &multiple)), depth - 1)
                })
            })
        })
}

/// Tries all residues of the variables: `2` divides `n^2 - n`.
fn divides_all_residues(d: i64, a: &Nat) -> bool {
    let mut vars: Vec<Atom> = Vec::new();
    for factor in a.terms().iter().flat_map(|t| t.mono.0.to_vec()) {
        if factor.exp > 8 {
            return false;
        }
        if !vars.contains(&factor.atom) {
            vars.push(factor.atom);
        }
    }
    let count = u32::try_from(vars.len())
        .ok()
        .and_then(|n| d.checked_pow(n));
    if d < 1 || !count.is_some_and(|count| count <= 1024) {
        return false;
    }
    (0..count.unwrap_or(0)).all(|code| {
        let value = |atom: &Atom| {
            let at = vars.iter().position(|v| v == atom).unwrap_or(0);
            i128::from(code / d.pow(u32::try_from(at).unwrap_or(0)) % d)
        };
        let sum = a.terms().iter().fold(0i128, |sum, t| {
            let product = t.mono.0.iter().fold(i128::from(t.coeff), |product, f| {
                (0..f.exp).fold(product, |p, _| p * value(&f.atom) % i128::from(d))
            });
            sum + product % i128::from(d)
        });
        sum % i128::from(d) == 0
    })
}

/// Whether `nat >= 0` follows.
pub(crate) fn is_nonneg(known: &Known, nat: &Nat) -> bool {
    if nat.is_plainly_nonneg() {
        return true;
    }
    if nat.as_const().is_some() || nat.is_too_big() {
        return false;
    }
    if is_negative_somewhere(known, nat) {
        return false;
    }
    let prover = Prover {
        known,
        steps: Cell::new(MAX_STEPS),
    };
    prover.nonneg(nat, 7)
}

/// Whether a few sizes show that there is nothing to prove, which is cheaper than trying to.
fn is_negative_somewhere(known: &Known, nat: &Nat) -> bool {
    let none = |_: Var, _: i64| None;
    (0..14u32).any(|sample| {
        let value = |var: Var| {
            let mixed = var.0.wrapping_mul(0x9e37_79b9).rotate_left(sample * 2 + 3) % 7;
            Some(match sample {
                0..5 => i64::from(sample),
                5 => 64,
                _ => i64::from(mixed * (1 + sample % 3)),
            })
        };
        let at = |nat: &Nat| nat.eval(&value, &none);
        at(nat).is_some_and(|value| value < 0)
            && known
                .nonneg
                .iter()
                .all(|fact| at(fact).is_some_and(|value| value >= 0))
            && known.zero.iter().all(|fact| at(fact) == Some(0))
            && known.divides.iter().all(|(d, a)| match (at(d), at(a)) {
                (Some(d), Some(a)) => d >= 1 && a % d == 0,
                _ => false,
            })
            && known
                .for_all
                .iter()
                .all(|prop| prop.eval(&value, &none) == Some(true))
    })
}

const MAX_STEPS: u32 = 200;

struct Prover<'a> {
    known: &'a Known,
    steps: Cell<u32>,
}

impl Prover<'_> {
    /// Takes away multiples of what is known to be `>= 0` until what is left plainly is.
    fn nonneg(&self, nat: &Nat, depth: u32) -> bool {
        let nat = tighten(nat);
        if nat.is_plainly_nonneg() {
            return true;
        }
        let left = self.steps.get();
        if depth == 0 || left == 0 || nat.as_const().is_some() || nat.terms().len() > 32 {
            return false;
        }
        self.steps.set(left - 1);
        if let Some(both) = both_cases(&nat) {
            return both.iter().all(|case| self.nonneg(case, depth - 1));
        }
        let terms = nat.terms();
        let bad = |t: &&Term| t.coeff < 0 || !t.mono.is_plainly_nonneg();
        let Some(target) = terms.iter().find(bad) else {
            return true;
        };
        let own = self.bounds(&nat, depth);
        own.iter()
            .chain(&self.known.nonneg)
            .any(|fact| self.with(&nat, target, fact, depth))
            || self.with_equations(&nat, target, depth)
            || self.by_first_value(&nat, depth)
    }

    /// Lets `fact >= 0` cancel the term `target`.
    fn with(&self, nat: &Nat, target: &Term, fact: &Nat, depth: u32) -> bool {
        fact.terms().iter().any(|t| {
            if (t.coeff < 0) != (target.coeff < 0) {
                return false;
            }
            let Some(mono) = target.mono.over(&t.mono).filter(Mono::is_plainly_nonneg) else {
                return false;
            };
            let (Some(scale), Some(times)) = (t.coeff.checked_abs(), target.coeff.checked_abs())
            else {
                return false;
            };
            let (scale, times) = if times % scale == 0 {
                (1, times / scale)
            } else {
                (scale, times)
            };
            let taken = plain_mul(&Nat::from_term(mono, times), fact);
            self.nonneg(&(nat.scale(scale) - taken), depth - 1)
        })
    }

    fn with_equations(&self, nat: &Nat, target: &Term, depth: u32) -> bool {
        self.known.zero.iter().any(|zero| {
            self.with(nat, target, zero, depth) || self.with(nat, target, &-zero, depth)
        })
    }

    /// `p(0) >= 0` and `p(v + 1) >= 0` for a variable that helps: `n*n >= n`.
    fn by_first_value(&self, nat: &Nat, depth: u32) -> bool {
        if depth < 5 {
            return false;
        }
        let mut vars = Vec::new();
        for term in nat.terms().iter().filter(|t| t.coeff < 0) {
            for factor in &term.mono.0 {
                match factor.atom {
                    Atom::Var(var) if !vars.contains(&var) => vars.push(var),
                    _ => {}
                }
            }
        }
        vars.iter().any(|var| {
            let put = |value: Nat| nat.subst(&|v| (v == *var).then(|| value.clone()));
            put(Nat::ZERO).is_plainly_nonneg() && put(Nat::var(*var) + 1).is_plainly_nonneg()
        })
    }

    /// What holds of the operations in `nat` by themselves.
    fn bounds(&self, nat: &Nat, depth: u32) -> Vec<Nat> {
        let mut out = Vec::new();
        for factor in nat.terms().iter().flat_map(|t| t.mono.0.to_vec()) {
            let Atom::Node(node) = &factor.atom else {
                continue;
            };
            let this = factor.atom.clone().nat();
            match &node.op {
                Op::Div(a, b) if self.is_positive_divisor(b, depth) => {
                    let times = plain_mul(b, &this);
                    out.extend([a - &times, &times + b - 1 - a]);
                    if !factor.atom_is_nonneg() && self.nonneg(a, depth.min(3) - 1) {
                        out.push(this);
                    }
                }
                Op::Mod(a, b) if self.is_positive_divisor(b, depth) => {
                    out.extend([b - &this - 1, this.clone()]);
                    if self.nonneg(a, depth.min(3) - 1) {
                        out.push(a - &this);
                    }
                }
                Op::Min(all) => out.extend(all.iter().map(|m| m - &this)),
                Op::Max(all) => out.extend(all.iter().map(|m| &this - m)),
                Op::Pow(base, _) if self.nonneg(&(base - 1), depth.min(3) - 1) => {
                    out.push(&this - 1);
                }
                Op::Log2(a) => out.push(a - &this - 1),
                Op::App(fun, arg) => self.instances(*fun, arg, depth, &mut out),
                _ => {}
            }
        }
        out
    }

    /// A divisor that is not negative is at least 1 wherever the quotient has a value.
    fn is_positive_divisor(&self, b: &Nat, depth: u32) -> bool {
        b.is_plainly_nonneg() || self.nonneg(b, depth.min(3) - 1)
    }

    /// What is known for all arguments of `fun`, for `arg`.
    fn instances(&self, fun: Var, arg: &Nat, depth: u32, out: &mut Vec<Nat>) {
        for prop in &self.known.for_all {
            let Prop::ForAll {
                var,
                from,
                to,
                prop,
            } = prop
            else {
                continue;
            };
            let put = |nat: &Nat| nat.subst(&|v| (v == *var).then(|| arg.clone()));
            if !prop.mentions(fun)
                || !self.nonneg(&(arg - from), depth.min(3) - 1)
                || !self.nonneg(&(to - arg - 1), depth.min(3) - 1)
            {
                continue;
            }
            match &**prop {
                Prop::AtLeast(a, b) => out.push(put(&(a - b))),
                Prop::Equal(a, b) => {
                    let difference = put(&(a - b));
                    out.extend([-&difference, difference]);
                }
                _ => {}
            }
        }
    }
}

impl crate::repr::Factor {
    fn atom_is_nonneg(&self) -> bool {
        Mono::atom(self.atom.clone()).is_plainly_nonneg()
    }
}

/// Integers: `2*n - 1 >= 0` is `n - 1 >= 0`.
fn tighten(nat: &Nat) -> Nat {
    let constant = nat.constant_part();
    let varying = nat - constant;
    let content = varying.content();
    if content < 2 {
        return nat.clone();
    }
    match (
        varying.exact_div(&Nat::constant(content)),
        constant.checked_div_euclid(content),
    ) {
        (Some(varying), Some(constant)) => varying + constant,
        _ => nat.clone(),
    }
}

/// With each member of a minimum that stands for something large, or of a maximum for something
/// small.
fn both_cases(nat: &Nat) -> Option<Vec<Nat>> {
    for term in nat.terms().iter() {
        for factor in term.mono.0.iter().filter(|f| f.exp == 1) {
            let (all, fits) = match factor.atom.op() {
                Some(Op::Min(all)) => (all, term.coeff > 0),
                Some(Op::Max(all)) => (all, term.coeff < 0),
                _ => continue,
            };
            let rest = term.mono.over(&Mono::atom(factor.atom.clone()))?;
            if !fits || !rest.is_plainly_nonneg() {
                continue;
            }
            let others = nat - Nat::from_term(term.mono.clone(), term.coeff);
            let part = Nat::from_term(rest, term.coeff);
            return Some(all.iter().map(|m| &others + plain_mul(&part, m)).collect());
        }
    }
    None
}
