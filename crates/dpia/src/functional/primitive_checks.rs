//! Checks of single primitives and parameters besides access: availability on the target, nesting,
//! address spaces, accumulators, numbers of iterations, and types that the target lacks.

use nat::{Nat, Prop};
use rise::core::{Form, Program};
use rise::pattern::{ReduceLoop, RepeatLoop};
use rise::primitive::OptionalArgument;
use rise::types::contains_array;
use rise::{Address, Arg, Pattern, Primitive, Type};
use syntax::ast::ScalarType;

use super::access_inference::{AccessInference, Term};
use super::memory::{AllocationError, address_of};
use super::problem::{ParallelMap, ParameterKind, ProblemKind, User};

impl AccessInference {
    /// Checks that the target has a primitive, its nesting, its address space, and the number of
    /// iterations of `iterate`.
    pub(super) fn check(
        &mut self,
        term: &Term,
        primitive: Primitive,
        types: &[Arg],
        args: &[Term],
        level: Option<&mut ParallelMap>,
    ) {
        if !self.target.provides(primitive.requirement()) {
            self.report(term.origin, ProblemKind::NotForTarget { primitive });
        } else if let Some(level) = level {
            self.check_nesting(level, args.first());
        }
        if primitive.optional_argument() == Some(OptionalArgument::AddressSpace) {
            self.check_space(term, primitive, types, args);
        }
        let rounds = match primitive {
            Primitive::Iterate => types.get(2),
            Primitive::Repeat => types.first(),
            _ => None,
        };
        if let Some(Arg::Nat(rounds)) = rounds {
            self.check_rounds(term, primitive, rounds);
        }
    }

    /// Checks that the function of a reduction can update the accumulator in place.
    pub(super) fn check_accumulator(&mut self, primitive: Primitive, f: &Term) {
        let is_scan = match primitive.pattern() {
            Pattern::Reduce(ReduceLoop::Undetermined) => return,
            Pattern::Reduce(_) | Pattern::Repeat(RepeatLoop::InPlace) => false,
            Pattern::Scan => true,
            Pattern::Repeat(_) => return,
            Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element => return,
            Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate => return,
            Pattern::Literal | Pattern::View(_) | Pattern::Zip | Pattern::Concat => return,
            Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Iterate | Pattern::Stream(_) => return,
            Pattern::Let | Pattern::Memory | Pattern::Kernel | Pattern::DepPair => return,
            Pattern::DepMatch => return,
        };
        let Form::Lambda(first, rest) = &f.form else {
            return;
        };
        let (accumulator, body) = match (&rest.form, primitive) {
            (_, Primitive::RepeatInPlace) => (first, rest),
            (Form::Lambda(second, body), _) => (if is_scan { second } else { first }, body),
            _ => return,
        };
        if contains_array(&accumulator.ty)
            && let Some(moved) =
                super::accumulator::misplaced_read(&accumulator.local, body, &self.facts)
        {
            let spaces = match self.target.has_work_items() {
                true => self.spaces_to_store(body, &User::Function(primitive, f.origin)),
                false => Vec::new(),
            };
            let kind = ProblemKind::Accumulator {
                pattern: primitive,
                read: moved.read,
                result: (body.origin, body.ty.clone()),
                spaces,
            };
            self.report(f.origin, kind);
        }
    }

    fn check_space(&mut self, term: &Term, primitive: Primitive, types: &[Arg], args: &[Term]) {
        let kind = match (self.target.has_work_items(), address_of(primitive, types)) {
            (false, None) => return,
            (false, Some(space)) => ProblemKind::NoSpaces {
                primitive,
                space: match space {
                    Address::Space(space) => Some(space),
                    Address::Var(_) => None,
                },
            },
            (true, None) => ProblemKind::WhichSpace {
                primitive,
                spaces: self.spaces_for(&term.ty, (primitive, types, args), None),
            },
            (true, Some(Address::Var(_))) => return,
            (true, Some(Address::Space(space))) => {
                let Some(allocation_error) = self.allocation_error(primitive, term, args, space)
                else {
                    return;
                };
                let spaces = self.spaces_for(&term.ty, (primitive, types, args), None);
                match allocation_error {
                    AllocationError::Place(placement_error) => ProblemKind::WrongSpace {
                        primitive,
                        space,
                        placement_error,
                        spaces,
                    },
                    AllocationError::Large { bytes } => ProblemKind::TooLarge {
                        primitive,
                        bytes,
                        limit: self.limit(self.device.local_memory),
                        spaces,
                    },
                }
            }
        };
        self.report(term.origin, kind);
    }

    /// Requires that `iterate` or `repeat` has at least one iteration: compiled code writes its result in the
    /// last one. If that is neither proved nor refuted, it becomes an obligation if it depends only
    /// on size parameters of the program, and a problem otherwise.
    fn check_rounds(&mut self, term: &Term, pattern: Primitive, rounds: &Nat) {
        let needed = Prop::AtLeast(rounds.clone(), Nat::ONE);
        if self.facts.proves(&needed) {
            return;
        }
        let mut ours = true;
        needed.for_each_var(&mut |var| ours &= self.params.contains(&var));
        if self.facts.excludes(&needed) {
            let never = true;
            self.report(term.origin, ProblemKind::NoIteration { pattern, never });
        } else if ours {
            self.facts.assume(&needed);
            self.obligations.push(needed);
        } else {
            let never = false;
            self.report(term.origin, ProblemKind::NoIteration { pattern, never });
        }
    }

    /// Reports number types in the type of an expression that the target or its device lacks, each
    /// once for a program.
    pub(super) fn check_type(&mut self, term: &Term) {
        if self.target.has_work_items() {
            self.check_device_has(&term.ty, term.origin);
        }
        let lacks_half = !self.target.half_floats && has(&term.ty, ScalarType::F16);
        if lacks_half && !self.has_half_problem() {
            self.report(term.origin, ProblemKind::NoHalf);
        }
    }

    fn has_half_problem(&self) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|problem| problem.kind == ProblemKind::NoHalf)
    }

    /// Checks parameters, which may be unused, for types that the target or its device lacks and
    /// for vectors of an unknown number of lanes.
    pub(super) fn check_parameters(&mut self, program: &Program<Primitive>) {
        let no_half = !self.target.half_floats && !self.has_half_problem();
        let mut term = &program.body;
        while let Form::Lambda(_, body) | Form::DepLambda(_, _, body) = &term.form {
            if let Form::Lambda(param, _) = &term.form {
                let half = no_half && has(&param.ty, ScalarType::F16);
                let kinds = [
                    half.then_some(ParameterKind::Half),
                    self.wrong_lanes(&param.ty),
                ];
                if self.target.has_work_items() {
                    self.check_device_has(&param.ty, program.body.origin);
                }
                for kind in kinds.into_iter().flatten() {
                    let name = param.local.name.clone();
                    self.report(program.body.origin, ProblemKind::Parameter { name, kind });
                }
            }
            term = body;
        }
    }
}

/// Returns true if values of the type contain numbers of this scalar type.
pub(super) fn has(ty: &Type, scalar: ScalarType) -> bool {
    match ty {
        Type::Scalar(other) => *other == scalar,
        Type::Array(_, element) | Type::Vector(_, element) => has(element, scalar),
        Type::Pair(a, b) => has(a, scalar) || has(b, scalar),
        _ => false,
    }
}

/// Returns the body of a definition under its parameters.
pub(super) fn result(term: &Term) -> &Term {
    let mut term = term;
    while let Form::Lambda(_, body) | Form::DepLambda(_, _, body) = &term.form {
        term = body;
    }
    term
}
