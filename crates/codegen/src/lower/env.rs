//! Defines access paths, and the environment in which phrases are lowered.

use std::rc::Rc;

use dpia::{Phrase, Prim};
use nat::Nat;
use rise::Arg;
use rise::core::{Local, Origin};

use super::small_state::SmallState;
use super::store::Store;
use crate::ir::Id;

/// A step of an access path, from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// An element of an array.
    Index(Nat),
    /// An element of a dependent array, counted over all of its pieces.
    Joined(Nat),
    /// A component of a tuple: false `_1`, true `_2`.
    Member(bool),
    /// A lane of a vector.
    Lane(Nat),
}

/// An access path (Lift's view consumption): a stack of steps whose top is the first step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Path(Vec<Step>);

impl Path {
    /// Returns the empty path, which selects the value itself.
    pub fn new() -> Path {
        Path::default()
    }

    /// Returns the path with this step before it.
    pub fn push(mut self, step: Step) -> Path {
        self.0.push(step);
        self
    }

    /// Returns the path with these steps, in their order, before it.
    pub fn push_all(mut self, steps: &[Step]) -> Path {
        self.0.extend(steps.iter().rev().cloned());
        self
    }

    /// Returns the path with this step after it.
    pub fn behind(mut self, step: Step) -> Path {
        self.0.insert(0, step);
        self
    }

    /// Removes the first step and returns it; `None` if the path is empty.
    pub fn pop(&mut self) -> Option<Step> {
        self.0.pop()
    }

    /// Returns the first step; `None` if the path is empty.
    pub fn next(&self) -> Option<&Step> {
        self.0.last()
    }
}

/// The phrase of a primitive, with its type arguments and its arguments.
#[derive(Clone, Copy)]
pub(super) struct Call<'p> {
    pub phrase: &'p Phrase,
    pub prim: Prim,
    pub types: &'p [Arg],
    pub args: &'p [Phrase],
}

impl Call<'_> {
    pub fn origin(&self) -> Origin {
        self.phrase.origin
    }
}

/// The meaning of a variable of the program.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// A value in memory.
    Store(Store),
    /// An index, such as the counter of a loop.
    Index(Nat),
    /// The part of a phrase at these steps, with the environment of the phrase.
    Phrase(Phrase, Rc<[Step]>, Env),
    /// The command `swap` of `newDoubleBuffer`: the buffer that was written is read next, and the
    /// spare buffer is written.
    Swap {
        /// The pointer through which iterations read.
        read: Id,
        /// The pointer that is written through.
        write: Id,
        /// The pointer to the spare buffer.
        spare: Id,
    },
    /// The command `done` of `newDoubleBuffer`, after which the writes are to the output.
    Redirect {
        /// The pointer that is written through.
        write: Id,
        /// The output.
        to: crate::ir::Place,
    },
    /// The command `swap` of `newDoubleBuffer` for a small state.
    CopyBack(SmallState),
    /// A command that does nothing.
    Skip,
}

/// Maps variables to their meanings, of which the innermost binding counts. It is cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Env(Option<Rc<Entry>>);

#[derive(Debug)]
struct Entry {
    local: Local,
    bound: Bound,
    outer: Env,
}

impl Env {
    /// Returns the environment extended by a variable.
    pub fn with(&self, local: &Local, bound: Bound) -> Env {
        Env(Some(Rc::new(Entry {
            local: local.clone(),
            bound,
            outer: self.clone(),
        })))
    }

    /// Returns the meaning of a variable; `None` if it is unbound.
    pub fn get(&self, local: &Local) -> Option<&Bound> {
        Some(&self.entry(local)?.bound)
    }

    /// Returns an address that identifies the binding of a variable while the environment exists:
    /// the variable has the same meaning wherever the address is the same. Returns 0 for an unbound
    /// variable.
    pub fn binder(&self, local: &Local) -> usize {
        self.entry(local)
            .map_or(0, |entry| Rc::as_ptr(entry) as usize)
    }

    /// Returns an address that identifies the environment while it exists; 0 for the empty one.
    pub fn address(&self) -> usize {
        self.0
            .as_ref()
            .map_or(0, |entry| Rc::as_ptr(entry) as usize)
    }

    fn entry(&self, local: &Local) -> Option<&Rc<Entry>> {
        let mut env = self;
        while let Some(entry) = &env.0 {
            if entry.local == *local {
                return Some(entry);
            }
            env = &entry.outer;
        }
        None
    }
}
