//! Symbolic powers, whose exponents are no constants, and products of them.
//!
//! In the normal form a product has one power for each base: `n^j * n^k` is `n^(j+k)`. The constant
//! part of the exponent is a separate factor if the rest of the exponent is not negative (`n^(k+1)`
//! is `n * n^k`), and is merged into the power otherwise (`n * n^(k-1)` is `n^k`).

use crate::arith::{collect, plain_mul};
use crate::repr::{Atom, Factor, MAX_TERMS, Mono, Nat, Op, Term};

/// The greatest number of terms of an expanded power of a sum.
const MAX_EXPANDED: usize = 128;

impl Nat {
    /// Computes `base ^ exp`; `0 ^ 0` is 1, and a power with a negative exponent is undefined.
    pub fn pow(base: &Nat, exp: &Nat) -> Nat {
        match (exp.as_const(), base.as_const()) {
            (Some(0), _) | (_, Some(1)) => return Nat::ONE,
            (Some(1), _) => return base.clone(),
            (Some(exp), Some(base)) => {
                let value = u32::try_from(exp)
                    .ok()
                    .and_then(|exp| base.checked_pow(exp));
                if let Some(value) = value {
                    return Nat::constant(value);
                }
            }
            _ => {}
        }
        match (exp.as_const(), base.terms().as_ref()) {
            (Some(exp), terms) if terms.len() > 1 => pow_of_sum(base, exp),
            (_, [term]) => pow_of_term(term, exp),
            _ => power(base, exp),
        }
    }
}

fn as_stands(base: &Nat, exp: &Nat) -> Nat {
    Op::Pow(base.clone(), exp.clone()).nat()
}

/// Makes the power of a base that is no product, in normal form.
fn power(base: &Nat, exp: &Nat) -> Nat {
    let mono = Mono::atom(Op::Pow(base.clone(), exp.clone()).atom());
    normal_term(&mono, 1).unwrap_or_else(|| as_stands(base, exp))
}

fn pow_of_sum(base: &Nat, exp: i64) -> Nat {
    let len = base.terms().len();
    let fits = u32::try_from(exp).ok().and_then(|e| len.checked_pow(e));
    match fits {
        Some(size) if size <= MAX_EXPANDED => {
            (1..exp).fold(base.clone(), |product, _| plain_mul(&product, base))
        }
        _ => as_stands(base, &Nat::constant(exp)),
    }
}

/// Distributes a power over a product: `(c*a*b)^e` is `c^e * a^e * b^e`.
fn pow_of_term(term: &Term, exp: &Nat) -> Nat {
    let base = || Nat::from_term(term.mono.clone(), term.coeff);
    let negative = exp.as_const().is_some_and(|e| e < 0);
    if negative || (term.coeff < 1 && !(exp.as_const().is_some() && term.coeff < 0)) {
        return as_stands(&base(), exp);
    }
    let mut product = match term.coeff {
        1 => Nat::ONE,
        _ if term.mono.is_one() => {
            let (root, times) = root(term.coeff);
            return power(&Nat::constant(root), &exp.scale(times));
        }
        coeff => Nat::pow(&Nat::constant(coeff), exp),
    };
    for Factor { atom, exp: inner } in &term.mono.0 {
        let exp = exp.scale(i64::from(*inner));
        let factor = match atom {
            Atom::Node(node) if matches!(node.op, Op::Pow(..)) => {
                let Op::Pow(base, inner) = &node.op else {
                    continue;
                };
                Nat::pow(base, &Nat::mul(inner, &exp))
            }
            atom => match exp.as_const().map(u32::try_from) {
                Some(Ok(exp)) if exp > 0 => {
                    let mut mono = Mono::one();
                    mono.0.push(Factor {
                        atom: atom.clone(),
                        exp,
                    });
                    Nat::from_term(mono, 1)
                }
                Some(_) => as_stands(&atom.clone().nat(), &exp),
                None => power(&atom.clone().nat(), &exp),
            },
        };
        product = plain_mul(&product, &factor);
    }
    product
}

/// Returns `(r, k)` with `r^k = value` and the largest `k`.
fn root(value: i64) -> (i64, i64) {
    for times in (2..63u32).rev() {
        if let Some(root) = exact_root(value, times).filter(|r| *r >= 2) {
            return (root, i64::from(times));
        }
    }
    (value, 1)
}

