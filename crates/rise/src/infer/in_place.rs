//! The check that the result of a definition begins with the new values of the parameters that are
//! updated in place.

use syntax::Diagnostic;
use syntax::ast::ItemKind;

use super::Infer;
use crate::codes;
use crate::print::type_text;
use crate::types::{NotInPlace, Ty, Type, in_place_components};

impl Infer<'_> {
    /// Reports the first component of the result that is not the new value of its parameter. `ty`
    /// is the type of the definition, with all solutions.
    pub(super) fn check_in_place(&mut self, ty: &Ty) {
        let updated = self.item.updated_parameters();
        if updated.is_empty() || self.failed() {
            return;
        }
        let params = self.item.value_parameters();
        let (mut marked, mut types) = (Vec::new(), Vec::new());
        let mut rest = without_sizes(ty);
        for param in params {
            let Type::Fun(taken, result) = &**rest else {
                return;
            };
            if let Some(found) = updated.iter().find(|(name, _)| *name == param) {
                marked.push(*found);
                types.push(data(taken));
            }
            rest = without_sizes(result);
        }
        if matches!(**rest, Type::Comm) {
            return;
        }
        let result = data(rest);
        let Err(NotInPlace { param, found }) = in_place_components(&result, &types) else {
            return;
        };
        let names = self.all_names();
        let text = |ty: &Ty| format!("`{}`", type_text(ty, &names));
        let (name, place) = marked[param];
        let expected = text(&types[param]);
        let which = match (&*result, param) {
            (Type::Pair(..), 0) => "the first component of the result".to_owned(),
            (Type::Pair(..), _) => format!("component {} of the result", param + 1),
            _ => "the result".to_owned(),
        };
        let found = match &found {
            Some(found) => format!("found {}", text(found)),
            None => "the result ends before it".to_owned(),
        };
        let message = format!(
            "{which} is the new value of `{name}`, which is `inout`: expected {expected}, {found}"
        );
        let at = match &self.item.kind {
            ItemKind::Def {
                head: Some(head), ..
            } => head.result.unwrap_or(head.value),
            ItemKind::Def { ty, body, .. } => ty.unwrap_or(*body),
            _ => return,
        };
        let at = self.item.term(at).span;
        let error = Diagnostic::error(codes::TYPE_MISMATCH, at, message)
            .related(place, "this parameter is updated in place")
            .help(
                "the first components of the result are the new values of the `inout` parameters, \
                 in their order",
            );
        self.diagnostics.push(error);
    }
}

/// Returns the type under its parameters that are sizes or types.
fn without_sizes(mut ty: &Ty) -> &Ty {
    while let Type::Pi(pi) = &**ty {
        ty = &pi.body;
    }
    ty
}

/// Returns the type of the data of an expression of DPIA; a type of RISE is returned as it is.
fn data(ty: &Ty) -> Ty {
    match &**ty {
        Type::Exp(data, _) => data.clone(),
        _ => ty.clone(),
    }
}
