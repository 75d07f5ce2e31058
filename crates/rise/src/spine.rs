//! Spines, which are nested applications and pipes as one function with all of its arguments.

use syntax::ast::{BinaryOp, Item, TermId, TermKind};

/// A function with all of its arguments, in the order in which they are applied.
pub(crate) struct Spine {
    pub head: TermId,
    pub args: Vec<SpineArg>,
    /// The applications, pipes and parentheses around the head, outermost first, each with the
    /// number of leading elements of `args` to which the term applies the head.
    pub results: Vec<(TermId, usize)>,
}

#[derive(Clone, Copy)]
pub(crate) struct SpineArg {
    pub term: TermId,
    pub piped: bool,
}

impl Spine {
    /// Returns the outermost term that is the function with exactly its first `count` arguments, or
    /// the head if no term is.
    pub(crate) fn after(&self, count: usize) -> TermId {
        let mut results = self.results.iter();
        results
            .find(|(_, given)| *given == count)
            .map_or(self.head, |(term, _)| *term)
    }

    pub(crate) fn of(item: &Item, term: TermId) -> Spine {
        let mut reversed = Vec::new();
        let mut marks = Vec::new();
        let mut head = term;
        loop {
            match &item.term(head).kind {
                TermKind::Apply { callee, args } => {
                    marks.push((head, reversed.len()));
                    reversed.extend(
                        args.iter()
                            .rev()
                            .map(|&term| SpineArg { term, piped: false }),
                    );
                    head = *callee;
                }
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    lhs,
                    rhs,
                    ..
                } => {
                    marks.push((head, reversed.len()));
                    reversed.push(SpineArg {
                        term: *lhs,
                        piped: true,
                    });
                    head = *rhs;
                }
                TermKind::Binary {
                    op: BinaryOp::ApplyLeft,
                    lhs,
                    rhs,
                    ..
                } => {
                    marks.push((head, reversed.len()));
                    reversed.push(SpineArg {
                        term: *rhs,
                        piped: true,
                    });
                    head = *lhs;
                }
                TermKind::Paren(inner) if is_spine(item, *inner) => {
                    marks.push((head, reversed.len()));
                    head = *inner;
                }
                _ => break,
            }
        }
        let count = reversed.len();
        reversed.reverse();
        let results = marks
            .into_iter()
            .map(|(term, after)| (term, count - after))
            .collect();
        Spine {
            head,
            args: reversed,
            results,
        }
    }
}

fn is_spine(item: &Item, term: TermId) -> bool {
    match &item.term(term).kind {
        TermKind::Name(_) | TermKind::Operator(_) | TermKind::Apply { .. } => true,
        TermKind::Ascribe { .. } => true,
        TermKind::Paren(inner) => is_spine(item, *inner),
        TermKind::Binary { op, .. } => matches!(op, BinaryOp::Pipe | BinaryOp::ApplyLeft),
        _ => false,
    }
}
