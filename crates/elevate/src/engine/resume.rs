//! What is done with a result, and after a failure.

use super::code::Code;
use super::frames::Frame;
use super::machine::{Engine, State, rebuilt};
use super::rewrite::{Context, Reason};
use super::strategy::Failed;
use super::walk::Kind;
use crate::term::{Child, Store, Term};

impl Engine<'_> {
    pub(super) fn done(&mut self, store: &mut Store, term: Term) -> State {
        let Some(frame) = self.stack.pop() else {
            return State::Done(term);
        };
        match frame {
            Frame::Seq(next, blames) => {
                // Why parts of the first failed is of no interest any more.
                self.blames.truncate(blames as usize);
                self.passed += 1;
                State::Eval(next, term)
            }
            Frame::Choice { quiet, .. } => {
                self.quiet -= u32::from(quiet);
                State::Done(term)
            }
            Frame::Part { node, child } => State::Done(rebuilt(store, node, child, term)),
            Frame::One { node, current, .. } => State::Done(rebuilt(store, node, current, term)),
            Frame::All {
                code,
                node,
                current,
                next,
            } => {
                let node = rebuilt(store, node, current, term);
                match next {
                    Some(current) => {
                        let frame = Frame::All {
                            code,
                            node,
                            current,
                            next: None,
                        };
                        self.enter_part(store, frame, code, node, current)
                    }
                    None => State::Done(node),
                }
            }
            Frame::Some {
                code,
                node,
                current,
                next,
                ..
            } => {
                let node = rebuilt(store, node, current, term);
                self.some(store, code, node, next, true)
            }
            Frame::Walk(mut walk) => {
                if let Kind::Skip(1..) = walk.kind {
                    self.rollback(walk.mark);
                }
                let order = self.order as usize;
                let want = walk.succeeded(store, &mut self.normal[order], term);
                self.walk_on(walk, want)
            }
            frame => self.done_other(store, frame, term),
        }
    }

    fn some(
        &mut self,
        store: &Store,
        code: Code,
        node: Term,
        next: Option<Child>,
        any: bool,
    ) -> State {
        match next {
            Some(current) => {
                let frame = Frame::Some {
                    code,
                    node,
                    current,
                    next: None,
                    mark: self.mark(),
                    any,
                };
                self.enter_part(store, frame, code, node, current)
            }
            None if any => State::Done(node),
            None => State::Failed,
        }
    }

    fn done_other(&mut self, store: &mut Store, frame: Frame, new: Term) -> State {
        match frame {
            Frame::Select {
                then, term, mark, ..
            } => {
                self.quiet -= 1;
                self.rollback(mark);
                State::Eval(then, term)
            }
            Frame::Not { code, term, mark } => {
                self.quiet -= 1;
                self.rollback(mark);
                self.blame(store, 1, None, term, |engine, _| Reason::No {
                    predicate: engine.table.text(code),
                    found: term,
                })
            }
            Frame::Repeat {
                code,
                term,
                earlier,
                rounds: (round, until),
                ..
            } => {
                let round = round + 1;
                if new == term || (round >= 64 && store.alpha_eq(new, earlier)) {
                    self.stop = Some(self.endless());
                    self.quiet -= 1;
                    return State::Failed;
                }
                let (earlier, until) = match round >= until {
                    true => (new, until.saturating_mul(2)),
                    false => (earlier, until),
                };
                let mark = self.mark();
                self.stack.push(Frame::Repeat {
                    code,
                    term: new,
                    mark,
                    earlier,
                    rounds: (round, until),
                });
                State::Eval(code, new)
            }
            Frame::Times { left: 0, .. } => State::Done(new),
            Frame::Times { code, left } => {
                let left = left - 1;
                self.stack.push(Frame::Times { code, left });
                State::Eval(code, new)
            }
            Frame::Limit { outer, .. } => {
                self.limit = outer;
                State::Done(new)
            }
            Frame::Order(outer) => {
                self.order = outer;
                State::Done(new)
            }
            Frame::Housekeeping {
                name,
                term,
                applied,
            } => {
                self.housekeeping -= 1;
                if self.options.trace && self.housekeeping == 0 && new != term {
                    let all = self.applied[applied as usize..].iter();
                    let count = all.map(|applied| u64::from(applied.count)).sum::<u64>();
                    let assumed = self.assumptions.len();
                    self.record(store, name, term, new, assumed, count.max(1));
                }
                State::Done(new)
            }
            Frame::Call { then: None, .. } | Frame::Named(_) => State::Done(new),
            Frame::Call {
                then: Some(then),
                given,
                ..
            } => {
                let facts = self.facts.clone();
                let next = then(&mut Context::hosted(store, &facts, self), Ok(new));
                self.next(store, next, given)
            }
            // The others are done with before; a barrier is never reached from above.
            _ => State::Failed,
        }
    }

    // ----- what is done after a failure -----

    pub(super) fn failed(&mut self, store: &mut Store) -> State {
        let Some(frame) = self.stack.pop() else {
            return State::Failed;
        };
        match frame {
            Frame::Choice {
                other,
                term,
                mark,
                quiet,
            } => {
                self.quiet -= u32::from(quiet);
                self.rollback(mark);
                State::Eval(other, term)
            }
            Frame::Select {
                other, term, mark, ..
            } => {
                self.quiet -= 1;
                self.rollback(mark);
                State::Eval(other, term)
            }
            Frame::Not { term, mark, .. } => {
                self.quiet -= 1;
                self.rollback(mark);
                State::Done(term)
            }
            Frame::One {
                code,
                node,
                next,
                mark,
                ..
            } => {
                self.rollback(mark);
                match next {
                    Some(current) => {
                        let frame = Frame::One {
                            code,
                            node,
                            current,
                            next: None,
                            mark,
                        };
                        self.enter_part(store, frame, code, node, current)
                    }
                    None => State::Failed,
                }
            }
            Frame::Some {
                code,
                node,
                next,
                mark,
                any,
                ..
            } => {
                self.rollback(mark);
                self.some(store, code, node, next, any)
            }
            Frame::Repeat { term, mark, .. } => {
                self.quiet -= 1;
                self.rollback(mark);
                State::Done(term)
            }
            Frame::Walk(mut walk) => {
                self.rollback(walk.mark);
                let order = self.order as usize;
                let want = walk.failed(store, &mut self.normal[order]);
                self.walk_on(walk, want)
            }
            Frame::Call {
                then: Some(then),
                given,
                ..
            } => {
                let facts = self.facts.clone();
                let next = then(&mut Context::hosted(store, &facts, self), Err(Failed));
                self.next(store, next, given)
            }
            frame => {
                self.stack.push(frame);
                self.abandon();
                State::Failed
            }
        }
    }
}
