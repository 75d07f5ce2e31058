//! The improvement of syntax errors of a definition by the results of its inference.

use syntax::ast::{BinaryOp, Item, TermId, TermKind};
use syntax::{Diagnostic, Span, no_bits};

use crate::codes;
use crate::types::Type;
use crate::{BinderInfo, Inference, Target, TermInfo};

/// Improves a syntax error by the results of inference. If its place is a `&` or `|` that has an
/// integer operand, it is replaced by an error about operations on bits. Otherwise the help and the
/// fixes of an error for an unknown name at the same place, if that has a help, replace its own.
pub fn explain(error: &mut Diagnostic, item: &Item, inference: &Inference) {
    if let Some(sign) = sign_between_integers(error.span, item, inference) {
        *error = no_bits(sign, error.span);
        return;
    }
    let of_name = |said: &&Diagnostic| said.code == codes::UNKNOWN_NAME && said.span == error.span;
    if let Some(said) = inference.diagnostics.iter().find(of_name) {
        take_over(error, said);
    }
}

/// Replaces the help and the fixes of a syntax error by those of the inference error `said` about
/// the name at the same place. A fix that does not edit the name also gets the edits of the first
/// fix of the syntax error. If `said` has no help, nothing changes.
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

/// Returns the operator at a place, `&` or `|`, if one of its operands is an integer.
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

/// The greatest number of subterms of an operator that are inspected.
const MOST_TERMS: usize = 100;

/// Returns true if one of the terms, or a number from which it is computed by arithmetic operators,
/// is an integer. Inspects at most [`MOST_TERMS`] terms.
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

/// Returns the type of an expression; for the name of a value parameter, that of its binder, which
/// does not depend on the context. Returns `None` for other terms.
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
    matches!(ty, Type::Scalar(scalar) if scalar.is_integer())
}
