//! Run-time values, and results that are being written.

use std::rc::Rc;

use rise::core::Origin;
use smallvec::{SmallVec, smallvec};

use super::buffer::{ElementRepr, MemoryMeter};
use super::error::{ErrorKind, InterpError, InterpResult};
use super::kind::{Kind, Word};
use super::strided::{ArrayBuilder, StridedArray};

/// A run-time value.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Word(Kind, Word),
    /// An array of scalars, arrays or boxed values; or a vector.
    Array(StridedArray),
    /// A pair, or an array of pairs as two arrays.
    Pair(Rc<(Val, Val)>),
    Rows(Rc<Vec<Val>>),
    DepPair(i64, Rc<Val>),
    /// The error of a failed computation, which only occurs in slots of variables.
    Failed(Rc<InterpError>),
}

fn malformed(what: &'static str) -> super::error::BoxedError {
    ErrorKind::Malformed(what).nowhere()
}

impl Val {
    pub fn pair(first: Val, second: Val) -> Val {
        Val::Pair(Rc::new((first, second)))
    }

    pub fn len(&self) -> InterpResult<usize> {
        match self {
            Val::Array(col) => Ok(col.len()),
            Val::Pair(pair) => pair.0.len(),
            Val::Rows(rows) => Ok(rows.len()),
            _ => Err(malformed("expected an array, found another value")),
        }
    }

    /// Returns the element at `index`, which must be in bounds.
    pub fn element(&self, index: usize, origin: Origin) -> InterpResult<Val> {
        match self {
            Val::Array(col) => col.element(index, origin),
            Val::Pair(pair) => Ok(Val::pair(
                pair.0.element(index, origin)?,
                pair.1.element(index, origin)?,
            )),
            Val::Rows(rows) => {
                let row = rows.get(index).cloned();
                row.ok_or_else(|| malformed("a row is read after the end of its array"))
            }
            _ => Err(malformed("expected an array, found another value")),
        }
    }

    /// Applies `change` to a value that is an array, or to both components of a pair of arrays,
    /// which may be pairs themselves.
    pub fn columns(
        &self,
        change: &mut dyn FnMut(&StridedArray) -> InterpResult<StridedArray>,
    ) -> InterpResult<Val> {
        match self {
            Val::Array(col) => Ok(Val::Array(change(col)?)),
            Val::Pair(pair) => Ok(Val::pair(pair.0.columns(change)?, pair.1.columns(change)?)),
            _ => Err(malformed(
                "expected an array to rearrange, found another value",
            )),
        }
    }

    /// Returns a component of a pair: the second one if `second` is true.
    pub fn half(&self, second: bool) -> InterpResult<Val> {
        match self {
            Val::Pair(pair) => Ok(if second { &pair.1 } else { &pair.0 }.clone()),
            _ => Err(malformed("expected a pair, found another value")),
        }
    }

    pub fn word(&self) -> InterpResult<Word> {
        match self {
            Val::Word(_, word) => Ok(*word),
            _ => Err(malformed("expected a scalar, found another value")),
        }
    }

    pub fn col(&self) -> InterpResult<&StridedArray> {
        match self {
            Val::Array(col) => Ok(col),
            _ => Err(malformed("expected an array, found another value")),
        }
    }

    /// Returns an array with the additional outer dimensions `lens`, all of whose elements are this
    /// value.
    pub fn repeated(&self, lens: &[usize], meter: &Rc<MemoryMeter>) -> InterpResult<Val> {
        match self {
            Val::Word(kind, word) => {
                let mut area =
                    ArrayBuilder::new(ElementRepr::Scalar(*kind), [1].into_iter(), meter)?;
                area.set(0, *word);
                Ok(Val::Array(area.finish(meter).slice(0, 0).repeated(lens)))
            }
            Val::Array(col) => Ok(Val::Array(col.clone().repeated(lens))),
            Val::Pair(pair) => Ok(Val::pair(
                pair.0.repeated(lens, meter)?,
                pair.1.repeated(lens, meter)?,
            )),
            Val::Rows(_) | Val::DepPair(..) => {
                let mut target = Target::Pending;
                target.put(1, 0, self, meter)?;
                match target.finish(meter)? {
                    Val::Array(col) => Ok(Val::Array(col.slice(0, 0).repeated(lens))),
                    _ => Err(malformed("an unexpected boxed value")),
                }
            }
            Val::Failed(error) => Err(Box::new((**error).clone())),
        }
    }
}

/// The layout of an array: the sizes of an element, and the scalars or boxed values that it
/// consists of.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    Leaf(ElementRepr, SmallVec<[usize; 4]>),
    Pair(Box<Layout>, Box<Layout>),
}

/// An array whose elements are written one by one.
#[derive(Debug)]
pub(crate) enum Target {
    /// An array whose layout is not known yet.
    Pending,
    /// An array of scalars, arrays or boxed values.
    Array {
        area: ArrayBuilder,
        /// The number of scalars or boxed values of an element.
        size: usize,
    },
    /// An array of pairs.
    Pair(Box<Target>, Box<Target>),
}

