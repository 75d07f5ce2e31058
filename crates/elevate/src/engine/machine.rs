//! The abstract machine that applies strategies: its state, its main loop, and the rollback of a
//! branch that fails.

use std::rc::Rc;

use nat::Facts;

use super::code::{Code, OpTable};
use super::frames::{ArgumentPosition, Frame, Loop, Mark};
use super::outcome::{Failure, Options, Outcome, TraceStep};
use super::rewrite::{Assumption, Host, Reason};
use super::strategy::{Failed, Strategy};
use super::traversal::{NormalTerms, TraversalState};
use crate::normal;
use crate::term::{Child, Order, Store, Term};

/// The number of frames on the stack beyond which a run is stopped at the next check of its limits.
const MAX_FRAMES: usize = 1 << 20;

/// The maximal depth of nested calls of the machine by rules, predicates and functions. A deeper
/// call fails.
const MAX_NESTED: u32 = 200;

/// Applies a strategy to a term within the limits of `options`. A failure and an exceeded limit are
/// reported in [`Outcome::result`].
pub fn run(store: &mut Store, term: Term, strategy: &Strategy, options: &Options<'_>) -> Outcome {
    let mut engine = Engine::new(options);
    let code = engine.table.code(strategy);
    let result = engine.drive(store, code, term);
    engine.outcome(term, result)
}

/// An entry in the list of applied rules.
#[derive(Clone, Copy)]
pub(super) struct RuleApplication {
    pub what: AppliedRule,
    /// The number of applications: 1 for a rule; for a normal form, whose computation is one entry,
    /// the number of its steps.
    pub count: u32,
    pub housekeeping: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum AppliedRule {
    Rule(u32),
    Form(normal::NormalForm),
}

/// A recorded failure with its rank.
pub(super) struct RankedFailure {
    /// The rank, compared lexicographically: first `Engine::passed` at the failure, then the
    /// nearness to a match. The nearness is 2 plus
    /// [`MismatchRank::matched`](super::rewrite::MismatchRank) for a rule, 2 for a function, 0 for
    /// a missing child, and 1 for every other failure.
    pub rank: (u32, u32),
    pub failure: Failure,
}

/// The next step of the main loop.
pub(super) enum State {
    Eval(Code, Term),
    Done(Term),
    Failed,
}

/// The state of a run, without the terms.
pub(super) struct Engine<'a> {
    pub options: &'a Options<'a>,
    pub table: OpTable,
    pub stack: Vec<Frame>,
    pub walks: Vec<TraversalState>,
    pub loops: Vec<Loop>,
    /// For each function that is applying a strategy to a part of its argument, the nodes around
    /// this part, innermost call last.
    pub calls: Vec<ArgumentPosition>,
    pub facts: Rc<Facts>,
    pub applied: Vec<RuleApplication>,
    /// The assumptions, each with the facts before it, which a rollback restores.
    pub assumptions: Vec<(Assumption, Rc<Facts>)>,
    pub trace: Vec<TraceStep>,
    /// The recorded failures, by strictly increasing rank. The success of a first strategy `a` of
    /// `a ; b` drops those that were recorded within it.
    pub failures: Vec<RankedFailure>,
    /// The number of successes of a first strategy `a` of `a ; b`, and of the single applications
    /// of `repeatNTimes`, without those that are rolled back.
    pub passed: u32,
    /// The number of enclosing strategies whose failures are not reported; failures are recorded
    /// only if it is 0.
    pub quiet: u32,
    pub order: Order,
    /// The number of rule applications that change the term, including those that are undone and
    /// the steps of normal forms.
    pub done: u64,
    /// The value of `done` beyond which an enclosing `limit` fails: the least of all enclosing
    /// ones.
    pub limit: u64,
    pub over_limit: bool,
    pub housekeeping: u32,
    pub normal: NormalTerms,
    pub forms: normal::Memo,
    pub work: u64,
    /// The reason to end the run at once.
    pub stop: Option<Reason>,
    nested: u32,
    /// The number of `Jump`s since a rule last succeeded or a function was last called, to detect
    /// endless recursion.
    pub jumps: u32,
}

impl<'a> Engine<'a> {
    fn new(options: &'a Options<'a>) -> Self {
        Engine {
            options,
            table: OpTable::new(),
            stack: Vec::new(),
            walks: Vec::new(),
            loops: Vec::new(),
            calls: Vec::new(),
            facts: Rc::new(options.facts.clone()),
            applied: Vec::new(),
            assumptions: Vec::new(),
            trace: Vec::new(),
            failures: Vec::new(),
            passed: 0,
            quiet: 0,
            order: options.order,
            done: 0,
            limit: u64::MAX,
            over_limit: false,
            housekeeping: 0,
            normal: NormalTerms::default(),
            forms: normal::Memo::default(),
            work: 0,
            stop: None,
            nested: 0,
            jumps: 0,
        }
    }

