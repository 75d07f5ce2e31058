//! What is at least 0.

use crate::arith::{plain_add, plain_mul, try_add, try_mul};
use crate::facts::Known;
use crate::points::{is_negative_by_search, is_negative_somewhere};
use crate::prop::Prop;
use crate::repr::{Atom, Factor, Mono, Nat, Op, Term, Var};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Whether `nat >= 0` follows.
pub(crate) fn is_nonneg(known: &Known, nat: &Nat) -> bool {
    if nat.is_plainly_nonneg() {
        return true;
    }
    if nat.as_const().is_some() || nat.is_too_big() {
        return false;
    }
    let prover = Prover {
        known,
        work: Cell::new(MAX_WORK),
        is_cut: Cell::new(false),
        bounds: RefCell::default(),
    };
    // Short proofs first: a wrong turn must not use up the work.
    for depth in 1..=MAX_DEPTH {
        // The shortest are cheaper still than to see that there is none.
        if depth == FIRST_REFUTED && is_negative_somewhere(known, nat) {
            return false;
        }
        if depth == FIRST_SEARCHED && is_negative_by_search(known, nat) {
            return false;
        }
        prover.work.set(MAX_WORK);
        prover.is_cut.set(false);
        if prover.nonneg(nat, depth) {
            return true;
        }
        if !prover.is_cut.get() {
            break;
        }
    }
    false
}

/// The length of proof from which on it is first asked whether there can be one.
const FIRST_REFUTED: u32 = 2;
/// The length of proof from which on it is asked whether there can be one by looking for sizes at
/// which the condition fails.
const FIRST_SEARCHED: u32 = 4;
/// Facts that a proof uses one after another.
const MAX_DEPTH: u32 = 7;
/// Terms that are looked at before a proof of some depth is given up.
const MAX_WORK: usize = 1_500;
/// Levels of a proof within a proof: that a divisor is positive, and the like.
const SIDE_DEPTH: u32 = 2;

struct Prover<'a> {
    known: &'a Known,
    work: Cell<usize>,
    /// Whether something was left because it was too deep.
    is_cut: Cell<bool>,
    /// What is known of operations by themselves, as far as it was asked for.
    bounds: RefCell<Vec<(Atom, Rc<[Nat]>)>>,
}

