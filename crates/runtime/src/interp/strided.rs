//! Strided views of buffers, the representation of arrays.
//!
//! An array of pairs is stored as a pair of arrays (structure of arrays), and an array of arrays as
//! one buffer, so that `zip`, `unzip`, `transpose`, `split`, `slide` and most cases of `join` copy
//! no elements.

use std::rc::Rc;

use rise::core::Origin;
use smallvec::SmallVec;

use super::buffer::{Buf, Data, ElementRepr, MemoryMeter, UninitMask, with_both};
use super::error::{BoxedError, ErrorKind, InterpError, InterpResult};
use super::kind::{Elem, Word};
use super::val::Val;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim {
    pub len: usize,
    pub stride: usize,
}

/// The dimensions of a view, from the outermost to the innermost one.
pub(crate) type Dims = SmallVec<[Dim; 4]>;

/// A view of a buffer. The offset and the strides are numbers of elements. The lanes of vectors are
/// the last dimension.
#[derive(Clone, Debug)]
pub(crate) struct StridedArray {
    pub buf: Rc<Buf>,
    pub offset: usize,
    pub dims: Dims,
}

/// Returns the dimensions of a dense array and its number of elements; `None` if the number
/// overflows.
pub(crate) fn dense(lens: impl DoubleEndedIterator<Item = usize>) -> Option<(Dims, usize)> {
    let mut dims = Dims::new();
    let mut stride = 1usize;
    for len in lens.rev() {
        dims.push(Dim { len, stride });
        stride = stride.checked_mul(len)?;
    }
    dims.reverse();
    Some((dims, stride))
}

/// Returns the error for reading an element without a value.
pub(crate) fn hole(failure: Option<&Rc<InterpError>>, origin: Origin) -> BoxedError {
    match failure {
        Some(failure) => Box::new((**failure).clone()),
        None => ErrorKind::Unwritten.at(origin),
    }
}

fn length_error(expected: usize, actual: usize) -> BoxedError {
    ErrorKind::Length {
        expected: expected as i64,
        actual: actual as i64,
    }
    .nowhere()
}

impl StridedArray {
    /// Returns a view of a whole buffer with these dimensions.
    pub fn whole(
        data: Data,
        uninit: Option<Box<UninitMask>>,
        dims: Dims,
        meter: &Rc<MemoryMeter>,
    ) -> StridedArray {
        StridedArray {
            buf: Buf::new(data, uninit, meter),
            offset: 0,
            dims,
        }
    }

    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    fn dim(&self, depth: usize) -> InterpResult<Dim> {
        let dim = self.dims.get(depth).copied();
        dim.ok_or_else(|| ErrorKind::Malformed("an array has too few dimensions").nowhere())
    }

    pub fn len(&self) -> usize {
        self.dims.first().map_or(0, |dim| dim.len)
    }

    /// Reads the scalar at an offset into the buffer.
    #[inline]
    pub fn word_at(&self, offset: usize, origin: Origin) -> InterpResult<Word> {
        if let Some(uninit) = &self.buf.uninit
            && uninit.has(offset)
        {
            return Err(hole(uninit.failure(offset), origin));
        }
        let word = self.buf.data.word(offset);
        word.ok_or_else(|| {
            ErrorKind::Malformed("an element is read after the end of its buffer").at(origin)
        })
    }

    /// Reads the element at `index`, which must be in bounds, of an array of scalars.
    #[inline]
    pub fn word(&self, index: usize, origin: Origin) -> InterpResult<Word> {
        let stride = self.dims.first().map_or(0, |dim| dim.stride);
        self.word_at(self.offset + index * stride, origin)
    }

    /// Returns the element at `index`, which must be in bounds.
    pub fn element(&self, index: usize, origin: Origin) -> InterpResult<Val> {
        if self.rank() > 1 {
            return Ok(Val::Array(self.slice(0, index)));
        }
        let stride = self.dim(0)?.stride;
        let at = self.offset + index * stride;
        if let Data::Boxed(values) = &self.buf.data {
            if let Some(uninit) = &self.buf.uninit
                && uninit.has(at)
            {
                return Err(hole(uninit.failure(at), origin));
            }
            let value = values.get(at).cloned();
            return value.ok_or_else(|| {
                ErrorKind::Malformed("an element is read after the end of its buffer").at(origin)
            });
        }
        let ElementRepr::Scalar(kind) = self.buf.data.cell() else {
            return Err(
                ErrorKind::Malformed("expected a buffer of scalars, found another buffer")
                    .at(origin),
            );
        };
        Ok(Val::Word(kind, self.word_at(at, origin)?))
    }

