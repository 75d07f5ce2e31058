//! The state of a run: the slots of variables, and what may be used up.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use nat::{Nat, Var};
use rise::core::Origin;

use super::compile::Slots;
use super::data::Meter;
use super::error::{ErrorKind, InterpError, Res, Stop};
use super::kind::{Kind, Word};
use super::many::{Iterations, Varying};
use super::trace::Trace;
use super::val::Val;
use super::{ForeignCall, Options};
use crate::process::Cancel;

/// Steps between two looks at the clock.
const SLICE: i64 = 1 << 14;

/// The state of a run.
pub(crate) struct Frame<'a> {
    /// Scalars.
    pub words: Vec<Word>,
    /// Why a scalar could not be computed.
    pub failed: Vec<Option<Rc<InterpError>>>,
    /// The scalars that differ between iterations that are done at once, by the same slots.
    pub varying_words: Vec<Option<Varying>>,
    /// Everything that is no scalar.
    pub vals: Vec<Val>,
    /// The same for those.
    pub varying_vals: Vec<Option<Varying>>,
    /// The slots with something that varies.
    pub touched_words: Vec<usize>,
    pub touched_vals: Vec<usize>,
    /// The iterations that are done at once.
    pub iterations: Iterations,
    /// Of the branches that are computed for all of them: in which iterations each is taken.
    pub masks: Vec<Vec<bool>>,
    /// Why the program fails, found while a chunk was done: doing it again would not help.
    pub stop: Option<Stop>,
    /// Sizes that are known only at run time.
    pub nats: Vec<i64>,
    pub meter: Rc<Meter>,
    pub foreign: Option<&'a dyn ForeignCall>,
    pub trace: Option<Trace>,
    limits: Limits,
}

struct Limits {
    /// Steps until the next look at the clock.
    slice: i64,
    /// Steps that remain after this slice.
    remaining: u64,
    patience: Patience,
}

impl<'a> Frame<'a> {
    pub fn new(options: &Options<'a>, meter: Rc<Meter>) -> Frame<'a> {
        Frame {
            words: Vec::new(),
            failed: Vec::new(),
            varying_words: Vec::new(),
            vals: Vec::new(),
            varying_vals: Vec::new(),
            touched_words: Vec::new(),
            touched_vals: Vec::new(),
            iterations: Iterations::default(),
            masks: Vec::new(),
            stop: None,
            nats: Vec::new(),
            meter,
            foreign: options.foreign,
            trace: options.trace.map(Trace::new),
            limits: Limits {
                slice: 0,
                remaining: options.step_limit.unwrap_or(u64::MAX),
                patience: Patience::new(options),
            },
        }
    }

    /// Makes room for the variables of a program.
    pub fn reserve(&mut self, slots: &Slots) {
        self.words.resize(slots.words, 0);
        self.failed.resize(slots.words, None);
        self.varying_words.resize(slots.words, None);
        self.varying_vals.resize(slots.vals, None);
        self.vals.resize(slots.vals, Val::Word(Kind::Bool, 0));
        self.nats.resize(slots.nats, 0);
    }

    /// How long the run may go on.
    pub fn patience(&self) -> &Patience {
        &self.limits.patience
    }

    /// So many steps are done now.
    #[inline]
    pub fn tick(&mut self, steps: usize) -> Res<()> {
        self.limits.slice -= steps as i64;
        if self.limits.slice < 0 {
            return self.limits.next_slice();
        }
        Ok(())
    }

    /// The iterations in which all branches around are taken; `None` if there are none around.
    pub fn taken(&self) -> Option<Vec<bool>> {
        if self.masks.is_empty() {
            return None;
        }
        let total = self.iterations.total();
        let mut all = vec![true; total];
        for mask in self.masks.iter().filter(|mask| !mask.is_empty()) {
            // Loops that were entered since have more iterations for each.
            let times = total.div_ceil(mask.len()).max(1);
            for (taken, here) in all.chunks_mut(times).zip(mask) {
                taken.iter_mut().for_each(|taken| *taken &= *here);
            }
        }
        Some(all)
    }

    /// What a chunk that was given up has found to be wrong with the program.
    #[inline]
    pub fn stopped(&mut self) -> Res<()> {
        match self.stop.take() {
            Some(stop) => Err(stop),
            None => Ok(()),
        }
    }

    /// Why the scalar in a slot could not be computed.
    #[cold]
    pub fn failure(&self, slot: usize) -> Option<Stop> {
        let error = self.failed.get(slot)?.as_ref()?;
        Some(Box::new((**error).clone()))
    }
}

impl Limits {
    #[cold]
    fn next_slice(&mut self) -> Res<()> {
        self.patience.check()?;
        while self.slice < 0 {
            if self.remaining == 0 {
                return Err(ErrorKind::TooManySteps.nowhere());
            }
            let more = u64::min(SLICE as u64, self.remaining);
            self.remaining -= more;
            self.slice += more as i64;
        }
        Ok(())
    }
}

/// How long the run may go on.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    deadline: Option<Instant>,
    cancel: Option<Cancel>,
}

impl Patience {
    pub fn new(options: &Options<'_>) -> Patience {
        Patience {
            deadline: (options.time_limit).and_then(|limit| Instant::now().checked_add(limit)),
            cancel: options.cancel.cloned(),
        }
    }

    /// Whether it may go on.
    pub fn check(&self) -> Res<()> {
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(ErrorKind::Cancelled.nowhere());
        }
        if self.deadline.is_some_and(|limit| Instant::now() > limit) {
            return Err(ErrorKind::Timeout.nowhere());
        }
        Ok(())
    }
}

/// A size, with the values of the program's sizes put in.
#[derive(Clone, Debug)]
pub(crate) enum NatCode {
    Const(i64),
    /// Variables from `first` on stand for [`Frame::nats`].
    Open {
        nat: Nat,
        first: u32,
        text: Arc<str>,
    },
}

impl NatCode {
    pub fn eval(&self, frame: &Frame<'_>, origin: Origin) -> Res<i64> {
        match self {
            NatCode::Const(value) => Ok(*value),
            NatCode::Open { nat, first, text } => {
                let slots = |var: Var| {
                    let slot = var.0.checked_sub(*first)?;
                    frame.nats.get(slot as usize).copied()
                };
                let value = nat.eval(&slots, &|_, _| None);
                value.ok_or_else(|| ErrorKind::Size(text.to_string()).at(origin))
            }
        }
    }

    /// The value as a number of elements.
    pub fn len(&self, frame: &Frame<'_>, origin: Origin) -> Res<usize> {
        let value = self.eval(frame, origin)?;
        usize::try_from(value).map_err(|_| {
            let text = match self {
                NatCode::Const(value) => value.to_string(),
                NatCode::Open { text, .. } => text.to_string(),
            };
            ErrorKind::Size(text).at(origin)
        })
    }
}
