//! Sums, products, powers and exact division: the polynomial part of the algebra.
//!
//! In the normal form a product has one symbolic power for each base: `n^j * n^k` is `n^(j+k)`. The
//! constant part of this exponent is a separate factor if neither it nor the rest of the exponent
//! is negative (`n^(k+1)` is `n * n^k`), and stays in the power otherwise (`n * n^(k-2)` is
//! `n^(k-1)`), if the base is a sum and the constant part exceeds 4, or on overflow. Multiplication
//! restores this form, and the form of a power contains products, so both are in this module.
//!
//! Addition, subtraction and multiplication also recombine quotients and remainders:
//! `(a/d)*d + a%d` is `a`.

use crate::repr::{Atom, Factor, MAX_TERMS, Mono, Nat, Op, Repr, Term};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

impl Nat {
    /// Computes `a + b`.
    #[allow(clippy::should_implement_trait)]
    pub fn add(a: &Nat, b: &Nat) -> Nat {
        match (&a.0, &b.0) {
            (Repr::Const(0), _) => return b.clone(),
            (_, Repr::Const(0)) => return a.clone(),
            (Repr::Const(x), Repr::Const(y)) => {
                if let Some(sum) = x.checked_add(*y) {
                    return Nat::constant(sum);
                }
            }
            _ => {}
        }
        recombine(plain_add(a, b, 1))
    }

    /// Computes `a - b`, which may be negative.
    #[allow(clippy::should_implement_trait)]
    pub fn sub(a: &Nat, b: &Nat) -> Nat {
        match (&a.0, &b.0) {
            (_, Repr::Const(0)) => return a.clone(),
            (Repr::Var(x), Repr::Var(y)) if x == y => return Nat::ZERO,
            (Repr::Const(x), Repr::Const(y)) => {
                if let Some(difference) = x.checked_sub(*y) {
                    return Nat::constant(difference);
                }
            }
            (Repr::Poly(x), Repr::Poly(y)) if std::sync::Arc::ptr_eq(x, y) => return Nat::ZERO,
            _ => {}
        }
        recombine(plain_add(a, b, -1))
    }

    /// Computes `a * b`.
    #[allow(clippy::should_implement_trait)]
    pub fn mul(a: &Nat, b: &Nat) -> Nat {
        match (&a.0, &b.0) {
            (Repr::Const(0), _) | (_, Repr::Const(0)) => return Nat::ZERO,
            (Repr::Const(1), _) => return b.clone(),
            (_, Repr::Const(1)) => return a.clone(),
            (Repr::Const(x), Repr::Const(y)) => {
                if let Some(product) = x.checked_mul(*y) {
                    return Nat::constant(product);
                }
            }
            _ => {}
        }
        recombine(plain_mul(a, b))
    }

    /// Computes `self * factor`.
    pub(crate) fn scale(&self, factor: i64) -> Nat {
        Nat::mul(self, &Nat::constant(factor))
    }

    /// Returns true if the form of the size shows that it is not negative for any values of its
    /// variables for which it is defined.
    pub(crate) fn is_plainly_nonneg(&self) -> bool {
        match &self.0 {
            Repr::Const(value) => *value >= 0,
            Repr::Var(_) => true,
            Repr::Poly(terms) => terms
                .iter()
                .all(|t| t.coeff >= 0 && t.mono.is_plainly_nonneg()),
        }
    }

    /// Returns `(p, q)` without negative coefficients such that `self = p - q`. Only the
    /// coefficient `i64::MIN` stays negative, in `p`.
    pub fn split_signs(&self) -> (Nat, Nat) {
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for term in self.terms().iter() {
            match term.coeff.checked_neg() {
                Some(coeff) if coeff > 0 => minus.push(Term {
                    mono: term.mono.clone(),
                    coeff,
                }),
                _ => plus.push(term.clone()),
            }
        }
        (Nat::from_sorted(plus), Nat::from_sorted(minus))
    }

    /// Returns the greatest common divisor of the coefficients, which is 0 for the size 0; 1 if it
    /// exceeds `i64::MAX`.
    pub(crate) fn content(&self) -> i64 {
        let gcd = self
            .terms()
            .iter()
            .fold(0, |g, t| gcd(g, t.coeff.unsigned_abs()));
        i64::try_from(gcd).unwrap_or(1)
    }