    /// Fixes the index of the dimension at `depth`, which removes that dimension.
    pub fn slice(&self, depth: usize, index: usize) -> StridedArray {
        let mut out = self.clone();
        if depth < out.dims.len() {
            let dim = out.dims.remove(depth);
            out.offset += index * dim.stride;
        }
        out
    }

    pub fn take(mut self, depth: usize, n: usize) -> InterpResult<StridedArray> {
        let len = self.dim(depth)?.len;
        if n > len {
            return Err(length_error(n, len));
        }
        self.dims[depth].len = n;
        Ok(self)
    }

    pub fn drop_first(mut self, depth: usize, n: usize) -> InterpResult<StridedArray> {
        let Dim { len, stride } = self.dim(depth)?;
        if n > len {
            return Err(length_error(n, len));
        }
        self.offset += n * stride;
        self.dims[depth].len = len - n;
        Ok(self)
    }

    pub fn split(mut self, depth: usize, n: usize) -> InterpResult<StridedArray> {
        let Dim { len, stride } = self.dim(depth)?;
        if n == 0 || len % n != 0 {
            return Err(length_error(len / n.max(1) * n, len));
        }
        self.dims[depth] = Dim {
            len: len / n,
            stride: stride * n,
        };
        self.dims.insert(depth + 1, Dim { len: n, stride });
        Ok(self)
    }

    pub fn join(mut self, depth: usize, meter: &Rc<MemoryMeter>) -> InterpResult<StridedArray> {
        let (outer, inner) = (self.dim(depth)?, self.dim(depth + 1)?);
        let len = outer.len * inner.len;
        let stride = if outer.len <= 1 || len == 0 {
            inner.stride
        } else if inner.len == 1 {
            outer.stride
        } else if outer.stride == inner.len * inner.stride {
            inner.stride
        } else {
            return self.copied(meter)?.join(depth, meter);
        };
        self.dims.remove(depth);
        self.dims[depth] = Dim { len, stride };
        Ok(self)
    }

    pub fn transpose(mut self, depth: usize) -> InterpResult<StridedArray> {
        self.dim(depth + 1)?;
        self.dims.swap(depth, depth + 1);
        Ok(self)
    }

    pub fn slide(mut self, depth: usize, sz: usize, sp: usize) -> InterpResult<StridedArray> {
        let Dim { len, stride } = self.dim(depth)?;
        let windows = match len.checked_sub(sz) {
            Some(rest) => rest.checked_div(sp).unwrap_or(0) + 1,
            None => 0,
        };
        self.dims[depth] = Dim {
            len: windows,
            stride: stride * sp,
        };
        self.dims.insert(depth + 1, Dim { len: sz, stride });
        Ok(self)
    }

    /// Returns repetitions of this array, by new outer dimensions with stride 0.
    pub fn repeated(mut self, lens: &[usize]) -> StridedArray {
        for &len in lens.iter().rev() {
            self.dims.insert(0, Dim { len, stride: 0 });
        }
        self
    }

    /// Copies the elements to a dense buffer.
    pub fn copied(&self, meter: &Rc<MemoryMeter>) -> InterpResult<StridedArray> {
        let mut target = ArrayBuilder::new(
            self.buf.data.cell(),
            self.dims.iter().map(|dim| dim.len),
            meter,
        )?;
        target.copy(0, &target.dims.clone(), self)?;
        Ok(target.finish(meter))
    }

    /// Gathers the elements at the indices `places` along the dimension at `depth`.
    pub fn at_places(
        &self,
        depth: usize,
        places: &[usize],
        meter: &Rc<MemoryMeter>,
    ) -> InterpResult<StridedArray> {
        let len = self.dim(depth)?.len;
        if self.rank() == 1 && self.buf.uninit.is_none() {
            return self.scalars_at(places, meter);
        }
        let mut lens: SmallVec<[usize; 4]> = self.dims.iter().map(|dim| dim.len).collect();
        lens[depth] = places.len();
        let mut target = ArrayBuilder::new(self.buf.data.cell(), lens.into_iter(), meter)?;
        let mut dims = target.dims.clone();
        let stride = dims.remove(depth).stride;
        for (at, &place) in places.iter().enumerate() {
            if place >= len {
                let (index, bound) = (place as i64, len as i64);
                return Err(ErrorKind::OutOfRange { index, bound }.nowhere());
            }
            target.copy(at * stride, &dims, &self.slice(depth, place))?;
        }
        Ok(target.finish(meter))
    }

