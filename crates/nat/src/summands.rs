//! The structure of sizes, for printing them in other notations.

use crate::arith::plain_mul;
use crate::repr::{Atom, Nat, Op, Repr, Term, Var};
use smallvec::SmallVec;

/// A summand of a size, the product of `coeff` and `factors`.
#[derive(Clone, Debug, PartialEq)]
pub struct Summand<'a> {
    /// The coefficient, which is not 0.
    pub coeff: i64,
    /// The factors with their exponents, which are `>= 1`; empty for a constant.
    pub factors: SmallVec<[(Part<'a>, u32); 2]>,
}

/// An atom of a size: a variable, an index, or an operation that is no sum or product in normal
/// form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A variable.
    Var(Var),
    /// The index of an enclosing [`Part::Sum`], as a de Bruijn index: 0 is that of the innermost
    /// one.
    Index(u32),
    /// The quotient `a / b`, rounded down.
    Div(&'a Nat, &'a Nat),
    /// The remainder `a % b` of floor division.
    Rem(&'a Nat, &'a Nat),
    /// The power `a ^ b`.
    Pow(&'a Nat, &'a Nat),
    /// The smallest of at least two sizes.
    Min(&'a [Nat]),
    /// The largest of at least two sizes.
    Max(&'a [Nat]),
    /// The logarithm to base 2, rounded down.
    Log2(&'a Nat),
    /// The sum of `body` over `from <= index < to`.
    Sum {
        /// The first index.
        from: &'a Nat,
        /// The exclusive upper bound of the index.
        to: &'a Nat,
        /// The summed size; its [`Part::Index`] 0 is the index of this sum.
        body: &'a Nat,
    },
    /// The application `f(a)` of a function variable.
    Apply(Var, &'a Nat),
    /// The sum `a + b`, not computed as a polynomial because of an overflow or too many terms.
    Add(&'a Nat, &'a Nat),
    /// The product `a * b`, not computed as a polynomial because of an overflow or too many terms.
    Mul(&'a Nat, &'a Nat),
    /// An operation beyond the limits of depth or weight, whose value is undefined.
    TooBig {
        /// A hash of the operation.
        fingerprint: u64,
        /// The sizes on which the value depends.
        args: &'a [Nat],
    },
}

impl Nat {
    /// Returns the summands of the normal form in its order, with a constant last; none for 0.
    pub fn summands(&self) -> Vec<Summand<'_>> {
        if let Some(value) = self.as_const() {
            let constant = Summand {
                coeff: value,
                factors: SmallVec::new(),
            };
            return Vec::from_iter((value != 0).then_some(constant));
        }
        if let Some(var) = self.as_var() {
            let factors = SmallVec::from_iter([(Part::Var(var), 1)]);
            return vec![Summand { coeff: 1, factors }];
        }
        let Repr::Poly(terms) = &self.0 else {
            return Vec::new();
        };
        terms.iter().map(Summand::of).collect()
    }
}

impl<'a> Summand<'a> {
    fn of(term: &'a Term) -> Summand<'a> {
        let factors = term.mono.0.iter();
        Summand {
            coeff: term.coeff,
            factors: factors.map(|f| (Part::of(&f.atom), f.exp)).collect(),
        }
    }

    /// Returns the summand as a size.
    pub fn nat(&self) -> Nat {
        let factors = self.factors.iter();
        factors.fold(Nat::constant(self.coeff), |product, (part, exp)| {
            let power = Nat::pow(&part.nat(), &Nat::constant(i64::from(*exp)));
            plain_mul(&product, &power)
        })
    }
}

impl<'a> Part<'a> {
    fn of(atom: &'a Atom) -> Part<'a> {
        let node = match atom {
            Atom::Var(var) => return Part::Var(*var),
            Atom::Bound(index) => return Part::Index(*index),
            Atom::Node(node) => node,
        };
        match &node.op {
            Op::Div(a, b) => Part::Div(a, b),
            Op::Mod(a, b) => Part::Rem(a, b),
            Op::Pow(a, b) => Part::Pow(a, b),
            Op::Min(all) => Part::Min(all),
            Op::Max(all) => Part::Max(all),
            Op::Log2(a) => Part::Log2(a),
            Op::Sum { from, to, body } => Part::Sum { from, to, body },
            Op::App(fun, arg) => Part::Apply(*fun, arg),
            Op::BigAdd(a, b) => Part::Add(a, b),
            Op::BigMul(a, b) => Part::Mul(a, b),
            Op::TooBig { fingerprint, args } => Part::TooBig {
                fingerprint: *fingerprint,
                args,
            },
        }
    }

    /// Returns the part as a size.
    pub fn nat(&self) -> Nat {
        let op = match self {
            Part::Var(var) => return Nat::var(*var),
            Part::Index(index) => return Atom::Bound(*index).nat(),
            Part::Div(a, b) => Op::Div((*a).clone(), (*b).clone()),
            Part::Rem(a, b) => Op::Mod((*a).clone(), (*b).clone()),
            Part::Pow(a, b) => Op::Pow((*a).clone(), (*b).clone()),
            Part::Min(all) => Op::Min(all.to_vec()),
            Part::Max(all) => Op::Max(all.to_vec()),
            Part::Log2(a) => Op::Log2((*a).clone()),
            Part::Sum { from, to, body } => Op::Sum {
                from: (*from).clone(),
                to: (*to).clone(),
                body: (*body).clone(),
            },
            Part::Apply(fun, arg) => Op::App(*fun, (*arg).clone()),
            Part::Add(a, b) => Op::BigAdd((*a).clone(), (*b).clone()),
            Part::Mul(a, b) => Op::BigMul((*a).clone(), (*b).clone()),
            Part::TooBig { fingerprint, args } => Op::TooBig {
                fingerprint: *fingerprint,
                args: args.to_vec(),
            },
        };
        op.nat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summands_say_what_a_size_is() {
        let [n, m] = [0, 1].map(|number| Nat::var(Var(number)));
        assert_eq!(Nat::ZERO.summands(), []);
        let size = &n * &n * 3 + Nat::div(&m, &Nat::constant(4)) - 1;
        let parts = |s: &Summand| {
            let factors = s
                .factors
                .iter()
                .map(|(part, exp)| format!("{part:?}^{exp}"));
            (s.coeff, factors.collect::<Vec<_>>())
        };
        let all: Vec<_> = size.summands().iter().map(parts).collect();
        assert_eq!(
            all,
            [
                (3, vec!["Var(Var(0))^2".to_owned()]),
                (1, vec!["Div(v1, 4)^1".to_owned()]),
                (-1, vec![]),
            ]
        );
        let summands = size.summands();
        let again = summands.iter().map(Summand::nat);
        assert_eq!(again.fold(Nat::ZERO, |sum, next| sum + next), size);
    }
}
