//! Trees of loops with the operations and accesses of their bodies, at given sizes.

use nat::{Nat, Var};
use rise::Type;
use rise::core::Origin;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{Literal, ScalarType};

use super::chain;
use crate::analysis::dependence_test::each_division;
use crate::analysis::math;
use crate::analysis::vectorization::{self, Vectorization};
use crate::ir::types::{CType, scalar_size};
use crate::ir::walk;
use crate::ir::{
    Binary, Expr, ExprKind, Function, Home, Id, Loop, LoopMode, Place, Stmt, StmtKind, Unary,
};

/// A loop, or the statements between loops.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Loop(LoopNode),
    Work(Work),
}

impl Node {
    /// Returns true if statements access an array.
    pub fn accesses(&self, array: Id) -> bool {
        match self {
            Node::Loop(this) => this.body.iter().any(|node| node.accesses(array)),
            Node::Work(work) => work.accesses.iter().any(|access| access.array == array),
        }
    }
}

/// A loop.
#[derive(Clone, Debug)]
pub(super) struct LoopNode {
    /// The position among the loops of the function, in the order of the text.
    pub number: usize,
    /// The number of iterations for each execution of the loop.
    pub trips: f64,
    /// The probability that the loop is executed when the statement before it is.
    pub weight: f64,
    /// The distribution of the iterations over threads.
    pub threads: Distribution,
    pub vectorization: Vectorization,
    /// The length of the longest chain of an iteration, see [`chain::length`].
    pub chain: f64,
    /// The number of variables of the loops around that an iteration assigns values to.
    pub accumulators: usize,
    /// True if compilers unroll the loop completely.
    pub is_unrolled: bool,
    pub body: Vec<Node>,
}

/// The threads that execute the iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distribution {
    /// Those that execute the loop: each executes all iterations.
    Inherited,
    /// All threads, each for a share of the iterations.
    Shared,
    /// All threads; each executes all iterations.
    Replicated,
}

/// Statements without loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    pub operations: Operations,
    pub accesses: Vec<Access>,
    /// The divisions of sizes, which compilers compute once.
    pub divisions: Vec<(Nat, Nat)>,
}

/// The numbers of operations that statements execute.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operations {
    /// Additions, multiplications, comparisons and the like.
    pub simple: f64,
    /// Divisions and square roots.
    pub divide: f64,
    /// Calls of functions that are not operations of the machine.
    pub call: f64,
}

/// A read or write of an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Access {
    pub array: Id,
    /// The size of the array in bytes, if it is known.
    pub array_bytes: Option<f64>,
    /// The number of bytes that are read or written.
    pub bytes: f64,
    pub writes: bool,
    /// The probability that the access is executed.
    pub weight: f64,
    /// The distance in bytes for the next iteration of each loop around, the outermost first;
    /// `None` if the place in the next iteration depends on data.
    pub strides: Vec<Option<f64>>,
    /// The numbers of iterations of these loops.
    pub trips: Vec<f64>,
    /// The place in bytes in the iterations in the middle.
    pub offset: f64,
}

/// The values of sizes and counters.
pub(super) type Values = FxHashMap<Var, i64>;

/// Evaluates a size; `None` if it depends on data.
pub(super) fn evaluate(nat: &Nat, values: &Values) -> Option<i64> {
    nat.eval(&|var| values.get(&var).copied(), &|_, _| None)
}

/// A loop around a statement.
#[derive(Clone)]
struct Around {
    counter: Var,
    /// The first value of the counter, in sizes and counters of the loops around.
    start: Nat,
    from: i64,
    step: i64,
    trips: i64,
    /// The variables that an iteration declares or assigns.
    assigned: FxHashSet<Id>,
}

impl Around {
    /// Returns a value of the counter, of which there are `points`.
    fn point(&self, at: i64, points: i64) -> i64 {
        self.from + (self.trips * at / points).min((self.trips - 1).max(0)) * self.step
    }
}

/// Builds the trees of a function.
pub(super) struct NestBuilder<'f> {
    function: &'f Function,
    /// The predictions for the loops, by number.
    vectorization: &'f [Vectorization],
    values: Values,
    register_bytes: u32,
    /// The places that pointers point to.
    pointers: FxHashMap<Id, Place>,
    /// The loops around the current statement.
    around: Vec<Around>,
    weight: f64,
    /// The number of lanes that the current expression is computed for.
    lanes: f64,
    /// The number of loops before the current statement.
    loops: usize,
}

