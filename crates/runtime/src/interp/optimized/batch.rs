//! Vectorised execution: functions are applied to many elements at once.
//!
//! In a loop over small elements, each operation runs for a whole chunk of iterations before the
//! next one: a scalar becomes a lane with one value for each iteration, and an array gets the
//! iterations as its outermost dimensions. Inner loops add a dimension each. Most errors are not
//! raised here: if an operation has no value for one of the iterations, or intermediate arrays
//! would be too large, the chunk is abandoned and run again element by element, which reports the
//! error with its location. Only a failed call of a C function ends the program at once.

mod arrays;

use std::rc::Rc;

use rise::core::Origin;
use smallvec::SmallVec;

use super::super::block::{Block, BlockResult, Step, VarSlots};
use super::super::buffer::Data;
use super::super::compile::SlotCounts;
use super::super::error::{BoxedError, InterpResult};
use super::super::frame::Frame;
use super::super::kind::Kind;
use super::super::strided::{Dim, Lane, StridedArray, dense};
use super::super::val::{Target, Val};
use super::lanes::{self, LaneCode};

pub(crate) use self::arrays::{chain, elem, load, repeated, vectors};

/// The largest number of iterations of nested loops in a chunk.
const MAX_CHUNK_ITERATIONS: usize = 1 << 15;
/// The number of iterations from which on vectorisation is profitable.
pub(crate) const MIN_BATCH_ITERATIONS: usize = 6;
/// The number of scalars that the results of a chunk should have.
pub(crate) const CHUNK_SCALARS: usize = 2048;

/// Code that computes a value for each of the current iterations, or returns `None` if it cannot.
pub(crate) type BatchCode = Rc<dyn for<'a> Fn(&mut Frame<'a>) -> Option<BatchValue>>;

/// A value for each of the current iterations.
#[derive(Clone, Debug)]
pub(crate) enum BatchValue {
    Lane(Kind, Lane),
    /// An array, or boxed values, whose outermost dimensions are the iterations.
    Array(StridedArray),
    /// The same value for all iterations.
    Same(Val),
    Pair(Rc<(BatchValue, BatchValue)>),
}

/// The iterations of the current chunk: nested loops, from the outermost to the innermost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iterations {
    lens: SmallVec<[usize; 4]>,
}

impl Iterations {
    pub fn depth(&self) -> usize {
        self.lens.len()
    }

    pub fn total(&self) -> usize {
        self.lens.iter().product()
    }

    fn dense(&self) -> Option<SmallVec<[Dim; 4]>> {
        dense(self.lens.iter().copied()).map(|(dims, _)| dims)
    }
}

/// The value of a variable that varies between iterations, and the number of loops around its
/// binding.
#[derive(Clone, Debug)]
pub(crate) struct Varying {
    depth: usize,
    value: BatchValue,
}

/// The state of the current chunk.
#[derive(Default)]
pub(crate) struct ChunkState {
    /// The scalars that vary between the iterations, by slot.
    varying_words: Vec<Option<Varying>>,
    /// The other values that vary between the iterations, by slot.
    varying_vals: Vec<Option<Varying>>,
    /// The slots of the scalars that vary.
    touched_words: Vec<usize>,
    /// The slots of the other values that vary.
    touched_vals: Vec<usize>,
    pub iterations: Iterations,
    /// For each enclosing branch that is computed for all iterations: true for the iterations that
    /// take it.
    pub masks: Vec<Vec<bool>>,
    /// An error of the program that was found in a chunk, which is therefore not run again
    /// iteration by iteration.
    stop: Option<BoxedError>,
}

impl ChunkState {
    /// Allocates the slots of a program.
    pub fn reserve(&mut self, slots: &SlotCounts) {
        self.varying_words.resize(slots.words, None);
        self.varying_vals.resize(slots.vals, None);
    }

    /// Returns for each iteration true if all enclosing branches are taken in it; `None` outside of
    /// branches.
    pub fn taken(&self) -> Option<Vec<bool>> {
        if self.masks.is_empty() {
            return None;
        }
        let total = self.iterations.total();
        let mut all = vec![true; total];
        for mask in self.masks.iter().filter(|mask| !mask.is_empty()) {
            // Inner loops have multiplied the number of iterations since the mask was pushed.
            let times = total.div_ceil(mask.len()).max(1);
            for (taken, here) in all.chunks_mut(times).zip(mask) {
                taken.iter_mut().for_each(|taken| *taken &= *here);
            }
        }
        Some(all)
    }

