//! What a caller of generated code must know.

use nat::{Prop, Var};
use rise::Ty;
use syntax::ast::Name;

/// The parameters of a generated function: the output first, then the sizes, then the rest.
///
/// The output is a pointer to its elements, arrays flat and row-major; a result that is no array is
/// element 0. Each size is an `int`. Of the rest, arrays are `const` pointers, everything else is
/// passed by value. Tuples are structs with the members `_1` and `_2`, `bool` is one byte, `natType`
/// and `Idx[n]` are `int`.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The function's name.
    pub name: Name,
    /// The sizes: variables of the types below, with the names of the parameters.
    pub sizes: Vec<(Var, Name)>,
    /// The values.
    pub params: Vec<(Name, Ty)>,
    /// The type of the output.
    pub result: Ty,
    /// What must hold of the sizes.
    pub requires: Vec<Prop>,
    /// What the variables in types and conditions are called, by number.
    pub names: Vec<Name>,
}
