//! The variants of primitives that apply a function to many elements.

use std::cell::Cell;
use std::rc::Rc;

use rise::core::Origin;

use super::super::block::{Block, Code, VarSlots};
use super::super::compile::here;
use super::super::compile::maps::{Input, Loop};
use super::super::compile::reductions::{IterateSizes, Reduction};
use super::super::error::InterpResult;
use super::super::frame::{Frame, NatCode};
use super::super::val::Target;
use super::Variants;
use super::batch::{self, BatchBlock, BatchCode, MIN_BATCH_ITERATIONS};
use super::primitives::unary;
use super::stream::{Elements, StreamCode, elements, grain};

/// The number of consecutive chunks that fail to run vectorised before this is no longer attempted.
const MAX_FAILED_CHUNKS: u32 = 3;

/// The batched code of a loop.
pub(crate) struct Chunks {
    block: BatchBlock,
    misses: Cell<u32>,
}

impl Chunks {
    /// Returns the batched code of a loop over a block; `None` if an operation of the block has
    /// none.
    pub fn of(block: &Block) -> Option<Chunks> {
        Some(Chunks {
            block: BatchBlock::of(block)?,
            misses: Cell::new(0),
        })
    }

    /// Runs the `n` iterations of a loop chunk by chunk. A chunk without a batched result runs
    /// element by element.
    pub fn run(
        &self,
        work: &Loop,
        frame: &mut Frame<'_>,
        n: usize,
        input: &mut Input<'_>,
        target: &mut Target,
    ) -> InterpResult<()> {
        if !self.is_promising() {
            return work.elements(frame, 0..n, n, input, target);
        }
        let layout = work.layout(frame)?;
        let grain = grain(&layout).min(input.grain()).min(n);
        *target = work.target(frame, &layout, n)?;
        let is_worthwhile = grain > 1 && (grain >= MIN_BATCH_ITERATIONS || is_large(target));
        let mut start = 0;
        while start < n {
            let len = grain.min(n - start);
            if is_worthwhile && self.is_promising() {
                frame.tick(len)?;
                if self.chunk(frame, start, len, input, target).is_some() {
                    self.misses.set(0);
                    start += len;
                    continue;
                }
                frame.chunk.stopped()?;
                self.misses.set(self.misses.get() + 1);
            }
            work.elements(frame, start..start + len, n, input, target)?;
            start += len;
        }
        Ok(())
    }

    fn is_promising(&self) -> bool {
        self.misses.get() < MAX_FAILED_CHUNKS
    }

    /// Runs `len` iterations from `start` on at once. Returns `None` if that is not possible.
    fn chunk(
        &self,
        frame: &mut Frame<'_>,
        start: usize,
        len: usize,
        input: &mut Input<'_>,
        target: &mut Target,
    ) -> Option<()> {
        match input {
            Input::Elements(elements, param) => {
                let (array, from) = elements.window(frame, start, len).ok()?;
                let window = (&array, from);
                (self.block).map(frame, param, window, start, len, target)
            }
            Input::Indices { slot, first } => {
                let index = (*slot, *first + start);
                (self.block).generate(frame, index, start, len, target)
            }
        }
    }
}

/// Returns true if the elements of a result are arrays, so that few iterations compute many
/// scalars.
fn is_large(target: &Target) -> bool {
    match target {
        Target::Pending => false,
        Target::Array { size, .. } => *size > 1,
        Target::Pair(a, b) => is_large(a) || is_large(b),
    }
}

impl Input<'_> {
    /// Returns the largest number of iterations that should run at once.
    fn grain(&self) -> usize {
        match self {
            Input::Elements(elements, _) => elements.grain(),
            Input::Indices { .. } => usize::MAX,
        }
    }
}

fn batch_block(work: &Loop) -> Option<BatchBlock> {
    Some(work.chunks.as_ref()?.block.clone())
}

/// Returns the variants of a loop over the elements of an array. The elements of `map` can be
/// computed where they are read, as compiled code does.
pub(crate) fn map(work: &Rc<Loop>, xs: &Code, param: &VarSlots) -> Variants {
    let to = param.clone();
    let batch = batch_block(work)
        .and_then(|block| unary(xs, move |frame, xs| block.map_inside(frame, &to, &xs)));
    let stream = (!work.strict).then(|| map_stream(work.clone(), elements(xs), param.clone()));
    Variants { batch, stream }
}

