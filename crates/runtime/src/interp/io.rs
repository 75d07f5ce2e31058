//! Converts between values in the layout of C and values of the interpreter.

use std::rc::Rc;
use std::sync::Arc;

use nat::{Nat, Var};
use rise::core::Origin;
use rise::types::{Arg, Ty, Type};
use rise::{DataFun, subst};
use syntax::ast::ScalarType;

use super::buffer::{Data, ElementRepr, MemoryMeter, UninitMask};
use super::error::{ErrorKind, InterpResult};
use super::kind::{Elem, Kind, Word};
use super::strided::{ArrayBuilder, Dim, StridedArray, hole};
use super::val::Val;
use crate::{Leaf, Rows, Shape, Value};

/// The outer dimensions: the number of elements and the stride in bytes of each.
type Outer = Vec<(u64, u64)>;

fn malformed(what: &'static str) -> super::error::BoxedError {
    ErrorKind::Malformed(what).nowhere()
}

fn leaf_kind(leaf: Leaf) -> Kind {
    match leaf {
        Leaf::Scalar(scalar) => Kind::of(scalar),
        Leaf::Index(_) => Kind::I32,
    }
}

// ----- shapes -----

/// Returns the shape of a value of this type. `nats` returns the values of run-time sizes.
pub(crate) fn shape(
    ty: &Ty,
    value: &Val,
    nats: &dyn Fn(Var) -> Option<i64>,
) -> InterpResult<Shape> {
    shape_of(ty, Some(value), nats)
}

fn shape_of(
    ty: &Ty,
    value: Option<&Val>,
    nats: &dyn Fn(Var) -> Option<i64>,
) -> InterpResult<Shape> {
    let size = |n: &Nat| -> InterpResult<u64> {
        let value = n
            .eval(nats, &|_, _| None)
            .and_then(|n| u64::try_from(n).ok());
        value.ok_or_else(|| {
            ErrorKind::Size(rise::print::nat_text(n, &Default::default()).to_string()).nowhere()
        })
    };
    Ok(match &**ty {
        Type::Scalar(scalar) => Shape::Scalar(*scalar),
        Type::Index(n) => Shape::Index(size(n)?),
        Type::Vector(n, lane) => {
            let leaf = shape_of(lane, None, nats)?.as_leaf();
            let leaf = leaf.ok_or_else(|| malformed("the elements of a vector must be scalars"))?;
            let n =
                u32::try_from(size(n)?).map_err(|_| malformed("a vector has too many lanes"))?;
            Shape::Vector(n, leaf)
        }
        Type::Array(n, element) => Shape::Array(size(n)?, Arc::new(shape_of(element, None, nats)?)),
        Type::Pair(a, b) => {
            let (first, second) = match value {
                Some(Val::Pair(pair)) => (Some(&pair.0), Some(&pair.1)),
                _ => (None, None),
            };
            Shape::Pair(
                Arc::new(shape_of(a, first, nats)?),
                Arc::new(shape_of(b, second, nats)?),
            )
        }
        Type::DepArray(n, fun) => {
            let rows = match value {
                Some(Val::Rows(rows)) => Some(rows),
                _ => None,
            };
            let mut shapes = Vec::new();
            for k in 0..size(n)? {
                let row = rows.and_then(|rows| rows.get(k as usize));
                shapes.push(shape_of(&at(fun, k as i64), row, nats)?);
            }
            Shape::DepArray(Arc::new(Rows::new(shapes)))
        }
        Type::DepPair(fun) => match value {
            Some(Val::DepPair(n, value)) => {
                let inner = shape_of(&at(fun, *n), Some(value), nats)?;
                let n = u64::try_from(*n).map_err(|_| malformed("a size is negative"))?;
                Shape::DepPair(n, Arc::new(inner))
            }
            _ => return Err(ErrorKind::NoLayout.nowhere()),
        },
        _ => return Err(malformed("expected a data type, found another type")),
    })
}

