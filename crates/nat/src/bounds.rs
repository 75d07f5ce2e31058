//! Bounds of sizes over the range of a variable, by interval arithmetic.

use crate::arith::{plain_add, plain_mul};
use crate::binding::shift;
use crate::facts::Facts;
use crate::nonneg::is_nonneg;
use crate::repr::{Atom, Nat, Op, Term, Var};

impl Facts {
    /// Returns a size without `var` that, under the assumptions, `nat` does not exceed where
    /// `least <= var <= greatest`, or `None` if none is found. `least` and `greatest` must not
    /// mention `var`.
    ///
    /// The bound is not always the smallest one: each occurrence of the variable is replaced
    /// separately by the value that makes the size larger. For example, that of `i*(n - i)` is
    /// `n*greatest - least^2`.
    pub fn upper_bound(&self, nat: &Nat, var: Var, least: &Nat, greatest: &Nat) -> Option<Nat> {
        let mut facts = self.clone();
        facts.range(var, least, &(greatest + 1));
        let range = Range {
            facts: &facts,
            var,
            least,
            greatest,
        };
        range.bound(nat, BoundKind::Upper, 0)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum BoundKind {
    Lower,
    Upper,
}

impl BoundKind {
    fn other(self) -> BoundKind {
        match self {
            BoundKind::Lower => BoundKind::Upper,
            BoundKind::Upper => BoundKind::Lower,
        }
    }
}

struct Range<'a> {
    facts: &'a Facts,
    var: Var,
    least: &'a Nat,
    greatest: &'a Nat,
}

impl Range<'_> {
    /// Returns a lower or upper bound without the variable for a size inside `depth` sums, or
    /// `None` if none is found.
    fn bound(&self, nat: &Nat, side: BoundKind, depth: u32) -> Option<Nat> {
        if !nat.mentions(self.var) {
            return Some(nat.clone());
        }
        let mut total = Nat::ZERO;
        for term in nat.terms().iter() {
            let side = if term.coeff < 0 { side.other() } else { side };
            total = plain_add(&total, &self.bound_of_term(term, side, depth)?, 1);
        }
        Some(total)
    }

    /// Returns the product of the coefficient of a term and the `side` bounds of its factors,
    /// without the variable. Returns `None` if the term mentions the variable and one of its
    /// factors has no bound or is not proved to be non-negative.
    fn bound_of_term(&self, term: &Term, side: BoundKind, depth: u32) -> Option<Nat> {
        let mono = Nat::from_term(term.mono.clone(), 1);
        if !mono.mentions(self.var) {
            return Some(Nat::from_term(term.mono.clone(), term.coeff));
        }
        let mut product = Nat::constant(term.coeff);
        for factor in &term.mono.0 {
            if !self.is_nonneg_atom(&factor.atom, depth) {
                return None;
            }
            let bound = self.bound_of_atom(&factor.atom, side, depth)?;
            let power = Nat::pow(&bound, &Nat::constant(i64::from(factor.exp)));
            product = plain_mul(&product, &power);
        }
        Some(product)
    }

    fn bound_of_atom(&self, atom: &Atom, side: BoundKind, depth: u32) -> Option<Nat> {
        let nat = atom.clone().nat();
        if !nat.mentions(self.var) {
            return Some(nat);
        }
        let bound = |nat: &Nat, side: BoundKind| self.bound(nat, side, depth);
        match atom.op() {
            None => {
                let value = match side {
                    BoundKind::Lower => self.least,
                    BoundKind::Upper => self.greatest,
                };
                Some(shift(value.clone(), depth))
            }
            Some(Op::Div(a, b)) => {
                let divisor = match b.mentions(self.var) {
                    false => b.clone(),
                    true if !self.is_nonneg(a, depth) => return None,
                    true => bound(b, side.other())?,
                };
                match self.is_nonneg(&(&divisor - 1), depth) || !b.mentions(self.var) {
                    true => Some(Nat::div(&bound(a, side)?, &divisor)),
                    // A divisor is at least 1 wherever the division is defined.
                    false if side == BoundKind::Upper => bound(a, side),
                    false => Some(Nat::ZERO),
                }
            }
            Some(Op::Mod(_, b)) => match side {
                BoundKind::Lower => Some(Nat::ZERO),
                BoundKind::Upper => Some(bound(b, side)? - 1),
            },
            Some(Op::Pow(base, exp)) if self.is_nonneg(&(base - 1), depth) => {
                Some(Nat::pow(&bound(base, side)?, &bound(exp, side)?))
            }
            Some(Op::Min(all)) => self.bound_of_all(all, side, depth, Nat::min),
            Some(Op::Max(all)) => self.bound_of_all(all, side, depth, Nat::max),
            Some(Op::Log2(a)) => Some(Nat::log2(&bound(a, side)?)),
            Some(Op::Sum { from, to, body }) => {
                let from = bound(from, side.other())?;
                let to = bound(to, side)?;
                let body = self.bound(body, side, depth + 1)?;
                Some(crate::binding::sum_of(&from, &to, &body))
            }
            Some(Op::BigAdd(a, b)) => Some(plain_add(&bound(a, side)?, &bound(b, side)?, 1)),
            Some(Op::BigMul(a, b)) if self.is_nonneg(a, depth) && self.is_nonneg(b, depth) => {
                Some(plain_mul(&bound(a, side)?, &bound(b, side)?))
            }
            Some(Op::Pow(..) | Op::BigMul(..) | Op::App(..) | Op::TooBig { .. }) => None,
        }
    }

