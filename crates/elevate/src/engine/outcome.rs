//! What a run is told, and what it says.

use std::sync::Arc;

use nat::Facts;

use super::rewrite::{Assumption, Reason};
use crate::term::{Order, Path, Term};

/// How to run a strategy.
#[derive(Clone)]
pub struct Options<'a> {
    /// In which order `one` tries the parts of `f(e)`.
    pub order: Order,
    /// How many rule applications that change the term may be made, those that are taken back and
    /// those of normal forms included.
    pub steps: u64,
    /// How much may be done in all: an attempt of a rule, a move to another node, each counts 1.
    pub work: u64,
    /// Whether to keep every step.
    pub trace: bool,
    /// What is known of sizes.
    pub facts: Facts,
    /// Asked from time to time whether to stop.
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

/// What a run did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The new term, or why there is none.
    pub result: Result<Term, Failure>,
    /// How many steps lead to the result: rule applications that change the term. What was taken
    /// back does not count. Of a failure: those that were done before it.
    pub steps: u64,
    /// How many more are those of normal forms.
    pub housekeeping: u64,
    /// How often each rule was applied, in the order of the first application.
    pub counts: Vec<RuleCount>,
    /// The steps, if they were asked for.
    pub trace: Vec<TraceStep>,
    /// What rules assumed, each once.
    pub assumptions: Vec<Assumption>,
    /// How much was done: see [`Options::work`].
    pub work: u64,
}

/// How often a rule was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCount {
    /// The rule with its arguments.
    pub rule: Arc<str>,
    /// As a step.
    pub steps: u64,
    /// In normal forms.
    pub housekeeping: u64,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// The rule with its arguments; of housekeeping, the normal form.
    pub rule: Arc<str>,
    /// The strategies by name that it belongs to, the outermost first.
    pub strategies: Vec<Arc<str>>,
    /// Where it was applied.
    pub path: Path,
    /// What stood there.
    pub focus: Term,
    /// What stands there now.
    pub result: Term,
    /// The program before.
    pub before: Term,
    /// The program after.
    pub after: Term,
    /// What the rule assumed.
    pub assumptions: Vec<Assumption>,
    /// Of housekeeping, how many rule applications it stands for; 0 for a step.
    pub housekeeping: u64,
}

/// Why a strategy failed: the rule that came nearest, after as much as possible had succeeded.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The strategies by name around it, the outermost first.
    pub strategies: Vec<Arc<str>>,
    /// The rule or predicate, with its arguments; nothing if no rule failed.
    pub rule: Option<Arc<str>>,
    /// Where it was tried.
    pub path: Path,
    /// On what.
    pub focus: Term,
    /// The whole program then, with what was done before.
    pub root: Term,
    /// Why it does not apply.
    pub reason: Reason,
}
