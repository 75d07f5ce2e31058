//! Implements the traversals `normalize`, `skip` and `tryAll`, whose strategy is tried at many
//! nodes of a term.
//!
//! `normalize(s)` is `repeat(topDown(s))`, which searches from the root after each success. Here it
//! continues at the place of a rewrite instead. The result of the search from the root is mostly
//! known: nodes that precede the rewritten one in pre-order and are not its ancestors did not
//! change, so `s` fails on them as before. An ancestor may match now; but `s` depends on a limited
//! number of levels ([`Reach`]), so only the nearest ancestors are tried again. Only if `s` depends
//! on the context of its term, the search starts over. Subterms in normal form are memoised.

use super::code::Code;
use super::frames::Mark;
use super::rewrite::Reach;
use crate::term::{Bits, Child, Heads, Node, Order, Store, Term};

/// The state of a traversal.
pub(super) struct TraversalState {
    pub code: Code,
    pub kind: TraversalKind,
    pub mark: Mark,
    /// The ancestors of the current node, outermost first.
    spine: Vec<Ancestor>,
    /// The term to which the strategy is applied.
    tried: Term,
    phase: Phase,
    /// A superset of the heads of the terms on which the strategy succeeds.
    heads: Heads,
    order: Order,
    circle: CycleDetection,
    /// The index of the set in [`NormalTerms`] for the strategy and the order.
    memory: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraversalKind {
    /// `normalize`: rewrites until the strategy succeeds at no node.
    Normalize(Reach),
    /// `skip`: rewrites once, at the first success in pre-order after the given number of others.
    Skip(u32),
    /// `tryAll`: tries every node once, in post-order.
    Every,
}

/// An ancestor of the current node.
pub(super) struct Ancestor {
    pub node: Term,
    /// The child that contains the current node, or is it.
    pub current: Child,
    /// The term of this child in `node`; the result of its traversal replaces it if it is another
    /// term.
    was: Term,
    next: Option<Child>,
    /// True if a `Skip` traversal succeeded on this application, or on an application whose
    /// function it is, directly or indirectly. Then the function of this application is not tried;
    /// only its children are visited.
    counted: bool,
}

#[derive(Clone, Copy)]
enum Phase {
    /// The current node is tried.
    Here,
    /// The ancestor at this index is tried again. Afterwards the traversal continues at the term,
    /// the current child of the innermost ancestor.
    Again(usize, Term),
}

/// The state of Brent's algorithm, by which an endless `normalize` is detected.
#[derive(Default)]
struct CycleDetection {
    successes: u32,
    /// The number of ancestors of a rewritten node, the result of its rewrite, and the whole term,
    /// at an earlier success.
    earlier: Option<(usize, Term, Term)>,
    /// The number of successes at which `earlier` is replaced.
    until: u32,
}

/// The next move of a traversal.
enum Move {
    /// Visits a node. A pre-order traversal tries it, unless its head or a memoised result excludes
    /// a match; a post-order traversal visits its children first.
    Enter(Term),
    /// Visits the children of a node that was tried. The flag is the one of `Ancestor::counted`.
    Descend(Term, bool),
    /// Ends the visit of the children of a node. A post-order traversal tries the node now; others
    /// leave it.
    Leave(Term),
    /// Leaves a node that a post-order traversal has tried.
    Out(Term),
}

/// The next action that a traversal requires from the machine.
pub(super) enum TraversalAction {
    /// Applies the strategy to this term.
    Try(Term),
    /// Ends the traversal with the whole term.
    Done(Term),
    /// Ends the traversal with a failure.
    Nothing,
    /// Ends the run, as the traversal is endless.
    Endless,
}

/// For each strategy and order of children, the set of terms in which the strategy fails on every
/// node.
#[derive(Default)]
pub(super) struct NormalTerms(Vec<((Code, Order), Bits)>);

impl NormalTerms {
    /// Returns the index of the set for a strategy and an order.
    fn place(&mut self, code: Code, order: Order) -> usize {
        let known = self.0.iter().position(|(key, _)| *key == (code, order));
        known.unwrap_or_else(|| {
            self.0.push(((code, order), Bits::default()));
            self.0.len() - 1
        })
    }

    /// Empties all sets.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|(_, terms)| terms.clear());
    }
}

impl TraversalState {
    pub fn new(
        code: Code,
        kind: TraversalKind,
        (heads, order): (Heads, Order),
        mark: Mark,
        term: Term,
    ) -> TraversalState {
        TraversalState {
            code,
            kind,
            mark,
            spine: Vec::new(),
            tried: term,
            phase: Phase::Here,
            heads,
            order,
            circle: CycleDetection {
                until: 64,
                ..CycleDetection::default()
            },
            memory: 0,
        }
    }

