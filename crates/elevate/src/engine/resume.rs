//! Resumes the frames of the stack with the result of a strategy, or after its failure.

use super::code::Code;
use super::frames::{Frame, Loop};
use super::machine::{Engine, State, rebuilt};
use super::rewrite::Reason;
use crate::term::{Child, Store, Term};

impl Engine<'_> {
    pub(super) fn done(&mut self, store: &mut Store, term: Term) -> State {
        let Some(frame) = self.stack.pop() else {
            return State::Done(term);
        };
        match frame {
            Frame::Seq(next, failures) => {
                self.pass(failures);
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
            Frame::Traversal => {
                let want = self.walk_succeeded(store, term);
                self.walk_on(store, want)
            }
            frame => self.done_other(store, frame, term),
        }
    }

    /// Records the success of the first strategy of `a ; b`, or of one application of
    /// `repeatNTimes`, and drops the failures after the first `failures`, which were recorded
    /// within it.
    fn pass(&mut self, failures: u32) {
        self.failures.truncate(failures as usize);
        self.passed += 1;
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
            Frame::Not { code, term, mark } => {
                self.quiet -= 1;
                self.rollback(mark);
                self.record_failure(store, 1, None, term, |engine, _| Reason::PredicateFails {
                    predicate: engine.table.text(code),
                    found: term,
                })
            }
            Frame::Repeat => self.again(store, new),
            Frame::Times {
                code,
                left,
                failures,
            } => {
                self.pass(failures);
                let Some(left) = left.checked_sub(1) else {
                    return State::Done(new);
                };
                self.stack.push(Frame::Times {
                    code,
                    left,
                    failures,
                });
                State::Eval(code, new)
            }
            Frame::Limit { outer, .. } => {
                self.limit = outer;
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
                    let name = self.table.names[name as usize].clone();
                    let count = all.map(|applied| u64::from(applied.count)).sum::<u64>();
                    let assumed = self.assumptions.len();
                    self.record(store, name, term, new, assumed, count.max(1));
                }
                State::Done(new)
            }
            Frame::Named(_) => State::Done(new),
            Frame::Call => {
                self.calls.pop();
                State::Done(new)
            }
            // The other frames are handled in `done`; a barrier is the base of a nested call.
            _ => State::Failed,
        }
    }

    /// Applies the strategy of a loop again, or stops the run if the result shows that the loop is
    /// endless: the result is the term to which the strategy was applied, or, from the 64th
    /// application on, α-equivalent to [`Loop::earlier`].
    fn again(&mut self, store: &mut Store, new: Term) -> State {
        let mark = self.mark();
        let Some(round) = self.loops.last_mut() else {
            return State::Failed;
        };
        round.rounds += 1;
        let late = round.rounds >= 64;
        if new == round.term || (late && store.alpha_eq(new, round.earlier)) {
            let has_changed = new != round.term || mark.applied != round.mark.applied;
            self.stop = Some(match has_changed {
                true => self.endless(),
                false => Reason::Endless(Vec::new()),
            });
            self.loops.pop();
            self.quiet -= 1;
            return State::Failed;
        }
        if round.rounds >= round.until {
            round.until = round.until.saturating_mul(2);
            round.earlier = new;
        }
        (round.term, round.mark) = (new, mark);
        let code = round.code;
        self.stack.push(Frame::Repeat);
        State::Eval(code, new)
    }

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
            Frame::Repeat => {
                self.quiet -= 1;
                let Some(Loop { term, mark, .. }) = self.loops.pop() else {
                    return State::Failed;
                };
                self.rollback(mark);
                State::Done(term)
            }
            Frame::Traversal => {
                let want = self.walk_failed(store);
                self.walk_on(store, want)
            }
            frame => {
                self.stack.push(frame);
                self.abandon();
                State::Failed
            }
        }
    }
}
