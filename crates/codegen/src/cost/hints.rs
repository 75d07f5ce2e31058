//! Finds loops that another program would execute faster.
//!
//! There is at most one hint for a loop, and only for loops that take a considerable part of the
//! time of the function, whose faster form is at least [`MIN_FACTOR`] times faster by the model, and
//! for which something can be done in the program.

use std::borrow::Cow;
use std::mem::{Discriminant, discriminant};

use nat::{Nat, Var};
use rise::Names;
use rise::core::Origin;
use rise::print::nat_text;
use rustc_hash::FxHashSet;
use syntax::ast::Name;

use super::interchange::{self, StridedAccess, loop_with_number};
use super::nest::{self, Node, evaluate, is_loop};
use super::time::NestTime;
use super::{Analysis, iterations, loops};
use crate::analysis::dependence_test::{has_unit_stride, linear_form};
use crate::analysis::vectorization::{self, Obstacle, Vectorization};
use crate::ir::kernel::KernelFunction;
use crate::ir::walk;
use crate::ir::{
    Binary, ExprKind, Function, Home, Id, Level, Loop, LoopMode, Maker, Place, Query, Stmt,
    StmtKind,
};
use crate::opt::{loop_tiling, outer_loop_vectorization, unroll_and_jam};

/// The smallest factor between the time of a loop and of its faster form for a hint.
const MIN_FACTOR: f64 = 1.5;
/// The largest factor that the model distinguishes.
const MAX_FACTOR: f64 = 50.0;
/// The largest number of elements of a window that is read in place of its copy.
const MAX_WINDOW: f64 = 9.0;
/// The largest number of reads of an element that is computed again for each of them.
const MAX_COPIES: f64 = 3.0;
/// The smallest part of the time of a function that a loop with a hint takes.
const MIN_SHARE: f64 = 0.1;

/// A loop that another program would execute faster.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// The kind of hint, with its details.
    pub kind: HintKind,
    /// The phrase of the loop.
    pub origin: Origin,
}

/// The kinds of hints.
#[derive(Clone, Debug, PartialEq)]
pub enum HintKind {
    /// A loop that reads elements which are far apart, although the loop around it would read them
    /// one after another.
    StridedRead {
        /// The array.
        array: Name,
        /// The distance in elements; `None` if data selects them.
        stride: Option<Nat>,
        /// True if the elements are written.
        is_written: bool,
        /// The factor by which it is slower than with both loops interchanged.
        factor: f64,
        /// The use of the elements.
        purpose: AccessPurpose,
    },
    /// A reduction each of whose steps reads and writes an array that is too large for a cache,
    /// although the loop in it could be outside of it.
    LoopOrder {
        /// The array.
        array: Name,
        /// The factor by which it is slower than inside of the other loop.
        factor: f64,
    },
    /// A parallel loop whose threads start in each iteration of a loop around it, which could itself be
    /// parallel.
    InnerParallel {
        /// The factor by which it is slower than with the loop around it in parallel.
        factor: f64,
    },
    /// A loop that only copies an array to another one.
    Copy {
        /// The array that is read, or several of them.
        from: Name,
        /// The number of bytes.
        bytes: Nat,
        /// The number of bytes at the sizes of the estimate.
        value: f64,
    },
    /// A loop that computes the same result in each iteration of the loop around it.
    Invariant {
        /// The factor by which it is slower than if it was executed once.
        factor: f64,
    },
    /// A loop that calls a function with the same values in each iteration of the loop around it, or
    /// several times with each element of an array.
    RepeatedCall {
        /// The function.
        function: Name,
        /// The array, if its elements are the values.
        array: Option<Name>,
        /// The factor by which it is slower than without the calls.
        factor: f64,
    },
    /// A loop that stores the elements of an array, each of which is read once, or computed from a few
    /// operations and read a few times.
    Unfused {
        /// True if each element is read once.
        is_read_once: bool,
        /// The number of bytes.
        bytes: Nat,
        /// The number of bytes at the sizes of the estimate.
        value: f64,
    },
    /// A reduction of floating-point numbers whose steps wait for each other.
    OrderedReduction {
        /// `sum`, `product`, `minimum` or `maximum`.
        operation: &'static str,
        /// The factor by which it is slower than with several partial results.
        factor: f64,
    },
    /// An access for which neighbouring work-items need different parts of memory.
    Uncoalesced {
        /// The array.
        array: Name,
        /// The distance in elements between the accesses of neighbouring work-items.
        stride: Nat,
    },
}

/// The use of the elements that a loop accesses with a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessPurpose {
    /// It is the only reduction in the map around it.
    Reduction,
    /// The map around it contains several reductions of elements with a stride.
    SeveralReductions,
    /// It stores results that another loop in the same map reads.
    Storing,
    /// It computes results of the map.
    Results,
    /// It reduces short rows, each of which several results need.
    NarrowRows,
}

