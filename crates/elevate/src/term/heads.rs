//! What stands at the head of a term: with it, most rules are done with most terms.

use rise::Primitive;

use super::store::{Node, Store, Term};

/// What is applied in a term, whatever it is applied to; of what is no application, its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head(u8);

impl Head {
    /// A variable, or what is applied is one.
    pub const VAR: Head = Head(0);
    /// A literal, or a size as a value.
    pub const VALUE: Head = Head(1);
    /// `fun(x => body)`
    pub const LAMBDA: Head = Head(2);
    /// `depFun(x => body)`
    pub const DEP_LAMBDA: Head = Head(3);
    /// A function that is written where it is applied, of a value or of a size or type.
    pub const REDEX: Head = Head(4);
    /// A C function.
    pub const FOREIGN: Head = Head(5);
    /// A definition.
    pub const GLOBAL: Head = Head(6);
    const OTHERS: u8 = 7;

    /// A primitive.
    pub const fn primitive(primitive: Primitive) -> Head {
        Head(Head::OTHERS + primitive as u8)
    }

    /// That of a leaf or function.
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

    /// That of a term with this head, applied to something.
    #[inline]
    pub fn applied(self) -> Head {
        match self {
            Head::LAMBDA | Head::DEP_LAMBDA => Head::REDEX,
            other => other,
        }
    }
}

// Each primitive is a bit of a set.
const _: () = assert!(Head::OTHERS as usize + Primitive::ALL.len() <= 256);

/// A set of heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads([u64; 4]);

impl Heads {
    /// All of them.
    pub const ALL: Heads = Heads([u64::MAX; 4]);
    /// None.
    pub const NONE: Heads = Heads([0; 4]);

    /// These.
    pub fn of(heads: impl IntoIterator<Item = Head>) -> Heads {
        let mut all = Heads::NONE;
        for Head(head) in heads {
            all.0[usize::from(head / 64)] |= 1 << (head % 64);
        }
        all
    }

    /// Whether it is one of them.
    #[inline]
    pub fn contains(&self, Head(head): Head) -> bool {
        self.0[usize::from(head / 64)] >> (head % 64) & 1 == 1
    }

    /// Those of either set.
    #[must_use]
    pub fn or(self, other: Heads) -> Heads {
        Heads(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Those of both sets.
    #[must_use]
    pub fn and(self, other: Heads) -> Heads {
        Heads(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}

impl Store {
    /// What stands at the head of a term.
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