    /// Returns the largest product of atoms that divides every term; 1 for the size 0.
    pub(crate) fn common_mono(&self) -> Mono {
        let terms = self.terms();
        let Some((first, rest)) = terms.split_first() else {
            return Mono::one();
        };
        rest.iter().fold(first.mono.clone(), |common, t| {
            if common.is_one() {
                common
            } else {
                common.common(&t.mono)
            }
        })
    }

    fn has_power(&self) -> bool {
        match &self.0 {
            Repr::Const(_) | Repr::Var(_) => false,
            Repr::Poly(terms) => terms.iter().any(|t| t.mono.any_op(is_pow)),
        }
    }

    /// Divides the size exactly by the term `by`; returns `None` if `by` does not divide every term
    /// of the size, or on overflow. Neither may have a symbolic power as a factor, because the
    /// quotient is not normalised.
    fn over_term(&self, by: &Term) -> Option<Nat> {
        if by.mono.is_one() && by.coeff == 1 {
            return Some(self.clone());
        }
        let terms = self.terms();
        let divided = terms.iter().map(|term| {
            let is_multiple = term.coeff.checked_rem(by.coeff)? == 0;
            Some(Term {
                mono: term.mono.over(&by.mono)?,
                coeff: is_multiple.then(|| term.coeff / by.coeff)?,
            })
        });
        let divided: Option<Vec<Term>> = divided.collect();
        divided.map(Nat::from_sorted)
    }

    /// Divides exactly: returns `self / divisor` if that is a polynomial with integer coefficients
    /// and there is no remainder. Returns `None` otherwise, for the divisor 0, on overflow, or if
    /// the division takes more than [`MAX_TERMS`] steps.
    pub(crate) fn exact_div(&self, divisor: &Nat) -> Option<Nat> {
        if let (Repr::Const(a), Repr::Const(b)) = (&self.0, &divisor.0) {
            return (*b != 0 && a.checked_rem(*b)? == 0).then(|| Nat::constant(a / b));
        }
        let by = divisor.terms();
        let lead = by.first()?;
        if by.len() == 1 && !self.has_power() && !lead.mono.any_op(is_pow) {
            return self.over_term(lead);
        }
        let mut rest = self.clone();
        let mut quotient = Nat::ZERO;
        for _ in 0..=MAX_TERMS {
            let Some(term) = rest.terms().first().cloned() else {
                return Some(quotient);
            };
            if term.coeff.checked_rem(lead.coeff)? != 0 {
                return None;
            }
            let part = Nat::from_term(term.mono.over(&lead.mono)?, term.coeff / lead.coeff);
            let next = try_add(&rest, &try_mul(&part, divisor)?, -1)?;
            let falls = match next.terms().first() {
                Some(after) => term.mono.order(&after.mono) == Ordering::Less,
                None => true,
            };
            if !falls {
                return None;
            }
            quotient = try_add(&quotient, &part, 1)?;
            rest = next;
        }
        None
    }
}

impl Mono {
    pub fn is_plainly_nonneg(&self) -> bool {
        self.0
            .iter()
            .all(|f| f.exp % 2 == 0 || f.atom.is_plainly_nonneg())
    }
}

impl Atom {
    fn is_plainly_nonneg(&self) -> bool {
        let nonneg = Nat::is_plainly_nonneg;
        match self {
            Atom::Var(_) => true,
            Atom::Bound(_) => false,
            Atom::Node(node) => match &node.op {
                Op::Div(a, b) => nonneg(a) && nonneg(b),
                Op::Mod(_, b) => nonneg(b),
                Op::Pow(a, _) => nonneg(a),
                Op::Min(all) => all.iter().all(nonneg),
                Op::Max(all) => all.iter().any(nonneg),
                Op::Log2(_) | Op::App(..) => true,
                Op::Sum { body, .. } => nonneg(body),
                Op::BigAdd(a, b) | Op::BigMul(a, b) => nonneg(a) && nonneg(b),
                Op::TooBig { .. } => false,
            },
        }
    }
}

pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Computes `a + sign * b`, where `sign` is 1 or -1, without recombining quotients and remainders;
/// on overflow or for too many terms the result is an [`Op::BigAdd`].
pub(crate) fn plain_add(a: &Nat, b: &Nat, sign: i64) -> Nat {
    try_add(a, b, sign).unwrap_or_else(|| {
        let b = match sign < 0 {
            true => Op::BigMul(Nat::constant(-1), b.clone()).nat(),
            false => b.clone(),
        };
        Op::BigAdd(a.clone(), b).nat()
    })
}

