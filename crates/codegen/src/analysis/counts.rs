//! Computes the counts that have to fit into the width of indices: the numbers of elements, ends of
//! loops and lengths of a function, as far as they can be bounded by the sizes of a call. Also
//! computes bounds of sizes as numbers.

use dpia::IndexWidth;
use nat::{Facts, Nat, Part, Prop, Var};
use rise::Type;
use rise::core::Origin;

use super::arith::intermediate_sums;
use super::dependence_test::exact_quotient;
use crate::ir::walk;
use crate::ir::{Function, Id, Loop, Stmt, StmtKind};

/// The counts of a function that have to fit into the width of indices.
#[derive(Debug)]
pub(crate) struct Counts {
    /// The counts, as sizes in the parameters of the function only.
    pub all: Vec<Nat>,
    /// True if each count has a bound that depends on neither data nor counters of loops.
    pub is_complete: bool,
}

impl Counts {
    /// Returns the first constant count that does not fit into indices of this width, if there is
    /// one.
    pub fn beyond(&self, index: IndexWidth) -> Option<&Nat> {
        let limit = i64::try_from(index.limit()).unwrap_or(i64::MAX);
        let mut all = self.all.iter();
        all.find(|count| match count.as_const() {
            Some(value) => value >= limit,
            None => count.overflows(),
        })
    }
}

/// Returns the counts of a function: the numbers of elements of the `stored` arrays, the ends of
/// loops and parallel reductions, the lengths of arrays of the program that are constants or
/// contain products, and the intermediate sums with products in the computation of these; and the
/// intermediate sums that passes add.
///
/// A count that depends on counters or data is replaced by upper bounds. Left out are bounds that
/// are proved to be at most the largest 32-bit integer, a size parameter or another count, and
/// those in other variables than the size parameters.
pub(crate) fn of(function: &Function, stored: impl IntoIterator<Item = Id>) -> Counts {
    let facts = function.known();
    let variables = stored
        .into_iter()
        .map(|id| &function.variables[id.0 as usize]);
    let mut all: Vec<Nat> = variables
        .filter_map(|variable| variable.count.clone())
        .collect();
    let mut ranges = Ranges::of_data(function);
    ends_of_loops(&function.body, &mut all, &mut ranges);
    all.extend(function.intermediate.iter().cloned());
    // The length of a view that is a size plus a constant does not occur as a whole in
    // computations.
    let views = function.dimensions.iter();
    let is_long = |length: &&Nat| length.as_const().is_some() || multiplies(length);
    all.extend(views.filter(is_long).cloned());
    all.sort();
    all.dedup();
    let mut counts = Counts {
        all: Vec::new(),
        is_complete: true,
    };
    for count in &all {
        match ranges.bounds(count, &facts) {
            Some(bounds) => counts.all.extend(bounds),
            None => counts.is_complete = false,
        }
    }
    let products: Vec<Nat> = (counts.all.iter())
        .flat_map(|count| intermediate_sums(count, &function.sizes))
        .filter(multiplies)
        .collect();
    counts.all.extend(products);
    counts.all = (counts.all.iter())
        // The sizes of a launch are not parameters.
        .filter(|count| !count.any_var(&|var| !function.sizes.contains(&var)))
        .map(|count| facts.normalize(count))
        .filter(|count| !is_bounded(count, function, &facts))
        .collect();
    counts.all.sort();
    counts.all.dedup();
    let all = &mut counts.all;
    let mut at = 0;
    while at < all.len() {
        let is_at_most = |other: &Nat| facts.proves(&Prop::AtLeast(other.clone(), all[at].clone()));
        let mut others = all.iter().enumerate().filter(|(other, _)| *other != at);
        if others.any(|(_, other)| is_at_most(other)) {
            all.remove(at);
        } else {
            at += 1;
        }
    }
    counts
}

/// Returns the phrase of a count: of the first loop that ends at it, otherwise of the last variable
/// with this number of elements, otherwise of the first statement of the function.
pub(crate) fn origin_of(function: &Function, count: &Nat) -> Origin {
    fn of_loop(body: &[Stmt], count: &Nat) -> Option<Origin> {
        body.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::For(Loop { to, .. }) if to == count => Some(stmt.origin),
            _ => {
                let mut found = None;
                walk::blocks(stmt, &mut |inner| {
                    found = found.or_else(|| of_loop(inner, count))
                });
                found
            }
        })
    }
    let arrays = function.variables.iter();
    let mut array = (arrays.filter(|variable| variable.count.as_ref() == Some(count)))
        .map(|variable| variable.origin);
    let first = function.body.first().map(|stmt| stmt.origin);
    (of_loop(&function.body, count))
        .or(array.next_back())
        .or(first)
        .unwrap_or(Origin(0))
}

