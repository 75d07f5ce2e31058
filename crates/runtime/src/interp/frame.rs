//! The state of a run: the slots of variables, the limits and the trace. Also compiled sizes, which
//! read the slots.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use nat::{Nat, Var};
use rise::core::Origin;

use super::buffer::MemoryMeter;
use super::compile::SlotCounts;
use super::error::{BoxedError, ErrorKind, InterpError, InterpResult};
use super::kind::{Kind, Word};
use super::optimized::ChunkState;
use super::trace::Trace;
use super::val::Val;
use super::{ForeignCall, Options};
use crate::process::Cancel;

/// The number of steps between two checks of the time limit and of cancellation.
const STEPS_PER_CHECK: i64 = 1 << 14;

pub(crate) struct Frame<'a> {
    /// The values of scalars.
    pub words: Vec<Word>,
    /// The errors in the computation of scalars, by the slots of the scalars.
    pub failed: Vec<Option<Rc<InterpError>>>,
    /// The values that are not scalars.
    pub vals: Vec<Val>,
    /// The state of optimised evaluation.
    pub chunk: ChunkState,
    /// Sizes that are only known at run time.
    pub nats: Vec<i64>,
    pub meter: Rc<MemoryMeter>,
    pub foreign: Option<&'a dyn ForeignCall>,
    pub trace: Option<Trace>,
    limits: Limits,
}

struct Limits {
    /// The number of steps until the next check of the limits.
    slice: i64,
    /// The number of steps that are left after the current slice.
    remaining: u64,
    cancellation: CancellationToken,
}

impl<'a> Frame<'a> {
    pub fn new(options: &Options<'a>, meter: Rc<MemoryMeter>) -> Frame<'a> {
        Frame {
            words: Vec::new(),
            failed: Vec::new(),
            vals: Vec::new(),
            chunk: ChunkState::default(),
            nats: Vec::new(),
            meter,
            foreign: options.foreign,
            trace: options.trace.map(Trace::new),
            limits: Limits {
                slice: 0,
                remaining: options.step_limit.unwrap_or(u64::MAX),
                cancellation: CancellationToken::new(options),
            },
        }
    }

    /// Allocates the slots of a program.
    pub fn reserve(&mut self, slots: &SlotCounts) {
        self.words.resize(slots.words, 0);
        self.failed.resize(slots.words, None);
        self.vals.resize(slots.vals, Val::Word(Kind::Bool, 0));
        self.nats.resize(slots.nats, 0);
        self.chunk.reserve(slots);
    }

    /// Returns the time limit and the cancellation flag.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.limits.cancellation
    }

    /// Counts steps, and checks the limits periodically.
    #[inline]
    pub fn tick(&mut self, steps: usize) -> InterpResult<()> {
        self.limits.slice -= steps as i64;
        if self.limits.slice < 0 {
            return self.limits.next_slice();
        }
        Ok(())
    }

    /// Returns the error in the computation of the scalar in a slot; `None` if there is none.
    #[cold]
    pub fn failure(&self, slot: usize) -> Option<BoxedError> {
        let error = self.failed.get(slot)?.as_ref()?;
        Some(Box::new((**error).clone()))
    }
}

impl Limits {
    #[cold]
    fn next_slice(&mut self) -> InterpResult<()> {
        self.cancellation.check()?;
        while self.slice < 0 {
            if self.remaining == 0 {
                return Err(ErrorKind::TooManySteps.nowhere());
            }
            let more = u64::min(STEPS_PER_CHECK as u64, self.remaining);
            self.remaining -= more;
            self.slice += more as i64;
        }
        Ok(())
    }
}

/// The time limit and the cancellation flag of a run.
#[derive(Clone, Debug)]
pub(crate) struct CancellationToken {
    deadline: Option<Instant>,
    cancel: Option<Cancel>,
}

impl CancellationToken {
    pub fn new(options: &Options<'_>) -> CancellationToken {
        CancellationToken {
            deadline: (options.time_limit).and_then(|limit| Instant::now().checked_add(limit)),
            cancel: options.cancel.cloned(),
        }
    }

    /// Fails if the time limit is exceeded, or the run is cancelled.
    pub fn check(&self) -> InterpResult<()> {
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(ErrorKind::Cancelled.nowhere());
        }
        if self.deadline.is_some_and(|limit| Instant::now() > limit) {
            return Err(ErrorKind::Timeout.nowhere());
        }
        Ok(())
    }
}

/// A compiled size, into which the values of the program's sizes are substituted.
#[derive(Clone, Debug)]
pub(crate) enum NatCode {
    Const(i64),
    /// An expression in which the variables from `first` on refer to [`Frame::nats`].
    Open {
        nat: Nat,
        first: u32,
        text: Arc<str>,
    },
}

impl NatCode {
    pub fn eval(&self, frame: &Frame<'_>, origin: Origin) -> InterpResult<i64> {
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

    /// Evaluates the size as a number of elements.
    pub fn len(&self, frame: &Frame<'_>, origin: Origin) -> InterpResult<usize> {
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