    /// Gathers elements of an array that has one dimension and no holes.
    fn scalars_at(&self, places: &[usize], meter: &Rc<MemoryMeter>) -> InterpResult<StridedArray> {
        let Dim { len, stride } = self.dim(0)?;
        let cells = self.buf.data.cell();
        let mut target = ArrayBuilder::new(cells, [places.len()].into_iter(), meter)?;
        let bad = places.iter().find(|place| **place >= len);
        if let Some(&place) = bad {
            let (index, bound) = (place as i64, len as i64);
            return Err(ErrorKind::OutOfRange { index, bound }.nowhere());
        }
        let copied = with_both!(&mut target.data, &self.buf.data, to, from => {
            to.iter_mut().zip(places).all(|(to, place)| {
                from.get(self.offset + place * stride).is_some_and(|value| {
                    to.clone_from(value);
                    true
                })
            })
        }, else false);
        if !copied {
            return Err(
                ErrorKind::Malformed("an element is read after the end of its buffer").nowhere(),
            );
        }
        Ok(target.finish(meter))
    }

    /// Concatenates arrays along the dimension at `depth`. `Err(n)` is a part of `n` elements that
    /// are never written.
    pub fn chain(
        parts: &[Result<StridedArray, usize>],
        depth: usize,
        meter: &Rc<MemoryMeter>,
    ) -> InterpResult<StridedArray> {
        let first = parts.iter().find_map(|part| part.as_ref().ok());
        let first = first.ok_or_else(|| ErrorKind::Malformed("nothing to chain").nowhere())?;
        let length = |part: &Result<StridedArray, usize>| match part {
            Ok(col) => col.dim(depth).map(|dim| dim.len),
            Err(len) => Ok(*len),
        };
        let mut total = 0;
        for part in parts {
            total += length(part)?;
        }
        let mut lens: SmallVec<[usize; 4]> = first.dims.iter().map(|dim| dim.len).collect();
        lens[depth] = total;
        let mut target = ArrayBuilder::new(first.buf.data.cell(), lens.into_iter(), meter)?;
        let mut start = 0;
        for part in parts {
            let len = length(part)?;
            let mut dims = target.dims.clone();
            let at = start * dims[depth].stride;
            dims[depth].len = len;
            match part {
                Ok(col) => target.copy(at, &dims, col)?,
                Err(_) => target.clear(at, &dims, None),
            }
            start += len;
        }
        Ok(target.finish(meter))
    }
}

/// The values of a scalar in many iterations.
#[derive(Clone, Debug)]
pub(crate) enum Lane {
    /// The same value in all iterations.
    Same(Word),
    /// A value for each iteration.
    Each(Data),
}

impl Lane {
    /// Returns the values for `n` iterations; `None` if they have another type than `T`.
    pub fn spread<T: Elem>(self, n: usize) -> Option<Vec<T>> {
        match self {
            Lane::Same(word) => Some(vec![T::of(word); n]),
            Lane::Each(mut data) => Some(std::mem::take(T::vec_mut(&mut data)?)),
        }
    }
}

/// A buffer that is being written.
#[derive(Debug)]
pub(crate) struct ArrayBuilder {
    pub data: Data,
    pub uninit: Option<Box<UninitMask>>,
    pub dims: Dims,
}

impl ArrayBuilder {
    pub fn new(
        cells: ElementRepr,
        lens: impl DoubleEndedIterator<Item = usize>,
        meter: &MemoryMeter,
    ) -> InterpResult<ArrayBuilder> {
        let (dims, count) = dense(lens).ok_or_else(|| meter.exhausted())?;
        Ok(ArrayBuilder {
            data: Data::zeros(cells, count, meter)?,
            uninit: None,
            dims,
        })
    }

    pub fn finish(self, meter: &Rc<MemoryMeter>) -> StridedArray {
        StridedArray::whole(self.data, self.uninit, self.dims, meter)
    }

