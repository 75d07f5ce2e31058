//! Terms as text, for messages and traces.

use rise::core::{Launch, Program, expr_text};
use rise::types::{Arg, Names};

use super::export::Exporter;
use super::store::{Store, Term};
use super::types::TyId;

/// A term on one line, as RISE writes it; `…` if it is too large to be written out.
pub fn print(store: &Store, term: Term) -> String {
    let mut exporter = Exporter::new(store);
    let Ok(body) = exporter.whole(term) else {
        return "…".to_owned();
    };
    let program = Program {
        name: "term".into(),
        body: body.clone(),
        obligations: Vec::new(),
        facts: Vec::new(),
        next_local: exporter.next_local(),
        names: exporter.names,
        origins: Vec::new(),
        launch: Launch::default(),
    };
    expr_text(&program, &body)
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
