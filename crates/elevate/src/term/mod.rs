//! Represents programs as typed, curried terms with maximal sharing.
//!
//! A [`Store`] owns all terms; a [`Term`] is an index into it. Terms are *hash-consed*: two terms
//! of a store have the same index exactly if they are built from the same nodes, with the same
//! variables and types. So equality is a comparison of indices, results can be memoised by term,
//! and an earlier state of the program is kept by its index.
//!
//! Applications are binary: `map(f)(x)` is `Apply(Apply(Primitive(map), f), x)`. The store holds
//! the type, the free variables and the size of every node, among other attributes. Types are not
//! inferred again: the type of an abstraction or application follows from its children.
//!
//! [`import`] converts a checked definition to a term, and [`export`] converts it back. The other
//! functions compare terms up to α-equivalence, substitute in them, reduce them, print them, and
//! address subterms by a [`Path`].

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

/// The maximal height of terms and types, which is that of core terms.
///
/// Functions over terms recurse, so they must not be applied to a higher term.
/// [`Store::is_too_deep`] returns true once the store contains a higher term or type; code that
/// builds terms checks it, and gives up.
pub const MAX_HEIGHT: u32 = rise::core::MAX_HEIGHT;

/// The maximal number of nodes of a type, in which sizes are not counted. [`Store::is_too_deep`]
/// returns true once the store contains a larger type.
pub const MAX_TYPE_SIZE: u32 = 2048;

/// The maximal number of nodes of a program: of a term that is imported, exported, printed, or the
/// result of a rule.
pub const MAX_SIZE: u64 = rise::core::MAX_NODES;
