//! Decides the order of a map and of a reduction in its function.
//!
//! `map(fun(x => reduce(f)(z)(ys(x))))(xs)` computes one result after another. If the elements that
//! it reads one after another are far apart, as those of a column are, all results are accumulated
//! together instead: the reduction becomes the outer loop and the map the inner one, whose reads
//! are next to each other. Each result combines the same values in the same order. (Loop
//! interchange; Lift calls the rule `mapReduceInterchange`.) Where the rows of a matrix are read one
//! after another, a transposed copy of it is made first, if it is used in a loop around.

use rise::Primitive;
use rise::pattern::{MapLoop, Parallelism, Pattern, ReduceLoop};
use rise::types::{Arg, Type, contains_array, has_floats};
use rustc_hash::FxHashMap;
use syntax::ast::Half;

use super::demand::Work;
use super::schedule::Question;
use super::strides::{Binding, Index, Step, Stride, StrideAnalysis};
use super::{Choice, Lowered, Lowering, LoweringError};
use crate::term::{Local, Node, Store, Term};

/// A reduction in the function of a map.
#[derive(Clone, Copy)]
struct Reduction {
    /// The body of the function with `result` in the place of the reduction.
    rest: Term,
    result: Local,
    f: Term,
    initial: Term,
    array: Term,
    /// True if the reduction is evaluated only under a condition.
    is_conditional: bool,
}

/// A map that contains a reduction, whose results may be accumulated together.
struct MapOfReduction {
    /// The parameter of the function of the map.
    param: Local,
    array: Term,
    reduction: Reduction,
    /// The variables that the array needs, with their values, of which later ones may use earlier
    /// ones.
    bound: Vec<(Local, Term)>,
}

/// The order of a map and of a reduction in its function.
enum LoopOrder {
    /// One result is computed after another.
    InOrder,
    /// All results are accumulated together.
    Accumulated,
    /// As `Accumulated`, with the reduction and the array of the map reading transposed copies.
    Packed(Reduction, Term),
}

impl LoopOrder {
    fn choice(&self) -> Choice {
        match self {
            LoopOrder::InOrder => Choice::InOrder,
            LoopOrder::Accumulated => Choice::Accumulated,
            LoopOrder::Packed(..) => Choice::Packed,
        }
    }
}

/// Estimates of the time of a step of a reduction, in quarters of a vector operation.
struct Costs {
    /// The time if all results are accumulated together.
    by_rows: u64,
    /// The time if one result is computed after another.
    by_results: u64,
}

/// Returns the estimated time of a read, in quarters of a vector operation.
fn cost_of_read(stride: Stride, is_vectorised: bool) -> u64 {
    match stride {
        Stride::Zero => 0,
        Stride::Constant(1) if is_vectorised => 1,
        Stride::Constant(distance) => (4 * distance).min(64),
        // The elements that data selects are often in a cache.
        Stride::Data => 24,
        Stride::Large => 64,
    }
}

