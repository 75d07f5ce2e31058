//! Decides which sizes may exceed an `int`, so that they are computed in a wider type.

use nat::{Nat, Part, Prop};

use crate::analysis::counts::multiplies;

use super::Printer;

impl Printer<'_> {
    /// Returns true if sizes are of type `int` and a size may exceed it although its variables do
    /// not. An index in OpenCL C and its parts do not exceed it.
    pub(in crate::targets) fn is_large(&self, nat: &Nat) -> bool {
        !self.is_wide() && !self.in_index && is_large(nat)
    }

    /// Returns true if sizes are of type `int` and a dividend may exceed it. The quotient or
    /// remainder is an index or a part of one, which implies nothing about the dividend: `(4097 * i
    /// + 5) % n`.
    pub(in crate::targets) fn is_large_dividend(&self, nat: &Nat) -> bool {
        !self.is_wide() && (self.is_large(nat) || multiplies(nat) && !self.fits(nat))
    }

    /// Returns true if a size is proved to be at most the largest `int`, a size parameter, or the
    /// number of elements of a parameter or of an output.
    fn fits(&self, nat: &Nat) -> bool {
        let at_most = |limit: Nat| self.facts.proves(&Prop::AtLeast(limit, nat.clone()));
        let function = self.function;
        at_most(Nat::constant(i64::from(i32::MAX)))
            || function.sizes.iter().any(|size| at_most(Nat::var(*size)))
            || function.params.iter().chain(&function.outputs).any(|id| {
                let count = &self.variable(*id).count;
                count.as_ref().is_some_and(|count| at_most(count.clone()))
            })
    }
}

/// The factor from which on a multiple of a size may exceed an `int`.
const LARGE_FACTOR: u64 = 1 << 8;

/// Returns true if a size may exceed an `int` by its form although its variables do not: products,
/// powers, sums over a range and applications of functions, and multiples by [`LARGE_FACTOR`] or
/// more.
pub(in crate::targets) fn is_large(nat: &Nat) -> bool {
    let degree = |(part, exp): &(Part<'_>, u32)| match part {
        Part::Var(_) | Part::Index(_) => *exp,
        Part::Div(a, _) => *exp * (1 + u32::from(is_large(a))),
        Part::Rem(_, b) => *exp * (1 + u32::from(is_large(b))),
        Part::Min(all) => *exp * (1 + u32::from(all.iter().all(is_large))),
        Part::Max(all) => *exp * (1 + u32::from(all.iter().any(is_large))),
        Part::Log2(_) => 0,
        Part::Pow(..)
        | Part::Sum { .. }
        | Part::Apply(..)
        | Part::Add(..)
        | Part::Mul(..)
        | Part::TooBig { .. } => 2,
    };
    nat.summands().iter().any(|summand| {
        let degree: u32 = summand.factors.iter().map(degree).sum();
        degree > 1 || degree == 1 && summand.coeff.unsigned_abs() >= LARGE_FACTOR
    })
}

/// Returns true if a size contains a quotient, remainder, minimum or maximum with an operand that
/// may exceed an `int`, or a sum over a range.
pub(in crate::targets) fn divides_large(nat: &Nat) -> bool {
    let any = |part: &Part<'_>| match part {
        Part::Div(a, b) | Part::Rem(a, b) => is_large(a) || is_large(b),
        Part::Min(all) | Part::Max(all) => all.iter().any(is_large),
        Part::Sum { .. } => true,
        _ => false,
    };
    let summands = nat.summands();
    let mut factors = summands.iter().flat_map(|summand| &summand.factors);
    factors.any(|(part, _)| any(part))
}