    /// Returns the ancestors of the node that is tried, outermost first.
    pub fn above(&self) -> &[Ancestor] {
        match self.phase {
            Phase::Here => &self.spine,
            Phase::Again(at, _) => &self.spine[..at],
        }
    }

    /// Returns true if the failures of the strategy are not reported.
    pub fn is_quiet(&self) -> bool {
        !matches!(self.kind, TraversalKind::Skip(_))
    }

    /// Returns true if terms in normal form are memoised: this is a `Normalize` traversal, and its
    /// strategy does not depend on the context of a term.
    fn remembers(&self) -> bool {
        matches!(self.kind, TraversalKind::Normalize(reach) if !reach.context)
    }

    pub fn start(&mut self, store: &mut Store, normal: &mut NormalTerms) -> TraversalAction {
        self.memory = normal.place(self.code, self.order);
        self.go(store, normal, Move::Enter(self.tried))
    }

    /// Continues after the strategy failed on the node that was tried.
    pub fn failed(&mut self, store: &mut Store, normal: &mut NormalTerms) -> TraversalAction {
        match self.phase {
            Phase::Here if self.kind == TraversalKind::Every => {
                self.go(store, normal, Move::Out(self.tried))
            }
            Phase::Here => self.go(store, normal, Move::Descend(self.tried, false)),
            Phase::Again(at, below) => self.again(store, normal, at + 1, below),
        }
    }

    /// Continues after the strategy succeeded on the node that was tried, with the result `new`.
    pub fn succeeded(
        &mut self,
        store: &mut Store,
        normal: &mut NormalTerms,
        new: Term,
    ) -> TraversalAction {
        let reach = match &mut self.kind {
            TraversalKind::Every => return self.go(store, normal, Move::Out(new)),
            TraversalKind::Skip(0) => return TraversalAction::Done(self.whole(store, new)),
            TraversalKind::Skip(left) => {
                *left -= 1;
                return self.go(store, normal, Move::Descend(self.tried, true));
            }
            TraversalKind::Normalize(reach) => *reach,
        };
        if let Phase::Again(at, _) = self.phase {
            self.spine.truncate(at);
        }
        if new == self.tried || self.is_circle(store, new) {
            return TraversalAction::Endless;
        }
        let depth = self.spine.len();
        let all = reach.context || (reach.free && !store.same_free(new, self.tried));
        let from = match reach.levels {
            Some(levels) if !all => depth.saturating_sub((levels as usize).saturating_sub(1)),
            _ => 0,
        };
        if reach.context {
            let whole = self.whole_of(store, new);
            self.spine.clear();
            return self.go(store, normal, Move::Enter(whole));
        }
        let from = self.outermost(store, from, new);
        let mut part = new;
        for spot in self.spine[from..].iter_mut().rev() {
            spot.node = store.with_child(spot.node, spot.current, part);
            spot.was = part;
            part = spot.node;
        }
        self.again(store, normal, from, new)
    }

    /// Returns the index of the outermost ancestor, at `from` or further in, whose head allows a
    /// match once `new` is below it; the number of ancestors if there is none. It compares heads
    /// only, so that no other ancestor is rebuilt.
    fn outermost(&self, store: &Store, from: usize, new: Term) -> usize {
        let mut outermost = self.spine.len();
        let mut head = store.head(new);
        for (at, spot) in self.spine.iter().enumerate().skip(from).rev() {
            head = match spot.current {
                Child::Function => head.applied(),
                _ => store.head(spot.node),
            };
            if self.heads.contains(head) {
                outermost = at;
            }
        }
        outermost
    }

    /// Continues with the next ancestor to try again: the first one from `at` on whose head allows
    /// a match. If there is none, continues with `below`.
    fn again(
        &mut self,
        store: &mut Store,
        normal: &mut NormalTerms,
        at: usize,
        below: Term,
    ) -> TraversalAction {
        let mut later = self.spine.iter().enumerate().skip(at);
        match later.find(|(_, spot)| self.heads.contains(store.head(spot.node))) {
            Some((at, spot)) => {
                self.tried = spot.node;
                self.phase = Phase::Again(at, below);
                TraversalAction::Try(spot.node)
            }
            None => {
                self.phase = Phase::Here;
                self.go(store, normal, Move::Enter(below))
            }
        }
    }

