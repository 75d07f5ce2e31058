//! Vectorised reductions: if the function combines the accumulator with an expression that does not
//! depend on it, the expression is computed for many elements at a time, and the results are
//! combined in order.

use super::super::block::{Block, BlockResult, Operand, VarSlots};
use super::super::compile::here;
use super::super::compile::reductions::Reduction;
use super::super::error::InterpResult;
use super::super::frame::Frame;
use super::super::kind::{Arith, Elem, Kind, Num, Word, with_number};
use super::super::scalar::Scalar;
use super::super::val::Val;
use super::batch::{BatchBlock, CHUNK_SCALARS, MIN_BATCH_ITERATIONS};
use super::stream::Elements;

/// The function of a reduction that combines the accumulator with `other` by an arithmetic
/// operation.
pub(crate) struct Fold {
    op: Arith,
    kind: Kind,
    /// The slot of the accumulator.
    slot: usize,
    /// True if the accumulator is the left operand.
    left: bool,
    other: BatchBlock,
}

impl Fold {
    /// Returns the fold of a block; `None` if its function does not have this form, if the
    /// operation is a division or a remainder, or if there is no batched code of the expression.
    pub fn of(block: &Block, acc: &VarSlots) -> Option<Fold> {
        let (VarSlots::Word(_, slot, _), BlockResult::Word(_, Scalar::Arith(op, kind, a, b, _), _)) =
            (acc, &block.exec)
        else {
            return None;
        };
        let is_acc = |scalar: &Scalar| matches!(scalar, Scalar::Slot(other, _) if other == slot);
        let (left, other) = match (is_acc(a), is_acc(b)) {
            (true, false) => (true, b),
            (false, true) => (false, a),
            _ => return None,
        };
        if matches!(op, Arith::Div | Arith::Mod)
            || other.mentions(*slot)
            || block.steps.iter().any(|step| step.mentions(*slot))
        {
            return None;
        }
        let other_block = Block {
            steps: block.steps.clone(),
            exec: Operand::Word(*kind, (**other).clone()).exec(),
        };
        Some(Fold {
            op: *op,
            kind: *kind,
            slot: *slot,
            left,
            other: BatchBlock::of(&other_block)?,
        })
    }

    /// Runs a reduction of `n` elements chunk by chunk. A chunk without a result runs element by
    /// element.
    pub fn run(
        &self,
        reduction: &Reduction,
        frame: &mut Frame<'_>,
        xs: &mut Elements,
        n: usize,
    ) -> InterpResult<()> {
        let mut start = 0;
        while start < n {
            let len = CHUNK_SCALARS.min(xs.grain()).min(n - start);
            frame.tick(len)?;
            let (array, from) = here(reduction.origin, xs.window(frame, start, len))?;
            let acc = frame.words[self.slot];
            match self.combined(frame, &reduction.param, &array, from, len, acc) {
                Some(acc) => frame.words[self.slot] = acc,
                None => {
                    frame.chunk.stopped()?;
                    (start..start + len).try_for_each(|at| reduction.element(frame, xs, at))?;
                }
            }
            start += len;
        }
        Ok(())
    }

    /// Returns the accumulator after `n` elements from `start` on; `None` if these are fewer than
    /// [`MIN_BATCH_ITERATIONS`], or the expression cannot be computed for all of them at once.
    fn combined(
        &self,
        frame: &mut Frame<'_>,
        param: &VarSlots,
        array: &Val,
        start: usize,
        n: usize,
        acc: Word,
    ) -> Option<Word> {
        if n < MIN_BATCH_ITERATIONS {
            return None;
        }
        let lane = self.other.lane(frame, param, array, start, n)?;
        with_number!(self.kind, T => {
            let values = lane.spread::<T>(n)?;
            let acc = T::of(acc);
            Some(match (self.op, self.left) {
                (Arith::Add, true) => values.iter().fold(acc, |acc, x| acc.add(*x)),
                (Arith::Mul, true) => values.iter().fold(acc, |acc, x| acc.mul(*x)),
                (op, true) => values.iter().try_fold(acc, |acc, x| op.on(acc, *x))?,
                (op, false) => values.iter().try_fold(acc, |acc, x| op.on(*x, acc))?,
            }.word())
        }, bool => None)
    }
}