    /// Abandons the chunk because of an error of the program.
    pub fn stop(&mut self, error: BoxedError) {
        self.stop.get_or_insert(error);
    }

    /// Fails with the error of the program that was found in an abandoned chunk, if there is one.
    pub fn stopped(&mut self) -> InterpResult<()> {
        match self.stop.take() {
            Some(stop) => Err(stop),
            None => Ok(()),
        }
    }
}

/// A block for many iterations. Its methods return `None` if a value cannot be computed for all
/// iterations at once.
#[derive(Clone)]
pub(crate) struct BatchBlock {
    steps: BatchSteps,
    result: BatchCode,
}

/// A [`Step`] for many iterations.
pub(crate) enum BatchStep {
    Word(Kind, usize, LaneCode),
    Bind(VarSlots, BatchCode),
}

impl BatchValue {
    pub fn pair(first: BatchValue, second: BatchValue) -> BatchValue {
        BatchValue::Pair(Rc::new((first, second)))
    }

    pub fn half(&self, second: bool) -> Option<BatchValue> {
        match self {
            BatchValue::Pair(pair) => Some(if second { &pair.1 } else { &pair.0 }.clone()),
            BatchValue::Same(value) => Some(BatchValue::Same(value.half(second).ok()?)),
            _ => None,
        }
    }

    /// Returns the value as a lane; `None` if it is not a scalar, or if an element that it reads
    /// was never written.
    pub fn lane(&self, frame: &Frame<'_>) -> Option<Lane> {
        match self {
            BatchValue::Lane(_, lane) => Some(lane.clone()),
            BatchValue::Array(col) if col.rank() == frame.chunk.iterations.depth() => {
                lanes::of_col(col)
            }
            BatchValue::Same(value) => value.word().ok().map(Lane::Same),
            _ => None,
        }
    }

    /// Returns the value as arrays with the iterations as the outermost dimensions; `None` if the
    /// memory is not sufficient.
    pub fn spelled(&self, frame: &Frame<'_>) -> Option<BatchValue> {
        Some(match self {
            BatchValue::Array(_) => self.clone(),
            BatchValue::Lane(kind, lane) => BatchValue::Array(lane_col(*kind, lane, frame)?),
            BatchValue::Same(Val::Pair(pair)) => BatchValue::pair(
                BatchValue::Same(pair.0.clone()).spelled(frame)?,
                BatchValue::Same(pair.1.clone()).spelled(frame)?,
            ),
            BatchValue::Same(value) => {
                let value = value
                    .repeated(&frame.chunk.iterations.lens, &frame.meter)
                    .ok()?;
                BatchValue::Array(value.col().ok()?.clone())
            }
            BatchValue::Pair(pair) => {
                BatchValue::pair(pair.0.spelled(frame)?, pair.1.spelled(frame)?)
            }
        })
    }

    pub fn len(&self, frame: &Frame<'_>) -> Option<usize> {
        match self {
            BatchValue::Array(col) => Some(col.dims.get(frame.chunk.iterations.depth())?.len),
            BatchValue::Same(value) => value.len().ok(),
            BatchValue::Pair(pair) => pair.0.len(frame),
            BatchValue::Lane(..) => None,
        }
    }

    /// Returns the element of an array at an index that is the same for all iterations; `None` if
    /// the value is not an array.
    pub fn element(&self, index: usize, frame: &Frame<'_>) -> Option<BatchValue> {
        Some(match self {
            BatchValue::Array(col) => {
                BatchValue::Array(col.slice(frame.chunk.iterations.depth(), index))
            }
            BatchValue::Same(value) => BatchValue::Same(value.element(index, Origin(0)).ok()?),
            BatchValue::Pair(pair) => {
                BatchValue::pair(pair.0.element(index, frame)?, pair.1.element(index, frame)?)
            }
            BatchValue::Lane(..) => return None,
        })
    }

