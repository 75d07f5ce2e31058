//! Functions that only rearrange their argument, and rearrangements of a part of an array. `map`
//! applies such functions to all elements at once, by rearranging deeper dimensions.

use std::rc::Rc;

use rise::Primitive as P;
use rise::core::{Form, Origin};

use super::super::block::Code;
use super::super::compile::arrays::Rearrange;
use super::super::compile::{Call, Compiler, Env, Function, Head, Term, Thunk, here, local_of};
use super::super::error::InterpResult;
use super::super::frame::Frame;
use super::super::val::Val;
use super::Variants;
use super::batch::BatchValue;
use super::primitives::unary;
use super::stream::{Elements, PartView, StreamCode, ViewCode};

/// A function that only rearranges its argument.
#[derive(Clone)]
pub(crate) enum View {
    Same,
    Then(Box<View>, Box<View>),
    Columns(Rearrange),
    /// A view that is applied to each element.
    Map(Box<View>),
    Half(bool),
    /// Two views of the same argument, as a pair or as an array of pairs.
    Both(Box<View>, Box<View>),
}

impl View {
    /// Applies the view to each element of an array with `depth` outer dimensions.
    pub fn apply(&self, frame: &mut Frame<'_>, value: &Val, depth: usize) -> InterpResult<Val> {
        match self {
            View::Same => Ok(value.clone()),
            View::Then(first, second) => {
                let between = first.apply(frame, value, depth)?;
                second.apply(frame, &between, depth)
            }
            View::Columns(rearrange) => value.columns(&mut |col| rearrange(frame, col, depth)),
            View::Map(inner) => inner.apply(frame, value, depth + 1),
            View::Half(second) => value.half(*second),
            View::Both(a, b) => {
                let first = a.apply(frame, value, depth)?;
                Ok(Val::pair(first, b.apply(frame, value, depth)?))
            }
        }
    }

    /// Applies the view in all of the current iterations, to each element of an array that has
    /// `depth` outer dimensions besides the iterations.
    pub fn apply_batch(
        &self,
        frame: &mut Frame<'_>,
        value: &BatchValue,
        depth: usize,
    ) -> Option<BatchValue> {
        Some(match self {
            View::Same => value.clone(),
            View::Then(first, second) => {
                let between = first.apply_batch(frame, value, depth)?;
                second.apply_batch(frame, &between, depth)?
            }
            View::Columns(rearrange) => {
                let at = depth;
                value.columns(frame, &mut |frame, col, depth| {
                    rearrange(frame, col, depth + at).ok()
                })?
            }
            View::Map(inner) => inner.apply_batch(frame, value, depth + 1)?,
            View::Half(second) => value.half(*second)?,
            View::Both(a, b) => {
                let first = a.apply_batch(frame, value, depth)?;
                BatchValue::pair(first, b.apply_batch(frame, value, depth)?)
            }
        })
    }
}

impl View {
    /// Returns code that applies the view to each element of an array.
    pub fn mapped(self, xs: &Code, origin: Origin) -> Code {
        let (view, again, streamed) = (self.clone(), self.clone(), self);
        let stream = xs.variants.stream.clone().map(|xs| -> StreamCode {
            Rc::new(move |frame| {
                let (mut xs, view) = (xs(frame)?, streamed.clone());
                let (len, grain) = (xs.len()?, xs.grain());
                Ok(Elements::computed(len, grain, move |frame, start, n| {
                    let part = xs.part(frame, start, n)?;
                    here(origin, view.apply(frame, &part, 1))
                }))
            })
        });
        let batch = unary(xs, move |frame, xs| again.apply_batch(frame, &xs, 1));
        let xs = xs.one.clone();
        let one = Code::one(move |frame| {
            let xs = xs(frame)?;
            here(origin, view.apply(frame, &xs, 1))
        });
        one.with(Variants { batch, stream })
    }
}

