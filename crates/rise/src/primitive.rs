//! The primitives (`rise.md` section 4).

/// A primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primitive {
    /// `map`
    Map,
}
