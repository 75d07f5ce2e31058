//! Defines heads of terms and sets of heads. A rule need not be matched against a term whose head
//! it cannot match.

use rise::Primitive;

use super::store::{Node, Store, Term};

/// The head of a term: the primitive to which all arguments are applied, or the form of the
/// function if it is not a primitive. The head of a term that is not an application is that of the
/// term itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head(u8);

impl Head {
    /// A variable.
    pub const VAR: Head = Head(0);
    /// A literal, or a size as a value.
    pub const VALUE: Head = Head(1);
    /// An abstraction, `fun(x => body)`.
    pub const LAMBDA: Head = Head(2);
    /// An abstraction, `depFun(x => body)`.
    pub const DEP_LAMBDA: Head = Head(3);
    /// An abstraction that is applied to one or more values or type-level arguments.
    pub const REDEX: Head = Head(4);
    /// A foreign function.
    pub const FOREIGN: Head = Head(5);
    /// The name of a definition.
    pub const GLOBAL: Head = Head(6);
    const OTHERS: u8 = 7;

    /// Returns the head of a primitive.
    pub const fn primitive(primitive: Primitive) -> Head {
        Head(Head::OTHERS + primitive as u8)
    }

    /// Returns the head of a node that is not an application; [`Head::VAR`] for applications.
    pub(super) fn of(node: &Node) -> Head {
        match node {
            Node::Literal(_) | Node::Nat(_) => Head::VALUE,
            Node::Lambda(..) => Head::LAMBDA,
            Node::DepLambda(..) => Head::DEP_LAMBDA,
            Node::Primitive(primitive, _) => Head::primitive(*primitive),
            Node::Foreign(_) => Head::FOREIGN,
            Node::Global(..) => Head::GLOBAL,
            Node::Var(_) | Node::Apply(..) | Node::DepApply(..) => Head::VAR,
        }
    }

    /// Returns the head of an application of a term with this head.
    #[inline]
    pub fn applied(self) -> Head {
        match self {
            Head::LAMBDA | Head::DEP_LAMBDA => Head::REDEX,
            other => other,
        }
    }
}

// Each head is a bit of [`Heads`].
const _: () = assert!(Head::OTHERS as usize + Primitive::ALL.len() <= 256);

/// A set of heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads([u64; 4]);

impl Heads {
    /// The set of all heads.
    pub const ALL: Heads = Heads([u64::MAX; 4]);
    /// The empty set.
    pub const NONE: Heads = Heads([0; 4]);

    /// Returns the set of the given heads.
    pub fn of(heads: impl IntoIterator<Item = Head>) -> Heads {
        let mut all = Heads::NONE;
        for Head(head) in heads {
            all.0[usize::from(head / 64)] |= 1 << (head % 64);
        }
        all
    }

    /// Returns true if the set contains a head.
    #[inline]
    pub fn contains(&self, Head(head): Head) -> bool {
        self.0[usize::from(head / 64)] >> (head % 64) & 1 == 1
    }

    /// Returns the union of two sets.
    #[must_use]
    pub fn or(self, other: Heads) -> Heads {
        Heads(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Returns the intersection of two sets.
    #[must_use]
    pub fn and(self, other: Heads) -> Heads {
        Heads(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}

impl Store {
    /// Returns the head of a term.
    #[inline]
    pub fn head(&self, term: Term) -> Head {
        self.entries[term.0 as usize].head
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_head_is_what_everything_else_is_applied_to() {
        let mut store = Store::new();
        let mut head = |text: &str| {
            let term = testing::term(&mut store, text);
            store.head(term)
        };
        let map = Head::primitive(Primitive::Map);
        assert_eq!(head("fun(x => x + 1)"), Head::LAMBDA);
        assert_eq!(head("map(fun(x => x + 1))"), map);
        assert_eq!(head("(fun(x => x + 1))(2)"), Head::REDEX);
        assert_eq!(head("3"), Head::VALUE);
    }

    #[test]
    fn sets_hold_what_they_are_made_of() {
        let last = Primitive::ALL.last().copied().map(Head::primitive);
        let heads = Heads::of(last.into_iter().chain([Head::VAR]));
        assert!(heads.contains(Head::VAR) && last.is_some_and(|head| heads.contains(head)));
        assert!(!heads.contains(Head::LAMBDA));
        assert_eq!(heads.and(Heads::of([Head::VAR])), Heads::of([Head::VAR]));
        assert_eq!(Heads::NONE.or(heads), heads.and(Heads::ALL));
    }
}
