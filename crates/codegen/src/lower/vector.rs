//! Lowers vectors in arrays: adjacent elements are loaded and stored as one vector.

use dpia::Phrase;
use nat::Nat;
use rise::{Ty, Type};

use super::Lower;
use super::env::{Call, Env, Path, Step};
use super::read::nat_arg;
use super::store::{Part, lost};
use crate::error::{CompileError, Result};
use crate::ir::{Expr, ExprKind, Place};

impl Lower<'_> {
    /// Reads a part of `asVector(n)`: a lane is an element of the array, and a whole vector is `n`
    /// elements, which are read as one vector if possible.
    pub(super) fn read_as_vector(
        &mut self,
        call: &Call<'_>,
        path: Path,
        env: &Env,
    ) -> Result<Expr> {
        let (phrase, origin) = (call.phrase, call.origin());
        let [xs] = call.args else {
            return Err(lost(origin));
        };
        let n = nat_arg(call.types, 3);
        let (i, mut path) = self.pop_index(path, origin)?;
        let first = i * &n;
        match path.pop() {
            Some(Step::Lane(lane)) => self.read(xs, path.push(Step::Index(first + &lane)), env),
            None => {
                let lane = self.function.fresh_size("lane");
                let at = Path::new().push(Step::Index(first.clone() + &Nat::var(lane)));
                let opaque = self.function.opaque.len();
                let each = self.speculate(|lower| {
                    lower.within(lane, &Nat::constant(0), &n, |lower| lower.read(xs, at, env))
                })?;
                let ty: Ty = Type::Vector(n.clone(), each.ty.clone()).into();
                // An index that depends on data differs between lanes.
                let gathers = self.function.opaque.len() > opaque;
                if !gathers && let Some(vector) = widen(&each, lane, &n, &ty) {
                    return Ok(vector);
                }
                self.function.opaque.truncate(opaque);
                self.lanes(xs, &first, &n, ty, phrase, env)
            }
            Some(_) => Err(lost(origin)),
        }
    }

    /// Reads a vector as a list of its lanes, of which `first` is the index of the first one.
    fn lanes(
        &mut self,
        xs: &Phrase,
        first: &Nat,
        n: &Nat,
        ty: Ty,
        phrase: &Phrase,
        env: &Env,
    ) -> Result<Expr> {
        let lanes = self.lane_count(n, phrase)?;
        let lanes = (0..lanes)
            .map(|k| {
                let at = first.clone() + &Nat::constant(k);
                self.read(xs, Path::new().push(Step::Index(at)), env)
            })
            .collect::<Result<_, _>>()?;
        Ok(Expr::new(ExprKind::Vector(lanes), ty, phrase.origin))
    }

    /// Returns a number of lanes as a number; fails if it is not a constant from 1 to 64.
    pub(super) fn lane_count(&self, n: &Nat, phrase: &Phrase) -> Result<i64> {
        match self.simplify(n).as_const() {
            Some(count @ 1..=64) => Ok(count),
            _ => Err(CompileError::new(
                phrase.origin,
                "the number of lanes of a vector must be a constant from 1 to 64",
            )
            .with_help("write the number, as in `asVector(4)`")),
        }
    }
}

/// Returns the vector of the values of an expression for all lanes, if it is a load of adjacent
/// elements, or a literal or an array element that is the same for all lanes; otherwise `None`.
fn widen(each: &Expr, lane: nat::Var, n: &Nat, ty: &Ty) -> Option<Expr> {
    let kind = match &each.kind {
        // The same element for all lanes, for example of a row that is zipped with one number.
        ExprKind::Load(place) if is_apart(place, lane) => {
            ExprKind::Broadcast(Box::new(each.clone()))
        }
        ExprKind::Load(place) => ExprKind::Load(place.widened(lane, n)?),
        ExprKind::Literal(_) => ExprKind::Broadcast(Box::new(each.clone())),
        _ => return None,
    };
    Some(Expr::new(kind, ty.clone(), each.origin))
}

/// Returns true if a place is the same element of an array for all values of the size variable
/// `lane`. (A variable that is not an array may contain the value of one lane.)
fn is_apart(place: &Place, lane: nat::Var) -> bool {
    let sizes = [&place.index, &place.lane, &place.lanes];
    place.index.is_some() && !sizes.into_iter().flatten().any(|size| size.mentions(lane))
}

impl Lower<'_> {
    /// Returns the part of memory to which a vector is written, given the part of its element with
    /// the number `lane`; `None` if the elements are not adjacent.
    pub(super) fn widen_part(
        &mut self,
        part: Part,
        lane: nat::Var,
        n: &Nat,
        elem: &Ty,
    ) -> Option<Part> {
        let Part::Place(place, _) = part else {
            return None;
        };
        let place = place.widened(lane, n)?;
        Some(Part::Place(
            place,
            Type::Vector(n.clone(), elem.clone()).into(),
        ))
    }
}
