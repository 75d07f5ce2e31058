//! Reads of single elements of arrays that are not in memory: the index is transformed view by view
//! until it reaches the `map`, `generate` or array literal that has the element.

use std::sync::Arc;

use nat::Nat;
use rise::core::{Form, Node, Origin};
use rise::pattern::{IndexArithmetic, IndexMap, MapLoop, View};
use rise::{Access, Arg, Pattern, SizeFun, Type};
use syntax::ast::{BinaryOp, Half};

use super::Translation;
use super::build::{
    arithmetic, array_of, compare, data_of, dep_idx, element, half, idx, index, lane, pair,
    position, select, size_at,
};
use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, exp, fun, prim};
use crate::prim::Prim;

impl Translation {
    /// Moves a projection (`idx`, `depIdx`, `fst`, `snd`) into its argument, by one pattern;
    /// returns `None` if the argument is no view, `map`, `select` or other pattern into which that
    /// is possible.
    pub fn push_projection_inwards(&mut self, part: &Phrase) -> Result<Option<Phrase>> {
        let Form::Primitive(which, types, args) = &part.form else {
            return Ok(None);
        };
        let origin = part.origin;
        match (which.pattern(), &types[..], &args[..]) {
            (Some(Pattern::Element), [_, Arg::Type(_)], [i, array]) if *which == Prim::Idx => {
                let i = self.shared_index(i)?;
                self.element_of(&i, array, origin)
            }
            (Some(Pattern::Element), [_, _, Arg::Nat(i)], [array]) => {
                self.dependent_element_of(i, array, origin)
            }
            (Some(Pattern::Half(half)), _, [pair]) => self.half_of(*which, half, pair, origin),
            _ => Ok(None),
        }
    }

    fn element_of(&mut self, i: &Phrase, array: &Phrase, origin: Origin) -> Result<Option<Phrase>> {
        let Form::Primitive(which, types, args) = &array.form else {
            return Ok(None);
        };
        let here = array.origin;
        let size = |nat: &Nat| phrase::nat(nat.clone(), here);
        let math = |op, a, b| arithmetic(op, a, b, here);
        let Some(pattern) = which.pattern() else {
            return Ok(None);
        };
        let found = match (pattern, &types[..], &args[..]) {
            (Pattern::Map(MapLoop::Computed), _, [f, xs]) => {
                let x = idx(i.clone(), xs, origin)?;
                self.call(f, [x])?
            }
            (Pattern::Generate, _, [f]) => self.call(f, [i.clone()])?,
            (Pattern::Literal, _, values) => one_of(values, &position(i)?, here)?,
            (Pattern::Zip, _, [xs, ys]) => {
                let x = idx(i.clone(), xs, origin)?;
                pair(x, idx(i.clone(), ys, origin)?, origin)?
            }
            (Pattern::Select, _, [condition, a, b]) => {
                let a = idx(i.clone(), a, here)?;
                select(condition.clone(), a, idx(i.clone(), b, here)?, here)?
            }
            (Pattern::View(View::Index), _, [xs]) => {
                return self.element_of_view((*which, types, array), i, xs, origin);
            }
            (Pattern::View(View::Gather), _, [indices, xs]) => {
                let index = idx(i.clone(), indices, origin)?;
                idx(index, xs, origin)?
            }
            (
                Pattern::View(View::PadCst),
                [Arg::Nat(n), _, Arg::Nat(l), Arg::Nat(r)],
                [value, xs],
            ) => padded_by_value((n, l, r), position(i)?, value, xs, here)?,
            (Pattern::View(View::PadClamp), [Arg::Nat(n), _, Arg::Nat(l), Arg::Nat(r)], [xs]) => {
                padded_by_edges((n, l, r), position(i)?, xs, here)?
            }
            (Pattern::View(View::Lanes), [Arg::Nat(n), ..], [vectors]) => {
                let at = position(i)?;
                let vector = element(math(Prim::Div, at.clone(), size(n)), vectors, here)?;
                lane(index(n, math(Prim::Mod, at, size(n))), &vector, here)?
            }
            (Pattern::View(View::Vectors), [_, t, _, n], [xs]) => {
                self.vector_of(t, n, position(i)?, xs, here)?
            }
            (Pattern::View(View::DepJoin), types, [parts]) => {
                let at = position(i)?;
                match joined(types, parts, here)? {
                    Some(Joined::Whole(xs)) => element(at, &xs, here)?,
                    Some(Joined::Either(condition, a, b)) => {
                        let a = element(at.clone(), &a, here)?;
                        select(condition, a, element(at, &b, here)?, here)?
                    }
                    None => return Ok(None),
                }
            }
            // The others are no arrays, are in memory, or are written.
            (Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element, ..)
            | (Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate, ..)
            | (Pattern::View(_) | Pattern::Zip | Pattern::Concat | Pattern::Map(_), ..)
            | (Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan | Pattern::Iterate, ..)
            | (Pattern::Stream(_) | Pattern::Let | Pattern::Memory | Pattern::Kernel, ..)
            | (Pattern::Repeat(_), ..)
            | (Pattern::DepPair | Pattern::DepMatch, ..) => return Ok(None),
        };
        Ok(Some(found))
    }