impl Hint {
    /// Returns the message.
    pub fn message(&self, names: &[Name]) -> String {
        let names = Names(names.into());
        let stride_text = |stride: &Nat| nat_text(stride, &names);
        let size_text = |bytes: &Nat, value: f64| match bytes.as_const() {
            Some(_) => bytes_text(value),
            None => format!(
                "{} bytes (estimated {})",
                nat_text(bytes, &names),
                bytes_text(value)
            ),
        };
        match &self.kind {
            HintKind::StridedRead {
                array,
                stride,
                is_written,
                factor,
                ..
            } => format!(
                "`{array}` is {} {} (estimated {} slower than row by row)",
                if *is_written { "written" } else { "read" },
                match stride {
                    Some(stride) => format!("with stride {}", stride_text(stride)),
                    None => "at places that data selects".to_owned(),
                },
                times_text(*factor)
            ),
            HintKind::LoopOrder { array, factor } => format!(
                "each step reads and writes all of `{array}` (estimated {} slower than one row of it after the other)",
                times_text(*factor)
            ),
            HintKind::InnerParallel { factor } => format!(
                "threads start and wait in each iteration of the loop around this one (estimated {} slower than with that \
                 loop in parallel)",
                times_text(*factor)
            ),
            HintKind::Invariant { factor } => format!(
                "this has the same result in each iteration of the loop around it (estimated {} slower than in front of \
                 that loop)",
                times_text(*factor)
            ),
            HintKind::RepeatedCall {
                function,
                array: Some(array),
                factor,
            } => format!(
                "`{function}` is called several times with each element of `{array}` (estimated {} slower than once)",
                times_text(*factor)
            ),
            HintKind::RepeatedCall {
                function,
                array: None,
                factor,
            } => format!(
                "`{function}` is called with the same values in another loop, or in each iteration of the loop around this \
                 one (estimated {} slower than without the calls)",
                times_text(*factor)
            ),
            HintKind::Unfused {
                is_read_once,
                bytes,
                value,
            } => format!(
                "this stores {}, and each element is {}",
                size_text(bytes, *value),
                if *is_read_once {
                    "read once"
                } else {
                    "computed faster than it is read"
                }
            ),
            HintKind::Copy { from, bytes, value } => {
                format!("this copies `{from}`: {}", size_text(bytes, *value))
            }
            HintKind::OrderedReduction { operation, factor } => format!(
                "each step of this {operation} waits for the one before, because compilers keep the order of operations on \
                 floating-point numbers (estimated {factor:.1} times slower than with partial results)"
            ),
            HintKind::Uncoalesced { array, stride } => format!(
                "neighbouring work-items access `{array}` with stride {}, so that each access is a memory transaction of \
                 its own",
                stride_text(stride)
            ),
        }
    }

    /// Returns how much slower the loop is estimated to be than its faster form.
    pub fn factor(&self) -> Option<f64> {
        match self.kind {
            HintKind::StridedRead { factor, .. }
            | HintKind::LoopOrder { factor, .. }
            | HintKind::InnerParallel { factor }
            | HintKind::Invariant { factor }
            | HintKind::RepeatedCall { factor, .. }
            | HintKind::OrderedReduction { factor, .. } => Some(factor),
            HintKind::Copy { .. } | HintKind::Unfused { .. } | HintKind::Uncoalesced { .. } => None,
        }
    }
}

/// Returns a factor, such as `3.2 times`.
fn times_text(factor: f64) -> String {
    match factor >= MAX_FACTOR {
        true => format!("more than {MAX_FACTOR:.0} times"),
        false => format!("{factor:.1} times"),
    }
}

/// Returns a number of bytes in a unit of 1000, such as `4.2 MB`.
pub fn bytes_text(bytes: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{value:.0} {}", units[0]),
        _ => format!("{value:.1} {}", units[unit]),
    }
}

impl Hint {
    /// Returns what there is at most one hint for: a phrase, the kind of hint and, where loops of a phrase
    /// read several arrays, the array.
    pub(super) fn subject(&self) -> (Origin, Discriminant<HintKind>, Option<Name>) {
        let array = match &self.kind {
            HintKind::StridedRead { array, .. } => Some(array.clone()),
            _ => None,
        };
        (self.origin, discriminant(&self.kind), array)
    }
}

/// Returns the hints of a function for CPUs.
pub(super) fn of(analysis: &Analysis<'_>) -> Vec<Hint> {
    let mut hints: Vec<(usize, Hint)> = Vec::new();
    let loops = loops_with_parents(&analysis.function.body);
    for (this, (stmt, parent)) in loops.into_iter().enumerate() {
        let StmtKind::For(inner) = &stmt.kind else {
            continue;
        };
        let vectorization = &analysis.vectorization[this];
        if *vectorization == Vectorization::Outer || analysis.share_of(this) < MIN_SHARE {
            continue;
        }
        let kind = parent
            .and_then(|outer| {
                (analysis.inner_parallel(outer, this, inner))
                    .or_else(|| analysis.repeated(outer, this, inner))
                    .or_else(|| analysis.strided_read(outer, this, inner))
            })
            .or_else(|| analysis.repeated_for_elements(this, inner))
            .or_else(|| analysis.loop_order(this, inner))
            .or_else(|| analysis.copy(inner, this))
            .or_else(|| analysis.unfused(inner, this))
            .or_else(|| analysis.obstacle(inner, this, vectorization));
        if let Some(kind) = kind {
            let origin = stmt.origin;
            hints.push((this, Hint { kind, origin }));
        }
    }
    // Several loops of one phrase, such as those of a peeled or fused loop, have one hint for each
    // array.
    let mut seen = FxHashSet::default();
    hints.retain(|(_, hint)| seen.insert(hint.subject()));
    hints.into_iter().map(|(_, hint)| hint).collect()
}