impl Compiler {
    /// Compiles a primitive that can be applied to an array that is computed part by part. Returns
    /// `None` for other primitives, and if evaluation is not optimised.
    pub(crate) fn part_view(&mut self, call: &Call) -> InterpResult<Option<ViewCode>> {
        if !self.optimizes() {
            return Ok(None);
        }
        let origin = call.origin;
        let (view, at): (fn(usize) -> PartView, _) = match call.primitive {
            P::Split | P::AsVector | P::AsVectorAligned => (PartView::Split, 0),
            P::Join => (PartView::Join, 1),
            P::AsScalar => (PartView::Join, 0),
            P::Take => (PartView::Take, 0),
            P::Drop => (PartView::Drop, 0),
            P::Slide | P::PadClamp => {
                let view = match call.primitive {
                    P::Slide => PartView::Slide,
                    _ => PartView::PadClamp,
                };
                let (a, b) = (self.nat(call.nat(1)?), self.nat(call.nat(2)?));
                return Ok(Some(Rc::new(move |frame| {
                    Ok(view(a.len(frame, origin)?, b.len(frame, origin)?))
                })));
            }
            _ => return Ok(None),
        };
        let n = self.nat(call.nat(at)?);
        Ok(Some(Rc::new(move |frame| Ok(view(n.len(frame, origin)?)))))
    }

    /// Returns a function as a view; `None` if it is not known to be one, or if evaluation is not
    /// optimised.
    pub(crate) fn view(&mut self, f: &Function) -> Option<View> {
        if !self.optimizes() {
            return None;
        }
        match f {
            Function::Lambda(param, body, env) => self.view_of_term(body, param.local.id, env),
            Function::Primitive(partial) if partial.missing == 1 => {
                let Head::Primitive(primitive) = partial.head else {
                    return None;
                };
                let args = partial.args.iter().cloned().map(Thunk::Ready).collect();
                let call = Call {
                    primitive,
                    types: partial.types.clone(),
                    args,
                    origin: partial.origin,
                };
                self.view_of_call(&call)
            }
            _ => None,
        }
    }

    /// Returns a primitive as a view of its last argument; `None` for other primitives.
    fn view_of_call(&mut self, call: &Call) -> Option<View> {
        Some(match call.primitive {
            P::Take | P::Drop | P::Split | P::Join | P::Transpose | P::Slide | P::PadClamp => {
                View::Columns(self.rearrangement(call).ok()?)
            }
            P::AsScalar | P::AsVector | P::AsVectorAligned => {
                View::Columns(self.rearrangement(call).ok()?)
            }
            P::Unzip => View::Same,
            P::Fst => View::Half(false),
            P::Snd => View::Half(true),
            P::Map => {
                let f = self.fun(call, 0, &mut Vec::new()).ok()?;
                View::Map(Box::new(self.view(&f)?))
            }
            _ => return None,
        })
    }

    fn view_of_term(&mut self, term: &Term, param: u32, env: &Env) -> Option<View> {
        if let Some(local) = local_of(term) {
            return (local.id == param).then_some(View::Same);
        }
        match &term.form {
            Form::Apply(f, x) => {
                let x = self.view_of_term(x, param, env)?;
                // A function that depends on the parameter fails to compile, because nothing binds
                // the parameter.
                let mut steps = Vec::new();
                let f = self.function(f, env, &mut steps).ok()?;
                let f = steps.is_empty().then(|| self.view(&f))??;
                Some(View::Then(Box::new(x), Box::new(f)))
            }
            Form::Primitive(p, types, args) => {
                let types = types.iter().map(|arg| env.arg(arg)).collect();
                if let (P::Zip | P::MakePair, [a, b]) = (p, &args[..]) {
                    let first = self.view_of_term(a, param, env)?;
                    let second = self.view_of_term(b, param, env)?;
                    return Some(View::Both(Box::new(first), Box::new(second)));
                }
                let (last, before) = args.split_last()?;
                let call = Call {
                    primitive: *p,
                    types,
                    args: (before.iter())
                        .map(|arg| Thunk::Term(arg.clone(), env.clone()))
                        .collect(),
                    origin: term.origin,
                };
                let inner = self.view_of_term(last, param, env)?;
                let outer = self.view_of_call(&call)?;
                Some(View::Then(Box::new(inner), Box::new(outer)))
            }
            _ => None,
        }
    }
}
