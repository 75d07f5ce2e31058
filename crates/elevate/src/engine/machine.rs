//! The machine: what is done next, and a stack of what is still to be done.

use std::rc::Rc;

use nat::Facts;

use super::code::{Code, Table};
use super::frames::{Call, Frame, Loop, Mark};
use super::outcome::{Failure, Options, Outcome, TraceStep};
use super::rewrite::{Assumption, Host, Reason};
use super::strategy::{Failed, Strategy};
use super::walk::{Normal, Walk};
use crate::normal;
use crate::term::{Child, Order, Store, Term};

/// How many frames the stack may have.
const MAX_FRAMES: usize = 1 << 20;

/// How often rules and functions may call the machine inside each other.
const MAX_NESTED: u32 = 200;

/// Applies a strategy to a term.
pub fn run(store: &mut Store, term: Term, strategy: &Strategy, options: &Options<'_>) -> Outcome {
    let mut engine = Engine::new(options);
    let code = engine.table.code(strategy);
    let result = engine.drive(store, code, term);
    engine.outcome(term, result)
}

/// Something that was applied.
#[derive(Clone, Copy)]
pub(super) struct Applied {
    pub what: What,
    /// How often: a normal form is one entry.
    pub count: u32,
    pub housekeeping: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum What {
    Rule(u32),
    Form(normal::NormalForm),
}

/// A reason for a failure, and how near it was to a success.
pub(super) struct Blame {
    /// How much succeeded before, and how much of the rule fits.
    pub rank: (u32, u32),
    pub failure: Failure,
}

/// What is done next.
pub(super) enum State {
    Eval(Code, Term),
    Done(Term),
    Failed,
}

/// Everything about a run but the terms.
pub(super) struct Engine<'a> {
    pub options: &'a Options<'a>,
    pub table: Table,
    pub stack: Vec<Frame>,
    pub walks: Vec<Walk>,
    pub loops: Vec<Loop>,
    pub calls: Vec<Call>,
    pub facts: Rc<Facts>,
    pub applied: Vec<Applied>,
    /// What was assumed, and what was known before.
    pub assumptions: Vec<(Assumption, Rc<Facts>)>,
    pub trace: Vec<TraceStep>,
    /// Why strategies failed so far, each nearer to a success than the one before.
    pub blames: Vec<Blame>,
    /// How many first halves of `a ; b` succeeded on the way here.
    pub passed: u32,
    /// In how many strategies we are whose failures nobody asks about.
    pub quiet: u32,
    pub order: Order,
    /// How many rule applications there were, taken back or not, and how many there may be.
    pub done: u64,
    pub limit: u64,
    pub over_limit: bool,
    pub housekeeping: u32,
    pub normal: Normal,
    pub forms: normal::Memo,
    pub work: u64,
    /// Why the run ends at once.
    pub stop: Option<Reason>,
    nested: u32,
    /// How many strategies in a row were only other names.
    pub jumps: u32,
}

impl<'a> Engine<'a> {
    fn new(options: &'a Options<'a>) -> Self {
        Engine {
            options,
            table: Table::new(),
            stack: Vec::new(),
            walks: Vec::new(),
            loops: Vec::new(),
            calls: Vec::new(),
            facts: Rc::new(options.facts.clone()),
            applied: Vec::new(),
            assumptions: Vec::new(),
            trace: Vec::new(),
            blames: Vec::new(),
            passed: 0,
            quiet: 0,
            order: options.order,
            done: 0,
            limit: u64::MAX,
            over_limit: false,
            housekeeping: 0,
            normal: Normal::default(),
            forms: normal::Memo::default(),
            work: 0,
            stop: None,
            nested: 0,
            jumps: 0,
        }
    }

    /// Applies a strategy to a term, on top of what is on the stack.
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

    /// Whether to go on.
    fn check(&mut self) {
        if self.work > self.options.work || self.done > self.options.steps {
            self.stop = Some(self.out_of_fuel());
        } else if self.stack.len() > MAX_FRAMES {
            self.stop = Some(self.nests_deeply());
        }
    }

    /// Takes the last frame off the stack, whatever it was to do.
    pub fn abandon(&mut self) {
        match self.stack.pop() {
            Some(Frame::Choice { quiet, .. }) => self.quiet -= u32::from(quiet),
            Some(Frame::Select { .. } | Frame::Not { .. }) => self.quiet -= 1,
            Some(Frame::Repeat) => {
                self.loops.pop();
                self.quiet -= 1;
            }
            Some(Frame::Walk) => {
                let walk = self.walks.pop();
                self.quiet -= u32::from(walk.is_some_and(|walk| walk.is_quiet()));
            }
            Some(Frame::Call) => {
                self.calls.pop();
            }
            Some(Frame::Limit { outer, .. }) => self.limit = outer,
            Some(Frame::Order(outer)) => self.order = outer,
            Some(Frame::Housekeeping { .. }) => self.housekeeping -= 1,
            _ => {}
        }
    }

    /// Goes back to the innermost limit, above `base`.
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

    // ----- what is kept -----

    pub fn mark(&self) -> Mark {
        Mark {
            applied: length(self.applied.len()),
            assumptions: length(self.assumptions.len()),
            trace: length(self.trace.len()),
            passed: self.passed,
        }
    }

    /// Takes back what came after.
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

/// The node with a part in its place.
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