impl Lowering<'_> {
    /// Returns the program that accumulates all results of a map together, if the function of the
    /// map contains a reduction and this is chosen, by default because it is estimated to be faster;
    /// `None` otherwise.
    pub(super) fn accumulated_rows(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<Option<Term>, LoweringError> {
        let name = self.place_name(param);
        let maps = self.maps_of_reductions(param, body, array)?;
        if maps.is_empty() {
            return Ok(None);
        }
        let (place, given) = self.schedule.visit(Question::Order, name);
        if given == Some(Choice::InOrder) {
            self.schedule.choose(place, Choice::InOrder);
            return Ok(None);
        }
        for map in &maps {
            let Some(order) = self.fastest_order(map)? else {
                continue;
            };
            let choice = order.choice();
            if choice != Choice::InOrder && given.is_none_or(|given| given == choice) {
                self.schedule.choose(place, choice);
                return self.in_order(map, order);
            }
        }
        let Some(given) = given else {
            self.schedule.choose(place, Choice::InOrder);
            return Ok(None);
        };
        for map in &maps {
            let order = match given {
                Choice::Packed => match self.packed(map)? {
                    Some((packed, array)) => LoopOrder::Packed(packed, array),
                    None => continue,
                },
                _ => LoopOrder::Accumulated,
            };
            self.schedule.choose(place, given);
            return self.in_order(map, order);
        }
        Err(self.schedule.impossible(place, given).into())
    }

    /// Returns the reductions in the function of a map, and those that use a number which the
    /// function binds to a variable, such as a mean. For the latter, the numbers of all elements are
    /// stored in an array, with which the array of the map is zipped.
    fn maps_of_reductions(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<Vec<MapOfReduction>, LoweringError> {
        let (mut param, mut body, mut array) = (param, body, array);
        let mut bound = Vec::new();
        let mut maps = Vec::new();
        loop {
            let reductions = self.reductions_in(param, body)?.into_iter();
            maps.extend(reductions.map(|reduction| MapOfReduction {
                param,
                array,
                reduction,
                bound: bound.clone(),
            }));
            let Some(rest) = self.stored_binding(param, body, array, &mut bound)? else {
                return Ok(maps);
            };
            (param, body, array) = rest;
        }
    }

    /// Returns the parameter, the body and the array of a map whose function is that of another map
    /// after the first number that this binds to a variable; the numbers of all elements are stored
    /// in an array, which is added to `bound`. Returns `None` if the function binds no number, or if
    /// no loop follows.
    fn stored_binding(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
        bound: &mut Vec<(Local, Term)>,
    ) -> Result<Option<(Local, Term, Term)>, LoweringError> {
        let Some((local, value, rest)) = self.outermost_binding(param, body)? else {
            return Ok(None);
        };
        if self.work.of(self.store, rest) < Work::LOOP {
            return Ok(None);
        }
        let shared = self.with_variables(array, bound)?;
        let (_, element) = self.parts_of_array(shared)?;
        let number = self.type_arg(value);
        let f = self.store.lambda(param, value);
        let values = self.map(Primitive::Map, None, f, shared)?;
        let values = self.in_memory(values)?;
        let ty = self.store.ty(values);
        let all = self
            .store
            .fresh_local(self.store.local_name(local).clone(), ty);
        bound.push((all, values));
        let all = self.store.var(all);
        let array = self.zipped(shared, all)?;
        let (pair, [first, second]) = self.fresh_pair("p", &element, &number)?;
        let body = (self.store).substitute_all(rest, &[(param, first), (local, second)]);
        Ok(Some((pair, body, array)))
    }

    /// Returns the program that computes the numbers which the function of a map binds to variables
    /// in maps of their own, if reductions in these maps read elements that are far apart, and this
    /// is chosen; `None` otherwise. (Loop fission.) Each of the maps can then be executed by threads
    /// with its reduction as the outer loop.
    pub(super) fn separate_maps(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<Option<Term>, LoweringError> {
        let maps = self.maps_of_reductions(param, body, array)?;
        if maps.iter().all(|map| map.bound.is_empty()) {
            return Ok(None);
        }
        let is_far = |costs: Costs| costs.by_rows < costs.by_results;
        let is_faster = maps.iter().any(|map| {
            let costs = self.costs(map.param, &map.reduction, map.array);
            costs.is_some_and(is_far)
        });
        let name = self.place_name(param);
        let (place, given) = self.schedule.visit(Question::Order, name);
        let default = match is_faster {
            true => Choice::Accumulated,
            false => Choice::InOrder,
        };
        let choice = given.unwrap_or(default);
        if choice == Choice::Packed {
            return Err(self.schedule.impossible(place, choice).into());
        }
        self.schedule.choose(place, choice);
        let mut bound = Vec::new();
        let rest = match choice {
            Choice::Accumulated => self.stored_binding(param, body, array, &mut bound)?,
            _ => None,
        };
        let Some((pair, body, array)) = rest else {
            return Ok(None);
        };
        let f = self.store.lambda(pair, body);
        let program = self.map(Primitive::Map, None, f, array)?;
        self.let_all(&bound, program).map(Some)
    }

    /// Returns the variable, the value and the body of the first binding of a number that depends
    /// on the parameter, in a term that is a value without arrays; the body is the term with the
    /// body of the binding in its place. `None` if there is no binding.
    fn outermost_binding(
        &mut self,
        param: Local,
        term: Term,
    ) -> Result<Option<(Local, Term, Term)>, LoweringError> {
        let is_number = |store: &Store, term| !contains_array(store.type_of(term));
        if !self.store.has_free(term, param) || !is_number(self.store, term) {
            return Ok(None);
        }
        let term = self.head_form(term)?;
        let (head, args) = self.store.spine(term);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(None);
        };
        match (primitive.pattern(), &args[..]) {
            (Pattern::Let, &[value, f]) => {
                let (local, body) = self.parts_of_function(f, "x");
                if self.is_substituted(value, local, body) {
                    let body = self.substitute(body, local, value);
                    return self.outermost_binding(param, body);
                }
                let is_shared = self.store.has_free(value, param) && is_number(self.store, value);
                Ok(is_shared.then_some((local, value, body)))
            }
            (Pattern::Scalar | Pattern::Pair | Pattern::Half(_), _) => {
                for (at, arg) in args.iter().enumerate() {
                    if let Some((local, value, rest)) = self.outermost_binding(param, *arg)? {
                        let mut args = args.clone();
                        args[at] = rest;
                        let rest = self.store.apply_all(head, args);
                        return Ok(Some((local, value, rest)));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Returns true if the results of a reduction in the function of a map would be accumulated
    /// together, and each step changes one of them only.
    pub(super) fn accumulates_one_result(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<bool, LoweringError> {
        for reduction in self.reductions_in(param, body)? {
            let costs = self.costs(param, &reduction, array);
            if costs.is_some_and(|costs| costs.by_rows == 0 && costs.by_results > 0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the array of a reduction with the results of those maps in it stored whose results are
    /// then accumulated together, such as the distances of which the reduction finds the least one, if
    /// this is chosen. The function of the reduction would otherwise compute one after another.
    pub(super) fn with_accumulated_results(&mut self, array: Term) -> Lowered {
        let is_in_view = self.outermost_view().is_some();
        if is_in_view || self.parallelism == Parallelism::WorkItems {
            return Ok(array);
        }
        let term = self.head_form(array)?;
        let (head, args) = self.store.spine(term);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(array);
        };
        match (primitive.pattern(), &args[..]) {
            (Pattern::Zip, &[first, second]) => {
                let parts = [first, second];
                let [a, b] = parts.map(|part| self.with_accumulated_results(part));
                let stored = [a?, b?];
                match stored == parts {
                    true => Ok(array),
                    false => self.zipped(stored[0], stored[1]),
                }
            }
            (Pattern::Map(MapLoop::Computed), &[f, inner]) => {
                let (param, body, elements) = self.fused(f, inner)?;
                match self.is_accumulated(param, body, elements)? {
                    true => self.store(term),
                    false => Ok(array),
                }
            }
            _ => Ok(array),
        }
    }

    /// Returns true if the results of a map are stored because they are then accumulated together.
    fn is_accumulated(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<bool, LoweringError> {
        let maps = self.maps_of_reductions(param, body, array)?;
        if maps.is_empty() {
            return Ok(false);
        }
        let mut is_faster = false;
        for map in &maps {
            let order = self.fastest_order(map)?;
            is_faster |= order.is_some_and(|order| order.choice() != Choice::InOrder);
        }
        let name = self.place_name(param);
        let (place, given) = self.schedule.visit(Question::Memory, name);
        let default = match is_faster {
            true => Choice::Stored,
            false => Choice::Recomputed,
        };
        let choice = given.unwrap_or(default);
        if given.is_some() || is_faster {
            self.schedule.choose(place, choice);
        }
        Ok(choice == Choice::Stored)
    }

    /// Returns the order of a map and of a reduction in its function that is estimated to be the
    /// fastest; `None` if there is no estimate.
    fn fastest_order(&mut self, map: &MapOfReduction) -> Result<Option<LoopOrder>, LoweringError> {
        let Some(costs) = self.costs(map.param, &map.reduction, map.array) else {
            return Ok(None);
        };
        if costs.by_rows < costs.by_results {
            return Ok(Some(LoopOrder::Accumulated));
        }
        let Some((packed, packed_array)) = self.packed(map)? else {
            return Ok(Some(LoopOrder::InOrder));
        };
        let packed_costs = self.costs(map.param, &packed, packed_array);
        Ok(Some(
            match packed_costs.is_some_and(|packed| packed.by_rows < costs.by_results) {
                true => LoopOrder::Packed(packed, packed_array),
                false => LoopOrder::InOrder,
            },
        ))
    }

    /// Returns the program with a map and a reduction in this order; `None` if it is unchanged.
    fn in_order(
        &mut self,
        map: &MapOfReduction,
        order: LoopOrder,
    ) -> Result<Option<Term>, LoweringError> {
        let (reduction, array) = match order {
            LoopOrder::InOrder => return Ok(None),
            LoopOrder::Accumulated => (map.reduction, map.array),
            LoopOrder::Packed(reduction, array) => (reduction, array),
        };
        let program = self.shared_by_rows(map.param, reduction, array)?;
        self.let_all(&map.bound, program).map(Some)
    }

    /// Finds reductions to values without arrays, in a term that is such a value, such that the
    /// array of a reduction, but neither its operator nor its initial value, depends on the
    /// parameter. Those in the branches of `select` are included if the `select` cannot fail.
    fn reductions_in(&mut self, param: Local, term: Term) -> Result<Vec<Reduction>, LoweringError> {
        if !self.store.has_free(term, param) {
            return Ok(Vec::new());
        }
        let term = self.head_form(term)?;
        let (head, args) = self.store.spine(term);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(Vec::new());
        };
        let is_scalar = !contains_array(self.store.type_of(term));
        let is_conditional = match (primitive.pattern(), &args[..]) {
            (Pattern::Reduce(ReduceLoop::Undetermined), &[f, initial, array]) if is_scalar => {
                let is_free = |part| !self.store.has_free(part, param);
                if !is_free(f) || !is_free(initial) || is_free(array) {
                    return Ok(Vec::new());
                }
                let ty = self.store.ty(term);
                let result = self.store.fresh_local("sum", ty);
                let rest = self.store.var(result);
                return Ok(vec![Reduction {
                    rest,
                    result,
                    f,
                    initial,
                    array,
                    is_conditional: false,
                }]);
            }
            (Pattern::Let, &[value, f]) if is_scalar => {
                return self.reductions_in_binding(param, (head, value, f));
            }
            (Pattern::Scalar | Pattern::Pair | Pattern::Half(_), _) if is_scalar => false,
            (Pattern::Select, _) if is_scalar && !self.failures.may_fail(self.store, term) => true,
            _ => return Ok(Vec::new()),
        };
        let mut all = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            for found in self.reductions_in(param, *arg)? {
                let mut args = args.clone();
                args[at] = found.rest;
                let rest = self.store.apply_all(head, args);
                let is_conditional = found.is_conditional || is_conditional && at > 0;
                all.push(Reduction {
                    rest,
                    is_conditional,
                    ..found
                });
            }
        }
        Ok(all)
    }

    /// Finds the reductions in a binding, whose value the body may use.
    fn reductions_in_binding(
        &mut self,
        param: Local,
        (head, value, f): (Term, Term, Term),
    ) -> Result<Vec<Reduction>, LoweringError> {
        let (local, body) = self.parts_of_function(f, "x");
        if self.is_substituted(value, local, body) {
            let body = self.substitute(body, local, value);
            return self.reductions_in(param, body);
        }
        let mut all = self.reductions_in(param, value)?;
        for found in &mut all {
            found.rest = self.store.apply_all(head, [found.rest, f]);
        }
        for found in self.reductions_in(param, body)? {
            let mut parts = [found.f, found.initial, found.array].into_iter();
            if parts.any(|part| self.store.has_free(part, local)) {
                continue;
            }
            let f = self.store.lambda(local, found.rest);
            let rest = self.store.apply_all(head, [value, f]);
            all.push(Reduction { rest, ..found });
        }
        Ok(all)
    }

    /// Returns a reduction that reads transposed copies of the rows that it reads, and the array of
    /// the map, if the copies are made before the loops around. (Lift and TVM call this packing.)
    fn packed(&mut self, map: &MapOfReduction) -> Result<Option<(Reduction, Term)>, LoweringError> {
        let MapOfReduction {
            param,
            array,
            reduction,
            ..
        } = *map;
        let mut packed = reduction;
        let mut packed_array = array;
        let reads_rows = self.store.has_free(reduction.array, param);
        if reads_rows && let Some(copy) = self.packed_array(param, reduction.array, array)? {
            packed_array = copy;
        }
        for row in self.selected_rows(param, reduction.array) {
            let (head, args) = self.store.spine(row);
            if let &[index, rows] = &args[..]
                && let Some(copy) = self.packed_rows(rows)?
            {
                let new = self.store.apply_all(head, [index, copy]);
                packed.array = self.replaced(packed.array, row, new, &mut FxHashMap::default());
            }
        }
        let is_packed = packed_array != array || packed.array != reduction.array;
        Ok(is_packed.then_some((packed, packed_array)))
    }

    /// Returns the array of a map in whose place a reduction reads columns that are consecutive in memory:
    /// a matrix, or those matrices of a zip whose rows the reduction reads by this parameter. `None` if
    /// there is none.
    fn packed_array(
        &mut self,
        param: Local,
        reduced: Term,
        array: Term,
    ) -> Result<Option<Term>, LoweringError> {
        let (head, args) = self.store.spine(array);
        let &[first, second] = &args[..] else {
            return self.packed_rows(array);
        };
        if !matches!(self.store.node(head), Node::Primitive(Primitive::Zip, _)) {
            return self.packed_rows(array);
        }
        let mut parts = [first, second];
        for (part, half) in parts.iter_mut().zip([Half::First, Half::Second]) {
            if self.reads_half(param, half, reduced)
                && let Some(copy) = self.packed_rows(*part)?
            {
                *part = copy;
            }
        }
        match parts == [first, second] {
            true => Ok(None),
            false => self.zipped(parts[0], parts[1]).map(Some),
        }
    }

    /// Returns true if a term contains this component of a variable.
    fn reads_half(&self, param: Local, half: Half, term: Term) -> bool {
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !self.store.has_free(term, param) {
                continue;
            }
            let (head, args) = self.store.spine(term);
            if let (Node::Primitive(primitive, _), &[pair]) = (self.store.node(head), &args[..])
                && primitive.pattern() == Pattern::Half(half)
                && matches!(self.store.node(pair), Node::Var(local) if local == param)
            {
                return true;
            }
            open.extend(self.store.children(term).map(|(_, part)| part));
        }
        false
    }

    /// Returns the parts of a term that select a row of a matrix by an index that depends on the
    /// parameter.
    fn selected_rows(&self, param: Local, all: Term) -> Vec<Term> {
        let mut rows = Vec::new();
        let mut open = vec![all];
        while let Some(term) = open.pop() {
            let is_dependent = matches!(self.store.node(term), Node::DepLambda(..));
            if is_dependent || !self.store.has_free(term, param) {
                continue;
            }
            let (head, args) = self.store.spine(term);
            if let (Node::Primitive(primitive, _), &[index, array]) =
                (self.store.node(head), &args[..])
                && primitive.pattern() == Pattern::Element
                && self.store.has_free(index, param)
                && self
                    .store
                    .free(array)
                    .iter()
                    .all(|local| self.store.has_free(all, *local))
                && !rows.contains(&term)
            {
                rows.push(term);
            }
            open.extend(self.store.children(term).map(|(_, part)| part));
        }
        rows
    }

    /// Returns a matrix whose columns are consecutive in memory, in place of one that is stored by
    /// rows; `None` if the copy would be made more than once.
    fn packed_rows(&mut self, matrix: Term) -> Result<Option<Term>, LoweringError> {
        let Type::Array(length, row) = &**self.store.type_of(matrix) else {
            return Ok(None);
        };
        let Type::Array(width, element) = &**row else {
            return Ok(None);
        };
        if contains_array(element) {
            return Ok(None);
        }
        let sizes = [length, width].map(|size| Arg::Nat(size.clone()));
        let [length, width] = sizes;
        let element = Arg::Type(element.clone());
        let types = [length.clone(), width.clone(), element.clone()];
        let transpose = self.primitive_term(Primitive::Transpose, &types)?;
        let columns = self.store.apply(transpose, matrix);
        let copy = self.in_memory(columns)?;
        if !self.is_hoisted(copy) {
            return Ok(None);
        }
        let back = self.primitive_term(Primitive::Transpose, &[width, length, element])?;
        Ok(Some(self.store.apply(back, copy)))
    }

    /// Returns estimates of the time of both orders for each step of the reduction; `None` if the
    /// results must be computed one after another, or if it is not known what is read.
    fn costs(&mut self, param: Local, reduction: &Reduction, array: Term) -> Option<Costs> {
        /// The cost of an addition that waits for the one before.
        const DEPENDENT_ADDITION: u64 = 16;
        /// The cost of reading and writing an accumulator in memory.
        const ACCUMULATOR: u64 = 2;
        /// The greatest number of operations for each element. Loops with more operations are not
        /// limited by memory.
        const MAX_WORK: u32 = 6;
        /// The greatest number of operations for each result of constant length, up to which C
        /// compilers compute neighbouring results in the lanes of vectors.
        const MAX_WORK_OF_LANES: i64 = 50;
        if self.is_short(reduction.array) || self.is_short(array) {
            return None;
        }
        let work =
            self.work.of(self.store, reduction.f) + self.work.of(self.store, reduction.array);
        if work > MAX_WORK {
            return None;
        }
        let outer = self.scopes.iter().filter_map(|scope| scope.element);
        let part =
            |(local, array), index| (local, Binding::Part(array, vec![Step::Element(index)]));
        let mut bindings: Vec<_> = outer
            .map(|element| part(element, Index::CONSTANT))
            .collect();
        bindings.push(part((param, array), Index::MAP));
        let path = vec![Step::Element(Index::REDUCTION)];
        let reads = StrideAnalysis::of(self.store, bindings, reduction.array, path)?;
        let is_along = |read: &Index| matches!(read.map, Stride::Zero | Stride::Constant(1));
        let most = MAX_WORK_OF_LANES / i64::from(work.max(1));
        if self.has_at_most(most, reduction.array) && reads.iter().all(is_along) {
            return None;
        }
        // C compilers add integers in any order, several at once.
        let is_reordered = !has_floats(self.store.type_of(reduction.initial));
        let waiting = if is_reordered { 0 } else { DEPENDENT_ADDITION };
        let by_results: u64 = reads
            .iter()
            .map(|read| cost_of_read(read.reduction, is_reordered))
            .sum();
        let by_rows: u64 = reads.iter().map(|read| cost_of_read(read.map, true)).sum();
        // All reductions are computed by rows, also those that a condition would leave out.
        let evaluations = if reduction.is_conditional { 2 } else { 1 };
        let by_rows = match is_reordered && self.selects_one_result(param, reduction.array) {
            // One step changes one result: the loop over the results is reduced to it.
            true => 0,
            false => evaluations * (by_rows + ACCUMULATOR),
        };
        Some(Costs {
            by_rows,
            by_results: by_results + waiting,
        })
    }

    /// Returns true if a term contains a `select` whose condition is that two indices are equal, of
    /// which exactly one depends on the parameter, such as the number of a bin of a histogram. Does
    /// not look into a `select` with another condition.
    fn selects_one_result(&self, param: Local, term: Term) -> bool {
        if !self.store.has_free(term, param) {
            return false;
        }
        let (head, args) = self.store.spine(term);
        if let (Node::Primitive(Primitive::Select, _), &[condition, ..]) =
            (self.store.node(head), &args[..])
        {
            let (head, sides) = self.store.spine(condition);
            let is_equality = matches!(self.store.node(head), Node::Primitive(Primitive::Equal, _));
            let is_index = |side: &Term| matches!(**self.store.type_of(*side), Type::Index(_));
            let dependent = sides
                .iter()
                .filter(|side| self.store.has_free(**side, param));
            return is_equality && sides.iter().all(is_index) && dependent.count() == 1;
        }
        let mut parts = self.store.children(term).map(|(_, part)| part);
        parts.any(|part| self.selects_one_result(param, part))
    }

    /// Accumulates all results together. What is computed for the array of the map is bound to
    /// variables if it is used more than once.
    fn shared_by_rows(&mut self, param: Local, reduction: Reduction, array: Term) -> Lowered {
        if !self.store.has_free(reduction.rest, param) {
            return self.by_rows(param, reduction, array);
        }
        let mut bound = Vec::new();
        let array = self.with_variables(array, &mut bound)?;
        let program = self.by_rows(param, reduction, array)?;
        self.let_all(&bound, program)
    }

    /// Returns a program with variables bound to values, of which later ones may use earlier ones.
    fn let_all(&mut self, bound: &[(Local, Term)], program: Term) -> Lowered {
        let mut bound = bound.iter().rev();
        bound.try_fold(program, |program, (local, value)| {
            self.let_in(*value, *local, program)
        })
    }

    /// Replaces the arrays that are zipped and not free to read by variables, which are added to
    /// `bound` with their values.
    fn with_variables(&mut self, array: Term, bound: &mut Vec<(Local, Term)>) -> Lowered {
        if self.work.of(self.store, array) == 0 {
            return Ok(array);
        }
        let (head, args) = self.store.spine(array);
        if let (Node::Primitive(Primitive::Zip, _), &[first, second]) =
            (self.store.node(head), &args[..])
        {
            let first = self.with_variables(first, bound)?;
            let second = self.with_variables(second, bound)?;
            return self.zipped(first, second);
        }
        let ty = self.store.ty(array);
        let local = self.store.fresh_local("row", ty);
        bound.push((local, array));
        Ok(self.store.var(local))
    }

    /// Returns the program that accumulates all results together.
    fn by_rows(
        &mut self,
        param: Local,
        reduction: Reduction,
        array: Term,
    ) -> Result<Term, LoweringError> {
        let Reduction {
            rest,
            result,
            f,
            initial,
            array: reduced,
            is_conditional: _,
        } = reduction;
        let contracted = self.contracted_reduction(f, reduced)?;
        let (f, reduced) = contracted.unwrap_or((f, reduced));
        let (length, element) = self.parts_of_array(array)?;
        let (steps, operand) = self.parts_of_array(reduced)?;
        let sum = self.type_arg(initial);

        // The operands of each step, for all results.
        let operands = self.store.lambda(param, reduced);
        let operands = self.map(Primitive::Map, None, operands, array)?;
        let transpose = [length.clone(), steps.clone(), operand.clone()];
        let transpose = self.primitive_term(Primitive::Transpose, &transpose)?;
        let operands = self.store.apply(transpose, operands);

        // A step: `fun(sums, row => zip(sums)(row) |> map(fun(p => f(p._1)(p._2))))`.
        let sums_ty = self.array_type(&length, &sum)?;
        let row_ty = self.array_type(&length, &operand)?;
        let (sums, row) = {
            let sums = self.store.intern_ty(&sums_ty);
            let row = self.store.intern_ty(&row_ty);
            (
                self.store.fresh_local("sums", sums),
                self.store.fresh_local("row", row),
            )
        };
        let [these, operand_row] = [sums, row].map(|local| self.store.var(local));
        let pairs = self.zipped(these, operand_row)?;
        let (pair, [first, second]) = self.fresh_pair("p", &sum, &operand)?;
        let combined = self.store.apply_all(f, [first, second]);
        let combine = self.store.lambda(pair, combined);
        let step = self.map(Primitive::Map, None, combine, pairs)?;
        let step = self.store.lambda(row, step);
        let step = self.store.lambda(sums, step);

        // The initial values.
        let initial = self.repeated(initial, &length)?;
        let types = [steps, Arg::Type(row_ty), Arg::Type(sums_ty)];
        let reduce = self.primitive_term(Primitive::ReduceSeq, &types)?;
        let sums = self.store.apply_all(reduce, [step, initial, operands]);

        // What is computed from each sum.
        if !self.store.has_free(rest, param) {
            let f = self.store.lambda(result, rest);
            return self.map(Primitive::Map, None, f, sums);
        }
        let pairs = self.zipped(sums, array)?;
        let (pair, [first, second]) = self.fresh_pair("p", &sum, &element)?;
        let rest = self
            .store
            .substitute_all(rest, &[(result, first), (param, second)]);
        let f = self.store.lambda(pair, rest);
        self.map(Primitive::Map, None, f, pairs)
    }
}
