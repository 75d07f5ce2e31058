//! Defines the signatures of generated functions, for callers.

use dpia::IndexWidth;
use nat::{Facts, Nat, Prop, Var};
use rise::{Ty, Type};
use syntax::ast::Name;

/// The signature of a generated function. Its parameters are the outputs, then the sizes, then the
/// values.
///
/// An output is a pointer to its elements, with arrays flat and row-major; an output that is not an
/// array is element 0. Each size is an `int`, or has 64 bits ([`Signature::index`]). Arrays are
/// `const` pointers, other values are passed by value. Tuples are structs with the members `_1` and
/// `_2`, `bool` is one byte, `natType` and `Idx[n]` are `int`. Of several kernels, each has only
/// the parameters that it uses.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The name of the function.
    pub name: Name,
    /// The width of the size parameters, or of the indices of kernels.
    pub index: IndexWidth,
    /// The size parameters, each with its variable and its name. The variables occur in the types
    /// and conditions below.
    pub sizes: Vec<(Var, Name)>,
    /// The value parameters, each with its name and type, in order.
    pub params: Vec<(Name, Ty)>,
    /// The positions of the value parameters that are updated in place, in order: pointers to their
    /// elements like those of the outputs, whose elements have a value before the call. The first
    /// parts of the result are their new values, and the outputs are the others.
    pub inout: Vec<usize>,
    /// The outputs, each with its name and type, in the order of the
    /// [parts of the result](rise::types::outputs).
    pub outputs: Vec<(Name, Ty)>,
    /// The conditions on sizes that each call has to satisfy.
    pub requires: Vec<Prop>,
    /// The names of the size variables in types and conditions, indexed by the number of the
    /// variable.
    pub names: Vec<Name>,
}

impl Signature {
    /// Returns the types of the parts of the result: of the parameters that are updated in place, and
    /// of the outputs. The lengths of their arrays are in the simplest form under
    /// the conditions: if 32 divides `n`, `((n / 32) * 32).f32` becomes `n.f32`.
    pub(crate) fn simplest_results(&self) -> impl Iterator<Item = Ty> {
        let mut facts = Facts::new();
        for prop in &self.requires {
            facts.assume(prop);
        }
        let updated = self.inout.iter().map(|at| &self.params[*at]);
        let parts = updated.chain(&self.outputs);
        parts.map(move |(_, ty)| simplest(ty, &facts))
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
