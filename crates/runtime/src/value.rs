//! Values: a shape, and the bytes in the layout of C.

use crate::scalar::{Leaf, Scalar};
use crate::shape::{Shape, ShapeError};

/// A value in the layout of C.
#[derive(Clone, Debug)]
pub struct Value {
    shape: Shape,
    bytes: Vec<u8>,
    /// A bit for each byte, which is set if the byte was never written; `None` if all bytes are
    /// written.
    unwritten: Option<Vec<u64>>,
}

impl Value {
    /// Creates a value whose bytes are 0 and count as written.
    pub fn zeros(shape: Shape) -> Result<Value, ShapeError> {
        let size = shape.size();
        let mut bytes = Vec::new();
        let length = usize::try_from(size).map_err(|_| ShapeError::NoMemory(size))?;
        (bytes.try_reserve_exact(length)).map_err(|_| ShapeError::NoMemory(size))?;
        bytes.resize(length, 0);
        Ok(Value {
            shape,
            bytes,
            unwritten: None,
        })
    }

    /// Creates a value none of whose bytes is written yet. [`Value::set`] writes them.
    pub fn unwritten(shape: Shape) -> Result<Value, ShapeError> {
        let mut value = Value::zeros(shape)?;
        value.unwritten = Some(vec![u64::MAX; value.bytes.len().div_ceil(64)]);
        Ok(value)
    }

    /// Creates a value with these bytes; `None` if their number does not match the shape.
    pub fn from_bytes(shape: Shape, bytes: Vec<u8>) -> Option<Value> {
        (shape.size() == bytes.len() as u64).then_some(Value {
            shape,
            bytes,
            unwritten: None,
        })
    }

    /// Creates a value of this shape from a scalar, whose bytes are written at offset 0.
    pub fn scalar(shape: Shape, scalar: Scalar) -> Result<Value, ShapeError> {
        let mut value = Value::zeros(shape)?;
        value.set(0, scalar);
        Ok(value)
    }

    /// Returns the shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes for writing a result; all of them count as written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.unwritten = None;
        &mut self.bytes
    }

    /// Returns the values of the outputs of [`Shape::outputs`].
    pub fn outputs(&self, count: usize) -> Option<Vec<Value>> {
        let part = |(at, shape): (u64, &Shape)| {
            let mut part = Value::zeros(shape.clone()).ok()?;
            let (from, size) = (usize::try_from(at).ok()?, part.bytes.len());
            part.bytes
                .copy_from_slice(self.bytes.get(from..from + size)?);
            Some(part)
        };
        self.shape.outputs(count)?.into_iter().map(part).collect()
    }

    /// Reads a scalar of type `leaf` at an offset in bytes; `None` if it does not end within the
    /// value.
    pub fn get(&self, offset: u64, leaf: Leaf) -> Option<Scalar> {
        leaf.read(self.bytes.get(usize::try_from(offset).ok()?..)?)
    }

    /// Writes a scalar at an offset in bytes. Does nothing if the scalar does not end within the
    /// value.
    pub fn set(&mut self, offset: u64, scalar: Scalar) {
        let (bytes, size) = scalar.bytes();
        let Ok(start) = usize::try_from(offset) else {
            return;
        };
        let Some(place) = self.bytes.get_mut(start..start + size) else {
            return;
        };
        place.copy_from_slice(&bytes[..size]);
        if let Some(mask) = &mut self.unwritten {
            for at in start..start + size {
                mask[at / 64] &= !(1 << (at % 64));
            }
        }
    }

    /// Returns true if the byte at `offset` is written.
    pub fn is_written(&self, offset: u64) -> bool {
        let Some(mask) = &self.unwritten else {
            return true;
        };
        let word = usize::try_from(offset / 64)
            .ok()
            .and_then(|at| mask.get(at));
        word.is_none_or(|word| word >> (offset % 64) & 1 == 0)
    }

    /// Writes the sizes of dependent pairs, which are part of the shape.
    pub(crate) fn restore_sizes(&mut self) {
        let mut found = Vec::new();
        dependent_pairs(&self.shape, 0, &mut found);
        for (offset, size) in found {
            self.set(offset, Scalar::Nat(size as i32));
        }
    }
}

/// Collects the offsets of dependent pairs in bytes, and their sizes.
fn dependent_pairs(shape: &Shape, offset: u64, found: &mut Vec<(u64, u64)>) {
    match shape {
        Shape::Scalar(_) | Shape::Index(_) | Shape::Vector(..) => {}
        Shape::Array(n, element) => {
            let before = found.len();
            if *n > 0 {
                dependent_pairs(element, offset, found);
            }
            if found.len() > before {
                for at in 1..*n {
                    dependent_pairs(element, offset + at * element.size(), found);
                }
            }
        }
        Shape::DepArray(rows) => {
            for (row, start) in rows.shapes().iter().zip(rows.offsets()) {
                dependent_pairs(row, offset + start, found);
            }
        }
        Shape::Pair(first, second) => {
            dependent_pairs(first, offset, found);
            dependent_pairs(second, offset + shape.second_offset(), found);
        }
        Shape::DepPair(size, value) => {
            found.push((offset, *size));
            dependent_pairs(value, offset + shape.second_offset(), found);
        }
    }
}
