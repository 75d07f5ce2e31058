//! Collects the lengths of the arrays that the phrases of a program denote, in memory or not.

use dpia::{Phrase, phrase};
use nat::Nat;
use rise::core::subterms;
use rise::{DataFun, Ty, Type};
use rustc_hash::FxHashSet;

/// Returns the lengths of all dimensions of the arrays that phrases of a program have as types,
/// each once and sorted; arrays in tuples are not considered.
pub(super) fn dimensions(body: &Phrase) -> Vec<Nat> {
    let mut types: FxHashSet<&Ty> = FxHashSet::default();
    let mut found: FxHashSet<&Nat> = FxHashSet::default();
    for part in subterms(body) {
        if let Some(data) = phrase::data(&part.ty)
            && types.insert(data)
        {
            of_type(data, &mut found);
        }
    }
    let mut all: Vec<Nat> = found.into_iter().cloned().collect();
    all.sort();
    all
}

fn of_type<'t>(ty: &'t Type, found: &mut FxHashSet<&'t Nat>) {
    let mut inner = ty;
    while let Type::Array(n, element) | Type::DepArray(n, DataFun::Lambda(_, element)) = inner {
        found.insert(n);
        inner = element;
    }
}
