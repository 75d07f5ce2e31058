//! `.npy` files: arrays as NumPy stores them.
//!
//! `bool` is `|b1`; numbers have their own type; `Idx` and `natType` are any integers, checked to
//! be in range; tuples are structured types with the fields `_1` and `_2`; vectors are the last
//! axis; dependent arrays have their elements joined. Both orders of axes are read. Nothing that
//! a file says is believed before its length has been looked at.

mod header;
mod python;
mod read;
mod write;

pub use header::{Dtype, Field, Header, Plain};
pub use read::Reader;
pub use write::write;

use crate::scalar::Leaf;
use crate::shape::{Shape, ShapeError};
use std::io;
use thiserror::Error;

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum NpyError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is a FIFO, a device or a folder.
    #[error("it is not a regular file")]
    NotRegular,
    /// It is something else.
    #[error("this is not a .npy file")]
    NotNpy,
    /// The format has another version.
    #[error("this is version {0}.{1} of the .npy format; 1.0, 2.0 and 3.0 are known")]
    Version(u8, u8),
    /// The header cannot be understood.
    #[error("the header of the file is broken: {0}")]
    Header(&'static str),
    /// Numbers stand in the order of other machines.
    #[error("the elements have type `{0}`, with the bytes in the other order; save them as `{1}`")]
    ByteOrder(String, String),
    /// The elements are no numbers, truth values or tuples.
    #[error("the elements have type `{0}`, which RISE does not have")]
    Foreign(String),
    /// The elements are of another type.
    #[error("the elements have type `{found}`; `{wanted}` is `{expected}` in a file{}", hint(.expected))]
    Type {
        /// As the file has it.
        found: String,
        /// The RISE type.
        wanted: String,
        /// As the file should have it.
        expected: String,
    },
    /// The axes are others.
    #[error("the file has shape {}, and `{wanted}` is {} in a file", axes_text(.found), axes_text(.expected))]
    Axes {
        /// As the file has it.
        found: Vec<u64>,
        /// The RISE type.
        wanted: String,
        /// As the file should have it.
        expected: Vec<u64>,
    },
    /// There are too few or too many bytes.
    #[error("the file has {found} bytes of elements where its header announces {expected}")]
    Length {
        /// So many there are.
        found: u64,
        /// So many there should be.
        expected: u64,
    },
    /// More is announced than can be.
    #[error("the header announces more elements than can be")]
    Overflow,
    /// An element is not of its type.
    #[error("element {index} is {value}, which is not a value of type `{ty}`")]
    Range {
        /// Which one, counted from 0 in the order of the file's rows.
        index: u64,
        /// What it is.
        value: i128,
        /// The RISE type.
        ty: String,
    },
    /// Values of this type are not stored.
    #[error("`{0}` has no form in a .npy file")]
    Unsupported(String),
    /// The value does not fit into memory.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

fn hint(expected: &str) -> String {
    if expected.contains(['[', ' ']) {
        String::new()
    } else {
        format!("; in NumPy, `.astype('{expected}')` converts them")
    }
}

fn axes_text(axes: &[u64]) -> String {
    match axes {
        [only] => format!("({only},)"),
        _ => {
            let all: Vec<String> = axes.iter().map(u64::to_string).collect();
            format!("({})", all.join(", "))
        }
    }
}

/// The axes of a value in a file, and the shape of its elements, which is none if there are no
/// elements to know it from.
fn axes(shape: &Shape) -> Result<(Vec<u64>, Option<Shape>), NpyError> {
    match shape {
        Shape::Array(n, element) => {
            let (mut all, element) = axes(element)?;
            all.insert(0, *n);
            Ok((all, element))
        }
        Shape::Vector(n, leaf) => Ok((vec![u64::from(*n)], Some(Shape::leaf(*leaf)))),
        Shape::DepArray(rows) => joined(shape, rows.shapes()),
        Shape::DepPair(..) => Err(NpyError::Unsupported(shape.to_string())),
        element => Ok((Vec::new(), Some(element.clone()))),
    }
}

/// Rows of one length are an axis; others are joined, all axes in one if they differ further in.
fn joined(shape: &Shape, rows: &[Shape]) -> Result<(Vec<u64>, Option<Shape>), NpyError> {
    let count = rows.len() as u64;
    let Some((first, rest)) = rows.split_first() else {
        return Ok((vec![0], None));
    };
    let row_elements = |row: &Shape| match row {
        Shape::Array(n, element) => Some((*n, element.clone())),
        _ => None,
    };
    let uneven: Option<Vec<_>> = rows.iter().map(row_elements).collect();
    if let Some(uneven) = uneven {
        let (_, element) = &uneven[0];
        if uneven.iter().all(|(_, other)| other == element) {
            let (mut all, element) = axes(element)?;
            all.insert(0, uneven.iter().map(|(n, _)| n).sum());
            return Ok((all, element));
        }
    } else if rest.iter().all(|row| row == first) {
        let (mut all, element) = axes(first)?;
        all.insert(0, count);
        return Ok((all, element));
    }
    let mut element = None;
    for row in rows {
        let (_, of_row) = axes(row)?;
        if of_row.is_some() && element.is_some() && element != of_row {
            return Err(NpyError::Unsupported(shape.to_string()));
        }
        element = element.or(of_row);
    }
    let mut total = 0;
    elements(shape, 0, &mut |_, _| {
        total += 1;
        Ok(())
    })?;
    Ok((vec![total], element))
}

/// Calls `visit` with the offset and the shape of each element, through all arrays and vectors.
fn elements(
    shape: &Shape,
    offset: u64,
    visit: &mut dyn FnMut(u64, &Shape) -> Result<(), NpyError>,
) -> Result<(), NpyError> {
    match shape {
        Shape::Array(n, element) => {
            let stride = element.size();
            (0..*n).try_for_each(|at| elements(element, offset + at * stride, visit))
        }
        Shape::Vector(n, leaf) => {
            let lane = Shape::leaf(*leaf);
            (0..u64::from(*n)).try_for_each(|at| visit(offset + at * leaf.size(), &lane))
        }
        Shape::DepArray(rows) => (rows.shapes().iter().zip(rows.offsets()))
            .try_for_each(|(row, at)| elements(row, offset + at, visit)),
        element => visit(offset, element),
    }
}

/// What a place is in a file: `<f4`.
fn plain(leaf: Leaf) -> Plain {
    use syntax::ast::ScalarType as S;
    let (kind, size) = match leaf {
        Leaf::Index(_) => (b'i', 4),
        Leaf::Scalar(scalar) => match scalar {
            S::Bool => (b'b', 1),
            S::I8 => (b'i', 1),
            S::I16 => (b'i', 2),
            S::I32 | S::NatType => (b'i', 4),
            S::I64 => (b'i', 8),
            S::U8 => (b'u', 1),
            S::U16 => (b'u', 2),
            S::U32 => (b'u', 4),
            S::U64 => (b'u', 8),
            S::F16 => (b'f', 2),
            S::F32 => (b'f', 4),
            S::F64 => (b'f', 8),
        },
    };
    Plain { kind, size }
}

#[cfg(test)]
mod tests;
