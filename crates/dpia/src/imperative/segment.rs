//! The translation of segments of arrays, and of indices that are used as sizes.

use nat::Nat;
use rise::Arg;
use rise::core::{Form, Origin};
use syntax::ast::Name;

use super::Translation;
use super::block::BlockStatement;
use super::build::{self, array_of, part_acc, position};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase};
use crate::prim::Prim;

impl Translation {
    /// Translates `letNat`: binds the index `value`, which is less than `bound`, as a size for the
    /// rest of the block, and returns the result of its function.
    pub fn with_size(
        &mut self,
        bound: &Arg,
        value: &Phrase,
        f: &Phrase,
        origin: Origin,
    ) -> Result<Phrase> {
        let Arg::Nat(bound) = bound else {
            return fail(Reason::Arguments(Prim::LetNat), origin);
        };
        let value = self.read(value)?;
        let f = self.head(f)?;
        let name = self.size_name(&f);
        let size = self.bind_size(bound, &value, name, origin);
        let body = self.at_size(&f, Arg::Nat(size))?;
        self.head(&body)
    }

    /// Translates the match of a segment, whose positions and array have been translated, and
    /// returns the result of the function of `dmatch`; `None` if `pair` is no segment. The length
    /// of the segment is a size, and its elements are read where they are in the array:
    ///
    /// ```text
    /// withNat(from, depFun(start: Nat => withNat(to, depFun(end: Nat =>
    ///   withNat(max(end - start, 0), depFun(k: Nat => … f(k)(xs |> drop(start) |> take(k)) …))))))
    /// ```
    pub fn matched_segment(
        &mut self,
        pair: &Phrase,
        f: &Phrase,
        origin: Origin,
    ) -> Result<Option<Phrase>> {
        let (Form::Primitive(Prim::Segment, ..), [from, to, xs]) = (&pair.form, pair_args(pair))
        else {
            return Ok(None);
        };
        let (n, _) = array_of(xs)?;
        let positions = n.clone() + 1;
        let start = self.bind_size(&positions, from, "start".into(), origin);
        let end = self.bind_size(&positions, to, "end".into(), origin);
        let bound = Nat::sub(&n, &start) + 1;
        let length = Nat::max(&Nat::sub(&end, &start), &Nat::ZERO);
        let f = self.head(f)?;
        let size = match is_size(from) && is_size(to) {
            true => length,
            false => {
                let index = build::index(&bound, phrase::nat(length, origin));
                let name = self.size_name(&f);
                self.push_size(&bound, index, name, origin)
            }
        };
        let rest = part_acc(Prim::Drop, &start, xs, origin)?;
        let elements = part_acc(Prim::Take, &size, &rest, origin)?;
        let f = self.at_size(&f, Arg::Nat(size))?;
        self.call(&f, [elements]).map(Some)
    }

    /// Binds an index below `bound` as a size for the rest of the block, and returns the size. An
    /// index that is a size already is returned as it is.
    fn bind_size(&mut self, bound: &Nat, index: &Phrase, name: Name, origin: Origin) -> Nat {
        match size_of(index) {
            Some(size) => size,
            None => self.push_size(bound, index.clone(), name, origin),
        }
    }

    fn push_size(&mut self, bound: &Nat, index: Phrase, name: Name, origin: Origin) -> Nat {
        let size = self.program.fresh_var(name);
        self.push_statement(BlockStatement::Size {
            bound: bound.clone(),
            index,
            size,
            origin,
        });
        Nat::var(size)
    }

    /// Returns the name of the size that a function takes.
    fn size_name(&self, f: &Phrase) -> Name {
        match &f.form {
            Form::DepLambda(var, ..) => self.program.name_of(*var),
            _ => "k".into(),
        }
    }
}

fn pair_args(pair: &Phrase) -> &[Phrase] {
    match &pair.form {
        Form::Primitive(_, _, args) => args,
        _ => &[],
    }
}

/// Returns the size that an index is; `None` if its value depends on data.
fn size_of(index: &Phrase) -> Option<Nat> {
    match &position(index).ok()?.form {
        Form::Nat(size) => Some(size.clone()),
        _ => None,
    }
}

fn is_size(index: &Phrase) -> bool {
    size_of(index).is_some()
}
