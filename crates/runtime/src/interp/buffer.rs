//! Buffers, which store the elements of arrays.

use std::cell::Cell;
use std::rc::Rc;

use half::f16;
use rustc_hash::FxHashMap;

use super::error::{ErrorKind, InterpError, InterpResult};
use super::frame::CancellationToken;
use super::kind::{Elem, Kind, Word, with_kind};
use super::val::Val;

/// A sequence of elements of one kind.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Bool(Vec<bool>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Dependent arrays and pairs, whose sizes differ between elements.
    Boxed(Vec<Val>),
}

/// Expands to `$body` with `$v` bound to the vector of scalars in `$data`, or to `$other` with
/// `$boxed` bound to the boxed values.
macro_rules! with_data {
    ($data:expr, $v:ident => $body:expr, $boxed:pat => $other:expr) => {
        match $data {
            Data::Bool($v) => $body,
            Data::I8($v) => $body,
            Data::I16($v) => $body,
            Data::I32($v) => $body,
            Data::I64($v) => $body,
            Data::U8($v) => $body,
            Data::U16($v) => $body,
            Data::U32($v) => $body,
            Data::U64($v) => $body,
            Data::F16($v) => $body,
            Data::F32($v) => $body,
            Data::F64($v) => $body,
            Data::Boxed($boxed) => $other,
        }
    };
}

/// Expands to `$body` with `$a` and `$b` bound to the vectors in `$left` and `$right` if they have
/// the same type, else to `$otherwise`.
macro_rules! with_both {
    ($left:expr, $right:expr, $a:ident, $b:ident => $body:expr, else $otherwise:expr) => {
        match ($left, $right) {
            (Data::Bool($a), Data::Bool($b)) => $body,
            (Data::I8($a), Data::I8($b)) => $body,
            (Data::I16($a), Data::I16($b)) => $body,
            (Data::I32($a), Data::I32($b)) => $body,
            (Data::I64($a), Data::I64($b)) => $body,
            (Data::U8($a), Data::U8($b)) => $body,
            (Data::U16($a), Data::U16($b)) => $body,
            (Data::U32($a), Data::U32($b)) => $body,
            (Data::U64($a), Data::U64($b)) => $body,
            (Data::F16($a), Data::F16($b)) => $body,
            (Data::F32($a), Data::F32($b)) => $body,
            (Data::F64($a), Data::F64($b)) => $body,
            (Data::Boxed($a), Data::Boxed($b)) => $body,
            _ => $otherwise,
        }
    };
}

pub(crate) use with_both;

/// The representation of the elements of a buffer: scalars or boxed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementRepr {
    Scalar(Kind),
    Boxed,
}

/// The number of elements that are allocated between two checks for cancellation.
const ELEMENTS_PER_CHECK: usize = 1 << 22;

impl Data {
    /// Allocates `len` elements: zeros, or boxed scalars as placeholders.
    pub fn zeros(cell: ElementRepr, len: usize, meter: &MemoryMeter) -> InterpResult<Data> {
        fn filled<T: Clone>(len: usize, value: T, meter: &MemoryMeter) -> InterpResult<Vec<T>> {
            let mut all = Vec::new();
            let fits = all.try_reserve_exact(len);
            fits.map_err(|_| meter.exhausted())?;
            // The system may take long to provide much memory.
            while len - all.len() > ELEMENTS_PER_CHECK {
                all.resize(all.len() + ELEMENTS_PER_CHECK, value.clone());
                meter.cancellation.check()?;
            }
            all.resize(len, value);
            Ok(all)
        }
        match cell {
            ElementRepr::Scalar(kind) => with_kind!(kind, T => {
                meter.check(len, size_of::<T>())?;
                Ok(T::wrap(filled(len, T::default(), meter)?))
            }),
            ElementRepr::Boxed => {
                meter.check(len, size_of::<Val>())?;
                Ok(Data::Boxed(filled(len, Val::Word(Kind::Bool, 0), meter)?))
            }
        }
    }

    pub fn cell(&self) -> ElementRepr {
        fn scalars<T: Elem>(_: &[T]) -> ElementRepr {
            ElementRepr::Scalar(T::KIND)
        }
        with_data!(self, v => scalars(v), _ => ElementRepr::Boxed)
    }

    pub fn len(&self) -> usize {
        with_data!(self, v => v.len(), v => v.len())
    }

    fn bytes(&self) -> u64 {
        with_data!(self, v => size_of_val(&v[..]), v => size_of_val(&v[..])) as u64
    }

