//! Checks of single primitives besides access: availability on the target, nesting, and address
//! spaces.

use nat::{Nat, Prop};
use rise::core::{Form, Program};
use rise::primitive::OptionalArgument;
use rise::{Address, Arg, Primitive, Type};
use syntax::ast::ScalarType;

use super::complaint::{Level, ParameterKind, Problem, User};
use super::memory::{Unfit, address_of};
use super::walk::{Term, Walk};
use crate::phrase::contains_array;
use crate::target::Target;

impl Walk {
    /// Checks the use of a primitive.
    pub(super) fn check(
        &mut self,
        term: &Term,
        primitive: Primitive,
        types: &[Arg],
        args: &[Term],
        level: Option<&mut Level>,
    ) {
        if !super::targets::has(self.target, primitive) {
            self.complain(term.origin, Problem::NotForTarget { primitive });
        } else if let Some(level) = level {
            self.check_nesting(level, args.first());
        }
        if primitive.optional_argument() == Some(OptionalArgument::AddressSpace) {
            self.check_space(term, primitive, types, args);
        }
        if primitive == Primitive::Iterate
            && let Some(Arg::Nat(rounds)) = types.get(2)
        {
            self.check_rounds(term, rounds);
        }
    }

    /// Checks that the function of a reduction can update the accumulator in place.
    pub(super) fn check_accumulator(&mut self, primitive: Primitive, f: &Term) {
        use Primitive::{ReducePar, ReduceSeq, ReduceSeqUnroll, ScanSeq};
        if !matches!(primitive, ReduceSeq | ReduceSeqUnroll | ReducePar | ScanSeq) {
            return;
        }
        let Form::Lambda(first, rest) = &f.form else {
            return;
        };
        let Form::Lambda(second, body) = &rest.form else {
            return;
        };
        let accumulator = match primitive {
            Primitive::ScanSeq => second,
            _ => first,
        };
        if contains_array(&accumulator.ty)
            && let Some(moved) = super::accumulator::moved(&accumulator.local, body, &self.facts)
        {
            let spaces = match self.target {
                Target::OpenCl => self.spaces_to_store(body, &User::Function(primitive, f.origin)),
                Target::C | Target::OpenMp => Vec::new(),
            };
            let problem = Problem::Accumulator {
                pattern: primitive,
                read: moved.read,
                result: (body.origin, body.ty.clone()),
                spaces,
            };
            self.complain(f.origin, problem);
        }
    }

    fn check_space(&mut self, term: &Term, primitive: Primitive, types: &[Arg], args: &[Term]) {
        let problem = match (self.target, address_of(primitive, types)) {
            (Target::C | Target::OpenMp, None) => return,
            (Target::C | Target::OpenMp, Some(space)) => Problem::NoSpaces {
                primitive,
                space: match space {
                    Address::Space(space) => Some(space),
                    Address::Var(_) => None,
                },
            },
            (Target::OpenCl, None) => Problem::WhichSpace {
                primitive,
                spaces: self.spaces_for(&term.ty, (primitive, types, args), None),
            },
            (Target::OpenCl, Some(Address::Var(_))) => return,
            (Target::OpenCl, Some(Address::Space(space))) => {
                let Some(unfit) = self.unfit(primitive, term, args, space) else {
                    return;
                };
                let spaces = self.spaces_for(&term.ty, (primitive, types, args), None);
                match unfit {
                    Unfit::Place(misfit) => Problem::WrongSpace {
                        primitive,
                        space,
                        misfit,
                        spaces,
                    },
                    Unfit::Large { bytes } => Problem::TooLarge {
                        primitive,
                        bytes,
                        limit: self.limit(self.device.local_memory),
                        spaces,
                    },
                }
            }
        };
        self.complain(term.origin, problem);
    }

    /// Requires that `iterate` has at least one round: compiled code writes its result in the last
    /// one.
    fn check_rounds(&mut self, term: &Term, rounds: &Nat) {
        let needed = Prop::AtLeast(rounds.clone(), Nat::ONE);
        if self.facts.proves(&needed) {
            return;
        }
        let mut ours = true;
        needed.for_each_var(&mut |var| ours &= self.params.contains(&var));
        if self.facts.excludes(&needed) {
            self.complain(term.origin, Problem::NoIteration { never: true });
        } else if ours {
            self.facts.assume(&needed);
            self.obligations.push(needed);
        } else {
            self.complain(term.origin, Problem::NoIteration { never: false });
        }
    }

    /// Reports a type that the target lacks, once.
    pub(super) fn check_type(&mut self, term: &Term) {
        if self.target == Target::OpenCl {
            self.check_device_has(&term.ty, term.origin);
        } else if has(&term.ty, ScalarType::F16) && !self.said_half() {
            self.complain(term.origin, Problem::NoHalf);
        }
    }

    fn said_half(&self) -> bool {
        let mut complaints = self.complaints.iter();
        complaints.any(|complaint| complaint.problem == Problem::NoHalf)
    }

    /// Checks parameters, which may be unused, for types that the target lacks and vectors of an
    /// unknown number of lanes.
    pub(super) fn check_parameters(&mut self, program: &Program<Primitive>) {
        let no_half = self.target != Target::OpenCl && !self.said_half();
        let mut term = &program.body;
        while let Form::Lambda(_, body) | Form::DepLambda(_, _, body) = &term.form {
            if let Form::Lambda(param, _) = &term.form {
                let half = no_half && has(&param.ty, ScalarType::F16);
                let kinds = [
                    half.then_some(ParameterKind::Half),
                    (!self.has_known_lanes(&param.ty)).then_some(ParameterKind::Lanes),
                ];
                if self.target == Target::OpenCl {
                    self.check_device_has(&param.ty, program.body.origin);
                }
                for kind in kinds.into_iter().flatten() {
                    let name = param.local.name.clone();
                    self.complain(program.body.origin, Problem::Parameter { name, kind });
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
