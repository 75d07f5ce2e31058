//! The prover of inequalities, a search for proofs with increasing depth.

use crate::arith::{plain_add, plain_mul, try_add, try_mul};
use crate::assumptions::Assumptions;
use crate::prop::Prop;
use crate::refutation::{is_negative_by_search, is_negative_somewhere};
use crate::repr::{Atom, Factor, Mono, Nat, Op, Term, Var};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Returns true if `nat >= 0` is proved from the assumptions.
pub(crate) fn is_nonneg(known: &Assumptions, nat: &Nat) -> bool {
    if nat.is_plainly_nonneg() {
        return true;
    }
    if nat.as_const().is_some() || nat.is_too_big() {
        return false;
    }
    let prover = Prover {
        known,
        work: Cell::new(MAX_VISITED_TERMS),
        is_cut: Cell::new(false),
        bounds: RefCell::default(),
    };
    // Iterative deepening: short proofs are tried first, so that one wrong branch does not use up
    // the work limit.
    for depth in 1..=MAX_DEPTH {
        // Proofs of the smallest depths are cheaper than refutations.
        if depth == MIN_REFUTATION_DEPTH && is_negative_somewhere(known, nat) {
            return false;
        }
        if depth == MIN_LOCAL_SEARCH_DEPTH && is_negative_by_search(known, nat) {
            return false;
        }
        prover.work.set(MAX_VISITED_TERMS);
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

/// The depth at which, before the search for a proof, the condition is tested once at the sample
/// points.
const MIN_REFUTATION_DEPTH: u32 = 2;
/// The depth at which, before the search for a proof, a point that refutes the condition is
/// searched for once.
const MIN_LOCAL_SEARCH_DEPTH: u32 = 4;
/// The greatest number of successive steps of a proof, each of which uses a fact, eliminates a
/// division or distinguishes cases.
const MAX_DEPTH: u32 = 7;
/// The greatest amount of work at each depth: the number of visited terms, plus 8 for each size.
const MAX_VISITED_TERMS: usize = 1_500;
/// The depth of proofs of side conditions, such as that a divisor is positive.
const SIDE_CONDITION_DEPTH: u32 = 2;

struct Prover<'a> {
    known: &'a Assumptions,
    work: Cell<usize>,
    /// A flag that is set if a proof was abandoned because of the depth limit.
    is_cut: Cell<bool>,
    /// A memo table of the bounds of operations.
    bounds: RefCell<Vec<(Atom, Rc<[Nat]>)>>,
}

impl Prover<'_> {
    /// Proves `nat >= 0`: mainly subtracts multiples of sizes that are known to be `>= 0`, by
    /// backtracking, until the form of the rest shows that it is not negative. Returns true if that
    /// succeeds in at most `depth` steps within the work limit; a rest with more than 32 terms is
    /// not examined further.
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

    /// Eliminates the first division that is a summand of its own, with the coefficient 1 or -1,
    /// and whose divisor is plainly non-negative: `a/b + r >= 0` follows from `a + b*r >= 0`, and
    /// `r - a/b >= 0` from `b*r + b - 1 - a >= 0`. Returns the size that has to be `>= 0` instead,
    /// or `None` if there is no such division.
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

    /// Proves `nat >= 0`: subtracts a multiple of `fact`, which is `>= 0`, such that the term
    /// `target` is cancelled, and proves that the rest is `>= 0`. Returns true if that succeeds.
    fn with(&self, nat: &Nat, target: &Term, fact: &Nat, depth: u32) -> bool {
        fact.terms().iter().any(|t| {
            if (t.coeff < 0) != (target.coeff < 0) {
                return false;
            }
            let Some(mono) = target.mono.over(&t.mono).filter(Mono::is_plainly_nonneg) else {
                return false;
            };
            // Terms of higher degree would have to be cancelled in turn, which rarely succeeds.
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

    /// Proves `nat >= 0` by `b^e >= b^f` for `b >= 1` and `e >= f`, where `b^f` is a factor of the
    /// negative term `target`. Returns true if that succeeds.
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
                    let side = |nat: &Nat| self.nonneg(nat, SIDE_CONDITION_DEPTH);
                    if !side(&plain_add(more, less, -1)) || !side(&plain_add(base, &Nat::ONE, -1)) {
                        return false;
                    }
                    let (large, small) = (large.atom.clone().nat(), small.atom.clone().nat());
                    self.with(nat, target, &plain_add(&large, &small, -1), depth)
                })
        })
    }

    /// Proves `nat >= 0` by two cases of a variable `v`, 0 and a successor: their forms show that
    /// `nat` is not negative with 0 and with `v + 1` for `v`, as for `n*n >= n`. Returns true if
    /// that succeeds.
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
        // At 0 the terms with the variable vanish, so it must occur in all bad terms.
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

    /// Returns sizes that are `>= 0` by the definition of the operation `factor.atom`, or, if it is
    /// the application of a function, by the assumptions on the function; none if the atom is no
    /// operation, or if its bounds are just being computed.
    fn bounds(&self, factor: &Factor) -> Rc<[Nat]> {
        let Atom::Node(node) = &factor.atom else {
            return Rc::default();
        };
        let known = self.bounds.borrow();
        if let Some((_, bounds)) = known.iter().find(|(atom, _)| *atom == factor.atom) {
            return bounds.clone();
        }
        drop(known);
        // An empty entry stops the recursion if the bounds are needed for their own computation.
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
        let side = |nat: &Nat| self.nonneg(nat, SIDE_CONDITION_DEPTH);
        let mut out = Vec::new();
        match op {
            // A divisor that is not negative is at least 1 wherever the division is defined.
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
                // For example, `2^(6-i)` is at most 64.
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

    /// Instantiates the assumptions of the form `Prop::ForAll` that mention `fun` at `arg`, if
    /// `arg` is proved to be in their range. Adds the sizes that are `>= 0` by an inequality or an
    /// equation found in this way to `out`; divisibilities and nested ranges are left out.
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
                || !self.nonneg(&(arg - from), SIDE_CONDITION_DEPTH)
                || !self.nonneg(&(to - arg - 1), SIDE_CONDITION_DEPTH)
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

/// Returns the greatest degree of a term of the size; 0 for the size 0.
fn degree(nat: &Nat) -> u64 {
    nat.terms().first().map_or(0, |t| t.mono.degree())
}

/// Tightens an inequality of integers: `2*n - 1 >= 0` becomes `n - 1 >= 0`.
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

/// Splits by the members of the first minimum in a term with a positive coefficient, or maximum in
/// a term with a negative one, whose other factors are plainly non-negative: if all returned sizes
/// are `>= 0`, so is `nat`. Returns `None` if there is no such minimum or maximum.
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