    /// Copies `src` to offset `at`, with the strides of `dims`.
    pub fn copy(&mut self, at: usize, dims: &[Dim], src: &StridedArray) -> InterpResult<()> {
        let same = dims.len() == src.dims.len();
        let wrong = dims.iter().zip(&src.dims).find(|(a, b)| a.len != b.len);
        if let Some((a, b)) = wrong {
            return Err(length_error(a.len, b.len));
        }
        // Without elements, even the offset of the first one may be outside of the buffers.
        if same && dims.iter().any(|dim| dim.len == 0) {
            return Ok(());
        }
        let pairs: SmallVec<[(Dim, usize); 4]> = (dims.iter().zip(&src.dims))
            .map(|(a, b)| (*a, b.stride))
            .collect();
        let fits = same
            && with_both!(&mut self.data, &src.buf.data, a, b => {
                copy_values(a, at, b, src.offset, &pairs)
            }, else false);
        if !fits {
            return Err(
                ErrorKind::Malformed("the elements of two arrays differ in their types").nowhere(),
            );
        }
        if src.buf.uninit.is_some() || self.uninit.is_some() {
            self.copy_holes(at, src, &pairs);
        }
        Ok(())
    }

    fn copy_holes(&mut self, at: usize, src: &StridedArray, pairs: &[(Dim, usize)]) {
        let len = self.data.len();
        let from = src.buf.uninit.as_deref();
        let to = (self.uninit).get_or_insert_with(|| Box::new(UninitMask::none(len)));
        each_place(at, src.offset, pairs, &mut |to_at, from_at| match from {
            Some(from) if from.has(from_at) => to.add(to_at, from.failure(from_at).cloned()),
            _ => to.fill(to_at),
        });
    }

    /// Marks these elements as holes, which have no value because of `failure`, or were never
    /// written.
    pub fn clear(&mut self, at: usize, dims: &[Dim], failure: Option<&Rc<InterpError>>) {
        let len = self.data.len();
        let uninit = (self.uninit).get_or_insert_with(|| Box::new(UninitMask::none(len)));
        let pairs: SmallVec<[(Dim, usize); 4]> = dims.iter().map(|dim| (*dim, 0)).collect();
        each_place(at, 0, &pairs, &mut |place, _| {
            uninit.add(place, failure.cloned());
        });
    }

    #[inline]
    pub fn set(&mut self, at: usize, word: Word) {
        self.data.set_word(at, word);
        if let Some(uninit) = &mut self.uninit {
            uninit.fill(at);
        }
    }

    /// Writes `n` consecutive scalars. Returns false if `lane` has a value for each iteration, and
    /// these are of another kind, are fewer than `n`, or do not fit into the buffer.
    pub fn set_lane(&mut self, at: usize, n: usize, lane: &Lane) -> bool {
        match lane {
            Lane::Same(word) => {
                for place in at..at + n {
                    self.data.set_word(place, *word);
                }
                true
            }
            Lane::Each(data) => with_both!(&mut self.data, data, to, from => {
                match (to.get_mut(at..at + n), from.get(..n)) {
                    (Some(to), Some(from)) => {
                        to.clone_from_slice(from);
                        true
                    }
                    _ => false,
                }
            }, else false),
        }
    }
}

/// Copies elements recursively. Returns false if an index is out of bounds.
fn copy_values<T: Clone>(
    to: &mut [T],
    to_at: usize,
    from: &[T],
    from_at: usize,
    dims: &[(Dim, usize)],
) -> bool {
    let Some(((dim, stride), inner)) = dims.split_first() else {
        return match (to.get_mut(to_at), from.get(from_at)) {
            (Some(to), Some(from)) => {
                to.clone_from(from);
                true
            }
            _ => false,
        };
    };
    if inner.is_empty() && dim.stride == 1 && *stride == 1 {
        let target = to.get_mut(to_at..to_at + dim.len);
        return match (target, from.get(from_at..from_at + dim.len)) {
            (Some(to), Some(from)) => {
                to.clone_from_slice(from);
                true
            }
            _ => false,
        };
    }
    (0..dim.len).all(|at| {
        copy_values(
            to,
            to_at + at * dim.stride,
            from,
            from_at + at * stride,
            inner,
        )
    })
}

/// Calls `visit` with the offsets of each element in both buffers.
fn each_place(
    to_at: usize,
    from_at: usize,
    dims: &[(Dim, usize)],
    visit: &mut dyn FnMut(usize, usize),
) {
    let Some(((dim, stride), inner)) = dims.split_first() else {
        return visit(to_at, from_at);
    };
    for at in 0..dim.len {
        each_place(to_at + at * dim.stride, from_at + at * stride, inner, visit);
    }
}
