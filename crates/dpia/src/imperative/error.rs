//! The errors of the translation to imperative DPIA.

use rise::core::Origin;

use crate::prim::Prim;

/// The error of a phrase that has no imperative form. Well-typed phrases usually have one; an
/// exception is `map` at `Wr` of a function that is no chain of views.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ImperativeError {
    /// The reason for the error.
    pub reason: Reason,
    /// The origin of the wrong phrase.
    pub origin: Origin,
}

/// The reason why a phrase has no imperative form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// An array is read where it has to be written.
    #[error("this expression must be written to memory, and no loop writes it")]
    NotWritten,
    /// The function of a written `map` does more than rearrange its argument.
    #[error("the function of a written `{}` may only rearrange its argument", .0.name())]
    NotAView(Prim),
    /// A stream is used as an array.
    #[error("a stream is read as an array")]
    StreamAsArray,
    /// A primitive has other arguments than its type requires.
    #[error("the arguments of `{}` are not those that its type requires", .0.name())]
    Arguments(Prim),
    /// Something that is no function is applied.
    #[error("this is applied, but is not a function")]
    NoFunction,
    /// Something that has no data type is used as data.
    #[error("this is not a value")]
    NoValue,
    /// Something that is no array is used as one.
    #[error("this is not an array")]
    NoArray,
    /// Something that is no pair is used as one.
    #[error("this is not a pair")]
    NoPair,
    /// A definition has not been inlined by linking.
    #[error("this definition has not been linked")]
    NotLinked,
    /// A functional program contains a command or an acceptor.
    #[error("`{}` works with commands or acceptors, which a functional program does not have", .0.name())]
    Imperative(Prim),
    /// A value that is said to be in the memory to which it is written is elsewhere.
    #[error("`inPlace` is for the accumulator whose memory is written, and this is another value")]
    NotInPlace,
    /// Elements that need commands are in a form in which they cannot be computed one by one.
    #[error("the elements of this array cannot be computed one at a time")]
    NoElement,
}

/// The result of the translation's functions.
pub type Result<T> = std::result::Result<T, ImperativeError>;

/// Returns an error.
pub fn fail<T>(reason: Reason, origin: Origin) -> Result<T> {
    Err(ImperativeError { reason, origin })
}