/// Returns true if a count is proved to be at most the largest signed 32-bit integer, or at most a
/// size parameter.
fn is_bounded(count: &Nat, function: &Function, facts: &Facts) -> bool {
    let at_most = |limit: Nat| facts.proves(&Prop::AtLeast(limit, count.clone()));
    at_most(Nat::constant(i64::from(i32::MAX)))
        || function.sizes.iter().any(|size| at_most(Nat::var(*size)))
}

fn ends_of_loops(body: &[Stmt], all: &mut Vec<Nat>, ranges: &mut Ranges) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::For(Loop {
                counter,
                from,
                to,
                step,
                ..
            }) => {
                all.push(to.clone());
                let after_last = match exact_quotient(&Nat::sub(to, from), step) {
                    Some(_) => Nat::sub(to, step) + 1,
                    None => to.clone(),
                };
                ranges.add(*counter, from, &after_last);
            }
            StmtKind::Reduce(reduce) => {
                all.push(reduce.count.clone());
                ranges.add(reduce.counter, &Nat::ZERO, &reduce.count);
            }
            _ => {}
        }
        walk::blocks(stmt, &mut |inner| ends_of_loops(inner, all, ranges));
    }
}

/// The ranges of counters and of opaque sizes.
struct Ranges {
    /// The variables with the first values and the exclusive ends of their ranges; a counter of
    /// several loops has several entries.
    known: Vec<(Var, Nat, Nat)>,
    /// The opaque sizes whose values have no known range.
    open: Vec<Var>,
}

impl Ranges {
    fn of_data(function: &Function) -> Ranges {
        let mut ranges = Ranges {
            known: Vec::new(),
            open: Vec::new(),
        };
        for (var, value) in &function.opaque {
            match &*value.ty {
                Type::Index(n) => ranges.add(*var, &Nat::ZERO, n),
                _ => ranges.open.push(*var),
            }
        }
        ranges
    }

    fn add(&mut self, var: Var, from: &Nat, to: &Nat) {
        let range = (var, from.clone(), to.clone());
        if !self.known.contains(&range) {
            self.known.push(range);
        }
    }

    fn has(&self, var: Var) -> bool {
        self.known.iter().any(|(known, ..)| *known == var)
    }

    /// Returns sizes that depend on neither counters nor opaque sizes, such that `count` is always
    /// at most one of them; `None` if no such sizes are found.
    fn bounds(&self, count: &Nat, facts: &Facts) -> Option<Vec<Nat>> {
        let mut found = vec![count.clone()];
        for _ in 0..=self.known.len() {
            let mut varying = None;
            for nat in &found {
                nat.for_each_var(&mut |var| {
                    if self.has(var) || self.open.contains(&var) {
                        varying.get_or_insert(var);
                    }
                });
            }
            let Some(var) = varying else {
                return Some(found);
            };
            if self.open.contains(&var) {
                return None;
            }
            let mut next = Vec::new();
            for (_, from, to) in self.known.iter().filter(|(known, ..)| *known == var) {
                for nat in &found {
                    let bound = facts.upper_bound(nat, var, from, &(to - 1))?;
                    if !next.contains(&bound) {
                        next.push(bound);
                    }
                }
            }
            found = next;
        }
        None
    }
}

/// Returns true if a summand of a size is a product: of several factors that are not constant, or
/// of one and a coefficient other than 1 and -1.
pub(crate) fn multiplies(nat: &Nat) -> bool {
    nat.summands().iter().any(|summand| {
        let degree: u32 = summand.factors.iter().map(|(_, exp)| exp).sum();
        let factors: i64 = if degree == 0 { 1 } else { summand.coeff };
        degree > 1 || factors.unsigned_abs() > 1
    })
}

/// Returns an upper bound of the absolute values of a size and its intermediate results, provided
/// that no variable exceeds `largest`; infinity if no bound is known.
pub(crate) fn bound(nat: &Nat, largest: f64) -> f64 {
    let factor = |(part, exp): &(Part<'_>, u32)| {
        let exp = i32::try_from(*exp).unwrap_or(i32::MAX);
        bound_of_part(part, largest).powi(exp)
    };
    let summands = nat.summands();
    let products = summands.iter().map(|summand| {
        let factors: f64 = summand.factors.iter().map(factor).product();
        summand.coeff.unsigned_abs() as f64 * factors
    });
    products.sum()
}

fn bound_of_part(part: &Part<'_>, largest: f64) -> f64 {
    let of_all = |all: &mut dyn Iterator<Item = &Nat>| {
        all.map(|nat| bound(nat, largest)).fold(0.0, f64::max)
    };
    match part {
        Part::Var(_) | Part::Index(_) => largest,
        Part::Div(a, b) | Part::Rem(a, b) => of_all(&mut [*a, *b].into_iter()),
        Part::Min(all) | Part::Max(all) => of_all(&mut all.iter()),
        Part::Log2(a) => bound(a, largest),
        Part::Pow(..)
        | Part::Sum { .. }
        | Part::Apply(..)
        | Part::Add(..)
        | Part::Mul(..)
        | Part::TooBig { .. } => f64::INFINITY,
    }
}
