//! Arranges sizes and indices as a person writes them: `(i * n + j) * m`, not `i*n*m + j*m`. Also
//! finds the intermediate sums of a size so arranged, and replaces quotients by remainders.

use std::cmp::Reverse;

use nat::{Nat, Part, Summand, Var};

/// A size as an arithmetic expression, whose operands are numbers and the indivisible parts of
/// sizes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arith<'a> {
    /// A number.
    Int(i64),
    /// A part to some power.
    Part(Part<'a>, u32),
    /// A sum; `true` marks subtracted terms. The first term is an added one, if there is one.
    Sum(Vec<(bool, Arith<'a>)>),
    /// A product of two or more factors.
    Product(Vec<Arith<'a>>),
}

/// The order of terms in sums and factors in products: smaller ranks are further left.
pub(crate) trait Order {
    /// Returns the rank of a part, which for a variable grows from counters by nesting depth, the
    /// outermost first, over other variables to size parameters. The rank of another part is the
    /// least of its variables, or the greatest possible one without variables.
    fn rank(&self, part: &Part<'_>) -> u32;
    /// Returns true for a part whose variables are all size parameters, also if it has none: among
    /// equally good factors such a one is factored out first, and it is written behind the
    /// parentheses.
    fn is_size(&self, part: &Part<'_>) -> bool;
    /// Returns true if coefficients are not factored out, as in `8 * i - 8`: on devices, a constant
    /// at the end is a part of the address.
    fn keeps_numbers(&self) -> bool {
        false
    }
}

/// The highest power of a part that is a product of equal factors; higher ones stay powers.
const MAX_REPEATED: u32 = 3;

#[derive(Clone)]
struct Term<'a> {
    coeff: i64,
    /// The factors sorted by rank: a part occurs as often as its power or, above [`MAX_REPEATED`],
    /// once with its power.
    factors: Vec<(Part<'a>, u32)>,
}

/// The maximal number of terms of a sum for which the common factors are compared by the length of
/// the result.
const MAX_COMPARED: usize = 5;
/// The maximal number of terms of a sum from which a factor is taken out.
const MAX_TERMS: usize = 64;

/// Arranges a sum as a person writes it, in this order, with common factors outside of parentheses.
pub(crate) fn arrange<'a>(summands: Vec<Summand<'a>>, order: &dyn Order) -> Arith<'a> {
    let terms = summands.into_iter().map(|s| term(s, order)).collect();
    sum(terms, order)
}

fn term<'a>(summand: Summand<'a>, order: &dyn Order) -> Term<'a> {
    let mut factors = Vec::new();
    for (part, exp) in summand.factors {
        if exp <= MAX_REPEATED {
            factors.extend((0..exp).map(|_| (part.clone(), 1)));
        } else {
            factors.push((part, exp));
        }
    }
    factors.sort_by_key(|(part, _)| order.rank(part));
    Term {
        coeff: summand.coeff,
        factors,
    }
}

/// A factor that several terms have in common, or a coefficient that they have up to its sign.
#[derive(PartialEq)]
enum Common<'a> {
    Number(i64),
    Factor((Part<'a>, u32)),
}

fn sum<'a>(terms: Vec<Term<'a>>, order: &dyn Order) -> Arith<'a> {
    let mut rest = terms;
    let mut summands: Vec<(Key, bool, Arith<'a>)> = Vec::new();
    while let Some(common) = best(&rest, order) {
        let (with, without) = rest.into_iter().partition(|t| has(t, &common));
        rest = without;
        summands.push(group(with, &common, order));
    }
    for term in rest {
        summands.push((key(&term, order), term.coeff < 0, product(term)));
    }
    summands.sort_by(|a, b| a.0.cmp(&b.0));
    // A constant is before subtracted terms: `n - 1 - i`.
    if let [.., (_, true, Arith::Int(_))] = summands.as_slice()
        && let Some(constant) = summands.pop()
    {
        let at = summands.iter().position(|(_, negative, _)| *negative);
        summands.insert(at.unwrap_or(summands.len()), constant);
    }
    if let Some(first) = summands.iter().position(|(_, negative, _)| !negative) {
        summands[..=first].rotate_right(1);
    }
    let mut parts: Vec<(bool, Arith<'a>)> = summands.into_iter().map(|(_, n, a)| (n, a)).collect();
    match parts.len() {
        0 => Arith::Int(0),
        1 if !parts[0].0 => parts.remove(0).1,
        _ => Arith::Sum(parts),
    }
}

/// The sort key of a summand: the number of factors and the absolute value of the coefficient, the
/// greater one first, then the ranks of the factors.
type Key = (Reverse<usize>, Reverse<u64>, Vec<u32>);

fn key(term: &Term<'_>, order: &dyn Order) -> Key {
    let ranks = term.factors.iter().map(|(part, _)| order.rank(part));
    (
        Reverse(term.factors.len()),
        Reverse(term.coeff.unsigned_abs()),
        ranks.collect(),
    )
}

fn has(term: &Term<'_>, common: &Common<'_>) -> bool {
    match common {
        Common::Number(n) => term.coeff.unsigned_abs() == n.unsigned_abs(),
        Common::Factor(factor) => term.factors.contains(factor),
    }
}

/// The worth of a common factor, of which the greatest is chosen: the length of the resulting sum,
/// where shorter is better, then the number of terms that have the factor, then the class of the
/// factor.
type Worth = (Reverse<usize>, usize, u32);

/// Returns the best common factor of at least two terms. In a sum of at most [`MAX_COMPARED`]
/// terms, that is the one that makes the sum shortest; among equals, and in longer sums, the one
/// that most terms have, then a size, then a coefficient, then another factor.
///
/// Returns `None` if no two terms have a factor in common, or if there are more than [`MAX_TERMS`].
fn best<'a>(terms: &[Term<'a>], order: &dyn Order) -> Option<Common<'a>> {
    if terms.len() < 2 || terms.len() > MAX_TERMS {
        return None;
    }
    let mut best: Option<(Worth, Common<'a>)> = None;
    let mut offer = |common: Common<'a>, class: u32| {
        let count = terms.iter().filter(|t| has(t, &common)).count();
        if count < 2 || best.as_ref().is_some_and(|(_, known)| *known == common) {
            return;
        }
        let length = if terms.len() <= MAX_COMPARED {
            let (with, without) = terms.iter().cloned().partition(|t| has(t, &common));
            let (_, _, group) = group(with, &common, order);
            length(&group) + length(&sum(without, order))
        } else {
            0
        };
        let value = (Reverse(length), count, class);
        if best.as_ref().is_none_or(|(old, _)| *old < value) {
            best = Some((value, common));
        }
    };
    for term in terms {
        for factor in &term.factors {
            let class = if order.is_size(&factor.0) { 2 } else { 0 };
            offer(Common::Factor(factor.clone()), class);
        }
        if term.coeff.unsigned_abs() > 1 && !order.keeps_numbers() {
            offer(Common::Number(term.coeff), 1);
        }
    }
    best.map(|(_, common)| common)
}

