//! Writes `.npy` files.

use super::header::{Dtype, Field, product};
use super::{NpyError, axes, axes_text, stored};
use crate::scalar::Leaf;
use crate::shape::Shape;
use crate::value::Value;
use std::io::Write;
use syntax::ast::ScalarType;

/// The alignment of the elements in bytes.
const ALIGN: usize = 64;

/// Writes a value. Elements that were never written are stored with their current bytes (zeros,
/// from the interpreter), because the format cannot represent missing elements.
pub fn write(value: &Value, out: &mut impl Write) -> Result<(), NpyError> {
    let shape = value.shape();
    let (axes, element) = axes(shape)?;
    let dtype = dtype(&element.unwrap_or(Shape::Scalar(ScalarType::U8)))?;
    out.write_all(&header(&axes, &dtype))?;
    let packed = product(&axes).and_then(|count| count.checked_mul(dtype.size()));
    if packed == Some(shape.size()) {
        out.write_all(value.bytes())?;
        return Ok(());
    }
    shape.for_each_leaf(&mut |offset, leaf: Leaf| {
        let Some(scalar) = value.get(offset, leaf) else {
            return Ok(());
        };
        let (bytes, size) = scalar.bytes();
        out.write_all(&bytes[..size]).map_err(NpyError::Io)
    })
}

fn header(axes: &[u64], dtype: &Dtype) -> Vec<u8> {
    let descr = match dtype {
        Dtype::Record { .. } => dtype.to_string(),
        plain => format!("'{plain}'"),
    };
    let axes = axes_text(axes);
    let mut text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {axes}, }}");
    // The length field of version 1 has 16 bits.
    let before = if text.len() + ALIGN < 1 << 16 { 10 } else { 12 };
    let length = (before + text.len() + 1).next_multiple_of(ALIGN) - before;
    text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
    text.push('\n');
    let mut out = b"\x93NUMPY".to_vec();
    if before == 10 {
        out.extend([1, 0]);
        out.extend((length as u16).to_le_bytes());
    } else {
        out.extend([2, 0]);
        out.extend((length as u32).to_le_bytes());
    }
    out.extend(text.as_bytes());
    out
}

/// Returns the type of an array's elements in a file.
pub(super) fn dtype(element: &Shape) -> Result<Dtype, NpyError> {
    let field = |name: &str, offset: u64, shape: &Shape| -> Result<(Field, u64), NpyError> {
        let (axes, element) = axes(shape)?;
        let dtype = dtype(&element.unwrap_or(Shape::Scalar(ScalarType::U8)))?;
        let size = product(&axes).and_then(|count| count.checked_mul(dtype.size()));
        let end = size
            .and_then(|size| offset.checked_add(size))
            .ok_or(NpyError::Overflow)?;
        let name = name.to_owned();
        Ok((
            Field {
                name,
                offset,
                axes,
                dtype,
            },
            end,
        ))
    };
    if let Shape::Pair(first, second) = element {
        let (one, end) = field("_1", 0, first)?;
        let (other, size) = field("_2", end, second)?;
        let fields = vec![one, other];
        return Ok(Dtype::Record { fields, size });
    }
    let leaf = element.as_leaf();
    leaf.map(|leaf| Dtype::Scalar(stored(leaf)))
        .ok_or_else(|| NpyError::Unsupported(element.to_string()))
}