/// Returns the loops in the order of the text, each with the number of the loop around it.
fn loops_with_parents(body: &[Stmt]) -> Vec<(&Stmt, Option<usize>)> {
    fn visit<'s>(
        body: &'s [Stmt],
        parent: Option<usize>,
        all: &mut Vec<(&'s Stmt, Option<usize>)>,
    ) {
        for stmt in body {
            let mut around = parent;
            if is_loop(stmt) {
                around = Some(all.len());
                all.push((stmt, parent));
            }
            walk::blocks(stmt, &mut |inner| visit(inner, around, all));
        }
    }
    let mut all = Vec::new();
    visit(body, None, &mut all);
    all
}

impl Analysis<'_> {
    /// Returns the outermost statement that contains a loop.
    fn nest_of(&self, number: usize) -> Option<usize> {
        let has = |nest: &NestTime| nest.loops.iter().any(|(known, _)| *known == number);
        self.nests.iter().position(has)
    }

    /// Returns the part of the time of the function that a loop takes, from 0 to 1.
    fn share_of(&self, number: usize) -> f64 {
        let all = self.seconds();
        let Some(at) = self.nest_of(number).filter(|_| all > 0.0) else {
            return 0.0;
        };
        let nest = &self.nests[at];
        let own = nest.loops.iter().find(|(known, _)| *known == number);
        let own = own.map_or(0.0, |(_, seconds)| *seconds);
        nest.seconds() / all * (own / nest.operations.max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// Returns the factor by which a loop is slower than if the function took this time.
    fn factor(&self, number: usize, seconds: f64) -> Option<f64> {
        let all = self.seconds();
        let own = all * self.share_of(number);
        let saved = all - seconds;
        let factor = (own / (own - saved).max(0.0)).min(MAX_FACTOR);
        (factor >= MIN_FACTOR).then_some(factor)
    }

    fn strided_read(&self, outer: usize, number: usize, inner: &Loop) -> Option<HintKind> {
        let outer_stmt = loop_with_number(&self.function.body, outer)?;
        let StmtKind::For(around) = &outer_stmt.kind else {
            return None;
        };
        if self.is_tiled(number) {
            return None;
        }
        let mut function = Cow::Borrowed(self.function);
        let access = match strided_access(&function, around, inner) {
            Some(found) => found,
            // The loop over neighbours may be the one around both.
            None => {
                let (_, next) = loops_with_parents(&self.function.body).swap_remove(outer);
                let next = next?;
                let StmtKind::For(columns) = &loop_with_number(&self.function.body, next)?.kind
                else {
                    return None;
                };
                let found = strided_access(self.function, columns, inner)?;
                function = Cow::Owned(interchange::with_inner_loop_outside(self.function, next)?);
                found
            }
        };
        // Compilers unroll short reductions, and compute neighbouring results in the lanes of vectors.
        if vectorization::is_short(inner) && assigns_variable(inner) {
            return None;
        }
        // Arrays are packed and transposed on purpose, but not to read each element once.
        if let Some(places) = copied_places(&inner.body)
            && !(places.iter()).all(|(to, _)| is_read_in_outer_loops(&around.body, to.id))
        {
            return None;
        }
        let mut changed = interchange::interchanged(&function, outer, number)?;
        // The other loops in the same map are as slow, and are to be interchanged with it as well.
        let mut others = 0;
        for _ in 0..self.vectorization.len() {
            let Some((outer, inner)) = strided_loops(&changed, outer_stmt.origin) else {
                break;
            };
            changed = interchange::interchanged(&changed, outer, inner)?;
            others += 1;
        }
        let factor = self.factor(outer, self.seconds_of_function(changed)?)?;
        Some(HintKind::StridedRead {
            array: self.name(access.place.id),
            stride: access.stride,
            is_written: access.is_written,
            factor,
            purpose: match assigns_variable(inner) {
                true if others > 0 => AccessPurpose::SeveralReductions,
                true => AccessPurpose::Reduction,
                false if stores_values(around, inner) => AccessPurpose::Storing,
                false => AccessPurpose::Results,
            },
        })
    }

    /// Returns true for a loop in a nest of which the compiler computes tiles of rows or several iterations
    /// in vectors, or whose loops it exchanged: also for the few iterations that fill no tile.
    fn is_tiled(&self, number: usize) -> bool {
        let loops = loops_with_parents(&self.function.body);
        let passes = [loop_tiling::PASS.name, outer_loop_vectorization::PASS.name];
        let is_tile =
            |stmt: &Stmt| matches!(stmt.made_by, Some(Maker::Pass(name)) if passes.contains(&name));
        let mut next = Some(number);
        while let Some((stmt, parent)) = next.and_then(|at| loops.get(at)) {
            let mut of_phrase = loops
                .iter()
                .filter(|(other, _)| other.origin == stmt.origin);
            if of_phrase.any(|(other, _)| is_tile(other)) {
                return true;
            }
            next = *parent;
        }
        false
    }

    /// Finds a parallel loop in a loop whose iterations are independent of each other.
    fn inner_parallel(&self, outer: usize, number: usize, inner: &Loop) -> Option<HintKind> {
        let StmtKind::For(around) = &loop_with_number(&self.function.body, outer)?.kind else {
            return None;
        };
        let is_parallel = matches!(inner.mode, LoopMode::Parallel);
        if !is_parallel || !interchange::has_independent_iterations(self.function, around) {
            return None;
        }
        let mut changed = self.function.clone();
        for (number, mode) in [(outer, LoopMode::Parallel), (number, LoopMode::Sequential)] {
            change_loop(&mut changed, number, &|this| this.mode = mode)?;
        }
        let factor = self.factor(outer, self.seconds_of_function(changed)?)?;
        Some(HintKind::InnerParallel { factor })
    }

    /// Finds a loop in a reduction that accumulates in all elements of an array, and in which a loop could
    /// be outside of the reduction.
    fn loop_order(&self, number: usize, inner: &Loop) -> Option<HintKind> {
        let place = accumulated_place(&inner.body)?;
        let index = place.index.as_ref()?;
        let loops = loops_with_parents(&self.function.body);
        let mut next = loops.get(number)?.1;
        while let Some(outer) = next {
            let (stmt, parent) = loops.get(outer)?;
            // The array of a single loop is a row, which a cache holds.
            let is_reduction = matches!(&stmt.kind, StmtKind::For(this)
                if !index.mentions(this.counter) && this.body.iter().any(contains_loop));
            if is_reduction
                && let Some(changed) = interchange::with_inner_loop_outside(self.function, outer)
            {
                let array = self.name(place.id);
                let factor = self.factor(number, self.seconds_of_function(changed)?)?;
                return Some(HintKind::LoopOrder { array, factor });
            }
            next = *parent;
        }
        None
    }

    /// Finds a loop that only copies arrays to temporary ones, or the other way round, in which every
    /// element keeps its index: then the other array could be used in its place.
    fn copy(&self, inner: &Loop, number: usize) -> Option<HintKind> {
        let is_local = |id: Id| {
            let variable = &self.function.variables[id.0 as usize];
            matches!(variable.home, Home::Local(_)) && variable.count.is_some()
        };
        let places = copied_places(&inner.body)?;
        let is_state = |place: &Place| self.is_state(place.id, number);
        if places
            .iter()
            .any(|(to, from)| is_state(to) || is_state(from))
        {
            return None;
        }
        let is_needless = |reads: f64| {
            (self.stored_for_reads(inner, reads)).is_some_and(|to| self.gains_without(to))
        };
        let is_read_once = is_needless(1.0);
        // The elements of a window are read with their neighbours.
        let is_window = is_read_once || is_needless(MAX_WINDOW);
        let mut elements = 0.0;
        let mut names: Vec<Name> = Vec::new();
        let written = places.first().map(|(to, _)| to.id);
        for (to, from) in places {
            let distance = Nat::sub(to.index.as_ref()?, from.index.as_ref()?);
            let is_whole = to.members.is_empty() && from.members.is_empty() && to.id != from.id;
            let keeps_index =
                distance.as_const() == Some(0) && (is_local(to.id) || is_local(from.id));
            let is_along = [to, from].iter().all(|place| {
                let index = place.index.as_ref();
                index.is_some_and(|index| has_unit_stride(index, inner.counter))
            });
            if !is_whole || !(keeps_index || is_read_once || is_window && is_along) {
                return None;
            }
            elements += nest::element_bytes(&self.function.variables[to.id.0 as usize].elem);
            names.push(self.name(from.id));
        }
        let (bytes, value) = self.bytes_of_loop(number, elements, written?)?;
        Some(HintKind::Copy {
            from: names.join("` and `").into(),
            bytes,
            value,
        })
    }

    /// Finds a loop that stores an array which needs no memory, because each element is read once.
    fn unfused(&self, inner: &Loop, number: usize) -> Option<HintKind> {
        let once = self.stored_for_reads(inner, 1.0);
        let array = match once {
            Some(array) if self.gains_without(array) => array,
            Some(_) => return None,
            // Each element is computed again for each read.
            None => {
                let array = self.stored_for_reads(inner, MAX_COPIES)?;
                let own = self.loop_seconds().get(&number).copied().unwrap_or(0.0);
                let again = own * (MAX_COPIES - 1.0);
                let fused = self.seconds_without_memory(array) + again;
                if has_calls(inner) || self.seconds() < MIN_FACTOR * fused {
                    return None;
                }
                array
            }
        };
        if self.becomes_state(array, number) {
            return None;
        }
        let element = nest::element_bytes(&self.function.variables[array.0 as usize].elem);
        let (bytes, value) = self.bytes_of_loop(number, element, array)?;
        Some(HintKind::Unfused {
            is_read_once: once.is_some(),
            bytes,
            value,
        })
    }

    /// Returns true if an array is the state of an iteration: a loop around the one with a number reads and
    /// writes it, and it is written before that loop as well.
    fn is_state(&self, array: Id, number: usize) -> bool {
        let writes = |body: &[Stmt]| {
            let mut writes = 0;
            walk::each_stmt(body, &mut |stmt| {
                writes += usize::from(
                    matches!(&stmt.kind, StmtKind::Assign(place, _) if place.id == array),
                );
            });
            writes
        };
        let all = writes(&self.function.body);
        let mut around = self.loops_around(number).into_iter();
        around.any(|this| (1..all).contains(&writes(&this.body)) && reads(&this.body, array))
    }

    /// Returns true if the elements of an array are copied to the state of an iteration.
    fn becomes_state(&self, array: Id, number: usize) -> bool {
        let mut found = false;
        walk::each_stmt(&self.function.body, &mut |stmt| {
            if let StmtKind::Assign(to, value) = &stmt.kind
                && matches!(&value.kind, ExprKind::Load(from) if from.id == array)
            {
                found |= self.is_state(to.id, number);
            }
        });
        found
    }

    /// Returns true if the function would be faster if an array needed no memory.
    fn gains_without(&self, array: Id) -> bool {
        self.seconds() >= MIN_FACTOR * self.seconds_without_memory(array)
    }

    /// Finds a loop that computes the same values again in each iteration of the loop around it.
    fn repeated(&self, outer: usize, number: usize, inner: &Loop) -> Option<HintKind> {
        // The outermost loop that does not change the results.
        let loops = self.loops_around(outer);
        for (at, around) in loops.iter().enumerate().rev() {
            let mut between = loops[..=at].iter();
            if between.any(|between| self.is_invariant(around, between, inner)) {
                let count = evaluate(&iterations(around), self.values)? as f64;
                let factor = count.min(MAX_FACTOR);
                return (factor >= MIN_FACTOR).then_some(HintKind::Invariant { factor });
            }
        }
        let StmtKind::For(around) = &loop_with_number(&self.function.body, outer)?.kind else {
            return None;
        };
        let (function, body) =
            (self.repeated_call(around, inner)).or_else(|| self.call_of_sibling(around, inner))?;
        let seconds = self.seconds_with_body(number, &body)?;
        let factor = self.factor(number, seconds)?;
        Some(HintKind::RepeatedCall {
            function,
            array: None,
            factor,
        })
    }

    /// Finds a loop that calls a function several times with each element of an array.
    fn repeated_for_elements(&self, number: usize, inner: &Loop) -> Option<HintKind> {
        let (function, array, body) = self.call_for_elements(number, inner)?;
        let elements = self.function.variables[array.0 as usize].count.as_ref()?;
        let elements = evaluate(elements, self.values)? as f64;
        let once = elements * self.machine.cycles.call / self.machine.frequency;
        let seconds = self.seconds_with_body(number, &body)? + once;
        let factor = self.factor(number, seconds)?;
        Some(HintKind::RepeatedCall {
            function,
            array: Some(self.name(array)),
            factor,
        })
    }

    /// Returns the time of the function with another body of the loop with a number.
    fn seconds_with_body(&self, number: usize, body: &[Stmt]) -> Option<f64> {
        let mut changed = self.function.clone();
        change_loop(&mut changed, number, &|this| this.body = body.to_vec())?;
        Some(Analysis::new(&changed, self.values, &self.machine).seconds())
    }

    /// Returns the number of bytes that a loop stores with the loops around it, and its value, if an
    /// iteration stores a number of bytes: those of the array, unless it is stored several times.
    fn bytes_of_loop(&self, number: usize, bytes: f64, array: Id) -> Option<(Nat, f64)> {
        let element = Nat::constant(bytes as i64);
        let mut bytes = element.clone();
        for this in self.loops_around(number) {
            bytes = &bytes * &iterations(this);
        }
        let value = evaluate(&bytes, self.values)?;
        let count = self.function.variables[array.0 as usize].count.as_ref()?;
        let whole = &element * count;
        let (bytes, value) = match evaluate(&whole, self.values) {
            Some(all) if all >= value => (whole, all),
            _ => (bytes, value),
        };
        Some((self.function.known().normalize(&bytes), value as f64))
    }

    /// Returns a hint at a loop of the same program without unroll-and-jam, with the factor that it
    /// has in this program; `gain` is the time of this program by that of the other one. Returns
    /// `None` if the loop takes too small a part of the time here, or the factor is too small.
    pub(super) fn hint_of_jammed(&self, mut hint: Hint, gain: f64) -> Option<Hint> {
        let loops = loops_with_parents(&self.function.body);
        let has_origin = |number: &usize| {
            let (stmt, _) = loops[*number];
            stmt.origin == hint.origin && !contains_loop(stmt)
        };
        let own: Vec<usize> = (0..loops.len()).filter(has_origin).collect();
        let share: f64 = own.iter().map(|number| self.share_of(*number)).sum();
        if !own.is_empty() && share < MIN_SHARE {
            return None;
        }
        match &mut hint.kind {
            HintKind::OrderedReduction { factor, .. } if !own.is_empty() => {
                let mut nodes = self.nodes.clone();
                own.iter()
                    .for_each(|number| set_vector(&mut nodes, *number));
                let saved = self.seconds() - self.seconds_of(&nodes);
                let before = self.seconds() * share.min(1.0);
                *factor = (before / (before - saved).max(0.0)).min(*factor * gain);
            }
            HintKind::StridedRead { factor, .. }
            | HintKind::LoopOrder { factor, .. }
            | HintKind::OrderedReduction { factor, .. } => *factor *= gain,
            // The parts of an array that is computed in tiles are in a cache.
            HintKind::Unfused { .. } | HintKind::Copy { .. } => {
                let is_fast = own.iter().any(|number| {
                    let array = match &loops[*number].0.kind {
                        // What a transposed copy costs is not only its memory.
                        StmtKind::For(this) if !copies_columns(this) => {
                            self.stored_for_reads(this, MAX_WINDOW)
                        }
                        _ => None,
                    };
                    array.is_some_and(|array| !self.gains_without(array))
                });
                if is_fast {
                    return None;
                }
            }
            HintKind::Invariant { .. }
            | HintKind::InnerParallel { .. }
            | HintKind::RepeatedCall { .. }
            | HintKind::Uncoalesced { .. } => {}
        }
        hint.factor()
            .is_none_or(|factor| factor >= MIN_FACTOR)
            .then_some(hint)
    }

    /// Returns the time of another function, after the passes that change the order of iterations.
    fn seconds_of_function(&self, mut function: Function) -> Option<f64> {
        for pass in [loop_tiling::PASS, unroll_and_jam::PASS] {
            pass.apply(&mut function).ok()?;
        }
        Some(Analysis::new(&function, self.values, &self.machine).seconds())
    }

    /// Returns the time of the function with these trees of loops.
    fn seconds_of(&self, nodes: &[Node]) -> f64 {
        let nests = nodes
            .iter()
            .map(|node| NestTime::of(node, &self.machine).seconds());
        nests.sum::<f64>() + self.allocation_seconds()
    }

    /// Returns a loop and the loops around it.
    pub(super) fn loops_around(&self, number: usize) -> Vec<&Loop> {
        let all = loops_with_parents(&self.function.body);
        let mut next = Some(number);
        let mut found = Vec::new();
        while let Some((stmt, parent)) = next.and_then(|at| all.get(at)) {
            if let StmtKind::For(this) = &stmt.kind {
                found.push(this);
            }
            next = *parent;
        }
        found
    }

    /// Returns true for a loop over the elements of one of several rows, which are so few that it would
    /// take longer to combine partial results.
    fn is_of_short_rows(&self, number: usize) -> bool {
        const MIN_ELEMENTS: i64 = 128;
        let loops = self.loops_around(number);
        let length = loops.first().map(|inner| iterations(inner));
        let length = length.and_then(|length| evaluate(&length, self.values));
        loops.len() > 1 && length.is_some_and(|length| length < MIN_ELEMENTS)
    }

    fn obstacle(
        &self,
        inner: &Loop,
        number: usize,
        vectorization: &Vectorization,
    ) -> Option<HintKind> {
        let factor = || {
            let mut nodes = self.nodes.clone();
            set_vector(&mut nodes, number);
            self.factor(number, self.seconds_of(&nodes))
        };
        // Compilers unroll short loops, and processors execute several of them at the same time.
        if vectorization::is_short(inner) {
            return self.narrow_rows(inner, number);
        }
        if self.is_tiled(number) || self.is_of_short_rows(number) {
            return None;
        }
        match vectorization {
            Vectorization::OrderedSum => Some(HintKind::OrderedReduction {
                operation: "sum",
                factor: factor()?,
            }),
            Vectorization::Scalar(Obstacle::OrderedReduction(operation)) => {
                Some(HintKind::OrderedReduction {
                    operation,
                    factor: factor()?,
                })
            }
            // Nothing in the program can be changed, or only the algorithm.
            Vectorization::Scalar(
                Obstacle::Call(_)
                | Obstacle::Recurrence(_)
                | Obstacle::Dependence(_)
                | Obstacle::IntegerDivision,
            )
            | Vectorization::Outer
            | Vectorization::Vector
            | Vectorization::Lanes
            | Vectorization::Explicit
            | Vectorization::LibraryCall
            | Vectorization::Unknown => None,
        }
    }

    /// Finds a short reduction of a row of a matrix whose rows are next to each other in memory: if its
    /// columns were, neighbouring results would be computed in the lanes of vectors.
    fn narrow_rows(&self, inner: &Loop, number: usize) -> Option<HintKind> {
        /// The smallest number of reads of each element for which a copy of the matrix is worth it.
        const MIN_READS: f64 = 4.0;
        const MAX_IN_REGISTERS: i64 = 64;
        let loops = self.loops_around(number);
        let [_, around, ..] = loops[..] else {
            return None;
        };
        let mut narrow: Option<(&Place, Nat)> = None;
        let mut others_apart = true;
        walk::for_each_expr(&inner.body, &mut |expr| {
            walk::sub_exprs(expr, &mut |part| {
                let ExprKind::Load(place) = &part.kind else {
                    return;
                };
                let Some(index) = &place.index else { return };
                match linear_form(index, around.counter) {
                    Some((stride, _)) => match stride.as_const() {
                        Some(1) => {}
                        Some(2..=16) if has_unit_stride(index, inner.counter) => {
                            narrow = Some((place, stride));
                        }
                        _ => others_apart = false,
                    },
                    None => others_apart &= !index.mentions(around.counter),
                }
            });
        });
        let (place, stride) = narrow.filter(|_| others_apart && assigns_variable(inner))?;
        let reads = loops
            .iter()
            .map(|this| evaluate(&iterations(this), self.values));
        let reads: i64 = reads.collect::<Option<Vec<i64>>>()?.iter().product();
        let count = self.function.variables[place.id.0 as usize]
            .count
            .as_ref()?;
        // A small matrix stays in registers.
        if count
            .as_const()
            .is_some_and(|count| count <= MAX_IN_REGISTERS)
        {
            return None;
        }
        let count = evaluate(count, self.values)?;
        if (reads as f64) < MIN_READS * count as f64 {
            return None;
        }
        let mut nodes = self.nodes.clone();
        set_vector(&mut nodes, number);
        let factor = self.factor(number, self.seconds_of(&nodes))?;
        Some(HintKind::StridedRead {
            array: self.name(place.id),
            stride: Some(stride),
            is_written: false,
            factor,
            purpose: AccessPurpose::NarrowRows,
        })
    }

    fn name(&self, id: Id) -> Name {
        self.function.variables[id.0 as usize].name.clone()
    }
}

/// Changes the loop with a number in a function; `None` if there is none.
fn change_loop(function: &mut Function, number: usize, change: &dyn Fn(&mut Loop)) -> Option<()> {
    let body = std::mem::take(&mut function.body);
    function.body = interchange::replaced(body, number, &mut 0, &mut |stmt| {
        let mut stmt = stmt.clone();
        if let StmtKind::For(this) = &mut stmt.kind {
            change(this);
        }
        Some(vec![stmt])
    })?;
    Some(())
}

/// Returns the place of an element that statements assign, if its new value depends on its old one.
fn accumulated_place(body: &[Stmt]) -> Option<&Place> {
    body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Assign(place, value) if place.index.is_some() => {
            let mut reads = false;
            walk::sub_exprs(value, &mut |part| {
                reads |= matches!(&part.kind, ExprKind::Load(from) if from == place);
            });
            reads.then_some(place)
        }
        _ => None,
    })
}

