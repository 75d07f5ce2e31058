//! Strategies as data.

use std::fmt;
use std::sync::Arc;

use rise::Primitive;
use syntax::GlobalId;
use syntax::ast::Name;

use super::rewrite::{Context, Reason, Rewrite};
use crate::normal::NormalForm;
use crate::term::{Head, Heads, Order, Path, Term};

/// A strategy: shared, so cloning costs nothing.
pub type Strategy = Arc<Step>;

/// What a strategy is made of.
///
/// The equations are those of the ELEVATE paper and its implementation (sections 1.2 to 1.7 of the
/// reference); where a form is one that others express, the equation says how.
#[derive(Clone)]
pub enum Step {
    /// The program as it is.
    Id,
    /// Fails, saying so.
    Fail(Arc<str>),
    /// A rule with its arguments.
    Rule(Arc<dyn Rewrite>),
    /// `a ; b`: `b` on what `a` gives.
    Seq(Strategy, Strategy),
    /// `a <+ b`: `b` on the original where `a` fails.
    Choice(Strategy, Strategy),
    /// If the first succeeds, the second, else the third, each on the original: that the second
    /// fails does not bring back the third.
    Select(Strategy, Strategy, Strategy),
    /// The program as it is, where the strategy fails.
    Not(Strategy),
    /// On every part; fails if one fails.
    All(Strategy),
    /// On the first part where it succeeds; fails if there is none.
    One(Strategy),
    /// On every part where it succeeds; fails if there is none.
    Some(Strategy),
    /// On the body of a function.
    Body(Strategy),
    /// On the `f` of `f(e)`.
    Function(Strategy),
    /// On the `e` of `f(e)`.
    Argument(Strategy),
    /// On the `e` of `p(e)`, where `p` is this primitive without any value.
    ArgumentOf(Primitive, Strategy),
    /// On the `f` of `f(n)` for a type-level argument.
    DepFunction(Strategy),
    /// On what stands at a position.
    At(Path, Strategy),
    /// `s <+ one(topDown(s))`
    TopDown(Strategy),
    /// `one(bottomUp(s)) <+ s`
    BottomUp(Strategy),
    /// `s ; all(allTopDown(s))`
    AllTopDown(Strategy),
    /// `all(allBottomUp(s)) ; s`
    AllBottomUp(Strategy),
    /// `a ; all(downUp(a, b)) ; b`
    DownUp(Strategy, Strategy),
    /// `all(tryAll(try(s))) ; try(s)`
    TryAll(Strategy),
    /// `s <+ all(allTd(s))`
    AllTd(Strategy),
    /// `s <+ some(someTd(s))`
    SomeTd(Strategy),
    /// `some(someBu(s)) <+ s`
    SomeBu(Strategy),
    /// `s <+ id`
    Try(Strategy),
    /// `try(s ; repeat(s))`
    Repeat(Strategy),
    /// So many times, one after the other; fails if one fails.
    Times(u32, Strategy),
    /// `repeat(topDown(s))`, without starting over at the root.
    Normalize(Strategy),
    /// On the first node, parents before their parts, where it succeeds after it would have
    /// succeeded on so many others.
    Skip(u32, Strategy),
    /// On a node so many levels below: `one` as many times.
    Position(u32, Strategy),
    /// Fails if the strategy takes more steps.
    Limit(u64, Strategy),
    /// With another order of parts for `one` and what is made of it.
    InOrder(Order, Strategy),
    /// A strategy whose steps are counted apart and shown as one, under this name.
    Housekeeping(Arc<str>, Strategy),
    /// A normal form; its steps are housekeeping.
    NormalForm(NormalForm),
    /// A question about the term.
    Predicate(Predicate),
    /// The term as it is, where it is this one up to the names of bound variables.
    IsEqualTo(Term),
    /// The same, whatever the types are.
    IsEqualToUntyped(Term),
    /// This term, whatever there was.
    Insert(Term),
    /// Under the name of its definition, with its arguments as they are written: for traces and
    /// messages.
    Named(Arc<str>, Strategy),
    /// Made only where it is applied, and once: recursion.
    Delay(Arc<dyn Fn() -> Strategy + Send + Sync>),
    /// A function of the term, under a name for messages.
    Call(Arc<str>, Arc<Function>),
}

