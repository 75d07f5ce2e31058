//! Rules: alternatives, clauses, conditions.

use super::{CondId, ExprId};
use crate::Span;
use crate::ast::{BinaryOp, Ident, Kind, TermId};

/// An alternative of a rule: `left |-> right clauses`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alt {
    /// The pattern. A type at its end, `f : s -> t |-> …`, is an
    /// [`Ascribe`](crate::ast::TermKind::Ascribe) without the parentheses that RISE writes.
    pub lhs: TermId,
    /// The `|->` or `↦`; empty where it is missing.
    pub arrow: Span,
    /// What takes its place.
    pub rhs: TermId,
    /// What stands behind it, in order.
    pub clauses: Box<[Clause]>,
    /// All of it.
    pub span: Span,
}

/// A clause behind an alternative.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// From its word on.
    pub span: Span,
}

/// The forms of clauses.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `let name = size`
    Let {
        /// The name; missing in half-typed code.
        name: Option<Ident>,
        /// The size.
        value: TermId,
    },
    /// `where`: decided when the rule is tried.
    Where(CondId),
    /// `requires`: must be proved, or the rule does not apply.
    Requires(CondId),
    /// `assuming`: fails only if it is refuted, and else travels with the result.
    Assuming(CondId),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Cond {
    /// What it is.
    pub kind: CondKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of conditions, loosest first.
#[derive(Clone, Debug, PartialEq)]
pub enum CondKind {
    /// Something that must stand here does not; already reported.
    Missing,
    /// `a or b`
    Or(CondId, CondId),
    /// `a and b`
    And(CondId, CondId),
    /// `not a`
    Not(CondId),
    /// `(a)`
    Paren(CondId),
    /// `n divides m`
    Divides {
        /// `n`
        divisor: TermId,
        /// `m`
        size: TermId,
    },
    /// `n == m`, `n != m`, `n <= m`, `n < m`, `n >= m`, `n > m`
    Compare {
        /// One of the six comparisons.
        op: BinaryOp,
        /// The left size.
        lhs: TermId,
        /// The right size.
        rhs: TermId,
    },
    /// `x notIn e`: the variable is not free in the term.
    NotIn {
        /// `x`
        name: TermId,
        /// `e`
        term: TermId,
    },
    /// `x : t`
    HasType {
        /// `x`
        term: TermId,
        /// `t`, a type of RISE
        ty: TermId,
    },
    /// `a : AddrSp`: the metavariable stands for something of this kind.
    HasKind {
        /// `a`
        term: TermId,
        /// `AddrSp`
        kind: Kind,
    },
    /// `assoc(f)`, `commutative(f)`, `neutral(f, z)`, `scalar(t)`, `within(p)`: a property that
    /// is known by its name.
    Property {
        /// The name.
        name: Ident,
        /// The arguments, terms or types of RISE; for `within` a pattern.
        args: Box<[TermId]>,
    },
    /// `holds(s, x)`: the strategy succeeds on what the metavariable stands for.
    Holds {
        /// `s`
        strategy: ExprId,
        /// `x`
        term: TermId,
    },
}
