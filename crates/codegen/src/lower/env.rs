//! What the variables of phrases stand for while they are lowered.

use std::rc::Rc;

use dpia::Phrase;
use nat::Nat;
use rise::core::Local;

use super::store::Store;
use crate::ir::Id;

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// The element of an array.
    Index(Nat),
    /// The element of a dependent array, counted over all of its pieces.
    Joined(Nat),
    /// A half of a tuple: false `_1`, true `_2`.
    Member(bool),
    /// A lane of a vector.
    Lane(Nat),
}

/// The steps to a part, the next one last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Path(Vec<Step>);

impl Path {
    /// The value itself.
    pub fn new() -> Path {
        Path::default()
    }

    /// `step`, then this.
    pub fn push(mut self, step: Step) -> Path {
        self.0.push(step);
        self
    }

    /// `steps` in their order, then this.
    pub fn push_all(mut self, steps: &[Step]) -> Path {
        self.0.extend(steps.iter().rev().cloned());
        self
    }

    /// This, then `step`.
    pub fn behind(mut self, step: Step) -> Path {
        self.0.insert(0, step);
        self
    }

    /// The next step.
    pub fn pop(&mut self) -> Option<Step> {
        self.0.pop()
    }

    /// Without looking at it.
    pub fn next(&self) -> Option<&Step> {
        self.0.last()
    }
}

/// What a variable stands for.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// Memory.
    Store(Store),
    /// The counter of a loop.
    Index(Nat),
    /// A part of a phrase, in the scope where it stood.
    Phrase(Phrase, Rc<[Step]>, Env),
    /// Two buffers take turns.
    Swap {
        /// Is read from now on where was written.
        read: Id,
        /// Is written to next.
        write: Id,
        /// The buffer that is free.
        spare: Id,
    },
    /// What is written from now on goes here.
    Redirect {
        /// The pointer that is written through.
        write: Id,
        /// Where the result is wanted; `None` if it is copied there at the end.
        to: Option<crate::ir::Place>,
    },
}

/// Variables with their meanings, the innermost first. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Env(Option<Rc<Entry>>);

#[derive(Debug)]
struct Entry {
    local: Local,
    bound: Bound,
    outer: Env,
}

impl Env {
    /// This with one more variable.
    pub fn with(&self, local: &Local, bound: Bound) -> Env {
        Env(Some(Rc::new(Entry {
            local: local.clone(),
            bound,
            outer: self.clone(),
        })))
    }

    /// What `local` stands for.
    pub fn get(&self, local: &Local) -> Option<&Bound> {
        Some(&self.entry(local)?.bound)
    }

    /// Where `local` was bound: what its variable stands for there is always the same.
    pub fn binder(&self, local: &Local) -> usize {
        self.entry(local)
            .map_or(0, |entry| Rc::as_ptr(entry) as usize)
    }

    /// The same environment has the same address while it lives.
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
