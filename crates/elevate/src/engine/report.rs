//! What a run says: traces, counts, why it failed.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::Code;
use super::frames::{Frame, around};
use super::machine::{Applied, Blame, Engine, State, What, rebuilt};
use super::outcome::{Failure, Outcome, RuleCount, TraceStep};
use super::rewrite::Reason;
use super::strategy::Failed;
use crate::term::{Child, Path, Store, Term};

impl Engine<'_> {
    pub(super) fn name_of(&self, what: What) -> Arc<str> {
        match what {
            What::Rule(at) => {
                let (rule, _) = &self.table.rules[at as usize];
                format!("{}{}", rule.name(), rule.args()).into()
            }
            What::Form(form) => form.name().into(),
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
            false
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

    /// The named strategies that we are in, the outermost first.
    pub(super) fn strategies(&self) -> Vec<Arc<str>> {
        let name = |frame: &Frame| match frame {
            Frame::Named(at) => Some(self.table.names[*at as usize].clone()),
            Frame::Housekeeping { name, .. } => Some(self.table.names[*name as usize].clone()),
            _ => None,
        };
        self.stack.iter().filter_map(name).collect()
    }

    pub(super) fn no_part(&mut self, store: &mut Store, code: Code, term: Term) -> State {
        self.blame(store, 0, None, term, |engine, _| Reason::NoPart {
            traversal: engine.table.text(code),
            found: term,
        })
    }

    /// Fails, and keeps the reason if none is nearer to a success.
    pub(super) fn blame(
        &mut self,
        store: &mut Store,
        score: u32,
        rule: Option<u32>,
        focus: Term,
        reason: impl FnOnce(&mut Self, &mut Store) -> Reason,
    ) -> State {
        let rank = (self.passed, score);
        if self.quiet > 0 || self.blames.last().is_some_and(|last| last.rank >= rank) {
            return State::Failed;
        }
        let reason = reason(self, store);
        let mut root = focus;
        around(&self.stack, &self.walks, &self.calls, &mut |node, child| {
            root = rebuilt(store, node, child, root);
            false
        });
        let failure = Failure {
            root,
            strategies: self.strategies(),
            rule: rule.map(|at| self.name_of(What::Rule(at))),
            path: Path(self.enclosing_nodes().into_iter().map(|(_, c)| c).collect()),
            focus,
            reason,
        };
        self.blames.push(Blame { rank, failure });
        State::Failed
    }

    /// The nodes around the place where the machine is, the outermost first.
    pub(super) fn enclosing_nodes(&self) -> Vec<(Term, Child)> {
        let mut all = Vec::new();
        around(&self.stack, &self.walks, &self.calls, &mut |node, child| {
            all.push((node, child));
            false
        });
        all.reverse();
        all
    }

    // ----- what does not end -----

    /// The limit is reached: because it goes round in circles, or because there is that much to do.
    pub(super) fn out_of_fuel(&self) -> Reason {
        match self.circle() {
            Some(circle) => Reason::Endless(circle),
            None => {
                let mut last: Vec<What> = Vec::new();
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

    /// It is certain that it does not end. Without a rule that was applied, what it repeats changes
    /// nothing.
    pub(super) fn endless(&self) -> Reason {
        let last = || {
            let last = self.applied.last()?;
            Some(vec![self.name_of(last.what).to_string()])
        };
        Reason::Endless(self.circle().or_else(last).unwrap_or_default())
    }

    /// Strategies call each other without end, or too often.
    pub(super) fn nests_deeply(&self) -> Reason {
        let names = |frame: &Frame| match frame {
            Frame::Named(at) => Some(&*self.table.names[*at as usize]),
            _ => None,
        };
        let named = || self.stack.iter().rev().filter_map(names);
        let last: Vec<&str> = named().take(64).collect();
        match (period(&last), last.first()) {
            (None, Some(last)) => Reason::TooManyCalls {
                // The last one was not made.
                calls: named().count().saturating_sub(1) as u32,
                last: (*last).to_owned(),
            },
            (circle, _) => {
                let circle = circle.unwrap_or_default().iter().rev();
                Reason::Endless(circle.map(|name| (*name).to_owned()).collect())
            }
        }
    }

    /// The rules that were applied over and over.
    fn circle(&self) -> Option<Vec<String>> {
        let last: Vec<What> = (self.applied.iter().rev().take(64))
            .map(|applied| applied.what)
            .collect();
        let circle = period(&last)?;
        let name = |what: &What| self.name_of(*what).to_string();
        Some(circle.iter().rev().map(name).collect())
    }

    /// What a run did.
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
        let mut places: FxHashMap<What, usize> = FxHashMap::default();
        let mut counts: Vec<RuleCount> = Vec::new();
        for Applied {
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

    /// Why the run failed.
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
            None => match self.blames.pop() {
                Some(blame) => blame.failure,
                None => plain(Reason::Said("it fails".to_owned())),
            },
        }
    }
}

/// The shortest part that a list starts with again and again, at least four times.
fn period<T: PartialEq>(list: &[T]) -> Option<&[T]> {
    (1..=list.len() / 4)
        .find(|length| list.iter().zip(&list[*length..]).all(|(a, b)| a == b))
        .map(|length| &list[..length])
}
