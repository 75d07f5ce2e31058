//! What is at least 0.

use crate::arith::plain_mul;
use crate::facts::Known;
use crate::prop::Prop;
use crate::repr::{Atom, Factor, Mono, Nat, Op, Term, Var};
use std::cell::Cell;

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
        if let Some(same) = self.without_division(&nat)
            && self.nonneg(&same, depth - 1)
        {
            return true;
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

    /// `a/b + r >= 0` says `a + b*r >= 0`, and `r - a/b >= 0` says `b*r + b - 1 - a >= 0`.
    fn without_division(&self, nat: &Nat) -> Option<Nat> {
        for term in nat.terms().iter().filter(|t| t.coeff.abs() == 1) {
            let [factor] = term.mono.0.as_slice() else {
                continue;
            };
            let Some(Op::Div(a, b)) = factor.atom.op() else {
                continue;
            };
            if factor.exp != 1 || !b.is_plainly_nonneg() {
                continue;
            }
            let rest = nat - Nat::from_term(term.mono.clone(), term.coeff);
            let times = plain_mul(&rest, b);
            return Some(if term.coeff > 0 {
                times + a
            } else {
                times + b - 1 - a
            });
        }
        None
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

impl Factor {
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
