//! Parses the headers of `.npy` files.

use super::NpyError;
use super::python::{self, Literal};
use crate::scalar::Leaf;
use std::fmt::{self, Display};
use std::io::Read;
use syntax::ast::ScalarType;

/// The largest length of a header in bytes. NumPy has a smaller limit by default.
const MAX_HEADER: usize = 1 << 20;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The header of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub dtype: Dtype,
    /// The length of each axis.
    pub axes: Vec<u64>,
    /// True if the elements are in Fortran order, in which the first axis is contiguous.
    pub fortran: bool,
    /// The offset of the elements in the file in bytes.
    pub start: u64,
}

/// The type of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// A number or boolean.
    Scalar(ScalarType),
    /// A structured type of this size in bytes.
    Record { fields: Vec<Field>, size: u64 },
    /// Padding of this size in bytes between fields.
    Padding(u64),
}

/// The scalar types in files, with their kinds and sizes in bytes.
const SCALARS: [(ScalarType, &str); 12] = [
    (ScalarType::Bool, "b1"),
    (ScalarType::I8, "i1"),
    (ScalarType::I16, "i2"),
    (ScalarType::I32, "i4"),
    (ScalarType::I64, "i8"),
    (ScalarType::U8, "u1"),
    (ScalarType::U16, "u2"),
    (ScalarType::U32, "u4"),
    (ScalarType::U64, "u8"),
    (ScalarType::F16, "f2"),
    (ScalarType::F32, "f4"),
    (ScalarType::F64, "f8"),
];
/// The byte order of this machine and the other one, as in type names.
const ORDERS: (char, char) = match cfg!(target_endian = "little") {
    true => ('<', '>'),
    false => ('>', '<'),
};

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// The offset in the record in bytes.
    pub offset: u64,
    /// The axes, if the field is an array.
    pub axes: Vec<u64>,
    pub dtype: Dtype,
}

impl Header {
    /// Reads a header. The next read returns the first element.
    pub fn read(reader: &mut impl Read) -> Result<Header, NpyError> {
        let mut start = [0; 8];
        exact(reader, &mut start, NpyError::NotNpy)?;
        let [magic @ .., major, minor] = start;
        if magic != *MAGIC {
            return Err(NpyError::NotNpy);
        }
        let broken = || NpyError::Header("the file ends within the header");
        let (length, before) = match (major, minor) {
            (1, 0) => {
                let mut length = [0; 2];
                exact(reader, &mut length, broken())?;
                (usize::from(u16::from_le_bytes(length)), 10)
            }
            (2 | 3, 0) => {
                let mut length = [0; 4];
                exact(reader, &mut length, broken())?;
                (u32::from_le_bytes(length) as usize, 12)
            }
            _ => return Err(NpyError::Version(major, minor)),
        };
        if length > MAX_HEADER {
            return Err(NpyError::Header("the header is longer than a megabyte"));
        }
        let mut text = vec![0; length];
        exact(reader, &mut text, broken())?;
        let Ok(text) = String::from_utf8(text) else {
            return Err(NpyError::Header("the header is not text"));
        };
        let mut header = parse(&text)?;
        header.start = before + length as u64;
        Ok(header)
    }

    /// Returns the number of elements; `None` if it overflows.
    pub fn count(&self) -> Option<u64> {
        product(&self.axes)
    }
}

/// Returns the product of axes, which is 0 if one of them is 0, even if the others overflow;
/// otherwise `None` if it overflows.
pub fn product(axes: &[u64]) -> Option<u64> {
    if axes.contains(&0) {
        return Some(0);
    }
    axes.iter().try_fold(1u64, |all, n| all.checked_mul(*n))
}

fn exact(reader: &mut impl Read, into: &mut [u8], short: NpyError) -> Result<(), NpyError> {
    reader.read_exact(into).map_err(|error| {
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            short
        } else {
            NpyError::Io(error)
        }
    })
}

fn parse(text: &str) -> Result<Header, NpyError> {
    let Some(Literal::Dict(entries)) = python::parse(text) else {
        return Err(NpyError::Header("the header is not a Python dictionary"));
    };
    let entry = |key: &str| {
        let found = entries
            .iter()
            .find(|(name, _)| matches!(name, Literal::Text(text) if text == key));
        found.map(|(_, value)| value)
    };
    let Some(Literal::Bool(fortran)) = entry("fortran_order") else {
        return Err(NpyError::Header(
            "`fortran_order` is missing, or is neither `True` nor `False`",
        ));
    };
    let axes = entry("shape").and_then(axes);
    let axes = axes.ok_or(NpyError::Header("`shape` is missing"))?;
    let descr = entry("descr").ok_or(NpyError::Header("`descr` is missing"))?;
    Ok(Header {
        dtype: dtype(descr)?,
        axes,
        fortran: *fortran,
        start: 0,
    })
}

