//! The decision of conditions, and the simplification of sizes, under assumptions.

use crate::arith::plain_mul;
use crate::assumptions::{Assumptions, FIRST_FRESH_VAR};
use crate::binding::{Mapper, build};
use crate::division::{Rounding, divide, exact_quotient, reduce};
use crate::facts::Facts;
use crate::functions::{Extremum, of_members};
use crate::nonneg::is_nonneg;
use crate::prop::Prop;
use crate::refutation::{is_nonzero_somewhere, leaves_a_remainder_somewhere};
use crate::repr::{Atom, Mono, Nat, Op, Term, Var};

/// The result of deciding a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The condition holds for all sizes that satisfy the assumptions.
    Proved,
    /// The condition fails for these values of its variables, which satisfy the assumptions that
    /// share variables with it. The search tries small values first, and in general returns the
    /// smallest ones. The list is empty if the condition has no variables.
    Refuted(Vec<(Var, i64)>),
    /// The condition is neither proved nor refuted.
    Unknown,
}

impl Facts {
    /// Assumes that `var`, which is read from memory, is an index below `n`. If `n >= 1` is not
    /// proved, only `var < max(n, 1)` is assumed, because `var < n` would imply `n >= 1`, and
    /// possibly nothing is read.
    pub fn index(&mut self, var: Var, n: &Nat) {
        match self.proves(&Prop::AtLeast(n.clone(), Nat::ONE)) {
            true => self.range(var, &Nat::ZERO, n),
            false => self.range(var, &Nat::ZERO, &Nat::max(n, &Nat::ONE)),
        }
    }

    /// Returns the size simplified by the assumptions: with `s divides n`, `(n/s)*s` becomes `n`.
    pub fn normalize(&self, nat: &Nat) -> Nat {
        if self.is_empty() || nat.as_const().is_some() {
            return nat.clone();
        }
        if nat.as_var().is_some_and(|var| !self.0.has_value(var)) {
            return nat.clone();
        }
        if self.0.substitutions.is_empty() && !nat.terms().iter().any(|t| t.mono.any_op(|_| true)) {
            return nat.clone();
        }
        let inner = self.0.inner(nat);
        let simple = simplify(&self.0, &inner);
        self.0.outer(&simple)
    }

    /// Proves `prop` from the assumptions, or else searches for values for which it fails.
    pub fn prove(&self, prop: &Prop) -> Verdict {
        if self.holds(prop, 0) {
            return Verdict::Proved;
        }
        match crate::counterexample::counterexample(self, prop) {
            Some(sizes) => Verdict::Refuted(sizes),
            None => Verdict::Unknown,
        }
    }

    /// Returns true if `prop` is proved; does not search for a counterexample.
    pub fn proves(&self, prop: &Prop) -> bool {
        self.holds(prop, 0)
    }

    /// Returns true if `prop` is proved to fail for all sizes that satisfy the assumptions:
    /// `4 divides 10`, a divisor that is 0, `3 >= n + 5`.
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
                // The condition fails if the range is not empty and it fails at the first value.
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
                let fresh = Var(FIRST_FRESH_VAR + level);
                let mut inside = self.clone();
                inside.range(fresh, from, to);
                let body = body.subst(&|v| (v == *var).then(|| Nat::var(fresh)));
                inside.holds(&body, level + 1)
            }
        }
    }
}

/// Returns true if two conditions are alpha-equivalent.
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

/// Returns true if no value of `a` is a multiple of `d`, because the greatest common divisor of `d`
/// and the coefficients of the varying terms of `a` does not divide its constant part.
fn never_multiple(d: i64, a: &Nat) -> bool {
    let constant = a.constant_part();
    let content = (a - constant).content();
    let common = crate::arith::gcd(d.unsigned_abs(), content.unsigned_abs());
    common != 0 && !constant.unsigned_abs().is_multiple_of(common)
}

