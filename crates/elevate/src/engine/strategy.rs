//! Defines strategies as data.

use std::fmt;
use std::sync::Arc;

use rise::Primitive;
use syntax::GlobalId;
use syntax::ast::Name;

use super::rewrite::{Context, Reason, Rewrite};
use crate::normal::NormalForm;
use crate::term::{Head, Heads, Path, Term};

/// A strategy. It is reference-counted, so cloning is cheap.
pub type Strategy = Arc<StrategyKind>;

/// The constructors of strategies.
///
/// If other constructors can express a strategy, its description contains the equation, which is
/// that of the ELEVATE paper and its implementation. Children of a term are values and bodies, not
/// type-level arguments.
#[derive(Clone)]
pub enum StrategyKind {
    /// Returns the program unchanged.
    Id,
    /// Always fails. The text is not used.
    Fail(Arc<str>),
    /// Applies a rule, which includes its arguments.
    Rule(Arc<dyn Rewrite>),
    /// `a ; b`: applies `b` to the result of `a`.
    Seq(Strategy, Strategy),
    /// `a <+ b`: applies `b` to the original where `a` fails.
    Choice(Strategy, Strategy),
    /// Returns the program unchanged if the strategy fails; fails if it succeeds.
    Not(Strategy),
    /// Applies a strategy to every child; fails if it fails on one. Succeeds on a term without
    /// children.
    All(Strategy),
    /// Applies a strategy to the first child, in the order of [`Options::order`](super::Options),
    /// on which it succeeds; fails if there is none.
    One(Strategy),
    /// Applies a strategy to every child on which it succeeds; fails if there is none.
    Some(Strategy),
    /// Applies a strategy to the body of an abstraction; fails on other terms.
    Body(Strategy),
    /// Applies a strategy to the `f` of `f(e)`, where `e` is a value; fails on other terms.
    Function(Strategy),
    /// Applies a strategy to the `e` of `f(e)`, where `e` is a value; fails on other terms.
    Argument(Strategy),
    /// Applies a strategy to the `f` of `f(n)`, where `n` is a type-level argument; fails on other
    /// terms.
    DepFunction(Strategy),
    /// Applies a strategy to the subterm at a path; fails if there is no such subterm.
    At(Path, Strategy),
    /// Applies a strategy to the first node, in pre-order, on which it succeeds: `s <+
    /// one(topDown(s))`.
    TopDown(Strategy),
    /// Applies a strategy to the first node, in post-order, on which it succeeds: `one(bottomUp(s))
    /// <+ s`.
    BottomUp(Strategy),
    /// Applies a strategy to every node, parents before children; fails if it fails on one: `s ;
    /// all(allTopDown(s))`.
    AllTopDown(Strategy),
    /// Applies a strategy to every node, children before parents; fails if it fails on one:
    /// `all(allBottomUp(s)) ; s`.
    AllBottomUp(Strategy),
    /// Applies a strategy to every node on which it succeeds, in post-order, and does not fail if
    /// there is none: `all(tryAll(try(s))) ; try(s)`.
    TryAll(Strategy),
    /// Applies a strategy to every outermost node on which it succeeds, and does not fail if there
    /// is none: `s <+ all(allTd(s))`.
    AllTd(Strategy),
    /// Applies a strategy to every outermost node on which it succeeds; fails if there is none: `s
    /// <+ some(someTd(s))`.
    SomeTd(Strategy),
    /// Applies a strategy to every innermost node on which it succeeds; fails if there is none:
    /// `some(someBu(s)) <+ s`.
    SomeBu(Strategy),
    /// Applies a strategy, and returns the program unchanged if it fails: `s <+ id`.
    Try(Strategy),
    /// Applies a strategy until it fails, and returns the last result: `try(s ; repeat(s))`. The
    /// run ends with [`Reason::Endless`] if an application returns its argument, or a cycle of
    /// terms is found.
    Repeat(Strategy),
    /// Applies a strategy the given number of times in sequence; fails if one application fails.
    Times(u32, Strategy),
    /// `repeat(topDown(s))`, computed without starting over at the root unless `s` depends on the
    /// context of its term. The run ends with [`Reason::Endless`] as for [`Self::Repeat`].
    Normalize(Strategy),
    /// Applies a strategy to the first node, in pre-order, on which it succeeds after the given
    /// number of earlier successes, whose results are dropped; fails if there is none. After a
    /// success on an application `f(x)(y)`, `f` and `f(x)` are not tried.
    Skip(u32, Strategy),
    /// Applies a strategy; fails if this takes more than the given number of rule applications that
    /// change the term, including those that are undone and those of normal forms.
    Limit(u64, Strategy),
    /// Applies a strategy whose steps are housekeeping: they are counted apart from other steps and
    /// shown in the trace as one step of this name.
    Housekeeping(Arc<str>, Strategy),
    /// Computes a normal form. Its steps are counted apart, as those of [`Self::Housekeeping`].
    NormalForm(NormalForm),
    /// Returns the program unchanged if the predicate holds; fails if it does not.
    Predicate(Predicate),
    /// Applies a strategy under the name of its definition, with the arguments as they are written,
    /// for traces and messages.
    Named(Arc<str>, Strategy),
    /// Constructs a strategy when a run first needs it, only once in each run, and applies it. This
    /// allows recursion.
    Delay(Arc<dyn Fn() -> Strategy + Send + Sync>),
    /// Applies a function of the term. The name is for messages.
    Call(Arc<str>, Arc<Function>),
}