/// Returns the type of the element at index `k` of a dependent array, or of the value of a
/// dependent pair with the size `k`.
fn at(fun: &DataFun, k: i64) -> Ty {
    let k = Nat::constant(k);
    match fun {
        DataFun::Lambda(param, body) => {
            subst::subst(body, &|v| (v == *param).then(|| Arg::Nat(k.clone())))
        }
        DataFun::Var(var) => Arc::new(Type::Apply(*var, k)),
    }
}

// ----- from C -----

fn word_at(bytes: &[u8], at: u64, size: u64) -> Word {
    let mut word = [0; 8];
    let (at, size) = (at as usize, size as usize);
    if let Some(source) = bytes.get(at..at + size) {
        if cfg!(target_endian = "little") {
            word[..size].copy_from_slice(source);
        } else {
            word[8 - size..].copy_from_slice(source);
        }
    }
    Word::from_ne_bytes(word)
}

/// Converts a value in the layout of C to a value of the interpreter. Fails if an index is out of
/// range, a scalar outside of an array was never written, or the memory limit is exceeded.
pub(crate) fn from_value(
    shape: &Shape,
    value: &Value,
    meter: &Rc<MemoryMeter>,
) -> InterpResult<Val> {
    let reader = Reader { value, meter };
    reader.read(shape, &mut Outer::new(), 0)
}

struct Reader<'a> {
    value: &'a Value,
    meter: &'a Rc<MemoryMeter>,
}

impl Reader<'_> {
    fn read(&self, shape: &Shape, outer: &mut Outer, base: u64) -> InterpResult<Val> {
        match shape {
            Shape::Scalar(_) | Shape::Index(_) => {
                let leaf = shape
                    .as_leaf()
                    .ok_or_else(|| malformed("expected a scalar or vector, found another value"))?;
                self.leaf(leaf, outer, base)
            }
            Shape::Vector(n, leaf) => {
                outer.push((u64::from(*n), leaf.size()));
                let read = self.leaf(*leaf, outer, base);
                outer.pop();
                read
            }
            Shape::Array(n, element) => {
                outer.push((*n, element.size()));
                let read = self.read(element, outer, base);
                outer.pop();
                read
            }
            Shape::Pair(a, b) => {
                let first = self.read(a, outer, base)?;
                Ok(Val::pair(
                    first,
                    self.read(b, outer, base + shape.second_offset())?,
                ))
            }
            Shape::DepArray(_) | Shape::DepPair(..) => self.boxed(shape, outer, base),
        }
    }

    fn boxed(&self, shape: &Shape, outer: &Outer, base: u64) -> InterpResult<Val> {
        if outer.is_empty() {
            return self.one_box(shape, base);
        }
        let lens = outer.iter().map(|(n, _)| *n as usize);
        let mut area = ArrayBuilder::new(ElementRepr::Boxed, lens, self.meter)?;
        let mut values = Vec::new();
        let dims: Vec<(u64, u64)> = outer.clone();
        for_each_place(&dims, base, &mut |place| {
            values.push(self.one_box(shape, place)?);
            Ok(())
        })?;
        area.data = Data::Boxed(values);
        Ok(Val::Array(area.finish(self.meter)))
    }

    fn one_box(&self, shape: &Shape, base: u64) -> InterpResult<Val> {
        match shape {
            Shape::DepArray(rows) => {
                let rows: InterpResult<Vec<Val>> = (rows.shapes().iter().zip(rows.offsets()))
                    .map(|(row, offset)| self.read(row, &mut Outer::new(), base + offset))
                    .collect();
                Ok(Val::Rows(Rc::new(rows?)))
            }
            Shape::DepPair(n, value) => {
                let start = base + shape.second_offset();
                let value = self.read(value, &mut Outer::new(), start)?;
                Ok(Val::DepPair(*n as i64, Rc::new(value)))
            }
            _ => Err(malformed("an unexpected boxed value")),
        }
    }

    fn leaf(&self, leaf: Leaf, outer: &Outer, base: u64) -> InterpResult<Val> {
        let kind = leaf_kind(leaf);
        let lens = outer.iter().map(|(n, _)| *n as usize);
        let mut area = ArrayBuilder::new(ElementRepr::Scalar(kind), lens, self.meter)?;
        let count = area.data.len();
        let (bytes, size) = (self.value.bytes(), leaf.size());
        let mut at = 0;
        let dims: Vec<(u64, u64)> = outer.clone();
        for_each_place(&dims, base, &mut |place| {
            if !self.value.is_written(place) {
                let uninit = area
                    .uninit
                    .get_or_insert_with(|| Box::new(UninitMask::none(count)));
                uninit.add(at, None);
            } else {
                let word = word_at(bytes, place, size);
                if let Leaf::Index(bound) = leaf {
                    let index = i64::from(i32::of(word));
                    if u64::try_from(index).is_ok_and(|index| index >= bound) || index < 0 {
                        let bound = bound as i64;
                        return Err(ErrorKind::OutOfRange { index, bound }.nowhere());
                    }
                }
                area.data.set_word(at, word);
            }
            at += 1;
            Ok(())
        })?;
        if outer.is_empty() {
            if area.uninit.is_some() {
                return Err(ErrorKind::Unwritten.nowhere());
            }
            return Ok(Val::Word(kind, area.data.word(0).unwrap_or_default()));
        }
        Ok(Val::Array(area.finish(self.meter)))
    }
}

