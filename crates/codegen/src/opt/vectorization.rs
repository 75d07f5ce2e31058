//! Vectorises loops over lanes: the assignment that such a loop executes for each lane becomes one
//! assignment of vectors, if OpenCL C has its operations on vectors.

use nat::{Nat, Var};
use rise::{Ty, Type};
use syntax::ast::ScalarType;

use super::{Pass, Run};
use crate::analysis::math::is_on_vectors;
use crate::ir::trace::Changes;
use crate::ir::walk;
use crate::ir::{Expr, ExprKind, Loop, LoopMode, Place, Stmt, StmtKind, Unary};

pub(crate) const PASS: Pass = Pass {
    name: "vectorization",
    run: Run::Always(|function| widen_loops(&mut function.body)),
    changes: Changes::all("computed for all lanes at once"),
};

/// Replaces loops over 2, 4, 8 or 16 lanes, whose body is one assignment with operations that
/// OpenCL C has on vectors, by an assignment of vectors.
fn widen_loops(body: &mut [Stmt]) {
    for stmt in body {
        walk::each_block(stmt, &mut |inner| widen_loops(inner));
        if let Some(kind) = widened(stmt) {
            stmt.kind = kind;
        }
    }
}

fn widened(stmt: &Stmt) -> Option<StmtKind> {
    let StmtKind::For(Loop {
        counter,
        from,
        to,
        mode: LoopMode::Vector,
        body,
        ..
    }) = &stmt.kind
    else {
        return None;
    };
    let lanes = to.as_const().filter(|n| matches!(n, 2 | 4 | 8 | 16))?;
    let [only] = body.as_slice() else {
        return None;
    };
    let StmtKind::Assign(place, value) = &only.kind else {
        return None;
    };
    let widen = Widen {
        lane: *counter,
        lanes: Nat::constant(lanes),
    };
    if !from.is_zero() {
        return None;
    }
    let place = widen.place(place)?;
    Some(StmtKind::Assign(place, widen.expr(value)?))
}

/// Converts places and expressions for one lane of a loop to those for all lanes.
pub(super) struct Widen {
    pub lane: Var,
    pub lanes: Nat,
}

impl Widen {
    fn is_lane(&self, nat: &Nat) -> bool {
        nat.as_var() == Some(self.lane)
    }

    /// Returns the place of all lanes, given that of one; `None` if they are not adjacent in their
    /// order.
    pub fn place(&self, place: &Place) -> Option<Place> {
        let index = place.index.as_ref();
        match &place.lane {
            Some(lane) if self.is_lane(lane) && !index.is_some_and(|i| i.mentions(self.lane)) => {
                Some(Place {
                    lane: None,
                    ..place.clone()
                })
            }
            Some(_) => None,
            None => place.widened(self.lane, &self.lanes),
        }
    }

    fn vector(&self, scalar: &Ty) -> Option<Ty> {
        let Type::Scalar(kind) = &**scalar else {
            return None;
        };
        (*kind != ScalarType::Bool).then(|| Type::Vector(self.lanes.clone(), scalar.clone()).into())
    }

    /// Returns an expression for all lanes, given that for one; `None` if it has no vector type, or
    /// if OpenCL C has no such operation on vectors.
    pub fn expr(&self, expr: &Expr) -> Option<Expr> {
        let ty = self.vector(&expr.ty)?;
        let boxed = |expr: &Expr| Some(Box::new(self.expr(expr)?));
        let kind = match &expr.kind {
            _ if !self.depends(expr) => ExprKind::Broadcast(Box::new(expr.clone())),
            ExprKind::Load(place) => ExprKind::Load(self.place(place)?),
            ExprKind::Lane(vector, lane) if self.is_lane(lane) && !self.depends(vector) => {
                return Some(Expr::clone(vector)).filter(|vector| vector.ty == ty);
            }
            ExprKind::Unary(op @ (Unary::Neg | Unary::Abs), a) => ExprKind::Unary(*op, boxed(a)?),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, boxed(a)?, boxed(b)?),
            ExprKind::Cast(to, a) if *to != ScalarType::Bool => ExprKind::Cast(*to, boxed(a)?),
            ExprKind::Select(condition, a, b) if !self.depends(condition) => {
                ExprKind::Select(condition.clone(), boxed(a)?, boxed(b)?)
            }
            ExprKind::Call(function, args) if is_on_vectors(function) => {
                let args = args
                    .iter()
                    .map(|arg| self.expr(arg))
                    .collect::<Option<_>>()?;
                ExprKind::Call(function.clone(), args)
            }
            _ => return None,
        };
        Some(Expr::new(kind, ty, expr.origin))
    }

    fn depends(&self, expr: &Expr) -> bool {
        let mut found = false;
        walk::sub_exprs(expr, &mut |part| {
            let mentions = |nat: &Option<Nat>| nat.as_ref().is_some_and(|n| n.mentions(self.lane));
            found |= match &part.kind {
                ExprKind::Nat(nat) | ExprKind::Lane(_, nat) | ExprKind::Element(_, nat) => {
                    nat.mentions(self.lane)
                }
                ExprKind::Load(place) => mentions(&place.index) || mentions(&place.lane),
                _ => false,
            };
        });
        found
    }
}
