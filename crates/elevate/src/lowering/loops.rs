//! Implements maps and reductions by loops.

use nat::Nat;
use rise::Primitive;
use rise::pattern::{MapLoop, Parallelism, Pattern};
use rise::primitive::DataAccess;
use rise::types::{Arg, Type, contains_array};
use rustc_hash::FxHashSet;

use super::demand::{Demand, Reads};
use super::schedule::{PlaceId, Question};
use super::{Choice, Lowered, Lowering, LoweringError, Repetition, Scope, result_access};
use crate::term::{Local, Node, Term};

/// The largest constant number of iterations of a loop that is unrolled.
const MAX_UNROLLED: i64 = 16;

impl Lowering<'_> {
    /// Lowers a map that is written as a loop, with which the maps before it are fused.
    pub(super) fn written_map(&mut self, f: Term, array: Term) -> Lowered {
        let (param, body, array) = self.fused(f, array)?;
        self.loop_over(param, body, array)
    }

    /// Returns the loop that writes the result of a body for each element of an array.
    pub(super) fn loop_over(&mut self, param: Local, body: Term, array: Term) -> Lowered {
        if self.parallelism == Parallelism::Threads
            && self.is_outermost()
            && let Some(program) = self.separate_maps(param, body, array)?
        {
            return self.write(program);
        }
        let distribution = self.distribution_of(param);
        let given = distribution.and_then(|(_, given)| given);
        let is_distributed = distribution.is_some()
            && match given {
                Some(choice) => choice != Choice::Sequential,
                None => !self.is_scatter(param, body, array)?,
            };
        let by_rows = match self.parallelism {
            Parallelism::Sequential => true,
            Parallelism::Threads => !is_distributed,
            // A work-item has no memory for a row.
            Parallelism::WorkItems => false,
        };
        if by_rows && let Some(program) = self.accumulated_rows(param, body, array)? {
            return self.write(program);
        }
        let body = self.array_form(body)?;
        let inner_dimension = self.dimension.take();
        let has_items = self.parallelism == Parallelism::WorkItems;
        let may_nest = is_distributed
            && has_items
            && given != Some(Choice::Parallel)
            && self.is_written_by_loop(body)?;
        let input = self.read(array, &Demand::of_function(Reads::ONCE, param, body))?;
        let nest = match may_nest {
            true => self.nested_loop(param, body, array)?,
            false => None,
        };
        let choice = match (is_distributed, &nest) {
            (false, _) => Choice::Sequential,
            (true, None) => Choice::Parallel,
            (true, Some(_)) => Choice::Nested,
        };
        if let Some((place, _)) = distribution {
            if given == Some(Choice::Nested) && choice != Choice::Nested {
                return Err(self.schedule.impossible(place, Choice::Nested).into());
            }
            self.schedule.choose(place, choice);
        }
        let dimension = match (&nest, inner_dimension) {
            (Some((_, inner)), _) => Some(inner + 1),
            (None, inner) => inner.or(is_distributed.then_some(0)),
        };
        let lowered = match (nest, inner_dimension) {
            (Some((nest, _)), _) => nest,
            (None, Some(dimension @ 1..)) => self.inner_nest(dimension, param, body, array)?,
            (None, _) if distribution.is_some() && !is_distributed => {
                self.iteration_in_order(param, body, array)?
            }
            (None, _) => {
                let write = |this: &mut Self| this.write(body);
                self.iteration(Repetition::Loop, &[], (param, array), write)?
            }
        };
        let f = self.store.lambda(param, lowered);
        let (primitive, dimension) = match (choice, dimension.filter(|_| has_items)) {
            (_, Some(dimension)) => (Primitive::MapGlobal, Some(dimension)),
            (Choice::Parallel | Choice::Nested, None) => (Primitive::MapPar, None),
            _ => (Primitive::MapSeq, None),
        };
        self.map(primitive, dimension, f, input)
    }

    /// Lowers the body of a loop that is executed in order, and inside of which loops may be
    /// distributed. They are not if work-items would store an array in an iteration.
    fn iteration_in_order(&mut self, param: Local, body: Term, array: Term) -> Lowered {
        let mut iteration = |repetition| {
            self.attempt(|this| {
                this.iteration(repetition, &[], (param, array), |this| this.write(body))
            })
        };
        match iteration(Repetition::InOrder) {
            Err(LoweringError::StoredByWorkItems) => iteration(Repetition::Loop),
            lowered => lowered,
        }
    }

    /// Visits the place of a loop that may be distributed over threads or work-items, and returns
    /// the choice that is given for it. Another loop has no place, as that of the loop around it.
    fn distribution_of(&mut self, param: Local) -> Option<(PlaceId, Option<Choice>)> {
        if self.parallelism == Parallelism::Sequential {
            return None;
        }
        let place = self.place_name(param);
        if self.is_outermost() {
            return Some(self.schedule.visit(Question::Distribution, place));
        }
        let mut scopes = self.scopes.iter();
        let around = scopes.find(|scope| scope.repetition == Repetition::Loop);
        if let Some(around) = around.and_then(|scope| scope.locals.first()) {
            let around = self.store.local_name(*around).clone();
            self.schedule.visit_inner(place.name, &around);
        }
        None
    }

    /// Returns true if each step of a reduction in a map changes one result only, as in a histogram,
    /// so that one thread takes fewer operations than all threads that look at each step.
    fn is_scatter(&mut self, param: Local, body: Term, array: Term) -> Result<bool, LoweringError> {
        match self.parallelism {
            Parallelism::Threads => self.accumulates_one_result(param, body, array),
            // A work-item has no memory for the results.
            Parallelism::Sequential | Parallelism::WorkItems => Ok(false),
        }
    }

    /// Lowers the body of a loop over work-items whose result is written by another such loop, as
    /// far as possible by two, one in the other. Returns the body and the dimension of its loop;
    /// `None` if every work-item of an inner dimension would store or compute the same.
    fn nested_loop(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<Option<(Term, i64)>, LoweringError> {
        for dimension in (0..self.inner_dimensions.unwrap_or(2)).rev() {
            if let Some(nest) = self.loop_with_inner(dimension, param, body, array)? {
                return Ok(Some((nest, dimension)));
            }
        }
        Ok(None)
    }

    /// Lowers the parts of a result, which one kernel writes, such that their outermost loops are
    /// all distributed over the same number of dimensions.
    pub(super) fn in_equal_dimensions(
        &mut self,
        mut lower: impl FnMut(&mut Self) -> Lowered,
    ) -> Lowered {
        let is_decided = self.inner_dimensions.is_some();
        if self.parallelism != Parallelism::WorkItems || is_decided || !self.is_outermost() {
            return lower(self);
        }
        let mut lowered = Err(LoweringError::NotDistributed);
        // Without inner loops, all parts are distributed over one dimension.
        for inner in [2, 1, 0] {
            self.inner_dimensions = Some(inner);
            lowered = self.attempt(|this| {
                let lowered = lower(this)?;
                let mut dimensions = FxHashSet::default();
                this.outer_dimensions(lowered, &mut dimensions);
                match dimensions.len() > 1 {
                    true => Err(LoweringError::NotDistributed),
                    false => Ok(lowered),
                }
            });
            self.inner_dimensions = None;
            if !matches!(lowered, Err(LoweringError::NotDistributed)) {
                break;
            }
        }
        lowered
    }

    /// Collects the dimensions of the outermost loops over work-items that write a result.
    fn outer_dimensions(&self, term: Term, found: &mut FxHashSet<Nat>) {
        let (head, args) = self.store.spine(term);
        match self.store.node(head) {
            Node::Primitive(Primitive::ToMem, _) => {}
            Node::Primitive(Primitive::MapGlobal, types) => {
                if let Some(Arg::Nat(dimension)) = self.store.args(types).last() {
                    found.insert(dimension.clone());
                }
            }
            Node::Lambda(_, body) => self.outer_dimensions(body, found),
            _ => (args.iter()).for_each(|arg| self.outer_dimensions(*arg, found)),
        }
    }

    /// Lowers the body of a loop whose result is written by a loop over work-items of this
    /// dimension, and of the smaller ones inside. Returns `None` if that is not possible, or if
    /// every work-item of the inner dimension would store the same or repeat a loop.
    fn loop_with_inner(
        &mut self,
        dimension: i64,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<Option<Term>, LoweringError> {
        let lowered = self.attempt(|this| {
            this.dimension = Some(dimension);
            let write = |this: &mut Self| this.write(body);
            let lowered = this.iteration(Repetition::Loop, &[], (param, array), write)?;
            let is_unused = this.dimension.take().is_some();
            let is_repeated =
                this.stores_outside_of_inner_loop(lowered) || this.reduces_outside(lowered);
            match is_unused && dimension > 0 || is_repeated {
                true => Err(LoweringError::NotDistributed),
                false => Ok(lowered),
            }
        });
        match lowered {
            Err(LoweringError::NotDistributed) => Ok(None),
            lowered => lowered.map(Some),
        }
    }

    /// Lowers the body of a loop over work-items of a dimension that has smaller ones inside it.
    /// Fails if the body is not written by a loop over enough elements for a dimension.
    fn inner_nest(&mut self, dimension: i64, param: Local, body: Term, array: Term) -> Lowered {
        let nest = match self.is_written_by_loop(body)? && !self.is_short(body) {
            true => self.loop_with_inner(dimension - 1, param, body, array)?,
            false => None,
        };
        nest.ok_or(LoweringError::NotDistributed)
    }

    /// Returns true if an expression contains a `toMem` outside of the functions of `mapGlobal`.
    fn stores_outside_of_inner_loop(&self, term: Term) -> bool {
        let (head, args) = self.store.spine(term);
        match self.store.node(head) {
            Node::Primitive(Primitive::ToMem, _) => return true,
            Node::Primitive(Primitive::MapGlobal, _) => {
                return args[1..]
                    .iter()
                    .any(|arg| self.stores_outside_of_inner_loop(*arg));
            }
            Node::Lambda(_, body) if self.stores_outside_of_inner_loop(body) => return true,
            _ => {}
        }
        args.iter()
            .any(|arg| self.stores_outside_of_inner_loop(*arg))
    }

    /// Returns true if a value that a written expression binds outside of the functions of
    /// `mapGlobal` is computed by a loop, which every work-item of the inner dimension would
    /// execute.
    fn reduces_outside(&self, term: Term) -> bool {
        let (head, args) = self.store.spine(term);
        match (self.store.node(head), &args[..]) {
            (Node::Primitive(Primitive::MapGlobal, _), _) => false,
            (Node::Primitive(Primitive::Let, _), &[value, f]) => {
                self.contains_loop(value) || self.reduces_outside(f)
            }
            (Node::Lambda(_, body), _) => self.reduces_outside(body),
            (Node::Primitive(..), args) => args.iter().any(|arg| self.reduces_outside(*arg)),
            _ => false,
        }
    }

    /// Returns true if the evaluation of a value executes a reduction that is not unrolled.
    fn contains_loop(&self, value: Term) -> bool {
        let (head, args) = self.store.spine(value);
        matches!(
            self.store.node(head),
            Node::Primitive(Primitive::ReduceSeq, _)
        ) || args.iter().any(|arg| self.contains_loop(*arg))
    }

    /// Lowers the body of a loop over an array. `param` is the variable for its elements, `others`
    /// are further parameters of the body.
    pub(super) fn iteration(
        &mut self,
        repetition: Repetition,
        others: &[Local],
        (param, array): (Local, Term),
        lower: impl FnOnce(&mut Self) -> Lowered,
    ) -> Lowered {
        let scope = Scope {
            locals: others.iter().copied().chain([param]).collect(),
            repetition,
            element: Some((param, array)),
            ..Scope::default()
        };
        self.region(scope, lower)
    }

    /// Returns true if the result of a function is its argument with the elements in another order,
    /// so that it can be written through the function. Returns false for the identity, since a map
    /// of it is a copy.
    pub(super) fn rearranges(&mut self, f: Term) -> Result<bool, LoweringError> {
        let (param, body) = self.parts_of_function(f, "x");
        let mut here = self.head_form(body)?;
        if self.store.node(here) == Node::Var(param) {
            return Ok(false);
        }
        loop {
            let (head, args) = self.store.spine(here);
            let Node::Primitive(primitive, _) = self.store.node(head) else {
                return Ok(self.store.node(here) == Node::Var(param));
            };
            here = match (primitive.pattern(), &args[..]) {
                (Pattern::View(_), &[.., array])
                    if result_access(primitive) == DataAccess::Shared =>
                {
                    array
                }
                (Pattern::Map(MapLoop::Computed), &[f, array]) if self.rearranges(f)? => array,
                _ => return Ok(false),
            };
            here = self.head_form(here)?;
        }
    }

    /// Returns true if a pattern other than a copy writes the elements of an array, perhaps
    /// rearranged.
    pub(super) fn has_writer(&mut self, array: Term) -> Result<bool, LoweringError> {
        let array = self.head_form(array)?;
        let (head, args) = self.store.spine(array);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(false);
        };
        match (primitive.pattern(), &args[..]) {
            (Pattern::Generate, _) => Ok(true),
            (Pattern::View(_), &[.., array]) if result_access(primitive) == DataAccess::Shared => {
                self.has_writer(array)
            }
            (Pattern::Map(MapLoop::Computed), &[f, array]) if self.rearranges(f)? => {
                self.has_writer(array)
            }
            _ => Ok(result_access(primitive) != DataAccess::Read),
        }
    }

    /// Returns true if a loop writes the result of a body, perhaps rearranged.
    pub(super) fn is_written_by_loop(&mut self, body: Term) -> Result<bool, LoweringError> {
        let body = self.head_form(body)?;
        let is_array = matches!(**self.store.type_of(body), Type::Array(..));
        let (head, args) = self.store.spine(body);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(is_array);
        };
        Ok(match (primitive.pattern(), &args[..]) {
            (Pattern::Map(MapLoop::Computed) | Pattern::Generate, _) => true,
            (Pattern::Concat, &[first, second]) => {
                self.is_written_by_loop(first)? && self.is_written_by_loop(second)?
            }
            (Pattern::Let, &[_, f]) => {
                let (_, body) = self.parts_of_function(f, "x");
                self.is_written_by_loop(body)?
            }
            (Pattern::View(_), &[.., array]) if result_access(primitive) == DataAccess::Shared => {
                self.is_written_by_loop(array)?
            }
            (Pattern::Reduce(_), _) => false,
            _ => is_array && result_access(primitive) == DataAccess::Read,
        })
    }

    /// Lowers a reduction whose implementation is open, as a sequential loop. The maps before it
    /// become part of it.
    pub(super) fn reduction(&mut self, f: Term, initial: Term, array: Term) -> Lowered {
        let array = self.with_accumulated_results(array)?;
        let contracted = self.contracted_reduction(f, array)?;
        let (f, array) = contracted.unwrap_or((f, array));
        let (accumulator, combine) = self.parts_of_function(f, "acc");
        let (element, combined) = self.parts_of_function(combine, "x");
        let basic = !contains_array(self.store.type_of(initial));
        let combine = self.store.lambda(element, combined);
        let (element, combined, array) = self.fused(combine, array)?;
        let unrolling = match basic {
            true => self.unrolling(element, array),
            false => Choice::Rolled,
        };
        let initial = match basic {
            true => self.read(initial, &Demand::of(Reads::ONCE))?,
            false => self.by_one_thread(|this| this.write(initial))?,
        };
        let demand = Demand::of_function(Reads::ONCE, element, combined);
        let input = self.read(array, &demand)?;
        let write = |this: &mut Self| this.write(combined);
        let body = self.iteration(Repetition::Loop, &[accumulator], (element, array), write)?;
        let f = self.store.lambda(element, body);
        let f = self.store.lambda(accumulator, f);
        let (length, operand) = self.parts_of_array(input)?;
        let result = self.type_arg(initial);
        let primitive = match unrolling == Choice::Unrolled {
            true => Primitive::ReduceSeqUnroll,
            false => Primitive::ReduceSeq,
        };
        let reduce = self.primitive_term(primitive, &[length, operand, result])?;
        Ok(self.store.apply_all(reduce, [f, initial, input]))
    }

    /// Chooses if a reduction of an array is unrolled. This is a choice if its length is constant.
    fn unrolling(&mut self, element: Local, array: Term) -> Choice {
        let is_constant = match &**self.store.type_of(array) {
            Type::Array(length, _) => length.as_const().is_some(),
            _ => false,
        };
        if !is_constant {
            return Choice::Rolled;
        }
        let name = self.place_name(element);
        let (place, given) = self.schedule.visit(Question::Unrolling, name);
        let limit = match self.parallelism == Parallelism::WorkItems {
            // A work-item has no memory that it could address by the index of the loop.
            true => 2 * MAX_UNROLLED,
            // GCC computes a vector lane by lane, also in the loops before, if its lanes are used
            // one by one.
            false if self.has_lanes(array) => 0,
            false => MAX_UNROLLED,
        };
        let choice = given.unwrap_or(match self.has_at_most(limit, array) {
            true => Choice::Unrolled,
            false => Choice::Rolled,
        });
        self.schedule.choose(place, choice);
        choice
    }

    /// Returns true if the elements of an array are the lanes of vectors.
    fn has_lanes(&self, array: Term) -> bool {
        let (head, _) = self.store.spine(array);
        matches!(
            self.store.node(head),
            Node::Primitive(Primitive::AsScalar, _)
        )
    }

    /// Returns true if an array has so few elements that a loop over them is unrolled.
    pub(super) fn is_short(&self, array: Term) -> bool {
        self.has_at_most(MAX_UNROLLED, array)
    }

    /// Returns true if the length of an array is a constant up to `limit`.
    pub(super) fn has_at_most(&self, limit: i64, array: Term) -> bool {
        match &**self.store.type_of(array) {
            Type::Array(length, _) => length.as_const().is_some_and(|n| n <= limit),
            _ => false,
        }
    }
}
