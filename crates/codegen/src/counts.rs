//! The largest numbers that the counters and indices of a function reach, as far as they depend on
//! the sizes of a call alone: they have to fit into the width of indices.

use nat::{Facts, Nat, Part, Prop};

use crate::ir::{Function, Id, Stmt, StmtKind};
use crate::passes::walk;

/// Returns the numbers of elements of the `stored` arrays, the ends of loops, and the lengths of
/// arrays that are only views. Left out is what fits whenever the sizes themselves and the other
/// counts fit.
pub(crate) fn of(function: &Function, stored: impl IntoIterator<Item = Id>) -> Vec<Nat> {
    let facts = function.known();
    let variables = stored
        .into_iter()
        .map(|id| &function.variables[id.0 as usize]);
    let mut all: Vec<Nat> = variables
        .filter_map(|variable| variable.count.clone())
        .collect();
    ends_of_loops(&function.body, &mut all);
    // A view that is as long as a size and a little longer is computed with in parts only.
    let views = function.dimensions.iter();
    all.extend(views.filter(|length| multiplies(length)).cloned());
    all.retain(|count| !count.any_var(&|var| !function.sizes.contains(&var)));
    let mut all: Vec<Nat> = all.iter().map(|count| facts.normalize(count)).collect();
    all.sort();
    all.dedup();
    all.retain(|count| !is_bounded(count, function, &facts));
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
    all
}

/// Returns true if a count fits because it is a constant that does, or at most a size.
fn is_bounded(count: &Nat, function: &Function, facts: &Facts) -> bool {
    let at_most = |limit: Nat| facts.proves(&Prop::AtLeast(limit, count.clone()));
    at_most(Nat::constant(i64::from(i32::MAX)))
        || function.sizes.iter().any(|size| at_most(Nat::var(*size)))
}

fn ends_of_loops(body: &[Stmt], all: &mut Vec<Nat>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::For { to, .. } => all.push(to.clone()),
            StmtKind::Reduce(reduce) => all.push(reduce.count.clone()),
            _ => {}
        }
        walk::blocks(stmt, &mut |inner| ends_of_loops(inner, all));
    }
}

/// Returns whether something is multiplied in a sum.
pub(crate) fn multiplies(nat: &Nat) -> bool {
    nat.summands().iter().any(|summand| {
        let degree: u32 = summand.factors.iter().map(|(_, exp)| exp).sum();
        let factors: i64 = if degree == 0 { 1 } else { summand.coeff };
        degree > 1 || factors.unsigned_abs() > 1
    })
}

/// Returns a number that the absolute value of a size, and of what it is computed from, does not
/// exceed where no variable exceeds `largest`; infinity if there is none.
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
        | Part::TooBig => f64::INFINITY,
    }
}
