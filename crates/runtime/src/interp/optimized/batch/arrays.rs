//! Operations on arrays in many iterations: elements, concatenation, repetition, and operations on
//! vectors.

use rise::core::Origin;

use super::super::super::buffer::ElementRepr;
use super::super::super::frame::Frame;
use super::super::super::kind::{Elem, Kind, with_kind};
use super::super::super::scalar::checked_index;
use super::super::super::strided::{Dim, Lane, StridedArray};
use super::super::super::val::Val;
use super::super::lanes;
use super::{BatchValue, looped, val};

/// Loads a scalar in each iteration from the array in a slot, at an index for each dimension of the
/// array. Returns `None` if an index is out of bounds, or an element has no value.
pub(crate) fn load(frame: &Frame<'_>, slot: usize, indices: &[Lane]) -> Option<Lane> {
    let col = match val(frame, slot)? {
        BatchValue::Array(col) => col,
        BatchValue::Same(Val::Array(col)) => {
            if indices.iter().all(|lane| matches!(lane, Lane::Same(_))) {
                let mut offset = col.offset;
                for (lane, dim) in indices.iter().zip(&col.dims) {
                    let Lane::Same(word) = lane else { return None };
                    offset += checked_index(*word, dim.len, Origin(0)).ok()? * dim.stride;
                }
                return col.word_at(offset, Origin(0)).ok().map(Lane::Same);
            }
            col.repeated(&frame.chunk.iterations.lens)
        }
        _ => return None,
    };
    let depth = frame.chunk.iterations.depth();
    if col.rank() != depth + indices.len() {
        return None;
    }
    let mut around = StridedArray {
        dims: col.dims[..depth].into(),
        ..col.clone()
    };
    let mut moved: Option<Vec<usize>> = None;
    for (lane, dim) in indices.iter().zip(&col.dims[depth..]) {
        match lane {
            Lane::Same(word) => {
                around.offset += checked_index(*word, dim.len, Origin(0)).ok()? * dim.stride;
            }
            Lane::Each(data) => {
                let all = moved.get_or_insert_with(|| vec![0; frame.chunk.iterations.total()]);
                for (place, index) in all.iter_mut().zip(i32::slice(data)?) {
                    let index = usize::try_from(*index).ok().filter(|at| *at < dim.len)?;
                    *place += index * dim.stride;
                }
            }
        }
    }
    let Some(mut places) = moved else {
        return lanes::of_col(&around);
    };
    let mut at = 0;
    lanes::for_each_place(&around.dims, around.offset, &mut |place| {
        if let Some(moved) = places.get_mut(at) {
            *moved += place;
        }
        at += 1;
    });
    gather(&col, &places)
}

fn gather(col: &StridedArray, places: &[usize]) -> Option<Lane> {
    if let Some(uninit) = &col.buf.uninit
        && places.iter().any(|place| uninit.has(*place))
    {
        return None;
    }
    let ElementRepr::Scalar(kind) = col.buf.data.cell() else {
        return None;
    };
    with_kind!(kind, T => {
        let values = T::slice(&col.buf.data)?;
        let all: Option<Vec<T>> = places.iter().map(|place| values.get(*place).copied()).collect();
        Some(Lane::Each(T::wrap(all?)))
    })
}

/// Returns the element of the array in a slot at these indices; `None` if an index is out of
/// bounds, or is not known to be the same for all iterations.
pub(crate) fn elem(frame: &Frame<'_>, slot: usize, indices: &[Lane]) -> Option<BatchValue> {
    let mut value = val(frame, slot)?;
    for lane in indices {
        let Lane::Same(word) = lane else { return None };
        let len = value.len(frame)?;
        let index = checked_index(*word, len, Origin(0)).ok()?;
        value = value.element(index, frame)?;
    }
    Some(value)
}

/// Concatenates arrays in each iteration. The arrays vary between the iterations
/// ([`BatchValue::Array`]), or are pairs of such arrays; the result is `None` for others.
pub(crate) fn chain(parts: &[BatchValue], frame: &Frame<'_>) -> Option<BatchValue> {
    if parts.iter().any(|part| matches!(part, BatchValue::Pair(_))) {
        let half = |second| {
            let halves: Option<Vec<BatchValue>> =
                parts.iter().map(|part| part.half(second)).collect();
            chain(&halves?, frame)
        };
        return Some(BatchValue::pair(half(false)?, half(true)?));
    }
    let columns: Option<Vec<Result<StridedArray, usize>>> = (parts.iter())
        .map(|part| match part {
            BatchValue::Array(col) => Some(Ok(col.clone())),
            _ => None,
        })
        .collect();
    let col = StridedArray::chain(&columns?, frame.chunk.iterations.depth(), &frame.meter).ok()?;
    Some(BatchValue::Array(col))
}

/// Returns an array of `n` copies of the value in each iteration.
pub(crate) fn repeated(value: &BatchValue, n: usize, frame: &Frame<'_>) -> Option<BatchValue> {
    Some(match value.spelled(frame)? {
        BatchValue::Array(mut col) => {
            let dim = Dim { len: n, stride: 0 };
            col.dims.insert(frame.chunk.iterations.depth(), dim);
            BatchValue::Array(col)
        }
        BatchValue::Pair(pair) => {
            BatchValue::pair(repeated(&pair.0, n, frame)?, repeated(&pair.1, n, frame)?)
        }
        _ => return None,
    })
}

/// Applies `work` to the lanes of vectors, in all iterations at once.
pub(crate) fn vectors(
    frame: &mut Frame<'_>,
    args: &[BatchValue],
    work: impl FnOnce(Kind, usize, &[Lane]) -> Option<Lane>,
) -> Option<BatchValue> {
    let n = args.first()?.len(frame)?;
    let spelled: Option<Vec<BatchValue>> = args.iter().map(|arg| arg.spelled(frame)).collect();
    let spelled = spelled?;
    let BatchValue::Array(first) = spelled.first()? else {
        return None;
    };
    let ElementRepr::Scalar(kind) = first.buf.data.cell() else {
        return None;
    };
    looped(frame, n, |frame| {
        let all: Option<Vec<Lane>> = spelled.iter().map(|arg| arg.lane(frame)).collect();
        let result = work(kind, frame.chunk.iterations.total(), &all?)?;
        BatchValue::Lane(kind, result).spelled(frame)
    })
}
