//! Estimates the demand on arrays: how often a program reads each element of an array, and how much
//! work it is to compute an element.
//!
//! The estimates decide between computing an element where it is read and storing it. They are
//! syntactic, so that the decision depends on the program alone. The module also finds the terms
//! whose evaluation may fail.

use std::cell::Cell;

use rise::Primitive;
use rise::pattern::{MapLoop, Pattern, ReduceLoop, View};
use rise::types::{Arg, Type};
use rustc_hash::FxHashMap;
use syntax::ast::{Half, Literal};

use crate::term::{Local, Node, Store, Term};

/// An estimate of how often an element is read: a small number, or [`Reads::MANY`] for a number
/// that depends on sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reads(u32);

impl Reads {
    pub const NONE: Reads = Reads(0);
    pub const ONCE: Reads = Reads(1);
    pub const MANY: Reads = Reads(u32::MAX);

    /// Returns the sum of the reads of two uses.
    pub fn and(self, other: Reads) -> Reads {
        Reads(self.0.saturating_add(other.0))
    }

    /// Returns the reads of a use that is itself repeated `other` times.
    pub fn times(self, other: Reads) -> Reads {
        Reads(self.0.saturating_mul(other.0))
    }

    /// Returns true if storing an element, which takes `work` operations to compute, is estimated
    /// to be cheaper than computing it at each read.
    pub fn repay_storing(self, work: u32) -> bool {
        /// The number of operations that cost as much as a store and a load.
        const STORE_AND_LOAD: u32 = 8;
        match self {
            Reads::MANY => work > 1,
            Reads(reads) => work.saturating_mul(reads.saturating_sub(1)) > STORE_AND_LOAD,
        }
    }
}

/// A use of an array: how often its user reads each element, or the function that the user applies
/// to each element.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    reads: Reads,
    element: Option<Component>,
}

/// A component of the parameter of a function: the parameter itself, or a part of the pair that it
/// is. The path leads from the parameter to the part.
#[derive(Clone, Debug)]
struct Component {
    body: Term,
    parameter: Local,
    path: Vec<Half>,
}

impl Demand {
    /// Returns the demand of a user that reads each element this number of times.
    pub fn of(reads: Reads) -> Demand {
        Demand {
            reads,
            element: None,
        }
    }

    /// Returns the demand of a function that is applied to each element, and whose result is read
    /// this number of times.
    pub fn of_function(reads: Reads, parameter: Local, body: Term) -> Demand {
        Demand {
            reads,
            element: Some(Component {
                body,
                parameter,
                path: Vec::new(),
            }),
        }
    }

    /// Returns the demand on one component of an array of pairs.
    pub fn half(&self, half: Half) -> Demand {
        let mut demand = self.clone();
        if let Some(element) = &mut demand.element {
            element.path.push(half);
        }
        demand
    }

    /// Returns an estimate of the number of reads of each element.
    pub fn reads(&self, store: &Store) -> Reads {
        match &self.element {
            None => self.reads,
            Some(element) => self.reads.times(element.reads(&Count::new(store))),
        }
    }
}

/// The state of a count of reads. Its number of steps is limited, since the bodies of applied
/// abstractions are visited repeatedly.
struct Count<'s> {
    store: &'s Store,
    steps: Cell<u32>,
}

impl<'s> Count<'s> {
    fn new(store: &'s Store) -> Count<'s> {
        const MAX_STEPS: u32 = 20_000;
        Count {
            store,
            steps: Cell::new(MAX_STEPS),
        }
    }

    /// Takes a step; returns false if none is left.
    fn goes_on(&self) -> bool {
        let left = self.steps.get().checked_sub(1);
        self.steps.set(left.unwrap_or_default());
        left.is_some()
    }
}

impl Component {
    fn reads(&self, count: &Count<'_>) -> Reads {
        self.reads_in(count, self.body, &mut Vec::new())
    }

