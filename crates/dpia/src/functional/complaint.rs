//! What keeps a program from being compiled, before it is put into words.

use rise::core::Origin;
use rise::{Primitive, Ty};
use syntax::ast::{Kind, Name};

/// One reason why a program cannot be compiled for a target as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// The expression that has to change.
    pub at: Origin,
    /// What is wrong there.
    pub problem: Problem,
    /// The parallel maps around it, from the outermost on.
    pub nest: Vec<Level>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// Something that is still to be written is read.
    MissingMemory {
        /// What reads it.
        reader: User,
        /// The primitive that writes it, if it is one.
        writer: Option<Primitive>,
        /// What is written.
        data: Ty,
    },
    /// An array that can only be read is to be written.
    MissingCopy {
        /// What wants it written.
        wanted: User,
        /// Its type.
        data: Ty,
    },
    /// A pattern that says what to compute, where it must say how.
    MissingChoice {
        /// `map` or `reduce`.
        pattern: Primitive,
        /// What wants the result written, for a `map`.
        wanted: User,
        /// The whole expression that only has to be copied, if another pattern would not help.
        copied: Option<(Origin, Ty)>,
        /// How many elements, if that is known.
        count: Option<i64>,
    },
    /// `mapFst` or `mapSnd` with a function that computes, where the result is to be written.
    Computes {
        /// Which of the two.
        pattern: Primitive,
    },
    /// A stream is used as an array.
    StreamRead {
        /// What uses it.
        reader: User,
        /// What the stream has in it.
        data: Ty,
    },
    /// A primitive that the target lacks.
    NotForTarget {
        /// The primitive.
        primitive: Primitive,
    },
    /// A definition that is no program: a parameter of a kind or type that compiled code has not.
    Parameter {
        /// Its name.
        name: Name,
        /// What it is.
        kind: ParameterKind,
    },
}

/// Why compiled code cannot have a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// It is a function.
    Function,
    /// It is a type, an address space or a function of sizes.
    TypeLevel(Kind),
}

/// What takes a value.
#[derive(Clone, Debug, PartialEq)]
pub enum User {
    /// The definition: it is the result.
    Result,
    /// An argument of a primitive.
    Primitive(Primitive, Origin),
    /// It is the result of the function that this primitive was given.
    Function(Primitive, Origin),
    /// An argument of a C function.
    Foreign(Name, Origin),
}

impl User {
    /// Where it is, unless it is the whole definition.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            User::Result => None,
            User::Primitive(_, origin) | User::Function(_, origin) | User::Foreign(_, origin) => {
                Some(*origin)
            }
        }
    }
}

/// A parallel map around an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The map.
    pub primitive: Primitive,
    /// Its dimension: 0, 1 or 2.
    pub dimension: u8,
    /// Where it is.
    pub at: Origin,
}
