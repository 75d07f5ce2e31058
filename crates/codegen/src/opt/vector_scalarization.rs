//! Replaces vectors in private arrays of scalars by their elements, where all indices of the array
//! are constant, so that the elements can become variables.

use nat::Nat;
use rise::Type;
use rustc_hash::FxHashSet;

use super::{Pass, Run};
use crate::analysis::uses::{Mention, Uses};
use crate::ir::trace::Changes;
use crate::ir::walk::{self, Change};
use crate::ir::{Expr, ExprKind, Function, Id, Place, Stmt, StmtKind, Variable};

/// The maximal number of elements of a private array whose vectors are taken apart.
const MAX_ELEMENTS: i64 = 256;

pub(crate) const PASS: Pass = Pass {
    name: "vector-scalarization",
    run: Run::Always(take_apart),
    changes: Changes {
        moved: "moved to another block",
        repeated: "each lane of a vector is a variable",
        rewritten: "lanes of a vector in private memory are variables",
    },
};

/// Replaces reads and writes of vectors in private arrays of at most [`MAX_ELEMENTS`] scalars by
/// reads and writes of their elements, where all indices of the array are constant.
fn take_apart(function: &mut Function) {
    let uses = Uses::of(function);
    let (mut by_lanes, mut kept) = (FxHashSet::default(), FxHashSet::default());
    uses.all(&function.body, &mut |id, mention| match mention {
        Mention::Declared => {}
        Mention::Read(place) | Mention::Written(place) => {
            if place.index.as_ref().is_none_or(|i| i.as_const().is_none()) {
                kept.insert(id);
            } else if place.lanes.is_some() && place.lane.is_none() {
                by_lanes.insert(id);
            }
        }
        Mention::Index | Mention::Pointed | Mention::Reduced => {
            kept.insert(id);
        }
    });
    let known = |id: &Id| {
        let variable = &function.variables[id.0 as usize];
        let count = variable.count.as_ref().and_then(Nat::as_const);
        variable.is_private() && count.is_some_and(|n| n <= MAX_ELEMENTS) && !kept.contains(id)
    };
    let apart: FxHashSet<Id> = by_lanes.into_iter().filter(known).collect();
    if apart.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut function.body);
    apart_block(&mut body, &apart, function);
    walk::change_all(&mut body, &mut Together { apart: &apart });
    function.body = body;
}

/// Replaces writes of vectors to the arrays `apart` by a new variable for the vector and writes of
/// its lanes.
fn apart_block(body: &mut Vec<Stmt>, apart: &FxHashSet<Id>, function: &mut Function) {
    for mut stmt in std::mem::take(body) {
        walk::each_block(&mut stmt, &mut |inner| apart_block(inner, apart, function));
        let (place, value) = match stmt.kind {
            StmtKind::Assign(place, value)
                if apart.contains(&place.id) && place.lanes.is_some() && place.lane.is_none() =>
            {
                (place, value)
            }
            kind => {
                body.push(Stmt { kind, ..stmt });
                continue;
            }
        };
        let (origin, made_by) = (stmt.origin, stmt.made_by);
        let lanes = Variable::scalar("lanes".into(), value.ty.clone(), origin);
        let id = function.fresh_variable(lanes);
        let whole = Expr::variable(id, value.ty.clone(), origin);
        let declared = StmtKind::Declare(id, Some(value));
        let mut add = |kind| {
            body.push(Stmt::new(kind, origin, made_by));
        };
        add(declared);
        for (to, lane) in lanes_of(&place).into_iter().zip(0..) {
            let Type::Vector(_, scalar) = &*whole.ty else {
                continue;
            };
            let lane = Expr::new(
                ExprKind::Lane(Box::new(whole.clone()), Nat::constant(lane)),
                scalar.clone(),
                origin,
            );
            add(StmtKind::Assign(to, lane));
        }
    }
}

/// Returns the places of the lanes of a vector in an array of scalars.
fn lanes_of(place: &Place) -> Vec<Place> {
    let count = place.lanes.as_ref().and_then(Nat::as_const).unwrap_or(0);
    let first = place.index.clone().unwrap_or(Nat::ZERO);
    let one = |lane| Place {
        index: Some(first.clone() + lane),
        lanes: None,
        ..place.clone()
    };
    (0..count).map(one).collect()
}

/// A visitor that replaces reads of vectors from the arrays `apart` by lists of reads of their
/// lanes.
struct Together<'a> {
    apart: &'a FxHashSet<Id>,
}

impl Change for Together<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let ExprKind::Load(place) = &expr.kind else {
            return;
        };
        let whole = place.lanes.is_some() && place.lane.is_none();
        let (true, Type::Vector(_, scalar)) = (whole && self.apart.contains(&place.id), &*expr.ty)
        else {
            return;
        };
        let lane = |place| Expr::new(ExprKind::Load(place), scalar.clone(), expr.origin);
        expr.kind = ExprKind::Vector(lanes_of(place).into_iter().map(lane).collect());
    }
}