fn map_stream(work: Rc<Loop>, xs: StreamCode, param: VarSlots) -> StreamCode {
    Rc::new(move |frame| {
        let mut xs = xs(frame)?;
        let len = here(work.origin, xs.len())?;
        let grain = grain(&work.layout(frame)?).min(xs.grain());
        let (work, param) = (work.clone(), param.clone());
        Ok(Elements::computed(len, grain, move |frame, start, n| {
            let mut part = Elements::Stored(xs.part(frame, start, n)?);
            work.run(frame, n, Input::Elements(&mut part, &param))
        }))
    })
}

/// Returns the variants of a loop over `n` indices, which are in a slot.
pub(crate) fn generate(work: &Rc<Loop>, slot: usize, n: &NatCode) -> Variants {
    let (len, origin) = (n.clone(), work.origin);
    let batch = batch_block(work).map(|block| -> BatchCode {
        Rc::new(move |frame| {
            let n = len.len(frame, origin).ok()?;
            block.generate_inside(frame, slot, n)
        })
    });
    let (work, n) = (work.clone(), n.clone());
    let stream: StreamCode = Rc::new(move |frame| {
        let len = n.len(frame, origin)?;
        let (work, grain) = (work.clone(), grain(&work.layout(frame)?));
        Ok(Elements::computed(len, grain, move |frame, first, n| {
            work.run(frame, n, Input::Indices { slot, first })
        }))
    });
    Variants {
        batch,
        stream: Some(stream),
    }
}

/// Returns the variants of a reduction, which run it in many iterations of an outer loop.
pub(crate) fn reduce(reduction: &Reduction, init: &Code, xs: &Code) -> Variants {
    let (acc, param) = (reduction.acc.clone(), reduction.param.clone());
    let parts = BatchBlock::of(&reduction.block).zip(xs.variants.batch.clone());
    Variants::batched(parts.and_then(|(block, xs)| {
        unary(init, move |frame, mut value| {
            let xs = xs(frame)?;
            batch::scoped(frame, |frame| {
                for at in 0..xs.len(frame)? {
                    frame.tick(frame.chunk.iterations.total()).ok()?;
                    batch::bind(&acc, frame, &value)?;
                    let element = xs.element(at, frame)?;
                    batch::bind(&param, frame, &element)?;
                    value = block.run(frame)?;
                }
                Some(value)
            })
        })
    }))
}

/// Returns the variants of `iterate`: `block` has the parameter `param` and the size in `slot`.
pub(crate) fn iterate(
    block: &Block,
    xs: &Code,
    param: &VarSlots,
    slot: usize,
    sizes: &IterateSizes,
    origin: Origin,
) -> Variants {
    let (param, sizes) = (param.clone(), sizes.clone());
    Variants::batched(BatchBlock::of(block).and_then(|block| {
        unary(xs, move |frame, mut value| {
            let rounds = sizes.eval(frame, origin).ok()?;
            for round in 0..rounds.k {
                frame.tick(frame.chunk.iterations.total()).ok()?;
                frame.nats[slot] = rounds.length(round, origin).ok()?;
                value = batch::scoped(frame, |frame| {
                    batch::bind(&param, frame, &value)?;
                    block.run(frame)
                })?;
            }
            Some(value)
        })
    }))
}

/// Returns the variants of `repeat`: `block` has the parameter `param`.
pub(crate) fn repeat(
    block: &Block,
    init: &Code,
    param: &VarSlots,
    rounds: &NatCode,
    origin: Origin,
) -> Variants {
    let (param, rounds) = (param.clone(), rounds.clone());
    Variants::batched(BatchBlock::of(block).and_then(|block| {
        unary(init, move |frame, mut value| {
            for _ in 0..rounds.eval(frame, origin).ok()? {
                frame.tick(frame.chunk.iterations.total()).ok()?;
                value = batch::scoped(frame, |frame| {
                    batch::bind(&param, frame, &value)?;
                    block.run(frame)
                })?;
            }
            Some(value)
        })
    }))
}
