//! Defines the rules that reads and writes share: the same path selects a value or a place.

use std::rc::Rc;

use dpia::Phrase;
use rise::core::{Form, Origin};

use super::Lower;
use super::env::{Bound, Call, Env, Path, Step};
use super::read::pair;
use super::store::{Part, lost};
use crate::error::Result;
use crate::ir::Expr;

/// The result of an access: a value for a read, a place for a write.
pub(super) trait Accessed: Sized {
    /// Returns the part of a phrase that a path selects.
    fn of(lower: &mut Lower<'_>, phrase: &Phrase, path: Path, env: &Env) -> Result<Self>;

    /// Combines the components of a pair to the pair.
    fn pair(first: Self, second: Self, origin: Origin) -> Self;
}

impl Accessed for Expr {
    fn of(lower: &mut Lower<'_>, phrase: &Phrase, path: Path, env: &Env) -> Result<Expr> {
        lower.read(phrase, path, env)
    }

    fn pair(first: Expr, second: Expr, origin: Origin) -> Expr {
        pair(first, second, origin)
    }
}

impl Accessed for Part {
    fn of(lower: &mut Lower<'_>, phrase: &Phrase, path: Path, env: &Env) -> Result<Part> {
        lower.place(phrase, path, env)
    }

    fn pair(first: Part, second: Part, _: Origin) -> Part {
        Part::Halves(Box::new(first), Box::new(second))
    }
}

impl Lower<'_> {
    /// Binds the parameter of a function, and accesses the part at `path` of its body.
    pub(super) fn body<T: Accessed>(
        &mut self,
        f: &Phrase,
        param: Bound,
        path: Path,
        env: &Env,
    ) -> Result<T> {
        match &f.form {
            Form::Lambda(p, body) => T::of(self, body, path, &env.with(&p.local, param)),
            _ => Err(lost(f.origin)),
        }
    }

    /// Accesses the part at `path` of the result of a map, where the path starts with the index of
    /// an element.
    pub(super) fn mapped<T: Accessed>(
        &mut self,
        f: &Phrase,
        xs: &Phrase,
        path: Path,
        env: &Env,
        origin: Origin,
    ) -> Result<T> {
        let (i, path) = self.pop_index(path, origin)?;
        let element = Bound::Phrase(xs.clone(), Rc::new([Step::Index(i)]), env.clone());
        self.body(f, element, path, env)
    }

    /// Accesses the component of a pair that a path selects, or both components if the path is
    /// empty.
    pub(super) fn components<T: Accessed>(
        &mut self,
        mut path: Path,
        origin: Origin,
        mut component: impl FnMut(&mut Self, bool, Path) -> Result<T>,
    ) -> Result<T> {
        match path.pop() {
            Some(Step::Member(second)) => component(self, second, path),
            None => {
                let first = component(self, false, Path::new())?;
                let second = component(self, true, Path::new())?;
                Ok(T::pair(first, second, origin))
            }
            Some(_) => Err(lost(origin)),
        }
    }

    /// Accesses the part at `path` of a pair of which a function computes one component: the second
    /// one if `is_second` is true. The other component is that of the argument.
    pub(super) fn half_mapped<T: Accessed>(
        &mut self,
        call: &Call<'_>,
        is_second: bool,
        path: Path,
        env: &Env,
    ) -> Result<T> {
        let origin = call.origin();
        let [f, xs] = call.args else {
            return Err(lost(origin));
        };
        self.components(path, origin, |lower, second, path| {
            let member = Step::Member(second);
            if second == is_second {
                let part = Bound::Phrase(xs.clone(), Rc::new([member]), env.clone());
                lower.body(f, part, path, env)
            } else {
                T::of(lower, xs, path.push(member), env)
            }
        })
    }
}
