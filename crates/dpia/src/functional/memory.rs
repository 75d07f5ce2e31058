//! The possible address spaces of a kernel's memory, and its size in each of them.

use nat::{Nat, Prop};
use rise::core::{Form, Launch, Node, Origin};
use rise::pattern::{MapLoop, ReduceLoop, RepeatLoop, Stream, View};
use rise::types::contains_array;
use rise::{Address, Arg, DataFun, Pattern, Primitive, Ty, Type};
use syntax::ast::{AddressSpace, ScalarType};

use super::access_inference::{AccessInference, Expectation, Owned, Term};
use super::access_table::{TypeParam, access_signature};
use super::nesting::level;
use super::placement::PlacementError;
use super::problem::{ConcurrentWriters, MemorySize, ParallelMap, ProblemKind, SpaceChoice, User};
use super::write_conflicts::WriteDestination;
use crate::prim::Prim;
use crate::target::format_bytes;
use Primitive::MapLocal;

/// The origin of hypothetical memory, for which address spaces are tried.
const TRIAL_ORIGIN: Origin = Origin(u32::MAX);

/// The reason why memory cannot be in an address space.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AllocationError {
    /// A reason other than its size.
    Place(PlacementError),
    /// It is larger than the device's Local memory.
    Large {
        /// The size of the memory in bytes.
        bytes: u64,
    },
}

/// Returns the address space that is given for a primitive, if it is one of the four and no
/// variable.
pub(crate) fn space_of(primitive: Primitive, types: &[Arg]) -> Option<AddressSpace> {
    match address_of(primitive, types) {
        Some(Address::Space(space)) => Some(space),
        _ => None,
    }
}

/// Returns the address space that is given for a primitive, if any; it may be a variable.
pub(crate) fn address_of(primitive: Primitive, types: &[Arg]) -> Option<Address> {
    let of_rise = |param: &&TypeParam| matches!(param, TypeParam::OfRise(_));
    let count = Prim::of_rise(primitive).map_or(0, |prim| {
        access_signature(prim).params.iter().filter(of_rise).count()
    });
    match types.get(count) {
        Some(Arg::Address(space)) => Some(*space),
        _ => None,
    }
}

impl AccessInference {
    /// Returns Private, Local and Global memory as choices for the memory of a primitive at the
    /// current place, possible ones first; none during a trial.
    pub(super) fn spaces_for(
        &mut self,
        ty: &Ty,
        (primitive, types, args): (Primitive, &[Arg], &[Term]),
        reader: Option<&User>,
    ) -> Vec<SpaceChoice> {
        if self.is_trial {
            return Vec::new();
        }
        let mut types: Vec<Arg> = types.to_vec();
        if address_of(primitive, &types).is_some() {
            types.pop();
        }
        let all = [
            AddressSpace::Private,
            AddressSpace::Local,
            AddressSpace::Global,
        ]
        .map(|space| {
            let mut types = types.clone();
            types.push(Arg::Address(Address::Space(space)));
            let form = Form::Primitive(primitive, types.clone().into(), args.into());
            let term = Node::new(form, ty.clone(), TRIAL_ORIGIN);
            SpaceChoice {
                space,
                impossible: self.refused(&term, primitive, space, args, reader),
                size: self.memory_size(primitive, &term, args, space),
            }
        });
        let mut spaces = Vec::from(all);
        spaces.sort_by_key(SpaceChoice::rank);
        spaces
    }

    /// Returns Private, Local and Global memory as choices for storing an expression by `toMem`,
    /// possible ones first; none during a trial.
    pub(super) fn spaces_to_store(&mut self, writer: &Term, reader: &User) -> Vec<SpaceChoice> {
        let types = [Arg::Type(writer.ty.clone())];
        let args = [writer.clone()];
        self.spaces_for(&writer.ty, (Primitive::ToMem, &types, &args), Some(reader))
    }

    /// Returns the first possible address space for the accumulator of a `reduce`; `None` for other
    /// patterns and on targets without work-items.
    pub(super) fn accumulator_space(
        &mut self,
        term: &Term,
        pattern: Primitive,
    ) -> Option<AddressSpace> {
        let Form::Primitive(_, types, args) = &term.form else {
            return None;
        };
        if !self.target.has_work_items() || pattern != Primitive::Reduce {
            return None;
        }
        // The accumulator and the elements have the same type.
        let types = [
            types.first()?.clone(),
            types.get(1)?.clone(),
            types.get(1)?.clone(),
        ];
        let spaces = self.spaces_for(&term.ty, (Primitive::ReduceSeq, &types, args), None);
        let first = spaces.into_iter().find(|space| space.impossible.is_none());
        first.map(|space| space.space)
    }

