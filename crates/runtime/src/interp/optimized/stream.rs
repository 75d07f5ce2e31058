//! Arrays whose elements are computed where a loop reads them (array fusion).
//!
//! In compiled code `generate`, `map` and views take no memory. Here a loop that reads each element
//! once, in order, requests the array part by part, so that only the current part is stored.

use std::rc::Rc;

use rise::core::Origin;

use super::super::block::{Code, ValCode, VarSlots};
use super::super::error::InterpResult;
use super::super::frame::Frame;
use super::super::val::{Layout, Val};
use super::batch::CHUNK_SCALARS;

/// Code that prepares an array for reading it part by part.
pub(crate) type StreamCode = Rc<dyn for<'a> Fn(&mut Frame<'a>) -> InterpResult<Elements>>;

/// Code that evaluates the sizes of a view.
pub(crate) type ViewCode = Rc<dyn for<'a> Fn(&mut Frame<'a>) -> InterpResult<PartView>>;

/// A function that computes the elements from an index on; the second argument is their number.
type Part = Box<dyn for<'a> FnMut(&mut Frame<'a>, usize, usize) -> InterpResult<Val>>;

/// An array that is read part by part.
pub(crate) enum Elements {
    /// An array in memory.
    Stored(Val),
    Computed(Computed),
}

/// An array whose elements are computed when they are read.
pub(crate) struct Computed {
    len: usize,
    /// The number of elements that are computed at a time.
    grain: usize,
    part: Part,
    /// The part that was computed last, and its start index.
    last: Option<(usize, Val)>,
}

/// Returns code that reads an array part by part: that of the stream if there is one, else that of
/// the value in memory.
pub(crate) fn elements(code: &Code) -> StreamCode {
    match &code.variants.stream {
        Some(stream) => stream.clone(),
        None => stored(code.one.clone()),
    }
}

fn stored(one: ValCode) -> StreamCode {
    Rc::new(move |frame| Ok(Elements::Stored(one(frame)?)))
}

/// Returns the number of elements with this layout in a part.
pub(crate) fn grain(layout: &Layout) -> usize {
    fn size(layout: &Layout) -> usize {
        match layout {
            Layout::Leaf(_, lens) => lens.iter().product(),
            Layout::Pair(a, b) => size(a).saturating_add(size(b)),
        }
    }
    (CHUNK_SCALARS / size(layout).max(1)).max(1)
}

impl Elements {
    /// Creates an array whose elements `part` computes, `grain` of them at a time.
    pub fn computed(
        len: usize,
        grain: usize,
        part: impl for<'a> FnMut(&mut Frame<'a>, usize, usize) -> InterpResult<Val> + 'static,
    ) -> Elements {
        Elements::Computed(Computed {
            len,
            grain: grain.max(1),
            part: Box::new(part),
            last: None,
        })
    }

    pub fn len(&self) -> InterpResult<usize> {
        match self {
            Elements::Stored(value) => value.len(),
            Elements::Computed(computed) => Ok(computed.len),
        }
    }

    /// Returns the number of elements that should be read at a time.
    pub fn grain(&self) -> usize {
        match self {
            Elements::Stored(_) => usize::MAX,
            Elements::Computed(computed) => computed.grain,
        }
    }

    /// Returns `n` elements from `start` on.
    pub fn part(&mut self, frame: &mut Frame<'_>, start: usize, n: usize) -> InterpResult<Val> {
        match self {
            Elements::Stored(value) => {
                value.columns(&mut |col| col.clone().drop_first(0, start)?.take(0, n))
            }
            Elements::Computed(computed) => {
                if let Some((at, value)) = &computed.last
                    && *at == start
                    && value.len()? == n
                {
                    return Ok(value.clone());
                }
                // The memory of the last part is freed before the next one is computed.
                computed.last = None;
                let value = (computed.part)(frame, start, n)?;
                computed.last = Some((start, value.clone()));
                Ok(value)
            }
        }
    }

    /// Returns an array that contains `n` elements from `start` on, and the index of the first of
    /// them in it.
    pub fn window(
        &mut self,
        frame: &mut Frame<'_>,
        start: usize,
        n: usize,
    ) -> InterpResult<(Val, usize)> {
        match self {
            Elements::Stored(value) => Ok((value.clone(), start)),
            Elements::Computed(_) => Ok((self.part(frame, start, n)?, 0)),
        }
    }

    /// Binds a variable to the element at `index`.
    pub fn bind(
        &mut self,
        frame: &mut Frame<'_>,
        bind: &VarSlots,
        index: usize,
        origin: Origin,
    ) -> InterpResult<()> {
        let computed = match self {
            Elements::Stored(value) => return bind.set_element(frame, value, index, origin),
            Elements::Computed(computed) => computed,
        };
        if let Some((at, value)) = &computed.last
            && let Some(inside) = index.checked_sub(*at)
            && inside < value.len()?
        {
            return bind.set_element(frame, value, inside, origin);
        }
        let n = computed.grain.min(computed.len - index);
        let value = self.part(frame, index, n)?;
        bind.set_element(frame, &value, 0, origin)
    }
}

