//! Lowers acceptors: returns the part of memory that a path selects.

use std::rc::Rc;

use dpia::{Phrase, Prim};
use nat::Nat;
use rise::Type;
use rise::core::Form;

use super::env::{Bound, Call, Env, Path, Step};
use super::read::{data_of, nat_arg};
use super::store::{Part, lost};
use super::{Lower, untranslated};
use crate::error::Result;

impl Lower<'_> {
    /// Returns the part of memory at `path` of an acceptor.
    pub(super) fn place(&mut self, phrase: &Phrase, path: Path, env: &Env) -> Result<Part> {
        let origin = phrase.origin;
        match &phrase.form {
            Form::Var(local) => match env.get(local).cloned() {
                Some(Bound::Store(store)) => self.part(&store, path, origin),
                Some(Bound::Phrase(inner, steps, env)) => {
                    self.place(&inner, path.push_all(&steps), &env)
                }
                _ => Err(lost(origin)),
            },
            Form::Primitive(prim, types, args) => {
                let call = Call {
                    phrase,
                    prim: *prim,
                    types,
                    args,
                };
                self.place_of_view(&call, path, env)
            }
            Form::Apply(f, x) => {
                let bound = Bound::Phrase(x.clone(), Rc::new([]), env.clone());
                self.body(f, bound, path, env)
            }
            _ => Err(lost(origin)),
        }
    }

    fn place_of_view(&mut self, call: &Call<'_>, path: Path, env: &Env) -> Result<Part> {
        let Call { prim, args, .. } = *call;
        let origin = call.origin();
        let Some(inner) = args.last() else {
            return Err(lost(origin));
        };
        match (prim, args) {
            (Prim::PairAcc, [a, b]) => {
                return self.components(path, origin, |lower, second, path| {
                    lower.place(if second { b } else { a }, path, env)
                });
            }
            (Prim::MapAcc, [f, _]) => return self.mapped(f, inner, path, env, origin),
            (Prim::MapFstAcc | Prim::MapSndAcc, _) => {
                return self.half_mapped(call, prim == Prim::MapSndAcc, path, env);
            }
            (Prim::ZipAcc1 | Prim::ZipAcc2, _) => {
                let (i, path) = self.pop_index(path, origin)?;
                let half = Step::Member(prim == Prim::ZipAcc2);
                return self.place(inner, path.push(half).push(Step::Index(i)), env);
            }
            // An element of an array of pairs is one of each of a pair of arrays.
            (Prim::UnzipAcc, _) => {
                let (i, path) = self.pop_index(path, origin)?;
                return self.components(path, origin, |lower, second, path| {
                    let index = Step::Index(i.clone());
                    lower.place(inner, path.push(index).push(Step::Member(second)), env)
                });
            }
            (Prim::AsScalarAcc, _) => {
                return self.place_of_vector(call, inner, path, env);
            }
            _ => {}
        }
        match self.step_below(call, path, env)? {
            Some(path) => self.place(inner, path, env),
            None => Err(untranslated(prim, origin)),
        }
    }

    /// Returns the part of memory at `path` of `asScalarAcc`, to which a vector is written: one
    /// place if its elements are adjacent, otherwise one for each lane; for a path to a lane, the
    /// element.
    fn place_of_vector(
        &mut self,
        call: &Call<'_>,
        inner: &Phrase,
        path: Path,
        env: &Env,
    ) -> Result<Part> {
        let phrase = call.phrase;
        let n = nat_arg(call.types, 0);
        let (i, mut path) = self.pop_index(path, phrase.origin)?;
        let first = i * &n;
        match path.pop() {
            Some(Step::Lane(lane)) => self.place(inner, path.push(Step::Index(first + &lane)), env),
            None => {
                let lane = self.function.fresh_size("lane");
                let at = Path::new().push(Step::Index(first.clone() + &Nat::var(lane)));
                let part = self.within(lane, &Nat::constant(0), &n, |lower| {
                    lower.place(inner, at, env)
                })?;
                let elem = match &*data_of(inner) {
                    Type::Array(_, elem) => elem.clone(),
                    _ => return Err(lost(phrase.origin)),
                };
                if let Some(part) = self.widen_part(part, lane, &n, &elem) {
                    return Ok(part);
                }
                let lanes = self.lane_count(&n, phrase)?;
                let parts = (0..lanes)
                    .map(|k| {
                        let at = Step::Index(first.clone() + &Nat::constant(k));
                        self.place(inner, Path::new().push(at), env)
                    })
                    .collect::<Result<_, _>>()?;
                Ok(Part::Lanes(parts))
            }
            Some(_) => Err(lost(phrase.origin)),
        }
    }
}
