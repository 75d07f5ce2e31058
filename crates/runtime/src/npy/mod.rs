//! Reads and writes `.npy` files, the array format of NumPy.
//!
//! `bool` is stored as `|b1`, and numbers as their own type. `Idx` and `natType` are written as
//! 32-bit integers, and read from any integer type, with range checks. Tuples are structured types
//! with the fields `_1` and `_2`, the lanes of vectors are the last axis, and the rows of dependent
//! arrays are concatenated. Dependent pairs cannot be stored. Both C order and Fortran order are
//! read. The size in a header is compared with the length of the file before memory is allocated.

mod header;
mod python;
mod read;
mod write;

pub use read::Reader;
pub use write::write;

use crate::scalar::Leaf;
use crate::shape::{Shape, ShapeError};
use std::io;
use syntax::ast::ScalarType;
use thiserror::Error;

/// An error in a file.
#[derive(Debug, Error)]
pub enum NpyError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is a FIFO, a device or a folder.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file has another format.
    #[error("this is not a .npy file")]
    NotNpy,
    /// The file has an unknown version of the format.
    #[error("this is version {0}.{1} of the .npy format; 1.0, 2.0 and 3.0 are known")]
    Version(u8, u8),
    /// The header is malformed.
    #[error("the header of the file is broken: {0}")]
    Header(&'static str),
    /// The numbers have the byte order of other machines.
    #[error("the elements have type `{0}`, with the bytes in the other order; save them as `{1}`")]
    ByteOrder(String, String),
    /// The elements are not numbers, truth values or tuples.
    #[error("the elements have type `{0}`, which RISE does not have")]
    Foreign(String),
    /// The elements have another type than expected.
    #[error("the elements have type `{found}`; `{wanted}` is `{expected}` in a file{}", hint(.expected))]
    Type {
        /// The type in the file.
        found: String,
        /// The RISE type.
        wanted: String,
        /// The expected type in the file.
        expected: String,
    },
    /// The axes differ from the expected ones.
    #[error("the file has shape {}, and `{wanted}` is {} in a file", axes_text(.found), axes_text(.expected))]
    Axes {
        /// The axes in the file.
        found: Vec<u64>,
        /// The RISE type.
        wanted: String,
        /// The expected axes.
        expected: Vec<u64>,
    },
    /// The number of bytes differs from that of the header.
    #[error("the file has {found} bytes of elements where its header announces {expected}")]
    Length {
        /// The number of bytes in the file.
        found: u64,
        /// The number of bytes by the header.
        expected: u64,
    },
    /// The size by the header overflows.
    #[error("the header announces more elements than can be counted")]
    Overflow,
    /// An element is not a value of its type.
    #[error("{place} is {value}, which is not a value of type `{ty}`")]
    Range {
        /// The place in the file, such as `element 3` or ``element 1 of `_2` of element 3``; the
        /// indices are those in C order, from 0.
        place: String,
        /// The value in the file.
        value: i128,
        /// The RISE type.
        ty: String,
    },
    /// Values of this type cannot be stored.
    #[error("a value of type `{0}` cannot be stored in a .npy file")]
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

/// Returns the axes of a value in a file, and the shape of its elements, which is `None` if there
/// are no rows that determine it.
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

/// Returns the axes and the shape of the elements of a dependent array with these rows. The rows
/// are concatenated along their first axis; equal rows that are not arrays form an axis. If rows
/// differ in inner axes, all axes are flattened to one. Fails if the elements of the rows then have
/// different shapes.
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

/// Calls `visit` with the offset and the shape of each element of nested arrays and vectors.
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

/// Returns the type of a leaf in a file.
fn stored(leaf: Leaf) -> ScalarType {
    match leaf {
        Leaf::Index(_) | Leaf::Scalar(ScalarType::NatType) => ScalarType::I32,
        Leaf::Scalar(scalar) => scalar,
    }
}

#[cfg(test)]
mod tests;
