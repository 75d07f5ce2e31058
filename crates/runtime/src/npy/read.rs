//! Reads `.npy` files.

use super::header::{Dtype, Field, Header};
use super::{NpyError, axes, elements};
use crate::literal::from_integer;
use crate::scalar::{Leaf, Scalar};
use crate::shape::Shape;
use crate::size_inference::UntypedShape;
use crate::value::Value;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use syntax::ast::ScalarType;

/// An open file whose header is read.
#[derive(Debug)]
pub struct Reader {
    header: Header,
    file: BufReader<File>,
    /// The length of the file in bytes.
    length: u64,
}

impl Reader {
    /// Opens a regular file and reads its header.
    pub fn open(path: &Path) -> Result<Reader, NpyError> {
        // Opening a FIFO blocks until there is a writer, and a device may have no end.
        if !path.metadata()?.is_file() {
            return Err(NpyError::NotRegular);
        }
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut file = BufReader::new(file);
        let header = Header::read(&mut file)?;
        Ok(Reader {
            header,
            file,
            length,
        })
    }

    /// Returns the lengths of the axes, including those of the fields if the elements have two
    /// fields.
    pub fn outline(&self) -> UntypedShape {
        outline(&self.header.axes, &self.header.dtype)
    }

    /// Reads a value of this shape. Fails if the type, the axes or the number of bytes in the file
    /// differ from those of the shape, or if an element is not a value of its type.
    pub fn read(mut self, shape: Shape) -> Result<Value, NpyError> {
        check(&shape, &self.header.axes, &self.header.dtype)?;
        let size = self
            .header
            .count()
            .and_then(|n| n.checked_mul(self.header.dtype.size()));
        let size = size.ok_or(NpyError::Overflow)?;
        let found = self.length.saturating_sub(self.header.start);
        if found != size {
            return Err(NpyError::Length {
                found,
                expected: size,
            });
        }
        let mut value = Value::zeros(shape.clone())?;
        if self.is_direct(&shape) {
            self.fill(value.bytes_mut())?;
            return Ok(value);
        }
        let mut bytes = Value::zeros(Shape::Array(size, Shape::Scalar(ScalarType::U8).into()))?;
        self.fill(bytes.bytes_mut())?;
        let decoder = Decoder {
            bytes: bytes.bytes(),
            fortran: self.header.fortran.then_some(&self.header.axes),
        };
        decoder.group(&shape, &self.header.dtype, 0, 0, None, &mut value)?;
        Ok(value)
    }

    /// Returns true if the bytes of the file are those of the value, without conversion or checks.
    fn is_direct(&self, shape: &Shape) -> bool {
        let one_order = !self.header.fortran || self.header.axes.len() < 2;
        let Ok((_, Some(Shape::Scalar(scalar)))) = axes(shape) else {
            return false;
        };
        one_order && !matches!(scalar, ScalarType::Bool | ScalarType::NatType)
    }

    /// Reads all elements, and fails if the file has fewer or more bytes than `bytes`.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), NpyError> {
        let expected = bytes.len() as u64;
        let mut found = 0;
        while found < bytes.len() {
            match self.file.read(&mut bytes[found..]) {
                Ok(0) => {
                    let found = found as u64;
                    return Err(NpyError::Length { found, expected });
                }
                Ok(more) => found += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.file.read(&mut [0])? > 0 {
            let found = expected + 1;
            return Err(NpyError::Length { found, expected });
        }
        Ok(())
    }
}

fn outline(axes: &[u64], dtype: &Dtype) -> UntypedShape {
    let inner = match dtype {
        Dtype::Record { fields, .. } => match &fields[..] {
            [one, other] => {
                let field = |field: &Field| Box::new(outline(&field.axes, &field.dtype));
                UntypedShape::Pair(field(one), field(other))
            }
            _ => UntypedShape::Leaf,
        },
        Dtype::Scalar(_) | Dtype::Padding(_) => UntypedShape::Leaf,
    };
    (axes.iter().rev()).fold(inner, |inner, n| UntypedShape::Joined(*n, Box::new(inner)))
}

/// Checks that the axes and the type of the file are those of a value of this shape.
fn check(shape: &Shape, found: &[u64], dtype: &Dtype) -> Result<(), NpyError> {
    let (expected, element) = axes(shape)?;
    if let Some(element) = &element {
        check_element(element, dtype)?;
    }
    if found != expected {
        return Err(NpyError::Axes {
            found: found.to_vec(),
            wanted: shape.to_string(),
            expected,
        });
    }
    Ok(())
}

fn check_element(element: &Shape, dtype: &Dtype) -> Result<(), NpyError> {
    let fits = match (element, dtype) {
        (Shape::Index(_) | Shape::Scalar(ScalarType::NatType), Dtype::Scalar(found)) => !matches!(
            found,
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64
        ),
        (Shape::Scalar(scalar), Dtype::Scalar(found)) => scalar == found,
        (Shape::Pair(first, second), Dtype::Record { fields, .. }) => match &fields[..] {
            [one, other] if one.name == "_1" && other.name == "_2" => {
                check(first, &one.axes, &one.dtype)?;
                check(second, &other.axes, &other.dtype)?;
                true
            }
            _ => false,
        },
        _ => false,
    };
    if fits {
        return Ok(());
    }
    Err(NpyError::Type {
        found: dtype.to_string(),
        wanted: element.to_string(),
        expected: super::write::dtype(element)?.to_string(),
    })
}

/// Returns the place of an element for messages.
type Place<'a> = dyn Fn() -> String + 'a;

struct Decoder<'a> {
    bytes: &'a [u8],
    /// The axes of the file, if it is in Fortran order.
    fortran: Option<&'a Vec<u64>>,
}

