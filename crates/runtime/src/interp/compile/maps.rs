//! Compiles the primitives that apply a function to every element.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use nat::Nat;
use rise::Primitive;
use rise::core::Origin;
use rise::types::Type;

use super::super::block::{Block, Code, Operand, Step, VarSlots};
use super::super::error::InterpResult;
use super::super::frame::Frame;
use super::super::kind::Kind;
use super::super::optimized::{self, Chunks, Elements, elements};
use super::super::scalar::Scalar;
use super::super::val::{Layout, Target, Val};
use super::{Call, Compiler, LayoutCode, here};

/// A loop that computes an array element by element.
pub(crate) struct Loop {
    block: Block,
    layout: LayoutCode,
    pub chunks: Option<Chunks>,
    /// True if every error in an element stops the program at once; otherwise an error that only
    /// concerns the element is raised when the element is read.
    pub strict: bool,
    pub origin: Origin,
}

/// The arguments of the function of a loop.
pub(crate) enum Input<'i> {
    /// The elements of an array, for this variable.
    Elements(&'i mut Elements, &'i VarSlots),
    /// The indices from `first` on, for the variable in a slot.
    Indices { slot: usize, first: usize },
}

impl Loop {
    /// Computes the array of `n` elements.
    pub fn run(&self, frame: &mut Frame<'_>, n: usize, mut input: Input<'_>) -> InterpResult<Val> {
        let mut target = Target::Pending;
        match &self.chunks {
            _ if n == 0 => target = self.target(frame, &self.layout(frame)?, 0)?,
            Some(chunks) => chunks.run(self, frame, n, &mut input, &mut target)?,
            None => self.elements(frame, 0..n, n, &mut input, &mut target)?,
        }
        target.finish(&frame.meter)
    }

    /// Returns the layout of an element.
    pub fn layout(&self, frame: &Frame<'_>) -> InterpResult<Layout> {
        self.layout.eval(frame, self.origin)
    }

    /// Allocates a result of `n` elements.
    pub fn target(&self, frame: &Frame<'_>, layout: &Layout, n: usize) -> InterpResult<Target> {
        here(self.origin, Target::new(layout, n, &frame.meter))
    }

    /// Computes the elements in a range of indices, and writes them to the result, which has `n`
    /// elements.
    pub fn elements(
        &self,
        frame: &mut Frame<'_>,
        mut range: Range<usize>,
        n: usize,
        input: &mut Input<'_>,
        target: &mut Target,
    ) -> InterpResult<()> {
        range.try_for_each(|at| self.element(frame, n, at, input, target))
    }

    fn element(
        &self,
        frame: &mut Frame<'_>,
        n: usize,
        at: usize,
        input: &mut Input<'_>,
        target: &mut Target,
    ) -> InterpResult<()> {
        frame.tick(1)?;
        let bound = match input {
            Input::Elements(elements, param) => elements.bind(frame, param, at, self.origin),
            Input::Indices { slot, first } => {
                frame.words[*slot] = (*first + at) as u64;
                Ok(())
            }
        };
        match bound.and_then(|()| self.block.put(frame, target, n, at)) {
            Ok(()) => Ok(()),
            Err(error) if !self.strict && error.kind.is_local() => {
                if !target.is_ready() {
                    *target = self.target(frame, &self.layout(frame)?, n)?;
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
        let view = if strict { None } else { self.view(&f) };
        let xs = self.code(call, 1, steps)?;
        let code = match view {
            Some(view) => view.mapped(&xs, call.origin),
            None => self.map_code(call, &f, &xs, strict)?,
        };
        Ok(Operand::Val(code))
    }

    /// Compiles the application of a function to every element of an array or vector.
    pub(super) fn map_code(
        &mut self,
        call: &Call,
        f: &super::Function,
        xs: &Code,
        strict: bool,
    ) -> InterpResult<Code> {
        let param = self.slots_for(&call.ty(0)?.clone(), false)?;
        self.keep_parallel_elements(&param.out(), call.arg(1)?);
        let rotates = call.primitive == Primitive::RotateValues;
        let work = self.work(call, usize::from(!rotates), strict, |c, steps| {
            c.apply_data(f, &[param.out()], steps)
        })?;
        let work = Rc::new(work);
        let variants = self.optimized(|| optimized::map(&work, xs, &param));
        let xs = elements(xs);
        let one = Code::one(move |frame| {
            let mut xs = xs(frame)?;
            let n = here(work.origin, xs.len())?;
            work.run(frame, n, Input::Elements(&mut xs, &param))
        });
        Ok(one.with(variants))
    }

    fn work(
        &mut self,
        call: &Call,
        result: usize,
        strict: bool,
        body: impl FnOnce(&mut Compiler, &mut Vec<Step>) -> InterpResult<Operand>,
    ) -> InterpResult<Loop> {
        let block = self.block(body)?;
        Ok(Loop {
            chunks: self.optimized(|| Chunks::of(&block)),
            block,
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
            return Err(super::malformed("unexpected index", call.origin));
        };
        let work = self.work(call, 0, false, |c, steps| {
            c.apply_data(
                &f,
                &[Operand::Word(Kind::I32, Scalar::Slot(slot, false))],
                steps,
            )
        })?;
        let work = Rc::new(work);
        let variants = self.optimized(|| optimized::generate(&work, slot, &n));
        let one = Code::one(move |frame| {
            let n = n.len(frame, work.origin)?;
            work.run(frame, n, Input::Indices { slot, first: 0 })
        });
        Ok(Operand::Val(one.with(variants)))
    }
}
