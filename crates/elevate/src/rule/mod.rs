//! Compiles and applies rewrite rules: two sides in RISE, and conditions. Predicates, single
//! patterns and quotations of terms are compiled in the same way.
//!
//! A rule is compiled once, independently of any [`Store`](crate::term::Store). Both sides are
//! inferred by RISE's own inference under one assignment ([`rise::RuleInfer`]). So a rule whose
//! sides have different types is an error in the file that defines it, and a rewritten program need
//! not be inferred again.
//!
//! Matching has two phases. The first compares the structure of the term with the pattern, node by
//! node, without types. The second solves the sizes and types, decides the conditions on them, and
//! builds the parts of the right side that depend on nothing else. Its results are memoised in a
//! [`Memo`] by the observations of the first phase, so that for the same rule at the same types it
//! costs one look-up. Afterwards the conditions on terms are decided, and the right side is built.
//!
//! [`separable_filters`] decides if a matrix of weights is a product of a column and a row.

mod applied;
mod apply;
mod compile;
mod cond;
mod condition_failure;
mod folding;
mod mismatch;
mod names;
mod number_literals;
mod operator_laws;
mod pattern;
mod scope;
pub mod separable_filters;
mod template;
mod term_matching;
mod type_matching;
mod vars;
mod vectorized;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use nat::Nat;
use rise::core::Def;
use rise::types::{Address, Arg, Ty};
use rise::{Env, Primitive};
use syntax::ast::{Kind, Literal, Name};
use syntax::elevate::ast::{self, ExprId};
use syntax::{GlobalId, Span};

use crate::engine::{Assumption, Context};
use crate::term::Term;

pub use applied::Applied;
pub use apply::{apply, holds, instantiate, matches, matches_only, unfold};
pub use compile::{Open, Outline, StandsFor, outlines};
pub(crate) use compile::{basic_conditions, compare};
pub use compile::{compile, compile_pattern, compile_predicate, compile_template};
pub use condition_failure::ConditionFailure;
pub use mismatch::{Mismatch, MismatchDetail, MismatchExplanation, MismatchReason};
pub use type_matching::Memo;

use cond::Clause;
use pattern::Pattern;
use template::Template;

/// The kind of a parameter of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// A size.
    Nat,
    /// An integer, which is a size in terms.
    Int,
    /// An address space.
    Address,
    /// A term.
    Expr,
    /// A type.
    Type,
    /// A strategy, or another value that terms cannot contain.
    Strategy,
}

/// An argument of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleArg {
    /// A size, for [`ParamKind::Nat`] and [`ParamKind::Int`]. It may contain type-level variables
    /// of the store.
    Nat(Nat),
    /// An integer, for [`ParamKind::Nat`] and [`ParamKind::Int`].
    Int(i64),
    /// An address space, for [`ParamKind::Address`].
    Address(Address),
    /// A term, for [`ParamKind::Expr`].
    Expr(Term),
    /// A literal without a type, for [`ParamKind::Expr`]. It gets the type of the parameter.
    Literal(Literal),
    /// A type, for [`ParamKind::Type`].
    Type(Ty),
    /// A value that terms cannot contain, for [`ParamKind::Strategy`]. In the result of
    /// [`matches()`], a type-level function or an access.
    Other,
}

/// The kind of a metavariable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// A term.
    Value,
    /// A size, type, address space, type-level function or access, of this kind.
    TypeLevel(Kind),
}

/// A compiled rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The name of the rule; empty for an inline rule.
    pub name: Name,
    /// The parameters and the captured names. Each application has an argument for each of them, in
    /// this order.
    pub params: Box<[(Name, ParamKind)]>,
    /// The alternatives; the first one that applies is used.
    pub(crate) alts: Box<[Alt]>,
    /// True if the rule is marked `unsafe`: it may change the meaning of a program.
    pub is_unsafe: bool,
    /// True if the rule is marked `@looping`: it may apply to its own results.
    pub looping: bool,
    /// The strategies of the conditions `holds(s, x)`, which are numbered in this order.
    pub holds: Box<[ExprId]>,
    /// The key of the rule in a [`Memo`].
    pub(crate) id: RuleId,
}

/// An alternative of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alt {
    pattern: Pattern,
    template: Template,
    clauses: Box<[Clause]>,
    /// The metavariables defined by `let fv = vectorized(k, f)`.
    made: Box<[template::VectorizedFunction]>,
    span: Span,
    /// The span of the left side.
    lhs: Span,
    /// True if [`Pattern::is_linear`] holds for the pattern.
    linear: bool,
}