/// Returns the estimated length of an expression: the sum of 1 for each number or variable, 3 for
/// each other part, and 1 for the parentheses around each sum in a product.
fn length(arith: &Arith<'_>) -> usize {
    match arith {
        Arith::Int(_) | Arith::Part(Part::Var(_) | Part::Index(_), _) => 1,
        Arith::Part(..) => 3,
        Arith::Sum(all) => all.iter().map(|(_, a)| length(a)).sum(),
        Arith::Product(all) => {
            let sum = |a: &Arith<'_>| usize::from(matches!(a, Arith::Sum(_)));
            all.iter().map(|a| length(a) + sum(a)).sum()
        }
    }
}

/// Factors out a common factor of all terms: `common * (…)`, or `(…) * common` if it is a size.
/// Returns the product with its sort key, and true if it is subtracted because all terms are
/// negative.
fn group<'a>(
    terms: Vec<Term<'a>>,
    common: &Common<'a>,
    order: &dyn Order,
) -> (Key, bool, Arith<'a>) {
    let mut keys: Vec<Key> = terms.iter().map(|t| key(t, order)).collect();
    keys.sort();
    let key = keys.into_iter().next().unwrap_or_default();
    // The sum -4*i - 4*j is subtracted as a whole.
    let negative = terms.iter().all(|t| t.coeff < 0);
    let inner = terms.into_iter().map(|mut term| {
        match common {
            Common::Number(_) => term.coeff = term.coeff.signum(),
            Common::Factor(factor) => {
                if let Some(at) = term.factors.iter().position(|f| f == factor) {
                    term.factors.remove(at);
                }
            }
        }
        if negative {
            term.coeff = -term.coeff;
        }
        term
    });
    let inner = sum(inner.collect(), order);
    let leaf = match common {
        Common::Number(n) => Arith::Int(n.checked_abs().unwrap_or(i64::MAX)),
        Common::Factor((part, exp)) => Arith::Part(part.clone(), *exp),
    };
    let is_size = matches!(common, Common::Factor((part, _)) if order.is_size(part));
    let mut factors = Vec::new();
    let inner = match inner {
        Arith::Product(all) => all,
        one => vec![one],
    };
    if is_size {
        factors.extend(inner);
        factors.push(leaf);
    } else {
        factors.push(leaf);
        factors.extend(inner);
    }
    (key, negative, Arith::Product(factors))
}

