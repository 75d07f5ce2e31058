//! Lowers assignments, whose value may be written to several places.

use nat::Nat;
use rise::Type;
use rise::core::Origin;

use super::store::{Part, lost};
use super::{Lower, stmt};
use crate::error::Result;
use crate::ir::walk::{self, Look};
use crate::ir::{Expr, ExprKind, Id, Place, Stmt, StmtKind, Variable};

impl Lower<'_> {
    /// Appends the assignment of a value to a part of memory. The components of a tuple and the
    /// lanes of a vector are assigned in sequence, with the effect of a simultaneous assignment.
    pub(super) fn assign(
        &mut self,
        part: Part,
        value: Expr,
        origin: Origin,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let mut pieces = Vec::new();
        self.pieces(part, value, origin, out, &mut pieces)?;
        let mut written: Vec<Id> = Vec::new();
        let mut writes = Vec::new();
        for (place, value) in pieces {
            let value = if written.iter().any(|id| self.reads(&value, *id)) {
                self.saved(value, "next", out)
            } else {
                value
            };
            written.push(place.id);
            writes.push(stmt(StmtKind::Assign(place, value), origin));
        }
        out.extend(writes);
        Ok(())
    }

    /// Adds to `pieces` the places that an assignment writes, each with its value. Values of which
    /// several parts are needed are first stored in variables, which are declared in `out`.
    fn pieces(
        &mut self,
        part: Part,
        value: Expr,
        origin: Origin,
        out: &mut Vec<Stmt>,
        pieces: &mut Vec<(Place, Expr)>,
    ) -> Result<()> {
        match part {
            Part::Place(place, _) => pieces.push((place, value)),
            Part::Halves(a, b) => {
                let (first, second) = self.split_value(value, out);
                self.pieces(*a, first, origin, out, pieces)?;
                self.pieces(*b, second, origin, out, pieces)?;
            }
            Part::Lanes(lanes) => {
                let elem = match &*value.ty {
                    Type::Vector(_, elem) => elem.clone(),
                    _ => return Err(lost(origin)),
                };
                let value = match value.kind {
                    ExprKind::Load(_) => value,
                    _ => self.saved(value, "lanes", out),
                };
                for (k, lane) in lanes.into_iter().enumerate() {
                    let k = Nat::constant(i64::try_from(k).unwrap_or(i64::MAX));
                    let one = Expr::new(
                        ExprKind::Lane(Box::new(value.clone()), k),
                        elem.clone(),
                        origin,
                    );
                    self.pieces(lane, one, origin, out, pieces)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the components of a tuple. Unless the tuple is a pair expression or in memory, it is
    /// stored in a variable first, which is declared in `out`.
    fn split_value(&mut self, value: Expr, out: &mut Vec<Stmt>) -> (Expr, Expr) {
        let value = match value.kind {
            ExprKind::Pair(a, b) => return (*a, *b),
            ExprKind::Load(_) => value,
            _ => self.saved(value, "result", out),
        };
        (value.half(false), value.half(true))
    }

    /// Declares a new variable with a value, and returns an expression that reads it.
    fn saved(&mut self, value: Expr, name: &str, out: &mut Vec<Stmt>) -> Expr {
        let (ty, origin) = (value.ty.clone(), value.origin);
        let id = self.variable(Variable::scalar(name.into(), ty.clone(), origin));
        out.push(stmt(StmtKind::Declare(id, Some(value)), origin));
        Expr::variable(id, ty, origin)
    }

    /// Returns true if an expression reads a variable, also by an index that depends on data.
    pub(super) fn reads(&self, expr: &Expr, id: Id) -> bool {
        let mut reads = Reads {
            lower: self,
            id,
            found: false,
        };
        walk::look_expr(expr, &mut reads);
        reads.found
    }
}

/// A visitor that finds reads of a variable, also by indices that depend on data.
struct Reads<'l, 'p> {
    lower: &'l Lower<'p>,
    id: Id,
    found: bool,
}

impl Look for Reads<'_, '_> {
    fn place(&mut self, place: &Place) {
        self.found |= place.id == self.id;
    }

    fn nat(&mut self, nat: &Nat) {
        let opaque = &self.lower.function.opaque;
        self.found |= nat.any_var(&|var| {
            let known = opaque.iter().find(|(v, _)| *v == var);
            known.is_some_and(|(_, expr)| self.lower.reads(expr, self.id))
        });
    }
}
