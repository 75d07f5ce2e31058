//! Printing of numbers and truth values.

use syntax::ast::{Literal, ScalarType};

use super::Printer;
use super::term::Precedence;
use crate::core::Language;
use crate::types::Type;

impl<P: Language> Printer<P> {
    pub(super) fn literal(
        &mut self,
        literal: &Literal,
        ty: &crate::Ty,
        wanted: bool,
        place: Precedence,
    ) {
        let data = match &**ty {
            Type::Exp(data, _) => data,
            _ => ty,
        };
        let (text, says) = match (literal, &**data) {
            (Literal::Bool(value), _) => (value.to_string(), true),
            (literal, Type::Scalar(scalar)) => scalar_text(literal, *scalar, wanted),
            (Literal::Int { value, .. }, _) => (value.to_string(), wanted),
            (Literal::Float { text, .. }, _) => (text.to_string(), wanted),
        };
        if !says {
            self.out.push('(');
            self.out.push_str(&text);
            self.ascription(ty);
            return;
        }
        let negative = text.starts_with('-') && place >= Precedence::UNARY;
        self.parens(negative, |this| this.out.push_str(&text));
    }
}

/// Returns the text of a literal, and true if its scalar type is determined by the text, or by the
/// context, as `wanted` says.
fn scalar_text(literal: &Literal, scalar: ScalarType, wanted: bool) -> (String, bool) {
    let suffix = match scalar {
        ScalarType::F32 => "f",
        other => other.as_str(),
    };
    match (literal, scalar) {
        (literal, scalar) if scalar.is_float() => {
            let digits = match literal {
                Literal::Int { value, .. } => format!("{value}.0"),
                Literal::Float { text, .. } => with_point(text),
                Literal::Bool(value) => value.to_string(),
            };
            (format!("{digits}{suffix}"), true)
        }
        (Literal::Int { value, .. }, _) if wanted => (value.to_string(), true),
        (Literal::Int { value, .. }, _) => (format!("{value}{suffix}"), true),
        (Literal::Float { text, .. }, _) => (text.to_string(), wanted),
        (Literal::Bool(value), _) => (value.to_string(), true),
    }
}

/// Adds `.0` to the text of a float that has neither a point nor an exponent, so that a suffix does
/// not change the number.
fn with_point(text: &str) -> String {
    if text.contains(['.', 'e', 'E']) {
        text.to_owned()
    } else {
        format!("{text}.0")
    }
}
