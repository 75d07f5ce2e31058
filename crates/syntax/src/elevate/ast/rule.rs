//! Defines the parts of rules: alternatives, clauses and conditions.

use super::{CondId, ExprId};
use crate::Span;
use crate::ast::{BinaryOp, Ident, Kind, TermId};

/// An alternative of a rule: `left |-> right clauses`.
#[derive(Clone, Debug, PartialEq)]
pub struct Alt {
    /// The left-hand side, a pattern. A type at its end, `f : s -> t |-> …`, is an
    /// [`Ascribe`](crate::ast::TermKind::Ascribe) without parentheses, which RISE requires.
    pub lhs: TermId,
    /// The span of `|->` or `↦`; empty if it is missing.
    pub arrow: Span,
    /// The right-hand side, which replaces the matched term.
    pub rhs: TermId,
    /// The clauses after the right-hand side, in the order of the text.
    pub clauses: Box<[Clause]>,
    /// The span of the alternative.
    pub span: Span,
}

/// A clause after an alternative.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The form of the clause and its parts.
    pub kind: ClauseKind,
    /// The span of the clause, with its keyword.
    pub span: Span,
}

/// The forms of clauses.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// A local size, `let name = size`.
    Let {
        /// The name; `None` if it is absent, in which case the item has a reported error.
        name: Option<Ident>,
        /// The value of the size.
        value: TermId,
    },
    /// `where`: a condition that is decided when the rule is tried.
    Where(CondId),
    /// `requires`: a condition that must be proved, otherwise the rule does not apply.
    Requires(CondId),
    /// `assuming`: a condition that must not be refuted; one that is not proved becomes an
    /// assumption of the result.
    Assuming(CondId),
}

/// A condition of a rule or tuning parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Cond {
    /// The form of the condition and its children.
    pub kind: CondKind,
    /// The span of the condition.
    pub span: Span,
}

/// The forms of conditions. `or`, `and` and `not` are in order of increasing precedence.
#[derive(Clone, Debug, PartialEq)]
pub enum CondKind {
    /// A required condition that is absent or cannot be read; the item has a reported error.
    Missing,
    /// A disjunction `a or b`.
    Or(CondId, CondId),
    /// A conjunction `a and b`.
    And(CondId, CondId),
    /// A negation `not a`.
    Not(CondId),
    /// A parenthesised condition `(a)`.
    Paren(CondId),
    /// Divisibility, `n divides m`.
    Divides {
        /// The divisor `n`.
        divisor: TermId,
        /// The dividend `m`.
        size: TermId,
    },
    /// A comparison of sizes: `==`, `!=`, `<=`, `<`, `>=` or `>`.
    Compare {
        /// The operator, one of the six comparisons.
        op: BinaryOp,
        /// The operand to the left of the operator, a size.
        lhs: TermId,
        /// The operand to the right of the operator, a size.
        rhs: TermId,
    },
    /// `x notIn e`: the variable is not free in the term.
    NotIn {
        /// The variable `x`.
        name: TermId,
        /// The term `e`.
        term: TermId,
    },
    /// A type test `x : t`.
    HasType {
        /// The metavariable `x`.
        term: TermId,
        /// The RISE type `t`.
        ty: TermId,
    },
    /// `a : AddrSp`: the metavariable is bound to a term of this kind.
    HasKind {
        /// The metavariable `a`.
        term: TermId,
        /// The kind.
        kind: Kind,
    },
    /// A call of a named property: `assoc(f)`, `commutative(f)`, `selective(f)`, `neutral(f, z)`,
    /// `scalar(t)`, `basic(t)`, `copyable(t)`, `notVector(t)` or `within(p)`. The parser accepts any
    /// name, and the compilation of the rule reports one that is no property.
    Property {
        /// The name of the property.
        name: Ident,
        /// The arguments, RISE terms or types; for `within` a pattern.
        args: Box<[TermId]>,
    },
    /// `holds(s, x)`: the strategy succeeds on the term that the metavariable is bound to.
    Holds {
        /// The strategy `s`.
        strategy: ExprId,
        /// The metavariable `x`.
        term: TermId,
    },
}
