//! What elaboration has to know of a language.

use std::sync::Arc;

use crate::primitive::OptionalArgument;
use crate::types::{Arg, Scheme, Ty, Type};
use crate::{Primitive, Target, library_scheme};

/// A language whose checked items have explicit terms.
pub trait Surface: Clone {
    /// Whether its primitives always have all of their arguments, among which the implicit ones
    /// may be written, before the others.
    const WHOLE: bool;

    /// The primitive that a name in a text stands for.
    fn of_target(target: Target) -> Option<Self>;

    /// The primitive that is what this one is in RISE: operators and the like stand for those.
    fn of_rise(primitive: Primitive) -> Option<Self>;

    /// The primitive that a command with syntax of its own stands for.
    fn of_command(command: Command) -> Option<Self>;

    /// Its type.
    fn scheme(&self) -> &Arc<Scheme>;

    /// What may be written before all other arguments.
    fn optional_argument(&self) -> Option<OptionalArgument>;

    /// Whether it is `makeArray`, which takes as many values as its size says.
    fn is_make_array(&self) -> bool;

    /// The type of expressions that yield such data, to be read.
    fn value(data: Ty) -> Ty;

    /// The data that an expression of this type yields, or that is written to it.
    fn data(ty: &Ty) -> Option<Ty>;

    /// What pairs and `let` take besides the types of data.
    fn access(ty: &Type) -> Option<Arg>;
}

/// A command with syntax of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `a = b`
    Assign,
    /// `a; b`
    Sequence,
    /// `if (c) { a } else { b }`
    If,
    /// `skip`
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