/// Computes `a + sign * b` by merging the terms; `None` on overflow or for too many terms.
pub(crate) fn try_add(a: &Nat, b: &Nat, sign: i64) -> Option<Nat> {
    let (left, right) = (a.terms(), b.terms());
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    let mut meet = false;
    while i < left.len() || j < right.len() {
        let by = match (left.get(i), right.get(j)) {
            (Some(x), Some(y)) => x.mono.order(&y.mono),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        let mine = if by == Ordering::Greater {
            0
        } else {
            left[i].coeff
        };
        let other = if by == Ordering::Less {
            0
        } else {
            right[j].coeff
        };
        let coeff = other.checked_mul(sign)?.checked_add(mine)?;
        if coeff != 0 {
            let mono = if by == Ordering::Greater {
                &right[j].mono
            } else {
                &left[i].mono
            };
            meet |= by == Ordering::Equal && mono.any_op(is_pow);
            out.push(Term {
                mono: mono.clone(),
                coeff,
            });
        }
        i += usize::from(by != Ordering::Greater);
        j += usize::from(by != Ordering::Less);
    }
    if out.len() > MAX_TERMS {
        return None;
    }
    with_powers_in_form(out, meet)
}

fn is_pow(op: &Op) -> bool {
    matches!(op, Op::Pow(..))
}

/// Makes a size of sorted terms; if terms with symbolic powers were merged (`meet`), it normalises
/// the powers: `2^(k-1) + 2^(k-1)` becomes `2^k`. Returns `None` on overflow or for too many terms.
fn with_powers_in_form(terms: Vec<Term>, meet: bool) -> Option<Nat> {
    if !meet {
        return Some(Nat::from_sorted(terms));
    }
    let one = Term {
        mono: Mono::one(),
        coeff: 1,
    };
    mul_with_powers(&terms, &[one])
}

/// Computes `a * b` by distribution, without recombining quotients and remainders; on overflow or
/// for too many terms the result is an [`Op::BigMul`].
pub(crate) fn plain_mul(a: &Nat, b: &Nat) -> Nat {
    try_mul(a, b).unwrap_or_else(|| {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        Op::BigMul(a.clone(), b.clone()).nat()
    })
}

/// Computes `a * b` by distribution; `None` on overflow or for too many terms.
pub(crate) fn try_mul(a: &Nat, b: &Nat) -> Option<Nat> {
    let (left, right) = (a.terms(), b.terms());
    if left.len().saturating_mul(right.len()) > MAX_TERMS {
        return None;
    }
    let powers = |terms: &[Term]| terms.iter().any(|t| t.mono.any_op(is_pow));
    if powers(&left) || powers(&right) {
        return mul_with_powers(&left, &right);
    }
    let mut out = Vec::with_capacity(left.len() * right.len());
    for x in left.iter() {
        for y in right.iter() {
            let mono = x.mono.times(&y.mono)?;
            let coeff = x.coeff.checked_mul(y.coeff)?;
            out.push(Term { mono, coeff });
        }
    }
    collect(out)
}

/// Makes a size of terms in any order by sorting and merging them; `None` on overflow or for too
/// many terms.
pub(crate) fn collect(mut terms: Vec<Term>) -> Option<Nat> {
    let mut meet = false;
    if terms.len() > 1 {
        terms.sort_by(|a, b| a.mono.order(&b.mono));
        let mut out: Vec<Term> = Vec::with_capacity(terms.len());
        for term in terms {
            match out.last_mut() {
                Some(last) if last.mono == term.mono => {
                    last.coeff = last.coeff.checked_add(term.coeff)?;
                    meet |= last.coeff != 0 && last.mono.any_op(is_pow);
                }
                _ => {
                    if out.last().is_some_and(|last| last.coeff == 0) {
                        out.pop();
                    }
                    out.push(term);
                }
            }
        }
        if out.last().is_some_and(|last| last.coeff == 0) {
            out.pop();
        }
        terms = out;
    }
    with_powers_in_form(terms, meet)
}

/// The greatest number of terms of a size in which quotients and remainders are recombined.
const MAX_RECOMBINED: usize = 64;

/// Recombines `(a/d)*d + a%d` to `a`, also if both summands are multiplied by the same factor. A
/// size with more than [`MAX_RECOMBINED`] terms stays unchanged.
fn recombine(nat: Nat) -> Nat {
    let Repr::Poly(terms) = &nat.0 else {
        return nat;
    };
    let has = |test: fn(&Op) -> bool| terms.iter().any(|t| t.mono.any_op(test));
    if !(2..=MAX_RECOMBINED).contains(&terms.len())
        || !has(|op| matches!(op, Op::Mod(..)))
        || !has(|op| matches!(op, Op::Div(..)))
    {
        return nat;
    }
    for term in terms.iter() {
        for factor in &term.mono.0 {
            let Some(Op::Mod(a, d)) = factor.atom.op() else {
                continue;
            };
            let Some(rest) = term.mono.over(&Mono::atom(factor.atom.clone())) else {
                continue;
            };
            let cofactor = Nat::from_term(rest, term.coeff);
            let multiple = plain_mul(&plain_mul(&Nat::div(a, d), d), &cofactor);
            let this = Nat::from_term(term.mono.clone(), term.coeff);
            let left = plain_add(&plain_add(&nat, &this, -1), &multiple, -1);
            if left.terms().len() + multiple.terms().len() + 1 == terms.len() {
                return recombine(plain_add(&left, &plain_mul(a, &cofactor), 1));
            }
        }
    }
    nat
}

/// The greatest number of terms, before equal ones are merged, to which a power of a sum with a
/// constant exponent is expanded.
const MAX_EXPANDED: usize = 128;

impl Nat {
    /// Computes `base ^ exp`. Every power with the exponent 0 or the base 1 is 1; other powers with
    /// a negative exponent are undefined.
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

/// Makes the power of a single term. It distributes over a product (`(c*a*b)^e` is
/// `c^e * a^e * b^e`), multiplies exponents (`(a^j)^k` is `a^(j*k)`), and reduces a number to its
/// root (`4^k` is `2^(2*k)`). The power stays as it is if the exponent is a negative constant, or
/// if `c` is negative and the exponent is no constant.
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

/// Returns `(r, k)` with `r^k = value` and the largest `k`, or `(value, 1)` for a value below 2.
fn root(value: i64) -> (i64, i64) {
    for times in (2..63u32).rev() {
        if let Some(root) = exact_root(value, times).filter(|r| *r >= 2) {
            return (root, i64::from(times));
        }
    }
    (value, 1)
}

/// Returns the root of degree `times` of `value`, if it is a whole number. Returns `None` for a
/// negative value.
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

/// Multiplies two polynomials with symbolic powers and normalises the powers; `None` on overflow or
/// for too many terms.
fn mul_with_powers(left: &[Term], right: &[Term]) -> Option<Nat> {
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
    /// The product of the powers of sums that are expanded, 1 without any.
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
    /// Multiplies by `base ^ exp`; `None` if an exponent overflows.
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

    /// Moves factors `base >= 2` between the coefficient and the power of `base`. `constant` is the
    /// constant part of the exponent of the power, and `splits` is true if the rest of the exponent
    /// is not negative. Returns the constant part that stays in the exponent.
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

macro_rules! operator {
    ($trait:ident $method:ident) => {
        impl $trait<&Nat> for &Nat {
            type Output = Nat;
            fn $method(self, other: &Nat) -> Nat {
                Nat::$method(self, other)
            }
        }
        impl $trait<Nat> for &Nat {
            type Output = Nat;
            fn $method(self, other: Nat) -> Nat {
                Nat::$method(self, &other)
            }
        }
        impl $trait<&Nat> for Nat {
            type Output = Nat;
            fn $method(self, other: &Nat) -> Nat {
                Nat::$method(&self, other)
            }
        }
        impl $trait<Nat> for Nat {
            type Output = Nat;
            fn $method(self, other: Nat) -> Nat {
                Nat::$method(&self, &other)
            }
        }
        impl $trait<i64> for Nat {
            type Output = Nat;
            fn $method(self, other: i64) -> Nat {
                Nat::$method(&self, &Nat::constant(other))
            }
        }
        impl $trait<i64> for &Nat {
            type Output = Nat;
            fn $method(self, other: i64) -> Nat {
                Nat::$method(self, &Nat::constant(other))
            }
        }
    };
}

operator!(Add add);
operator!(Sub sub);
operator!(Mul mul);

impl Neg for &Nat {
    type Output = Nat;
    fn neg(self) -> Nat {
        self.scale(-1)
    }
}

impl Neg for Nat {
    type Output = Nat;
    fn neg(self) -> Nat {
        self.scale(-1)
    }
}
