//! Loop unswitching: hoists a condition that does not depend on the counter out of an innermost
//! loop, as in LLVM's `SimpleLoopUnswitch.cpp`: `for p { s[p] += c ? x[p] : 0.0f; }` becomes
//! `if (c) { for p { s[p] += x[p]; } } else { for p { s[p] += 0.0f; } }`.
//!
//! Conditions of nested conditional expressions with the same other value are hoisted as one
//! conjunction. If one of them is false, all of these expressions have the other value, so that the
//! second loop is a simple one.

use std::sync::Arc;

use nat::{Nat, Prop, Var};
use rise::Type;
use syntax::ast::ScalarType;

use super::Loops;
use super::peeling::{MIN_TRIP_COUNT, is_small};
use crate::analysis::conditions::proposition;
use crate::error::Result;
use crate::ir::walk::{self, Change, Look};
use crate::ir::{Binary, Expr, ExprKind, Loop, LoopMode, Maker, Stmt, StmtKind};

/// The maximal number of subexpressions in the body of a loop that is unswitched.
const MAX_BODY_SIZE: usize = 120;

impl Loops<'_> {
    /// Unswitches an innermost loop and writes the conditional with both loops to `out`; returns
    /// false if the loop has no invariant condition that makes one of the loops simple.
    pub(super) fn unswitch(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> Result<bool> {
        let StmtKind::For(original) = &stmt.kind else {
            return Ok(false);
        };
        let trip_count = Nat::sub(&original.to, &original.from).as_const();
        if self.in_partition
            || self.is_unswitched
            || self.function.features.has_work_items()
            || original.mode != LoopMode::Sequential
            || trip_count.is_some_and(|trip_count| trip_count < MIN_TRIP_COUNT)
            || !is_small(&original.body, MAX_BODY_SIZE)
        {
            return Ok(false);
        }
        let Some(conditions) = self.invariant_conditions(original) else {
            return Ok(false);
        };
        let mut second = self.copy(stmt.clone());
        let excluded = conditions.iter().filter_map(distance).collect();
        walk::change_stmt(&mut second, &mut Excluded(excluded));
        let Some(condition) = conditions.into_iter().reduce(and) else {
            return Ok(false);
        };
        let kind = StmtKind::If {
            condition,
            then: vec![stmt.clone()],
            otherwise: vec![second],
        };
        let made_by = stmt.made_by.or(Some(Maker::Pass(super::PASS.name)));
        self.is_unswitched = true;
        let result = self.statement(Stmt::new(kind, stmt.origin, made_by), out);
        self.is_unswitched = false;
        result.map(|()| true)
    }

    /// Returns the conditions that do not depend on the counter of an expression in the body of a
    /// loop; `None` if there are none, or if an expression with other such conditions does not
    /// depend on all of these.
    fn invariant_conditions(&self, original: &Loop) -> Option<Vec<Expr>> {
        let is_invariant = |condition: &Expr| {
            distance(condition)
                .is_some_and(|nat| !nat.mentions(original.counter) && self.is_fixed(&nat))
        };
        let mut all: Vec<Vec<&Expr>> = Vec::new();
        each_guarded(&original.body, &mut |guarded| {
            let Guarded {
                conditions, value, ..
            } = guarded;
            let invariant = conditions.into_iter().filter(|one| is_invariant(one));
            let invariant: Vec<&Expr> = invariant.collect();
            if !invariant.is_empty() && depends_on(value, original.counter) {
                all.push(invariant);
            }
        });
        let first = all.first()?;
        let distances: Vec<_> = first.iter().filter_map(|one| distance(one)).collect();
        let is_simple = all
            .iter()
            .all(|conditions| contains(conditions, &distances));
        is_simple.then(|| first.iter().copied().cloned().collect())
    }
}

/// An expression `a ? (b ? value : otherwise) : otherwise`, with any number of conditions.
struct Guarded<'e> {
    conditions: Vec<&'e Expr>,
    value: &'e Expr,
    otherwise: &'e Expr,
}

impl<'e> Guarded<'e> {
    fn of(expr: &'e Expr) -> Option<Guarded<'e>> {
        let ExprKind::Select(condition, value, otherwise) = &expr.kind else {
            return None;
        };
        let mut value: &Expr = value;
        let mut conditions = Vec::new();
        add_conjuncts(condition, &mut conditions);
        while let ExprKind::Select(condition, inner, other) = &value.kind
            && other.kind == otherwise.kind
        {
            add_conjuncts(condition, &mut conditions);
            value = inner;
        }
        Some(Guarded {
            conditions,
            value,
            otherwise,
        })
    }
}

fn add_conjuncts<'e>(condition: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &condition.kind {
        ExprKind::Binary(Binary::And, a, b) => {
            add_conjuncts(a, out);
            add_conjuncts(b, out);
        }
        _ => out.push(condition),
    }
}

/// Returns the size that is at least 0 if and only if a comparison of sizes holds; `None` for other
/// conditions.
fn distance(condition: &Expr) -> Option<Nat> {
    match proposition(condition, true)? {
        Prop::AtLeast(a, b) => Some(Nat::sub(&a, &b)),
        _ => None,
    }
}

/// Returns true if all comparisons with these distances are among the conditions.
fn contains(conditions: &[&Expr], distances: &[Nat]) -> bool {
    let is_condition = |nat: &Nat| {
        conditions
            .iter()
            .any(|one| distance(one).as_ref() == Some(nat))
    };
    distances.iter().all(is_condition)
}

/// Calls `visit` with the outermost guarded expressions, and those in their values.
fn each_guarded<'s>(body: &'s [Stmt], visit: &mut dyn FnMut(Guarded<'s>)) {
    fn each<'e>(expr: &'e Expr, visit: &mut dyn FnMut(Guarded<'e>)) {
        match Guarded::of(expr) {
            Some(guarded) => {
                each(guarded.value, visit);
                each(guarded.otherwise, visit);
                visit(guarded);
            }
            None => walk::each_part(expr, &mut |part| each(part, visit)),
        }
    }
    walk::for_each_expr(body, &mut |expr| each(expr, visit));
}

fn depends_on(expr: &Expr, counter: Var) -> bool {
    struct Finds(Var, bool);
    impl Look for Finds {
        fn nat(&mut self, nat: &Nat) {
            self.1 |= nat.mentions(self.0);
        }
    }
    let mut finds = Finds(counter, false);
    walk::look_expr(expr, &mut finds);
    finds.1
}

fn and(a: Expr, b: Expr) -> Expr {
    let origin = a.origin;
    Expr::new(
        ExprKind::Binary(Binary::And, Box::new(a), Box::new(b)),
        Arc::new(Type::Scalar(ScalarType::Bool)),
        origin,
    )
}

/// A visitor that replaces the guarded expressions that have these conditions by their other values.
struct Excluded(Vec<Nat>);

impl Change for Excluded {
    fn expr(&mut self, expr: &mut Expr) {
        if let Some(guarded) = Guarded::of(expr)
            && contains(&guarded.conditions, &self.0)
        {
            *expr = guarded.otherwise.clone();
        }
    }
}
