//! Compiles the primitives that apply a function to every element.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use nat::Nat;
use rise::Primitive;
use rise::core::Origin;
use rise::types::Type;

use super::super::batch::{BatchBlock, BatchCode, MIN_BATCH_ITERATIONS};
use super::super::block::{Block, Code, Operand, Step, VarSlots};
use super::super::error::InterpResult;
use super::super::frame::Frame;
use super::super::kind::Kind;
use super::super::scalar::Scalar;
use super::super::stream::{Elements, StreamCode, elements, grain};
use super::super::val::{Target, Val};
use super::{Call, Compiler, LayoutCode, here};

/// The number of consecutive chunks that fail to run vectorised before this is no longer attempted.
const MAX_FAILED_CHUNKS: u32 = 3;

/// A loop that computes an array element by element.
struct Loop {
    block: Block,
    batch: Option<BatchBlock>,
    misses: Cell<u32>,
    layout: LayoutCode,
    /// True if an error in an element stops the program at once; otherwise it is raised when the
    /// element is read.
    strict: bool,
    origin: Origin,
}

/// The arguments of the function of a loop.
trait Input {
    /// Binds the argument of the function for an iteration.
    fn bind(&mut self, frame: &mut Frame<'_>, at: usize) -> InterpResult<()>;

    /// Runs `len` iterations from `start` on at once. Returns `None` if that is not possible.
    fn chunk(
        &mut self,
        batch: &BatchBlock,
        frame: &mut Frame<'_>,
        start: usize,
        len: usize,
        target: &mut Target,
    ) -> Option<()>;

    /// Returns the largest number of iterations that should run at once.
    fn grain(&self) -> usize;
}

struct OfElements<'i> {
    elements: &'i mut Elements,
    param: &'i VarSlots,
    origin: Origin,
}

impl Input for OfElements<'_> {
    fn bind(&mut self, frame: &mut Frame<'_>, at: usize) -> InterpResult<()> {
        self.elements.bind(frame, self.param, at, self.origin)
    }

    fn chunk(
        &mut self,
        batch: &BatchBlock,
        frame: &mut Frame<'_>,
        start: usize,
        len: usize,
        target: &mut Target,
    ) -> Option<()> {
        let (array, from) = self.elements.window(frame, start, len).ok()?;
        batch.map(frame, self.param, (&array, from), start, len, target)
    }

    fn grain(&self) -> usize {
        self.elements.grain()
    }
}

/// The indices from `first` on.
struct OfIndices {
    /// The slot of the index variable.
    slot: usize,
    first: usize,
}

impl Input for OfIndices {
    fn bind(&mut self, frame: &mut Frame<'_>, at: usize) -> InterpResult<()> {
        frame.words[self.slot] = (self.first + at) as u64;
        Ok(())
    }

    fn chunk(
        &mut self,
        batch: &BatchBlock,
        frame: &mut Frame<'_>,
        start: usize,
        len: usize,
        target: &mut Target,
    ) -> Option<()> {
        let index = (self.slot, self.first + start);
        batch.generate(frame, index, start, len, target)
    }

    fn grain(&self) -> usize {
        usize::MAX
    }
}

impl Loop {
    fn run(&self, frame: &mut Frame<'_>, n: usize, input: &mut dyn Input) -> InterpResult<Val> {
        let mut target = Target::Pending;
        let batch = self
            .batch
            .as_ref()
            .filter(|_| self.misses.get() < MAX_FAILED_CHUNKS);
        let mut len = n;
        if n == 0 || batch.is_some() {
            let layout = self.layout.eval(frame, self.origin)?;
            len = grain(&layout).min(input.grain()).min(n);
            target = here(self.origin, Target::new(&layout, n, &frame.meter))?;
        }
        let batch =
            batch.filter(|_| len > 1 && (len >= MIN_BATCH_ITERATIONS || self.is_large(&target)));
        let mut start = 0;
        while start < n {
            let len = len.min(n - start);
            if let Some(batch) = batch.filter(|_| self.misses.get() < MAX_FAILED_CHUNKS) {
                frame.tick(len)?;
                if input.chunk(batch, frame, start, len, &mut target).is_some() {
                    self.misses.set(0);
                    start += len;
                    continue;
                }
                frame.stopped()?;
                self.misses.set(self.misses.get() + 1);
            }
            for at in start..start + len {
                self.element(frame, n, at, input, &mut target)?;
            }
            start += len;
        }
        target.finish(&frame.meter)
    }

    /// Returns true if the elements of a result are arrays, so that few iterations compute many
    /// scalars.
    fn is_large(&self, target: &Target) -> bool {
        match target {
            Target::Pending => false,
            Target::Array { size, .. } => *size > 1,
            Target::Pair(a, b) => self.is_large(a) || self.is_large(b),
        }
    }

    fn element(
        &self,
        frame: &mut Frame<'_>,
        n: usize,
        at: usize,
        input: &mut dyn Input,
        target: &mut Target,
    ) -> InterpResult<()> {
        frame.tick(1)?;
        let done = match input.bind(frame, at) {
            Ok(()) => self.block.put(frame, target, n, at),
            failed => failed,
        };
        match done {
            Ok(()) => Ok(()),
            Err(error) if !self.strict && error.kind.is_local() => {
                if !target.is_ready() {
                    let layout = self.layout.eval(frame, self.origin)?;
                    *target = Target::new(&layout, n, &frame.meter)?;
                }
                target.fail(at, &Rc::from(error));
                Ok(())
            }
            Err(error) => here(self.origin, Err(error)),
        }
    }
}