    fn bound_of_all(
        &self,
        all: &[Nat],
        side: BoundKind,
        depth: u32,
        join: fn(&Nat, &Nat) -> Nat,
    ) -> Option<Nat> {
        let mut bounds = all.iter().map(|nat| self.bound(nat, side, depth));
        let first = bounds.next()??;
        bounds.try_fold(first, |known, next| Some(join(&known, &next?)))
    }

    fn is_nonneg_atom(&self, atom: &Atom, depth: u32) -> bool {
        match atom.op() {
            Some(Op::Sum { from, body, .. }) => {
                self.is_nonneg(from, depth) && self.is_nonneg(body, depth + 1)
            }
            _ => self.is_nonneg(&atom.clone().nat(), depth),
        }
    }

    /// Returns true if a size inside `depth` sums is proved not to be negative; the indices of the
    /// sums are treated as variables.
    fn is_nonneg(&self, nat: &Nat, depth: u32) -> bool {
        let index = |at: u32| Nat::var(Var(u32::MAX - at));
        let open = (0..depth).fold(nat.clone(), |nat, at| nat.open(&index(at)));
        is_nonneg(&self.facts.0, &open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_for_each_value_in_the_range() {
        let [i, n, m] = [0, 1, 2].map(|number| Nat::var(Var(number)));
        let two = Nat::constant(2);
        let j = Var(3);
        let bounded = [
            &i * (&i + 2) * &m + &m,
            &n * &i - &i * &i,
            Nat::div(&(&n * &i), &(&i + 1)),
            Nat::div(&(&i * &i), &two) - Nat::rem(&n, &(&i + 1)),
            Nat::pow(&two, &i),
            Nat::max(&(&i * 3), &(&n - &i)),
            Nat::min(&(&i * &m), &n),
            Nat::sum(j, &Nat::ZERO, &i, &Nat::div(&(Nat::var(j) * &i), &(&m + 1))),
        ];
        let facts = Facts::new();
        for nat in &bounded {
            let bound = facts.upper_bound(nat, Var(0), &Nat::ZERO, &(&n - 1));
            let bound = bound.unwrap_or_else(|| panic!("{nat:?} has no bound"));
            assert!(!bound.mentions(Var(0)), "{bound:?}");
            for (n, m) in [(1, 0), (3, 2), (7, 5)] {
                let value = |nat: &Nat, at: i64| {
                    let vars = |var: Var| [Some(at), Some(n), Some(m)].get(var.0 as usize).copied();
                    nat.eval(&|var| vars(var).flatten(), &|_, _| None)
                        .unwrap_or(0)
                };
                assert!(
                    (0..n).all(|at| value(nat, at) <= value(&bound, 0)),
                    "{nat:?} <= {bound:?}"
                );
            }
        }
    }

    #[test]
    fn a_size_that_grows_takes_the_greatest_value() {
        let [i, n, m] = [0, 1, 2].map(|number| Nat::var(Var(number)));
        let bound = |nat: &Nat| Facts::new().upper_bound(nat, Var(0), &Nat::ZERO, &(&n - 1));
        assert_eq!(bound(&(&i * (&i + 2) * &m + &m)), Some(&n * &n * &m));
        assert_eq!(bound(&Nat::apply(Var(4), &i)), None);
    }
}