fn for_each_place(
    outer: &[(u64, u64)],
    base: u64,
    visit: &mut dyn FnMut(u64) -> InterpResult<()>,
) -> InterpResult<()> {
    match outer.split_first() {
        None => visit(base),
        Some(((n, stride), inner)) => {
            (0..*n).try_for_each(|at| for_each_place(inner, base + at * stride, visit))
        }
    }
}

// ----- to C -----

/// Converts a value to the layout of C. Fails with the error of an element if its computation has
/// failed. Elements that were never written are marked so.
pub(crate) fn to_value(shape: &Shape, value: &Val, origin: Option<Origin>) -> InterpResult<Value> {
    let out = if has_holes(value) {
        Value::unwritten(shape.clone())
    } else {
        Value::zeros(shape.clone())
    };
    let mut writer = Writer {
        out: out.map_err(|error| ErrorKind::Shape(error).nowhere())?,
        origin: origin.unwrap_or(Origin(0)),
        masked: has_holes(value),
    };
    writer.write(shape, value, &mut Outer::new(), 0)?;
    Ok(writer.out)
}

fn has_holes(value: &Val) -> bool {
    match value {
        Val::Word(..) => false,
        Val::Array(col) => match &col.buf.data {
            Data::Boxed(values) => col.buf.uninit.is_some() || values.iter().any(has_holes),
            _ => col.buf.uninit.is_some(),
        },
        Val::Pair(pair) => has_holes(&pair.0) || has_holes(&pair.1),
        Val::Rows(rows) => rows.iter().any(has_holes),
        Val::DepPair(_, value) => has_holes(value),
        Val::Failed(_) => true,
    }
}

struct Writer {
    out: Value,
    origin: Origin,
    masked: bool,
}

