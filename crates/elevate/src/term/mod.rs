//! Represents programs as typed, curried terms with maximal sharing.
//!
//! A [`Store`] owns all terms; a [`Term`] is an index into it. Terms are *hash-consed*: two terms
//! have the same index exactly if they are equal, including names and types. So equality is a
//! comparison of indices, results can be memoised by term, and an earlier state of the program is
//! kept by its index.
//!
//! Applications are binary: `map(f)(x)` is `Apply(Apply(Primitive(map), f), x)`. The store holds
//! the type, the free variables and the size of every node. Types are not inferred again: the type
//! of a node follows from its children.
//!
//! [`import`] converts a checked definition to a term, and [`export`] converts it back.

mod alpha;
mod dense;
mod export;
mod heads;
mod import;
mod path;
mod reduction;
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
pub(crate) use reduction::{beta, eta, eta_abstraction, repeats_parameter};
pub use store::{ArgId, ArgsId, ForeignId, LiteralId, Local, Node, Store, Term};
pub use text::{arg_text, print, type_text};
pub use types::TyId;

/// The maximal height of terms, which is that of core terms.
///
/// Functions over terms recurse, so no term may be higher. [`Store::is_too_deep`] returns true once
/// a term is; code that builds terms checks it after each step, and gives up.
pub const MAX_HEIGHT: u32 = rise::core::MAX_HEIGHT;

/// The maximal number of nodes of a type. Each step visits the types of the terms that it builds.
pub const MAX_TYPE_SIZE: u32 = 2048;

/// The maximal number of nodes of a program: of a term that is imported, exported, or the result of
/// a rule.
pub const MAX_SIZE: u64 = rise::core::MAX_NODES;
