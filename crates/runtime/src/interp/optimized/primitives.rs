//! The variants of operands, and of primitives that are not loops.

use std::rc::Rc;

use rise::core::Origin;

use super::super::block::{Code, Operand, ValCode};
use super::super::compile::arrays::{Rearrange, indices};
use super::super::compile::numbers::Operation;
use super::super::frame::{Frame, NatCode};
use super::super::kind::Kind;
use super::super::scalar::Scalar;
use super::batch::{self, BatchCode, BatchValue};
use super::stream::{self, ViewCode};
use super::{Variants, lanes, segments};

/// Returns batched code that applies `f` to a value; `None` if there is no batched code of the
/// value.
pub(super) fn unary(
    a: &Code,
    f: impl for<'a> Fn(&mut Frame<'a>, BatchValue) -> Option<BatchValue> + 'static,
) -> Option<BatchCode> {
    let a = a.variants.batch.clone()?;
    Some(Rc::new(move |frame| {
        let a = a(frame)?;
        f(frame, a)
    }))
}

/// Returns batched code that applies `f` to two values; `None` if there is no batched code of one
/// of them.
fn binary(
    a: &Code,
    b: &Code,
    f: impl for<'a> Fn(&mut Frame<'a>, BatchValue, BatchValue) -> Option<BatchValue> + 'static,
) -> Option<BatchCode> {
    let b = b.variants.batch.clone()?;
    unary(a, move |frame, first| {
        let second = b(frame)?;
        f(frame, first, second)
    })
}

/// Returns the batched code of each operand; `None` if one of them has none.
pub(super) fn batches(codes: &[Code]) -> Option<Vec<BatchCode>> {
    (codes.iter())
        .map(|code| code.variants.batch.clone())
        .collect()
}

pub(crate) fn scalar(kind: Kind, scalar: &Scalar) -> Variants {
    let exec = Operand::Word(kind, scalar.clone()).exec();
    Variants::batched(batch::of_exec(&exec))
}

pub(crate) fn variable(slot: usize) -> Variants {
    Variants::batched(Some(Rc::new(move |frame| batch::val(frame, slot))))
}

pub(crate) fn element(slot: usize, indices: &[Scalar]) -> Variants {
    let indices: Option<Vec<_>> = indices.iter().map(lanes::code).collect();
    Variants::batched(indices.map(|indices| -> BatchCode {
        Rc::new(move |frame| {
            let all: Option<Vec<_>> = indices.iter().map(|code| code(frame)).collect();
            batch::elem(frame, slot, &all?)
        })
    }))
}

pub(crate) fn pair(a: &Code, b: &Code) -> Variants {
    Variants {
        batch: binary(a, b, |_, a, b| Some(BatchValue::pair(a, b))),
        stream: stream::zipped(a, b),
    }
}

/// Returns the variants of a rearrangement. `view` is the same rearrangement as a view of parts of
/// the array, if there is one, and `whole` is the reference code.
pub(crate) fn rearranged(
    xs: &Code,
    rearrange: &Rearrange,
    view: Option<&ViewCode>,
    whole: &ValCode,
) -> Variants {
    let rearrange = rearrange.clone();
    let streams = xs.variants.stream.clone().zip(view.cloned());
    Variants {
        batch: unary(xs, move |frame, xs| {
            xs.columns(frame, &mut |frame, col, depth| {
                rearrange(frame, col, depth).ok()
            })
        }),
        stream: streams.map(|(stream, view)| stream::viewed(stream, view, whole.clone())),
    }
}

pub(crate) fn make_array(elements: &[Code]) -> Variants {
    let all = batches(elements).filter(|all| !all.is_empty());
    Variants::batched(all.map(|all| -> BatchCode {
        Rc::new(move |frame| {
            let mut parts = Vec::with_capacity(all.len());
            for code in &all {
                let part = code(frame)?;
                parts.push(batch::repeated(&part, 1, frame)?);
            }
            batch::chain(&parts, frame)
        })
    }))
}

pub(crate) fn concat(a: &Code, b: &Code, origin: Origin) -> Variants {
    Variants {
        batch: binary(a, b, |frame, a, b| {
            batch::chain(&[a.spelled(frame)?, b.spelled(frame)?], frame)
        }),
        stream: segments::concatenated(a, b, origin),
    }
}

/// Returns the variants of `padCst(l)(r)(x)(xs)`.
pub(crate) fn pad_cst(x: &Code, xs: &Code, (l, r): (NatCode, NatCode), origin: Origin) -> Variants {
    let stream = segments::padded(x, xs, (l.clone(), r.clone()), origin);
    let batch = x.variants.batch.clone().and_then(|x| {
        unary(xs, move |frame, xs| {
            let (l, r) = (l.len(frame, origin).ok()?, r.len(frame, origin).ok()?);
            if (l, r) == (0, 0) {
                return Some(xs);
            }
            let (x, xs) = (x(frame)?, xs.spelled(frame)?);
            let first = batch::repeated(&x, l, frame)?;
            let last = batch::repeated(&x, r, frame)?;
            batch::chain(&[first, xs, last], frame)
        })
    });
    Variants { batch, stream }
}

pub(crate) fn gather(is: &Code, xs: &Code, origin: Origin) -> Variants {
    Variants::batched(binary(is, xs, move |frame, is, xs| {
        let BatchValue::Same(is) = is else {
            return None;
        };
        let places = indices(is.col().ok()?, xs.len(frame)?, origin).ok()?;
        xs.columns(frame, &mut |frame, col, depth| {
            col.at_places(depth, &places, &frame.meter).ok()
        })
    }))
}

/// Returns the variants of `fst`, or of `snd` if `second` is true.
pub(crate) fn half(pair: &Code, second: bool) -> Variants {
    Variants::batched(unary(pair, move |_, pair| pair.half(second)))
}

/// Returns the variants of a vector or array of `n` copies of a value.
pub(crate) fn spread(value: &Code, n: NatCode, origin: Origin) -> Variants {
    Variants::batched(unary(value, move |frame, value| {
        let n = n.len(frame, origin).ok()?;
        batch::repeated(&value, n, frame)
    }))
}

/// Returns the variants of an operation on vectors.
pub(crate) fn lane_wise(op: Operation, operands: &[Code]) -> Variants {
    Variants::batched(batches(operands).map(|all| -> BatchCode {
        Rc::new(move |frame| {
            let values: Option<Vec<BatchValue>> = all.iter().map(|code| code(frame)).collect();
            batch::vectors(frame, &values?, |kind, n, operands| {
                lanes::on(op, kind, operands, n)
            })
        })
    }))
}