/// A function of the term as a strategy: see [`Next`].
pub type Function = dyn Fn(&mut Context<'_>, Term) -> Next + Send + Sync;

/// What follows a [`Next::Then`].
pub type Continuation = Box<dyn FnOnce(&mut Context<'_>, Result<Term, Failed>) -> Next + Send>;

/// What a [`Step::Call`] wants to be done: the machine does it, so that strategies that call
/// strategies do not nest on the stack of the thread.
pub enum Next {
    /// It is done.
    Done(Result<Term, Reason>),
    /// Apply a strategy to a term; its result is that of the function.
    Apply(Strategy, Term),
    /// Apply a strategy to a term, and go on with the result.
    Then(Strategy, Term, Continuation),
}

/// A strategy failed. Why is kept by the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// A question about a term: the nodes of the bare form, without looking further.
#[derive(Clone)]
pub enum Predicate {
    /// A function of a value.
    IsLambda,
    /// A function of a type-level argument.
    IsDepLambda,
    /// A variable.
    IsIdentifier,
    /// `f(e)` with a value.
    IsApply,
    /// `f(n)` with a type-level argument.
    IsDepApply,
    /// A literal, or a size as a value.
    IsLiteral,
    /// This primitive, without values.
    IsPrimitive(Primitive),
    /// This definition, by its name.
    IsGlobal(GlobalId, Name),
    /// Its type is an array.
    IsArray,
    /// Its type is a function of values.
    IsFunction,
    /// What Rust says, under a name for messages.
    Other(Arc<str>, Arc<Test>),
}

/// A question that Rust answers.
pub type Test = dyn Fn(&mut Context<'_>, Term) -> bool + Send + Sync;

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl Predicate {
    /// What may stand at the head of a term of which it holds.
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

    /// As strategies name it.
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
            Predicate::IsFunction => "isFunction".into(),
            Predicate::Other(name, _) => name.to_string(),
        }
    }
}

/// Strategies made of strategies.
impl Step {
    /// The program as it is.
    pub fn id() -> Strategy {
        Arc::new(Step::Id)
    }

    /// Fails.
    pub fn fail() -> Strategy {
        Arc::new(Step::Fail("fail".into()))
    }

    /// A rule.
    pub fn rule(rule: impl Rewrite + 'static) -> Strategy {
        Arc::new(Step::Rule(Arc::new(rule)))
    }

    /// One after the other; `id` if there is none.
    pub fn seq(all: impl IntoIterator<Item = Strategy>) -> Strategy {
        let then = |a, b| Arc::new(Step::Seq(a, b));
        all.into_iter().reduce(then).unwrap_or_else(Step::id)
    }

    /// The first that succeeds; `fail` if there is none.
    pub fn choice(all: impl IntoIterator<Item = Strategy>) -> Strategy {
        let or = |a, b| Arc::new(Step::Choice(a, b));
        all.into_iter().reduce(or).unwrap_or_else(Step::fail)
    }

    /// `(c ; (t <+ id)) <+ e`
    pub fn if_then_else(c: Strategy, t: Strategy, e: Strategy) -> Strategy {
        let then = Step::seq([c, Arc::new(Step::Try(t))]);
        Step::choice([then, e])
    }

    /// `f(f(…(s)))`, so many times.
    pub fn apply_times(times: u32, f: impl Fn(Strategy) -> Strategy, s: Strategy) -> Strategy {
        (0..times).fold(s, |s, _| f(s))
    }

    /// `function(argumentOf(map, body(s)))`: goes into the function of a map.
    pub fn fmap(s: Strategy) -> Strategy {
        let inner = Step::ArgumentOf(Primitive::Map, Arc::new(Step::Body(s)));
        Arc::new(Step::Function(Arc::new(inner)))
    }

    /// A question.
    pub fn test(predicate: Predicate) -> Strategy {
        Arc::new(Step::Predicate(predicate))
    }

    /// The same strategy as a list of steps that each start at the root: `body(a ; b)` is
    /// `body(a) ; body(b)`, for `function`, `argument` and `argumentOf` alike (*fissioned normal
    /// form*). Names in between are looked through.
    pub fn fissioned(strategy: &Strategy) -> Strategy {
        Step::seq(located(strategy))
    }
}

/// The steps of a strategy, each with the ways to its place around it.
fn located(strategy: &Strategy) -> Vec<Strategy> {
    let mut open = vec![(strategy.clone(), Vec::<Strategy>::new())];
    let mut found = Vec::new();
    while let Some((here, mut ways)) = open.pop() {
        match &*here {
            Step::Seq(a, b) => {
                open.push((b.clone(), ways.clone()));
                open.push((a.clone(), ways));
            }
            Step::Named(_, inner) => open.push((inner.clone(), ways)),
            Step::Body(inner)
            | Step::Function(inner)
            | Step::Argument(inner)
            | Step::ArgumentOf(_, inner)
            | Step::DepFunction(inner) => {
                let inner = inner.clone();
                ways.push(here);
                open.push((inner, ways));
            }
            _ => found.push(ways.iter().rev().fold(here.clone(), |s, way| {
                Arc::new(match &**way {
                    Step::Body(_) => Step::Body(s),
                    Step::Function(_) => Step::Function(s),
                    Step::Argument(_) => Step::Argument(s),
                    Step::ArgumentOf(primitive, _) => Step::ArgumentOf(*primitive, s),
                    _ => Step::DepFunction(s),
                })
            })),
        }
    }
    found
}

/// As strategies are written, so far as they are not functions.
impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |f: &mut fmt::Formatter<'_>, name: &str, s: &Strategy| write!(f, "{name}({s:?})");
        match self {
            Step::Id => f.write_str("id"),
            Step::Fail(_) => f.write_str("fail"),
            Step::Rule(rule) => write!(f, "{}{}", rule.name(), rule.args()),
            Step::Seq(a, b) => write!(f, "({a:?} ; {b:?})"),
            Step::Choice(a, b) => write!(f, "({a:?} <+ {b:?})"),
            Step::Select(c, a, b) => write!(f, "select({c:?}, {a:?}, {b:?})"),
            Step::Not(s) => one(f, "not", s),
            Step::All(s) => one(f, "all", s),
            Step::One(s) => one(f, "one", s),
            Step::Some(s) => one(f, "some", s),
            Step::Body(s) => one(f, "body", s),
            Step::Function(s) => one(f, "function", s),
            Step::Argument(s) => one(f, "argument", s),
            Step::ArgumentOf(p, s) => write!(f, "argumentOf({}, {s:?})", p.name()),
            Step::DepFunction(s) => one(f, "depFunction", s),
            Step::At(path, s) => write!(f, "at({path})({s:?})"),
            Step::TopDown(s) => one(f, "topDown", s),
            Step::BottomUp(s) => one(f, "bottomUp", s),
            Step::AllTopDown(s) => one(f, "allTopdown", s),
            Step::AllBottomUp(s) => one(f, "allBottomup", s),
            Step::DownUp(a, b) => write!(f, "downup2({a:?}, {b:?})"),
            Step::TryAll(s) => one(f, "tryAll", s),
            Step::AllTd(s) => one(f, "alltd", s),
            Step::SomeTd(s) => one(f, "sometd", s),
            Step::SomeBu(s) => one(f, "somebu", s),
            Step::Try(s) => one(f, "try", s),
            Step::Repeat(s) => one(f, "repeat", s),
            Step::Times(n, s) => write!(f, "repeatNTimes({n})({s:?})"),
            Step::Normalize(s) => one(f, "normalize", s),
            Step::Skip(n, s) => write!(f, "skip({n})({s:?})"),
            Step::Position(n, s) => write!(f, "position({n})({s:?})"),
            Step::Limit(n, s) => write!(f, "limit({n})({s:?})"),
            Step::InOrder(_, s) => write!(f, "{s:?}"),
            Step::Housekeeping(name, _) | Step::Named(name, _) | Step::Call(name, _) => {
                f.write_str(name)
            }
            Step::NormalForm(form) => f.write_str(form.name()),
            Step::Predicate(predicate) => write!(f, "{predicate:?}"),
            Step::IsEqualTo(_) => f.write_str("isEqualTo(…)"),
            Step::IsEqualToUntyped(_) => f.write_str("isEqualToUntyped(…)"),
            Step::Insert(_) => f.write_str("insert(…)"),
            Step::Delay(_) => f.write_str("…"),
        }
    }
}
