//! Walks over all nodes of a term that go on where something was done, instead of starting over
//! at the root.
//!
//! `normalize(s)` is `repeat(topDown(s))`: after each success the search starts at the root again.
//! What it finds next is known without searching: nodes that come before the place of the success
//! and are not around it did not change, so `s` fails there as before. A node around it may fit
//! now; but `s` looks only so many levels down ([`Reach`]), so only the nearest ones have to be
//! asked again. What was found to be normal once is remembered by term.

use super::code::Code;
use super::frames::Mark;
use super::rewrite::Reach;
use crate::term::{Bits, Child, Heads, Node, Order, Store, Term};

/// A walk, and where it is.
pub(super) struct Walk {
    pub code: Code,
    pub kind: Kind,
    pub mark: Mark,
    /// The nodes above the one that the walk is at.
    spine: Vec<Spot>,
    /// What is tried now.
    tried: Term,
    phase: Phase,
    /// What may stand at the head of a term on which the strategy succeeds.
    heads: Heads,
    order: Order,
    circle: Circle,
    /// Where what is normal is remembered.
    memory: usize,
}

/// What a walk is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Until the strategy succeeds nowhere.
    Normalize(Reach),
    /// To the first success after so many others.
    Skip(u32),
    /// Once on every node, parts before what holds them.
    Every,
}

/// A node on the way to where the walk is.
pub(super) struct Spot {
    pub node: Term,
    /// The part that the walk is in, and what was there before.
    pub current: Child,
    was: Term,
    next: Option<Child>,
    /// Whether what is applied is counted already: the strategy succeeded on the whole spine.
    counted: bool,
}

#[derive(Clone, Copy)]
enum Phase {
    /// The node where the walk is.
    Here,
    /// A node of the spine once more, and then the term below all of it.
    Again(usize, Term),
}

/// What comes back again and again.
#[derive(Default)]
struct Circle {
    successes: u32,
    /// The place and what stood there, some successes ago.
    earlier: Option<(usize, Term, Term)>,
    /// When it is replaced.
    until: u32,
}

/// Where a walk goes next.
enum Move {
    /// To a node, to try it.
    Enter(Term),
    /// Into the parts of a node that was tried, and whether it was counted.
    Descend(Term, bool),
    /// Out of a node whose parts are done.
    Leave(Term),
    /// Out of a node that is done.
    Out(Term),
}

/// What a walk wants.
pub(super) enum Want {
    /// The strategy on this term.
    Try(Term),
    /// It ends here, with the whole term.
    Done(Term),
    /// It ends, with nothing.
    Nothing,
    /// It never ends.
    Endless,
}

/// For strategies, and orders of parts, the terms in which it fits no node.
#[derive(Default)]
pub(super) struct Normal(Vec<((Code, Order), Bits)>);

impl Normal {
    /// The place of what is known for a strategy.
    fn place(&mut self, code: Code, order: Order) -> usize {
        let known = self.0.iter().position(|(key, _)| *key == (code, order));
        known.unwrap_or_else(|| {
            self.0.push(((code, order), Bits::default()));
            self.0.len() - 1
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|(_, terms)| terms.clear());
    }
}

impl Walk {
    pub fn new(
        code: Code,
        kind: Kind,
        (heads, order): (Heads, Order),
        mark: Mark,
        term: Term,
    ) -> Walk {
        Walk {
            code,
            kind,
            mark,
            spine: Vec::new(),
            tried: term,
            phase: Phase::Here,
            heads,
            order,
            circle: Circle {
                until: 64,
                ..Circle::default()
            },
            memory: 0,
        }
    }

    /// The nodes around the one that is tried.
    pub fn above(&self) -> &[Spot] {
        match self.phase {
            Phase::Here => &self.spine,
            Phase::Again(at, _) => &self.spine[..at],
        }
    }

    /// Whether nobody asks why the strategy fails somewhere.
    pub fn is_quiet(&self) -> bool {
        !matches!(self.kind, Kind::Skip(_))
    }

