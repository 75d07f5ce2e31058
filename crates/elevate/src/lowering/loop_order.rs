//! Decides the order of a map and of a reduction in its function.
//!
//! `map(fun(x => reduce(f)(z)(ys(x))))(xs)` computes one result after another. If the elements that
//! it reads one after another are far apart, as those of a column are, all results are accumulated
//! together instead: the reduction becomes the outer loop and the map the inner one, whose reads
//! are next to each other. Each result combines the same values in the same order. (Loop
//! interchange; Lift calls the rule `mapReduceInterchange`.)

use rise::Primitive;
use rise::pattern::{Pattern, ReduceLoop};
use rise::types::{Arg, contains_array};

use super::strides::{Binding, Index, Step, Stride, StrideAnalysis};
use super::{Lowering, LoweringError};
use crate::term::{Local, Node, Term};

/// A reduction in the function of a map.
struct Reduction {
    /// The body of the function with `result` in the place of the reduction.
    rest: Term,
    result: Local,
    f: Term,
    initial: Term,
    array: Term,
}

/// Returns the estimated time of a read, in quarters of a vector operation.
fn cost_of_read(stride: Stride, is_vectorised: bool) -> u64 {
    match stride {
        Stride::Zero => 0,
        Stride::Constant(1) if is_vectorised => 1,
        Stride::Constant(distance) => (4 * distance).min(64),
        Stride::Large => 64,
    }
}

impl Lowering<'_> {
    /// Returns the program that accumulates all results of a map together, if the function of the
    /// map contains a reduction and this is estimated to be faster; `None` otherwise.
    pub(super) fn accumulated_rows(
        &mut self,
        param: Local,
        body: Term,
        array: Term,
    ) -> Result<Option<Term>, LoweringError> {
        let Some(reduction) = self.reduction_in(param, body)? else {
            return Ok(None);
        };
        if !self.is_faster_by_rows(param, &reduction, array) {
            return Ok(None);
        }
        self.by_rows(param, reduction, array).map(Some)
    }

    /// Finds a reduction to a value without arrays that an evaluation of the term evaluates exactly
    /// once, such that its array, but neither its operator nor its initial value, depends on the
    /// parameter.
    fn reduction_in(
        &mut self,
        param: Local,
        term: Term,
    ) -> Result<Option<Reduction>, LoweringError> {
        if !self.store.has_free(term, param) {
            return Ok(None);
        }
        let term = self.head_form(term)?;
        let (head, args) = self.store.spine(term);
        let Node::Primitive(primitive, _) = self.store.node(head) else {
            return Ok(None);
        };
        let is_scalar = !contains_array(self.store.type_of(term));
        match (primitive.pattern(), &args[..]) {
            (Pattern::Reduce(ReduceLoop::Undetermined), &[f, initial, array]) if is_scalar => {
                let is_free = |part| !self.store.has_free(part, param);
                if !is_free(f) || !is_free(initial) || is_free(array) {
                    return Ok(None);
                }
                let ty = self.store.ty(term);
                let result = self.store.fresh_local("sum", ty);
                let rest = self.store.var(result);
                return Ok(Some(Reduction {
                    rest,
                    result,
                    f,
                    initial,
                    array,
                }));
            }
            (Pattern::Scalar | Pattern::Pair | Pattern::Let | Pattern::Half(_), _) if is_scalar => {
            }
            _ => return Ok(None),
        }
        for (at, arg) in args.iter().enumerate() {
            if self.store.is_function(*arg) {
                continue;
            }
            if let Some(found) = self.reduction_in(param, *arg)? {
                let mut args = args.clone();
                args[at] = found.rest;
                let rest = self.store.apply_all(head, args);
                return Ok(Some(Reduction { rest, ..found }));
            }
        }
        Ok(None)
    }

    /// Returns true if reading by rows is estimated to be faster than computing one result after
    /// another.
    fn is_faster_by_rows(&mut self, param: Local, reduction: &Reduction, array: Term) -> bool {
        /// The cost of an addition that waits for the one before.
        const DEPENDENT_ADDITION: u64 = 16;
        /// The cost of reading and writing an accumulator in memory.
        const ACCUMULATOR: u64 = 2;
        /// The greatest number of operations for each element. Loops with more operations are not
        /// limited by memory.
        const MAX_WORK: u32 = 6;
        if self.is_short(reduction.array) || self.is_short(array) {
            return false;
        }
        let work =
            self.work.of(self.store, reduction.f) + self.work.of(self.store, reduction.array);
        if work > MAX_WORK {
            return false;
        }
        let outer = self.scopes.iter().filter_map(|scope| scope.element);
        let part =
            |(local, array), index| (local, Binding::Part(array, vec![Step::Element(index)]));
        let mut bindings: Vec<_> = outer
            .map(|element| part(element, Index::CONSTANT))
            .collect();
        bindings.push(part((param, array), Index::MAP));
        let path = vec![Step::Element(Index::REDUCTION)];
        let Some(reads) = StrideAnalysis::of(self.store, bindings, reduction.array, path) else {
            return false;
        };
        let by_results: u64 = reads
            .iter()
            .map(|read| cost_of_read(read.reduction, false))
            .sum();
        let by_rows: u64 = reads.iter().map(|read| cost_of_read(read.map, true)).sum();
        by_rows + ACCUMULATOR < by_results + DEPENDENT_ADDITION
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
        } = reduction;
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
