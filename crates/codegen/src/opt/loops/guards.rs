//! Guarded loops: finds loops of which at most one iteration has an effect, because a condition
//! compares the counter with a value that does not depend on it.
//!
//! `for (j = 0; j < n; j++) sums[j] += v[i] == j ? 1 : 0` becomes `sums[v[i]] += 1`, as loops with
//! such a guard do in index-set splitting (U. Banerjee, *Loop Transformations for Restructuring
//! Compilers*, 1993). Only integers are added: the sum of a negative zero and zero is another number.

use nat::{Nat, Var};
use rise::Type;
use syntax::ast::Literal;

use crate::analysis::conditions::solve_for_zero;
use crate::analysis::uses::{Mention, Uses};
use crate::ir::{Binary, Expr, ExprKind, Function, Place, Stmt, StmtKind};

/// Returns the value of the counter without which each statement of a loop's body has no effect, if
/// it is the same for all of them. An index that is loaded from memory becomes an opaque size.
pub(super) fn only_iteration(function: &mut Function, body: &[Stmt], counter: Var) -> Option<Nat> {
    let (first, rest) = body.split_first()?;
    let guard = Guard::of(function, first, body, counter)?;
    let is_same = |stmt| Guard::of(function, stmt, body, counter).as_ref() == Some(&guard);
    rest.iter().all(is_same).then(|| guard.value(function))?
}

/// Removes the guards of the statements of the body of a loop that has an
/// [only iteration](only_iteration), in which they hold.
pub(super) fn without_guards(body: Vec<Stmt>) -> Vec<Stmt> {
    let mut all = Vec::new();
    for mut stmt in body {
        match stmt.kind {
            StmtKind::If { then, .. } => all.extend(then),
            StmtKind::Assign(place, mut value) => {
                if let ExprKind::Binary(_, a, b) = &mut value.kind {
                    for part in [a, b] {
                        if let ExprKind::Select(_, then, _) = &mut part.kind {
                            **part = Expr::clone(then);
                        }
                    }
                }
                stmt.kind = StmtKind::Assign(place, value);
                all.push(stmt);
            }
            _ => all.push(stmt),
        }
    }
    all
}

/// The equation that the counter solves in the only iteration.
#[derive(Debug, PartialEq)]
enum Guard {
    /// The counter has this value.
    Value(Nat),
    /// The size, in which the counter occurs, is the index that is loaded from memory.
    Loaded {
        size: Nat,
        index: Expr,
        counter: Var,
    },
}

impl Guard {
    /// Returns the guard of a statement in the body of the loop with this counter; `None` if it has
    /// none.
    fn of(function: &Function, stmt: &Stmt, body: &[Stmt], counter: Var) -> Option<Guard> {
        let condition = match &stmt.kind {
            StmtKind::If {
                condition,
                otherwise,
                ..
            } if otherwise.is_empty() => condition,
            StmtKind::Assign(place, value) => condition_of_addend(place, value)?,
            _ => return None,
        };
        let ExprKind::Binary(Binary::Eq, a, b) = &condition.kind else {
            return None;
        };
        let uses = Uses::of(function);
        let (size, index) = match (&a.kind, &b.kind) {
            (ExprKind::Nat(a), ExprKind::Nat(b)) => {
                let (value, _) = solve_for_zero(&Nat::sub(a, b), counter)?;
                return (!uses.is_data(&value)).then_some(Guard::Value(value));
            }
            (ExprKind::Nat(size), _) => (size, &**b),
            (_, ExprKind::Nat(size)) => (size, &**a),
            _ => return None,
        };
        let ExprKind::Load(place) = &index.kind else {
            return None;
        };
        let is_index = matches!(&*index.ty, Type::Index(_));
        let mut sizes = [&place.index, &place.lane, &place.lanes]
            .into_iter()
            .flatten();
        let depends = sizes.any(|size| size.mentions(counter) || uses.is_data(size));
        let mut is_changed = false;
        uses.all(body, &mut |id, mention| {
            is_changed |= id == place.id && !matches!(mention, Mention::Read(_) | Mention::Index);
        });
        let is_solvable = !uses.is_data(size) && solve_for_zero(size, counter).is_some();
        (is_index && is_solvable && !depends && !is_changed).then(|| Guard::Loaded {
            size: size.clone(),
            index: index.clone(),
            counter,
        })
    }

    /// Returns the value of the counter in the only iteration.
    fn value(self, function: &mut Function) -> Option<Nat> {
        match self {
            Guard::Value(value) => Some(value),
            Guard::Loaded {
                size,
                index,
                counter,
            } => {
                let index = function.opaque_size(index);
                let (value, _) = solve_for_zero(&Nat::sub(&size, &Nat::var(index)), counter)?;
                Some(value)
            }
        }
    }
}

/// Returns the condition under which an assignment changes its place: it adds an integer that is
/// zero otherwise. Returns `None` for other assignments.
fn condition_of_addend<'e>(place: &Place, value: &'e Expr) -> Option<&'e Expr> {
    let ExprKind::Binary(operator, a, b) = &value.kind else {
        return None;
    };
    let is_old = |part: &Expr| matches!(&part.kind, ExprKind::Load(old) if old == place);
    let added = match operator {
        Binary::Add | Binary::Sub if is_old(a) => b,
        Binary::Add if is_old(b) => a,
        _ => return None,
    };
    let is_integer = matches!(&*value.ty, Type::Scalar(scalar) if scalar.is_integer());
    match &added.kind {
        ExprKind::Select(condition, _, otherwise) if is_integer && is_zero(otherwise) => {
            Some(condition)
        }
        _ => None,
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Int { value, .. }) if *value == 0)
}
