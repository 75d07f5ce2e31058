//! Determines the names of types in the text of a target.

use syntax::ast::ScalarType;

use crate::ir::types::CType;
use crate::targets::{CDialect, Target};

impl CType {
    /// Returns the name of the type in the text of a target.
    pub(in crate::targets) fn name(&self, target: Target) -> String {
        match self {
            CType::Scalar(scalar) => target.scalar_name(*scalar).to_owned(),
            CType::Vector(lanes, scalar)
                if target.dialect() == CDialect::OpenCl && self.is_native(target) =>
            {
                format!("{}{lanes}", target.scalar_name(*scalar))
            }
            _ => self.short(),
        }
    }

    /// Returns true if the type is a native vector type of the target; other vectors are structs
    /// with the member `data`.
    pub(in crate::targets) fn is_native(&self, target: Target) -> bool {
        match self {
            CType::Vector(lanes, _) if target.dialect() == CDialect::OpenCl => {
                self.is_native_vector() && (2..=16).contains(lanes)
            }
            _ => self.is_native_vector(),
        }
    }
}

/// Returns the name in C of a scalar type for values in memory. A Boolean is a byte, because
/// compilers do not vectorise loops over arrays of `bool`.
pub(in crate::targets) fn scalar_name(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::Bool | ScalarType::U8 => "uint8_t",
        ScalarType::I8 => "int8_t",
        ScalarType::I16 => "int16_t",
        ScalarType::I32 => "int32_t",
        ScalarType::I64 => "int64_t",
        ScalarType::U16 => "uint16_t",
        ScalarType::U32 => "uint32_t",
        ScalarType::U64 => "uint64_t",
        ScalarType::F16 => "_Float16",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
        ScalarType::NatType => "int",
    }
}