/// Returns a normal form that identifies more equal sizes but is hard to read: it has no remainders
/// (except by 0), and the dividends of positive constants have no negative coefficients.
pub(crate) fn complete(nat: &Nat) -> Nat {
    struct Complete;
    impl Mapper for Complete {
        fn wants(&self, op: &Op) -> bool {
            matches!(op, Op::Div(..) | Op::Mod(..))
        }
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

/// Simplifies divisions, remainders, minima and maxima by the recorded inequalities, divisibilities
/// and equations; returns the size unchanged if there are none.
fn simplify(known: &Assumptions, nat: &Nat) -> Nat {
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

struct Simplify<'a>(&'a Assumptions);

impl Mapper for Simplify<'_> {
    fn wants(&self, op: &Op) -> bool {
        matches!(op, Op::Div(..) | Op::Mod(..) | Op::Min(_) | Op::Max(_))
    }
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

fn quotient(known: &Assumptions, a: &Nat, b: &Nat) -> Option<Nat> {
    let (quotient, rest) = divide(a, b, Rounding::Truncate);
    let Some((rest, b)) = rest else {
        return Some(quotient);
    };
    if is_nonneg(known, &rest) && is_nonneg(known, &(&b - &rest - 1)) {
        return Some(quotient);
    }
    if let Some(parts) = decompose(known, &rest, &b) {
        return Some(quotient + divided(known, &parts.steps, &parts.count));
    }
    if let Some(exact) = by_powers(known, &rest, &b) {
        return Some(quotient + exact);
    }
    (is_nonneg(known, &(-&rest - 1)) && is_nonneg(known, &(&b + &rest))).then(|| quotient - 1)
}

/// Divides exactly by symbolic powers, using the assumptions for the signs of exponents; `None` if
/// no exact quotient is found.
fn by_powers(known: &Assumptions, a: &Nat, b: &Nat) -> Option<Nat> {
    let is_nonneg = |exp: &Nat| is_nonneg(known, exp);
    match b.as_const() {
        Some(b) => exact_quotient(a, b, &is_nonneg),
        None => a.ratio_where(b, &is_nonneg),
    }
}

fn remainder(known: &Assumptions, a: &Nat, b: &Nat) -> Option<Nat> {
    let rest = if b.is_zero() {
        a.clone()
    } else {
        reduce(a, b, Rounding::Truncate).1
    };
    if is_nonneg(known, &rest) && is_nonneg(known, &(b - &rest - 1)) {
        return Some(rest);
    }
    if let Some(parts) = decompose(known, &rest, b) {
        let Decomposition {
            step,
            steps,
            count,
            within,
        } = parts;
        let rest = remainder(known, &steps, &count).unwrap_or_else(|| Nat::rem(&steps, &count));
        return Some(step * rest + within);
    }
    divides(known, b, &rest).then_some(Nat::ZERO)
}

/// A decomposition of a dividend into `step*steps + within` with `0 <= within < step`, and of a
/// divisor into `step*count`. The quotient is `steps / count`, and the remainder
/// `step*(steps % count) + within`.
struct Decomposition {
    step: Nat,
    steps: Nat,
    count: Nat,
    within: Nat,
}

/// Decomposes a dividend by a factor of the divisor that is proved to be greater than the sum of
/// those terms of the dividend that this factor does not divide, where this sum is proved not to be
/// negative. Returns `None` if no such factor is found; a factor that divides all terms is none.
fn decompose(known: &Assumptions, a: &Nat, b: &Nat) -> Option<Decomposition> {
    let all = a.terms();
    let of_divisor = b.common_mono();
    let content = b.content().unsigned_abs();
    all.iter().find_map(|term| {
        let coeff = crate::arith::gcd(content, term.coeff.unsigned_abs());
        let step = Nat::from_term(term.mono.common(&of_divisor), i64::try_from(coeff).ok()?);
        if step.is_one() || !step.is_plainly_nonneg() {
            return None;
        }
        let count = b.exact_div(&step).filter(Nat::is_plainly_nonneg)?;
        let part = |term: &Term| Nat::from_term(term.mono.clone(), term.coeff);
        let (mut steps, mut within) = (Nat::ZERO, Nat::ZERO);
        for term in all.iter() {
            match part(term).exact_div(&step) {
                Some(multiple) => steps = steps + multiple,
                None => within = within + part(term),
            }
        }
        let fits = !within.is_zero()
            && is_nonneg(known, &within)
            && is_nonneg(known, &(&step - &within - 1));
        fits.then_some(Decomposition {
            step,
            steps,
            count,
            within,
        })
    })
}

fn divided(known: &Assumptions, a: &Nat, b: &Nat) -> Nat {
    quotient(known, a, b).unwrap_or_else(|| Nat::div(a, b))
}

fn extremes(known: &Assumptions, all: &[Nat], smallest: bool) -> Vec<Nat> {
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

/// Replaces `(a/d)*d` by `a`, also if it is multiplied by a factor, if `d` is proved to divide `a`.
fn fold_exact(known: &Assumptions, nat: &Nat) -> Nat {
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

pub(crate) fn is_zero(known: &Assumptions, nat: &Nat) -> bool {
    if nat.is_zero() {
        return true;
    }
    if is_nonzero_somewhere(known, nat) {
        return false;
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

/// Proves that a size is 0: subtracts multiples of at most `depth` sizes that are assumed to be 0,
/// by backtracking, until nothing is left. Returns true if that succeeds.
fn follows_from_equations(known: &Assumptions, nat: &Nat, depth: u32) -> bool {
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

impl Assumptions {
    fn is_empty_of_inequalities(&self, nat: &Nat) -> bool {
        let nodes = nat.terms().iter().any(|t| t.mono.any_op(|_| true));
        self.nonneg.is_empty() && self.for_all.is_empty() && !nodes
    }
}

/// Returns true if `d` is proved to divide `a`, provided that `d >= 1`, which is not checked.
pub(crate) fn divides(known: &Assumptions, d: &Nat, a: &Nat) -> bool {
    if d.is_one() || a.exact_div(d).is_some() {
        return true;
    }
    // Without values, nothing refutes the divisibility of a size that is too large, and each level
    // of remainders would be simplified again for each level around it.
    if d.is_too_big() || a.is_too_big() || leaves_a_remainder_somewhere(known, d, a) {
        return false;
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
        || by_powers(known, &rest, &d).is_some()
        || divides_by_facts(known, &d, &rest, 3)
        || is_zero_by_equations(known, &a)
}

fn is_zero_by_equations(known: &Assumptions, a: &Nat) -> bool {
    !known.zero.is_empty() && follows_from_equations(known, a, 3)
}

/// Proves that `d` divides `a`: subtracts multiples of at most `depth` sizes that are known to be
/// divisible by `d`, by backtracking. Returns true if `d` divides what is left.
fn divides_by_facts(known: &Assumptions, d: &Nat, a: &Nat, depth: u32) -> bool {
    let rest = reduce(a, d, Rounding::Truncate).1;
    if rest.is_zero() || rest.exact_div(d).is_some() {
        return true;
    }
    depth > 0
        && known.divides.iter().any(|(by, multiple)| {
            // `d | by*k` and `by | multiple` imply `d | multiple*k`.
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

/// Proves that `d` divides `a` by trying all residues of the atoms modulo `d`, for example that 2
/// divides `n^2 - n`. Returns true if that succeeds, and false without trying for more than 1024
/// combinations of residues or an exponent above 8.
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
    if d < 1 || count.is_none_or(|count| count > 1024) {
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