    /// Reads an element of a view with an index map. If the map takes two indices, the result is an
    /// array, computed from its indices.
    fn element_of_view(
        &mut self,
        view: (Prim, &[Arg], &Phrase),
        i: &Phrase,
        xs: &Phrase,
        origin: Origin,
    ) -> Result<Option<Phrase>> {
        let (which, _, array) = view;
        let Some(map) = which.index_map() else {
            return Ok(None);
        };
        let (_, row) = array_of(array)?;
        let found = match &*row {
            Type::Array(n, _) if map.arity().0 > 1 => self.each(n, origin, |this, j| {
                this.element_at(map, view, &[i.clone(), j], xs, origin)
            })?,
            _ => self.element_at(map, view, std::slice::from_ref(i), xs, origin)?,
        };
        Ok(Some(found))
    }

    fn element_at(
        &mut self,
        map: &IndexMap,
        (_, types, array): (Prim, &[Arg], &Phrase),
        at: &[Phrase],
        xs: &Phrase,
        origin: Origin,
    ) -> Result<Phrase> {
        let mut arithmetic = PhraseArithmetic {
            translation: self,
            types,
            array,
            origin,
        };
        let Some(indices) = map.apply(types, at, &mut arithmetic) else {
            return fail(Reason::NoElement, origin);
        };
        let mut found = xs.clone();
        for index in indices {
            let (n, _) = array_of(&found)?;
            found = match &*data_of(&index)? {
                Type::Index(m) if *m == n => idx(index, &found, origin)?,
                Type::Index(_) => element(position(&index)?, &found, origin)?,
                _ => element(index, &found, origin)?,
            };
        }
        Ok(found)
    }

    /// Makes the array of the `n` elements of `xs` from `start` on.
    fn window(&mut self, n: &Nat, start: Phrase, xs: &Phrase, origin: Origin) -> Result<Phrase> {
        self.each(n, origin, |_, j| {
            let at = arithmetic(Prim::Add, start, position(&j)?, origin);
            element(at, xs, origin)
        })
    }

    /// Stores the vector of the `n` elements from `at*n` on in memory, lane by lane, and returns
    /// the expression that reads it.
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
        let found = match (which.pattern(), &types[..], &args[..]) {
            (Some(Pattern::Zip), _, [xs, ys]) => {
                let x = dep_idx(i, xs, origin)?;
                pair(x, dep_idx(i, ys, origin)?, origin)?
            }
            (Some(Pattern::View(View::Partition)), [_, _, _, Arg::SizeFun(len)], [xs]) => {
                let before = self.program.fresh_var("k");
                let body = size_at(len, &Nat::var(before));
                let start = Nat::sum(before, &Nat::ZERO, i, &body);
                let start = phrase::nat(start, origin);
                self.window(&size_at(len, i), start, xs, origin)?
            }
            (Some(Pattern::Select), _, [condition, a, b]) => {
                let a = dep_idx(i, a, origin)?;
                select(condition.clone(), a, dep_idx(i, b, origin)?, origin)?
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    fn half_of(
        &mut self,
        which: Prim,
        half_of: Half,
        pair: &Phrase,
        origin: Origin,
    ) -> Result<Option<Phrase>> {
        let Form::Primitive(outer, types, args) = &pair.form else {
            return Ok(None);
        };
        let first = half_of == Half::First;
        let found = match (outer.pattern(), &types[..], &args[..]) {
            (Some(Pattern::Pair), _, [a, b]) => if first { a } else { b }.clone(),
            (Some(Pattern::View(View::Unzip)), [n, s, t, ..], [pairs]) => {
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
            (Some(Pattern::MapHalf(mapped)), _, [f, pair]) => {
                let part = half(which, pair, origin)?;
                match half_of == mapped {
                    true => self.call(f, [part])?,
                    false => part,
                }
            }
            (Some(Pattern::Select), _, [condition, a, b]) => {
                let a = half(which, a, origin)?;
                select(condition.clone(), a, half(which, b, origin)?, origin)?
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }
}

/// The arithmetic on phrases: indices of type `Idx[n]`, and positions of type `natType`.
struct PhraseArithmetic<'a> {
    translation: &'a mut Translation,
    types: &'a [Arg],
    array: &'a Phrase,
    origin: Origin,
}

impl IndexArithmetic for PhraseArithmetic<'_> {
    type Index = Phrase;

    fn size(&mut self, size: &Nat) -> Phrase {
        phrase::nat(size.clone(), self.origin)
    }

    fn binary(&mut self, op: BinaryOp, a: Phrase, b: Phrase) -> Option<Phrase> {
        let op = match op {
            BinaryOp::Add => Prim::Add,
            BinaryOp::Sub => Prim::Sub,
            BinaryOp::Mul => Prim::Mul,
            BinaryOp::Div => Prim::Div,
            BinaryOp::Mod => Prim::Mod,
            _ => return None,
        };
        let number = |index: Phrase| match &*data_of(&index).ok()? {
            Type::Index(_) => position(&index).ok(),
            _ => Some(index),
        };
        Some(arithmetic(op, number(a)?, number(b)?, self.origin))
    }

    /// Reads an element of a reordered array of indices: phrases have no functions of sizes.
    fn apply(&mut self, _function: &SizeFun, at: Phrase) -> Option<Phrase> {
        let reordered = self.translation.reordered(self.types, &at, self.array);
        reordered.ok()
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
    Ok(match (which.pattern(), &args[..]) {
        (Some(Pattern::View(View::Partition)), [xs]) => Some(Joined::Whole(xs.clone())),
        (Some(Pattern::Select), [condition, a, b]) => {
            Some(Joined::Either(condition.clone(), join(a), join(b)))
        }
        _ => None,
    })
}

/// Makes the expression that reads the value at a position: the value itself for a constant
/// position, otherwise a chain of `select`s.
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
