//! Minimum, maximum, logarithm and application.

use crate::repr::{Nat, Op, Var};

impl Nat {
    /// Computes the smaller of two sizes.
    #[allow(clippy::should_implement_trait)]
    pub fn min(a: &Nat, b: &Nat) -> Nat {
        if let (Some(x), Some(y)) = (a.as_const(), b.as_const()) {
            return Nat::constant(x.min(y));
        }
        extremum(a, b, Extremum::Min)
    }

    /// Computes the larger of two sizes.
    #[allow(clippy::should_implement_trait)]
    pub fn max(a: &Nat, b: &Nat) -> Nat {
        if let (Some(x), Some(y)) = (a.as_const(), b.as_const()) {
            return Nat::constant(x.max(y));
        }
        extremum(a, b, Extremum::Max)
    }

    /// Computes the logarithm to base 2, rounded down; it is undefined for values below 1.
    pub fn log2(a: &Nat) -> Nat {
        if let Some(value) = a.as_const() {
            return match value.checked_ilog2() {
                Some(log) => Nat::constant(i64::from(log)),
                None => Op::Log2(a.clone()).nat(),
            };
        }
        if let Some(Op::Pow(base, exp)) = a.as_atom().as_ref().and_then(|atom| atom.op())
            && base.as_const() == Some(2)
        {
            return exp.clone();
        }
        // log2(2^j * x) = j + log2(x)
        let twos = a.content().trailing_zeros();
        if a.content() != 0
            && twos > 0
            && twos < 62
            && let Some(rest) = a.exact_div(&Nat::constant(1 << twos))
        {
            return Nat::add(&Nat::log2(&rest), &Nat::constant(i64::from(twos)));
        }
        Op::Log2(a.clone()).nat()
    }

    /// Makes the application `fun(arg)` of a variable for a function from sizes to sizes.
    pub fn apply(fun: Var, arg: &Nat) -> Nat {
        Op::App(fun, arg.clone()).nat()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extremum {
    Min,
    Max,
}

fn extremum(a: &Nat, b: &Nat, which: Extremum) -> Nat {
    if a == b {
        return a.clone();
    }
    let mut all = members(a, which);
    for new in members(b, which) {
        if all.iter().any(|old| wins(old, &new, which)) {
            continue;
        }
        all.retain(|old| !wins(&new, old, which));
        all.push(new);
    }
    all.sort();
    of_members(all, which)
}

/// Makes the minimum or maximum of at least one sorted member, without simplification; a single
/// member is the result itself.
pub(crate) fn of_members(mut all: Vec<Nat>, which: Extremum) -> Nat {
    match (all.len(), which) {
        (1, _) => all.swap_remove(0),
        (_, Extremum::Min) => Op::Min(all).nat(),
        (_, Extremum::Max) => Op::Max(all).nat(),
    }
}

/// Returns true if the form of the sizes shows that `winner` is the extremum of `winner` and
/// `loser`.
fn wins(winner: &Nat, loser: &Nat, which: Extremum) -> bool {
    let (small, large) = match which {
        Extremum::Min => (winner, loser),
        Extremum::Max => (loser, winner),
    };
    small == large || Nat::sub(large, small).is_plainly_nonneg()
}

fn members(nat: &Nat, which: Extremum) -> Vec<Nat> {
    match (nat.as_atom().as_ref().and_then(|atom| atom.op()), which) {
        (Some(Op::Min(all)), Extremum::Min) | (Some(Op::Max(all)), Extremum::Max) => all.clone(),
        _ => vec![nat.clone()],
    }
}
