//! What the machine knows of a rule.

use std::fmt;

use nat::{Facts, Prop};

use super::strategy::{Failed, Strategy};
use crate::term::{Child, Heads, Store, Term};

/// A rule, as the machine applies it.
pub trait Rewrite: fmt::Debug + Send + Sync {
    /// As strategies name it: for traces, counts and messages.
    fn name(&self) -> &str;

    /// Its arguments as they are written, nothing if it has none: `(32, 32)`.
    fn args(&self) -> &str {
        ""
    }

    /// The term in the place of `term`, of the same type.
    ///
    /// Called at every node that a traversal looks at, so a miss must cost next to nothing: no
    /// text, no allocation.
    ///
    /// # Errors
    /// How near the rule was.
    fn apply(&self, cx: &mut Context<'_>, term: Term) -> Result<Rewritten, Miss>;

    /// Why the rule does not apply: asked once, for the nearest miss of a strategy that failed.
    fn explain(&self, cx: &mut Context<'_>, term: Term) -> Reason;

    /// How much of a term decides whether and how the rule applies.
    fn reach(&self) -> Reach {
        Reach::WHOLE
    }

    /// What may stand at the head of a term that the rule applies to: it is not tried on others
    /// where nobody asks why it fails.
    fn heads(&self) -> Heads {
        Heads::ALL
    }
}

/// What a rule made.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The new term.
    pub term: Term,
    /// What must hold for it to be right, as far as it is not known.
    pub assumptions: Vec<Assumption>,
}

impl Rewritten {
    /// Without assumptions.
    pub fn plain(term: Term) -> Rewritten {
        Rewritten {
            term,
            assumptions: Vec::new(),
        }
    }
}

/// How near a rule was to a term that it does not apply to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Miss {
    /// How much of it fits: 0 if not even the outermost node does; each node of the pattern that
    /// fits counts 1, each condition that holds more than any number of nodes.
    pub matched: u32,
}

impl Miss {
    /// Nothing fits.
    pub const FAR: Miss = Miss { matched: 0 };

    /// All nodes fit, and so many conditions do.
    pub fn in_condition(conditions: u32) -> Miss {
        Miss {
            matched: (1 << 16) + conditions,
        }
    }
}

/// How much of a term decides whether a rule applies to it: a promise that lets a normal form go
/// on where it is instead of starting over.
///
/// A rule may look at more of a term that it does apply to: what it makes of it does not matter
/// here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// How many levels of nodes, counted from the root of the term, which is the first. What is
    /// below them may be anything of the same type, so a rule whose pattern has one variable
    /// twice does not have a number here.
    pub levels: Option<u32>,
    /// Whether the free variables of what is below count, too.
    pub free: bool,
    /// Whether what stands around the term counts.
    pub context: bool,
}

impl Reach {
    /// Everything may count.
    pub const WHOLE: Reach = Reach {
        levels: None,
        free: true,
        context: true,
    };

    /// So many levels of nodes, and nothing else.
    pub const fn levels(levels: u32) -> Reach {
        Reach {
            levels: Some(levels),
            free: false,
            context: false,
        }
    }

    /// And the free variables of what is below.
    pub const fn and_free(self) -> Reach {
        Reach { free: true, ..self }
    }

    /// Whatever of two things decides.
    pub fn max(self, other: Reach) -> Reach {
        Reach {
            levels: self.levels.zip(other.levels).map(|(a, b)| a.max(b)),
            free: self.free || other.free,
            context: self.context || other.context,
        }
    }

    /// Seen from so many levels further out.
    pub fn below(self, levels: u32) -> Reach {
        Reach {
            levels: self.levels.map(|own| own + levels),
            ..self
        }
    }
}

/// Where a rule is applied.
pub struct Context<'a> {
    /// The terms.
    pub store: &'a mut Store,
    /// What is known of sizes: what the definition assumes, and what rules assumed so far.
    pub facts: &'a Facts,
    around: Around<'a>,
}