    /// Returns the text of the reason why memory cannot be in this address space, considering its
    /// place, its size, its reader and its writers; `None` if none is found.
    fn refused(
        &mut self,
        term: &Term,
        primitive: Primitive,
        space: AddressSpace,
        args: &[Term],
        reader: Option<&User>,
    ) -> Option<String> {
        if let Some(allocation_error) = self.allocation_error(primitive, term, args, space) {
            return Some(match allocation_error {
                AllocationError::Place(placement_error) => placement_error.to_string(),
                AllocationError::Large { bytes } => format!(
                    "the value takes {}, and {} has only {}",
                    format_bytes(bytes),
                    self.device.name,
                    format_bytes(self.device.local_memory)
                ),
            });
        }
        if let Some(reason) = out_of_reach(primitive, args, space, reader) {
            return Some(reason);
        }
        // Checks the writes to the memory as if it was allocated there.
        let said = self.problems.len();
        let kept = (self.obligations.len(), self.facts.clone(), self.next_local);
        self.is_trial = true;
        let want = Expectation {
            access: rise::Access::Rd,
            user: User::Result,
            ends: false,
            into: WriteDestination::default(),
            owned: Owned::default(),
        };
        self.value(term, &want);
        self.is_trial = false;
        self.obligations.truncate(kept.0);
        (self.facts, self.next_local) = (kept.1, kept.2);
        let found: Vec<_> = self.problems.drain(said..).collect();
        found.into_iter().find_map(|problem| match problem.kind {
            ProblemKind::WrittenByAll {
                memory, sharers, ..
            } if memory.made_by == Some(TRIAL_ORIGIN) => Some(match sharers {
                ConcurrentWriters::All => {
                    "every work-item would write all of it: no parallel map distributes the writes".into()
                }
                ConcurrentWriters::Group => {
                    "every work-item of a work-group would write all of it: no `mapLocal` distributes the writes".into()
                }
            }),
            _ => None,
        })
    }

    /// Returns the reason why the memory of a primitive cannot be in an address space, as far as it
    /// follows from its place and its size.
    pub(super) fn allocation_error(
        &self,
        primitive: Primitive,
        term: &Term,
        args: &[Term],
        space: AddressSpace,
    ) -> Option<AllocationError> {
        if let Some(placement_error) = self.placement_error(primitive, term, args, space) {
            return Some(AllocationError::Place(placement_error));
        }
        if space != AddressSpace::Local {
            return None;
        }
        let bytes = self.bytes(primitive, term, args, space, &self.launch)?;
        let bytes = u64::try_from(self.facts.normalize(&bytes).as_const()?).ok()?;
        (bytes > self.device.local_memory).then_some(AllocationError::Large { bytes })
    }

    fn memory_size(
        &self,
        primitive: Primitive,
        term: &Term,
        args: &[Term],
        space: AddressSpace,
    ) -> Option<MemorySize> {
        let bytes = self.bytes(primitive, term, args, space, &self.launch)?;
        Some(MemorySize {
            bytes: self.facts.normalize(&bytes),
            of: (space == AddressSpace::Local).then_some(self.device.local_memory),
        })
    }