    /// Returns the reads of the component in a term, inside loops with these parameters, where
    /// `None` is a parameter without a name.
    fn reads_in(&self, count: &Count<'_>, term: Term, loops: &mut Vec<Option<Local>>) -> Reads {
        let store = count.store;
        if !store.has_free(term, self.parameter) {
            return Reads::NONE;
        }
        if !count.goes_on() {
            return Reads::MANY;
        }
        if let Some(is_read) = self.is_read_by(store, term) {
            return match (is_read, loops.is_empty()) {
                (false, _) => Reads::NONE,
                (true, true) => Reads::ONCE,
                (true, false) => Reads::MANY,
            };
        }
        let (head, args) = store.spine(term);
        let pattern = match store.node(head) {
            Node::Primitive(primitive, _) => Some(primitive.pattern()),
            Node::Lambda(..) => return self.reads_in_redex(count, head, &args, loops),
            Node::DepLambda(_, _, _, f) | Node::DepApply(f, _) => {
                let function = self.reads_in(count, f, loops);
                let mut reads = |arg: &Term| self.reads_in(count, *arg, loops);
                return args.iter().map(&mut reads).fold(function, Reads::and);
            }
            _ => None,
        };
        if let (Some(Pattern::Element), [index, array]) = (pattern, &args[..]) {
            return self.element_reads(count, *index, *array, loops);
        }
        let repeats = pattern.is_some_and(repeats_its_function);
        let function = args.iter().find(|arg| store.is_function(**arg));
        let mut total = Reads::NONE;
        for &arg in &args {
            total = total.and(match parameters(store, arg) {
                (params, body) if store.is_function(arg) && repeats => {
                    let outside = loops.len();
                    loops.extend(params.into_iter().map(Some));
                    // The parameter of a function that is no abstraction has no name.
                    loops.extend((loops.len() == outside).then_some(None));
                    let inside = self.reads_in(count, body, loops);
                    loops.truncate(outside);
                    inside
                }
                (_, body) if store.is_function(arg) => self.reads_in(count, body, loops),
                _ if repeats => {
                    let user = function.and_then(|f| last_parameter(store, *f));
                    self.reads_through(count, arg, user, loops)
                }
                _ => self.reads_in(count, arg, loops),
            });
        }
        match view_factor(store, head) {
            Some(factor) => total.times(factor),
            None => total,
        }
    }

    /// Returns the reads of the component in an abstraction and the arguments to which it is
    /// applied.
    fn reads_in_redex(
        &self,
        count: &Count<'_>,
        head: Term,
        args: &[Term],
        loops: &mut Vec<Option<Local>>,
    ) -> Reads {
        let store = count.store;
        let (mut body, mut bound) = (head, Vec::new());
        while let Node::Lambda(parameter, inside) = store.node(body) {
            bound.push(parameter);
            body = inside;
        }
        let mut total = self.reads_in(count, body, loops);
        for (at, arg) in args.iter().enumerate() {
            let here = self.reads_in(count, *arg, loops);
            total = total.and(match bound.get(at) {
                Some(&parameter) => {
                    let path = Vec::new();
                    let value = Component {
                        body,
                        parameter,
                        path,
                    };
                    here.times(value.reads(count))
                }
                None => here,
            });
        }
        total
    }

    /// Returns the reads of the component in an array whose elements are given to the function
    /// `user`.
    fn reads_through(
        &self,
        count: &Count<'_>,
        array: Term,
        user: Option<(Local, Term)>,
        loops: &mut Vec<Option<Local>>,
    ) -> Reads {
        let store = count.store;
        let Some((parameter, body)) = user else {
            return self.reads_in(count, array, loops);
        };
        let mut open = vec![(array, Vec::new())];
        let mut total = Reads::NONE;
        while let Some((array, path)) = open.pop() {
            let (head, args) = store.spine(array);
            if let (Node::Primitive(Primitive::Zip, _), [first, second]) =
                (store.node(head), &args[..])
            {
                for (part, half) in [(first, Half::First), (second, Half::Second)] {
                    let mut path = path.clone();
                    path.push(half);
                    open.push((*part, path));
                }
                continue;
            }
            let inside = Component {
                body,
                parameter,
                path,
            };
            let here = self.reads_in(count, array, loops);
            total = total.and(here.times(inside.reads(count)));
        }
        total
    }

    /// Returns the reads of the component by `idx(index)(array)`: a loop whose counter is in the
    /// index reads each element of the array once.
    fn element_reads(
        &self,
        count: &Count<'_>,
        index: Term,
        array: Term,
        loops: &mut Vec<Option<Local>>,
    ) -> Reads {
        let store = count.store;
        let in_index = self.reads_in(count, index, loops);
        let mut constant = loops
            .iter()
            .filter(|counter| counter.is_none_or(|counter| !store.has_free(index, counter)))
            .copied()
            .collect();
        in_index.and(self.reads_in(count, array, &mut constant))
    }

