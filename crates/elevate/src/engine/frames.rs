//! The frames of the stack of the machine: the continuations of the strategies that are being
//! applied.

use super::code::Code;
use super::traversal::TraversalState;
use crate::term::{Child, Term};

/// The lengths of the lists of applied rules, assumptions and trace steps at some point of a run. A
/// rollback to it undoes all later entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub applied: u32,
    pub assumptions: u32,
    pub trace: u32,
    /// The value of `Engine::passed`.
    pub passed: u32,
}

/// A continuation: the use of the result, or of the failure, of the strategy that is being applied.
/// Frames are small and `Copy`; larger data is on separate stacks.
#[derive(Clone, Copy)]
pub(super) enum Frame {
    /// The second strategy of `a ; b`, and the number of failures that were recorded before the
    /// first strategy was applied.
    Seq(Code, u32),
    /// The second strategy of `a <+ b`, which is applied to the original term if the first one
    /// fails.
    Choice {
        other: Code,
        term: Term,
        mark: Mark,
        /// True if the second strategy cannot fail, so that failures of the first are not recorded.
        quiet: bool,
    },
    /// Inverts success and failure; the result is `term`.
    Not { code: Code, term: Term, mark: Mark },
    /// Replaces the child of the node by the result.
    Part { node: Term, child: Child },
    /// Replaces the child of the node by the result, or tries the next child.
    One {
        code: Code,
        node: Term,
        current: Child,
        next: Option<Child>,
        mark: Mark,
    },
    /// Replaces the child of the node by the result, and continues with the next child.
    All {
        code: Code,
        node: Term,
        current: Child,
        next: Option<Child>,
    },
    /// Replaces the child of the node by the result if there is one, and continues with the next
    /// child.
    Some {
        code: Code,
        node: Term,
        current: Child,
        next: Option<Child>,
        mark: Mark,
        any: bool,
    },
    /// Applies the strategy of the innermost [`Loop`] to the result again; on a failure, ends the
    /// loop with the last result.
    Repeat,
    /// Applies the strategy to the result again, `left` more times. `failures` is the number of
    /// failures that were recorded before the first application.
    Times {
        code: Code,
        left: u32,
        failures: u32,
    },
    /// Continues the innermost traversal, the last one of `Engine::walks`.
    Traversal,
    /// Restores the limit of the enclosing strategy.
    Limit { outer: u64, mark: Mark },
    /// Ends a strategy whose steps are counted apart: see `StrategyKind::Housekeeping`.
    Housekeeping { name: u32, term: Term, applied: u32 },
    /// Ends a strategy whose name has this index in `OpTable::names`.
    Named(u32),
    /// Ends a strategy that a function applies by `CallResult::Apply`.
    Call,
    /// Ends a strategy that a rule, predicate or function applies by a nested call of the machine.
    Barrier,
}

/// The state of a strategy that is repeated until it fails.
pub(super) struct Loop {
    pub code: Code,
    pub term: Term,
    pub mark: Mark,
    /// An earlier result or the original term, to which later results are compared to detect a
    /// cycle (Brent's algorithm).
    pub earlier: Term,
    /// The number of applications that succeeded so far.
    pub rounds: u32,
    /// The number of applications at which `earlier` is replaced by the latest term.
    pub until: u32,
}

/// The nodes around the part of its argument to which a function applies a strategy, outermost
/// first, each with the child that contains the part. It is empty if the part is the argument
/// itself or its place is unknown.
pub(super) type ArgumentPosition = Box<[(Term, Child)]>;

/// Calls `visit` with each node around the current term, innermost first, and the child of the node
/// that contains the current term.
pub(super) fn around(
    stack: &[Frame],
    walks: &[TraversalState],
    calls: &[ArgumentPosition],
    visit: &mut dyn FnMut(Term, Child),
) {
    let (mut walks, mut calls) = (walks.iter().rev(), calls.iter().rev());
    for frame in stack.iter().rev() {
        match frame {
            Frame::Part { node, child } => visit(*node, *child),
            Frame::One { node, current, .. }
            | Frame::All { node, current, .. }
            | Frame::Some { node, current, .. } => visit(*node, *current),
            Frame::Traversal => {
                let above = walks.next().map(TraversalState::above).unwrap_or_default();
                (above.iter().rev()).for_each(|spot| visit(spot.node, spot.current));
            }
            Frame::Call => {
                let nodes = calls.next().into_iter().flatten().rev();
                nodes.for_each(|(node, child)| visit(*node, *child));
            }
            _ => {}
        }
    }
}
