//! Records and reports the results of a run: traces, counts, failures, and the reasons for which
//! runs are stopped.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::Code;
use super::frames::{Frame, around};
use super::machine::{AppliedRule, Engine, RankedFailure, RuleApplication, State, rebuilt};
use super::outcome::{Failure, Outcome, RuleCount, TraceStep};
use super::rewrite::Reason;
use super::strategy::Failed;
use crate::term::{Child, Path, Store, Term};

impl Engine<'_> {
    pub(super) fn name_of(&self, what: AppliedRule) -> Arc<str> {
        match what {
            AppliedRule::Rule(at) => {
                let (rule, _) = &self.table.rules[at as usize];
                format!("{}{}", rule.name(), rule.args()).into()
            }
            AppliedRule::Form(form) => form.name().into(),
        }
    }

    pub(super) fn record(
        &mut self,
        store: &mut Store,
        rule: Arc<str>,
        focus: Term,
        result: Term,
        assumed: usize,
        housekeeping: u64,
    ) {
        let (mut before, mut after) = (focus, result);
        let mut steps = Vec::new();
        around(&self.stack, &self.walks, &self.calls, &mut |node, child| {
            before = rebuilt(store, node, child, before);
            after = rebuilt(store, node, child, after);
            steps.push(child);
        });
        steps.reverse();
        let assumptions = self.assumptions.get(assumed..).unwrap_or_default();
        self.trace.push(TraceStep {
            rule,
            strategies: self.strategies(),
            path: Path(steps),
            focus,
            result,
            before,
            after,
            assumptions: assumptions.iter().map(|(a, _)| a.clone()).collect(),
            housekeeping,
        });
    }

    /// Returns the names of the named strategies and housekeeping strategies that are being
    /// applied, outermost first.
    pub(super) fn strategies(&self) -> Vec<Arc<str>> {
        let name = |frame: &Frame| match frame {
            Frame::Named(at) => Some(self.table.names[*at as usize].clone()),
            Frame::Housekeeping { name, .. } => Some(self.table.names[*name as usize].clone()),
            _ => None,
        };
        self.stack.iter().filter_map(name).collect()
    }

    pub(super) fn no_part(&mut self, store: &mut Store, code: Code, term: Term) -> State {
        self.record_failure(store, 0, None, term, |engine, _| Reason::NoChild {
            traversal: engine.table.text(code),
            found: term,
        })
    }

    /// Returns [`State::Failed`], and records the failure if failures are reported here and its
    /// rank is higher than that of all recorded ones.
    pub(super) fn record_failure(
        &mut self,
        store: &mut Store,
        score: u32,
        rule: Option<u32>,
        focus: Term,
        reason: impl FnOnce(&mut Self, &mut Store) -> Reason,
    ) -> State {
        let rank = (self.passed, score);
        if self.quiet > 0 || self.failures.last().is_some_and(|last| last.rank >= rank) {
            return State::Failed;
        }
        let reason = reason(self, store);
        let mut root = focus;
        around(&self.stack, &self.walks, &self.calls, &mut |node, child| {
            root = rebuilt(store, node, child, root);
        });
        let failure = Failure {
            root,
            strategies: self.strategies(),
            rule: rule.map(|at| self.name_of(AppliedRule::Rule(at))),
            path: Path(self.enclosing_nodes().into_iter().map(|(_, c)| c).collect()),
            focus,
            reason,
        };
        self.failures.push(RankedFailure { rank, failure });
        State::Failed
    }

    /// Returns the nodes around the current term, outermost first.
    pub(super) fn enclosing_nodes(&self) -> Vec<(Term, Child)> {
        let mut all = Vec::new();
        around(&self.stack, &self.walks, &self.calls, &mut |node, child| {
            all.push((node, child));
        });
        all.reverse();
        all
    }

    // ----- runs that do not end -----

    /// Returns the reason for a run that reached a limit: endless if the last rules repeat
    /// periodically, at least four times, else out of fuel.
    pub(super) fn out_of_fuel(&self) -> Reason {
        match self.circle() {
            Some(circle) => Reason::Endless(circle),
            None => {
                let mut last: Vec<AppliedRule> = Vec::new();
                for applied in self.applied.iter().rev().take(64) {
                    if !last.contains(&applied.what) && last.len() < 8 {
                        last.push(applied.what);
                    }
                }
                let names = last.iter().rev().map(|what| self.name_of(*what));
                Reason::OutOfFuel {
                    last: names.map(|name| name.to_string()).collect(),
                }
            }
        }
    }

    /// Returns the reason for a run that does not end, with the rules that repeat, or only the last
    /// rule if no period is found. The list is empty if no rule was applied: then what is repeated
    /// changes nothing.
    pub(super) fn endless(&self) -> Reason {
        let last = || {
            let last = self.applied.last()?;
            Some(vec![self.name_of(last.what).to_string()])
        };
        Reason::Endless(self.circle().or_else(last).unwrap_or_default())
    }

    /// Returns the reason for a stack that is too deep: endless if the names of the innermost 64
    /// named strategies repeat periodically or no strategy has a name, else too many calls.
    pub(super) fn nests_deeply(&self) -> Reason {
        let names = |frame: &Frame| match frame {
            Frame::Named(at) => Some(&*self.table.names[*at as usize]),
            _ => None,
        };
        let named = || self.stack.iter().rev().filter_map(names);
        let last: Vec<&str> = named().take(64).collect();
        match (period(&last), last.first()) {
            (None, Some(last)) => Reason::TooManyCalls {
                // The last call is not made.
                calls: named().count().saturating_sub(1) as u32,
                last: (*last).to_owned(),
            },
            (circle, _) => {
                let circle = circle.unwrap_or_default().iter().rev();
                Reason::Endless(circle.map(|name| (*name).to_owned()).collect())
            }
        }
    }

    /// Returns the names of the rules and normal forms in one period of the last 64 applications,
    /// or of all if there are fewer. Returns `None` if no period occurs at least four times.
    fn circle(&self) -> Option<Vec<String>> {
        let last: Vec<AppliedRule> = (self.applied.iter().rev().take(64))
            .map(|applied| applied.what)
            .collect();
        let circle = period(&last)?;
        let name = |what: &AppliedRule| self.name_of(*what).to_string();
        Some(circle.iter().rev().map(name).collect())
    }

    /// Returns the outcome of a run.
    pub(super) fn outcome(mut self, term: Term, result: Result<Term, Failed>) -> Outcome {
        let result = match (result, &self.stop) {
            (Ok(new), None) => Ok(new),
            _ => Err(self.failure(term)),
        };
        let sum = |housekeeping: bool| {
            let all = self.applied.iter();
            let counted = all.filter(|applied| applied.housekeeping == housekeeping);
            counted.map(|applied| u64::from(applied.count)).sum()
        };
        Outcome {
            result,
            steps: sum(false),
            housekeeping: sum(true),
            counts: self.counts(),
            assumptions: self.assumptions.into_iter().map(|(a, _)| a).collect(),
            trace: self.trace,
            work: self.work,
        }
    }

    fn counts(&self) -> Vec<RuleCount> {
        let mut places: FxHashMap<AppliedRule, usize> = FxHashMap::default();
        let mut counts: Vec<RuleCount> = Vec::new();
        for RuleApplication {
            what,
            count,
            housekeeping,
        } in &self.applied
        {
            let at = *places.entry(*what).or_insert_with(|| {
                let rule = self.name_of(*what);
                let known = counts.iter().position(|count| count.rule == rule);
                known.unwrap_or_else(|| {
                    counts.push(RuleCount {
                        rule,
                        steps: 0,
                        housekeeping: 0,
                    });
                    counts.len() - 1
                })
            });
            match housekeeping {
                true => counts[at].housekeeping += u64::from(*count),
                false => counts[at].steps += u64::from(*count),
            }
        }
        counts
    }

    /// Returns the failure of a run: the reason for which it was stopped, or the recorded failure
    /// of the highest rank, or the message `it fails` if none is recorded.
    fn failure(&mut self, focus: Term) -> Failure {
        let strategies = self.strategies();
        let plain = |reason| Failure {
            strategies,
            rule: None,
            path: Path::ROOT,
            root: focus,
            focus,
            reason,
        };
        match self.stop.take() {
            Some(reason) => plain(reason),
            None => match self.failures.pop() {
                Some(ranked) => ranked.failure,
                None => plain(Reason::Message("it fails".to_owned())),
            },
        }
    }
}

/// Returns the shortest prefix such that the list consists of repetitions of it, of which the last
/// may be incomplete, if there are at least four complete ones.
fn period<T: PartialEq>(list: &[T]) -> Option<&[T]> {
    (1..=list.len() / 4)
        .find(|length| list.iter().zip(&list[*length..]).all(|(a, b)| a == b))
        .map(|length| &list[..length])
}
