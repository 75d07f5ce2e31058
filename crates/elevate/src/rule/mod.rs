//! Rules: two sides in RISE, what must hold for them, and what becomes of a term.
//!
//! A rule is compiled once, independently of any [`Store`](crate::term::Store). Both sides are
//! inferred by RISE's own inference under one assignment ([`rise::Sides`]), so that a rule whose
//! right side has another type than its left is an error in the file that says it, and a
//! rewritten program never has to be inferred again.
//!
//! Matching has two phases. The first compares the structure of the term with the pattern, node
//! by node, and looks at no type. The second solves the sizes and types, decides the conditions on
//! them and builds the parts of the right side that depend on nothing else; its results are kept
//! in a [`Memo`] by what the first phase saw, so that the same rule at the same types costs one
//! look-up.
//!
//! After "Reference: ELEVATE" sections 2 and 9.

mod applied;
mod apply;
mod because;
mod compile;
mod cond;
mod folded;
mod laws;
mod level;
mod matching;
mod miss;
mod names;
mod numbers;
mod pattern;
mod scope;
mod template;
mod vars;
mod vectorized;
pub mod weights;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use nat::{Nat, Prop};
use rise::core::Def;
use rise::types::{Address, Arg, Ty};
use rise::{Env, Primitive};
use syntax::ast::{Kind, Literal, Name};
use syntax::elevate::ast::{self, ExprId};
use syntax::{GlobalId, Span};

use crate::engine::Context;
use crate::term::Term;

pub use applied::Applied;
pub use apply::{apply, holds, instantiate, matches, matches_only, unfold};
pub use because::Because;
pub(crate) use compile::compare;
pub use compile::{Open, Outline, StandsFor, outlines};
pub use compile::{compile, compile_pattern, compile_predicate, compile_template};
pub(crate) use level::Kept;
pub use level::Memo;
pub use miss::{Detail, Explained, Miss, Why};

use cond::Clause;
use pattern::Pattern;
use template::Template;

/// What a parameter of a rule stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// A size.
    Nat,
    /// A number; a size in terms.
    Int,
    /// An address space.
    Address,
    /// A term.
    Expr,
    /// A type.
    Type,
    /// A strategy or anything else that terms cannot mention.
    Strategy,
}

/// What a rule is given for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleArg {
    /// For [`ParamKind::Nat`] and [`ParamKind::Int`]. A variable that nothing binds is a size that
    /// stays open.
    Nat(Nat),
    /// The same.
    Int(i64),
    /// For [`ParamKind::Address`].
    Address(Address),
    /// For [`ParamKind::Expr`].
    Expr(Term),
    /// The same: a number that does not say its type, which has the type of the place.
    Literal(Literal),
    /// For [`ParamKind::Type`].
    Type(Ty),
    /// For what terms cannot mention.
    Other,
}

/// What a metavariable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// A term.
    Value,
    /// A size, type, address space or type-level function.
    Level(Kind),
}

/// A rule, ready to be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What it is called; empty for a rule without a name.
    pub name: Name,
    /// Its parameters, which are given with each application in this order.
    pub params: Box<[(Name, ParamKind)]>,
    /// The alternatives; the first that applies is taken.
    pub(crate) alts: Box<[Alt]>,
    /// Whether it says that what it does need not keep the meaning.
    pub is_unsafe: bool,
    /// Whether it says that it applies to its own results.
    pub looping: bool,
    /// The strategies of `holds(s, x)`, in order: what [`Ctx::holds`] is asked for by number.
    pub holds: Box<[ExprId]>,
    /// Distinguishes it in a [`Memo`].
    pub(crate) id: Identity,
}

/// An alternative of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alt {
    pattern: Pattern,
    template: Template,
    clauses: Box<[Clause]>,
    /// `let fv = vectorized(k, f)`.
    made: Box<[template::Made]>,
    span: Span,
    /// The left side.
    lhs: Span,
    /// Whether no metavariable stands in two places.
    linear: bool,
}

