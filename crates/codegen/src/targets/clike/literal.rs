//! Prints constants, and evaluates them.

use crate::targets::{CDialect, Target};
use syntax::ast::{Literal, ScalarType};

use crate::ir::{Expr, ExprKind, Unary};

use super::{Prec, Printer};
use crate::error::Result;
use crate::ir::types::CType;
use crate::ir::types::Int;

/// Returns the value of an integer constant, or of a Boolean one as 0 or 1; `None` for floats.
pub(in crate::targets) fn int_value(literal: &Literal) -> Option<i128> {
    match literal {
        Literal::Int { value, .. } => Some(*value),
        Literal::Bool(value) => Some(i128::from(*value)),
        Literal::Float { .. } => None,
    }
}

/// Returns the value of a constant float, perhaps negated, or of a vector with this value in all
/// lanes; `None` for other expressions.
pub(in crate::targets) fn float_value(constant: &Expr) -> Option<f64> {
    match &constant.kind {
        ExprKind::Literal(Literal::Float { text, .. }) => text.parse().ok(),
        ExprKind::Literal(Literal::Int { value, suffix }) => suffix
            .filter(|suffix| Int::of(*suffix).is_none())
            .map(|_| *value as f64),
        ExprKind::Unary(Unary::Neg, value) => float_value(value).map(|value| -value),
        ExprKind::Broadcast(value) => float_value(value),
        _ => None,
    }
}

impl Printer<'_> {
    /// Writes a constant of a scalar type; 0 for other types.
    pub(in crate::targets) fn literal(&mut self, literal: &Literal, ty: &CType) -> Result<Prec> {
        let CType::Scalar(scalar) = ty else {
            self.write("0");
            return Ok(Prec::Postfix);
        };
        let text = match (scalar, literal) {
            (ScalarType::Bool, _) => {
                let value = int_value(literal) != Some(0);
                value.to_string()
            }
            (ScalarType::F32, _) => {
                let value = match literal {
                    Literal::Float { text, .. } => text.parse().unwrap_or(f32::NAN),
                    other => int_value(other).unwrap_or_default() as f32,
                };
                finite(value.is_finite(), || format!("{value:?}f"), value > 0.0)
            }
            (ScalarType::F16, _) => {
                let value: f64 = match literal {
                    Literal::Float { text, .. } => text.parse().unwrap_or(f64::NAN),
                    other => int_value(other).unwrap_or_default() as f64,
                };
                finite(value.is_finite(), || format!("{value:?}h"), value > 0.0)
            }
            (ScalarType::F64, _) => {
                let value = match literal {
                    Literal::Float { text, .. } => text.parse().unwrap_or(f64::NAN),
                    other => int_value(other).unwrap_or_default() as f64,
                };
                finite(value.is_finite(), || format!("{value:?}"), value > 0.0)
            }
            (scalar, _) => {
                let value = int_value(literal).unwrap_or_default();
                integer(value, *scalar, self.target)
            }
        };
        let prec = if text.starts_with('-') {
            Prec::Unary
        } else {
            Prec::Postfix
        };
        self.write(&text);
        Ok(prec)
    }
}

fn finite(is_finite: bool, text: impl FnOnce() -> String, positive: bool) -> String {
    match (is_finite, positive) {
        (true, _) => text(),
        (false, true) => "INFINITY".to_owned(),
        (false, false) => "-INFINITY".to_owned(),
    }
}

/// Returns the text of an integer constant that C parses at this type or one that is converted to
/// it.
pub(in crate::targets) fn integer(value: i128, scalar: ScalarType, target: Target) -> String {
    if target.dialect() == CDialect::OpenCl {
        return match scalar {
            ScalarType::I32 | ScalarType::NatType if value == i128::from(i32::MIN) => {
                "INT_MIN".to_owned()
            }
            ScalarType::I64 if value == i128::from(i64::MIN) => "LONG_MIN".to_owned(),
            ScalarType::I64 if value.unsigned_abs() > 1 << 31 => format!("{value}L"),
            ScalarType::U32 => format!("{value}u"),
            ScalarType::U64 => format!("{value}ul"),
            _ => value.to_string(),
        };
    }
    match scalar {
        // The text -2147483648 would be the negation of a number that does not fit.
        ScalarType::I32 | ScalarType::I64 if Some(value) == Int::of(scalar).map(Int::min) => {
            let bits = if scalar == ScalarType::I32 { 32 } else { 64 };
            format!("INT{bits}_MIN")
        }
        ScalarType::NatType if value == i128::from(i32::MIN) => "INT32_MIN".to_owned(),
        ScalarType::U32 => format!("{value}u"),
        // Operations on constants have their width.
        ScalarType::U64 => format!("{value}ull"),
        ScalarType::I64 if value.unsigned_abs() > 1 << 31 => format!("INT64_C({value})"),
        _ => value.to_string(),
    }
}