/// Converts a term to a product, or to its only factor, without its sign.
fn product(term: Term<'_>) -> Arith<'_> {
    let size = i64::try_from(term.coeff.unsigned_abs()).unwrap_or(i64::MAX);
    let number = (size != 1 || term.factors.is_empty()).then_some(Arith::Int(size));
    let factors = term.factors.into_iter().map(|(p, e)| Arith::Part(p, e));
    let mut all: Vec<Arith<'_>> = number.into_iter().chain(factors).collect();
    if all.len() == 1 {
        all.remove(0)
    } else {
        Arith::Product(all)
    }
}

/// Returns the partial sums, in the computation of a size in these size parameters, from which
/// something is subtracted next, and which may therefore exceed the size.
pub(crate) fn intermediate_sums(nat: &Nat, sizes: &[Var]) -> Vec<Nat> {
    let order = Ranks {
        counters: &[],
        sizes,
        in_index: false,
    };
    let nat = as_remainders(nat);
    let mut found = Vec::new();
    prefixes(&arrange(nat.summands(), &order), &mut found);
    found
}

/// Adds to `found` each partial sum that is followed by a subtraction after an addition, and
/// returns the size that the whole expression denotes.
fn prefixes(arith: &Arith<'_>, found: &mut Vec<Nat>) -> Nat {
    match arith {
        Arith::Int(value) => Nat::constant(*value),
        Arith::Part(part, exp) => Nat::pow(&part.nat(), &Nat::constant(i64::from(*exp))),
        Arith::Product(all) => {
            let factors = all.iter().map(|factor| prefixes(factor, found));
            factors.fold(Nat::ONE, |product, factor| product * &factor)
        }
        Arith::Sum(all) => {
            let mut sum = Nat::ZERO;
            let mut grows = false;
            for (negative, summand) in all {
                if *negative && grows {
                    found.push(sum.clone());
                }
                grows = !negative;
                let summand = prefixes(summand, found);
                sum = match negative {
                    true => sum - &summand,
                    false => sum + &summand,
                };
            }
            sum
        }
    }
}

/// Replaces subtracted multiples of quotients by remainders: `n - 8 * (n / 8)` becomes `n % 8`.
/// This is done for constant divisors, and only where the sum then has fewer summands.
pub(crate) fn as_remainders(nat: &Nat) -> Nat {
    for summand in nat.summands() {
        let [(Part::Div(a, b), 1)] = summand.factors.as_slice() else {
            continue;
        };
        let Some(by) = b.as_const().filter(|by| *by > 0) else {
            continue;
        };
        let times = -summand.coeff / by;
        if times < 1 || summand.coeff % by != 0 {
            continue;
        }
        let quotient = Nat::div(a, b) * summand.coeff;
        let rest = Nat::sub(&Nat::sub(nat, &quotient), &((*a).clone() * times));
        let short = Nat::rem(a, b) * times + &rest;
        if short.summands().len() < nat.summands().len() {
            return as_remainders(&short);
        }
    }
    nat.clone()
}
pub(crate) struct Ranks<'a> {
    pub counters: &'a [Var],
    pub sizes: &'a [Var],
    pub in_index: bool,
}

impl Ranks<'_> {
    fn var(&self, var: Var) -> u32 {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX / 4);
        if let Some(at) = self.counters.iter().position(|c| *c == var) {
            return number(at);
        }
        match self.sizes.iter().position(|s| *s == var) {
            Some(at) => u32::MAX / 2 + number(at),
            None => u32::MAX / 4,
        }
    }

    fn of_nats<'n>(&self, all: impl IntoIterator<Item = &'n Nat>) -> u32 {
        let mut least = u32::MAX;
        for nat in all {
            nat.for_each_var(&mut |var| least = least.min(self.var(var)));
        }
        least
    }
}

impl Order for Ranks<'_> {
    fn rank(&self, part: &Part<'_>) -> u32 {
        match part {
            Part::Var(var) => self.var(*var),
            Part::Index(_) => 0,
            Part::Div(a, b) | Part::Rem(a, b) | Part::Pow(a, b) => self.of_nats([*a, *b]),
            Part::Add(a, b) | Part::Mul(a, b) => self.of_nats([*a, *b]),
            Part::Min(all) | Part::Max(all) => self.of_nats(*all),
            Part::Log2(a) | Part::Apply(_, a) => self.of_nats([*a]),
            Part::Sum { from, to, .. } => self.of_nats([*from, *to]),
            Part::TooBig { .. } => u32::MAX,
        }
    }

    fn keeps_numbers(&self) -> bool {
        self.in_index
    }

    fn is_size(&self, part: &Part<'_>) -> bool {
        let rank = self.rank(part);
        rank >= u32::MAX / 2
    }
}