/// Returns the places that statements write and read if all of them only copy elements, and there is
/// at least one.
fn copied_places(body: &[Stmt]) -> Option<Vec<(&Place, &Place)>> {
    let copied = body.iter().map(|stmt| match &stmt.kind {
        StmtKind::Assign(to, value) => match &value.kind {
            ExprKind::Load(from) => Some((to, from)),
            _ => None,
        },
        _ => None,
    });
    let all: Vec<_> = copied.collect::<Option<_>>()?;
    (!all.is_empty()).then_some(all)
}

/// Returns true if a loop calls functions or divides.
fn has_calls(this: &Loop) -> bool {
    let mut found = false;
    walk::for_each_expr(&this.body, &mut |expr| {
        walk::sub_exprs(expr, &mut |part| {
            found |= matches!(
                part.kind,
                ExprKind::Call(..) | ExprKind::Binary(Binary::Div | Binary::Mod, ..)
            );
        });
    });
    found
}

/// Returns true if a loop only copies elements, and reads or writes them with a stride.
fn copies_columns(this: &Loop) -> bool {
    let places = copied_places(&this.body).unwrap_or_default();
    places.iter().any(|(to, from)| {
        [to, from].into_iter().any(|place| {
            let index = place.index.as_ref();
            !index.is_some_and(|index| has_unit_stride(index, this.counter))
        })
    })
}

