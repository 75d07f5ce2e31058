//! Checks of sizes that generated code must know as constants.

use nat::{Nat, Prop};
use rise::pattern::{MapLoop, ReduceLoop, Stream, View};
use rise::types::contains_array;
use rise::{Pattern, Primitive, Type};

use super::access_inference::{AccessInference, Term};
use super::problem::{ParameterKind, ProblemKind};
use crate::target::MAX_STATEMENTS;

/// The greatest number of lanes of a vector.
const MAX_LANES: i64 = 1 << 16;

impl AccessInference {
    /// Checks the sizes of primitives that are unrolled in code, over steps or lanes, and that
    /// `reducePar` has no arrays as elements. Returns the number of copies of the primitive's
    /// function in the code: 1 if the primitive is not unrolled or its size is unknown.
    pub(super) fn check_sizes(&mut self, term: &Term, primitive: Primitive, args: &[Term]) -> u64 {
        match primitive.pattern() {
            Pattern::Map(MapLoop::Unrolled) | Pattern::Reduce(ReduceLoop::Unrolled) => {
                match args.last().map(|xs| &*xs.ty) {
                    Some(Type::Array(n, _)) => return self.written_out(term, primitive, n, n),
                    _ => return 1,
                }
            }
            Pattern::Stream(Stream::Window) => {
                if let Type::Array(_, window) = &*term.ty
                    && let Type::Array(size, _) = &**window
                {
                    // Every value but the last one is moved.
                    self.written_out(term, primitive, size, &Nat::sub(size, &Nat::ONE));
                }
            }
            Pattern::View(View::Vectors) => {
                if let Some(lanes) = lanes(&term.ty) {
                    self.check_lanes(term, primitive, lanes);
                }
            }
            Pattern::Scalar if primitive == Primitive::VectorFromScalar => {
                if let Some(lanes) = lanes(&term.ty) {
                    self.check_lanes(term, primitive, lanes);
                }
            }
            Pattern::Reduce(ReduceLoop::Threads)
                if self.target.has_threads() && contains_array(&term.ty) =>
            {
                self.report(term.origin, ProblemKind::ReducesArrays);
            }
            Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => {}
            Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate => {}
            Pattern::Literal | Pattern::View(_) | Pattern::Zip | Pattern::Concat => {}
            Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan => {}
            Pattern::Iterate | Pattern::Repeat(_) | Pattern::Stream(_) | Pattern::Let => {}
            Pattern::Memory | Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch => {}
        }
        1
    }

    fn written_out(&mut self, term: &Term, primitive: Primitive, size: &Nat, steps: &Nat) -> u64 {
        match self.facts.normalize(steps).as_const() {
            Some(count) => {
                let count = u64::try_from(count).unwrap_or(0).max(1);
                let total = self.copies.saturating_mul(count);
                if total > MAX_STATEMENTS as u64 && self.copies <= MAX_STATEMENTS as u64 {
                    let kind = ProblemKind::WrittenOut { primitive, total };
                    self.report(term.origin, kind);
                }
                count
            }
            // One step needs no loop.
            None if self.facts.proves(&Prop::AtLeast(Nat::ONE, steps.clone())) => 1,
            None => {
                let size = size.clone();
                self.report(term.origin, ProblemKind::UnknownSize { primitive, size });
                1
            }
        }
    }

    fn check_lanes(&mut self, term: &Term, primitive: Primitive, lanes: &Nat) {
        let size = self.facts.normalize(lanes);
        if !known(&size) {
            self.report(term.origin, ProblemKind::UnknownSize { primitive, size });
        }
    }

    /// Returns the reason why generated code cannot have the vectors of a parameter's type: their
    /// number of lanes is no constant up to [`MAX_LANES`]. Returns `None` if there is none.
    pub(super) fn wrong_lanes(&self, ty: &Type) -> Option<ParameterKind> {
        let lanes = self.facts.normalize(lanes(ty)?);
        match lanes.as_const() {
            None => Some(ParameterKind::Lanes),
            Some(_) => (!known(&lanes)).then_some(ParameterKind::ManyLanes),
        }
    }
}

fn known(lanes: &Nat) -> bool {
    lanes.as_const().is_some_and(|count| count <= MAX_LANES)
}

/// Returns the number of lanes of the first vector type in a type, if there is one.
fn lanes(ty: &Type) -> Option<&Nat> {
    match ty {
        Type::Vector(lanes, _) => Some(lanes),
        Type::Array(_, element) => lanes(element),
        Type::Pair(a, b) => lanes(a).or_else(|| lanes(b)),
        _ => None,
    }
}