/// What stands around a place.
enum Around<'a> {
    /// These nodes, the outermost first.
    Nodes(&'a [(Term, Child)]),
    /// What the machine is doing.
    Host(&'a mut dyn Host),
}

/// What a machine does for a rule or function.
pub(super) trait Host {
    /// See [`Context::run`].
    fn run(&mut self, store: &mut Store, s: &Strategy, term: Term) -> Result<Term, Failed>;
    /// See [`Context::holds`].
    fn holds(&mut self, store: &mut Store, s: &Strategy, term: Term) -> bool;
    /// See [`Context::enclosing`].
    fn enclosing(&self) -> Vec<(Term, Child)>;
}

impl<'a> Context<'a> {
    /// A place inside these nodes, the outermost first, each with the part of it that holds the
    /// place.
    pub fn new(store: &'a mut Store, facts: &'a Facts, around: &'a [(Term, Child)]) -> Self {
        Context {
            store,
            facts,
            around: Around::Nodes(around),
        }
    }

    pub(super) fn hosted(store: &'a mut Store, facts: &'a Facts, host: &'a mut dyn Host) -> Self {
        Context {
            store,
            facts,
            around: Around::Host(host),
        }
    }

    /// The nodes around the place, the outermost first, each with the part of it that holds the
    /// place. They are those from before what was done below them.
    pub fn enclosing(&self) -> Vec<(Term, Child)> {
        match &self.around {
            Around::Nodes(nodes) => nodes.to_vec(),
            Around::Host(host) => host.enclosing(),
        }
    }

    /// Whether a strategy succeeds on a term. What it does is forgotten.
    pub fn holds(&mut self, strategy: &Strategy, term: Term) -> bool {
        match &mut self.around {
            Around::Nodes(_) => self.run_alone(strategy, term).is_ok(),
            Around::Host(host) => host.holds(self.store, strategy, term),
        }
    }

    /// Applies a strategy to a term: its steps are steps of the run. It nests on the stack of the
    /// thread, so there is a limit to how deeply; functions that may recurse return
    /// [`Next`](super::Next) instead.
    ///
    /// # Errors
    /// The strategy fails, or nests too deeply.
    pub fn run(&mut self, strategy: &Strategy, term: Term) -> Result<Term, Failed> {
        match &mut self.around {
            Around::Nodes(_) => self.run_alone(strategy, term),
            Around::Host(host) => host.run(self.store, strategy, term),
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

/// What must hold for a rewritten program to mean the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// A condition on sizes.
    Size(Prop),
    /// Something else, in words.
    Said(String),
}

/// Why a strategy does not apply.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A part of the term is not what the pattern asks for.
    Shape {
        /// The part of the pattern, as it is written.
        expected: String,
        /// What stands there.
        found: Term,
    },
    /// A condition does not hold.
    Refuted {
        /// As it is written.
        condition: String,
        /// Why.
        why: String,
    },
    /// It cannot be decided whether a condition holds.
    Undecided {
        /// As it is written.
        condition: String,
        /// Why.
        why: String,
        /// What a program would have to assume of sizes, as it is written there.
        needed: Option<String>,
    },
    /// What the rule makes has no type here, or another one.
    Type(String),
    /// A question about a term was answered with no, such as `isLambda`.
    No {
        /// The question.
        predicate: String,
        /// The term.
        found: Term,
    },
    /// A strategy that goes to a part of a term met one without it, such as `body` a number.
    NoPart {
        /// The strategy.
        traversal: String,
        /// The term.
        found: Term,
    },
    /// It failed by saying so.
    Said(String),
    /// It does not end: it goes round in this circle of rules or strategies, which is empty if what
    /// it repeats changes nothing.
    Endless(Vec<String>),
    /// The limit on steps or on work was reached.
    OutOfFuel {
        /// What was done last, over and over.
        last: Vec<String>,
    },
    /// Strategies call strategies, so many times, and it is not known whether that ends.
    TooManyCalls {
        /// How many calls there were.
        calls: u32,
        /// What was called last.
        last: String,
    },
    /// Somebody asked to stop.
    Cancelled,
    /// The program grew too large or too deep.
    TooLarge,
}
