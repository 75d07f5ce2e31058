//! The access paths of memory that is written through acceptors and read through views.

use nat::{Nat, Prop};
use rise::Arg;
use rise::core::{Form, Node};

use super::{Finder, WrittenPaths};
use crate::functional::access_path::{
    AccessPath, PathElement, View, read_view, size_at, take_half, through,
};
use crate::phrase::Phrase;
use crate::prim::Prim;

impl Finder {
    /// Collects the expressions that read an acceptor's memory, with the path in that memory of a
    /// part of the acceptor.
    pub(super) fn written(
        &self,
        acceptor: &Phrase,
        path: Option<AccessPath>,
        into: &mut WrittenPaths,
    ) {
        let mut rest: Vec<(&Node<Prim>, Option<AccessPath>)> = vec![(acceptor, path)];
        while let Some((node, path)) = rest.pop() {
            match &node.form {
                Form::Var(local) => self.written_by(local.id, path, into),
                Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                    rest.push((body, None));
                }
                Form::Apply(f, x) => rest.extend([(&**f, None), (&**x, None)]),
                Form::Primitive(prim, types, args) => {
                    let place = path.and_then(|path| self.place(*prim, types, args, path));
                    match (place, args.last()) {
                        (Some(place), Some(whole)) => rest.push((whole, Some(place))),
                        _ => rest.extend(args.iter().map(|arg| (&**arg, None))),
                    }
                }
                Form::Foreign(_, args) => rest.extend(args.iter().map(|arg| (&**arg, None))),
                Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
            }
        }
    }

    fn written_by(&self, acceptor: u32, path: Option<AccessPath>, into: &mut WrittenPaths) {
        let mut add = |reader: u32, path: Option<AccessPath>| {
            let known = into.contains_key(&reader);
            into.insert(reader, path.filter(|_| !known));
        };
        if let Some(parts) = self.parts.get(&acceptor) {
            for (&reader, prefix) in parts {
                let whole = prefix.as_ref().zip(path.as_ref());
                add(reader, whole.map(|(prefix, path)| behind(prefix, path)));
            }
        } else if let Some(&reader) = self.readers.get(&acceptor) {
            add(reader, path);
        }
    }

    /// Transforms a path in an acceptor to one in the last argument of the acceptor, of which it is
    /// a view; `None` if that is not possible.
    fn place(
        &self,
        prim: Prim,
        types: &[Arg],
        args: &[Phrase],
        mut path: AccessPath,
    ) -> Option<AccessPath> {
        let size = |at: usize, view: fn(Nat) -> View| size_at(types, at).map(view);
        let view = match prim {
            Prim::IdxAcc => {
                path.insert(0, PathElement::At(self.index_of(args.first()?)?));
                return Some(path);
            }
            Prim::DepIdxAcc => size(2, View::At)?,
            Prim::JoinAcc => match (&mut path[..], size_at(types, 1)?) {
                ([PathElement::At(row)], columns) => {
                    return Some(vec![PathElement::Lanes(row.clone(), columns)]);
                }
                _ => View::Index(prim.index_map()?, types.to_vec()),
            },
            Prim::ZipAcc1 => View::Zip(false),
            Prim::ZipAcc2 => View::Zip(true),
            Prim::UnzipAcc => View::Unzip,
            Prim::PairAcc1 => View::Half(false),
            Prim::PairAcc2 => View::Half(true),
            Prim::DropAcc => size(2, View::Behind)?,
            Prim::AsScalarAcc => size(0, View::AsScalar)?,
            _ => View::Index(prim.index_map()?, types.to_vec()),
        };
        through(&view, path)
    }

    /// Follows the reads of a part of a primitive's result.
    pub(super) fn read_primitive(
        &mut self,
        prim: Prim,
        types: &[Arg],
        args: &[Phrase],
        mut path: AccessPath,
    ) {
        match (prim, args) {
            (Prim::Idx, [index, xs]) => {
                self.read(index, AccessPath::new());
                path.insert(
                    0,
                    self.index_of(index)
                        .map_or(PathElement::Any, PathElement::At),
                );
                self.read(xs, path);
            }
            (Prim::DepIdx, [xs]) => {
                path.insert(
                    0,
                    size_at(types, 2).map_or(PathElement::Any, PathElement::At),
                );
                self.read(xs, path);
            }
            (Prim::IdxVec, [lane, xs]) => {
                self.read(lane, AccessPath::new());
                self.read(xs, path);
            }
            (Prim::Fst | Prim::Snd, [pair]) => {
                path.insert(0, PathElement::Half(prim == Prim::Snd));
                self.read(pair, path);
            }
            (Prim::MakePair, [a, b]) => match take_half(&mut path, 0) {
                Some(half) => self.read(if half { b } else { a }, path),
                None => self.all(args),
            },
            (Prim::Zip, [a, b]) => match take_half(&mut path, 1) {
                Some(half) => self.read(if half { b } else { a }, path),
                None => {
                    self.read(a, path.clone());
                    self.read(b, path);
                }
            },
            // An element of the result depends only on the same element of the argument.
            (Prim::Map, [f, xs]) => {
                self.read(f, AccessPath::new());
                path.truncate(1);
                self.read(xs, path);
            }
            (Prim::Select, [condition, a, b]) => {
                self.read(condition, AccessPath::new());
                self.read(a, path.clone());
                self.read(b, path);
            }
            (Prim::Let, [value, f]) => {
                self.read(value, AccessPath::new());
                self.read(f, path);
            }
            (_, [xs]) => {
                let lanes = match prim {
                    Prim::AsScalar => 0,
                    _ => 3,
                };
                let types = (types, size_at(types, lanes));
                let place = prim
                    .pattern()
                    .and_then(|pattern| read_view(pattern, prim.index_map(), types, path));
                match place {
                    Some(path) => self.read(xs, path),
                    None => self.all(args),
                }
            }
            _ => self.all(args),
        }
    }

    fn index_of(&self, phrase: &Phrase) -> Option<Nat> {
        match &phrase.form {
            Form::Nat(size) => Some(size.clone()),
            Form::Var(local) => self.indices.get(&local.id).cloned(),
            Form::Primitive(Prim::NatAsIndex | Prim::IndexAsNat, _, args) => {
                self.index_of(args.last()?)
            }
            Form::Primitive(prim @ (Prim::Add | Prim::Mul), _, args) => {
                let [a, b] = &args[..] else { return None };
                let (a, b) = (self.index_of(a)?, self.index_of(b)?);
                Some(match prim {
                    Prim::Add => Nat::add(&a, &b),
                    _ => Nat::mul(&a, &b),
                })
            }
            _ => None,
        }
    }

    /// Returns true if the read place is certainly the written one or a part of it.
    pub(super) fn stays_in(&self, read: &[PathElement], written: Option<&[PathElement]>) -> bool {
        let equal =
            |a: &Nat, b: &Nat| a == b || self.facts.proves(&Prop::Equal(a.clone(), b.clone()));
        let same = |a: &PathElement, b: &PathElement| match (a, b) {
            (PathElement::At(a), PathElement::At(b)) => equal(a, b),
            (PathElement::At(a), PathElement::Lanes(b, n)) => equal(&Nat::div(a, n), b),
            (PathElement::Lanes(a, n), PathElement::Lanes(b, m)) => equal(a, b) && equal(n, m),
            (PathElement::Half(a), PathElement::Half(b)) => a == b,
            _ => false,
        };
        written.is_some_and(|written| {
            read.len() >= written.len() && read.iter().zip(written).all(|(a, b)| same(a, b))
        })
    }
}

/// Concatenates two paths; an element of a row becomes one of the array of all rows.
fn behind(prefix: &[PathElement], path: &[PathElement]) -> AccessPath {
    match (prefix, path) {
        ([outer @ .., PathElement::Lanes(row, columns)], [PathElement::At(at), inner @ ..]) => {
            let at = PathElement::At(Nat::add(&Nat::mul(row, columns), at));
            [outer, &[at], inner].concat()
        }
        _ => [prefix, path].concat(),
    }
}
