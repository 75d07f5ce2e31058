//! Gives types to the literals that rules get as arguments.

use rise::types::Type;
use syntax::ast::{Literal, Name, ScalarType};

use super::RuleArg;
use super::mismatch::{MismatchDetail, MismatchReason};
use super::pattern::{ParamSlot, Pattern};
use super::type_matching::TypeSubstitution;
use crate::term::{Store, Term};

/// Writes the literals among the arguments into the slots of their parameters, with the types of
/// the parameters. Fails if such a type is not determined or has no such literal.
pub(super) fn numbers(
    store: &mut Store,
    pattern: &Pattern,
    args: &[RuleArg],
    values: &TypeSubstitution,
    slots: &mut [Term],
) -> Result<(), MismatchReason> {
    for (param, ty) in &pattern.given_types {
        let param = usize::from(*param);
        let (Some(RuleArg::Literal(literal)), Some(Some(ParamSlot::Value(slot)))) =
            (args.get(param), pattern.params.get(param))
        else {
            continue;
        };
        let Some(ty) = values.ty(ty) else {
            return Err(MismatchDetail::Undetermined.into());
        };
        let Some(literal) = typed(literal, &ty) else {
            let found = ty;
            return Err(MismatchDetail::NotOf { found }.into());
        };
        let ty = store.intern_ty(&ty);
        slots[usize::from(*slot)] = store.literal(&literal, ty);
    }
    Ok(())
}

/// Returns the literal as a value of a scalar type or of the elements of a vector type; `None` for
/// other types, and if one of literal and type is a truth value and the other is not, or a
/// floating-point literal has an integer type. Ranges are not checked. Literals of floating-point
/// types get the suffix of the type.
fn typed(literal: &Literal, ty: &Type) -> Option<Literal> {
    use ScalarType::{Bool, F16, F32, F64};
    let scalar = match ty {
        Type::Vector(_, element) => &**element,
        ty => ty,
    };
    let Type::Scalar(scalar) = scalar else {
        return None;
    };
    let float = |text: Name| Literal::Float {
        text,
        suffix: Some(*scalar),
    };
    match (literal, scalar) {
        (Literal::Bool(_), Bool) => Some(literal.clone()),
        (Literal::Bool(_), _) | (_, Bool) => None,
        (Literal::Int { value, .. }, F16 | F32 | F64) => Some(float(format!("{value}.0").into())),
        (Literal::Float { text, .. }, F16 | F32 | F64) => Some(float(text.clone())),
        (Literal::Int { .. }, _) => Some(literal.clone()),
        (Literal::Float { .. }, _) => None,
    }
}