/// Returns true if statements read an array, and only in loops that are not inside other loops of
/// these statements: then each element is read as often as it is written.
fn is_read_in_outer_loops(body: &[Stmt], array: Id) -> bool {
    let mut in_inner_loops = false;
    loops(body, 0, &mut |stmt, depth| {
        in_inner_loops |= depth == 1 && reads(std::slice::from_ref(stmt), array);
    });
    reads(body, array) && !in_inner_loops
}

/// Returns true if statements read an element of an array.
fn reads(body: &[Stmt], array: Id) -> bool {
    let mut found = false;
    walk::for_each_expr(body, &mut |expr| {
        walk::sub_exprs(expr, &mut |part| {
            found |= matches!(&part.kind, ExprKind::Load(place) if place.id == array);
        });
    });
    found
}

/// Returns true if a loop assigns a variable that is not an array, as a reduction does.
fn assigns_variable(this: &Loop) -> bool {
    let mut found = false;
    walk::each_stmt(&this.body, &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::Assign(place, _) if place.index.is_none());
    });
    found
}

/// Returns true if a loop writes an array that other loops directly in the loop around it read.
fn stores_values(outer: &Loop, inner: &Loop) -> bool {
    let mut found = false;
    walk::each_stmt(&inner.body, &mut |stmt| {
        if let StmtKind::Assign(place, _) = &stmt.kind {
            found |= place.index.is_some() && is_read_in_outer_loops(&outer.body, place.id);
        }
    });
    found
}