    /// Applies `change` to each array of the value, with the index of its first dimension that is
    /// not one of the iterations.
    pub fn columns(
        &self,
        frame: &mut Frame<'_>,
        change: &mut dyn FnMut(&mut Frame<'_>, &StridedArray, usize) -> Option<StridedArray>,
    ) -> Option<BatchValue> {
        Some(match self {
            BatchValue::Array(col) => {
                let depth = frame.chunk.iterations.depth();
                BatchValue::Array(change(frame, col, depth)?)
            }
            BatchValue::Same(Val::Array(col)) => {
                BatchValue::Same(Val::Array(change(frame, col, 0)?))
            }
            BatchValue::Same(Val::Pair(pair)) => {
                let first = BatchValue::Same(pair.0.clone()).columns(frame, change)?;
                BatchValue::pair(
                    first,
                    BatchValue::Same(pair.1.clone()).columns(frame, change)?,
                )
            }
            BatchValue::Pair(pair) => {
                let first = pair.0.columns(frame, change)?;
                BatchValue::pair(first, pair.1.columns(frame, change)?)
            }
            BatchValue::Same(_) | BatchValue::Lane(..) => return None,
        })
    }

    /// Extends a value for the iterations of the outermost `depth` loops to those of all loops, in
    /// which it is repeated; `None` if that is not possible.
    fn inside(&self, depth: usize, frame: &Frame<'_>) -> Option<BatchValue> {
        let added = frame.chunk.iterations.lens.get(depth..)?;
        if added.is_empty() {
            return Some(self.clone());
        }
        Some(match self {
            BatchValue::Lane(kind, lane) => {
                BatchValue::Lane(*kind, lanes::each_repeated(lane, added.iter().product())?)
            }
            BatchValue::Array(col) => {
                let mut col = col.clone();
                for (at, len) in added.iter().enumerate() {
                    let dim = Dim {
                        len: *len,
                        stride: 0,
                    };
                    col.dims.insert(depth + at, dim);
                }
                BatchValue::Array(col)
            }
            BatchValue::Same(_) => self.clone(),
            BatchValue::Pair(pair) => {
                BatchValue::pair(pair.0.inside(depth, frame)?, pair.1.inside(depth, frame)?)
            }
        })
    }

    /// Writes the values of `n` iterations of the only loop to the elements of `target` from
    /// `start` on.
    fn write(&self, frame: &Frame<'_>, start: usize, n: usize, target: &mut Target) -> Option<()> {
        match (self, target) {
            (BatchValue::Pair(pair), Target::Pair(a, b)) => {
                pair.0.write(frame, start, n, a)?;
                pair.1.write(frame, start, n, b)
            }
            (BatchValue::Same(Val::Pair(pair)), Target::Pair(a, b)) => {
                BatchValue::Same(pair.0.clone()).write(frame, start, n, a)?;
                BatchValue::Same(pair.1.clone()).write(frame, start, n, b)
            }
            (BatchValue::Lane(_, lane), Target::Array { area, .. }) => {
                area.set_lane(start, n, lane).then_some(())
            }
            (value, Target::Array { area, size }) => {
                let BatchValue::Array(col) = value.spelled(frame)? else {
                    return None;
                };
                let mut dims = area.dims.clone();
                dims.first_mut()?.len = n;
                area.copy(start * *size, &dims, &col).ok()
            }
            _ => None,
        }
    }
}

/// Returns a lane as an array that only has the iterations as dimensions.
fn lane_col(kind: Kind, lane: &Lane, frame: &Frame<'_>) -> Option<StridedArray> {
    match lane {
        Lane::Each(data) => {
            let dims = frame.chunk.iterations.dense()?;
            Some(StridedArray::whole(data.clone(), None, dims, &frame.meter))
        }
        Lane::Same(word) => {
            let value = Val::Word(kind, *word);
            let spread = value
                .repeated(&frame.chunk.iterations.lens, &frame.meter)
                .ok()?;
            Some(spread.col().ok()?.clone())
        }
    }
}

// ----- variables -----

/// Binds a variable to a value for each iteration. Returns `None` if the variable is a scalar or a
/// pair and the value is not, or if a scalar was never written in one of the iterations.
pub(crate) fn bind(bind: &VarSlots, frame: &mut Frame<'_>, value: &BatchValue) -> Option<()> {
    match (bind, value) {
        (VarSlots::Word(kind, slot, _), value) => {
            let lane = value.lane(frame)?;
            set_word(frame, *slot, BatchValue::Lane(*kind, lane));
        }
        (VarSlots::Val(slot), value) => {
            let depth = frame.chunk.iterations.depth();
            let value = value.clone();
            if frame.chunk.varying_vals[*slot]
                .replace(Varying { depth, value })
                .is_none()
            {
                frame.chunk.touched_vals.push(*slot);
            }
        }
        (VarSlots::Pair(a, b), value) => {
            self::bind(a, frame, &value.half(false)?)?;
            self::bind(b, frame, &value.half(true)?)?;
        }
    }
    Some(())
}

fn set_word(frame: &mut Frame<'_>, slot: usize, value: BatchValue) {
    let depth = frame.chunk.iterations.depth();
    if frame.chunk.varying_words[slot]
        .replace(Varying { depth, value })
        .is_none()
    {
        frame.chunk.touched_words.push(slot);
    }
}

/// Returns the scalar variable in a slot; `None` if its computation has failed.
pub(crate) fn word(frame: &Frame<'_>, slot: usize, guarded: bool) -> Option<Lane> {
    if let Some(varying) = &frame.chunk.varying_words[slot] {
        let value = if varying.depth == frame.chunk.iterations.depth() {
            &varying.value
        } else {
            &varying.value.inside(varying.depth, frame)?
        };
        return match value {
            BatchValue::Lane(_, lane) => Some(lane.clone()),
            _ => None,
        };
    }
    if guarded && frame.failed[slot].is_some() {
        return None;
    }
    Some(Lane::Same(frame.words[slot]))
}

/// Returns the variable in a slot that is not a scalar; `None` if its computation has failed.
pub(crate) fn val(frame: &Frame<'_>, slot: usize) -> Option<BatchValue> {
    if let Some(varying) = &frame.chunk.varying_vals[slot] {
        return varying.value.inside(varying.depth, frame);
    }
    match &frame.vals[slot] {
        Val::Failed(_) => None,
        value => Some(BatchValue::Same(value.clone())),
    }
}

/// Runs `work` in one more loop of `n` iterations. Its bindings are removed at the end. Returns
/// `None` if `work` does, if `n` is 0, or if there would be more than [`MAX_CHUNK_ITERATIONS`]
/// iterations.
pub(crate) fn looped<T>(
    frame: &mut Frame<'_>,
    n: usize,
    work: impl FnOnce(&mut Frame<'_>) -> Option<T>,
) -> Option<T> {
    let total = frame.chunk.iterations.total().checked_mul(n)?;
    if n == 0 || total > MAX_CHUNK_ITERATIONS {
        return None;
    }
    frame.chunk.iterations.lens.push(n);
    let result = scoped(frame, work);
    frame.chunk.iterations.lens.pop();
    result
}

/// Runs `work`, and removes its bindings at the end.
pub(crate) fn scoped<T>(
    frame: &mut Frame<'_>,
    work: impl FnOnce(&mut Frame<'_>) -> Option<T>,
) -> Option<T> {
    let (words, vals) = (
        frame.chunk.touched_words.len(),
        frame.chunk.touched_vals.len(),
    );
    let result = work(frame);
    for slot in frame.chunk.touched_words.split_off(words) {
        frame.chunk.varying_words[slot] = None;
    }
    for slot in frame.chunk.touched_vals.split_off(vals) {
        frame.chunk.varying_vals[slot] = None;
    }
    result
}

// ----- code -----

impl BatchBlock {
    /// Compiles a block for many iterations; `None` if one of its operations has no batched code.
    pub fn of(block: &Block) -> Option<BatchBlock> {
        Some(BatchBlock {
            steps: batch_steps(&block.steps)?,
            result: of_exec(&block.exec)?,
        })
    }

    /// Computes the value for the current iterations; `None` if that is not possible for one of
    /// them.
    pub fn run(&self, frame: &mut Frame<'_>) -> Option<BatchValue> {
        run_steps(&self.steps, frame)?;
        (self.result)(frame)
    }

    /// Applies the block to `n` elements of `array` from `from` on, and writes the results to
    /// `target` from `start` on.
    pub fn map(
        &self,
        frame: &mut Frame<'_>,
        param: &VarSlots,
        (array, from): (&Val, usize),
        start: usize,
        n: usize,
        target: &mut Target,
    ) -> Option<()> {
        looped(frame, n, |frame| {
            let chunk = chunk(array, from, n)?;
            bind(param, frame, &chunk)?;
            self.run(frame)?.write(frame, start, n, target)
        })
    }

    /// Applies the block to `n` elements of `array` from `start` on, with scalar results.
    pub fn lane(
        &self,
        frame: &mut Frame<'_>,
        param: &VarSlots,
        array: &Val,
        start: usize,
        n: usize,
    ) -> Option<Lane> {
        looped(frame, n, |frame| {
            let chunk = chunk(array, start, n)?;
            bind(param, frame, &chunk)?;
            self.run(frame)?.lane(frame)
        })
    }

    /// Applies the block to `n` indices from `index` on, and writes the results to `target` from
    /// `start` on.
    pub fn generate(
        &self,
        frame: &mut Frame<'_>,
        (slot, index): (usize, usize),
        start: usize,
        n: usize,
        target: &mut Target,
    ) -> Option<()> {
        looped(frame, n, |frame| {
            set_word(
                frame,
                slot,
                BatchValue::Lane(Kind::I32, indices(index, n, 1)?),
            );
            self.run(frame)?.write(frame, start, n, target)
        })
    }

    /// In each of the current iterations, applies the block to each element of an array. Returns
    /// the array of the results, or `None` if it cannot be computed for all iterations at once.
    pub fn map_inside(
        &self,
        frame: &mut Frame<'_>,
        param: &VarSlots,
        array: &BatchValue,
    ) -> Option<BatchValue> {
        let n = array.len(frame)?;
        let array = array.spelled(frame)?;
        looped(frame, n, |frame| {
            bind(param, frame, &array)?;
            self.run(frame)?.spelled(frame)
        })
    }

    /// In each of the current iterations, applies the block to the indices from 0 to `n`,
    /// exclusively. Returns the array of the results, or `None` if it cannot be computed for all
    /// iterations at once.
    pub fn generate_inside(
        &self,
        frame: &mut Frame<'_>,
        slot: usize,
        n: usize,
    ) -> Option<BatchValue> {
        let around = frame.chunk.iterations.total();
        looped(frame, n, |frame| {
            set_word(
                frame,
                slot,
                BatchValue::Lane(Kind::I32, indices(0, n, around)?),
            );
            self.run(frame)?.spelled(frame)
        })
    }
}

fn indices(start: usize, n: usize, times: usize) -> Option<Lane> {
    let first = i32::try_from(start).ok()?;
    let end = first.checked_add(i32::try_from(n).ok()?)?;
    let all = (0..times).flat_map(|_| first..end).collect();
    Some(Lane::Each(Data::I32(all)))
}

/// Returns `n` elements of an array from `start` on, as the values of the `n` iterations of the
/// only loop; `None` if there are fewer elements, or the value is not an array.
fn chunk(array: &Val, start: usize, n: usize) -> Option<BatchValue> {
    Some(match array {
        Val::Array(col) => {
            BatchValue::Array(col.clone().drop_first(0, start).ok()?.take(0, n).ok()?)
        }
        Val::Pair(pair) => BatchValue::pair(chunk(&pair.0, start, n)?, chunk(&pair.1, start, n)?),
        _ => return None,
    })
}

pub(crate) fn of_exec(exec: &BlockResult) -> Option<BatchCode> {
    match exec {
        BlockResult::Word(kind, scalar, _) => {
            let (kind, lane) = (*kind, lanes::code(scalar)?);
            Some(Rc::new(move |frame| {
                Some(BatchValue::Lane(kind, lane(frame)?))
            }))
        }
        BlockResult::Val(code) => code.variants.batch.clone(),
        BlockResult::Pair(a, b) => {
            let (a, b) = (of_exec(a)?, of_exec(b)?);
            Some(Rc::new(move |frame| {
                let first = a(frame)?;
                Some(BatchValue::pair(first, b(frame)?))
            }))
        }
    }
}

/// The steps of a block for many iterations.
pub(crate) type BatchSteps = Rc<[BatchStep]>;

pub(crate) fn batch_steps(steps: &[Step]) -> Option<BatchSteps> {
    let step = |step: &Step| {
        Some(match step {
            Step::Word {
                kind, slot, value, ..
            } => BatchStep::Word(*kind, *slot, lanes::code(value)?),
            Step::Bind(bind, code) => BatchStep::Bind(bind.clone(), code.variants.batch.clone()?),
        })
    };
    steps.iter().map(step).collect()
}

pub(crate) fn run_steps(steps: &BatchSteps, frame: &mut Frame<'_>) -> Option<()> {
    for step in steps.iter() {
        match step {
            BatchStep::Word(kind, slot, code) => {
                let lane = code(frame)?;
                set_word(frame, *slot, BatchValue::Lane(*kind, lane));
            }
            BatchStep::Bind(to, code) => {
                let value = code(frame)?;
                bind(to, frame, &value)?;
            }
        }
    }
    Some(())
}
