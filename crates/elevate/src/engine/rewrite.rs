//! Defines the interface between rules and the machine: the trait of rules, their results and the
//! reasons of failures.

use std::fmt;
use std::sync::Arc;

use nat::{Facts, Prop};

use super::strategy::{Failed, Strategy};
use crate::term::{Child, Heads, Store, Term};

/// A rewrite rule.
pub trait Rewrite: fmt::Debug + Send + Sync {
    /// Returns the name of the rule in strategies, for traces, counts and messages.
    fn name(&self) -> &str;

    /// Returns the arguments of the rule as they are written, such as `(32, 32)`; empty if it has
    /// none.
    fn args(&self) -> &str {
        ""
    }

    /// Applies the rule to `term` and returns the new term, whose type is the same or provably
    /// equal.
    ///
    /// A traversal calls this at every node that it visits, so a mismatch must be cheap: no text,
    /// no allocation.
    ///
    /// # Errors
    /// If the rule does not apply, returns a measure of how near it was to a match.
    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank>;

    /// Returns the reason why the rule does not apply to `term`. The machine calls it only for
    /// failures that it records, so it may be slow.
    fn explain(&self, cx: &mut Context<'_>, term: Term) -> Reason;

    /// Returns the part of a term that decides if the rule applies, or a larger one.
    fn reach(&self) -> Reach {
        Reach::WHOLE
    }

    /// Returns a superset of the heads of the terms to which the rule applies. Where failures are
    /// not reported, the rule is tried only on terms with these heads.
    fn heads(&self) -> Heads {
        Heads::ALL
    }
}

/// The result of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The new term, which replaces the old one.
    pub term: Term,
    /// The assumptions on which the rewrite depends: conditions that are not proved.
    pub assumptions: Vec<Assumption>,
    /// The call that makes the same rewrite, with the choices that the rule made as arguments;
    /// `None` for a rule that makes no choices.
    pub explicit: Option<Arc<str>>,
}

impl Rewritten {
    /// Returns a result without assumptions and choices.
    pub fn plain(term: Term) -> Rewritten {
        Rewritten {
            term,
            assumptions: Vec::new(),
            explicit: None,
        }
    }
}

/// A measure of how near a rule was to a match: mismatches are ordered, and the largest is the
/// nearest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MismatchRank {
    /// The number of pattern nodes that match, 0 if the outermost one does not match. If all of
    /// them match and a condition fails, it is at least 65536, so that it is larger than for any
    /// mismatch of a node.
    pub matched: u32,
}

impl MismatchRank {
    /// The mismatch in which not even the outermost node matches.
    pub const LOWEST: MismatchRank = MismatchRank { matched: 0 };

    /// Returns the rank of a mismatch in which all nodes match and a condition fails. Such
    /// mismatches are ordered by `conditions`, for example the number of conditions that hold.
    pub fn in_condition(conditions: u32) -> MismatchRank {
        MismatchRank {
            matched: (1 << 16) + conditions,
        }
    }
}

/// The part of a term that decides if a rule applies to it. It allows `normalize` to continue at
/// the place of a rewrite, instead of starting over at the root.
///
/// A rule may depend on more of the term once it applies: the reach bounds only the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The number of levels of nodes, from the root down, on which the decision may depend; `None`
    /// for all. The decision is the same for all other subterms of the same types below these
    /// levels, so it is `None` for a rule whose pattern repeats a variable.
    pub levels: Option<u32>,
    /// True if the decision may also depend on the free variables of the subterms below these
    /// levels.
    pub free: bool,
    /// True if the decision may also depend on the nodes around the term.
    pub context: bool,
}

impl Reach {
    /// The reach of a rule that may depend on the whole term and its context.
    pub const WHOLE: Reach = Reach {
        levels: None,
        free: true,
        context: true,
    };

    /// Returns the reach of the given number of levels of nodes, and nothing else.
    pub const fn levels(levels: u32) -> Reach {
        Reach {
            levels: Some(levels),
            free: false,
            context: false,
        }
    }

    /// Extends the reach by the free variables of the subterms below the levels.
    pub const fn and_free(self) -> Reach {
        Reach { free: true, ..self }
    }

    /// Returns the smallest reach that includes both.
    pub fn max(self, other: Reach) -> Reach {
        Reach {
            levels: self.levels.zip(other.levels).map(|(a, b)| a.max(b)),
            free: self.free || other.free,
            context: self.context || other.context,
        }
    }

    /// Returns the reach for a term that contains the original term the given number of levels
    /// below its root.
    pub fn below(self, levels: u32) -> Reach {
        Reach {
            levels: self.levels.map(|own| own + levels),
            ..self
        }
    }
}

/// The context in which a rule is applied.
pub struct Context<'a> {
    /// The store of all terms.
    pub store: &'a mut Store,
    /// The known facts about sizes: those given to the run, and the assumptions of rules so far.
    pub facts: &'a Facts,
    around: EnclosingNodes<'a>,
}

