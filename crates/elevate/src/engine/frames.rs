//! The stack of the machine.

use std::sync::Arc;

use super::code::Code;
use super::strategy::Continuation;
use super::walk::Walk;
use crate::term::{Child, Order, Term};

/// How far a run has come: what came later is taken back when a branch fails.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub applied: u32,
    pub assumptions: u32,
    pub trace: u32,
    /// How many first halves of `a ; b` succeeded on the way here.
    pub passed: u32,
}

/// What is still to be done with the result of what is done now.
pub(super) enum Frame {
    /// The second of `a ; b`, and how many reasons for failures there were before the first.
    Seq(Code, u32),
    /// The second of `a <+ b`, on the original.
    Choice {
        other: Code,
        term: Term,
        mark: Mark,
        /// Whether the second cannot fail, so that nobody will ask why the first did.
        quiet: bool,
    },
    /// The two ways on from a question.
    Select {
        then: Code,
        other: Code,
        term: Term,
        mark: Mark,
    },
    /// The opposite.
    Not { code: Code, term: Term, mark: Mark },
    /// Puts the part back.
    Part { node: Term, child: Child },
    /// Puts the part back, or tries the next one.
    One {
        code: Code,
        node: Term,
        current: Child,
        next: Option<Child>,
        mark: Mark,
    },
    /// Puts the part back, and goes to the next one.
    All {
        code: Code,
        node: Term,
        current: Child,
        next: Option<Child>,
    },
    /// Puts the part back or leaves it, and goes to the next one.
    Some {
        code: Code,
        node: Term,
        current: Child,
        next: Option<Child>,
        mark: Mark,
        any: bool,
    },
    /// Once more, on the result.
    Repeat {
        code: Code,
        term: Term,
        mark: Mark,
        /// A term from before, to see whether it comes again, and how many rounds until it is
        /// replaced by a later one.
        earlier: Term,
        rounds: (u32, u32),
    },
    /// So many times more.
    Times { code: Code, left: u32 },
    /// A walk over a term, on the stack of walks.
    Walk(Box<Walk>),
    /// A limit, and the one outside of it.
    Limit { outer: u64, mark: Mark },
    /// The order outside.
    Order(Order),
    /// The end of housekeeping.
    Housekeeping {
        name: Arc<str>,
        term: Term,
        applied: u32,
    },
    /// The end of a strategy with a name.
    Named(u32),
    /// Goes on with a function. What it is applied to may stand in what the function was applied
    /// to: then, where.
    Call {
        then: Option<Continuation>,
        given: Term,
        place: Place,
    },
    /// The end of what a rule or function asked for on the stack of the thread.
    Barrier(Place),
}

/// Where a term stands in what a function was applied to.
pub(super) enum Place {
    /// Somewhere else.
    Unknown,
    /// Inside these nodes, the outermost first.
    Inside(Box<[(Term, Child)]>),
}

/// Calls `visit` with the nodes around the place where the machine is, the innermost first, until
/// it says `true`.
pub(super) fn around(stack: &[Frame], visit: &mut dyn FnMut(Term, Child) -> bool) {
    for frame in stack.iter().rev() {
        let stop = match frame {
            Frame::Part { node, child } => visit(*node, *child),
            Frame::One { node, current, .. }
            | Frame::All { node, current, .. }
            | Frame::Some { node, current, .. } => visit(*node, *current),
            Frame::Walk(walk) => {
                (walk.above().iter().rev()).any(|spot| visit(spot.node, spot.current))
            }
            Frame::Call { place, .. } | Frame::Barrier(place) => match place {
                Place::Inside(nodes) => {
                    nodes.iter().rev().any(|(node, child)| visit(*node, *child))
                }
                Place::Unknown => false,
            },
            _ => false,
        };
        if stop {
            return;
        }
    }
}
