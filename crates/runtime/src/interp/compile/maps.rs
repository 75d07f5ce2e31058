//! The primitives that apply a function to every element.

use std::rc::Rc;
use std::sync::Arc;

use nat::Nat;
use rise::Primitive;
use rise::core::Origin;
use rise::types::Type;

use super::super::batch::{Batch, CHUNK, WORTH};
use super::super::block::{Bind, Block, Out, Step, ValCode};
use super::super::error::Res;
use super::super::frame::Frame;
use super::super::kind::Kind;
use super::super::scalar::Scalar;
use super::super::val::{Target, Val};
use super::{Call, Compiler, LayoutCode, here};

/// A loop that computes an array, element by element.
struct Loop {
    block: Block,
    batch: Option<Batch>,
    layout: LayoutCode,
    /// Whether an element that cannot be computed is an error at once, or when it is read.
    strict: bool,
    origin: Origin,
}

impl Loop {
    /// Computes `n` elements. `bind` gives the function its argument, `chunk` does many at once.
    fn run(
        &self,
        frame: &mut Frame<'_>,
        n: usize,
        bind: &mut dyn FnMut(&mut Frame<'_>, usize) -> Res<()>,
        chunk: &mut dyn FnMut(&Batch, &mut Frame<'_>, usize, usize, &mut Target) -> Option<()>,
    ) -> Res<Val> {
        let mut target = Target::Pending;
        let batch = self.batch.as_ref().filter(|_| n >= WORTH);
        if n == 0 || batch.is_some() {
            let layout = self.layout.eval(frame, self.origin)?;
            target = here(self.origin, Target::new(&layout, n, &frame.meter))?;
        }
        let mut start = 0;
        while start < n {
            let len = CHUNK.min(n - start);
            if let Some(batch) = batch {
                frame.tick(len)?;
                if chunk(batch, frame, start, len, &mut target).is_some() {
                    start += len;
                    continue;
                }
            }
            for at in start..start + len {
                frame.tick(1)?;
                let done = match bind(frame, at) {
                    Ok(()) => self.block.put(frame, &mut target, n, at),
                    failed => failed,
                };
                match done {
                    Ok(()) => {}
                    Err(error) if !self.strict && error.kind.is_local() => {
                        if !target.is_ready() {
                            let layout = self.layout.eval(frame, self.origin)?;
                            target = Target::new(&layout, n, &frame.meter)?;
                        }
                        target.fail(at, &Rc::from(error));
                    }
                    Err(error) => return here(self.origin, Err(error)),
                }
            }
            start += len;
        }
        target.finish(&frame.meter)
    }
}

impl Compiler {
    /// `map` and everything that means the same. `map` itself is lenient: in compiled code an
    /// element is computed where it is read.
    pub(super) fn map(&mut self, call: &Call, strict: bool, steps: &mut Vec<Step>) -> Res<Out> {
        let f = self.fun(call, 0, steps)?;
        if !strict
            && !self.trace
            && let Some(view) = self.view(&f, steps)
        {
            let xs = self.code(call, 1, steps)?;
            let origin = call.origin;
            return Ok(Out::Val(Rc::new(move |frame| {
                let xs = xs(frame)?;
                here(origin, view.apply(frame, &xs, 1))
            })));
        }
        let xs = self.code(call, 1, steps)?;
        self.map_code(call, &f, xs, strict).map(Out::Val)
    }

    /// Code that applies a function to every element of an array, or of a vector.
    pub(super) fn map_code(
        &mut self,
        call: &Call,
        f: &super::Function,
        xs: ValCode,
        strict: bool,
    ) -> Res<ValCode> {
        let param = self.slots_for(&call.ty(0)?.clone(), false)?;
        let result = if call.primitive == Primitive::RotateValues {
            0
        } else {
            1
        };
        let work = self.work(call, result, strict, Some(&param), |c, steps| {
            c.apply_data(f, &[param.out()], steps)
        })?;
        let origin = call.origin;
        Ok(Rc::new(move |frame| {
            let xs = xs(frame)?;
            let n = here(origin, xs.len())?;
            work.run(
                frame,
                n,
                &mut |frame, at| param.set_element(frame, &xs, at, origin),
                &mut |batch, frame, start, len, target| {
                    batch.map(frame, &param, &xs, start, len, target)
                },
            )
        }))
    }

    fn work(
        &mut self,
        call: &Call,
        result: usize,
        strict: bool,
        param: Option<&Bind>,
        body: impl FnOnce(&mut Compiler, &mut Vec<Step>) -> Res<Out>,
    ) -> Res<Loop> {
        let block = self.block(body)?;
        let batch = param
            .filter(|_| !self.trace)
            .and_then(|param| Batch::of(&block, param));
        Ok(Loop {
            block,
            batch,
            layout: self.layout(call.ty(result)?)?,
            strict,
            origin: call.origin,
        })
    }

    /// `generate`, computed once; an element that cannot be computed is an error when it is read.
    pub(super) fn generate(&mut self, call: &Call, steps: &mut Vec<Step>) -> Res<Out> {
        let f = self.fun(call, 0, steps)?;
        let n = self.nat(call.nat(0)?);
        let index = Arc::new(Type::Index(Nat::constant(0)));
        let param = self.slots_for(&index, false)?;
        let Bind::Word(_, slot, _) = param else {
            return Err(super::malformed("an index", call.origin));
        };
        let work = self.work(call, 0, false, Some(&param), |c, steps| {
            c.apply_data(
                &f,
                &[Out::Word(Kind::I32, Scalar::Slot(slot, false))],
                steps,
            )
        })?;
        let origin = call.origin;
        Ok(Out::Val(Rc::new(move |frame| {
            let n = n.len(frame, origin)?;
            work.run(
                frame,
                n,
                &mut |frame, at| {
                    frame.words[slot] = at as u64;
                    Ok(())
                },
                &mut |batch, frame, start, len, target| {
                    batch.generate(frame, slot, start, len, target)
                },
            )
        })))
    }
}
