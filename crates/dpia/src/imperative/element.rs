//! Reads of single elements of arrays that are not in memory: the index is transformed view by view
//! until it reaches the `map`, `generate` or array literal that has the element.

use std::sync::Arc;

use nat::Nat;
use rise::core::{Form, Node, Origin};
use rise::{Access, Arg, Type};

use super::Translation;
use super::build::{
    arithmetic, array_of, compare, dep_idx, element, half, idx, index, lane, pair, position,
    select, size_at,
};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, exp, fun, prim};
use crate::prim::Prim;

impl Translation {
    /// Moves a projection (`idx`, `depIdx`, `fst`, `snd`) of a view inwards; returns `None` if its
    /// argument is no view.
    pub fn push_projection_inwards(&mut self, part: &Phrase) -> Result<Option<Phrase>> {
        let Form::Primitive(which, types, args) = &part.form else {
            return Ok(None);
        };
        let origin = part.origin;
        match (which, &types[..], &args[..]) {
            (Prim::Idx, _, [i, array]) => {
                let i = self.shared_index(i)?;
                self.element_of(&i, array, origin)
            }
            (Prim::DepIdx, [_, _, Arg::Nat(i)], [array]) => {
                self.dependent_element_of(i, array, origin)
            }
            (Prim::Fst | Prim::Snd, _, [pair]) => self.half_of(*which, pair, origin),
            _ => Ok(None),
        }
    }

    fn element_of(&mut self, i: &Phrase, array: &Phrase, origin: Origin) -> Result<Option<Phrase>> {
        let Form::Primitive(which, types, args) = &array.form else {
            return Ok(None);
        };
        let size = |nat: &Nat| phrase::nat(nat.clone(), origin);
        let math = |op, a, b| arithmetic(op, a, b, origin);
        let at = position(i)?;
        let found = match (which, &types[..], &args[..]) {
            (Prim::Map, _, [f, xs]) => {
                let x = idx(i.clone(), xs, origin)?;
                self.call(f, [x])?
            }
            (Prim::Generate, _, [f]) => self.call(f, [i.clone()])?,
            (Prim::Join, [_, Arg::Nat(m), ..], [rows]) => {
                let row = element(math(Prim::Div, at.clone(), size(m)), rows, origin)?;
                element(math(Prim::Mod, at, size(m)), &row, origin)?
            }
            (Prim::Split, [_, _, _, Arg::Nat(n)], [xs]) => {
                let start = math(Prim::Mul, at, size(n));
                self.window(n, start, xs, origin)?
            }
            (Prim::Slide, [_, _, Arg::Nat(sz), Arg::Nat(sp)], [xs]) => {
                let start = math(Prim::Mul, at, size(sp));
                self.window(sz, start, xs, origin)?
            }
            (Prim::Transpose, [Arg::Nat(n), ..], [rows]) => self.each(n, origin, |_, j| {
                let row = idx(j, rows, origin)?;
                idx(i.clone(), &row, origin)
            })?,
            (Prim::Take | Prim::Assume, _, [xs]) => element(at, xs, origin)?,
            (Prim::Drop, [_, _, Arg::Nat(n)], [xs]) => {
                element(math(Prim::Add, at, size(n)), xs, origin)?
            }
            (Prim::Gather, _, [indices, xs]) => {
                let index = idx(i.clone(), indices, origin)?;
                idx(index, xs, origin)?
            }
            (Prim::Reorder, types, [xs]) => {
                let index = self.reordered(types, i, array)?;
                idx(index, xs, origin)?
            }
            (Prim::Zip, _, [xs, ys]) => {
                let x = idx(i.clone(), xs, origin)?;
                pair(x, idx(i.clone(), ys, origin)?, origin)?
            }
            _ => return self.element_among(i, at, array),
        };
        Ok(Some(found))
    }