    /// Moves on until there is a node to try, or the traversal ends.
    fn go(&mut self, store: &mut Store, normal: &mut NormalTerms, first: Move) -> TraversalAction {
        let mut next = first;
        loop {
            next = match next {
                Move::Enter(term) if self.kind == TraversalKind::Every => {
                    self.descend(store, term, false)
                }
                Move::Leave(term) if self.kind == TraversalKind::Every => {
                    if !self.heads.contains(store.head(term)) {
                        next = Move::Out(term);
                        continue;
                    }
                    self.tried = term;
                    return TraversalAction::Try(term);
                }
                // Most nodes are leaves, and the strategy can match few of them.
                Move::Enter(term)
                    if store.height(term) == 1 && !self.heads.contains(store.head(term)) =>
                {
                    Move::Leave(term)
                }
                Move::Enter(term) => {
                    if self.remembers() && normal.0[self.memory].1.contains(term) {
                        Move::Leave(term)
                    } else if !self.heads.contains(store.head(term)) {
                        Move::Descend(term, false)
                    } else {
                        self.tried = term;
                        self.phase = Phase::Here;
                        return TraversalAction::Try(term);
                    }
                }
                Move::Descend(term, counted) => self.descend(store, term, counted),
                Move::Leave(term) | Move::Out(term) => {
                    if self.remembers() && store.height(term) > 1 {
                        normal.0[self.memory].1.insert(term);
                    }
                    match self.leave(store, term) {
                        Some(next) => next,
                        None => {
                            return match self.kind {
                                TraversalKind::Normalize(_) | TraversalKind::Every => {
                                    TraversalAction::Done(term)
                                }
                                TraversalKind::Skip(_) => TraversalAction::Nothing,
                            };
                        }
                    }
                }
            };
        }
    }

    fn descend(&mut self, store: &Store, term: Term, counted: bool) -> Move {
        let (Some(current), next) = store.ordered(term, self.order) else {
            return Move::Leave(term);
        };
        let is_spine = matches!(store.node(term), Node::Apply(..) | Node::DepApply(..));
        let counted = counted && is_spine;
        let was = store.child(term, current).unwrap_or(term);
        self.spine.push(Ancestor {
            node: term,
            current,
            was,
            next,
            counted,
        });
        self.part(was)
    }

    /// Returns the move to `term`, which is the current child of the last ancestor.
    fn part(&self, term: Term) -> Move {
        match self.spine.last() {
            Some(spot) if spot.counted && spot.current == Child::Function => {
                Move::Descend(term, true)
            }
            _ => Move::Enter(term),
        }
    }

    /// Leaves `term`, which is done: the next move is to the next child of its parent, or out of
    /// the parent. Returns `None` if it has no parent.
    fn leave(&mut self, store: &mut Store, term: Term) -> Option<Move> {
        let spot = self.spine.last_mut()?;
        if spot.was != term {
            spot.node = store.with_child(spot.node, spot.current, term);
        }
        let node = spot.node;
        Some(match spot.next.take() {
            Some(next) => {
                spot.current = next;
                spot.was = store.child(node, next).unwrap_or(node);
                let was = spot.was;
                self.part(was)
            }
            None => {
                self.spine.pop();
                Move::Leave(node)
            }
        })
    }

    /// Returns the whole term with the node that was tried replaced by `new`.
    fn whole(&self, store: &mut Store, new: Term) -> Term {
        let rebuild = |part, spot: &Ancestor| store.with_child(spot.node, spot.current, part);
        self.above().iter().rev().fold(new, rebuild)
    }

    /// Counts a success, and returns true if a cycle of whole terms is found. From the 64th success
    /// on, the whole term is compared, up to α-equivalence, to that at one earlier success, which
    /// is replaced at doubling distances (Brent's algorithm).
    fn is_circle(&mut self, store: &mut Store, new: Term) -> bool {
        self.circle.successes += 1;
        if self.circle.successes < 64 {
            return false;
        }
        let depth = self.spine.len();
        if let Some((at, part, whole)) = self.circle.earlier
            && at == depth
            && store.alpha_eq(part, new)
        {
            let now = self.whole_of(store, new);
            if store.alpha_eq(whole, now) {
                return true;
            }
        }
        if self.circle.successes >= self.circle.until {
            self.circle.until = self.circle.until.saturating_mul(2);
            let whole = self.whole_of(store, new);
            self.circle.earlier = Some((depth, new, whole));
        }
        false
    }

    fn whole_of(&self, store: &mut Store, new: Term) -> Term {
        let rebuild = |part, spot: &Ancestor| store.with_child(spot.node, spot.current, part);
        self.spine.iter().rev().fold(new, rebuild)
    }
}
