//! Views of acceptors, which mirror the views of expressions.

use std::sync::Arc;

use nat::Nat;
use rise::core::{Form, Node};
use rise::{Access, Arg, Type};

use super::Translation;
use super::build::{self, array_of, data_of};
use super::error::{Reason, Result, fail};
use crate::phrase::{Phrase, acc, exp, fun, prim};
use crate::prim::Prim;

impl Translation {
    /// For a view `phrase`, returns its argument and the acceptor to which the argument is written
    /// so that the view is written to `output`.
    pub fn mirror(&mut self, phrase: &Phrase, output: &Phrase) -> Result<Option<(Phrase, Phrase)>> {
        let Form::Primitive(which, types, args) = &phrase.form else {
            return Ok(None);
        };
        let origin = phrase.origin;
        let place = |which, types: &[&Arg], output: &Phrase| {
            let types = types.iter().map(|&arg| arg.clone()).collect();
            prim(which, types, vec![output.clone()], origin)
        };
        let mirrored = match (which, &types[..], &args[..]) {
            (Prim::Join, [n, m, t, ..], [e]) => (e, place(Prim::JoinAcc, &[n, m, t], output)),
            (Prim::Split, [m, t, _, n], [e]) => (e, place(Prim::SplitAcc, &[m, n, t], output)),
            (Prim::Transpose, [n, m, t, ..], [e]) => {
                (e, place(Prim::TransposeAcc, &[m, n, t], output))
            }
            (Prim::Unzip, [n, s, t, ..], [e]) => (e, place(Prim::UnzipAcc, &[n, s, t], output)),
            (Prim::AsScalar, [n, m, t, ..], [e]) => {
                (e, place(Prim::AsScalarAcc, &[n, m, t], output))
            }
            (Prim::AsVector | Prim::AsVectorAligned, [m, t, _, n], [e]) => {
                (e, place(Prim::AsVectorAcc, &[n, m, t], output))
            }
            // Element `i` of the result is element `g(i)` of the argument, so element `j` of the
            // argument is written to the index for which `g` is `j`.
            (Prim::Reorder, [t, _, n, _, inverse], [e]) => {
                (e, place(Prim::ReorderAcc, &[t, n, inverse], output))
            }
            (Prim::PadEmpty, [n, _, r], [e]) => match (n, r) {
                (Arg::Nat(n), Arg::Nat(_)) => {
                    (e, build::part_acc(Prim::TakeAcc, n, output, origin)?)
                }
                _ => return fail(Reason::Arguments(*which), origin),
            },
            // The two sizes are equal, so the acceptor is the same.
            (Prim::Assume, _, [e]) => (e, output.clone()),
            (Prim::Scatter, types, [indices, e]) => {
                let indices = self.read_plain(indices)?;
                let args = vec![indices, output.clone()];
                (e, prim(Prim::ScatterAcc, types.to_vec(), args, origin))
            }
            (Prim::DepJoin, [n, len, t, ..], [e]) => {
                (e, place(Prim::DepJoinAcc, &[n, len, t], output))
            }
            (Prim::Map | Prim::MapFst | Prim::MapSnd, types, [f, e]) => {
                let place = self.mirror_each(*which, types, f, output, phrase)?;
                return Ok(Some((e.clone(), place)));
            }
            _ => return Ok(None),
        };
        Ok(Some((mirrored.0.clone(), mirrored.1)))
    }

    /// Mirrors `map`, `mapFst` or `mapSnd`: applies the mirrored views of its function to each
    /// part.
    fn mirror_each(
        &mut self,
        which: Prim,
        types: &[Arg],
        f: &Phrase,
        output: &Phrase,
        phrase: &Phrase,
    ) -> Result<Phrase> {
        let origin = phrase.origin;
        let mirror = match which {
            Prim::Map => Prim::MapAcc,
            Prim::MapFst => Prim::MapFstAcc,
            _ => Prim::MapSndAcc,
        };
        let Some(types) = types.get(..3) else {
            return fail(Reason::Arguments(which), origin);
        };
        let f = self.head(f)?;
        let Form::Lambda(param, body) = &f.form else {
            return fail(Reason::NoFunction, f.origin);
        };
        let place = self.param("out", acc(&data_of(body)?));
        let mut rest = self.head(body)?;
        let mut view = Node::var(&place, origin);
        while !matches!(&rest.form, Form::Var(local) if *local == param.local) {
            match self.mirror(&rest, &view)? {
                Some((inner, outer)) => {
                    rest = self.head(&inner)?;
                    view = outer;
                }
                None => return fail(Reason::NotAView(which), rest.origin),
            }
        }
        let args = vec![fun(place, view), output.clone()];
        Ok(prim(mirror, types.to_vec(), args, origin))
    }

    /// Returns the index in the argument of element `i` of a reordered array.
    pub fn reordered(&mut self, types: &[Arg], i: &Phrase, phrase: &Phrase) -> Result<Phrase> {
        let origin = phrase.origin;
        let (n, _) = array_of(phrase)?;
        let index = Arc::new(Type::Index(n.clone()));
        let [_, _, rest @ ..] = types else {
            return fail(Reason::Arguments(Prim::Reorder), origin);
        };
        let mut all = vec![Arg::Type(index), Arg::Access(Access::Rd)];
        all.extend_from_slice(rest);
        let indices = self.each(&n, origin, |_, j| Ok(j))?;
        let reordered = prim(Prim::Reorder, all, vec![indices], origin);
        build::idx(i.clone(), &reordered, origin)
    }

    /// Makes the array whose element at `j` is the result of `element`.
    pub fn each(
        &mut self,
        n: &Nat,
        origin: rise::core::Origin,
        element: impl FnOnce(&mut Self, Phrase) -> Result<Phrase>,
    ) -> Result<Phrase> {
        let param = self.param("e", exp(&Arc::new(Type::Index(n.clone())), Access::Rd));
        let body = element(self, Node::var(&param, origin))?;
        build::generate(n, fun(param, body), origin)
    }
}
