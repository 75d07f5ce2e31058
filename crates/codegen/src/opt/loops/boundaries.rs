//! Loop peeling at counters that depend on surrounding counters, or that are not known to be within
//! the range of the loop.
//!
//! In the steady state each comparison of the counter has its common value: that for which a
//! conditional expression is not a constant. The ends of the steady state are clamped to the range
//! of the loop, so that it may be empty, and the loop may have no prologue or epilogue.

use nat::{Nat, Part, Prop, Var};
use syntax::ast::Literal;

use super::Loops;
use super::peeling::{ComparisonChange, collect_from_statements, comparison_change};
use crate::error::Result;
use crate::ir::walk;
use crate::ir::{Binary, Expr, ExprKind, Loop, LoopMode, Stmt, Unary};

/// The maximal number of counters, for each end of the steady state, of which that end is the
/// greatest or smallest.
const MAX_ALTERNATIVES: usize = 2;

/// A counter at which comparisons change their values.
struct Boundary {
    at: Nat,
    /// True if the steady state is at this counter and behind it, false if it is before it.
    is_start: bool,
}

impl Loops<'_> {
    /// Peels a loop at the boundaries of its steady state and writes its parts to `out`; returns
    /// false if comparisons of the counter would remain in the steady state.
    pub(super) fn peel_at_boundaries(
        &mut self,
        stmt: &Stmt,
        original: &Loop,
        out: &mut Vec<Stmt>,
    ) -> Result<bool> {
        let Some(boundaries) = self.boundaries(original) else {
            return Ok(false);
        };
        let Loop { from, to, .. } = original;
        let ends = [true, false].map(|is_start| self.end_of_steady_state(&boundaries, is_start));
        let [Some(first), Some(end)] = ends else {
            return Ok(false);
        };
        let start = first.as_ref().map(|first| {
            let clamped = Nat::min(&Nat::max(first, from), to);
            self.facts.normalize(&clamped)
        });
        let start = start.as_ref().unwrap_or(from);
        let stop = end.as_ref().map(|end| {
            let clamped = Nat::min(end, to);
            self.facts.normalize(&clamped)
        });
        let stop = stop.as_ref().unwrap_or(to);

        self.in_partition = true;
        let mut parts = Vec::new();
        if let Some(first) = first {
            let known = |at: &Nat| (*at == first).then_some(false);
            parts.push(self.decided_part((stmt, original), [from, start], &known, true));
        }
        let is_start = |at: &Nat| {
            let boundary = boundaries.iter().find(|boundary| boundary.at == *at);
            boundary.map(|boundary| boundary.is_start)
        };
        parts.push(self.decided_part((stmt, original), [start, stop], &is_start, end.is_some()));
        if let Some(end) = end {
            let behind = self.facts.normalize(&Nat::max(start, stop));
            let known = |at: &Nat| (*at == end).then_some(true);
            parts.push(self.decided_part((stmt, original), [&behind, to], &known, false));
        }
        let result = parts
            .into_iter()
            .try_for_each(|part| self.statement(part, out));
        self.in_partition = false;
        result.map(|()| true)
    }

    /// Returns the part of a loop with this range. `is_behind` returns whether all of its counters
    /// are at a boundary or behind it (true), or before it (false), if it is known.
    fn decided_part(
        &mut self,
        (stmt, original): (&Stmt, &Loop),
        [from, to]: [&Nat; 2],
        is_behind: &dyn Fn(&Nat) -> Option<bool>,
        copied: bool,
    ) -> Stmt {
        let mut part = original.clone();
        let mut decided = Decided {
            counter: original.counter,
            is_behind,
        };
        walk::change_all(&mut part.body, &mut decided);
        self.partition((stmt, &part), from, to, copied)
    }

    /// Returns one end of the steady state before it is clamped to the range of the loop:
    /// `Some(None)` if no boundary is at this end, `None` if too many are.
    fn end_of_steady_state(&self, boundaries: &[Boundary], is_start: bool) -> Option<Option<Nat>> {
        let mut ends: Vec<&Nat> = Vec::new();
        for Boundary { at, .. } in boundaries.iter().filter(|one| one.is_start == is_start) {
            let includes = |a: &Nat, b: &Nat| match is_start {
                true => self.proves_at_least(a, b),
                false => self.proves_at_least(b, a),
            };
            if !ends.iter().any(|end| includes(end, at)) {
                ends.retain(|end| !includes(at, end));
                ends.push(at);
            }
        }
        let join = if is_start { Nat::max } else { Nat::min };
        (ends.len() <= MAX_ALTERNATIVES)
            .then(|| ends.into_iter().cloned().reduce(|a, b| join(&a, &b)))
    }

    /// Returns the boundaries at which the comparisons of the counter change; `None` if a
    /// comparison, minimum or maximum changes in another way, or if the boundaries are all at
    /// constant distances from the ends of the loop.
    fn boundaries(&self, original: &Loop) -> Option<Vec<Boundary>> {
        let Loop {
            counter, from, to, ..
        } = original;
        if original.mode != LoopMode::Sequential || self.function.features.has_work_items() {
            return None;
        }
        let mut changes = Vec::new();
        collect_from_statements(&original.body, *counter, &mut changes);
        if changes.iter().any(|change| change.is_of_extremum()) {
            return None;
        }
        let mut boundaries: Vec<Boundary> = Vec::new();
        let mut all_known = true;
        walk::for_each_expr(&original.body, &mut |expr| {
            each_comparison(expr, true, &mut |operator, [a, b], common| {
                if !a.mentions(*counter) && !b.mentions(*counter) {
                    return;
                }
                match comparison_change(operator, a, b, *counter) {
                    Some(ComparisonChange { at, rises }) if self.is_fixed(&at) => {
                        if !boundaries.iter().any(|boundary| boundary.at == at) {
                            let is_start = rises == common;
                            boundaries.push(Boundary { at, is_start });
                        }
                    }
                    _ => all_known = false,
                }
            });
        });
        let is_constant = |a: &Nat, b: &Nat| Nat::sub(a, b).as_const().is_some();
        let varies =
            |Boundary { at, .. }: &Boundary| !is_constant(at, from) && !is_constant(to, at);
        (all_known && boundaries.iter().any(varies)).then_some(boundaries)
    }

    /// Returns true if a size in the body of an innermost loop that does not depend on its counter
    /// can be computed in front of the loop, also if the loop does not run.
    pub(super) fn is_fixed(&self, nat: &Nat) -> bool {
        let is_opaque = |var: Var| {
            self.function
                .opaque
                .iter()
                .any(|(opaque, _)| *opaque == var)
        };
        !nat.any_var(&is_opaque) && self.is_defined(nat)
    }

    /// Returns true if all divisors in a size are known to be positive, and it contains no operation
    /// that may be undefined otherwise.
    fn is_defined(&self, nat: &Nat) -> bool {
        let summands = nat.summands();
        let mut factors = summands.iter().flat_map(|summand| &summand.factors);
        factors.all(|(part, _)| match part {
            Part::Var(_) => true,
            Part::Div(a, b) | Part::Rem(a, b) => {
                let is_positive = self.facts.proves(&Prop::AtLeast(Nat::clone(b), Nat::ONE));
                is_positive && self.is_defined(a) && self.is_defined(b)
            }
            Part::Min(all) | Part::Max(all) => all.iter().all(|nat| self.is_defined(nat)),
            Part::Add(a, b) | Part::Mul(a, b) => self.is_defined(a) && self.is_defined(b),
            Part::Index(_)
            | Part::Pow(..)
            | Part::Log2(_)
            | Part::Sum { .. }
            | Part::Apply(..)
            | Part::TooBig { .. } => false,
        })
    }
}

