//! What keeps a phrase from being translated.

use rise::core::Origin;

use crate::prim::Prim;

/// Why a phrase has no imperative form. Phrases that type-check have one, but for `map` at `Wr`
/// over something that is no chain of views.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ImperativeError {
    /// What is wrong.
    pub reason: Reason,
    /// The phrase that it is wrong with.
    pub origin: Origin,
}

/// What is wrong with a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// An array is read where it would have to be written.
    #[error("the program does not say how this is written")]
    NotWritten,
    /// The function of a `map` that is written through does more than rearrange.
    #[error("the function of a written `{}` may only rearrange its argument", .0.name())]
    NotAView(Prim),
    /// A stream stands where an array is read or written.
    #[error("a stream is read as an array")]
    StreamAsArray,
    /// A primitive with other arguments than its type says.
    #[error("`{}` does not have the arguments that its type says", .0.name())]
    Arguments(Prim),
    /// No function where one is applied.
    #[error("this is applied, but is not a function")]
    NoFunction,
    /// No data where some is wanted.
    #[error("this is not a value")]
    NoValue,
    /// No array where one is wanted.
    #[error("this is not an array")]
    NoArray,
    /// No pair where one is wanted.
    #[error("this is not a pair")]
    NoPair,
    /// A definition that has not been put in its place.
    #[error("this definition has not been linked")]
    NotLinked,
    /// A command or acceptor in a functional program.
    #[error("`{}` is imperative already", .0.name())]
    Imperative(Prim),
    /// Elements that need commands, in a form in which they cannot be had one by one.
    #[error("the elements of this cannot be computed one at a time")]
    NoElement,
}

/// What the parts of the translation return.
pub type Result<T> = std::result::Result<T, ImperativeError>;

/// An error.
pub fn fail<T>(reason: Reason, origin: Origin) -> Result<T> {
    Err(ImperativeError { reason, origin })
}