    /// Returns the size of a primitive's memory in bytes; for Private memory the share of one
    /// work-item. Returns `None` if the size is not known.
    pub(super) fn bytes(
        &self,
        primitive: Primitive,
        term: &Term,
        args: &[Term],
        space: AddressSpace,
        launch: &Launch,
    ) -> Option<Nat> {
        let shared = (space == AddressSpace::Private).then_some(launch);
        match (primitive.pattern(), args) {
            (Pattern::Memory, [writer]) => self.written_bytes(writer, shared),
            (Pattern::Reduce(ReduceLoop::Sequential | ReduceLoop::Unrolled), [_, init, ..]) => {
                self.written_bytes(init, shared)
            }
            (Pattern::Scan, [_, init, ..]) => bytes(&init.ty),
            (Pattern::Iterate, [.., xs]) => Some(&bytes(&xs.ty)? * &Nat::constant(2)),
            (Pattern::Repeat(RepeatLoop::InPlace), [_, init]) => self.written_bytes(init, shared),
            (Pattern::Repeat(_), [.., init]) => Some(&bytes(&init.ty)? * &Nat::constant(2)),
            (Pattern::Stream(stream @ (Stream::Ring | Stream::Window)), _) => {
                let Form::Primitive(_, types, _) = &term.form else {
                    return None;
                };
                let Type::Array(_, window) = &*term.ty else {
                    return None;
                };
                let Type::Array(size, element) = &**window else {
                    return None;
                };
                let room = match (stream, types.get(1)) {
                    (Stream::Ring, Some(Arg::Nat(alloc))) => alloc.clone(),
                    _ => size.clone(),
                };
                Some(&room * &bytes(element)?)
            }
            (Pattern::Scalar | Pattern::Connective | Pattern::Select, _) => bytes(&term.ty),
            (Pattern::Element | Pattern::Half(_) | Pattern::Pair, _) => bytes(&term.ty),
            (Pattern::MapHalf(_) | Pattern::Generate | Pattern::Literal, _) => bytes(&term.ty),
            (Pattern::View(_) | Pattern::Zip | Pattern::Concat, _) => bytes(&term.ty),
            (Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_), _) => bytes(&term.ty),
            (Pattern::Scan | Pattern::Iterate | Pattern::Repeat(_), _) => bytes(&term.ty),
            (Pattern::Stream(_) | Pattern::Let | Pattern::Memory, _) => bytes(&term.ty),
            (Pattern::Kernel, _) => bytes(&term.ty),
            (Pattern::DepPair | Pattern::DepMatch, _) => bytes(&term.ty),
        }
    }

    /// Returns the size in bytes of an expression's result as it is written to memory; with
    /// `shared` launch sizes the share of one work-item. Returns `None` if the size is not known.
    fn written_bytes(&self, term: &Term, shared: Option<&Launch>) -> Option<Nat> {
        let Form::Primitive(primitive, types, args) = &term.form else {
            return bytes(&term.ty);
        };
        match (primitive.pattern(), &args[..]) {
            (
                Pattern::Map(MapLoop::Sequential | MapLoop::Unrolled | MapLoop::Parallel(_)),
                [f, xs],
            ) => {
                let (Form::Lambda(_, body), Type::Array(n, _)) = (&f.form, &*xs.ty) else {
                    return self.share(*primitive, types, term, shared);
                };
                let each = self.written_bytes(body, shared)?;
                Some(&self.share_of(*primitive, types, n, shared)? * &each)
            }
            (Pattern::Zip | Pattern::Pair | Pattern::Concat, [a, b]) => {
                Some(&self.written_bytes(a, shared)? + &self.written_bytes(b, shared)?)
            }
            (Pattern::Let | Pattern::DepMatch, [_, f]) => self.written_bytes(body_of(f), shared),
            (Pattern::View(View::PadEmpty | View::DepJoin), _) => bytes(&term.ty),
            (Pattern::View(_), [.., xs]) if primitive.entry().acceptor.is_some() => {
                self.written_bytes(xs, shared)
            }
            (Pattern::Scalar | Pattern::Connective | Pattern::Select, _) => bytes(&term.ty),
            (Pattern::Element | Pattern::Half(_) | Pattern::Pair, _) => bytes(&term.ty),
            (Pattern::MapHalf(_) | Pattern::Generate | Pattern::Literal, _) => bytes(&term.ty),
            (Pattern::View(_) | Pattern::Zip | Pattern::Concat, _) => bytes(&term.ty),
            (Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_), _) => bytes(&term.ty),
            (Pattern::Scan | Pattern::Iterate | Pattern::Repeat(_), _) => bytes(&term.ty),
            (Pattern::Stream(_) | Pattern::Let | Pattern::Memory, _) => bytes(&term.ty),
            (Pattern::Kernel, _) => bytes(&term.ty),
            (Pattern::DepPair | Pattern::DepMatch, _) => bytes(&term.ty),
        }
    }

    fn share(
        &self,
        primitive: Primitive,
        types: &[Arg],
        term: &Term,
        shared: Option<&Launch>,
    ) -> Option<Nat> {
        match &*term.ty {
            Type::Array(n, element) => {
                Some(&self.share_of(primitive, types, n, shared)? * &bytes(element)?)
            }
            _ => bytes(&term.ty),
        }
    }

    /// Returns the number of a map's elements that one work-item writes: all `n` of them if the map
    /// is not parallel or `shared` is `None`. Returns `None` if the number of work-items is not
    /// given.
    fn share_of(
        &self,
        primitive: Primitive,
        types: &[Arg],
        n: &Nat,
        shared: Option<&Launch>,
    ) -> Option<Nat> {
        let (Some(level), Some(launch)) = (level(primitive, types, TRIAL_ORIGIN), shared) else {
            return Some(n.clone());
        };
        let d = usize::from(level.dimension.min(2));
        let items = match primitive {
            MapLocal => launch.local[d].as_ref(),
            _ => launch.global[d].as_ref(),
        }?;
        let share = Nat::ceil_div(n, items);
        if share.as_const().is_some() {
            return Some(share);
        }
        // There are no more elements than work-items.
        let few = self.facts.proves(&Prop::AtLeast(items.clone(), n.clone()));
        Some(if few {
            Nat::ONE
        } else {
            self.facts.normalize(&share)
        })
    }
}

