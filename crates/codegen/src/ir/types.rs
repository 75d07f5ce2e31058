//! Defines the C types of values, with their sizes and alignments, and the integer types among
//! them.

use super::Features;
use rise::core::Origin;
use rise::print::{nat_text, type_text};
use rise::{Names, Type};
use syntax::ast::ScalarType;

use crate::error::{self, Result};

/// The size in bytes of the widest vector register that is supported.
const WIDEST_REGISTER: u64 = 64;

/// The C type of a value without arrays.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CType {
    /// A scalar type: `bool`, `float`, `int32_t`, …; `int` for `natType` and indices.
    Scalar(ScalarType),
    /// A vector with this number of lanes.
    Vector(u32, ScalarType),
    /// A vector that fills a vector register of the machine for which the C text is compiled.
    Register(ScalarType),
    /// A struct with the members `_1` and `_2`.
    Pair(Box<CType>, Box<CType>),
}

impl CType {
    /// Returns the C type of a data type without arrays, for a target without `f16`.
    ///
    /// # Errors
    /// Fails if the type has no counterpart in C, as `f16` and arrays, or if the number of lanes of
    /// a vector is not a constant from 1 to 65536.
    pub fn of(ty: &Type, names: &Names, origin: Origin) -> Result<CType> {
        CType::of_target(ty, names, origin, Features::default())
    }

    /// Returns the C type of a data type without arrays, for a target with these features.
    ///
    /// # Errors
    /// Fails in the same cases as [`CType::of`], but accepts `f16` if the target has it.
    pub fn of_target(
        ty: &Type,
        names: &Names,
        origin: Origin,
        features: Features,
    ) -> Result<CType> {
        let scalar = |ty: &Type| match ty {
            Type::Scalar(ScalarType::F16) if !features.half_floats => Err(error::half(origin)),
            Type::Scalar(scalar) => Ok(*scalar),
            Type::Index(_) => Ok(ScalarType::NatType),
            other => Err(error::unstorable(&type_text(other, names), origin)),
        };
        Ok(match ty {
            Type::Vector(lanes, elem) => {
                let number = lanes.as_const().and_then(|n| u32::try_from(n).ok());
                let number = number.filter(|n| (1..=1 << 16).contains(n));
                let lanes = number.ok_or_else(|| error::lanes(&nat_text(lanes, names), origin))?;
                CType::Vector(lanes, scalar(elem)?)
            }
            Type::Pair(a, b) => CType::Pair(
                Box::new(CType::of_target(a, names, origin, features)?),
                Box::new(CType::of_target(b, names, origin, features)?),
            ),
            other => CType::Scalar(scalar(other)?),
        })
    }

    /// Returns a name for the type that can be a part of identifiers, such as `f32`, `int` or
    /// `i8x4`.
    pub fn short(&self) -> String {
        match self {
            CType::Scalar(ScalarType::NatType) => "int".to_owned(),
            CType::Scalar(scalar) => scalar.as_str().to_owned(),
            CType::Vector(lanes, ScalarType::NatType) => format!("intx{lanes}"),
            CType::Vector(lanes, scalar) => format!("{}x{lanes}", scalar.as_str()),
            CType::Register(scalar) => format!("{}xN", scalar.as_str()),
            CType::Pair(a, b) => format!("pair_{}_{}", a.short(), b.short()),
        }
    }

    /// Returns true if the type is a vector type that GCC and Clang have: a vector with a power of
    /// two of lanes that are not Booleans. Other vectors are structs with the member `data`.
    pub fn is_native_vector(&self) -> bool {
        match self {
            CType::Vector(lanes, scalar) => lanes.is_power_of_two() && *scalar != ScalarType::Bool,
            CType::Register(_) => true,
            CType::Scalar(_) | CType::Pair(..) => false,
        }
    }

    /// Returns the size in bytes; a vector that fills a register counts as one of the widest
    /// register.
    pub fn size(&self) -> u64 {
        match self {
            CType::Scalar(scalar) => scalar_size(*scalar),
            CType::Vector(lanes, scalar) => u64::from(*lanes) * scalar_size(*scalar),
            CType::Register(_) => WIDEST_REGISTER,
            CType::Pair(a, b) => {
                let second = a.size().next_multiple_of(b.align());
                (second + b.size()).next_multiple_of(self.align())
            }
        }
    }

    /// Returns the alignment in bytes; a native vector is aligned to its size.
    pub fn align(&self) -> u64 {
        match self {
            CType::Scalar(scalar) => scalar_size(*scalar),
            CType::Vector(..) | CType::Register(_) if self.is_native_vector() => self.size(),
            CType::Vector(_, scalar) | CType::Register(scalar) => scalar_size(*scalar),
            CType::Pair(a, b) => a.align().max(b.align()),
        }
    }

    /// Returns the type of a scalar or of the lanes of a vector; `None` for a tuple.
    pub fn scalar(&self) -> Option<ScalarType> {
        match self {
            CType::Scalar(scalar) | CType::Vector(_, scalar) | CType::Register(scalar) => {
                Some(*scalar)
            }
            CType::Pair(..) => None,
        }
    }
}

pub(crate) fn scalar_size(scalar: ScalarType) -> u64 {
    match scalar {
        ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
        ScalarType::I16 | ScalarType::U16 | ScalarType::F16 => 2,
        ScalarType::I32 | ScalarType::U32 | ScalarType::F32 | ScalarType::NatType => 4,
        ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
    }
}

/// An integer type: its width and signedness.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Int {
    pub bits: u32,
    pub signed: bool,
}

impl Int {
    /// Returns the width and signedness of a scalar type; `None` for Booleans and floating-point
    /// numbers.
    pub fn of(scalar: ScalarType) -> Option<Int> {
        let (bits, signed) = match scalar {
            ScalarType::I8 => (8, true),
            ScalarType::I16 => (16, true),
            ScalarType::I32 | ScalarType::NatType => (32, true),
            ScalarType::I64 => (64, true),
            ScalarType::U8 => (8, false),
            ScalarType::U16 => (16, false),
            ScalarType::U32 => (32, false),
            ScalarType::U64 => (64, false),
            ScalarType::Bool | ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => return None,
        };
        Some(Int { bits, signed })
    }

    /// Returns the smallest value of the type.
    pub fn min(self) -> i128 {
        if self.signed {
            -(1 << (self.bits - 1))
        } else {
            0
        }
    }

    /// Returns the largest value of the type.
    pub fn max(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    /// Returns the unsigned type in which arithmetic wraps around: 64 bits for 64-bit types and
    /// otherwise 32 bits, because C promotes smaller types to `int`.
    pub fn wrapping(self) -> ScalarType {
        if self.bits == 64 {
            ScalarType::U64
        } else {
            ScalarType::U32
        }
    }
}