impl Compiler {
    /// Compiles `map` and its variants. `map` itself is lenient, because compiled code computes an
    /// element where it is read.
    pub(super) fn map(
        &mut self,
        call: &Call,
        strict: bool,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        let f = self.fun(call, 0, steps)?;
        if !strict
            && !self.trace
            && let Some(view) = self.view(&f, steps)
        {
            let xs = self.code(call, 1, steps)?;
            let (origin, again) = (call.origin, view.clone());
            let (stream, each) = (xs.stream.clone(), view.clone());
            let stream = stream.map(|stream| -> StreamCode {
                Rc::new(move |frame| {
                    let (mut xs, view) = (stream(frame)?, each.clone());
                    Ok(Elements::computed(
                        xs.len()?,
                        xs.grain(),
                        move |frame, start, n| {
                            let part = xs.part(frame, start, n)?;
                            here(origin, view.apply(frame, &part, 1))
                        },
                    ))
                })
            });
            let batch = xs.batch.map(|xs| -> BatchCode {
                Rc::new(move |frame| {
                    let xs = xs(frame)?;
                    again.apply_batch(frame, &xs, 1)
                })
            });
            let one = Code::one(move |frame| {
                let xs = (xs.one)(frame)?;
                here(origin, view.apply(frame, &xs, 1))
            });
            return Ok(Operand::Val(one.with(batch).streamed(stream)));
        }
        let xs = self.code(call, 1, steps)?;
        self.map_code(call, &f, xs, strict).map(Operand::Val)
    }

    /// Compiles the application of a function to every element of an array or vector.
    pub(super) fn map_code(
        &mut self,
        call: &Call,
        f: &super::Function,
        xs: Code,
        strict: bool,
    ) -> InterpResult<Code> {
        let param = self.slots_for(&call.ty(0)?.clone(), false)?;
        self.keep_parallel_elements(&param.out(), call.arg(1)?);
        let rotates = call.primitive == Primitive::RotateValues;
        let work = self.work(call, usize::from(!rotates), strict, |c, steps| {
            c.apply_data(f, &[param.out()], steps)
        })?;
        let origin = call.origin;
        let block = work.batch.clone().filter(|_| !self.trace);
        let (to, batch) = (param.clone(), block.zip(xs.batch.clone()));
        let batch = batch.map(|(block, xs)| -> BatchCode {
            Rc::new(move |frame| {
                let xs = xs(frame)?;
                block.map_inside(frame, &to, &xs)
            })
        });
        let (xs, work) = (elements(&xs), Rc::new(work));
        // The elements of `map` can be computed where they are read, as compiled code does.
        let stream = (!strict).then(|| -> StreamCode {
            let (xs, work, param) = (xs.clone(), work.clone(), param.clone());
            Rc::new(move |frame| {
                let mut xs = xs(frame)?;
                let len = here(origin, xs.len())?;
                let grain = grain(&work.layout.eval(frame, origin)?).min(xs.grain());
                let (work, param) = (work.clone(), param.clone());
                Ok(Elements::computed(len, grain, move |frame, start, n| {
                    let part = xs.part(frame, start, n)?;
                    let mut input = OfElements {
                        elements: &mut Elements::Stored(part),
                        param: &param,
                        origin,
                    };
                    work.run(frame, n, &mut input)
                }))
            })
        });
        let one = Code::one(move |frame| {
            let mut xs = xs(frame)?;
            let n = here(origin, xs.len())?;
            let mut input = OfElements {
                elements: &mut xs,
                param: &param,
                origin,
            };
            work.run(frame, n, &mut input)
        });
        Ok(one.with(batch).streamed(stream))
    }

    fn work(
        &mut self,
        call: &Call,
        result: usize,
        strict: bool,
        body: impl FnOnce(&mut Compiler, &mut Vec<Step>) -> InterpResult<Operand>,
    ) -> InterpResult<Loop> {
        let block = self.block(body)?;
        let batch = if self.trace {
            None
        } else {
            BatchBlock::of(&block)
        };
        Ok(Loop {
            block,
            batch,
            misses: Cell::new(0),
            layout: self.layout(call.ty(result)?)?,
            strict,
            origin: call.origin,
        })
    }

    /// Compiles `generate`. Elements are computed once; an error is raised when the element is
    /// read.
    pub(super) fn generate(&mut self, call: &Call, steps: &mut Vec<Step>) -> InterpResult<Operand> {
        let f = self.fun(call, 0, steps)?;
        let n = self.nat(call.nat(0)?);
        let index = Arc::new(Type::Index(Nat::constant(0)));
        let VarSlots::Word(_, slot, _) = self.slots_for(&index, false)? else {
            return Err(super::malformed("an index", call.origin));
        };
        let work = self.work(call, 0, false, |c, steps| {
            c.apply_data(
                &f,
                &[Operand::Word(Kind::I32, Scalar::Slot(slot, false))],
                steps,
            )
        })?;
        let origin = call.origin;
        let len = n.clone();
        let batch = work.batch.clone().map(|block| -> BatchCode {
            Rc::new(move |frame| {
                let n = len.len(frame, origin).ok()?;
                block.generate_inside(frame, slot, n)
            })
        });
        let work = Rc::new(work);
        let (all, count) = (work.clone(), n.clone());
        let stream: StreamCode = Rc::new(move |frame| {
            let len = count.len(frame, origin)?;
            let (work, grain) = (all.clone(), grain(&all.layout.eval(frame, origin)?));
            Ok(Elements::computed(len, grain, move |frame, first, n| {
                work.run(frame, n, &mut OfIndices { slot, first })
            }))
        });
        let one = Code::one(move |frame| {
            let n = n.len(frame, origin)?;
            work.run(frame, n, &mut OfIndices { slot, first: 0 })
        });
        let stream = (!self.trace).then_some(stream);
        Ok(Operand::Val(one.with(batch).streamed(stream)))
    }
}