    /// Returns the scalar at `at`; `None` after the end, and for boxed values.
    #[inline]
    pub fn word(&self, at: usize) -> Option<Word> {
        with_data!(self, v => Some(v.get(at)?.word()), _ => None)
    }

    /// Writes a scalar. Does nothing if `at` is after the end, or the elements are boxed values.
    #[inline]
    pub fn set_word(&mut self, at: usize, word: Word) {
        fn put<T: Elem>(values: &mut [T], at: usize, word: Word) {
            if let Some(place) = values.get_mut(at) {
                *place = T::of(word);
            }
        }
        with_data!(self, v => put(v, at, word), _ => {});
    }
}

/// The elements of a buffer that have no value, called holes.
#[derive(Clone, Debug, Default)]
pub(crate) struct UninitMask {
    /// A bit mask, with a set bit for each element without a value.
    mask: Vec<u64>,
    count: usize,
    /// The errors in the computation of elements, by index. Other holes were never written.
    failures: FxHashMap<usize, Rc<InterpError>>,
}

impl UninitMask {
    /// Creates a mask without holes.
    pub fn none(len: usize) -> UninitMask {
        UninitMask {
            mask: vec![0; len.div_ceil(64)],
            count: 0,
            failures: FxHashMap::default(),
        }
    }

    /// Creates a mask in which all elements are holes.
    pub fn all(len: usize) -> UninitMask {
        let mut uninit = UninitMask::none(len);
        for at in 0..len {
            uninit.add(at, None);
        }
        uninit
    }

    #[inline]
    pub fn has(&self, at: usize) -> bool {
        self.mask
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Returns the error in the computation of the element at `at`; `None` if the element has a
    /// value, or was never written.
    pub fn failure(&self, at: usize) -> Option<&Rc<InterpError>> {
        self.failures.get(&at)
    }

    pub fn add(&mut self, at: usize, failure: Option<Rc<InterpError>>) {
        if let Some(word) = self.mask.get_mut(at / 64) {
            self.count += usize::from(*word >> (at % 64) & 1 == 0);
            *word |= 1 << (at % 64);
        }
        match failure {
            Some(failure) => drop(self.failures.insert(at, failure)),
            None => drop(self.failures.remove(&at)),
        }
    }

    /// Records that the element at `at` has a value.
    pub fn fill(&mut self, at: usize) {
        if let Some(word) = self.mask.get_mut(at / 64) {
            self.count -= usize::from(*word >> (at % 64) & 1 == 1);
            *word &= !(1 << (at % 64));
        }
        if !self.failures.is_empty() {
            self.failures.remove(&at);
        }
    }

    /// Returns true if there are no holes.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// A buffer with its holes. The meter counts its memory until it is dropped.
#[derive(Debug)]
pub(crate) struct Buf {
    pub data: Data,
    pub uninit: Option<Box<UninitMask>>,
    bytes: u64,
    meter: Rc<MemoryMeter>,
}

impl Buf {
    pub fn new(data: Data, uninit: Option<Box<UninitMask>>, meter: &Rc<MemoryMeter>) -> Rc<Buf> {
        let uninit = uninit.filter(|uninit| !uninit.is_empty());
        let bytes = data.bytes();
        meter.used.set(meter.used.get().saturating_add(bytes));
        Rc::new(Buf {
            data,
            uninit,
            bytes,
            meter: meter.clone(),
        })
    }
}

impl Drop for Buf {
    fn drop(&mut self) {
        let used = self.meter.used.get();
        self.meter.used.set(used.saturating_sub(self.bytes));
    }
}

/// The used memory and its limit, with the cancellation token that is checked during allocations.
#[derive(Debug)]
pub(crate) struct MemoryMeter {
    used: Cell<u64>,
    limit: u64,
    cancellation: CancellationToken,
}

impl MemoryMeter {
    pub fn new(limit: u64, cancellation: CancellationToken) -> MemoryMeter {
        MemoryMeter {
            used: Cell::new(0),
            limit,
            cancellation,
        }
    }

    /// Fails if this many elements of this size in bytes, added to the memory in use, exceed the
    /// memory limit.
    pub fn check(&self, len: usize, size: usize) -> InterpResult<()> {
        let bytes = (len as u64).saturating_mul(size as u64);
        if self.used.get().saturating_add(bytes) > self.limit {
            return Err(self.exhausted());
        }
        Ok(())
    }

    pub fn exhausted(&self) -> super::error::BoxedError {
        let limit = self.limit;
        ErrorKind::OutOfMemory { limit }.nowhere()
    }
}
