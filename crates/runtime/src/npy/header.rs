//! Parses the headers of `.npy` files.

use super::NpyError;
use super::python::{self, Literal};
use std::fmt::{self, Display};
use std::io::Read;

/// The largest length of a header in bytes. NumPy rejects longer ones by default, too.
const MAX_HEADER: usize = 1 << 20;
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The header of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The type of the elements.
    pub dtype: Dtype,
    /// The length of each axis.
    pub axes: Vec<u64>,
    /// True if the elements are in Fortran order, in which the first axis is contiguous.
    pub fortran: bool,
    /// The offset of the elements in the file.
    pub start: u64,
}

/// The type of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// A number or truth value.
    Plain(Plain),
    /// A structured type.
    Record {
        /// The named fields.
        fields: Vec<Field>,
        /// The size of a record in bytes.
        size: u64,
    },
    /// Padding of this size between fields.
    Padding(u64),
}

/// A number or truth value, such as `f` with 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    /// The kind: `b`, `i`, `u` or `f`.
    pub kind: u8,
    /// The size in bytes: 1, 2, 4 or 8.
    pub size: u64,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The offset in the record.
    pub offset: u64,
    /// The axes, if the field is an array.
    pub axes: Vec<u64>,
    /// The type of its elements.
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
        let broken = || NpyError::Header("it ends early");
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
            return Err(NpyError::Header("it is longer than a megabyte"));
        }
        let mut text = vec![0; length];
        exact(reader, &mut text, broken())?;
        let Ok(text) = String::from_utf8(text) else {
            return Err(NpyError::Header("it is not text"));
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

/// Returns the product of axes, which is 0 if one of them is 0, even if the others overflow.
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
        return Err(NpyError::Header("it is not a dictionary of Python"));
    };
    let entry = |key: &str| {
        let found = entries
            .iter()
            .find(|(name, _)| matches!(name, Literal::Text(text) if text == key));
        found.map(|(_, value)| value)
    };
    let Some(Literal::Bool(fortran)) = entry("fortran_order") else {
        return Err(NpyError::Header("`fortran_order` is missing"));
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
        Literal::Text(text) => plain(text),
        Literal::Many(fields) => record(fields),
        _ => Err(NpyError::Header("`descr` is not a type")),
    }
}

fn plain(text: &str) -> Result<Dtype, NpyError> {
    let foreign = || NpyError::Foreign(text.to_owned());
    let mut chars = text.chars();
    let (Some(order @ ('<' | '>' | '|' | '=')), Some(kind)) = (chars.next(), chars.next()) else {
        return Err(foreign());
    };
    let size: u64 = chars.as_str().parse().map_err(|_| foreign())?;
    if kind == 'V' {
        return Ok(Dtype::Padding(size));
    }
    let plain = match (kind, size) {
        ('b', 1) => Plain { kind: b'b', size },
        ('i', 1 | 2 | 4 | 8) => Plain { kind: b'i', size },
        ('u', 1 | 2 | 4 | 8) => Plain { kind: b'u', size },
        ('f', 2 | 4 | 8) => Plain { kind: b'f', size },
        _ => return Err(foreign()),
    };
    let other = if cfg!(target_endian = "little") {
        '>'
    } else {
        '<'
    };
    if order == other && size > 1 {
        return Err(NpyError::ByteOrder(text.to_owned(), plain.to_string()));
    }
    Ok(Dtype::Plain(plain))
}

fn record(all: &[Literal]) -> Result<Dtype, NpyError> {
    const BROKEN: NpyError = NpyError::Header("`descr` has a field that is none");
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
            Dtype::Plain(plain) => plain.size,
            Dtype::Record { size, .. } | Dtype::Padding(size) => *size,
        }
    }
}

impl Display for Plain {
    /// Formats the type as NumPy does: `<f4`, `|b1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.size {
            1 => '|',
            _ if cfg!(target_endian = "little") => '<',
            _ => '>',
        };
        write!(f, "{order}{}{}", char::from(self.kind), self.size)
    }
}

impl Display for Dtype {
    /// Formats the type as Python does. Strings are only quoted inside of records.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dtype::Plain(plain) => write!(f, "{plain}"),
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