/// Returns an access of the inner one of two loops with a stride, although the outer loop would access
/// neighbours.
fn strided_access<'l>(
    function: &Function,
    outer: &Loop,
    inner: &'l Loop,
) -> Option<StridedAccess<'l>> {
    let mut accesses = interchange::strided_accesses(function, inner).into_iter();
    accesses.find(|access| {
        let index = access.place.index.as_ref();
        index.is_some_and(|index| has_unit_stride(index, outer.counter))
    })
}

/// Returns the numbers of the first two loops, of which the outer one comes from a phrase, such that
/// the inner one has a [`strided_access`].
fn strided_loops(function: &Function, phrase: Origin) -> Option<(usize, usize)> {
    let loops = loops_with_parents(&function.body);
    loops
        .iter()
        .enumerate()
        .find_map(|(number, (inner, parent))| {
            let outer = (*parent)?;
            let (around, _) = loops.get(outer)?;
            let (StmtKind::For(around_loop), StmtKind::For(inner)) = (&around.kind, &inner.kind)
            else {
                return None;
            };
            let is_strided =
                around.origin == phrase && strided_access(function, around_loop, inner).is_some();
            is_strided.then_some((outer, number))
        })
}

/// Returns true if there is a loop in a loop.
fn contains_loop(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::For(this) if walk::has_loop(&this.body))
}