/// A strategy as a function of the term: see [`CallResult`].
pub type Function = dyn Fn(&mut Context<'_>, Term) -> CallResult + Send + Sync;

/// The result of a [`StrategyKind::Call`]. The machine applies the strategy in it, so that
/// strategies that call strategies do not nest on the stack of the thread.
pub enum CallResult {
    /// Ends the call with the new term, or with the reason of its failure.
    Done(Result<Term, Reason>),
    /// Applies a strategy to a term; its result is that of the call.
    Apply(Strategy, Term),
}

/// The failure of a strategy. The machine keeps the reason, if it records the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// A predicate on a term. It depends on the root node of the term and its type only, except for
/// `Other`.
#[derive(Clone)]
pub enum Predicate {
    /// The term is an abstraction over a value.
    IsLambda,
    /// The term is an abstraction over a type-level argument.
    IsDepLambda,
    /// The term is a variable for values.
    IsIdentifier,
    /// The term is an application `f(e)` to a value.
    IsApply,
    /// The term is an application `f(n)` to a type-level argument.
    IsDepApply,
    /// The term is a literal, or a size as a value.
    IsLiteral,
    /// The term is this primitive, not applied to a value.
    IsPrimitive(Primitive),
    /// The term is a reference to this definition, not applied to a value. The name is for
    /// messages.
    IsGlobal(GlobalId, Name),
    /// The type of the term is an array.
    IsArray,
    /// A Rust function holds for the term. The name is for messages.
    Other(Arc<str>, Arc<Test>),
}

/// A predicate that is a Rust function.
pub type Test = dyn Fn(&mut Context<'_>, Term) -> bool + Send + Sync;

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Predicate {
    /// Returns a superset of the heads of the terms for which the predicate holds.
    pub(super) fn heads(&self) -> Heads {
        Heads::of([match self {
            Predicate::IsLambda => Head::LAMBDA,
            Predicate::IsDepLambda => Head::DEP_LAMBDA,
            Predicate::IsIdentifier => Head::VAR,
            Predicate::IsLiteral => Head::VALUE,
            Predicate::IsPrimitive(primitive) => Head::primitive(*primitive),
            Predicate::IsGlobal(..) => Head::GLOBAL,
            _ => return Heads::ALL,
        }])
    }

    /// Returns the name of the predicate in strategies.
    pub fn name(&self) -> String {
        match self {
            Predicate::IsLambda => "isLambda".into(),
            Predicate::IsDepLambda => "isDepLambda".into(),
            Predicate::IsIdentifier => "isIdentifier".into(),
            Predicate::IsApply => "isApply".into(),
            Predicate::IsDepApply => "isDepApply".into(),
            Predicate::IsLiteral => "isLiteral".into(),
            Predicate::IsPrimitive(primitive) => format!("isPrimitive({})", primitive.name()),
            Predicate::IsGlobal(_, name) => format!("isPrimitive({name})"),
            Predicate::IsArray => "isArray".into(),
            Predicate::Other(name, _) => name.to_string(),
        }
    }
}

/// Constructors of common strategies.
impl StrategyKind {
    /// Returns the strategy that does not change the program.
    pub fn id() -> Strategy {
        Arc::new(StrategyKind::Id)
    }

    /// Returns the strategy that always fails.
    pub fn fail() -> Strategy {
        Arc::new(StrategyKind::Fail("fail".into()))
    }

    /// Returns the strategy that applies a rule.
    pub fn rule(rule: impl Rewrite + 'static) -> Strategy {
        Arc::new(StrategyKind::Rule(Arc::new(rule)))
    }

    /// Combines strategies in sequence; `id` if there is none.
    pub fn seq(all: impl IntoIterator<Item = Strategy>) -> Strategy {
        let then = |a, b| Arc::new(StrategyKind::Seq(a, b));
        all.into_iter()
            .reduce(then)
            .unwrap_or_else(StrategyKind::id)
    }

    /// Combines strategies by `<+`, which applies the first one that succeeds; `fail` if there is
    /// none.
    pub fn choice(all: impl IntoIterator<Item = Strategy>) -> Strategy {
        let or = |a, b| Arc::new(StrategyKind::Choice(a, b));
        all.into_iter()
            .reduce(or)
            .unwrap_or_else(StrategyKind::fail)
    }

    /// Returns the strategy that succeeds where a predicate holds.
    pub fn test(predicate: Predicate) -> Strategy {
        Arc::new(StrategyKind::Predicate(predicate))
    }
}

/// Formats a strategy in the syntax of ELEVATE, except that a named strategy, a housekeeping
/// strategy and a call are their names, and a strategy that is constructed later is `…`.
impl fmt::Debug for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |f: &mut fmt::Formatter<'_>, name: &str, s: &Strategy| write!(f, "{name}({s:?})");
        match self {
            StrategyKind::Id => f.write_str("id"),
            StrategyKind::Fail(_) => f.write_str("fail"),
            StrategyKind::Rule(rule) => write!(f, "{}{}", rule.name(), rule.args()),
            StrategyKind::Seq(a, b) => write!(f, "({a:?} ; {b:?})"),
            StrategyKind::Choice(a, b) => write!(f, "({a:?} <+ {b:?})"),
            StrategyKind::Not(s) => one(f, "not", s),
            StrategyKind::All(s) => one(f, "all", s),
            StrategyKind::One(s) => one(f, "one", s),
            StrategyKind::Some(s) => one(f, "some", s),
            StrategyKind::Body(s) => one(f, "body", s),
            StrategyKind::Function(s) => one(f, "function", s),
            StrategyKind::Argument(s) => one(f, "argument", s),
            StrategyKind::DepFunction(s) => one(f, "depFunction", s),
            StrategyKind::At(path, s) => write!(f, "at({path})({s:?})"),
            StrategyKind::TopDown(s) => one(f, "topDown", s),
            StrategyKind::BottomUp(s) => one(f, "bottomUp", s),
            StrategyKind::AllTopDown(s) => one(f, "allTopdown", s),
            StrategyKind::AllBottomUp(s) => one(f, "allBottomup", s),
            StrategyKind::TryAll(s) => one(f, "tryAll", s),
            StrategyKind::AllTd(s) => one(f, "alltd", s),
            StrategyKind::SomeTd(s) => one(f, "sometd", s),
            StrategyKind::SomeBu(s) => one(f, "somebu", s),
            StrategyKind::Try(s) => one(f, "try", s),
            StrategyKind::Repeat(s) => one(f, "repeat", s),
            StrategyKind::Times(n, s) => write!(f, "repeatNTimes({n})({s:?})"),
            StrategyKind::Normalize(s) => one(f, "normalize", s),
            StrategyKind::Skip(n, s) => write!(f, "skip({n})({s:?})"),
            StrategyKind::Limit(n, s) => write!(f, "limit({n})({s:?})"),
            StrategyKind::Housekeeping(name, _)
            | StrategyKind::Named(name, _)
            | StrategyKind::Call(name, _) => f.write_str(name),
            StrategyKind::NormalForm(form) => f.write_str(form.name()),
            StrategyKind::Predicate(predicate) => write!(f, "{predicate:?}"),
            StrategyKind::Delay(_) => f.write_str("…"),
        }
    }
}
