//! What one primitive must keep to, besides access: that the target has it, where it stands, which
//! memory it uses.

use nat::{Nat, Prop};
use rise::core::{Form, Program};
use rise::primitive::OptionalArgument;
use rise::{Address, Arg, Primitive, Type};
use syntax::ast::{AddressSpace, ScalarType};

use super::complaint::{Level, ParameterKind, Problem};
use super::memory::spaces_for;
use super::rows::{TypeParam, prim_of, row};
use super::walk::{Term, Walk};
use crate::phrase::contains_array;
use crate::target::Target;

impl Walk {
    /// Whether the primitive may stand here as it does.
    pub(super) fn check(
        &mut self,
        term: &Term,
        primitive: Primitive,
        types: &[Arg],
        args: &[Term],
        level: Option<Level>,
    ) {
        if !super::targets::has(self.target, primitive) {
            self.complain(term.origin, Problem::NotForTarget { primitive });
        } else if let Some(level) = level {
            self.check_nesting(level);
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

    /// Per dimension the parallel maps are, from the outside in: none, `mapGlobal`,
    /// `mapWorkGroup`, or `mapWorkGroup` and then `mapLocal`. Nothing parallel but `mapLocal` stands
    /// in a `mapLocal`. Threads in threads are allowed, and of no use.
    fn check_nesting(&mut self, inner: Level) {
        use Primitive::{MapLocal, MapPar, MapWorkGroup};
        let mut same = self.nest.iter().copied().filter(|level| {
            level.dimension == inner.dimension
                || (inner.primitive != MapLocal && level.primitive == MapLocal)
        });
        let (first, second) = (same.next(), same.next());
        let outer = match inner.primitive {
            MapPar => self.nest.iter().copied().find(|l| l.primitive == MapPar),
            MapLocal => match (first, second) {
                (
                    Some(Level {
                        primitive: MapWorkGroup,
                        ..
                    }),
                    None,
                ) => return,
                (
                    Some(Level {
                        primitive: MapWorkGroup,
                        ..
                    }),
                    second,
                ) => second,
                (first, _) => first,
            },
            _ => first,
        };
        if outer.is_some() || inner.primitive == MapLocal {
            self.complain(inner.at, Problem::Nesting { inner, outer });
        }
    }

    /// The function of a reduction reads of the accumulator what it writes at the time.
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
            let problem = Problem::Accumulator {
                pattern: primitive,
                read: moved.read,
                result: (body.origin, body.ty.clone()),
            };
            self.complain(f.origin, problem);
        }
    }

    fn check_space(&mut self, term: &Term, primitive: Primitive, types: &[Arg], args: &[Term]) {
        let of_rise = |param: &&TypeParam| matches!(param, TypeParam::OfRise(_));
        let count =
            prim_of(primitive).map_or(0, |prim| row(prim).params.iter().filter(of_rise).count());
        let space = match types.get(count) {
            Some(Arg::Address(space)) => Some(*space),
            _ => None,
        };
        let problem = match (self.target, space) {
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
                spaces: spaces_for(stored(primitive, term, args), &self.nest),
            },
            (Target::OpenCl, Some(Address::Var(_))) => return,
            (Target::OpenCl, Some(Address::Space(space))) => {
                let spaces = spaces_for(stored(primitive, term, args), &self.nest);
                let grouped = |level: &Level| level.primitive == Primitive::MapWorkGroup;
                let reason = match space {
                    AddressSpace::Constant => "it can only be read",
                    AddressSpace::Local if !self.nest.iter().any(grouped) => {
                        "there is no `mapWorkGroup` around it"
                    }
                    _ => return,
                };
                Problem::WrongSpace {
                    primitive,
                    space,
                    reason,
                    spaces,
                }
            }
        };
        self.complain(term.origin, problem);
    }

    /// Compiled code writes its result in the last round of an iteration, so there must be one.
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

    /// Whether the target has values of the type; said once.
    pub(super) fn check_type(&mut self, term: &Term) {
        if self.target != Target::OpenCl && has_half(&term.ty) && !self.said_half() {
            self.complain(term.origin, Problem::NoHalf);
        }
    }

    fn said_half(&self) -> bool {
        let mut complaints = self.complaints.iter();
        complaints.any(|complaint| complaint.problem == Problem::NoHalf)
    }

    /// The same for parameters, which nothing may use, and whether their vectors can be had.
    pub(super) fn check_parameters(&mut self, program: &Program<Primitive>) {
        let no_half = self.target != Target::OpenCl && !self.said_half();
        let mut term = &program.body;
        while let Form::Lambda(_, body) | Form::DepLambda(_, _, body) = &term.form {
            if let Form::Lambda(param, _) = &term.form {
                let half = no_half && has_half(&param.ty);
                let kinds = [
                    half.then_some(ParameterKind::Half),
                    (!self.has_known_lanes(&param.ty)).then_some(ParameterKind::Lanes),
                ];
                for kind in kinds.into_iter().flatten() {
                    let name = param.local.name.clone();
                    self.complain(program.body.origin, Problem::Parameter { name, kind });
                }
            }
            term = body;
        }
    }
}

/// What the primitive keeps in memory.
fn stored<'t>(primitive: Primitive, term: &'t Term, args: &'t [Term]) -> &'t Term {
    use Primitive::{ReduceSeq, ReduceSeqUnroll, ScanSeq, ToMem};
    let stored = match primitive {
        ToMem => args.first(),
        ReduceSeq | ReduceSeqUnroll | ScanSeq => args.get(1),
        _ => None,
    };
    stored.unwrap_or(term)
}

fn has_half(ty: &Type) -> bool {
    match ty {
        Type::Scalar(scalar) => *scalar == ScalarType::F16,
        Type::Array(_, element) | Type::Vector(_, element) => has_half(element),
        Type::Pair(a, b) => has_half(a) || has_half(b),
        _ => false,
    }
}

/// Whether the right side of a definition ends in something that is no function.
pub(super) fn result(term: &Term) -> &Term {
    let mut term = term;
    while let Form::Lambda(_, body) | Form::DepLambda(_, _, body) = &term.form {
        term = body;
    }
    term
}
