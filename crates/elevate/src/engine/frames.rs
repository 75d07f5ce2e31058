//! The stack of the machine.

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

/// What is still to be done with the result of what is done now. It is small and plain; what is
/// not lies on stacks of its own.
#[derive(Clone, Copy)]
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
    /// Once more, on the result: see [`Loop`].
    Repeat,
    /// So many times more, and how many reasons for failures there were before.
    Times { code: Code, left: u32, blames: u32 },
    /// A walk over a term, the last on the stack of walks.
    Walk,
    /// A limit, and the one outside of it.
    Limit { outer: u64, mark: Mark },
    /// The order outside.
    Order(Order),
    /// The end of housekeeping.
    Housekeeping { name: u32, term: Term, applied: u32 },
    /// The end of a strategy with a name.
    Named(u32),
    /// Goes on with a function: see [`Call`].
    Call,
    /// The end of what a rule or function asked for on the stack of the thread.
    Barrier,
}

/// A strategy that is applied until it fails.
pub(super) struct Loop {
    pub code: Code,
    pub term: Term,
    pub mark: Mark,
    /// A term from before, to see whether it comes again.
    pub earlier: Term,
    /// How many rounds there were, and when `earlier` is replaced by a later term.
    pub rounds: u32,
    pub until: u32,
}

/// A function that waits for the result of a strategy.
pub(super) struct Call {
    pub then: Option<Continuation>,
    /// What it was applied to.
    pub given: Term,
    /// Where in that the strategy is applied.
    pub place: Place,
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
pub(super) fn around(
    stack: &[Frame],
    walks: &[Walk],
    calls: &[Call],
    visit: &mut dyn FnMut(Term, Child) -> bool,
) {
    let (mut walks, mut calls) = (walks.iter().rev(), calls.iter().rev());
    for frame in stack.iter().rev() {
        let stop = match frame {
            Frame::Part { node, child } => visit(*node, *child),
            Frame::One { node, current, .. }
            | Frame::All { node, current, .. }
            | Frame::Some { node, current, .. } => visit(*node, *current),
            Frame::Walk => {
                let above = walks.next().map(Walk::above).unwrap_or_default();
                (above.iter().rev()).any(|spot| visit(spot.node, spot.current))
            }
            Frame::Call => match calls.next().map(|call| &call.place) {
                Some(Place::Inside(nodes)) => {
                    (nodes.iter().rev()).any(|(node, child)| visit(*node, *child))
                }
                _ => false,
            },
            _ => false,
        };
        if stop {
            return;
        }
    }
}