impl Target {
    /// Allocates `n` elements of this layout.
    pub fn new(layout: &Layout, n: usize, meter: &MemoryMeter) -> InterpResult<Target> {
        Ok(match layout {
            Layout::Leaf(cells, lens) => {
                let all: SmallVec<[usize; 4]> =
                    [n].into_iter().chain(lens.iter().copied()).collect();
                let area = ArrayBuilder::new(*cells, all.into_iter(), meter)?;
                let size = area.dims.first().map_or(1, |dim| dim.stride);
                Target::Array { area, size }
            }
            Layout::Pair(a, b) => Target::Pair(
                Box::new(Target::new(a, n, meter)?),
                Box::new(Target::new(b, n, meter)?),
            ),
        })
    }

    /// Allocates `n` elements with the layout of `like`, unless that was done before.
    fn prepare(&mut self, n: usize, like: &Val, meter: &MemoryMeter) -> InterpResult<()> {
        let layout = match (&*self, like) {
            (Target::Pending, Val::Word(kind, _)) => {
                Layout::Leaf(ElementRepr::Scalar(*kind), smallvec![])
            }
            (Target::Pending, Val::Array(col)) => Layout::Leaf(
                col.buf.data.cell(),
                col.dims.iter().map(|dim| dim.len).collect(),
            ),
            (Target::Pending, Val::Rows(_) | Val::DepPair(..)) => {
                Layout::Leaf(ElementRepr::Boxed, smallvec![])
            }
            (Target::Pending, Val::Pair(_)) => {
                *self = Target::Pair(Box::new(Target::Pending), Box::new(Target::Pending));
                return Ok(());
            }
            _ => return Ok(()),
        };
        *self = Target::new(&layout, n, meter)?;
        Ok(())
    }

    /// Writes the element at `index` of `n`.
    pub fn put(
        &mut self,
        n: usize,
        index: usize,
        value: &Val,
        meter: &MemoryMeter,
    ) -> InterpResult<()> {
        self.prepare(n, value, meter)?;
        match (self, value) {
            (Target::Array { area, .. }, Val::Word(_, word)) => area.set(index, *word),
            (Target::Array { area, size }, Val::Array(col)) => {
                let at = index * *size;
                if area.dims.len() == 2 {
                    let dims = [area.dims[1]];
                    return area.copy(at, &dims, col);
                }
                let dims: SmallVec<[_; 4]> = area.dims.iter().skip(1).copied().collect();
                area.copy(at, &dims, col)?;
            }
            (Target::Array { area, .. }, Val::Rows(_) | Val::DepPair(..)) => {
                if let super::buffer::Data::Boxed(values) = &mut area.data
                    && let Some(place) = values.get_mut(index)
                {
                    *place = value.clone();
                }
            }
            (Target::Pair(a, b), Val::Pair(pair)) => {
                a.put(n, index, &pair.0, meter)?;
                b.put(n, index, &pair.1, meter)?;
            }
            (_, Val::Failed(error)) => return Err(Box::new((**error).clone())),
            _ => return Err(malformed("the elements of an array differ in their types")),
        }
        Ok(())
    }

    /// Writes a scalar element, which avoids a temporary value.
    #[inline]
    pub fn put_word(
        &mut self,
        n: usize,
        index: usize,
        kind: Kind,
        word: Word,
        meter: &MemoryMeter,
    ) -> InterpResult<()> {
        if let Target::Array { area, .. } = self {
            area.set(index, word);
            return Ok(());
        }
        self.put(n, index, &Val::Word(kind, word), meter)
    }

    /// Returns the two arrays of an array of pairs.
    pub fn halves(&mut self) -> InterpResult<(&mut Target, &mut Target)> {
        if let Target::Pending = self {
            *self = Target::Pair(Box::new(Target::Pending), Box::new(Target::Pending));
        }
        match self {
            Target::Pair(a, b) => Ok((a, b)),
            _ => Err(malformed("expected an array of pairs, found another array")),
        }
    }

    /// Returns true if the array is allocated.
    pub fn is_ready(&self) -> bool {
        match self {
            Target::Pending => false,
            Target::Array { .. } => true,
            Target::Pair(a, b) => a.is_ready() && b.is_ready(),
        }
    }

    /// Marks the element at `index` with the error of its computation. Does nothing if the array is
    /// not allocated.
    pub fn fail(&mut self, index: usize, error: &Rc<InterpError>) {
        match self {
            Target::Pending => {}
            Target::Array { area, size } => {
                let dims: SmallVec<[_; 4]> = area.dims.iter().skip(1).copied().collect();
                area.clear(index * *size, &dims, Some(error));
            }
            Target::Pair(a, b) => {
                a.fail(index, error);
                b.fail(index, error);
            }
        }
    }

    pub fn finish(self, meter: &Rc<MemoryMeter>) -> InterpResult<Val> {
        Ok(match self {
            Target::Pending => return Err(malformed("the elements of an array are not known")),
            Target::Array { area, .. } => Val::Array(area.finish(meter)),
            Target::Pair(a, b) => Val::pair(a.finish(meter)?, b.finish(meter)?),
        })
    }
}
