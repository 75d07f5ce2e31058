//! Legalises vectors: assignments of vectors that are wider than a register are split into a loop
//! over pieces of register width (LLVM's type legalisation splits vectors in the same way).
//! `*(f32x32 *)&y[i] += a * *(f32x32 *)&x[i]` becomes a short loop over the lanes of a register of
//! the machine, be it eight or sixteen.
//!
//! C compilers keep values of wider vector types in memory and traverse them once for each
//! operator; with pieces, the tiles of a matrix product take 0.6 of the time.

use nat::Nat;
use rise::Type;
use syntax::ast::ScalarType;

use crate::ir::{Expr, ExprKind, Function, Home, Loop, LoopMode, Place, Stmt, StmtKind};

use super::{Pass, Run};
use crate::ir::trace::Changes;
use crate::ir::walk;

pub(crate) const PASS: Pass = Pass {
    name: "vector-legalization",
    run: Run::Always(legalize_vectors),
    changes: Changes::all("computed in pieces as wide as a register"),
};

/// The size in bytes of a register of AVX, half of one of AVX-512, two of NEON.
const REGISTER_BYTES: i64 = 32;
/// The size in bytes of the widest supported register. Vectors of `f32` or `f64` whose size is a
/// multiple of it are split into pieces as wide as a register of the machine, others into pieces of
/// [`REGISTER_BYTES`].
const WIDEST_REGISTER_BYTES: i64 = 64;

/// Splits the assignments of wide vectors in a function.
fn legalize_vectors(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    block(&mut body, function);
    function.body = body;
}

fn block(body: &mut [Stmt], function: &mut Function) {
    for stmt in body {
        if let StmtKind::Assign(place, value) = &stmt.kind
            && let Some(kind) = split_assignment(place, value, function)
        {
            stmt.kind = kind;
            continue;
        }
        walk::each_block(stmt, &mut |inner| block(inner, function));
    }
}

/// Returns the loop over the pieces of an assignment of a vector that is wider than
/// [`REGISTER_BYTES`]; `None` for other assignments, and if it cannot be split.
fn split_assignment(place: &Place, value: &Expr, function: &mut Function) -> Option<StmtKind> {
    let Type::Vector(lanes, scalar) = &*value.ty else {
        return None;
    };
    let Type::Scalar(scalar) = **scalar else {
        return None;
    };
    let count = lanes.as_const()?;
    let size = scalar_bytes(scalar)?;
    let needs_splitting = count * size > REGISTER_BYTES && count * size % REGISTER_BYTES == 0;
    if !needs_splitting || !is_elementwise(value, place) || !is_contiguous(place) {
        return None;
    }
    let is_float = matches!(scalar, ScalarType::F32 | ScalarType::F64);
    let chunk_lanes = if is_float && count * size % WIDEST_REGISTER_BYTES == 0 {
        align(place, value, function);
        Nat::var(function.register(scalar))
    } else {
        Nat::constant(REGISTER_BYTES / size)
    };
    let counter = function.fresh_size("lane");
    let chunk = Chunk {
        offset: Nat::var(counter),
        lanes: chunk_lanes.clone(),
    };
    let assign = StmtKind::Assign(chunk.place(place), chunk.expr(value));
    Some(StmtKind::For(Loop {
        counter,
        from: Nat::ZERO,
        to: lanes.clone(),
        step: chunk_lanes,
        mode: LoopMode::Sequential,
        body: vec![Stmt::new(assign, value.origin, None)],
    }))
}

/// Sets the alignment of the arrays that the function declares and that an assignment accesses to
/// that of the widest register: an access that straddles two cache lines takes twice the time.
fn align(place: &Place, value: &Expr, function: &mut Function) {
    let mut arrays = vec![place.id];
    walk::sub_exprs(value, &mut |part| {
        if let ExprKind::Load(place) = &part.kind {
            arrays.push(place.id);
        }
    });
    for id in arrays {
        let variable = &function.variables[id.0 as usize];
        if matches!(variable.home, Home::Local(_)) {
            function
                .aligned
                .insert(id, WIDEST_REGISTER_BYTES.unsigned_abs());
        }
    }
}

/// Returns the size in bytes of a scalar; `None` for `bool`, `f16` and `natType`, of which vectors
/// are not split.
fn scalar_bytes(scalar: ScalarType) -> Option<i64> {
    use ScalarType::*;
    match scalar {
        I8 | U8 => Some(1),
        I16 | U16 => Some(2),
        I32 | U32 | F32 => Some(4),
        I64 | U64 | F64 => Some(8),
        Bool | F16 | NatType => None,
    }
}

/// Returns true if a place is a range of scalars that are adjacent in an array.
fn is_contiguous(place: &Place) -> bool {
    place.lanes.is_some() && place.index.is_some()
}

/// Returns true if it is known that each lane of an expression depends on the same lane of its
/// operands only. The assigned place may be read, but no other place in its variable.
fn is_elementwise(value: &Expr, target: &Place) -> bool {
    match &value.kind {
        ExprKind::Load(place) => is_contiguous(place) && (place.id != target.id || place == target),
        ExprKind::Broadcast(scalar) => {
            let mut is_independent = true;
            walk::sub_exprs(scalar, &mut |part| {
                is_independent &= match &part.kind {
                    ExprKind::Load(place) => place.id != target.id,
                    // Each piece would repeat the call.
                    ExprKind::Call(..) => false,
                    _ => true,
                };
            });
            is_independent
        }
        ExprKind::Unary(_, a) => is_elementwise(a, target),
        ExprKind::Binary(_, a, b) => {
            a.ty == value.ty && is_elementwise(a, target) && is_elementwise(b, target)
        }
        ExprKind::Call(_, args) => {
            value.is_lanewise_call()
                && (args.iter()).all(|arg| arg.ty == value.ty && is_elementwise(arg, target))
        }
        _ => false,
    }
}

struct Chunk {
    /// The number of the first lane of a piece.
    offset: Nat,
    /// The number of lanes of a piece.
    lanes: Nat,
}

impl Chunk {
    fn place(&self, place: &Place) -> Place {
        Place {
            index: place.index.as_ref().map(|index| index + &self.offset),
            lanes: Some(self.lanes.clone()),
            ..place.clone()
        }
    }

    fn expr(&self, expr: &Expr) -> Expr {
        let ty = match &*expr.ty {
            Type::Vector(_, scalar) => Type::Vector(self.lanes.clone(), scalar.clone()).into(),
            _ => expr.ty.clone(),
        };
        let kind = match &expr.kind {
            ExprKind::Load(place) => ExprKind::Load(self.place(place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(self.expr(a))),
            ExprKind::Binary(op, a, b) => {
                ExprKind::Binary(*op, Box::new(self.expr(a)), Box::new(self.expr(b)))
            }
            ExprKind::Call(function, args) => ExprKind::Call(
                function.clone(),
                args.iter().map(|arg| self.expr(arg)).collect(),
            ),
            other => other.clone(),
        };
        Expr::new(kind, ty, expr.origin)
    }
}