    /// Returns true if a term is the component, contains it or is a part of it; false if it is
    /// another component of the parameter; `None` if it is no component of the parameter.
    fn is_read_by(&self, store: &Store, term: Term) -> Option<bool> {
        let mut path = Vec::new();
        let mut here = term;
        loop {
            match store.node(here) {
                Node::Var(local) if local == self.parameter => break,
                Node::Apply(f, x) => {
                    let Node::Primitive(primitive, _) = store.node(f) else {
                        return None;
                    };
                    let Pattern::Half(half) = primitive.pattern() else {
                        return None;
                    };
                    path.push(half);
                    here = x;
                }
                _ => return None,
            }
        }
        path.reverse();
        Some(path.iter().zip(&self.path).all(|(a, b)| a == b))
    }
}

/// Returns true if an expression uses a variable only as the array of one map or reduction, which
/// takes its elements in order, so that a map that computes the array can be fused with it.
pub(super) fn is_traversed_once(store: &Store, term: Term, array: Local) -> bool {
    let (head, args) = store.spine(term);
    let used = |part: &Term| store.has_free(*part, array);
    if let (Node::Lambda(_, body), [value, rest @ ..]) = (store.node(head), &args[..]) {
        let others = rest.iter().any(used) || used(value);
        return !others && is_traversed_once(store, body, array);
    }
    let Node::Primitive(primitive, _) = store.node(head) else {
        return false;
    };
    let mut users = args.iter().filter(|arg| used(arg));
    let (Some(&user), None) = (users.next(), users.next()) else {
        return false;
    };
    match primitive.pattern() {
        Pattern::Map(MapLoop::Computed) | Pattern::Reduce(ReduceLoop::Undetermined)
            if !store.is_function(user) =>
        {
            is_component(store, user, array) || is_traversed_once(store, user, array)
        }
        Pattern::Let => match store.node(user) {
            Node::Lambda(_, body) => is_traversed_once(store, body, array),
            _ => is_traversed_once(store, user, array),
        },
        _ if store.is_function(user) => false,
        _ => is_traversed_once(store, user, array),
    }
}

/// Returns true if a term is the variable `array`, alone or zipped with arrays that do not contain
/// it.
fn is_component(store: &Store, term: Term, array: Local) -> bool {
    let (head, args) = store.spine(term);
    match store.node(head) {
        Node::Var(local) => local == array && args.is_empty(),
        Node::Primitive(Primitive::Zip, _) => {
            let mut users = args.iter().filter(|arg| store.has_free(**arg, array));
            match (users.next(), users.next()) {
                (Some(&user), None) => is_component(store, user, array),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Returns an estimate of the number of times that a view repeats each element of its array; `None`
/// if the head is not a view.
pub(super) fn view_factor(store: &Store, head: Term) -> Option<Reads> {
    let Node::Primitive(primitive, args) = store.node(head) else {
        return None;
    };
    let size = |at: usize| match store.args(args).get(at) {
        Some(Arg::Nat(size)) => size.as_const(),
        _ => None,
    };
    match (primitive, primitive.pattern()) {
        (Primitive::Slide, _) => Some(match (size(1), size(2)) {
            (Some(window), Some(step)) if step > 0 => {
                let overlap = (window + step - 1) / step;
                u32::try_from(overlap).map_or(Reads::MANY, |n| Reads(n.max(1)))
            }
            _ => Reads::MANY,
        }),
        (Primitive::Cycle, _) | (_, Pattern::View(View::Gather)) => Some(Reads::MANY),
        (_, Pattern::View(_)) => Some(Reads::ONCE),
        _ => None,
    }
}

/// Returns true if a pattern may apply its function more than once.
pub(super) fn repeats_its_function(pattern: Pattern) -> bool {
    match pattern {
        Pattern::Generate
        | Pattern::Map(
            MapLoop::Computed
            | MapLoop::Sequential
            | MapLoop::Unrolled
            | MapLoop::Stream
            | MapLoop::Lanes
            | MapLoop::Parallel(_),
        )
        | Pattern::DepMap(_)
        | Pattern::Reduce(_)
        | Pattern::Scan
        | Pattern::Iterate
        | Pattern::Repeat(_)
        | Pattern::Stream(_) => true,
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => false,
        Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Literal => false,
        Pattern::View(_) | Pattern::Zip | Pattern::Concat | Pattern::Let => false,
        Pattern::Memory | Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch => false,
    }
}

/// Returns the parameters for values of nested abstractions, and the innermost body.
fn parameters(store: &Store, term: Term) -> (Vec<Local>, Term) {
    let mut params = Vec::new();
    let mut body = term;
    loop {
        match store.node(body) {
            Node::Lambda(param, inside) => {
                params.push(param);
                body = inside;
            }
            Node::DepLambda(_, _, _, inside) => body = inside,
            _ => return (params, body),
        }
    }
}

/// Returns the last parameter of a function, to which the elements of an array are given, and the
/// body; `None` if the function is not an abstraction over a value.
pub(super) fn last_parameter(store: &Store, f: Term) -> Option<(Local, Term)> {
    let (params, body) = parameters(store, f);
    Some((*params.last()?, body))
}

/// The memoised estimates of the number of operations that an evaluation of a term takes.
#[derive(Debug, Default)]
pub(super) struct Work(FxHashMap<Term, u32>);

impl Work {
    /// The estimate for a reduction, scan or iteration, a costly scalar primitive, or a foreign
    /// function, to which that for its arguments is added.
    pub const LOOP: u32 = 16;

    /// Returns the estimate for one evaluation of a term; for a function, the one for its body.
    /// Constants are estimated as 0.
    pub fn of(&mut self, store: &Store, term: Term) -> u32 {
        if let Some(&known) = self.0.get(&term) {
            return known;
        }
        let own = match store.node(term) {
            Node::Primitive(primitive, _) => match primitive.pattern() {
                Pattern::Scalar => match primitive {
                    Primitive::Cast | Primitive::IndexAsNat | Primitive::NatAsIndex => 0,
                    _ if primitive.is_costly() => Work::LOOP,
                    _ => 1,
                },
                Pattern::Connective | Pattern::Select => 1,
                Pattern::Reduce(_) | Pattern::Scan => Work::LOOP,
                Pattern::Iterate | Pattern::Repeat(_) => Work::LOOP,
                Pattern::Element | Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) => 0,
                Pattern::Generate | Pattern::Literal | Pattern::View(_) | Pattern::Zip => 0,
                Pattern::Concat | Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Stream(_) => 0,
                Pattern::Let | Pattern::Memory | Pattern::Kernel => 0,
                Pattern::DepPair | Pattern::DepMatch => 0,
            },
            Node::Foreign(_) => Work::LOOP,
            _ => 0,
        };
        let parts: Vec<Term> = store.children(term).map(|(_, part)| part).collect();
        let parts = parts.into_iter().map(|part| self.of(store, part));
        let all = match parts.fold(own, u32::saturating_add) {
            // The C compiler computes constants.
            work if work < Work::LOOP && is_constant(store, term) => 0,
            work => work,
        };
        self.0.insert(term, all);
        all
    }
}

/// Returns true if a term is data and has no free variable for values.
fn is_constant(store: &Store, term: Term) -> bool {
    !store.is_function(term) && store.free(term).is_empty()
}

/// The memoised decisions whether the evaluation of a term may fail.
#[derive(Debug, Default)]
pub(super) struct Failures(FxHashMap<Term, bool>);

impl Failures {
    /// Returns true if the evaluation of a term may fail, because a part of it divides integers by
    /// something else than a nonzero literal.
    pub fn may_fail(&mut self, store: &Store, term: Term) -> bool {
        if let Some(&known) = self.0.get(&term) {
            return known;
        }
        let (head, args) = store.spine(term);
        let divides = is_division_of_integers(store, head)
            && !args
                .get(1)
                .is_some_and(|divisor| is_nonzero(store, *divisor));
        let inside: Vec<Term> = store.children(head).map(|(_, part)| part).collect();
        let mut parts = args.into_iter().chain(inside);
        let may_fail = divides || parts.any(|part| self.may_fail(store, part));
        self.0.insert(term, may_fail);
        may_fail
    }
}

fn is_division_of_integers(store: &Store, head: Term) -> bool {
    let Node::Primitive(Primitive::Div | Primitive::Mod, types) = store.node(head) else {
        return false;
    };
    match store.args(types).first() {
        Some(Arg::Type(ty)) => match &**ty {
            Type::Scalar(scalar) => !scalar.is_float(),
            Type::Vector(_, element) => {
                !matches!(**element, Type::Scalar(scalar) if scalar.is_float())
            }
            _ => true,
        },
        _ => true,
    }
}

fn is_nonzero(store: &Store, term: Term) -> bool {
    match store.node(term) {
        Node::Literal(literal) => {
            matches!(store.literal_of(literal), Literal::Int { value, .. } if *value != 0)
        }
        _ => false,
    }
}
