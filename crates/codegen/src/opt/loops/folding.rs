//! Simplifies projections of constructed values, and vectors that are made of the lanes of a
//! vector.

use std::sync::Arc;

use nat::Nat;
use rise::Type;
use rise::core::Origin;
use syntax::ast::{Literal, ScalarType};

use crate::ir::{Expr, ExprKind, Place};

/// Returns the selected part if an expression selects a part of a constructed value, the vector
/// whose lanes it lists in order if it does so, and otherwise the expression itself.
pub(crate) fn part(mut expr: Expr) -> Expr {
    let number = |nat: &Nat, all: &Vec<Expr>| {
        let number = nat.as_const().and_then(|n| usize::try_from(n).ok());
        number.filter(|n| *n < all.len())
    };
    let found = match &mut expr.kind {
        ExprKind::Element(all, at) => number(at, all).map(|at| all.swap_remove(at)),
        ExprKind::Half(second, whole) => match &mut whole.kind {
            ExprKind::Pair(a, b) => Some(taken(if *second { b } else { a })),
            _ => None,
        },
        ExprKind::Vector(lanes) => whole_vector(lanes, &expr.ty),
        ExprKind::Lane(whole, at) => match &mut whole.kind {
            ExprKind::Broadcast(value) => Some(taken(value)),
            ExprKind::Vector(all) => number(at, all).map(|at| all.swap_remove(at)),
            _ => None,
        },
        _ => None,
    };
    found.unwrap_or(expr)
}

/// Returns the vector of this type of which `lanes` are all lanes, in order; `None` if there is
/// none.
fn whole_vector(lanes: &[Expr], ty: &rise::Ty) -> Option<Expr> {
    let lane = |expr: &Expr, number: usize| {
        let is = |nat: &Nat| nat.as_const() == i64::try_from(number).ok();
        match &expr.kind {
            ExprKind::Lane(whole, at) if is(at) => Some(Expr::clone(whole)),
            ExprKind::Load(place)
                if place.lane.as_ref().is_some_and(is) && place.lanes.is_none() =>
            {
                let place = Place {
                    lane: None,
                    ..place.clone()
                };
                Some(Expr::new(ExprKind::Load(place), ty.clone(), expr.origin))
            }
            _ => None,
        }
    };
    let first = lane(lanes.first()?, 0)?;
    let all = lanes.iter().enumerate();
    let same = |(number, expr)| lane(expr, number).is_some_and(|whole| whole.kind == first.kind);
    (first.ty == *ty && all.skip(1).all(same)).then_some(first)
}

fn taken(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, nothing())
}

/// Returns an expression that takes the place of one that is moved out.
pub(crate) fn nothing() -> Expr {
    Expr::new(
        ExprKind::Literal(Literal::Bool(false)),
        Arc::new(Type::Scalar(ScalarType::Bool)),
        Origin(0),
    )
}