/// Patterns of which one must match.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// Its parameters.
    pub params: Box<[(Name, ParamKind)]>,
    pub(crate) patterns: Box<[Matcher]>,
    pub(crate) id: Identity,
}

/// A pattern on its own, as in `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    pattern: Pattern,
    /// Its metavariables in the order of the text, then the variables that it binds: what a match
    /// gives values to.
    pub variables: Box<[(Name, VariableKind)]>,
    outputs: Box<[Output]>,
}

/// Where the value of a metavariable is found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Output {
    Value(u16),
    Level(Arg),
    /// A variable that the pattern binds.
    Local(u16),
}

/// A term with parameters, as in `rise { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quotation {
    /// Its parameters.
    pub params: Box<[(Name, ParamKind)]>,
    pattern: Pattern,
    template: Template,
}

/// The text that a rule is made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The item that holds the terms.
    pub item: &'a ast::Item,
    /// The item's text.
    pub text: &'a str,
    /// The alternatives.
    pub alts: &'a [ast::Alt],
    /// The name, if it has one.
    pub name: &'a str,
    /// What its parameters and the names around it stand for.
    pub params: &'a [(Name, ParamKind)],
    /// Whether `unsafe` stands before it.
    pub is_unsafe: bool,
    /// Whether `@looping` stands before it.
    pub looping: bool,
    /// What names of RISE mean.
    pub env: &'a dyn Env,
}

/// A strategy of `holds(s, x)`, ready to be tried on a term.
pub type Test = Arc<dyn Fn(&mut Context<'_>, Term) -> bool + Send + Sync>;

/// Definitions of RISE by number.
pub type Definitions = Arc<dyn Fn(GlobalId) -> Option<Arc<Def<Primitive>>> + Send + Sync>;

/// What a rule may ask for besides the place where it is applied.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The strategies of `holds(s, x)`, one for each of [`Rule::holds`].
    pub tests: &'a [Test],
    /// What names of definitions stand for.
    pub definitions: &'a Definitions,
}

/// Where a rule is applied, and what it may ask for.
struct Ctx<'a, 'c> {
    cx: &'a mut Context<'c>,
    memo: &'a mut Memo,
    host: Host<'a>,
}

impl Ctx<'_, '_> {
    fn holds(&mut self, number: usize, term: Term) -> bool {
        // The test may apply rules itself: it gets the memo.
        let Some(test) = self.host.tests.get(number) else {
            return false;
        };
        self.cx.store.rules.0 = Some(Box::new(std::mem::take(self.memo)));
        let holds = test(self.cx, term);
        *self.memo = *self.cx.store.rules.0.take().unwrap_or_default();
        holds
    }
}

/// What became of a term.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The new term, with the type of the old one.
    pub term: Term,
    /// How many arguments of the application were left as they are: the rule applied to the
    /// function in front of them.
    pub outside: u32,
    /// Which alternative it was.
    pub alt: u32,
    /// What is assumed.
    pub assumptions: Arc<[Assumption]>,
}

/// What a rewritten program assumes that was not proved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Assumption {
    /// A condition on sizes.
    Size(Prop),
    /// Something else, in words: `add is associative (up to rounding)`.
    Said(Arc<str>),
}

/// Which rule it is: equal for clones, and never for two compilations.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Identity(u64);

impl Identity {
    fn fresh() -> Identity {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Identity(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rule")
    }
}

impl Quotation {
    /// The number that it is, if it is one that does not say its type.
    pub fn open_literal(&self) -> Option<&Literal> {
        self.template.open_literal()
    }
}

impl Rule {
    /// Where the alternative stands in its item.
    pub fn alt_span(&self, alt: usize) -> Option<Span> {
        Some(self.alts.get(alt)?.span)
    }

    /// How many alternatives it has.
    pub fn alts(&self) -> usize {
        self.alts.len()
    }

    /// How deeply its patterns look into a term: what is below cannot make a difference to whether
    /// it applies, conditions aside.
    pub fn depth(&self) -> u32 {
        self.alts
            .iter()
            .map(|alt| alt.pattern.depth)
            .max()
            .unwrap_or(0)
    }
}