impl<'f> NestBuilder<'f> {
    pub fn new(
        function: &'f Function,
        sizes: &Values,
        vectorization: &'f [Vectorization],
        register_bytes: u32,
    ) -> NestBuilder<'f> {
        let mut values = sizes.clone();
        for (var, scalar) in &function.registers {
            let lanes = u64::from(register_bytes) / scalar_size(*scalar);
            values.insert(*var, i64::try_from(lanes).unwrap_or(1));
        }
        // The value of an index that is a parameter is not known, but the same everywhere.
        for (var, value) in &function.opaque {
            if is_parameter(function, value) {
                values.insert(*var, 0);
            }
        }
        NestBuilder {
            function,
            vectorization,
            values,
            register_bytes,
            pointers: FxHashMap::default(),
            around: Vec::new(),
            weight: 1.0,
            lanes: 1.0,
            loops: 0,
        }
    }

    /// Returns the trees of statements, one for each outermost loop.
    pub fn nodes(&mut self, body: &[Stmt]) -> Vec<Node> {
        let mut nodes = Vec::new();
        self.body(body, &mut nodes);
        nodes
    }

    fn body(&mut self, body: &[Stmt], nodes: &mut Vec<Node>) {
        for stmt in body {
            self.stmt(stmt, nodes);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, nodes: &mut Vec<Node>) {
        match &stmt.kind {
            StmtKind::Declare(_, value) => {
                if let Some(value) = value {
                    self.expr(value, work(nodes));
                }
            }
            StmtKind::Assign(place, value) => {
                self.expr(value, work(nodes));
                self.access(place, true, work(nodes));
            }
            StmtKind::For(this) => nodes.push(Node::Loop(self.for_loop(this))),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition, work(nodes));
                let (yes, no) = match self.probability(condition) {
                    Some(yes) => (yes, 1.0 - yes),
                    None if otherwise.is_empty() => (1.0, 0.0),
                    None => (0.5, 0.5),
                };
                for (probability, branch) in [(yes, then), (no, otherwise)] {
                    if probability > 0.0 {
                        self.weighted(probability, |this| this.body(branch, nodes));
                    } else {
                        walk::each_stmt(branch, &mut |stmt| {
                            self.loops += usize::from(is_loop(stmt));
                        });
                    }
                }
            }
            StmtKind::Block(body) => self.body(body, nodes),
            StmtKind::Point(id, place) => {
                let place = self.resolved(place);
                self.pointers.insert(*id, place);
            }
            StmtKind::Swap(a, b) => {
                self.pointers.remove(a);
                self.pointers.remove(b);
            }
            StmtKind::Reduce(reduce) => {
                let trips = evaluate(&reduce.count, &self.values).unwrap_or(1);
                let body = [reduce.element_body.as_slice(), &reduce.combine].concat();
                let number = self.next_number();
                nodes.push(Node::Loop(LoopNode {
                    number,
                    trips: trips as f64,
                    weight: self.weight,
                    threads: Distribution::Shared,
                    vectorization: Vectorization::Unknown,
                    chain: chain::length(&body),
                    accumulators: 1,
                    is_unrolled: false,
                    body: self.inside(
                        Around {
                            counter: reduce.counter,
                            start: Nat::ZERO,
                            from: 0,
                            step: 1,
                            trips,
                            assigned: assigned(&body),
                        },
                        &body,
                    ),
                }));
            }
            StmtKind::Barrier(_) => {}
            StmtKind::Kernel(kernel) => self.body(&kernel.body, nodes),
        }
    }

    fn next_number(&mut self) -> usize {
        self.loops += 1;
        self.loops - 1
    }

    fn for_loop(&mut self, this: &Loop) -> LoopNode {
        let number = self.next_number();
        let value = |nat: &Nat| evaluate(nat, &self.values);
        let step = value(&this.step).filter(|step| *step > 0).unwrap_or(1);
        let from = value(&this.from).unwrap_or(0);
        let to = value(&this.to).unwrap_or(from + step);
        let trips = ((to - from).max(0) + step - 1) / step;
        let vectorization = self.vectorization[number].clone();
        let is_vector = vectorization == Vectorization::Vector;
        LoopNode {
            number,
            trips: trips as f64,
            weight: self.weight,
            threads: match this.mode {
                LoopMode::Parallel | LoopMode::Reduction(..) => Distribution::Shared,
                LoopMode::Replicated => Distribution::Replicated,
                _ => Distribution::Inherited,
            },
            chain: match vectorization {
                Vectorization::Outer => 0.0,
                _ => chain::length(&this.body),
            },
            accumulators: accumulators(&this.body),
            vectorization,
            is_unrolled: this.step.is_one()
                && (vectorization::is_short(this) || is_vector && vectorization::is_of_lanes(this)),
            body: self.inside(
                Around {
                    counter: this.counter,
                    start: this.from.clone(),
                    from,
                    step,
                    trips,
                    assigned: assigned(&this.body),
                },
                &this.body,
            ),
        }
    }

    /// Returns the trees of the body of a loop, whose counter has a value near the middle.
    fn inside(&mut self, this: Around, body: &[Stmt]) -> Vec<Node> {
        // Counters of nested loops have different values, which are on no diagonal.
        let depth = i64::try_from(self.around.len()).unwrap_or(0);
        let middle = this.trips / 2 + this.trips * (depth % 4) / 16;
        let counter = this.counter;
        let outer = (self.values).insert(counter, this.from + middle * this.step);
        self.around.push(this);
        let weight = std::mem::replace(&mut self.weight, 1.0);
        let nodes = self.nodes(body);
        self.weight = weight;
        self.around.pop();
        match outer {
            Some(value) => self.values.insert(counter, value),
            None => self.values.remove(&counter),
        };
        nodes
    }

    fn weighted(&mut self, probability: f64, run: impl FnOnce(&mut Self)) {
        let outer = self.weight;
        self.weight *= probability;
        run(self);
        self.weight = outer;
    }

    /// Returns the part of the iterations of the loops around for which a condition on sizes and
    /// counters holds; `None` if it depends on data.
    fn probability(&self, condition: &Expr) -> Option<f64> {
        /// The number of values of each counter that are tried.
        const POINTS: i64 = 8;
        let mut counters: Vec<Around> = Vec::new();
        walk::sub_exprs(condition, &mut |expr| {
            if let ExprKind::Nat(nat) = &expr.kind {
                let varies = |this: &&Around| nat.mentions(this.counter);
                counters.extend(self.around.iter().filter(varies).cloned());
            }
        });
        counters.sort_by_key(|this| this.counter);
        counters.dedup_by_key(|this| this.counter);
        let (first, second) = match &counters[..] {
            [] => return decide(condition, &self.values).map(|value| f64::from(u8::from(value))),
            [first] => (first, None),
            [first, second, ..] => (first, Some(second)),
        };
        let mut values = self.values.clone();
        let (mut all, mut held) = (0, 0);
        for x in 0..POINTS {
            values.insert(first.counter, first.point(x, POINTS));
            for y in 0..second.map_or(1, |_| POINTS + 1) {
                if let Some(second) = second {
                    values.insert(second.counter, second.point(y, POINTS + 1));
                }
                all += 1;
                held += i32::from(decide(condition, &values)?);
            }
        }
        Some(f64::from(held) / f64::from(all))
    }

    fn expr(&mut self, expr: &Expr, work: &mut Work) {
        if let ExprKind::Load(place) = &expr.kind {
            self.access(place, false, work);
        }
        if let ExprKind::Select(condition, a, b) = &expr.kind {
            self.expr(condition, work);
            work.operations.simple += self.weight;
            let yes = self.probability(condition).unwrap_or(0.5);
            self.weighted(yes, |this| this.expr(a, work));
            self.weighted(1.0 - yes, |this| this.expr(b, work));
            return;
        }
        if let ExprKind::Vector(lanes) = &expr.kind
            && has_consecutive_lanes(lanes)
        {
            let outer = std::mem::replace(&mut self.lanes, lanes.len() as f64);
            self.expr(&lanes[0], work);
            self.lanes = outer;
            return;
        }
        // Compilers compute equal operands once.
        let mut parts: Vec<&Expr> = Vec::new();
        walk::each_part(expr, &mut |part| {
            if !parts.contains(&part) {
                parts.push(part);
                self.expr(part, work);
            }
        });
        let registers = match &*expr.ty {
            Type::Vector(lanes, elem) => {
                let lanes = evaluate(lanes, &self.values).unwrap_or(1) as f64;
                (lanes * scalar_bytes(elem) / f64::from(self.register_bytes)).max(1.0)
            }
            _ => 1.0,
        };
        let count = self.weight * registers;
        match &expr.kind {
            ExprKind::Call(function, _)
                if self.is_hoisted(expr) && math::plain_name(&function.name).is_some() => {}
            ExprKind::Binary(Binary::Div | Binary::Mod, ..) => work.operations.divide += count,
            ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Cast(..) => {
                work.operations.simple += count;
            }
            ExprKind::Call(function, _) => match math::plain_name(&function.name) {
                Some("sqrt") => work.operations.divide += count,
                Some(name) if is_instruction(name) => work.operations.simple += count,
                Some(_) => work.operations.call += count,
                // Short functions are inlined.
                None => work.operations.simple += 4.0 * count,
            },
            ExprKind::Nat(nat) => self.divisions(nat, work),
            ExprKind::Literal(_)
            | ExprKind::Load(_)
            | ExprKind::Select(..)
            | ExprKind::Pair(..)
            | ExprKind::Half(..)
            | ExprKind::Broadcast(_)
            | ExprKind::Vector(_)
            | ExprKind::Lane(..)
            | ExprKind::Element(..) => {}
        }
    }

    /// Adds the divisions that compute a size in each iteration of the innermost loop.
    fn divisions(&self, nat: &Nat, work: &mut Work) {
        /// The divisions of floating-point numbers that take as long as one of integers.
        const INTEGER: f64 = 2.0;
        /// The operations in place of a division by a constant.
        const BY_CONSTANT: f64 = 4.0;
        let Some(innermost) = self.around.last() else {
            return;
        };
        each_division(nat, &mut |dividend, divisor| {
            let division = (dividend.clone(), divisor.clone());
            let varies = [dividend, divisor]
                .iter()
                .any(|part| part.mentions(innermost.counter));
            if !varies || work.divisions.contains(&division) {
                return;
            }
            match divisor.as_const() {
                Some(_) => work.operations.simple += BY_CONSTANT * self.weight,
                None => work.operations.divide += INTEGER * self.weight,
            }
            work.divisions.push(division);
        });
    }

    /// Returns true if an expression is the same in all iterations of the innermost loop, so that
    /// compilers compute it once in front of the loop.
    fn is_hoisted(&self, expr: &Expr) -> bool {
        let Some(innermost) = self.around.last() else {
            return false;
        };
        let mut is_same = true;
        walk::sub_exprs(expr, &mut |part| {
            is_same &= match &part.kind {
                ExprKind::Load(place) => {
                    !innermost.assigned.contains(&place.id)
                        && !(place.index.as_ref()).is_some_and(|i| i.mentions(innermost.counter))
                }
                ExprKind::Nat(nat) => !nat.mentions(innermost.counter),
                _ => true,
            };
        });
        is_same
    }

    /// Returns the place in an array that a place behind a pointer is.
    fn resolved(&self, place: &Place) -> Place {
        let Some(base) = self.pointers.get(&place.id) else {
            return place.clone();
        };
        let zero = Nat::ZERO;
        let index = base.index.as_ref().unwrap_or(&zero) + place.index.as_ref().unwrap_or(&zero);
        Place {
            id: base.id,
            index: Some(index),
            ..place.clone()
        }
    }

    fn access(&mut self, place: &Place, writes: bool, work: &mut Work) {
        let place = self.resolved(place);
        let variable = &self.function.variables[place.id.0 as usize];
        let Some(index) = &place.index else {
            return;
        };
        let element = element_bytes(&variable.elem);
        let lanes = match &place.lanes {
            Some(lanes) => evaluate(lanes, &self.values).unwrap_or(1) as f64,
            None => 1.0,
        };
        self.divisions(index, work);
        // The values of opaque sizes are read from memory.
        for (var, value) in &self.function.opaque {
            if index.mentions(*var) {
                let value = value.clone();
                self.expr(&value, work);
            }
        }
        let count = variable.count.as_ref();
        let count = count.and_then(|count| evaluate(count, &self.values));
        let access = Access {
            array: place.id,
            array_bytes: count.map(|count| count as f64 * element),
            bytes: element * lanes * self.lanes,
            writes,
            weight: self.weight,
            strides: self.strides(index, element),
            trips: self.around.iter().map(|this| this.trips as f64).collect(),
            offset: evaluate(index, &self.values).unwrap_or(0) as f64 * element,
        };
        // Compilers load an element once.
        if writes || !work.accesses.contains(&access) {
            work.accesses.push(access);
        }
    }

    /// Returns the distance in bytes for the next iteration of each loop around, in which the loops
    /// inside it are in the same iteration as before; `None` if it depends on data.
    fn strides(&self, index: &Nat, element: f64) -> Vec<Option<f64>> {
        let mut known = self.values.clone();
        for (var, _) in &self.function.opaque {
            known.entry(*var).or_insert(0);
        }
        if evaluate(index, &known).is_none() {
            return vec![None; self.around.len()];
        }
        let stride = |depth: usize| {
            let this = &self.around[depth];
            if is_selected(self.function, index, this.counter) {
                return None;
            }
            let moves = |inner: &Around| inner.start.mentions(this.counter);
            if !index.mentions(this.counter) && !self.around[depth + 1..].iter().any(moves) {
                return Some(0.0);
            }
            // At one of two places, quotients and remainders do not jump.
            let middle = self.values.get(&this.counter).copied().unwrap_or(0);
            let distances = [middle, this.from].into_iter().filter_map(|at| {
                let before = evaluate(index, &self.values_with(&known, depth, at))?;
                let after = evaluate(index, &self.values_with(&known, depth, at + this.step))?;
                Some(((after - before) as f64 * element).abs())
            });
            distances.reduce(f64::min)
        };
        (0..self.around.len()).map(stride).collect()
    }

    /// Returns the values of sizes and counters if the counter of the loop at a depth has this
    /// value, and the loops inside it are in the same iteration.
    fn values_with(&self, known: &Values, depth: usize, value: i64) -> Values {
        let mut values = known.clone();
        values.insert(self.around[depth].counter, value);
        for inner in &self.around[depth + 1..] {
            if let (Some(at), Some(from)) = (
                self.values.get(&inner.counter),
                evaluate(&inner.start, &values),
            ) {
                values.insert(inner.counter, at - inner.from + from);
            }
        }
        values
    }
}

