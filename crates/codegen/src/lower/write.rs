//! Lowers acceptors: returns the place that a path selects.

use std::rc::Rc;

use dpia::{Phrase, Prim};
use nat::Nat;
use rise::core::Form;
use rise::{Arg, Type};

use super::env::{Bound, Env, Path, Step};
use super::read::{data_of, nat_arg};
use super::store::{Part, lost};
use super::{Lower, untranslated};
use crate::error::CompileError;

impl Lower<'_> {
    /// Returns the place at `path` of an acceptor.
    pub(super) fn place(
        &mut self,
        phrase: &Phrase,
        path: Path,
        env: &Env,
    ) -> Result<Part, CompileError> {
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
                self.place_of_view(phrase, *prim, types, args, path, env)
            }
            Form::Apply(f, x) => {
                let bound = Bound::Phrase(x.clone(), Rc::new([]), env.clone());
                self.place_in(f, bound, path, env)
            }
            _ => Err(lost(origin)),
        }
    }

    /// Returns the place that a function of acceptors yields.
    fn place_in(
        &mut self,
        f: &Phrase,
        param: Bound,
        path: Path,
        env: &Env,
    ) -> Result<Part, CompileError> {
        match &f.form {
            Form::Lambda(p, body) => self.place(body, path, &env.with(&p.local, param)),
            _ => Err(lost(f.origin)),
        }
    }

    fn place_of_view(
        &mut self,
        phrase: &Phrase,
        prim: Prim,
        types: &[Arg],
        args: &[Phrase],
        path: Path,
        env: &Env,
    ) -> Result<Part, CompileError> {
        let origin = phrase.origin;
        let Some(inner) = args.last() else {
            return Err(lost(origin));
        };
        match prim {
            Prim::PairAcc => return self.place_of_pair(phrase, args, path, env),
            Prim::MapAcc => {
                let (i, path) = self.pop_index(path, origin)?;
                let element = Bound::Phrase(inner.clone(), Rc::new([Step::Index(i)]), env.clone());
                return self.place_in(&args[0], element, path, env);
            }
            Prim::MapFstAcc | Prim::MapSndAcc => {
                return self.place_of_half_map(prim, args, path, env);
            }
            Prim::ZipAcc1 | Prim::ZipAcc2 => {
                let (i, path) = self.pop_index(path, origin)?;
                let half = Step::Member(prim == Prim::ZipAcc2);
                return self.place(inner, path.push(half).push(Step::Index(i)), env);
            }
            Prim::UnzipAcc => return self.place_of_unzip(phrase, inner, path, env),
            Prim::AsScalarAcc => {
                return self.place_of_vector(phrase, types, inner, path, env);
            }
            _ => {}
        }
        match self.step_below((prim, origin), types, args, path, env)? {
            Some(path) => self.place(inner, path, env),
            None => Err(untranslated(prim, origin)),
        }
    }

    fn place_of_pair(
        &mut self,
        phrase: &Phrase,
        args: &[Phrase],
        mut path: Path,
        env: &Env,
    ) -> Result<Part, CompileError> {
        let [a, b] = args else {
            return Err(lost(phrase.origin));
        };
        match path.pop() {
            Some(Step::Member(second)) => self.place(if second { b } else { a }, path, env),
            None => {
                let a = self.place(a, Path::new(), env)?;
                let b = self.place(b, Path::new(), env)?;
                Ok(Part::Halves(Box::new(a), Box::new(b)))
            }
            _ => Err(lost(phrase.origin)),
        }
    }

    fn place_of_half_map(
        &mut self,
        prim: Prim,
        args: &[Phrase],
        mut path: Path,
        env: &Env,
    ) -> Result<Part, CompileError> {
        let [f, inner] = args else {
            return Err(lost(args[0].origin));
        };
        let mapped = prim == Prim::MapSndAcc;
        let half = |lower: &mut Self, second: bool, path: Path| {
            if second == mapped {
                let steps = Rc::new([Step::Member(second)]);
                let part = Bound::Phrase(inner.clone(), steps, env.clone());
                lower.place_in(f, part, path, env)
            } else {
                lower.place(inner, path.push(Step::Member(second)), env)
            }
        };
        match path.pop() {
            Some(Step::Member(second)) => half(self, second, path),
            None => {
                let a = half(self, false, Path::new())?;
                let b = half(self, true, Path::new())?;
                Ok(Part::Halves(Box::new(a), Box::new(b)))
            }
            _ => Err(lost(f.origin)),
        }
    }

    /// Returns the place of an element of an array of pairs: one element of each of a pair of
    /// arrays.
    fn place_of_unzip(
        &mut self,
        phrase: &Phrase,
        inner: &Phrase,
        path: Path,
        env: &Env,
    ) -> Result<Part, CompileError> {
        let (i, mut path) = self.pop_index(path, phrase.origin)?;
        let half = |lower: &mut Self, second: bool, path: Path| {
            let path = path.push(Step::Index(i.clone())).push(Step::Member(second));
            lower.place(inner, path, env)
        };
        match path.pop() {
            Some(Step::Member(second)) => half(self, second, path),
            None => {
                let a = half(self, false, Path::new())?;
                let b = half(self, true, Path::new())?;
                Ok(Part::Halves(Box::new(a), Box::new(b)))
            }
            _ => Err(lost(phrase.origin)),
        }
    }

    /// Returns the places to which a vector is written.
    fn place_of_vector(
        &mut self,
        phrase: &Phrase,
        types: &[Arg],
        inner: &Phrase,
        path: Path,
        env: &Env,
    ) -> Result<Part, CompileError> {
        let n = nat_arg(types, 0);
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