/// Returns the reason why a pattern that reads other elements than its own cannot read the results
/// of parallel maps in memory of this address space: other work-items or work-groups write them.
fn out_of_reach(
    primitive: Primitive,
    args: &[Term],
    space: AddressSpace,
    reader: Option<&User>,
) -> Option<String> {
    let User::Primitive(reader, _) = reader? else {
        return None;
    };
    let moves = match reader.pattern() {
        // Views that can be written rearrange the elements.
        Pattern::View(_) => reader.entry().acceptor.is_none() && *reader != Primitive::Partition,
        Pattern::Element | Pattern::Scan => true,
        Pattern::Reduce(ReduceLoop::Sequential | ReduceLoop::Unrolled) => true,
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Half(_) => false,
        Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate | Pattern::Literal => false,
        Pattern::Zip | Pattern::Concat | Pattern::Map(_) | Pattern::DepMap(_) => false,
        Pattern::Reduce(_) | Pattern::Iterate | Pattern::Stream(_) | Pattern::Let => false,
        Pattern::Repeat(_) => false,
        Pattern::Memory | Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch => false,
    };
    let inner = inner_levels(primitive, args);
    if !moves || inner.is_empty() {
        return None;
    }
    match space {
        AddressSpace::Private => Some(format!(
            "`{}` reads elements that other work-items keep in their Private memory",
            reader.name()
        )),
        AddressSpace::Global if inner.iter().any(|level| level.primitive != MapLocal) => {
            Some(format!(
                "`{}` reads what other work-groups write, and work-groups cannot wait for each other in one kernel",
                reader.name()
            ))
        }
        _ => None,
    }
}

/// Returns the parallel maps that write the memory of a primitive.
pub(super) fn inner_levels(primitive: Primitive, args: &[Term]) -> Vec<ParallelMap> {
    let mut levels = Vec::new();
    match (primitive.pattern(), args) {
        (Pattern::Memory, [writer]) => parallel_maps(writer, &mut levels),
        (
            Pattern::Reduce(ReduceLoop::Sequential | ReduceLoop::Unrolled) | Pattern::Scan,
            [f, init, ..],
        ) => {
            parallel_maps(init, &mut levels);
            parallel_maps(body_of(f), &mut levels);
        }
        (Pattern::Iterate | Pattern::Stream(Stream::Ring | Stream::Window), [f, ..]) => {
            parallel_maps(body_of(f), &mut levels);
        }
        (Pattern::Repeat(repeat), [.., f, init]) => {
            if repeat == RepeatLoop::InPlace {
                parallel_maps(init, &mut levels);
            }
            parallel_maps(body_of(f), &mut levels);
        }
        (Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element, _) => {}
        (Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate, _) => {}
        (Pattern::Literal | Pattern::View(_) | Pattern::Zip | Pattern::Concat, _) => {}
        (Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan, _) => {}
        (Pattern::Iterate | Pattern::Repeat(_) | Pattern::Stream(_) | Pattern::Let, _) => {}
        (Pattern::Memory | Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch, _) => {}
    }
    levels
}

