//! What can go wrong while a program is interpreted.

use rise::core::Origin;
use thiserror::Error;

use crate::shape::ShapeError;

/// Why a program stopped, and where.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{kind}")]
pub struct InterpError {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The expression at which it did, where there is one.
    pub origin: Option<Origin>,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ErrorKind {
    /// An integer was divided by 0.
    #[error("an integer is divided by zero here")]
    DivisionByZero,
    /// An element that `padEmpty` or `scatter` left out was read.
    #[error("this reads an element that was never written")]
    Unwritten,
    /// An index is not one.
    #[error("the index {index} is out of range: it must be at least 0 and less than {bound}")]
    OutOfRange {
        /// The index.
        index: i64,
        /// The number of elements.
        bound: i64,
    },
    /// The functions of `reorder` do not undo each other.
    #[error(
        "the functions of `reorder` do not undo each other: {index} goes to {there}, which goes back to {back}"
    )]
    NotInverse {
        /// A position.
        index: i64,
        /// Where the first function takes it.
        there: i64,
        /// Where the second takes that.
        back: i64,
    },
    /// Work-items write different values to one place.
    #[error(
        "elements with different values are scattered to index {index} in parallel: which of them stays is not defined"
    )]
    Collision {
        /// The place.
        index: i64,
    },
    /// Two arrays, or an array and its type, have different lengths.
    #[error("there are {actual} elements where {expected} are expected")]
    Length {
        /// As many as there should be.
        expected: i64,
        /// As many as there are.
        actual: i64,
    },
    /// A size has no value: a division by zero, a negative size, or a number that does not fit.
    #[error("the size `{0}` has no value that fits")]
    Size(String),
    /// A parameter of the program has no value.
    #[error("the parameter `{0}` has no value")]
    MissingParameter(String),
    /// There are more or fewer arguments than the program takes.
    #[error("the program takes {expected} arguments, not {actual}")]
    ArgumentCount {
        /// As many as it takes.
        expected: usize,
        /// As many as were given.
        actual: usize,
    },
    /// An argument has another shape than its parameter.
    #[error("the parameter `{name}` is of type {expected}, and its argument is of type {actual}")]
    ArgumentShape {
        /// The parameter.
        name: String,
        /// Its shape.
        expected: String,
        /// The argument's.
        actual: String,
    },
    /// A condition on the sizes does not hold.
    #[error("these sizes break the condition `{0}`")]
    Obligation(String),
    /// A type has no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A C function without a body that is not one of `<math.h>`.
    #[error("`{0}` is written in C elsewhere: it can be compiled, not interpreted")]
    UnknownForeign(String),
    /// A C function could not be called.
    #[error("`{name}` could not be called: {message}")]
    Foreign {
        /// The function.
        name: String,
        /// Why.
        message: String,
    },
    /// More memory is needed than may be used.
    #[error("the program needs more than the {limit} bytes of memory that it may use")]
    OutOfMemory {
        /// What it may use.
        limit: u64,
    },
    /// It took too long.
    #[error("the program did not finish in time")]
    Timeout,
    /// It took too many steps.
    #[error("the program did not finish within the number of steps that it may take")]
    TooManySteps,
    /// Somebody asked it to stop.
    #[error("cancelled")]
    Cancelled,
    /// The definitions that it uses, put in their places, are too much text.
    #[error("the program is too large: its functions are used in too many places")]
    TooLarge,
    /// The result cannot be kept as one value: its elements have shapes of their own.
    #[error("an array whose elements are dependent pairs has no layout of its own")]
    NoLayout,
    /// A term that is not in the form that linking gives. Not reached from text that checks.
    #[error("this is not a complete program: {0}")]
    Malformed(&'static str),
    /// The system gave no thread to run on.
    #[error("no thread could be started: {0}")]
    NoThread(String),
}

/// How code stops; small, because every step may return it.
pub(crate) type Stop = Box<InterpError>;
/// What a step returns.
pub(crate) type Res<T> = Result<T, Stop>;

impl ErrorKind {
    /// Whether it is a property of one value, and so matters only if that value is needed.
    pub(crate) fn is_local(&self) -> bool {
        matches!(
            self,
            ErrorKind::DivisionByZero
                | ErrorKind::Unwritten
                | ErrorKind::OutOfRange { .. }
                | ErrorKind::NotInverse { .. }
                | ErrorKind::Collision { .. }
                | ErrorKind::Size(_)
        )
    }

    pub(crate) fn at(self, origin: Origin) -> Stop {
        Box::new(InterpError {
            kind: self,
            origin: Some(origin),
        })
    }

    pub(crate) fn nowhere(self) -> Stop {
        Box::new(InterpError {
            kind: self,
            origin: None,
        })
    }
}
