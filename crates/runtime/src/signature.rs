//! How a generated function is called.

use nat::Var;
use rise::Ty;
use smol_str::SmolStr;

/// The parameters of a generated C function, in their order: the output, the sizes, the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The function's name in C.
    pub name: String,
    /// The sizes, each an `int`.
    pub sizes: Vec<(Var, SmolStr)>,
    /// The other parameters.
    pub params: Vec<Param>,
    /// What is written to the output; a single value is its element 0.
    pub result: Ty,
}

/// A parameter of a generated C function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name in the program.
    pub name: SmolStr,
    /// Its type.
    pub ty: Ty,
    /// How it is passed.
    pub passing: Passing,
}

/// How a parameter is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As a pointer to its first element.
    Pointer,
    /// By value, as this C type.
    Value(String),
}