/// Returns true if an expression is written by a kernel of its own.
pub(super) fn is_kernel(writer: &Term) -> bool {
    let mut term = writer;
    while let Form::Primitive(primitive, _, args) = &term.form {
        term = match (primitive, &args[..]) {
            (Primitive::OclRun, _) => return true,
            (Primitive::Let, [_, f]) => body_of(f),
            (_, [xs]) => xs,
            _ => return false,
        };
    }
    false
}

/// Returns the body of a function under all its parameters.
fn body_of(f: &Term) -> &Term {
    let mut term = f;
    while let Form::Lambda(_, body) | Form::DepLambda(_, _, body) = &term.form {
        term = body;
    }
    term
}

/// Collects the parallel maps that write an expression, outermost first.
pub(super) fn parallel_maps(term: &Term, levels: &mut Vec<ParallelMap>) {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        let Form::Primitive(primitive, types, args) = &term.form else {
            continue;
        };
        match (primitive.pattern(), &args[..]) {
            (Pattern::Map(MapLoop::Computed), [.., xs]) => stack.push(xs),
            (Pattern::Map(_) | Pattern::DepMap(_), [f, ..]) => {
                levels.extend(level(*primitive, types, term.origin));
                stack.push(body_of(f));
            }
            (Pattern::Iterate | Pattern::Repeat(RepeatLoop::Buffers), [f, ..]) => {
                stack.push(body_of(f));
            }
            (Pattern::Repeat(RepeatLoop::InPlace), [f, init]) => {
                stack.extend([init, body_of(f)]);
            }
            (Pattern::Let | Pattern::DepMatch, [_, f]) => stack.push(body_of(f)),
            (Pattern::Zip | Pattern::Pair | Pattern::Concat, [a, b]) => stack.extend([b, a]),
            (Pattern::View(_), [.., xs]) if primitive.entry().acceptor.is_some() => stack.push(xs),
            (Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Element, _) => {}
            (Pattern::Half(_) | Pattern::Pair | Pattern::MapHalf(_) | Pattern::Generate, _) => {}
            (Pattern::Literal | Pattern::View(_) | Pattern::Zip | Pattern::Concat, _) => {}
            (Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan, _) => {}
            (Pattern::Iterate | Pattern::Repeat(_) | Pattern::Stream(_) | Pattern::Let, _) => {}
            (Pattern::Memory | Pattern::Kernel | Pattern::DepPair | Pattern::DepMatch, _) => {}
        }
    }
}

/// Returns true if the result of a map's function contains arrays, which are written by loops.
pub(super) fn is_written_by_loops(map: &Term) -> bool {
    let Form::Primitive(_, _, args) = &map.form else {
        return false;
    };
    args.first()
        .is_some_and(|f| contains_array(&body_of(f).ty) && args.len() > 1)
}

/// Returns the size in bytes of a value of this type, where indices and `natType` take 4 bytes and
/// a tuple the sum of the sizes of its components. Returns `None` for types without a known size.
fn bytes(ty: &Type) -> Option<Nat> {
    match ty {
        Type::Scalar(scalar) => Some(Nat::constant(scalar_bytes(*scalar))),
        Type::Index(_) => Some(Nat::constant(4)),
        Type::Array(n, element) => Some(n * &bytes(element)?),
        // Vectors of 3 have the size of vectors of 4.
        Type::Vector(lanes, lane) if lanes.as_const() == Some(3) => {
            Some(&bytes(lane)? * &Nat::constant(4))
        }
        Type::Vector(lanes, lane) => Some(lanes * &bytes(lane)?),
        Type::Pair(a, b) => Some(&bytes(a)? + &bytes(b)?),
        Type::DepArray(n, DataFun::Lambda(var, row)) => {
            Some(Nat::sum(*var, &Nat::ZERO, n, &bytes(row)?))
        }
        _ => None,
    }
}

fn scalar_bytes(scalar: ScalarType) -> i64 {
    use ScalarType::{Bool, F16, F32, F64, I8, I16, I32, I64, NatType, U8, U16, U32, U64};
    match scalar {
        Bool | I8 | U8 => 1,
        I16 | U16 | F16 => 2,
        I32 | U32 | F32 | NatType => 4,
        I64 | U64 | F64 => 8,
    }
}