/// Returns the root of degree `times` of `value`, if it is a whole number.
pub(crate) fn exact_root(value: i64, times: u32) -> Option<i64> {
    let (mut low, mut high) = (0i64, value);
    while low <= high {
        let middle = low + (high - low) / 2;
        match middle.checked_pow(times) {
            Some(power) if power == value => return Some(middle),
            Some(power) if power < value => low = middle + 1,
            _ => high = middle - 1,
        }
    }
    None
}

/// Multiplies two polynomials with symbolic powers; `None` on overflow or for too many terms.
pub(crate) fn mul_with_powers(left: &[Term], right: &[Term]) -> Option<Nat> {
    let mut out = Vec::with_capacity(left.len() * right.len());
    for x in left {
        for y in right {
            let mono = x.mono.times(&y.mono)?;
            let coeff = x.coeff.checked_mul(y.coeff)?;
            out.extend_from_slice(&normal_term(&mono, coeff)?.terms());
            if out.len() > 2 * MAX_TERMS {
                return None;
            }
        }
    }
    collect(out)
}

/// A product under normalisation.
struct Product {
    coeff: i64,
    factors: Vec<Factor>,
    /// The factors that are no single terms.
    others: Nat,
}

fn normal_term(mono: &Mono, coeff: i64) -> Option<Nat> {
    let mut product = Product {
        coeff,
        factors: Vec::new(),
        others: Nat::ONE,
    };
    let mut powers: Vec<(Nat, Nat)> = Vec::new();
    for factor in &mono.0 {
        let Some(Op::Pow(base, exp)) = factor.atom.op() else {
            product.factors.push(factor.clone());
            continue;
        };
        let exp = exp.scale(i64::from(factor.exp));
        match powers.iter_mut().find(|(b, _)| b == base) {
            Some((_, sum)) => *sum = Nat::add(sum, &exp),
            None => powers.push((base.clone(), exp)),
        }
    }
    for (base, exp) in powers {
        product.take(&base, &exp)?;
    }
    product.factors.sort_by(|a, b| a.atom.cmp(&b.atom));
    let term = Nat::from_term(Mono(product.factors.into()), product.coeff);
    Some(if product.others.is_one() {
        term
    } else {
        plain_mul(&term, &product.others)
    })
}

impl Product {
    /// Multiplies by `base ^ exp`.
    fn take(&mut self, base: &Nat, exp: &Nat) -> Option<()> {
        let constant = exp.constant_part();
        let rest = Nat::sub(exp, &Nat::constant(constant));
        let splits = rest.is_plainly_nonneg();
        let constant = match (base.as_const(), base.as_atom()) {
            (Some(base), _) if base >= 2 => self.with_number(base, constant, splits),
            (Some(_), _) => constant,
            (None, Some(atom)) => self.with_atom(&atom, constant, splits)?,
            (None, None) => self.with_sum(base, constant, splits),
        };
        let exp = Nat::add(&rest, &Nat::constant(constant));
        if !exp.is_zero() {
            let atom = Op::Pow(base.clone(), exp).atom();
            self.factors.push(Factor { atom, exp: 1 });
        }
        Some(())
    }

    /// Normalises the constant part of the exponent; returns the part that stays in the power.
    fn with_number(&mut self, base: i64, mut constant: i64, splits: bool) -> i64 {
        if splits && constant > 0 {
            let outside = u32::try_from(constant)
                .ok()
                .and_then(|e| base.checked_pow(e));
            if let Some(coeff) = outside.and_then(|o| o.checked_mul(self.coeff)) {
                self.coeff = coeff;
                return 0;
            }
            return constant;
        }
        while self.coeff != 0 && self.coeff % base == 0 && (constant < 0 || !splits) {
            self.coeff /= base;
            constant += 1;
        }
        constant
    }

    fn with_atom(&mut self, atom: &Atom, constant: i64, splits: bool) -> Option<i64> {
        let at = self.factors.iter().position(|f| f.atom == *atom);
        let outside = at.map_or(0, |at| i64::from(self.factors[at].exp));
        let all = constant.checked_add(outside)?;
        let (outside, inside) = if splits && all >= 0 {
            (all, 0)
        } else {
            (0, all)
        };
        if let Some(at) = at {
            self.factors.remove(at);
        }
        if outside > 0 {
            let exp = u32::try_from(outside).ok()?;
            self.factors.push(Factor {
                atom: atom.clone(),
                exp,
            });
        }
        Some(inside)
    }

    fn with_sum(&mut self, base: &Nat, constant: i64, splits: bool) -> i64 {
        if !splits || !(1..=4).contains(&constant) {
            return constant;
        }
        for _ in 0..constant {
            self.others = plain_mul(&self.others, base);
        }
        0
    }
}