/// Calls `visit` with the operator and the operands of each comparison of sizes in an expression,
/// and with its common value. The common value of the whole expression is `common` if it is a
/// condition.
fn each_comparison(expr: &Expr, common: bool, visit: &mut dyn FnMut(Binary, [&Nat; 2], bool)) {
    match &expr.kind {
        ExprKind::Select(condition, a, b) => {
            let is_literal = |expr: &Expr| matches!(expr.kind, ExprKind::Literal(_));
            each_comparison(condition, !is_literal(a) || is_literal(b), visit);
            each_comparison(a, true, visit);
            each_comparison(b, true, visit);
        }
        ExprKind::Unary(Unary::Not, condition) => each_comparison(condition, !common, visit),
        ExprKind::Binary(operator, a, b) => match (&a.kind, &b.kind) {
            (ExprKind::Nat(a), ExprKind::Nat(b)) if operator.is_comparison() => {
                visit(*operator, [a, b], common);
            }
            _ => [a, b]
                .into_iter()
                .for_each(|part| each_comparison(part, common, visit)),
        },
        _ => walk::each_part(expr, &mut |part| each_comparison(part, common, visit)),
    }
}

/// A visitor that replaces comparisons of a counter by their values in a part of its loop.
struct Decided<'d> {
    counter: Var,
    /// Returns true if all counters of the part are at a boundary or behind it, false if all are
    /// before it.
    is_behind: &'d dyn Fn(&Nat) -> Option<bool>,
}

impl walk::Change for Decided<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let ExprKind::Binary(operator, a, b) = &expr.kind else {
            return;
        };
        let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&a.kind, &b.kind) else {
            return;
        };
        let change = comparison_change(*operator, a, b, self.counter);
        let value = change.and_then(|change| Some((self.is_behind)(&change.at)? == change.rises));
        if let Some(value) = value {
            expr.kind = ExprKind::Literal(Literal::Bool(value));
        }
    }
}
