//! Concatenated and padded arrays that are computed part by part.

use std::cell::OnceCell;
use std::rc::Rc;

use rise::core::Origin;

use super::super::block::{Code, ValCode};
use super::super::compile::arrays::chain;
use super::super::compile::here;
use super::super::error::InterpResult;
use super::super::frame::{Frame, NatCode};
use super::super::val::Val;
use super::stream::{Elements, StreamCode, elements};

/// A consecutive part of an array.
enum Segment {
    Array(Elements),
    /// An element and the number of its repetitions.
    Repeated(Element, usize),
}

/// An element that is computed lazily, and at most once.
#[derive(Clone)]
struct Element {
    code: ValCode,
    value: Rc<OnceCell<Val>>,
}

impl Element {
    fn value(&self, frame: &mut Frame<'_>) -> InterpResult<Val> {
        if let Some(value) = self.value.get() {
            return Ok(value.clone());
        }
        let value = (self.code)(frame)?;
        Ok(self.value.get_or_init(|| value).clone())
    }
}

impl Segment {
    fn len(&self) -> InterpResult<usize> {
        match self {
            Segment::Array(array) => array.len(),
            Segment::Repeated(_, len) => Ok(*len),
        }
    }

    fn grain(&self) -> usize {
        match self {
            Segment::Array(array) => array.grain(),
            Segment::Repeated(..) => usize::MAX,
        }
    }

    fn part(&mut self, frame: &mut Frame<'_>, start: usize, n: usize) -> InterpResult<Val> {
        match self {
            Segment::Array(array) => array.part(frame, start, n),
            Segment::Repeated(element, _) => element.value(frame)?.repeated(&[n], &frame.meter),
        }
    }
}

/// Compiles `concat(a)(b)`; `None` if neither of the two is computed part by part.
pub(super) fn concatenated(a: &Code, b: &Code, origin: Origin) -> Option<StreamCode> {
    if a.variants.stream.is_none() && b.variants.stream.is_none() {
        return None;
    }
    let (a, b) = (elements(a), elements(b));
    Some(Rc::new(move |frame| {
        let segments = [Segment::Array(a(frame)?), Segment::Array(b(frame)?)];
        joined(segments.into(), origin)
    }))
}

/// Compiles `padCst(l)(r)(x)(xs)`; `None` if `xs` is not computed part by part.
pub(super) fn padded(
    x: &Code,
    xs: &Code,
    (l, r): (NatCode, NatCode),
    origin: Origin,
) -> Option<StreamCode> {
    let (x, xs) = (x.one.clone(), xs.variants.stream.clone()?);
    Some(Rc::new(move |frame| {
        let x = Element {
            code: x.clone(),
            value: Rc::default(),
        };
        let segments = [
            Segment::Repeated(x.clone(), l.len(frame, origin)?),
            Segment::Array(xs(frame)?),
            Segment::Repeated(x, r.len(frame, origin)?),
        ];
        joined(segments.into(), origin)
    }))
}

fn joined(mut segments: Vec<Segment>, origin: Origin) -> InterpResult<Elements> {
    let lens: Vec<usize> = segments
        .iter()
        .map(Segment::len)
        .collect::<InterpResult<_>>()?;
    let len = lens.iter().copied().fold(0, usize::saturating_add);
    let grain = segments.iter().map(Segment::grain).min().unwrap_or(1);
    Ok(Elements::computed(len, grain, move |frame, start, n| {
        let (end, mut parts, mut first) = (start + n, Vec::new(), 0);
        for (segment, len) in segments.iter_mut().zip(&lens) {
            let (from, to) = (start.max(first), end.min(first + len));
            // An empty part is taken from an array segment, so that it has the right type.
            let is_empty = n == 0 && matches!(segment, Segment::Array(_)) && parts.is_empty();
            if from < to {
                parts.push(Ok(segment.part(frame, from - first, to - from)?));
            } else if is_empty {
                parts.push(Ok(segment.part(frame, 0, 0)?));
            }
            first += len;
        }
        match &parts[..] {
            [Ok(only)] => Ok(only.clone()),
            _ => here(origin, chain(&parts, 0, &frame.meter)),
        }
    }))
}
