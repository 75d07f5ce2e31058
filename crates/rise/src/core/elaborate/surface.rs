//! The interface between elaboration and a language's primitives.

use std::sync::Arc;

use crate::primitive::OptionalArgument;
use crate::types::{Arg, Scheme, Ty, Type};
use crate::{Primitive, Target, library_scheme};

/// The primitives of a language whose checked items can be elaborated: RISE or DPIA.
pub trait Surface: Clone {
    /// True if primitives always have all of their arguments, and implicit arguments may be written
    /// before the others.
    const WHOLE: bool;

    /// Returns the primitive that a name in a text refers to; `None` if it refers to something
    /// else.
    fn of_target(target: Target) -> Option<Self>;

    /// Returns the counterpart of a primitive of RISE, if there is one. Operators and other syntax
    /// elaborate to it.
    fn of_rise(primitive: Primitive) -> Option<Self>;

    /// Returns the primitive of a command that has its own syntax; `None` in RISE, which has no
    /// commands.
    fn of_command(command: Command) -> Option<Self>;

    /// Returns the primitive's type.
    fn scheme(&self) -> &Arc<Scheme>;

    /// Returns the kind of the argument that may be written before all others; `None` if the
    /// primitive has no such argument.
    fn optional_argument(&self) -> Option<OptionalArgument>;

    /// Returns true for `makeArray`, which takes as many values as its size argument.
    fn is_make_array(&self) -> bool;

    /// Returns the type of readable expressions of this data type.
    fn value(data: Ty) -> Ty;

    /// Returns the data type in the type of an expression or acceptor, in RISE the type itself;
    /// `None` for other types of DPIA.
    fn data(ty: &Ty) -> Option<Ty>;

    /// Returns the access argument that the primitives of pairs and `let` take after the data
    /// types: the access in `ty`, the type of the pair or of the result. Returns `None` in RISE.
    fn access(ty: &Type) -> Option<Arg>;
}

/// A command that has its own syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// The assignment `a = b`.
    Assign,
    /// The sequence `a; b`.
    Sequence,
    /// The conditional `if (c) { a } else { b }`.
    If,
    /// The empty command `skip`.
    Skip,
}

impl Surface for Primitive {
    const WHOLE: bool = false;

    fn of_target(target: Target) -> Option<Self> {
        match target {
            Target::Primitive(primitive) => Some(primitive),
            _ => None,
        }
    }

    fn of_rise(primitive: Primitive) -> Option<Self> {
        Some(primitive)
    }

    fn of_command(_command: Command) -> Option<Self> {
        None
    }

    fn scheme(&self) -> &Arc<Scheme> {
        library_scheme(*self)
    }

    fn optional_argument(&self) -> Option<OptionalArgument> {
        Primitive::optional_argument(*self)
    }

    fn is_make_array(&self) -> bool {
        *self == Primitive::MakeArray
    }

    fn value(data: Ty) -> Ty {
        data
    }

    fn data(ty: &Ty) -> Option<Ty> {
        Some(ty.clone())
    }

    fn access(_ty: &Type) -> Option<Arg> {
        None
    }
}
