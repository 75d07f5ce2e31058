//! Programs as strategies see them: typed, curried terms that share everything.
//!
//! A [`Store`] owns all terms; a [`Term`] is a number in it. Two terms have one number exactly if
//! they are equal by name and type (*hash-consing*), so that equality costs nothing, results can
//! be remembered by term, and the state before a step is kept by keeping its number.
//!
//! Applications are binary: `map(f)(x)` is `Apply(Apply(Primitive(map), f), x)`. Every node knows
//! its type, its free variables and its size. Types are never found out again: a node's type
//! follows from its parts.
//!
//! What [`import`] makes of a checked definition, [`export`] turns back into one.

mod alpha;
mod dense;
mod export;
mod heads;
mod import;
mod path;
mod sets;
mod store;
mod subst;
#[cfg(test)]
mod tests;
mod text;
mod types;

pub(crate) use alpha::same_literal;
pub(crate) use dense::{Bits, Dense};
pub use export::export;
pub use heads::{Head, Heads};
pub use import::{Imported, TooLarge, import};
pub use path::{Child, Children, Order, Path};
pub use store::{ArgId, ArgsId, ForeignId, LiteralId, Local, Node, Store, Term};
pub use text::{arg_text, print, type_text};
pub use types::TyId;

/// How deeply terms may nest: as deeply as core terms may.
///
/// Functions over terms recurse, so nothing may nest deeper. [`Store::is_too_deep`] says whether
/// something did: what makes terms asks it after each step, and gives up.
pub const MAX_HEIGHT: u32 = rise::core::MAX_HEIGHT;

/// How many parts a type may have: each step goes through the types of what it makes.
pub const MAX_TYPE_SIZE: u32 = 2048;

/// How many nodes a term may have that becomes a program again.
pub const MAX_SIZE: u64 = rise::core::MAX_NODES;
