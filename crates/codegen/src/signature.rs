//! Signatures of generated functions, as callers need them.

use dpia::IndexWidth;
use nat::{Facts, Nat, Prop, Var};
use rise::{Ty, Type};
use syntax::ast::Name;

/// The parameters of a generated function: the output first, then the sizes, then the rest.
///
/// The output is a pointer to its elements, arrays flat and row-major; a result that is no array is
/// element 0. Each size is an `int`, or has 64 bits ([`Signature::index`]). Of the rest, arrays are
/// `const` pointers, everything else is passed by value. Tuples are structs with the members `_1` and `_2`, `bool` is one byte, `natType`
/// and `Idx[n]` are `int`.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The function's name.
    pub name: Name,
    /// The width of the sizes.
    pub index: IndexWidth,
    /// The sizes: variables of the types below, with the names of the parameters.
    pub sizes: Vec<(Var, Name)>,
    /// The values.
    pub params: Vec<(Name, Ty)>,
    /// The type of the output.
    pub result: Ty,
    /// The conditions on sizes.
    pub requires: Vec<Prop>,
    /// The names of variables in types and conditions, by number.
    pub names: Vec<Name>,
}

impl Signature {
    /// A type with its sizes in the simplest form that the conditions allow: where 32 divides `n`,
    /// `((n / 32) * 32).f32` is `n.f32`.
    pub(crate) fn simplest(&self, ty: &Ty) -> Ty {
        let mut facts = Facts::new();
        for prop in &self.requires {
            facts.assume(prop);
        }
        simplest(ty, &facts)
    }
}

fn simplest(ty: &Ty, facts: &Facts) -> Ty {
    let size = |n: &Nat| facts.normalize(n);
    match &**ty {
        Type::Array(n, element) => Type::Array(size(n), simplest(element, facts)).into(),
        Type::Pair(a, b) => Type::Pair(simplest(a, facts), simplest(b, facts)).into(),
        _ => ty.clone(),
    }
}
