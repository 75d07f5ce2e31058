//! The errors of the interpreter.

use rise::core::Origin;
use thiserror::Error;

use crate::shape::ShapeError;

/// An error with its location.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct InterpError {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The expression at which it occurred, if it is known.
    pub origin: Option<Origin>,
}

/// The kind of an error.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ErrorKind {
    /// An integer was divided by 0.
    #[error("an integer is divided by zero here")]
    DivisionByZero,
    /// An element was read that `padEmpty` or `scatter` did not write.
    #[error("this reads an element that was never written")]
    Unwritten,
    /// An index is out of range.
    #[error("the index {index} is out of range: it must be at least 0 and less than {bound}")]
    OutOfRange {
        /// The index.
        index: i64,
        /// The bound, which is the number of elements or that of the index type.
        bound: i64,
    },
    /// The end of a segment is before its start.
    #[error("segment: `from` is {from} and `to` is {to}")]
    ReversedSegment {
        /// The position of the first element.
        from: usize,
        /// The position after the last element.
        to: usize,
    },
    /// The functions of `reorder` are not inverses.
    #[error(
        "the functions of `reorder` are not inverse to each other: {index} goes to {there}, which goes back to {back}"
    )]
    NotInverse {
        /// The index to which the first function is applied.
        index: i64,
        /// The result of the first function for `index`.
        there: i64,
        /// The result of the second function for `there`, which should be `index`.
        back: i64,
    },
    /// `scatter` writes different values to one element, and the values come from a parallel map.
    #[error(
        "elements with different values are scattered to index {index} in parallel: which of them is kept is not defined"
    )]
    Collision {
        /// The index of the element.
        index: i64,
    },
    /// Two arrays, or an array and its type, have different lengths.
    #[error("there are {actual} elements where {expected} are expected")]
    Length {
        /// The expected length.
        expected: i64,
        /// The actual length.
        actual: i64,
    },
    /// A size is undefined: a division by zero, a negative size, or an overflow.
    #[error("the size `{0}` has no value that fits")]
    Size(String),
    /// A parameter of the program for a size, a type or a function has no value.
    #[error("the parameter `{0}` has no value")]
    MissingParameter(String),
    /// The number of arguments differs from that of the parameters.
    #[error("the program takes {expected} arguments, not {actual}")]
    ArgumentCount {
        /// The number of parameters.
        expected: usize,
        /// The number of arguments.
        actual: usize,
    },
    /// An argument has another shape than its parameter.
    #[error("the parameter `{name}` is of type {expected}, and its argument is of type {actual}")]
    ArgumentShape {
        /// The name of the parameter.
        name: String,
        /// The shape of the parameter.
        expected: String,
        /// The shape of the argument.
        actual: String,
    },
    /// An obligation on the sizes does not hold.
    #[error("these sizes break the condition `{0}`")]
    Obligation(String),
    /// A type has no shape, or a value does not fit into memory.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A C function has no body, and is not a function of `<math.h>`.
    #[error("`{0}` is written in C elsewhere: it can be compiled, not interpreted")]
    UnknownForeign(String),
    /// A call of a C function has failed.
    #[error("`{name}` could not be called: {message}")]
    Foreign {
        /// The name of the function.
        name: String,
        /// The reason.
        message: String,
    },
    /// The memory limit is exceeded.
    #[error("the program needs more than the {limit} bytes of memory that it may use")]
    OutOfMemory {
        /// The limit in bytes.
        limit: u64,
    },
    /// The time limit is exceeded.
    #[error("the program did not finish in time")]
    Timeout,
    /// The step limit is exceeded.
    #[error("the program did not finish within the number of steps that it may take")]
    TooManySteps,
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The program is too large or too deeply nested after inlining.
    #[error("the program is too large: its functions are used in too many places")]
    TooLarge,
    /// The result has no memory layout, because its elements have different shapes.
    #[error("an array of dependent pairs cannot be stored: its elements may have different sizes")]
    NoLayout,
    /// The term is not well-formed. This does not happen for a linked program.
    #[error("the interpreter is given a malformed program: {0}")]
    Malformed(&'static str),
    /// The system could not start a thread.
    #[error("no thread could be started: {0}")]
    NoThread(String),
}

/// A boxed error, which keeps results small, because every step returns one.
pub(crate) type BoxedError = Box<InterpError>;
pub(crate) type InterpResult<T> = Result<T, BoxedError>;

impl ErrorKind {
    /// Returns true if the error concerns a single value, so that it only matters if the value is
    /// used.
    pub(crate) fn is_local(&self) -> bool {
        matches!(
            self,
            ErrorKind::DivisionByZero
                | ErrorKind::Unwritten
                | ErrorKind::OutOfRange { .. }
                | ErrorKind::ReversedSegment { .. }
                | ErrorKind::NotInverse { .. }
                | ErrorKind::Collision { .. }
                | ErrorKind::Size(_)
        )
    }

    pub(crate) fn at(self, origin: Origin) -> BoxedError {
        Box::new(InterpError {
            kind: self,
            origin: Some(origin),
        })
    }

    pub(crate) fn nowhere(self) -> BoxedError {
        Box::new(InterpError {
            kind: self,
            origin: None,
        })
    }
}
