//! The check that the result of a definition begins with the new values of the parameters that are
//! updated in place.

use syntax::Diagnostic;
use syntax::ast::Parameter;

use super::Infer;
use crate::codes;
use crate::print::type_text;
use crate::types::{NotInPlace, Ty, Type, in_place_components};

impl Infer<'_> {
    /// Reports the first component of the result that is not the new value of its parameter. `ty`
    /// is the type of the definition, with all solutions.
    pub(super) fn check_in_place(&mut self, ty: &Ty) {
        let Some(head) = self.item.head().filter(|head| head.has_inout()) else {
            return;
        };
        if self.failed() {
            return;
        }
        let is_value = |param: &&Parameter| {
            let binder = self.item.binder(param.binder);
            binder.annotation.kind().is_none()
        };
        let (mut marked, mut types) = (Vec::new(), Vec::new());
        let mut rest = without_sizes(ty);
        for param in head.params().filter(is_value) {
            let Type::Fun(taken, result) = &**rest else {
                return;
            };
            if param.inout.is_some() {
                marked.push(param);
                types.push(taken.clone());
            }
            rest = without_sizes(result);
        }
        let Err(NotInPlace { param, found }) = in_place_components(rest, &types) else {
            return;
        };
        let names = self.all_names();
        let text = |ty: &Ty| format!("`{}`", type_text(ty, &names));
        let parameter = self.item.binder(marked[param].binder);
        let (name, expected) = (&parameter.name, text(&types[param]));
        let which = match (&**rest, param) {
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
        let at = self.item.term(head.result.unwrap_or(head.value)).span;
        let error = Diagnostic::error(codes::TYPE_MISMATCH, at, message)
            .related(parameter.span, "this parameter is updated in place")
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
