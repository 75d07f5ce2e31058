//! Views of acceptors, which mirror the views of expressions.

use std::sync::Arc;

use nat::Nat;
use rise::core::{Form, Node, Origin};
use rise::pattern::AcceptorView;
use rise::{Access, Arg, Type};

use super::Translation;
use super::build::{self, array_of, data_of};
use super::error::{Reason, Result, fail};
use crate::phrase::{Phrase, acc, exp, fun, prim};
use crate::prim::Prim;

impl Translation {
    /// For a view `phrase`, returns its argument and the acceptor to which the argument is written
    /// so that the view is written to `output`. Returns `None` for other phrases.
    pub fn mirror(&mut self, phrase: &Phrase, output: &Phrase) -> Result<Option<(Phrase, Phrase)>> {
        let Form::Primitive(which, types, args) = &phrase.form else {
            return Ok(None);
        };
        let origin = phrase.origin;
        let (Some(acceptor), [before @ .., e]) = (which.acceptor(), &args[..]) else {
            return Ok(None);
        };
        let AcceptorView::View(name, params) = acceptor else {
            return Ok(Some((e.clone(), output.clone())));
        };
        let Some(acceptor) = Prim::from_name(name) else {
            return fail(Reason::Arguments(*which), origin);
        };
        let types = params.iter().filter_map(|&at| types.get(at).cloned());
        let types: Vec<Arg> = types.collect();
        let mut taken = Vec::new();
        for arg in before {
            taken.push(match &*arg.ty {
                Type::Fun(..) => self.mirror_each(*which, arg, origin)?,
                _ => self.read_plain(arg)?,
            });
        }
        taken.push(output.clone());
        Ok(Some((e.clone(), prim(acceptor, types, taken, origin))))
    }

    /// Mirrors the function of `map`, `mapFst` or `mapSnd`: a chain of views.
    fn mirror_each(&mut self, which: Prim, f: &Phrase, origin: Origin) -> Result<Phrase> {
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
        Ok(fun(place, view))
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

    /// Makes the array of `n` elements whose element at an index is the result of `element` for it.
    pub fn each(
        &mut self,
        n: &Nat,
        origin: Origin,
        element: impl FnOnce(&mut Self, Phrase) -> Result<Phrase>,
    ) -> Result<Phrase> {
        let param = self.param("e", exp(&Arc::new(Type::Index(n.clone())), Access::Rd));
        let body = element(self, Node::var(&param, origin))?;
        build::generate(n, fun(param, body), origin)
    }
}