impl Decoder<'_> {
    /// Decodes the elements of an array, which start at the index `from` of `bytes`, and writes
    /// them to the value from the byte offset `to` on. If the array is a field of a record, `field`
    /// returns its place for messages; fields are always in C order.
    fn group(
        &self,
        shape: &Shape,
        dtype: &Dtype,
        from: u64,
        to: u64,
        field: Option<&Place<'_>>,
        value: &mut Value,
    ) -> Result<(), NpyError> {
        let mut index = 0u64;
        let fortran = self.fortran.filter(|_| field.is_none());
        let is_array = matches!(
            shape,
            Shape::Array(..) | Shape::Vector(..) | Shape::DepArray(_)
        );
        elements(shape, to, &mut |to, element| {
            let at = fortran.map_or(index, |axes| fortran_index(index, axes));
            let place = || match field {
                Some(field) if is_array => format!("element {index} of {}", field()),
                Some(field) => field(),
                None => format!("element {index}"),
            };
            self.element(element, dtype, from + at * dtype.size(), to, &place, value)?;
            index += 1;
            Ok(())
        })
    }

    fn element(
        &self,
        element: &Shape,
        dtype: &Dtype,
        from: u64,
        to: u64,
        place: &Place<'_>,
        value: &mut Value,
    ) -> Result<(), NpyError> {
        if let (Shape::Pair(first, second), Dtype::Record { fields, .. }) = (element, dtype) {
            if let [one, other] = &fields[..] {
                let middle = to + element.second_offset();
                let (start, end) = (from + one.offset, from + other.offset);
                let of = |field: &str| format!("`{field}` of {}", place());
                let (first_place, second_place) = (|| of(&one.name), || of(&other.name));
                self.group(first, &one.dtype, start, to, Some(&first_place), value)?;
                self.group(
                    second,
                    &other.dtype,
                    end,
                    middle,
                    Some(&second_place),
                    value,
                )?;
            }
            return Ok(());
        }
        let (Some(leaf), Dtype::Scalar(found)) = (element.as_leaf(), dtype) else {
            return Err(NpyError::Unsupported(element.to_string()));
        };
        let bytes = usize::try_from(from)
            .ok()
            .and_then(|from| self.bytes.get(from..));
        let scalar = bytes
            .and_then(|bytes| Leaf::Scalar(*found).read(bytes))
            .ok_or(NpyError::Overflow)?;
        let converted = convert(scalar, leaf).ok_or_else(|| NpyError::Range {
            place: place(),
            value: scalar.as_integer().unwrap_or_default(),
            ty: element.to_string(),
        })?;
        value.set(to, converted);
        Ok(())
    }
}

/// Converts an index in C order to one in Fortran order.
fn fortran_index(mut index: u64, axes: &[u64]) -> u64 {
    let (mut at, mut stride) = (0u64, axes.iter().product::<u64>());
    for axis in axes.iter().rev() {
        stride /= axis;
        at += index % axis * stride;
        index /= axis;
    }
    at
}

fn convert(scalar: Scalar, leaf: Leaf) -> Option<Scalar> {
    match leaf {
        Leaf::Index(bound) => {
            let value = scalar.as_integer()?;
            let inside = (0..i128::from(bound)).contains(&value);
            i32::try_from(value)
                .ok()
                .filter(|_| inside)
                .map(Scalar::Index)
        }
        Leaf::Scalar(ScalarType::NatType) => {
            from_integer(scalar.as_integer()?, ScalarType::NatType)
        }
        Leaf::Scalar(_) => Some(scalar),
    }
}
