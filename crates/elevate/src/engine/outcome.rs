//! The options of a run, and its results.

use std::sync::Arc;

use nat::Facts;

use super::rewrite::{Assumption, Reason};
use crate::term::{Order, Path, Term};

/// The options of a run.
#[derive(Clone)]
pub struct Options<'a> {
    /// The order in which `one` tries the children of `f(e)`.
    pub order: Order,
    /// The maximal number of rule applications that change the term, including those that are
    /// undone and those of normal forms.
    pub steps: u64,
    /// The maximal amount of work: each iteration of the main loop of the machine, and each
    /// application of a strategy by a traversal, counts 1.
    pub work: u64,
    /// True if the steps are recorded in [`Outcome::trace`].
    pub trace: bool,
    /// The facts about sizes that are known before the run.
    pub facts: Facts,
    /// A function that is called regularly and returns true to cancel the run.
    pub cancelled: Option<&'a dyn Fn() -> bool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            order: Order::Default,
            steps: 10_000_000,
            work: 2_000_000_000,
            trace: false,
            facts: Facts::new(),
            cancelled: None,
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The new term, or the failure.
    pub result: Result<Term, Failure>,
    /// The number of rule applications that change the term and are not undone, except those by
    /// normal forms and housekeeping strategies. It is also counted if the strategy fails.
    pub steps: u64,
    /// The number of rule applications by normal forms and [housekeeping
    /// strategies](super::StrategyKind::Housekeeping) that are not undone. They are not counted in
    /// `steps`.
    pub housekeeping: u64,
    /// The number of applications of each rule and normal form that change the term and are not
    /// undone, in the order of the first application.
    pub counts: Vec<RuleCount>,
    /// The steps that are not undone, if [`Options::trace`] is set.
    pub trace: Vec<TraceStep>,
    /// The assumptions of the rules that are not undone, without duplicates.
    pub assumptions: Vec<Assumption>,
    /// The amount of work: see [`Options::work`].
    pub work: u64,
}

/// The number of applications of a rule or normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCount {
    /// The rule with its arguments, or the normal form.
    pub rule: Arc<str>,
    /// The number of applications as a step.
    pub steps: u64,
    /// The number of applications in normal forms and housekeeping strategies, which are not
    /// counted as steps.
    pub housekeeping: u64,
}

/// A step of a run that changes the program: the application of a rule, of a normal form or of a
/// housekeeping strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// The rule with its arguments, and for a rule that makes choices with these as arguments, or the
    /// name of the normal form or housekeeping strategy.
    pub rule: Arc<str>,
    /// The names of the enclosing named strategies and housekeeping strategies, outermost first.
    pub strategies: Vec<Arc<str>>,
    /// The path to the term that was rewritten.
    pub path: Path,
    /// The term at this path before the step.
    pub focus: Term,
    /// The term at this path after the step.
    pub result: Term,
    /// The program before the step.
    pub before: Term,
    /// The program after the step.
    pub after: Term,
    /// The assumptions that the rule added to those of the run; none for a normal form or a
    /// housekeeping strategy.
    pub assumptions: Vec<Assumption>,
    /// For the steps of a normal form or a housekeeping strategy, the number of rule applications
    /// that this step combines; 0 for other steps.
    pub housekeeping: u64,
}

/// The place and the reason of the failure of a strategy. Among the recorded failures, it is the
/// one after the largest number of successes of a first strategy `a` of `a ; b`, and among these
/// the one that was nearest to a match. For a run that is stopped, such as by a limit of
/// [`Options`], it contains the reason for this instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The names of the enclosing named strategies and housekeeping strategies, outermost first;
    /// none if the run was stopped.
    pub strategies: Vec<Arc<str>>,
    /// The rule that failed, with its arguments; `None` if something else failed, such as a
    /// predicate or a traversal, or the run was stopped.
    pub rule: Option<Arc<str>>,
    /// The path to the term on which the strategy failed; the root if the run was stopped.
    pub path: Path,
    /// The term at this path.
    pub focus: Term,
    /// The whole program at the time of the failure, with the rewrites before it; the original
    /// program if the run was stopped.
    pub root: Term,
    /// The reason why the rule does not apply, or the run was stopped.
    pub reason: Reason,
}