    /// Reads an element of a view that combines several arrays or computes its elements.
    fn element_among(&mut self, i: &Phrase, at: Phrase, array: &Phrase) -> Result<Option<Phrase>> {
        let Form::Primitive(which, types, args) = &array.form else {
            return Ok(None);
        };
        let origin = array.origin;
        let size = |nat: &Nat| phrase::nat(nat.clone(), origin);
        let math = |op, a, b| arithmetic(op, a, b, origin);
        let found = match (which, &types[..], &args[..]) {
            (Prim::PadCst, [Arg::Nat(n), _, Arg::Nat(l), Arg::Nat(r)], [value, xs]) => {
                padded_by_value((n, l, r), at, value, xs, origin)?
            }
            (Prim::PadClamp, [Arg::Nat(n), _, Arg::Nat(l), Arg::Nat(r)], [xs]) => {
                padded_by_edges((n, l, r), at, xs, origin)?
            }
            (Prim::AsScalar, [Arg::Nat(n), ..], [vectors]) => {
                let vector = element(math(Prim::Div, at.clone(), size(n)), vectors, origin)?;
                lane(index(n, math(Prim::Mod, at, size(n))), &vector, origin)?
            }
            (Prim::AsVector | Prim::AsVectorAligned, [_, t, _, n], [xs]) => {
                self.vector_of(t, n, at, xs, origin)?
            }
            (Prim::MakeArray, _, values) => one_of(values, &at, origin)?,
            (Prim::Select, _, [condition, a, b]) => {
                let a = idx(i.clone(), a, origin)?;
                select(condition.clone(), a, idx(i.clone(), b, origin)?, origin)?
            }
            (Prim::DepJoin, types, [parts]) => match joined(types, parts, origin)? {
                Some(Joined::Whole(xs)) => element(at, &xs, origin)?,
                Some(Joined::Either(condition, a, b)) => {
                    let a = element(at.clone(), &a, origin)?;
                    select(condition, a, element(at, &b, origin)?, origin)?
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    /// Makes the array of `n` elements from `start` on.
    fn window(&mut self, n: &Nat, start: Phrase, xs: &Phrase, origin: Origin) -> Result<Phrase> {
        self.each(n, origin, |_, j| {
            let at = arithmetic(Prim::Add, start, position(&j)?, origin);
            element(at, xs, origin)
        })
    }

    /// Makes the vector of the elements from `at*n` on, lane by lane.
    fn vector_of(
        &mut self,
        t: &Arg,
        n: &Arg,
        at: Phrase,
        xs: &Phrase,
        origin: Origin,
    ) -> Result<Phrase> {
        let (Arg::Type(scalar), Arg::Nat(lanes)) = (t, n) else {
            return fail(Reason::Arguments(Prim::AsVector), origin);
        };
        let data = Arc::new(Type::Vector(lanes.clone(), scalar.clone()));
        let (acc, read) = self.allocate(&data, None, "vector", origin);
        let start = arithmetic(Prim::Mul, at, phrase::nat(lanes.clone(), origin), origin);
        let types = vec![n.clone(), t.clone()];
        let names = ("", "lane");
        self.repeat_into(
            Prim::ForVec,
            types,
            &acc,
            names,
            origin,
            |this, j, place| {
                let at = arithmetic(Prim::Add, start, position(&j)?, origin);
                let x = element(at, xs, origin)?;
                this.copy_to(&place, &x, origin)
            },
        )?;
        Ok(read)
    }

    fn dependent_element_of(
        &mut self,
        i: &Nat,
        array: &Phrase,
        origin: Origin,
    ) -> Result<Option<Phrase>> {
        let Form::Primitive(which, types, args) = &array.form else {
            return Ok(None);
        };
        let found = match (which, &types[..], &args[..]) {
            (Prim::DepZip, _, [xs, ys]) => {
                let x = dep_idx(i, xs, origin)?;
                pair(x, dep_idx(i, ys, origin)?, origin)?
            }
            (Prim::Partition, [_, _, _, Arg::SizeFun(len)], [xs]) => {
                let before = self.program.fresh_var("k");
                let body = size_at(len, &Nat::var(before));
                let start = Nat::sum(before, &Nat::ZERO, i, &body);
                let start = phrase::nat(start, origin);
                self.window(&size_at(len, i), start, xs, origin)?
            }
            (Prim::Select, _, [condition, a, b]) => {
                let a = dep_idx(i, a, origin)?;
                select(condition.clone(), a, dep_idx(i, b, origin)?, origin)?
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    fn half_of(&mut self, which: Prim, pair: &Phrase, origin: Origin) -> Result<Option<Phrase>> {
        let Form::Primitive(outer, types, args) = &pair.form else {
            return Ok(None);
        };
        let first = which == Prim::Fst;
        let found = match (outer, &types[..], &args[..]) {
            (Prim::MakePair, _, [a, b]) => if first { a } else { b }.clone(),
            (Prim::Unzip, [n, s, t, ..], [pairs]) => {
                let (_, element) = array_of(pairs)?;
                let param = self.param("p", exp(&element, Access::Rd));
                let body = half(which, &Node::var(&param, origin), origin)?;
                let types = vec![
                    n.clone(),
                    Arg::Type(element),
                    if first { s } else { t }.clone(),
                    Arg::Access(Access::Rd),
                ];
                prim(
                    Prim::Map,
                    types,
                    vec![fun(param, body), pairs.clone()],
                    origin,
                )
            }
            (Prim::MapFst | Prim::MapSnd, _, [f, pair]) => {
                let part = half(which, pair, origin)?;
                match first == (*outer == Prim::MapFst) {
                    true => self.call(f, [part])?,
                    false => part,
                }
            }
            (Prim::Select, _, [condition, a, b]) => {
                let a = half(which, a, origin)?;
                select(condition.clone(), a, half(which, b, origin)?, origin)?
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }
}

/// The array, or the choice of two arrays, that has the elements of a joined dependent array.
enum Joined {
    Whole(Phrase),
    Either(Phrase, Phrase, Phrase),
}

fn joined(types: &[Arg], parts: &Phrase, origin: Origin) -> Result<Option<Joined>> {
    let Form::Primitive(which, _, args) = &parts.form else {
        return Ok(None);
    };
    let join = |parts: &Phrase| {
        let types = types.to_vec();
        prim(Prim::DepJoin, types, vec![parts.clone()], origin)
    };
    Ok(match (which, &args[..]) {
        (Prim::Partition, [xs]) => Some(Joined::Whole(xs.clone())),
        (Prim::Select, [condition, a, b]) => {
            Some(Joined::Either(condition.clone(), join(a), join(b)))
        }
        _ => None,
    })
}

/// Chooses the value at a position.
fn one_of(values: &[Phrase], at: &Phrase, origin: Origin) -> Result<Phrase> {
    if let Form::Nat(nat) = &at.form
        && let Some(value) = nat
            .as_const()
            .and_then(|at| values.get(usize::try_from(at).ok()?))
    {
        return Ok(value.clone());
    }
    let Some((last, others)) = values.split_last() else {
        return fail(Reason::Arguments(Prim::MakeArray), origin);
    };
    let mut chosen = last.clone();
    for (number, value) in others.iter().enumerate().rev() {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let number = phrase::nat(Nat::constant(number), origin);
        let here = compare(Prim::Equal, at.clone(), number, origin);
        chosen = select(here, value.clone(), chosen, origin)?;
    }
    Ok(chosen)
}

/// Makes the expression that reads an element of `padCst`.
fn padded_by_value(
    (n, l, r): (&Nat, &Nat, &Nat),
    at: Phrase,
    value: &Phrase,
    xs: &Phrase,
    origin: Origin,
) -> Result<Phrase> {
    let size = |nat: Nat| phrase::nat(nat, origin);
    let inside = arithmetic(Prim::Sub, at.clone(), size(l.clone()), origin);
    let inside = element(inside, xs, origin)?;
    let left = (!l.is_zero()).then(|| compare(Prim::Ge, at.clone(), size(l.clone()), origin));
    let right = (!r.is_zero()).then(|| compare(Prim::Lt, at, size(l + n), origin));
    let condition = match (left, right) {
        (Some(a), Some(b)) => prim(Prim::And, Vec::new(), vec![a, b], origin),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return Ok(inside),
    };
    select(condition, inside, value.clone(), origin)
}

/// Makes the expression that reads an element of `padClamp`.
fn padded_by_edges(
    (n, l, r): (&Nat, &Nat, &Nat),
    at: Phrase,
    xs: &Phrase,
    origin: Origin,
) -> Result<Phrase> {
    let size = |nat: Nat| phrase::nat(nat, origin);
    let mut inside = arithmetic(Prim::Sub, at.clone(), size(l.clone()), origin);
    if !r.is_zero() {
        let before_end = compare(Prim::Lt, at.clone(), size(l + n), origin);
        inside = select(before_end, inside, size(n - 1), origin)?;
    }
    if !l.is_zero() {
        let before_start = compare(Prim::Lt, at, size(l.clone()), origin);
        inside = select(before_start, size(Nat::ZERO), inside, origin)?;
    }
    element(inside, xs, origin)
}