/// A view that can be computed from a part of an array.
#[derive(Clone, Copy)]
pub(crate) enum PartView {
    /// Rows of this length.
    Split(usize),
    /// The concatenation of rows of this length.
    Join(usize),
    /// The first elements.
    Take(usize),
    /// All elements except the first ones.
    Drop(usize),
    /// Sliding windows with a size and a step.
    Slide(usize, usize),
    /// Padding with the first element before the array, and with the last one after it.
    PadClamp(usize, usize),
}

impl PartView {
    /// Returns the length of the view of an array of length `len`; `None` if the sizes do not fit.
    fn len(self, len: usize) -> Option<usize> {
        match self {
            PartView::Split(n) => (n > 0 && len.is_multiple_of(n)).then(|| len / n),
            PartView::Join(n) => len.checked_mul(n),
            PartView::Take(n) => (n <= len).then_some(n),
            PartView::Drop(n) => len.checked_sub(n),
            PartView::Slide(size, step) => (step > 0 && size > 0).then(|| {
                let rest = len.checked_sub(size)?;
                rest.is_multiple_of(step).then(|| rest / step + 1)
            })?,
            PartView::PadClamp(before, after) => {
                let padded = len.checked_add(before)?.checked_add(after)?;
                (len > 0).then_some(padded)
            }
        }
    }

    fn grain(self, grain: usize) -> usize {
        match self {
            PartView::Split(n) => grain / n,
            // Elements that neighbouring parts share are computed for both, so they should be a
            // small fraction.
            PartView::Slide(size, step) => grain.max(size.saturating_mul(4)) / step,
            PartView::Join(n) => grain.saturating_mul(n),
            PartView::Take(_) | PartView::Drop(_) | PartView::PadClamp(..) => grain,
        }
    }

    /// Reads `n` elements of the view from `start` on.
    fn read(
        self,
        of: &mut Elements,
        frame: &mut Frame<'_>,
        start: usize,
        n: usize,
    ) -> InterpResult<Val> {
        let last = of.len()?.saturating_sub(1);
        let (from, count) = match self {
            _ if n == 0 => (0, 0),
            PartView::Split(k) => (start * k, n * k),
            PartView::Join(k) => (start / k, (start + n).div_ceil(k) - start / k),
            PartView::Take(_) => (start, n),
            PartView::Drop(k) => (start + k, n),
            PartView::Slide(size, step) => (start * step, (n - 1) * step + size),
            PartView::PadClamp(before, _) => {
                let clamped = |at: usize| at.saturating_sub(before).min(last);
                let from = clamped(start);
                (from, clamped(start + n - 1) - from + 1)
            }
        };
        let part = of.part(frame, from, count)?;
        let meter = frame.meter.clone();
        part.columns(&mut |col| {
            let col = col.clone();
            match self {
                PartView::Split(k) => col.split(0, k),
                PartView::Join(k) => (col.join(0, &meter)?)
                    .drop_first(0, start - from * k)?
                    .take(0, n),
                PartView::Take(_) | PartView::Drop(_) => Ok(col),
                PartView::Slide(size, step) => col.slide(0, size, step),
                // No element is padding.
                PartView::PadClamp(..) if count == n => Ok(col),
                PartView::PadClamp(before, _) => {
                    let place = |at: usize| at.saturating_sub(before).min(last) - from;
                    let places: Vec<usize> = (start..start + n).map(place).collect();
                    col.at_places(0, &places, &meter)
                }
            }
        })
    }
}

/// Applies a view to an array that is computed part by part. If the sizes do not fit, `one`, which
/// computes the whole array, raises the error.
pub(crate) fn viewed(stream: StreamCode, view: ViewCode, one: ValCode) -> StreamCode {
    Rc::new(move |frame| {
        let mut of = stream(frame)?;
        let view = view(frame)?;
        let Some(len) = view.len(of.len()?) else {
            return Ok(Elements::Stored(one(frame)?));
        };
        let grain = view.grain(of.grain());
        Ok(Elements::computed(len, grain, move |frame, start, n| {
            view.read(&mut of, frame, start, n)
        }))
    })
}

/// Zips two arrays; `None` if neither of them is computed part by part.
pub(crate) fn zipped(a: &Code, b: &Code) -> Option<StreamCode> {
    if a.variants.stream.is_none() && b.variants.stream.is_none() {
        return None;
    }
    let (a, b) = (elements(a), elements(b));
    Some(Rc::new(move |frame| {
        let (mut a, mut b) = (a(frame)?, b(frame)?);
        let (len, grain) = (a.len()?.min(b.len()?), a.grain().min(b.grain()));
        Ok(Elements::computed(len, grain, move |frame, start, n| {
            let first = a.part(frame, start, n)?;
            Ok(Val::pair(first, b.part(frame, start, n)?))
        }))
    }))
}
