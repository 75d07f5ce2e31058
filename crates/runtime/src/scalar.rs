//! Scalars and their types.

use half::f16;
use std::fmt::{self, Display};
use syntax::ast::ScalarType;

/// The type of a leaf of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A scalar type.
    Scalar(ScalarType),
    /// The index type `Idx[n]` with this `n`.
    Index(u64),
}

/// A scalar. Values of type `natType` and of index types are 32 bits wide, as in the arrays of
/// generated code.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the variants are the scalar types")]
pub enum Scalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    F32(f32),
    F64(f64),
    Nat(i32),
    Index(i32),
}

impl Leaf {
    /// Returns the size in bytes, which also is the alignment.
    pub const fn size(self) -> u64 {
        match self {
            Leaf::Scalar(ty) => match ty {
                ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
                ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => 2,
                ScalarType::I32 | ScalarType::U32 | ScalarType::F32 | ScalarType::NatType => 4,
                ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
            },
            Leaf::Index(_) => 4,
        }
    }

    /// Reads a scalar from the first bytes of `bytes`; `None` if there are too few.
    pub fn read(self, bytes: &[u8]) -> Option<Scalar> {
        let Leaf::Scalar(ty) = self else {
            return Some(Scalar::Index(i32::from_ne_bytes(*bytes.first_chunk()?)));
        };
        Some(match ty {
            ScalarType::Bool => Scalar::Bool(*bytes.first()? != 0),
            ScalarType::I8 => Scalar::I8(i8::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::I16 => Scalar::I16(i16::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::I32 => Scalar::I32(i32::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::I64 => Scalar::I64(i64::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::U8 => Scalar::U8(u8::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::U16 => Scalar::U16(u16::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::U32 => Scalar::U32(u32::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::U64 => Scalar::U64(u64::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::F16 => Scalar::F16(f16::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::F32 => Scalar::F32(f32::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::F64 => Scalar::F64(f64::from_ne_bytes(*bytes.first_chunk()?)),
            ScalarType::NatType => Scalar::Nat(i32::from_ne_bytes(*bytes.first_chunk()?)),
        })
    }
}

impl Scalar {
    /// Returns the type of the scalar. The bound of an index is unknown, and replaced by
    /// `u64::MAX`.
    pub const fn leaf(self) -> Leaf {
        Leaf::Scalar(match self {
            Scalar::Bool(_) => ScalarType::Bool,
            Scalar::I8(_) => ScalarType::I8,
            Scalar::I16(_) => ScalarType::I16,
            Scalar::I32(_) => ScalarType::I32,
            Scalar::I64(_) => ScalarType::I64,
            Scalar::U8(_) => ScalarType::U8,
            Scalar::U16(_) => ScalarType::U16,
            Scalar::U32(_) => ScalarType::U32,
            Scalar::U64(_) => ScalarType::U64,
            Scalar::F16(_) => ScalarType::F16,
            Scalar::F32(_) => ScalarType::F32,
            Scalar::F64(_) => ScalarType::F64,
            Scalar::Nat(_) => ScalarType::NatType,
            Scalar::Index(_) => return Leaf::Index(u64::MAX),
        })
    }

    /// Returns the bytes of the scalar, padded with zeros to 8 bytes, and the number of bytes
    /// without the padding.
    pub fn bytes(self) -> ([u8; 8], usize) {
        fn wide<const N: usize>(bytes: [u8; N]) -> ([u8; 8], usize) {
            let mut out = [0; 8];
            out[..N].copy_from_slice(&bytes);
            (out, N)
        }
        match self {
            Scalar::Bool(value) => wide([u8::from(value)]),
            Scalar::I8(value) => wide(value.to_ne_bytes()),
            Scalar::I16(value) => wide(value.to_ne_bytes()),
            Scalar::I32(value) | Scalar::Nat(value) | Scalar::Index(value) => {
                wide(value.to_ne_bytes())
            }
            Scalar::I64(value) => wide(value.to_ne_bytes()),
            Scalar::U8(value) => wide(value.to_ne_bytes()),
            Scalar::U16(value) => wide(value.to_ne_bytes()),
            Scalar::U32(value) => wide(value.to_ne_bytes()),
            Scalar::U64(value) => wide(value.to_ne_bytes()),
            Scalar::F16(value) => wide(value.to_ne_bytes()),
            Scalar::F32(value) => wide(value.to_ne_bytes()),
            Scalar::F64(value) => wide(value.to_ne_bytes()),
        }
    }

    /// Converts to a floating-point number. 64-bit integers may lose their last digits.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::F16(value) => value.to_f64(),
            Scalar::F32(value) => f64::from(value),
            Scalar::F64(value) => value,
            Scalar::U64(value) => value as f64,
            Scalar::I64(value) => value as f64,
            other => other.as_integer().unwrap_or_default() as f64,
        }
    }

    /// Converts to an integer; `None` for floating-point numbers.
    pub fn as_integer(self) -> Option<i128> {
        Some(match self {
            Scalar::Bool(value) => i128::from(value),
            Scalar::I8(value) => i128::from(value),
            Scalar::I16(value) => i128::from(value),
            Scalar::I32(value) | Scalar::Nat(value) | Scalar::Index(value) => i128::from(value),
            Scalar::I64(value) => i128::from(value),
            Scalar::U8(value) => i128::from(value),
            Scalar::U16(value) => i128::from(value),
            Scalar::U32(value) => i128::from(value),
            Scalar::U64(value) => i128::from(value),
            Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => return None,
        })
    }
}

impl Display for Scalar {
    /// Formats the number or truth value without its type, as its `Debug` implementation in Rust
    /// does. An `f16` is formatted as the `f32` of the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::I8(value) => write!(f, "{value}"),
            Scalar::I16(value) => write!(f, "{value}"),
            Scalar::I32(value) | Scalar::Nat(value) | Scalar::Index(value) => write!(f, "{value}"),
            Scalar::I64(value) => write!(f, "{value}"),
            Scalar::U8(value) => write!(f, "{value}"),
            Scalar::U16(value) => write!(f, "{value}"),
            Scalar::U32(value) => write!(f, "{value}"),
            Scalar::U64(value) => write!(f, "{value}"),
            Scalar::F16(value) => write!(f, "{:?}", value.to_f32()),
            Scalar::F32(value) => write!(f, "{value:?}"),
            Scalar::F64(value) => write!(f, "{value:?}"),
        }
    }
}