/// Returns the variables that statements declare or assign.
pub(super) fn assigned(body: &[Stmt]) -> FxHashSet<Id> {
    let mut assigned = FxHashSet::default();
    walk::each_stmt(body, &mut |stmt| match &stmt.kind {
        StmtKind::Declare(id, _) => _ = assigned.insert(*id),
        StmtKind::Assign(place, _) => _ = assigned.insert(place.id),
        _ => {}
    });
    assigned
}

/// Returns the number of variables, other than arrays, that statements assign and do not declare.
fn accumulators(body: &[Stmt]) -> usize {
    let mut declared = FxHashSet::default();
    let mut assigned = FxHashSet::default();
    walk::each_stmt(body, &mut |stmt| match &stmt.kind {
        StmtKind::Declare(id, _) => _ = declared.insert(*id),
        StmtKind::Assign(place, _) if place.index.is_none() => _ = assigned.insert(place.id),
        _ => {}
    });
    assigned.difference(&declared).count()
}

/// Returns true if the lanes of a vector differ only in the elements that they load, which are next to
/// each other or the same. Compilers compute them together.
fn has_consecutive_lanes(lanes: &[Expr]) -> bool {
    let loads = |expr: &Expr| {
        let mut places = Vec::new();
        let mut parts = 0;
        walk::sub_exprs(expr, &mut |part| {
            parts += 1;
            if let ExprKind::Load(place) = &part.kind {
                places.push((place.id, place.index.clone()));
            }
        });
        (parts, places)
    };
    let Some(first) = lanes.first() else {
        return false;
    };
    let (parts, first) = loads(first);
    lanes.iter().enumerate().all(|(lane, expr)| {
        let (own_parts, places) = loads(expr);
        own_parts == parts
            && places.len() == first.len()
            && places
                .iter()
                .zip(&first)
                .all(|(place, first)| match (&place.1, &first.1) {
                    (Some(index), Some(start)) => {
                        let distance = Nat::sub(index, start).as_const();
                        place.0 == first.0
                            && (distance == Some(0) || distance == i64::try_from(lane).ok())
                    }
                    _ => place == first,
                })
    })
}