/// A predicate that holds where one of its patterns matches the term or a function that the term
/// applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// The parameters.
    pub params: Box<[(Name, ParamKind)]>,
    pub(crate) patterns: Box<[Matcher]>,
    pub(crate) id: RuleId,
}

/// A single compiled pattern, such as that of a `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    pattern: Pattern,
    /// The names and kinds of the outputs of a match: the metavariables that are not anonymous, by
    /// first occurrence, then the variables for values that the pattern binds, in source order.
    pub variables: Box<[(Name, VariableKind)]>,
    outputs: Box<[Output]>,
}

/// The source of the value of an output of a match.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    Value(u16),
    TypeLevel(Arg),
    /// A variable that the pattern binds.
    Local(u16),
}

/// A compiled term with parameters, such as `rise { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quotation {
    /// The parameters.
    pub params: Box<[(Name, ParamKind)]>,
    pattern: Pattern,
    template: Template,
}

/// The syntax from which a rule is compiled.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The item that contains the terms.
    pub item: &'a ast::Item,
    /// The text of the item.
    pub text: &'a str,
    /// The alternatives.
    pub alts: &'a [ast::Alt],
    /// The name; empty for an inline rule.
    pub name: &'a str,
    /// The parameters of the rule and the captured names, with their kinds.
    pub params: &'a [(Name, ParamKind)],
    /// True if the rule is marked `unsafe`.
    pub is_unsafe: bool,
    /// True if the rule is marked `@looping`.
    pub looping: bool,
    /// The RISE definitions in scope.
    pub env: &'a dyn Env,
}

/// The compiled strategy of a condition `holds(s, x)`.
pub type Test = Arc<dyn Fn(&mut Context<'_>, Term) -> bool + Send + Sync>;

/// A function that returns the RISE definition with an identifier; `None` if it is unknown.
pub type Definitions = Arc<dyn Fn(GlobalId) -> Option<Arc<Def<Primitive>>> + Send + Sync>;

/// The environment of a rule, apart from the place where it is applied.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The strategies of `holds(s, x)`, one for each of [`Rule::holds`].
    pub tests: &'a [Test],
    /// The definitions that rules may unfold.
    pub definitions: &'a Definitions,
}

impl<'a> Host<'a> {
    /// Returns the environment of a rule without `holds(s, x)`.
    pub fn of(definitions: &'a Definitions) -> Host<'a> {
        Host {
            tests: &[],
            definitions,
        }
    }
}

/// The context of an application of a rule: the context in the engine, the memo, and the
/// environment.
struct Ctx<'a, 'c> {
    cx: &'a mut Context<'c>,
    memo: &'a mut Memo,
    host: Host<'a>,
}

impl Ctx<'_, '_> {
    fn holds(&mut self, number: usize, term: Term) -> bool {
        // The test may apply rules itself, so the memo is put back into the store during the call.
        let Some(test) = self.host.tests.get(number) else {
            return false;
        };
        self.cx.store.cache.put(Box::new(std::mem::take(self.memo)));
        let holds = test(self.cx, term);
        *self.memo = *self.cx.store.cache.take();
        holds
    }
}

/// The result of applying a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The new term. Its type is provably equal to that of the old one.
    pub term: Term,
    /// The number of last arguments of the term to which the rule was not applied: it rewrote the
    /// function that is applied to them.
    pub outside: u32,
    /// The index of the alternative that was applied.
    pub alt: u32,
    /// The assumptions on which the rewrite depends.
    pub assumptions: Arc<[Assumption]>,
}

/// The identity of a compiled rule: clones are equal, and separate compilations differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RuleId(u64);

impl RuleId {
    fn fresh() -> RuleId {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        RuleId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rule")
    }
}

impl Quotation {
    /// Returns the literal, if the quotation is a number literal whose type is not determined.
    pub fn open_literal(&self) -> Option<&Literal> {
        self.template.open_literal()
    }
}

impl Rule {
    /// Returns the number of alternatives.
    pub fn alts(&self) -> usize {
        self.alts.len()
    }

    /// Returns the number of levels of nodes of the deepest pattern; 0 if there are no
    /// alternatives.
    pub fn depth(&self) -> u32 {
        self.alts
            .iter()
            .map(|alt| alt.pattern.depth)
            .max()
            .unwrap_or(0)
    }
}