    /// Whether what is normal can be remembered by term.
    fn remembers(&self) -> bool {
        matches!(self.kind, Kind::Normalize(reach) if !reach.context)
    }

    pub fn start(&mut self, store: &mut Store, normal: &mut Normal) -> Want {
        self.memory = normal.place(self.code, self.order);
        self.go(store, normal, Move::Enter(self.tried))
    }

    /// The strategy failed on what was tried.
    pub fn failed(&mut self, store: &mut Store, normal: &mut Normal) -> Want {
        match self.phase {
            Phase::Here if self.kind == Kind::Every => {
                self.go(store, normal, Move::Out(self.tried))
            }
            Phase::Here => self.go(store, normal, Move::Descend(self.tried, false)),
            Phase::Again(at, below) => self.again(store, normal, at + 1, below),
        }
    }

    /// The strategy made `new` of what was tried.
    pub fn succeeded(&mut self, store: &mut Store, normal: &mut Normal, new: Term) -> Want {
        let reach = match &mut self.kind {
            Kind::Every => return self.go(store, normal, Move::Out(new)),
            Kind::Skip(0) => return Want::Done(self.whole(store, new)),
            Kind::Skip(left) => {
                *left -= 1;
                return self.go(store, normal, Move::Descend(self.tried, true));
            }
            Kind::Normalize(reach) => *reach,
        };
        if let Phase::Again(at, _) = self.phase {
            self.spine.truncate(at);
        }
        if new == self.tried || self.is_circle(store, new) {
            return Want::Endless;
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

    /// The first node of the spine from `from` on that is to be asked again, with `new` below it:
    /// only heads are looked at, so that nothing is made anew for the others.
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

    /// Asks the nodes of the spine from `at` on again, then goes on with what is below.
    fn again(&mut self, store: &mut Store, normal: &mut Normal, at: usize, below: Term) -> Want {
        let mut later = self.spine.iter().enumerate().skip(at);
        match later.find(|(_, spot)| self.heads.contains(store.head(spot.node))) {
            Some((at, spot)) => {
                self.tried = spot.node;
                self.phase = Phase::Again(at, below);
                Want::Try(spot.node)
            }
            None => {
                self.phase = Phase::Here;
                self.go(store, normal, Move::Enter(below))
            }
        }
    }

    /// Goes on until there is something to try.
    fn go(&mut self, store: &mut Store, normal: &mut Normal, first: Move) -> Want {
        let mut next = first;
        loop {
            next = match next {
                Move::Enter(term) if self.kind == Kind::Every => self.descend(store, term, false),
                Move::Leave(term) if self.kind == Kind::Every => {
                    if !self.heads.contains(store.head(term)) {
                        next = Move::Out(term);
                        continue;
                    }
                    self.tried = term;
                    return Want::Try(term);
                }
                // Most nodes are leaves, and most leaves are no place for the strategy.
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
                        return Want::Try(term);
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
                                Kind::Normalize(_) | Kind::Every => Want::Done(term),
                                Kind::Skip(_) => Want::Nothing,
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
        self.spine.push(Spot {
            node: term,
            current,
            was,
            next,
            counted,
        });
        self.part(was)
    }

    /// Into the part of the last node of the spine that is next.
    fn part(&self, term: Term) -> Move {
        match self.spine.last() {
            Some(spot) if spot.counted && spot.current == Child::Function => {
                Move::Descend(term, true)
            }
            _ => Move::Enter(term),
        }
    }

    /// Nothing is left to be done in `term`: on to the next part of what holds it, or out.
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

    /// The whole term with `new` where the walk is.
    fn whole(&self, store: &mut Store, new: Term) -> Term {
        let rebuild = |part, spot: &Spot| store.with_child(spot.node, spot.current, part);
        self.above().iter().rev().fold(new, rebuild)
    }

    /// Whether the whole term is one that was there before. Asked about only after many successes,
    /// and only of terms that are kept at ever larger distances (Brent's algorithm).
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
        let rebuild = |part, spot: &Spot| store.with_child(spot.node, spot.current, part);
        self.spine.iter().rev().fold(new, rebuild)
    }
}