/// Marks the loop with a number as vectorised.
fn set_vector(nodes: &mut [Node], number: usize) {
    for node in nodes {
        if let Node::Loop(this) = node {
            if this.number == number {
                this.vectorization = Vectorization::Vector;
            }
            set_vector(&mut this.body, number);
        }
    }
}

/// Returns the hints of a kernel: accesses to global memory whose index moves by more than a memory
/// transaction from a work-item to its neighbour.
pub(super) fn of_kernel(kernel: &KernelFunction) -> Vec<Hint> {
    let function = &kernel.function;
    let ids: Vec<Var> = (function.items.iter())
        .filter(|item| {
            let first = matches!(item.query, Query::Id(Level::Local | Level::Global));
            first && item.dimension == 0
        })
        .map(|item| item.var)
        .collect();
    let mut finder = UncoalescedFinder {
        function,
        ids,
        starts: Vec::new(),
        hints: Vec::new(),
    };
    finder.body(&function.body);
    finder.hints
}

struct UncoalescedFinder<'a> {
    function: &'a Function,
    /// The variables for the index of the work-item in the dimension of neighbours.
    ids: Vec<Var>,
    /// The counters of the loops around, with their first values.
    starts: Vec<(Var, Nat)>,
    hints: Vec<Hint>,
}

