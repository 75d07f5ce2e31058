//! Terms as text, for messages and traces.

use rise::core::term_text;
use rise::types::{Arg, Names};

use super::export::Exporter;
use super::store::{Store, Term};
use super::types::TyId;

/// A term on one line, as RISE writes it; `…` if it is too large to be written out.
pub fn print(store: &Store, term: Term) -> String {
    let mut exporter = Exporter::new(store);
    match exporter.whole(term) {
        Ok(body) => term_text(&exporter.names, &exporter.uses, &body),
        Err(_) => "…".to_owned(),
    }
}

/// A type as text.
pub fn type_text(store: &Store, ty: TyId) -> String {
    let names = Names(store.var_names().into());
    rise::print::type_text(store.ty_of(ty), &names)
}

/// A type-level argument as text.
pub fn arg_text(store: &Store, arg: &Arg) -> String {
    let names = Names(store.var_names().into());
    rise::print::arg_text(arg, &names)
}
