//! Evaluates strategies: implements the first step of each operation.

use std::rc::Rc;

use super::code::{Code, ID, Op};
use super::frames::{ArgumentPosition, Frame, Loop};
use super::machine::{AppliedRule, Engine, RuleApplication, State, length};
use super::rewrite::{Assumption, Context, MismatchRank, Reason, Rewritten};
use super::strategy::{CallResult, Predicate};
use super::traversal::{TraversalAction, TraversalKind, TraversalState};
use crate::normal;
use crate::term::{Child, Heads, MAX_SIZE, Node, Order, Store, Term};

impl Engine<'_> {
    pub(super) fn eval(&mut self, store: &mut Store, code: Code, term: Term) -> State {
        match self.table.op(code) {
            Op::Rule(at) => state(self.rule(store, at, term)),
            Op::Choice(a, b) if self.table.is_simple(a) => {
                let quiet = b == ID;
                self.quiet += u32::from(quiet);
                let result = self.simple(store, a, term);
                self.quiet -= u32::from(quiet);
                match result {
                    Some(new) => State::Done(new),
                    None => State::Eval(b, term),
                }
            }
            Op::Choice(a, b) => {
                let quiet = b == ID || self.table.never_fails(b);
                self.quiet += u32::from(quiet);
                let mark = self.mark();
                self.stack.push(Frame::Choice {
                    other: b,
                    term,
                    mark,
                    quiet,
                });
                State::Eval(a, term)
            }
            Op::Seq(a, b) if self.table.is_simple(a) => {
                let failures = self.failures.len();
                match self.simple(store, a, term) {
                    Some(new) => {
                        self.failures.truncate(failures);
                        self.passed += 1;
                        State::Eval(b, new)
                    }
                    None => State::Failed,
                }
            }
            Op::Seq(a, b) => {
                let failures = length(self.failures.len());
                self.stack.push(Frame::Seq(b, failures));
                State::Eval(a, term)
            }
            Op::One(s) => match store.ordered(term, self.order) {
                (Some(current), next) => {
                    let frame = Frame::One {
                        code: s,
                        node: term,
                        current,
                        next,
                        mark: self.mark(),
                    };
                    self.enter_part(store, frame, s, term, current)
                }
                _ => self.no_part(store, code, term),
            },
            Op::All(s) => match store.ordered(term, Order::FunctionFirst) {
                (Some(current), next) => {
                    let frame = Frame::All {
                        code: s,
                        node: term,
                        current,
                        next,
                    };
                    self.enter_part(store, frame, s, term, current)
                }
                _ => State::Done(term),
            },
            Op::Some(s) => match store.ordered(term, Order::FunctionFirst) {
                (Some(current), next) => {
                    let frame = Frame::Some {
                        code: s,
                        node: term,
                        current,
                        next,
                        mark: self.mark(),
                        any: false,
                    };
                    self.enter_part(store, frame, s, term, current)
                }
                _ => self.no_part(store, code, term),
            },
            Op::Part(child, dependent, s) => {
                let is_dependent = matches!(store.node(term), Node::DepApply(..));
                match store.child(term, child) {
                    Some(_) if dependent.is_none_or(|wanted| wanted == is_dependent) => {
                        let frame = Frame::Part { node: term, child };
                        self.enter_part(store, frame, s, term, child)
                    }
                    _ => self.no_part(store, code, term),
                }
            }
            op => self.eval_other(store, code, op, term),
        }
    }

    fn eval_other(&mut self, store: &mut Store, code: Code, op: Op, term: Term) -> State {
        match op {
            Op::Id => State::Done(term),
            Op::Fail => self.record_failure(store, 1, None, term, |engine, _| {
                Reason::Message(engine.table.text(code))
            }),
            Op::Not(s) => {
                let mark = self.mark();
                self.quiet += 1;
                self.stack.push(Frame::Not { code, term, mark });
                State::Eval(s, term)
            }
            Op::Repeat(s) => {
                self.quiet += 1;
                let mark = self.mark();
                self.stack.push(Frame::Repeat);
                self.loops.push(Loop {
                    code: s,
                    term,
                    mark,
                    earlier: term,
                    rounds: 0,
                    until: 64,
                });
                State::Eval(s, term)
            }
            Op::Times(0, _) => State::Done(term),
            Op::Times(times, s) => {
                self.stack.push(Frame::Times {
                    code: s,
                    left: times - 1,
                    failures: length(self.failures.len()),
                });
                State::Eval(s, term)
            }
            Op::Normalize(s) => {
                self.quiet += 1;
                let kind = TraversalKind::Normalize(self.table.reach(s));
                self.walk(store, s, kind, term)
            }
            Op::TryAll(s) => {
                self.quiet += 1;
                self.walk(store, s, TraversalKind::Every, term)
            }
            Op::Skip(times, s) => self.walk(store, s, TraversalKind::Skip(times), term),
            Op::Limit(steps, s) => {
                let mark = self.mark();
                let outer = self.limit;
                self.limit = outer.min(self.done.saturating_add(steps));
                self.stack.push(Frame::Limit { outer, mark });
                State::Eval(s, term)
            }
            Op::Housekeeping(name, s) => {
                self.housekeeping += 1;
                self.stack.push(Frame::Housekeeping {
                    name,
                    term,
                    applied: length(self.applied.len()),
                });
                State::Eval(s, term)
            }
            Op::Named(name, s) => {
                self.stack.push(Frame::Named(name));
                State::Eval(s, term)
            }
            Op::Jump(s) => {
                self.jumps += 1;
                if self.jumps > 10_000 {
                    self.stop = Some(self.nests_deeply());
                }
                State::Eval(s, term)
            }
            Op::NormalForm(form) => self.normal_form(store, form, term),
            Op::Predicate(at) => self.predicate(store, at, term),
            Op::Function(at) => self.function(store, at, term),
            // `op` translates `Unread`, and `eval` handles the others.
            _ => State::Failed,
        }
    }

    pub(super) fn enter_part(
        &mut self,
        store: &Store,
        frame: Frame,
        s: Code,
        node: Term,
        child: Child,
    ) -> State {
        self.stack.push(frame);
        State::Eval(s, store.child(node, child).unwrap_or(node))
    }

    /// Applies a [simple](super::code::OpTable::is_simple) strategy to a term; returns `None` if it
    /// fails.
    fn simple(&mut self, store: &mut Store, code: Code, term: Term) -> Option<Term> {
        match self.table.op(code) {
            Op::Rule(at) => self.rule(store, at, term),
            Op::Choice(a, b) => {
                let quiet = b == ID;
                self.quiet += u32::from(quiet);
                let first = self.simple(store, a, term);
                self.quiet -= u32::from(quiet);
                first.or_else(|| self.simple(store, b, term))
            }
            Op::Seq(a, b) => {
                let (mark, failures) = (self.mark(), self.failures.len());
                let between = self.simple(store, a, term)?;
                self.failures.truncate(failures);
                self.passed += 1;
                let result = self.simple(store, b, between);
                if result.is_none() {
                    self.rollback(mark);
                }
                result
            }
            op => match self.eval_other(store, code, op, term) {
                State::Done(new) => Some(new),
                _ => None,
            },
        }
    }

    fn rule(&mut self, store: &mut Store, at: u32, term: Term) -> Option<Term> {
        let (rule, heads) = &self.table.rules[at as usize];
        if self.quiet > 0 && !heads.contains(store.head(term)) {
            return None;
        }
        let rule = rule.clone();
        let facts = self.facts.clone();
        match rule.apply(&mut Context::hosted(store, &facts, self), term) {
            Ok(rewritten) => Some(self.rewritten(store, AppliedRule::Rule(at), term, rewritten)),
            Err(MismatchRank { matched }) => {
                // The run ends, as no strategy continues with such a term, not even `try`.
                if store.is_too_deep() {
                    self.stop = Some(Reason::TooLarge);
                }
                if self.quiet == 0 {
                    let score = matched.saturating_add(2);
                    self.record_failure(store, score, Some(at), term, |engine, store| {
                        rule.explain(&mut Context::hosted(store, &facts, engine), term)
                    });
                }
                None
            }
        }
    }

    fn rewritten(
        &mut self,
        store: &mut Store,
        what: AppliedRule,
        term: Term,
        new: Rewritten,
    ) -> Term {
        self.jumps = 0;
        let assumed = self.assumptions.len();
        for assumption in new.assumptions {
            self.assume(assumption);
        }
        if new.term == term {
            return term;
        }
        self.count(what, 1);
        if store.is_too_deep() || u64::from(store.size(new.term)) > MAX_SIZE {
            self.stop = Some(Reason::TooLarge);
        }
        if self.options.trace && self.housekeeping == 0 && self.stop.is_none() {
            let name = new.explicit.unwrap_or_else(|| self.name_of(what));
            self.record(store, name, term, new.term, assumed, 0);
        }
        new.term
    }

    /// Counts `count` applications of a rule or steps of a normal form. Ends the run if all
    /// applications so far exceed the limit on steps, and notes if they exceed that of a `limit`.
    fn count(&mut self, what: AppliedRule, count: u32) {
        self.done += u64::from(count);
        self.over_limit |= self.done > self.limit;
        if self.done > self.options.steps {
            // Applications beyond the limit are not recorded.
            self.stop = Some(self.out_of_fuel());
            return;
        }
        self.applied.push(RuleApplication {
            what,
            count,
            housekeeping: self.housekeeping > 0,
        });
    }

    fn assume(&mut self, assumption: Assumption) {
        if self
            .assumptions
            .iter()
            .any(|(known, _)| *known == assumption)
        {
            return;
        }
        let before = self.facts.clone();
        if let Assumption::Size(prop) = &assumption {
            if self.facts.proves(prop) {
                return;
            }
            Rc::make_mut(&mut self.facts).assume(prop);
            // Strategies that failed may succeed with the new fact, so the memoised failures are
            // dropped.
            self.normal.clear();
        }
        self.assumptions.push((assumption, before));
    }

    fn normal_form(&mut self, store: &mut Store, form: normal::NormalForm, term: Term) -> State {
        let left = self.options.steps.saturating_sub(self.done);
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        match normal::normalise(store, form, term, &mut self.forms, left) {
            Ok((new, count)) => {
                if new != term {
                    self.housekeeping += 1;
                    self.count(AppliedRule::Form(form), count);
                    self.housekeeping -= 1;
                    if self.options.trace && self.housekeeping == 0 {
                        let name = self.name_of(AppliedRule::Form(form));
                        let assumed = self.assumptions.len();
                        self.record(store, name, term, new, assumed, u64::from(count).max(1));
                    }
                }
                State::Done(new)
            }
            Err(normal::NormalizationError::TooLarge) => {
                self.stop = Some(Reason::TooLarge);
                State::Failed
            }
            Err(normal::NormalizationError::Steps) => {
                self.stop = Some(Reason::OutOfFuel {
                    last: vec![form.name().to_owned()],
                });
                State::Failed
            }
        }
    }

    fn predicate(&mut self, store: &mut Store, at: u32, term: Term) -> State {
        let holds = match &self.table.predicates[at as usize] {
            Predicate::IsLambda => matches!(store.node(term), Node::Lambda(..)),
            Predicate::IsDepLambda => matches!(store.node(term), Node::DepLambda(..)),
            Predicate::IsIdentifier => matches!(store.node(term), Node::Var(_)),
            Predicate::IsApply => matches!(store.node(term), Node::Apply(..)),
            Predicate::IsDepApply => matches!(store.node(term), Node::DepApply(..)),
            Predicate::IsLiteral => matches!(store.node(term), Node::Literal(_) | Node::Nat(_)),
            Predicate::IsPrimitive(primitive) => {
                matches!(store.node(term), Node::Primitive(p, _) if p == *primitive)
            }
            Predicate::IsGlobal(id, _) => {
                matches!(store.node(term), Node::Global(g, _) if g == *id)
            }
            Predicate::IsArray => matches!(**store.type_of(term), rise::Type::Array(..)),
            Predicate::Other(_, test) => {
                let (test, facts) = (test.clone(), self.facts.clone());
                test(&mut Context::hosted(store, &facts, self), term)
            }
        };
        if holds {
            return State::Done(term);
        }
        self.record_failure(store, 1, None, term, |engine, _| Reason::PredicateFails {
            predicate: engine.table.predicates[at as usize].name(),
            found: term,
        })
    }

    fn function(&mut self, store: &mut Store, at: u32, term: Term) -> State {
        self.jumps = 0;
        let function = self.table.functions[at as usize].1.clone();
        let facts = self.facts.clone();
        let next = function(&mut Context::hosted(store, &facts, self), term);
        match next {
            CallResult::Done(Ok(term)) => State::Done(term),
            CallResult::Done(Err(reason)) => {
                self.record_failure(store, 2, None, term, |_, _| reason)
            }
            CallResult::Apply(strategy, part) => {
                let place = position_of(store, term, part);
                self.stack.push(Frame::Call);
                self.calls.push(place);
                State::Eval(self.table.code(&strategy), part)
            }
        }
    }

    fn walk(&mut self, store: &mut Store, s: Code, kind: TraversalKind, term: Term) -> State {
        // Where failures are reported, the strategy is tried at every node, to find the nearest
        // failure.
        let heads = match self.quiet {
            0 => Heads::ALL,
            _ => self.table.heads(s),
        };
        let mut walk = TraversalState::new(s, kind, (heads, self.order), self.mark(), term);
        let want = walk.start(store, &mut self.normal);
        self.walks.push(walk);
        self.walk_on(store, want)
    }

    /// Continues the innermost traversal until it ends, its strategy is not simple, or the main
    /// loop has to check the limits of the run.
    pub(super) fn walk_on(&mut self, store: &mut Store, mut want: TraversalAction) -> State {
        loop {
            let mark = self.mark();
            let Some(walk) = self.walks.last_mut() else {
                return State::Failed;
            };
            let code = walk.code;
            let TraversalAction::Try(term) = want else {
                self.quiet -= u32::from(walk.is_quiet());
                self.walks.pop();
                break;
            };
            walk.mark = mark;
            self.stack.push(Frame::Traversal);
            // A strategy that is not simple needs a frame; and the checks of the main loop run now
            // and then.
            self.work += 1;
            let pause = self.work & 0x3ff == 0 || self.stop.is_some() || self.over_limit;
            if pause || !self.table.is_simple(code) {
                return State::Eval(code, term);
            }
            let result = self.simple(store, code, term);
            self.stack.pop();
            want = match result {
                Some(new) => self.walk_succeeded(store, new),
                None => self.walk_failed(store),
            };
        }
        match want {
            TraversalAction::Done(term) => State::Done(term),
            TraversalAction::Endless => {
                self.stop = Some(self.endless());
                State::Failed
            }
            _ => State::Failed,
        }
    }

    pub(super) fn walk_succeeded(&mut self, store: &mut Store, new: Term) -> TraversalAction {
        let Some(walk) = self.walks.last() else {
            return TraversalAction::Nothing;
        };
        if let TraversalKind::Skip(1..) = walk.kind {
            let mark = walk.mark;
            self.rollback(mark);
        }
        match self.walks.last_mut() {
            Some(walk) => walk.succeeded(store, &mut self.normal, new),
            None => TraversalAction::Nothing,
        }
    }

    pub(super) fn walk_failed(&mut self, store: &mut Store) -> TraversalAction {
        let Some(walk) = self.walks.last_mut() else {
            return TraversalAction::Nothing;
        };
        let mark = walk.mark;
        let want = walk.failed(store, &mut self.normal);
        self.rollback(mark);
        want
    }
}

fn state(result: Option<Term>) -> State {
    result.map_or(State::Failed, State::Done)
}

/// Returns the nodes around the first occurrence of `part` in `whole` in breadth-first order,
/// outermost first; none if it is not among the first 64 nodes.
pub(super) fn position_of(store: &Store, whole: Term, part: Term) -> ArgumentPosition {
    const LOOKED_AT: usize = 64;
    let mut open: Vec<(Term, Option<(usize, Child)>)> = vec![(whole, None)];
    let mut at = 0;
    while at < open.len().min(LOOKED_AT) {
        let (here, _) = open[at];
        if here == part {
            let mut nodes = Vec::new();
            let mut above = open[at].1;
            while let Some((parent, child)) = above {
                nodes.push((open[parent].0, child));
                above = open[parent].1;
            }
            nodes.reverse();
            return nodes.into();
        }
        open.extend(
            store
                .children(here)
                .map(|(child, term)| (term, Some((at, child)))),
        );
        at += 1;
    }
    ArgumentPosition::default()
}
