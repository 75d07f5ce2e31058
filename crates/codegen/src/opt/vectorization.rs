//! Vectorises kernels: loops over lanes become operations on vectors if OpenCL C has them; vectors
//! in private arrays are split into scalar variables; other vectors are loaded from and stored to
//! aligned arrays.

use nat::{Nat, Var};
use rise::{Ty, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::ScalarType;

use crate::analysis::math::is_on_vectors;
use crate::analysis::uses::{Mention, Uses};
use crate::ir::types::scalar_size;
use crate::ir::walk::{self, Change};
use crate::ir::{
    Expr, ExprKind, Function, Home, Id, LoopMode, Place, Stmt, StmtKind, Unary, Variable,
};

/// The maximal number of elements of a private array that can be replaced by variables.
const MAX_ELEMENTS: i64 = 256;

/// Replaces loops over lanes by operations on vectors.
pub(crate) fn widen_loops(body: &mut [Stmt]) {
    for stmt in body {
        walk::each_block(stmt, &mut |inner| widen_loops(inner));
        if let Some(kind) = widened(stmt) {
            stmt.kind = kind;
        }
    }
}

fn widened(stmt: &Stmt) -> Option<StmtKind> {
    let StmtKind::For {
        counter,
        from,
        to,
        mode: LoopMode::Vector,
        body,
        ..
    } = &stmt.kind
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

/// Widens the body of a loop over lanes to vectors.
struct Widen {
    lane: Var,
    lanes: Nat,
}

impl Widen {
    fn is_lane(&self, nat: &Nat) -> bool {
        nat.as_var() == Some(self.lane)
    }

    /// Returns the place of all lanes, given that of one.
    fn place(&self, place: &Place) -> Option<Place> {
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

    /// Returns the value of all lanes, given that of one.
    fn expr(&self, expr: &Expr) -> Option<Expr> {
        let ty = self.vector(&expr.ty)?;
        let boxed = |expr: &Expr| Some(Box::new(self.expr(expr)?));
        let kind = match &expr.kind {
            _ if !self.depends(expr) => ExprKind::Broadcast(Box::new(expr.clone())),
            ExprKind::Load(place) => ExprKind::Load(self.place(place)?),
            ExprKind::Lane(vector, lane) if self.is_lane(lane) && !self.depends(vector) => {
                return Some(Expr::clone(vector)).filter(|vector| vector.ty == ty);
            }
            ExprKind::Unary(Unary::Neg, a) => ExprKind::Unary(Unary::Neg, boxed(a)?),
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
        Some(Expr {
            kind,
            ty,
            origin: expr.origin,
        })
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

/// Splits the vectors in private arrays of scalars if all indices of the array are constants.
pub(crate) fn take_apart(function: &mut Function) {
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

/// Replaces stores of vectors by stores of their lanes.
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
        let id = Id(u32::try_from(function.variables.len()).unwrap_or(u32::MAX));
        function.variables.push(Variable {
            name: "lanes".into(),
            elem: value.ty.clone(),
            count: None,
            extents: Vec::new(),
            home: Home::Local(None),
            origin,
        });
        let whole = Expr {
            kind: ExprKind::Load(Place::plain(id)),
            ty: value.ty.clone(),
            origin,
        };
        let declared = StmtKind::Declare(id, Some(value));
        let mut add = |kind| {
            body.push(Stmt {
                kind,
                origin,
                made_by,
            });
        };
        add(declared);
        for (to, lane) in lanes_of(&place).into_iter().zip(0..) {
            let Type::Vector(_, scalar) = &*whole.ty else {
                continue;
            };
            let lane = Expr {
                kind: ExprKind::Lane(Box::new(whole.clone()), Nat::constant(lane)),
                ty: scalar.clone(),
                origin,
            };
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

/// Replaces loads of vectors by vectors of loads of their lanes.
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
        let lane = |place| Expr {
            kind: ExprKind::Load(place),
            ty: scalar.clone(),
            origin: expr.origin,
        };
        expr.kind = ExprKind::Vector(lanes_of(place).into_iter().map(lane).collect());
    }
}

/// Records the alignment of each local array of scalars from which vectors are loaded or to which
/// they are stored: the size of the vectors in bytes.
pub(crate) fn align(function: &mut Function) {
    let uses = Uses::of(function);
    let mut found: FxHashMap<Id, u64> = FxHashMap::default();
    uses.all(&function.body, &mut |id, mention| {
        let (Mention::Read(place) | Mention::Written(place)) = mention else {
            return;
        };
        let variable = &function.variables[id.0 as usize];
        if let Home::Local(_) = variable.home
            && let (Some(lanes), None) = (&place.lanes, &place.lane)
            && let Some(lanes) = lanes.as_const().and_then(|n| u64::try_from(n).ok())
            && lanes.is_power_of_two()
            && let Type::Scalar(scalar) = &*variable.elem
        {
            let bytes = found.entry(id).or_default();
            *bytes = (*bytes).max(lanes.min(16) * scalar_size(*scalar));
        }
    });
    function.aligned = found;
}
