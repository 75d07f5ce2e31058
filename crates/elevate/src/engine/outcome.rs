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
    /// True if every step is recorded.
    pub trace: bool,
    /// The known facts about sizes.
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
    /// The number of steps that lead to the result: rule applications that change the term. Undone
    /// steps do not count. For a failure, the number of steps before it.
    pub steps: u64,
    /// The number of rule applications by normal forms and [housekeeping
    /// strategies](super::StrategyKind::Housekeeping), which are not counted as steps. Undone ones
    /// do not count.
    pub housekeeping: u64,
    /// The number of applications of each rule that are not undone, in the order of the first
    /// application.
    pub counts: Vec<RuleCount>,
    /// The steps, if [`Options::trace`] is set.
    pub trace: Vec<TraceStep>,
    /// The assumptions of the rules, without duplicates.
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

/// A step of a run: an application of a rule that changes the program.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// The rule with its arguments; for the steps of a normal form or a housekeeping strategy, its
    /// name.
    pub rule: Arc<str>,
    /// The names of the enclosing strategies, outermost first.
    pub strategies: Vec<Arc<str>>,
    /// The place where the rule was applied.
    pub path: Path,
    /// The term at this place before the step.
    pub focus: Term,
    /// The term at this place after the step.
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

/// The reason why a strategy failed. Among the recorded failures, it is the one after the largest
/// number of successes, and among these the one that was nearest to a match. A run that is stopped,
/// such as by a limit of [`Options`], has the reason for this instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The names of the enclosing strategies, outermost first.
    pub strategies: Vec<Arc<str>>,
    /// The rule that failed, with its arguments; `None` if something else failed, such as a
    /// predicate or a traversal, or the run was stopped.
    pub rule: Option<Arc<str>>,
    /// The place of the failure; the root if the run was stopped.
    pub path: Path,
    /// The term at this place.
    pub focus: Term,
    /// The whole program at the time of the failure, with the rewrites before it; the original
    /// program if the run was stopped.
    pub root: Term,
    /// The reason why the rule does not apply, or the run was stopped.
    pub reason: Reason,
}
