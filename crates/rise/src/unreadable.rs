//! What inference knows of the mistake that makes a definition unreadable.

use syntax::ast::{BinaryOp, Item, ScalarType, TermId, TermKind};
use syntax::{Code, Diagnostic, Span, no_bits};

use crate::types::Type;
use crate::{BinderInfo, Inference, Target, TermInfo};

/// Adds to an error of syntax what only the types and names of the definition say: what a name of
/// another language is called, and that a sign stands between integers.
pub fn explain(error: &mut Diagnostic, item: &Item, inference: &Inference) {
    if let Some(sign) = sign_between_integers(error.span, item, inference) {
        *error = no_bits(sign, error.span);
        return;
    }
    let of_name = |said: &&Diagnostic| said.code == Code::UnknownName && said.span == error.span;
    if let Some(said) = inference.diagnostics.iter().find(of_name) {
        take_over(error, said);
    }
}

/// Takes over the help and the edits of what inference says of the name at the same place. An edit
/// that leaves the name as it is goes with the one that writes it as RISE does.
fn take_over(error: &mut Diagnostic, said: &Diagnostic) {
    let Some(help) = &said.help else {
        return;
    };
    error.help = Some(help.clone());
    let own = std::mem::take(&mut error.fixes);
    error.fixes = said.fixes.clone();
    for fix in &mut error.fixes {
        if fix.edits.iter().all(|(span, _)| *span != error.span) {
            fix.edits
                .extend(own.iter().take(1).flat_map(|own| own.edits.clone()));
        }
    }
}

/// Returns the sign at a place, if other languages have it for the bits of integers and one of its
/// operands is an integer.
fn sign_between_integers(place: Span, item: &Item, inference: &Inference) -> Option<&'static str> {
    if place.len() != 1 {
        return None;
    }
    item.terms.iter().find_map(|term| match term.kind {
        TermKind::Binary {
            op,
            op_span,
            lhs,
            rhs,
        } if op_span == place => {
            let sign = match op {
                BinaryOp::And => "&",
                BinaryOp::Pipe => "|",
                _ => return None,
            };
            has_integer(vec![lhs, rhs], item, inference).then_some(sign)
        }
        _ => None,
    })
}

/// So many parts of the operands of a sign are looked at.
const MOST_TERMS: usize = 100;

/// Returns true if one of the terms, or a number that it is computed from, is an integer.
fn has_integer(mut terms: Vec<TermId>, item: &Item, inference: &Inference) -> bool {
    for _ in 0..MOST_TERMS {
        let Some(term) = terms.pop() else {
            break;
        };
        match &item.term(term).kind {
            TermKind::Paren(inner) => terms.push(*inner),
            TermKind::Binary { op, lhs, rhs, .. } if op.is_arithmetic() => {
                terms.extend([*lhs, *rhs]);
            }
            _ => {}
        }
        if type_of(term, inference).is_some_and(is_integer) {
            return true;
        }
    }
    false
}

/// Returns the type of a term; of a name that of what binds it, which the place of the term does not
/// change.
fn type_of(term: TermId, inference: &Inference) -> Option<&Type> {
    let found = inference.uses.iter().find(|known| known.term == term);
    if let Some(Target::Binder(id)) = found.map(|found| found.target)
        && let Some(BinderInfo::Value(ty)) = inference.binders.get(id.0 as usize)
    {
        return Some(ty);
    }
    match inference.terms.get(term.0 as usize)? {
        TermInfo::Expr(ty) => Some(ty),
        _ => None,
    }
}

fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(scalar) if is_integral(*scalar))
}

fn is_integral(scalar: ScalarType) -> bool {
    use ScalarType::{Bool, F16, F32, F64};
    !matches!(scalar, Bool | F16 | F32 | F64)
}