/// The source of the nodes around a place.
enum EnclosingNodes<'a> {
    /// A list of nodes, outermost first.
    Nodes(&'a [(Term, Child)]),
    /// The stack of the machine.
    Host(&'a mut dyn Host),
}

/// The operations of the machine that rules, predicates and functions may call.
pub(super) trait Host {
    /// Applies a strategy to a term, see [`Context::run`].
    fn run(&mut self, store: &mut Store, s: &Strategy, term: Term) -> Result<Term, Failed>;
    /// Returns true if a strategy succeeds on a term, see [`Context::holds`].
    fn holds(&mut self, store: &mut Store, s: &Strategy, term: Term) -> bool;
    /// Returns the nodes around the place, see [`Context::enclosing`].
    fn enclosing(&self) -> Vec<(Term, Child)>;
}

impl<'a> Context<'a> {
    /// Returns the context of a place inside the given nodes, outermost first, each with the child
    /// that contains the place.
    pub fn new(store: &'a mut Store, facts: &'a Facts, around: &'a [(Term, Child)]) -> Self {
        Context {
            store,
            facts,
            around: EnclosingNodes::Nodes(around),
        }
    }

    pub(super) fn hosted(store: &'a mut Store, facts: &'a Facts, host: &'a mut dyn Host) -> Self {
        Context {
            store,
            facts,
            around: EnclosingNodes::Host(host),
        }
    }

    /// Returns the nodes around the place, outermost first, each with the child that contains the
    /// place. They do not contain the rewrites below them that the current strategy has made.
    pub fn enclosing(&self) -> Vec<(Term, Child)> {
        match &self.around {
            EnclosingNodes::Nodes(nodes) => nodes.to_vec(),
            EnclosingNodes::Host(host) => host.enclosing(),
        }
    }

    /// Returns true if a strategy succeeds on a term. The steps and assumptions of the strategy are
    /// rolled back, and its failures are not recorded.
    pub fn holds(&mut self, strategy: &Strategy, term: Term) -> bool {
        match &mut self.around {
            EnclosingNodes::Nodes(_) => self.run_alone(strategy, term).is_ok(),
            EnclosingNodes::Host(host) => host.holds(self.store, strategy, term),
        }
    }

    /// Applies a strategy to a term. In a context of the machine, this is a part of the run, so its
    /// steps count; in a context from [`Context::new`], it is a run of its own. Nested calls use
    /// the stack of the thread, so their depth is limited; functions that may recurse return
    /// [`CallResult`](super::CallResult) instead.
    ///
    /// # Errors
    /// The strategy fails, nested calls are too deep, or the run is stopped.
    pub fn run(&mut self, strategy: &Strategy, term: Term) -> Result<Term, Failed> {
        match &mut self.around {
            EnclosingNodes::Nodes(_) => self.run_alone(strategy, term),
            EnclosingNodes::Host(host) => host.run(self.store, strategy, term),
        }
    }

    fn run_alone(&mut self, strategy: &Strategy, term: Term) -> Result<Term, Failed> {
        let options = super::Options {
            facts: self.facts.clone(),
            ..super::Options::default()
        };
        let outcome = super::run(self.store, term, strategy, &options);
        outcome.result.map_err(|_| Failed)
    }
}

/// A condition on which the equivalence of a rewritten program depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// A condition on sizes.
    Size(Prop),
    /// Another condition, in words: `add is associative (up to rounding)`.
    Text(Arc<str>),
}

/// The reason why a strategy fails, or why a run is stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A subterm does not match the pattern of a rule.
    Shape {
        /// The subpattern, as it is written.
        expected: String,
        /// The subterm in its place.
        found: Term,
    },
    /// A condition does not hold.
    Refuted {
        /// The condition, as it is written.
        condition: String,
        /// The reason, in words.
        why: String,
    },
    /// A condition can be neither proved nor refuted.
    Undecided {
        /// The condition, as it is written.
        condition: String,
        /// The reason, in words.
        why: String,
        /// The assumption about sizes that would prove it, as a program writes it.
        needed: Option<String>,
    },
    /// The type of the result of the rule is not determined, or not that of the original term.
    Type(String),
    /// A predicate does not hold, such as `isLambda`, or the strategy of a `not` succeeds.
    PredicateFails {
        /// The name of the predicate, or the text of the `not`.
        predicate: String,
        /// The term.
        found: Term,
    },
    /// A traversal needs a child that the term does not have, such as `body` of a number.
    NoChild {
        /// The traversal.
        traversal: String,
        /// The term.
        found: Term,
    },
    /// A strategy failed with a text of its own.
    Message(String),
    /// The run does not end: these rules or strategies repeat. The list is empty if what repeats
    /// changes nothing, or has no name.
    Endless(Vec<String>),
    /// The run reached the limit on steps or on work.
    OutOfFuel {
        /// The rules or normal forms that were applied last, at most eight, without duplicates, the
        /// latest last.
        last: Vec<String>,
    },
    /// The calls of strategies nest too deeply, and it is unknown whether they end.
    TooManyCalls {
        /// The number of calls of named strategies that are nested.
        calls: u32,
        /// The name of the innermost named strategy.
        last: String,
    },
    /// The caller cancelled the run.
    Cancelled,
    /// The program or one of its types grew beyond a limit on its size or depth.
    TooLarge,
}
