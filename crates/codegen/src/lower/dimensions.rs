//! The lengths of the arrays that a program computes with, in memory or not.

use dpia::{Phrase, phrase};
use nat::Nat;
use rise::core::Form;
use rise::{DataFun, Ty, Type};
use rustc_hash::FxHashSet;

/// Returns the length of each dimension of each array in a program, once.
pub(super) fn dimensions(body: &Phrase) -> Vec<Nat> {
    let mut types: FxHashSet<&Ty> = FxHashSet::default();
    let mut found: FxHashSet<&Nat> = FxHashSet::default();
    let mut rest = vec![body];
    while let Some(part) = rest.pop() {
        if let Some(data) = phrase::data(&part.ty)
            && types.insert(data)
        {
            of_type(data, &mut found);
        }
        match &part.form {
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                rest.push(body);
            }
            Form::Apply(f, x) => rest.extend([f, x]),
            Form::Primitive(_, _, args) | Form::Foreign(_, args) => rest.extend(args.iter()),
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
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