impl Prover<'_> {
    /// Takes away multiples of what is known to be `>= 0` until what is left plainly is.
    fn nonneg(&self, nat: &Nat, depth: u32) -> bool {
        let nat = tighten(nat);
        if nat.is_plainly_nonneg() {
            return true;
        }
        if depth == 0 && nat.as_const().is_none() {
            self.is_cut.set(true);
        }
        let len = nat.terms().len();
        if depth == 0 || nat.as_const().is_some() || len > 32 || !self.spend(8 + len) {
            return false;
        }
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
        terms.iter().flat_map(|t| &t.mono.0).any(|factor| {
            let own = self.bounds(factor);
            own.iter().any(|fact| self.with(&nat, target, fact, depth))
        }) || self
            .known
            .nonneg
            .iter()
            .any(|fact| self.with(&nat, target, fact, depth))
            || self.with_powers(&nat, target, depth)
            || self.with_equations(&nat, target, depth)
            || Self::by_first_value(&nat)
    }

    fn spend(&self, work: usize) -> bool {
        let left = self.work.get().checked_sub(work);
        self.work.set(left.unwrap_or(0));
        left.is_some()
    }

    /// `a/b + r >= 0` says `a + b*r >= 0`, and `r - a/b >= 0` says `b*r + b - 1 - a >= 0`.
    fn without_division(&self, nat: &Nat) -> Option<Nat> {
        for term in nat.terms().iter().filter(|t| matches!(t.coeff, 1 | -1)) {
            let [factor] = term.mono.0.as_slice() else {
                continue;
            };
            let Some(Op::Div(a, b)) = factor.atom.op() else {
                continue;
            };
            if factor.exp != 1 || !b.is_plainly_nonneg() {
                continue;
            }
            let this = Nat::from_term(term.mono.clone(), term.coeff);
            let rest = plain_add(nat, &this, -1);
            let times = plain_mul(&rest, b);
            if term.coeff > 0 {
                return Some(plain_add(&times, a, 1));
            }
            let below = plain_add(b, &Nat::ONE, -1);
            return Some(plain_add(&plain_add(&times, &below, 1), a, -1));
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
            // Higher degrees would have to be cancelled in turn, which they hardly ever are.
            if !mono.is_one() && mono.degree() + degree(fact) > degree(nat) {
                return false;
            }
            let (Some(scale), Some(times)) = (t.coeff.checked_abs(), target.coeff.checked_abs())
            else {
                return false;
            };
            let (scale, times) = if times % scale == 0 {
                (1, times / scale)
            } else {
                (scale, times)
            };
            if !self.spend(nat.terms().len() + fact.terms().len()) {
                return false;
            }
            let taken = try_mul(&Nat::from_term(mono, times), fact);
            let nat = try_mul(nat, &Nat::constant(scale));
            let left = nat
                .zip(taken)
                .and_then(|(nat, taken)| try_add(&nat, &taken, -1));
            left.is_some_and(|left| self.nonneg(&left, depth - 1))
        })
    }

    fn with_equations(&self, nat: &Nat, target: &Term, depth: u32) -> bool {
        self.known.zero.iter().any(|zero| {
            self.with(nat, target, zero, depth) || self.with(nat, target, &-zero, depth)
        })
    }

    /// `b^e >= b^f` for `b >= 1` and `e >= f`.
    fn with_powers(&self, nat: &Nat, target: &Term, depth: u32) -> bool {
        fn powers(term: &Term) -> impl Iterator<Item = (&Factor, &Nat, &Nat)> {
            term.mono
                .0
                .iter()
                .filter_map(|factor| match factor.atom.op() {
                    Some(Op::Pow(base, exp)) => Some((factor, base, exp)),
                    _ => None,
                })
        }
        if target.coeff >= 0 {
            return false;
        }
        let terms = nat.terms();
        powers(target).any(|(small, base, less)| {
            let larger = terms.iter().filter(|t| t.coeff > 0).flat_map(powers);
            larger
                .filter(|(_, b, _)| *b == base)
                .any(|(large, _, more)| {
                    let side = |nat: &Nat| self.nonneg(nat, SIDE_DEPTH);
                    if !side(&plain_add(more, less, -1)) || !side(&plain_add(base, &Nat::ONE, -1)) {
                        return false;
                    }
                    let (large, small) = (large.atom.clone().nat(), small.atom.clone().nat());
                    self.with(nat, target, &plain_add(&large, &small, -1), depth)
                })
        })
    }

    /// `p(0) >= 0` and `p(v + 1) >= 0` for a variable that helps: `n*n >= n`.
    fn by_first_value(nat: &Nat) -> bool {
        let terms = nat.terms();
        let mut bad = terms
            .iter()
            .filter(|t| t.coeff < 0 || !t.mono.is_plainly_nonneg());
        let Some(first) = bad.next() else { return true };
        let vars = first.mono.0.iter().filter_map(|f| match f.atom {
            Atom::Var(var) => Some(var),
            _ => None,
        });
        // At 0 only the other terms are left.
        let mut helping = vars.filter(|var| {
            let atom = Atom::Var(*var);
            let has = |t: &Term| t.mono.0.iter().any(|f| f.atom == atom);
            bad.clone().all(has)
        });
        helping.any(|var| {
            let put = |value: Nat| nat.subst(&|v| (v == var).then(|| value.clone()));
            put(Nat::var(var) + 1).is_plainly_nonneg() && put(Nat::ZERO).is_plainly_nonneg()
        })
    }

    /// What holds of an operation by itself.
    fn bounds(&self, factor: &Factor) -> Rc<[Nat]> {
        let Atom::Node(node) = &factor.atom else {
            return Rc::default();
        };
        let known = self.bounds.borrow();
        if let Some((_, bounds)) = known.iter().find(|(atom, _)| *atom == factor.atom) {
            return bounds.clone();
        }
        drop(known);
        // In case it is asked for on the way.
        self.bounds
            .borrow_mut()
            .push((factor.atom.clone(), Rc::default()));
        let bounds: Rc<[Nat]> = self.find_bounds(&node.op, factor).into();
        for (atom, known) in self.bounds.borrow_mut().iter_mut() {
            if *atom == factor.atom {
                *known = bounds.clone();
            }
        }
        bounds
    }

    fn find_bounds(&self, op: &Op, factor: &Factor) -> Vec<Nat> {
        let this = factor.atom.clone().nat();
        let minus_this = |nat: &Nat| plain_add(nat, &this, -1);
        let side = |nat: &Nat| self.nonneg(nat, SIDE_DEPTH);
        let mut out = Vec::new();
        match op {
            // A divisor that is not negative is at least 1 wherever there is a value.
            Op::Div(a, b) if side(b) => {
                let rest = plain_add(a, &plain_mul(b, &this), -1);
                out.push(plain_add(&plain_add(b, &Nat::ONE, -1), &rest, -1));
                out.push(rest);
                if !factor.atom_is_nonneg() && side(a) {
                    out.push(this);
                }
            }
            Op::Mod(a, b) if side(b) => {
                out.push(minus_this(&plain_add(b, &Nat::ONE, -1)));
                if side(a) {
                    out.push(minus_this(a));
                }
                out.push(this);
            }
            Op::Min(all) => out.extend(all.iter().map(minus_this)),
            Op::Max(all) => out.extend(all.iter().map(|m| plain_add(&this, m, -1))),
            Op::Pow(base, exp) if side(&plain_add(base, &Nat::ONE, -1)) => {
                out.push(plain_add(&this, &Nat::ONE, -1));
                // 2^(6-i) is at most 64.
                let most = Nat::constant(exp.constant_part());
                if base.as_const().is_some() && side(&plain_add(&most, exp, -1)) {
                    let most = Nat::pow(base, &most);
                    out.extend(most.as_const().map(|_| minus_this(&most)));
                }
            }
            Op::Log2(a) => out.push(minus_this(&plain_add(a, &Nat::ONE, -1))),
            Op::App(fun, arg) => self.instances(*fun, arg, &mut out),
            _ => {}
        }
        out
    }

    /// What is known for all arguments of `fun`, for `arg`.
    fn instances(&self, fun: Var, arg: &Nat, out: &mut Vec<Nat>) {
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
                || !self.nonneg(&(arg - from), SIDE_DEPTH)
                || !self.nonneg(&(to - arg - 1), SIDE_DEPTH)
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

/// Of the first term, which no other exceeds.
fn degree(nat: &Nat) -> u64 {
    nat.terms().first().map_or(0, |t| t.mono.degree())
}

/// Integers: `2*n - 1 >= 0` is `n - 1 >= 0`.
pub(crate) fn tighten(nat: &Nat) -> Nat {
    let constant = nat.constant_part();
    let varying = plain_add(nat, &Nat::constant(constant), -1);
    let content = varying.content();
    if content < 2 {
        return nat.clone();
    }
    match (
        varying.exact_div(&Nat::constant(content)),
        constant.checked_div_euclid(content),
    ) {
        (Some(varying), Some(constant)) => plain_add(&varying, &Nat::constant(constant), 1),
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
