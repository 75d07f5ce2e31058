//! Sums over an index.

use crate::arith::plain_mul;
use crate::repr::{Atom, Factor, Mono, Nat, Op, Term, Var};
use crate::visit::unshift;

/// The greatest length of a sum that is unrolled.
const MAX_UNROLLED: i64 = 32;

impl Nat {
    /// Computes the sum of `body` over `from <= var < to`, which may be empty.
    pub fn sum(var: Var, from: &Nat, to: &Nat, body: &Nat) -> Nat {
        sum(from, to, &body.close(var))
    }
}

/// Computes the sum of a body whose index is `Bound(0)`.
pub(crate) fn sum(from: &Nat, to: &Nat, body: &Nat) -> Nat {
    if body.is_zero() || from == to {
        return Nat::ZERO;
    }
    let length = Nat::sub(to, from);
    if (-&length).is_plainly_nonneg() {
        return Nat::ZERO;
    }
    if let Some(written) = unrolled(from, &length, body) {
        return written;
    }
    let closed = length.is_plainly_nonneg();
    let nonempty = (&length - 1).is_plainly_nonneg();
    // Terms with the same power of the index are summed together.
    let mut total = Nat::ZERO;
    let mut powers: [Vec<Term>; 4] = Default::default();
    for term in body.terms().iter() {
        let (outside, inside) = split(&term.mono, nonempty);
        let part = Nat::from_term(outside, term.coeff);
        match power_of_index(&inside) {
            Some(power) if closed => powers[power].extend(part.terms().iter().cloned()),
            _ => {
                let op = Op::Sum {
                    from: from.clone(),
                    to: to.clone(),
                    body: Nat::from_term(inside, 1),
                };
                total = Nat::add(&total, &plain_mul(&unshift(&part), &op.nat()));
            }
        }
    }
    for (power, terms) in powers.into_iter().enumerate() {
        if let Some(part) = crate::arith::collect(terms).filter(|p| !p.is_zero()) {
            let sum = Nat::sub(&power_sum(power, to), &power_sum(power, from));
            let all = Nat::div(
                &Nat::mul(&unshift(&part), &sum),
                &Nat::constant(DIVISORS[power]),
            );
            total = Nat::add(&total, &all);
        }
    }
    total
}

/// Unrolls a sum of small constant length.
fn unrolled(from: &Nat, length: &Nat, body: &Nat) -> Option<Nat> {
    let length = length.as_const().filter(|n| *n <= MAX_UNROLLED)?;
    let all = (0..length).fold(Nat::ZERO, |all, step| {
        Nat::add(&all, &body.open(&Nat::add(from, &Nat::constant(step))))
    });
    Some(all)
}

/// Splits a product into the factors without the index and those with it. Factors that may be
/// undefined stay in the sum, because an empty sum does not evaluate them.
fn split(mono: &Mono, nonempty: bool) -> (Mono, Mono) {
    let (mut outside, mut inside) = (Mono::one(), Mono::one());
    for factor in &mono.0 {
        let stays = has_index(&factor.atom, 0) || !(nonempty || has_value(&factor.atom));
        let side = if stays { &mut inside } else { &mut outside };
        side.0.push(factor.clone());
    }
    (outside, inside)
}

/// Returns true if the atom is defined for all values of its variables.
fn has_value(atom: &Atom) -> bool {
    let Some(op) = atom.op() else { return true };
    let parts = op.operands().iter().all(|nat| {
        nat.terms()
            .iter()
            .flat_map(|t| &t.mono.0)
            .all(|f| has_value(&f.atom))
    });
    parts
        && match op {
            Op::Div(_, b) | Op::Mod(_, b) => (b - 1).is_plainly_nonneg(),
            Op::Pow(_, e) => e.is_plainly_nonneg(),
            Op::Log2(a) => (a - 1).is_plainly_nonneg(),
            Op::TooBig => false,
            _ => true,
        }
}

fn has_index(atom: &Atom, depth: u32) -> bool {
    match atom {
        Atom::Var(_) => false,
        Atom::Bound(index) => *index == depth,
        Atom::Node(node) => {
            let operands = node.op.operands();
            let last = operands.len().wrapping_sub(1);
            let sum = matches!(node.op, Op::Sum { .. });
            operands.iter().enumerate().any(|(at, nat)| {
                let depth = depth + u32::from(sum && at == last);
                nat.terms()
                    .iter()
                    .flat_map(|t| &t.mono.0)
                    .any(|f| has_index(&f.atom, depth))
            })
        }
    }
}

fn power_of_index(mono: &Mono) -> Option<usize> {
    match mono.0.as_slice() {
        [] => Some(0),
        [
            Factor {
                atom: Atom::Bound(0),
                exp: exp @ 1..=3,
            },
        ] => Some(*exp as usize),
        _ => None,
    }
}

const DIVISORS: [i64; 4] = [1, 2, 6, 4];

/// Computes `DIVISORS[power]` times the sum of `i^power` over `0 <= i < n`.
fn power_sum(power: usize, n: &Nat) -> Nat {
    let below = n - 1;
    let product = n * &below;
    match power {
        0 => n.clone(),
        1 => product,
        2 => product * (n + &below),
        _ => &product * &product,
    }
}