fn axes(literal: &Literal) -> Option<Vec<u64>> {
    let number = |literal: &Literal| match literal {
        Literal::Number(number) => Some(*number),
        _ => None,
    };
    match literal {
        Literal::Many(all) => all.iter().map(number).collect(),
        // An integer is a shape with one axis, as in `('f', '<f4', 3)`.
        other => number(other).map(|only| vec![only]),
    }
}

fn dtype(literal: &Literal) -> Result<Dtype, NpyError> {
    match literal {
        Literal::Text(text) => scalar(text),
        Literal::Many(fields) => record(fields),
        _ => Err(NpyError::Header("`descr` is not a type")),
    }
}

fn scalar(text: &str) -> Result<Dtype, NpyError> {
    let foreign = || NpyError::Foreign(text.to_owned());
    let name = text.strip_prefix(['<', '>', '|', '=']);
    let name = name.ok_or_else(foreign)?;
    if let Some(size) = name.strip_prefix('V') {
        return size.parse().map(Dtype::Padding).map_err(|_| foreign());
    }
    let found = SCALARS.iter().find(|(_, known)| *known == name);
    let dtype = Dtype::Scalar(found.ok_or_else(foreign)?.0);
    if text.starts_with(ORDERS.1) && dtype.size() > 1 {
        return Err(NpyError::ByteOrder(text.to_owned(), dtype.to_string()));
    }
    Ok(dtype)
}

fn record(all: &[Literal]) -> Result<Dtype, NpyError> {
    const BROKEN: NpyError = NpyError::Header("`descr` has a field in a wrong format");
    let mut fields = Vec::new();
    let mut end = 0u64;
    for field in all {
        let Literal::Many(parts) = field else {
            return Err(BROKEN);
        };
        let (name, ty, axes) = match &parts[..] {
            [name, ty] => (name, ty, Vec::new()),
            [name, ty, axis] => (name, ty, axes(axis).ok_or(BROKEN)?),
            _ => return Err(BROKEN),
        };
        let name = match name {
            Literal::Text(name) => name,
            // A field may have a title: `(title, name)`.
            Literal::Many(both) => match &both[..] {
                [_, Literal::Text(name)] => name,
                _ => return Err(BROKEN),
            },
            _ => return Err(BROKEN),
        };
        let dtype = dtype(ty)?;
        let size = product(&axes).and_then(|count| count.checked_mul(dtype.size()));
        let size = size.ok_or(NpyError::Overflow)?;
        let offset = end;
        end = end.checked_add(size).ok_or(NpyError::Overflow)?;
        if !(name.is_empty() && matches!(dtype, Dtype::Padding(_))) {
            fields.push(Field {
                name: name.clone(),
                offset,
                axes,
                dtype,
            });
        }
    }
    Ok(Dtype::Record { fields, size: end })
}

impl Dtype {
    /// Returns the size of an element in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Dtype::Scalar(scalar) => Leaf::Scalar(*scalar).size(),
            Dtype::Record { size, .. } | Dtype::Padding(size) => *size,
        }
    }
}

impl Display for Dtype {
    /// Formats the type as NumPy does: `<f4`, `|b1`. Strings are only quoted inside of records.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dtype::Scalar(scalar) => {
                let order = if self.size() == 1 { '|' } else { ORDERS.0 };
                let found = SCALARS.iter().find(|(known, _)| known == scalar);
                write!(f, "{order}{}", found.map_or("", |(_, name)| name))
            }
            Dtype::Padding(size) => write!(f, "|V{size}"),
            Dtype::Record { fields, .. } => {
                f.write_str("[")?;
                for (at, field) in fields.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}('{}', ", field.name)?;
                    match &field.dtype {
                        record @ Dtype::Record { .. } => write!(f, "{record}")?,
                        other => write!(f, "'{other}'")?,
                    }
                    if !field.axes.is_empty() {
                        write!(f, ", {}", super::axes_text(&field.axes))?;
                    }
                    f.write_str(")")?;
                }
                f.write_str("]")
            }
        }
    }
}