/// Returns true for mathematical functions that are instructions of processors.
pub(super) fn is_instruction(name: &str) -> bool {
    matches!(
        name,
        "sqrt" | "fabs" | "fma" | "floor" | "ceil" | "trunc" | "rint"
    )
}

/// Returns true for the value of a parameter that is no array.
fn is_parameter(function: &Function, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Load(place) => {
            let variable = &function.variables[place.id.0 as usize];
            variable.home == Home::Input && place.index.is_none()
        }
        _ => false,
    }
}

/// Returns true if an index depends on data that may be other data for another value of a counter.
pub(super) fn is_selected(function: &Function, index: &Nat, counter: Var) -> bool {
    let opaque = function.opaque.iter();
    let mut of_index =
        opaque.filter(|(var, value)| index.mentions(*var) && !is_parameter(function, value));
    of_index.any(|(_, value)| {
        let mut changes = false;
        walk::sub_exprs(value, &mut |part| {
            changes |= match &part.kind {
                ExprKind::Load(Place { index: None, .. }) => true,
                ExprKind::Load(Place {
                    index: Some(index), ..
                })
                | ExprKind::Nat(index) => {
                    index.mentions(counter) || is_selected(function, index, counter)
                }
                _ => false,
            };
        });
        changes
    })
}

/// Evaluates a condition on sizes and counters; `None` if it depends on data.
fn decide(condition: &Expr, values: &Values) -> Option<bool> {
    let number = |expr: &Expr| match &expr.kind {
        ExprKind::Nat(nat) => evaluate(nat, values),
        _ => None,
    };
    match &condition.kind {
        ExprKind::Literal(Literal::Bool(value)) => Some(*value),
        ExprKind::Unary(Unary::Not, a) => decide(a, values).map(|value| !value),
        ExprKind::Binary(Binary::And, a, b) => match (decide(a, values), decide(b, values)) {
            (Some(a), Some(b)) => Some(a && b),
            (Some(false), _) | (_, Some(false)) => Some(false),
            _ => None,
        },
        ExprKind::Binary(Binary::Or, a, b) => match (decide(a, values), decide(b, values)) {
            (Some(a), Some(b)) => Some(a || b),
            (Some(true), _) | (_, Some(true)) => Some(true),
            _ => None,
        },
        ExprKind::Binary(operator, a, b) => {
            let (a, b) = (number(a)?, number(b)?);
            match operator {
                Binary::Gt => Some(a > b),
                Binary::Lt => Some(a < b),
                Binary::Ge => Some(a >= b),
                Binary::Le => Some(a <= b),
                Binary::Eq => Some(a == b),
                Binary::Ne => Some(a != b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns true for the statements that have a number among loops.
pub(super) fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::For(_) | StmtKind::Reduce(_))
}

/// Returns the work at the end of a list of nodes, and adds some if there is none.
fn work(nodes: &mut Vec<Node>) -> &mut Work {
    if !matches!(nodes.last(), Some(Node::Work(_))) {
        nodes.push(Node::Work(Work::default()));
    }
    match nodes.last_mut() {
        Some(Node::Work(work)) => work,
        _ => unreachable!("the last node is work"),
    }
}

pub(super) fn element_bytes(elem: &Type) -> f64 {
    match CType::of(elem, &rise::Names::default(), Origin(0)) {
        Ok(ty) => ty.size() as f64,
        // Half-precision numbers, and vectors whose length is a size.
        Err(_) => scalar_bytes(elem),
    }
}

fn scalar_bytes(ty: &Type) -> f64 {
    match ty {
        Type::Scalar(scalar) => scalar_size(*scalar) as f64,
        _ => scalar_size(ScalarType::NatType) as f64,
    }
}