impl UncoalescedFinder<'_> {
    fn body(&mut self, body: &[Stmt]) {
        for stmt in body {
            walk::each_expr(stmt, &mut |expr| {
                walk::sub_exprs(expr, &mut |part| {
                    if let ExprKind::Load(place) = &part.kind {
                        self.access(place, part.origin);
                    }
                });
            });
            if let StmtKind::Assign(place, _) = &stmt.kind {
                self.access(place, stmt.origin);
            }
            let counter = match &stmt.kind {
                StmtKind::For(this) => Some((this.counter, this.from.clone())),
                _ => None,
            };
            let is_loop = counter.is_some();
            self.starts.extend(counter);
            walk::blocks(stmt, &mut |inner| self.body(inner));
            if is_loop {
                self.starts.pop();
            }
        }
    }

    fn access(&mut self, place: &Place, origin: Origin) {
        /// The bytes of the memory transaction of a device.
        const TRANSACTION: f64 = 32.0;
        let variable = &self.function.variables[place.id.0 as usize];
        let is_global = match variable.home {
            Home::Input | Home::Output | Home::InOut => true,
            Home::Local(memory) => memory == Some(syntax::ast::AddressSpace::Global),
            Home::Pointer { .. } => false,
        };
        let Some(index) = place.index.as_ref().filter(|_| is_global) else {
            return;
        };
        let mut index = index.clone();
        for (counter, from) in self.starts.iter().rev() {
            if from.any_var(&|var| self.ids.contains(&var)) {
                index = index.subst(&|var| (var == *counter).then(|| from.clone()));
            }
        }
        let strides = self.ids.iter().filter_map(|id| linear_form(&index, *id));
        let element = nest::element_bytes(&variable.elem);
        let is_far = |stride: &Nat| match stride.as_const() {
            Some(stride) => (stride.unsigned_abs() as f64) * element > TRANSACTION,
            None => true,
        };
        let mut far = strides.filter(|(stride, _)| is_far(stride));
        let Some((stride, _)) = far.next() else {
            return;
        };
        let kind = HintKind::Uncoalesced {
            array: variable.name.clone(),
            stride,
        };
        let same = |hint: &Hint| match (&hint.kind, &kind) {
            (HintKind::Uncoalesced { array: a, .. }, HintKind::Uncoalesced { array: b, .. }) => {
                a == b
            }
            _ => false,
        };
        if !self.hints.iter().any(same) {
            self.hints.push(Hint { kind, origin });
        }
    }
}