impl Writer {
    fn write(
        &mut self,
        shape: &Shape,
        value: &Val,
        outer: &mut Outer,
        base: u64,
    ) -> InterpResult<()> {
        match (shape, value) {
            (Shape::Scalar(_) | Shape::Index(_), value) => {
                let leaf = shape
                    .as_leaf()
                    .ok_or_else(|| malformed("expected a scalar or vector, found another value"))?;
                self.leaf(leaf, value, outer, base)
            }
            (Shape::Vector(n, leaf), value) => {
                outer.push((u64::from(*n), leaf.size()));
                let written = self.leaf(*leaf, value, outer, base);
                outer.pop();
                written
            }
            (Shape::Array(n, element), value) => {
                outer.push((*n, element.size()));
                let written = self.write(element, value, outer, base);
                outer.pop();
                written
            }
            (Shape::Pair(a, b), Val::Pair(pair)) => {
                self.write(a, &pair.0, outer, base)?;
                self.write(b, &pair.1, outer, base + shape.second_offset())
            }
            (Shape::DepArray(rows), Val::Rows(values)) if outer.is_empty() => {
                if rows.shapes().len() != values.len() {
                    return Err(malformed(
                        "the length of a dependent array is not that of its type",
                    ));
                }
                let places = rows.shapes().iter().zip(rows.offsets());
                for ((row, offset), value) in places.zip(values.iter()) {
                    self.write(row, value, &mut Outer::new(), base + offset)?;
                }
                Ok(())
            }
            (Shape::DepPair(_, inner), Val::DepPair(n, value)) if outer.is_empty() => {
                let leaf = Leaf::Scalar(ScalarType::NatType);
                self.put(leaf, base, (*n as i32).word());
                let start = base + shape.second_offset();
                self.write(inner, value, &mut Outer::new(), start)
            }
            (Shape::DepArray(_), Val::Array(col)) => self.boxes(shape, col, outer.clone(), base),
            (_, Val::Failed(error)) => Err(Box::new((**error).clone())),
            _ => Err(malformed("a value does not have the shape of its type")),
        }
    }

    fn boxes(
        &mut self,
        shape: &Shape,
        col: &StridedArray,
        outer: Outer,
        base: u64,
    ) -> InterpResult<()> {
        let Some(((n, stride), inner)) = outer.split_first() else {
            return Err(malformed("expected a boxed value, found another value"));
        };
        for at in 0..*n {
            let element = Val::Array(col.clone()).element(at as usize, self.origin)?;
            let mut inner = inner.to_vec();
            self.write(shape, &element, &mut inner, base + at * stride)?;
        }
        Ok(())
    }

    fn put(&mut self, leaf: Leaf, at: u64, word: Word) {
        let size = leaf.size() as usize;
        let bytes = word.to_ne_bytes();
        let bytes = if cfg!(target_endian = "little") {
            &bytes[..size]
        } else {
            &bytes[8 - size..]
        };
        if self.masked {
            if let Some(scalar) = leaf.read(bytes) {
                self.out.set(at, scalar);
            }
        } else if let Some(place) = self
            .out
            .bytes_mut()
            .get_mut(at as usize..at as usize + size)
        {
            place.copy_from_slice(bytes);
        }
    }

    fn leaf(&mut self, leaf: Leaf, value: &Val, outer: &Outer, base: u64) -> InterpResult<()> {
        match value {
            Val::Word(_, word) if outer.is_empty() => {
                self.put(leaf, base, *word);
                Ok(())
            }
            Val::Array(col) => {
                let same = col.dims.len() == outer.len()
                    && (col.dims.iter().zip(outer)).all(|(dim, (n, _))| dim.len as u64 == *n);
                if !same {
                    return Err(malformed("an array does not have the sizes of its type"));
                }
                self.places(leaf, col, col.offset, &col.dims, outer, base)
            }
            Val::Failed(error) => Err(Box::new((**error).clone())),
            _ => Err(malformed("expected a scalar, found another value")),
        }
    }

    fn places(
        &mut self,
        leaf: Leaf,
        col: &StridedArray,
        from: usize,
        dims: &[Dim],
        outer: &[(u64, u64)],
        base: u64,
    ) -> InterpResult<()> {
        let (Some((dim, dims)), Some(((_, stride), outer))) =
            (dims.split_first(), outer.split_first())
        else {
            if let Some(uninit) = &col.buf.uninit
                && uninit.has(from)
            {
                return match uninit.failure(from) {
                    Some(failure) => Err(hole(Some(failure), self.origin)),
                    None => Ok(()),
                };
            }
            let word = col.word_at(from, self.origin)?;
            self.put(leaf, base, word);
            return Ok(());
        };
        for at in 0..dim.len {
            let (from, base) = (from + at * dim.stride, base + at as u64 * stride);
            self.places(leaf, col, from, dims, outer, base)?;
        }
        Ok(())
    }
}
