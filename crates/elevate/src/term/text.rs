//! Prints terms, types and type-level arguments, for messages and traces.

use rise::core::term_text;
use rise::types::{Arg, Names};

use super::export::Exporter;
use super::store::{Store, Term};
use super::types::TyId;

/// Returns a term in the syntax of RISE, on one line; `…` if it is larger than
/// [`MAX_SIZE`](super::MAX_SIZE) or higher than [`MAX_HEIGHT`](super::MAX_HEIGHT).
pub fn print(store: &Store, term: Term) -> String {
    let mut exporter = Exporter::new(store);
    match exporter.whole(term) {
        Ok(body) => term_text(&exporter.names, &exporter.uses, &body),
        Err(_) => "…".to_owned(),
    }
}

/// Returns the text of a type.
pub fn type_text(store: &Store, ty: TyId) -> String {
    let names = Names(store.var_names().into());
    rise::print::type_text(store.ty_of(ty), &names)
}

/// Returns the text of a type-level argument.
pub fn arg_text(store: &Store, arg: &Arg) -> String {
    let names = Names(store.var_names().into());
    rise::print::arg_text(arg, &names)
}