    /// Applies a strategy to a term by running the main loop until the stack is back at its present
    /// height. Fails if the strategy fails, or if the run is stopped.
    fn drive(&mut self, store: &mut Store, code: Code, term: Term) -> Result<Term, Failed> {
        let base = self.stack.len();
        let mut state = State::Eval(code, term);
        loop {
            self.work += 1;
            if self.work & 0x1f == 0 && self.options.cancelled.is_some_and(|cancelled| cancelled())
            {
                self.stop = Some(Reason::Cancelled);
            } else if self.work & 0x3ff == 0 {
                self.check();
            }
            if self.stop.is_some() {
                while self.stack.len() > base {
                    self.abandon();
                }
                return Err(Failed);
            }
            if self.over_limit {
                match self.unwind(base) {
                    true => state = State::Failed,
                    false => return Err(Failed),
                }
            }
            state = match state {
                State::Eval(code, term) => self.eval(store, code, term),
                State::Done(term) if self.stack.len() == base => return Ok(term),
                State::Failed if self.stack.len() == base => return Err(Failed),
                State::Done(term) => self.done(store, term),
                State::Failed => self.failed(store),
            };
        }
    }

    /// Sets the reason to end the run if the work, the steps or the stack exceed their limits.
    fn check(&mut self) {
        if self.work > self.options.work || self.done > self.options.steps {
            self.stop = Some(self.out_of_fuel());
        } else if self.stack.len() > MAX_FRAMES {
            self.stop = Some(self.nests_deeply());
        }
    }

    /// Pops a frame without continuing it, and restores the state that it saved.
    pub fn abandon(&mut self) {
        match self.stack.pop() {
            Some(Frame::Choice { quiet, .. }) => self.quiet -= u32::from(quiet),
            Some(Frame::Not { .. }) => self.quiet -= 1,
            Some(Frame::Repeat) => {
                self.loops.pop();
                self.quiet -= 1;
            }
            Some(Frame::Traversal) => {
                let walk = self.walks.pop();
                self.quiet -= u32::from(walk.is_some_and(|walk| walk.is_quiet()));
            }
            Some(Frame::Call) => {
                self.calls.pop();
            }
            Some(Frame::Limit { outer, .. }) => self.limit = outer,
            Some(Frame::Housekeeping { .. }) => self.housekeeping -= 1,
            _ => {}
        }
    }

    /// Pops frames above `base`, up to and including the frame of an exceeded limit whose enclosing
    /// limit is not exceeded, and rolls back to the start of the strategy that it limits. Returns
    /// false if there is no such frame; then it pops all frames above `base`.
    fn unwind(&mut self, base: usize) -> bool {
        while self.stack.len() > base {
            if let Some(Frame::Limit { mark, .. }) = self.stack.last() {
                let mark = *mark;
                self.rollback(mark);
                self.abandon();
                self.over_limit = self.done > self.limit;
                if !self.over_limit {
                    return true;
                }
            } else {
                self.abandon();
            }
        }
        false
    }

    // ----- rollback -----

    pub fn mark(&self) -> Mark {
        Mark {
            applied: length(self.applied.len()),
            assumptions: length(self.assumptions.len()),
            trace: length(self.trace.len()),
            passed: self.passed,
        }
    }

    /// Undoes the rule applications, trace steps, assumptions and successes counted in `passed`
    /// that are recorded after `mark`. Recorded failures and the number of steps `done` stay.
    pub fn rollback(&mut self, mark: Mark) {
        self.passed = mark.passed;
        self.applied.truncate(mark.applied as usize);
        self.trace.truncate(mark.trace as usize);
        if let Some((_, before)) = self.assumptions.get(mark.assumptions as usize) {
            self.facts = before.clone();
            self.normal.clear();
            self.assumptions.truncate(mark.assumptions as usize);
        }
    }
}

/// Returns the node with a child replaced by `part`; the node itself if `part` is the child
/// already.
#[inline]
pub(super) fn rebuilt(store: &mut Store, node: Term, child: Child, part: Term) -> Term {
    match store.child(node, child) == Some(part) {
        true => node,
        false => store.with_child(node, child, part),
    }
}

pub(super) fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Host for Engine<'_> {
    fn run(&mut self, store: &mut Store, s: &Strategy, term: Term) -> Result<Term, Failed> {
        if self.nested >= MAX_NESTED || self.stop.is_some() {
            return Err(Failed);
        }
        self.nested += 1;
        self.stack.push(Frame::Barrier);
        let code = self.table.code(s);
        let result = self.drive(store, code, term);
        self.stack.pop();
        self.nested -= 1;
        result
    }

    fn holds(&mut self, store: &mut Store, s: &Strategy, term: Term) -> bool {
        let (mark, done) = (self.mark(), self.done);
        let (limit, over) = (self.limit, self.over_limit);
        self.limit = u64::MAX;
        self.quiet += 1;
        let result = self.run(store, s, term);
        self.quiet -= 1;
        (self.limit, self.over_limit) = (limit, over);
        self.done = done;
        self.rollback(mark);
        result.is_ok()
    }

    fn enclosing(&self) -> Vec<(Term, Child)> {
        self.enclosing_nodes()
    }
}
