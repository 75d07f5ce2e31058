//! The problems of a program that keep it from being compiled, and hints about the generated code,
//! before they become diagnostics.

use nat::Nat;
use rise::core::Origin;
use rise::{Primitive, Ty};
use syntax::Severity;
use syntax::ast::{AddressSpace, Kind, Name, ScalarType};

pub use super::placement::PlacementError;
pub use super::scatter::Misplaced;
pub use super::write_conflicts::{DistributableLoop, Memory};

/// A reason why a program cannot be compiled for a target, or a hint about the generated code.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The origin of the expression that has to change.
    pub at: Origin,
    /// The problem of the expression.
    pub kind: ProblemKind,
    /// The enclosing parallel maps, outermost first.
    pub nest: Vec<ParallelMap>,
}

/// The kinds of problems.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemKind {
    /// An expression of access `Wr` is read without memory.
    MissingMemory {
        /// The reader of the expression.
        reader: User,
        /// The primitive that writes the expression, if it is one.
        writer: Option<Primitive>,
        /// The address spaces for its memory, with the reason against those that are impossible;
        /// for OpenCL.
        spaces: Vec<SpaceChoice>,
    },
    /// A pattern reads all elements of stored memory, of which `padEmpty` leaves some unwritten.
    LeftOut {
        /// The pattern that reads the memory.
        reader: User,
    },
    /// An array of access `Rd` is used where it has to be written.
    MissingCopy {
        /// The user that has to write it.
        wanted: User,
        /// The type of the array.
        data: Ty,
    },
    /// A high-level pattern is used where an implementation must be chosen.
    MissingChoice {
        /// The pattern, `map` or `reduce`.
        pattern: Primitive,
        /// The expression that has to be copied instead, if another pattern would not help.
        copied: Option<(Origin, Ty)>,
        /// The number of elements, if it is known.
        count: Option<i64>,
        /// True if the result of the pattern's function is written by loops.
        loops: bool,
        /// The chains of nested parallel maps in the pattern's function.
        inside: Vec<Vec<ParallelMap>>,
        /// The address space for the accumulator of a reduction; for OpenCL.
        space: Option<AddressSpace>,
    },
    /// `mapFst` or `mapSnd` has a function that computes, and its result has to be written.
    Computes {
        /// The pattern, `mapFst` or `mapSnd`.
        pattern: Primitive,
    },
    /// A stream is used as an array.
    StreamRead {
        /// The user of the stream.
        reader: User,
        /// The type of the stream's data.
        data: Ty,
        /// True if the result of the user is written, so that the stream would end there.
        ends: bool,
    },
    /// A primitive is used that the target lacks.
    NotForTarget {
        /// The primitive.
        primitive: Primitive,
    },
    /// An address space is given for a target that has none.
    NoSpaces {
        /// The primitive with the address space.
        primitive: Primitive,
        /// The address space, if it is one of the four.
        space: Option<AddressSpace>,
    },
    /// The memory of a kernel has no address space.
    WhichSpace {
        /// The primitive that allocates the memory.
        primitive: Primitive,
        /// The possible address spaces, with the reason against the others.
        spaces: Vec<SpaceChoice>,
    },
    /// Memory is in an address space that is impossible there.
    WrongSpace {
        /// The primitive that allocates the memory.
        primitive: Primitive,
        /// The written address space.
        space: AddressSpace,
        /// The reason why it is impossible.
        placement_error: PlacementError,
        /// The possible address spaces, with the reason against the others.
        spaces: Vec<SpaceChoice>,
    },
    /// Memory is larger than the device's Local memory.
    TooLarge {
        /// The primitive that allocates the memory.
        primitive: Primitive,
        /// The size of the memory in bytes.
        bytes: u64,
        /// The size of the device's Local memory.
        limit: DeviceLimit,
        /// The possible address spaces, with the reason against the others.
        spaces: Vec<SpaceChoice>,
    },
    /// Memory is written by more than one work-item.
    WrittenByAll {
        /// The memory that is written.
        memory: Memory,
        /// The dimension in which there are several work-items.
        dimension: u8,
        /// The work-items that write it.
        sharers: ConcurrentWriters,
        /// The number of work-items in that dimension, if it is given.
        size: Option<Nat>,
        /// A loop that could be distributed over them.
        instead: Option<DistributableLoop>,
        /// An enclosing `mapWorkGroup` that could distribute its parts over single work-items.
        group: Option<ParallelMap>,
    },
    /// No map is over the first dimension, in which several work-items are launched.
    SkipsFirst {
        /// The maps of the kernel.
        maps: Vec<ParallelMap>,
        /// The number of work-items in the first dimension, if it is given.
        size: Option<Nat>,
        /// True if the other dimensions have one work-item, as far as their sizes are given.
        others_are_one: bool,
    },
    /// Memory is written outside of all kernels, in a program with explicit kernels.
    OutsideKernels,
    /// `@opencl` has launch sizes, but `oclRun` determines the launch.
    NoEffect,
    /// A kernel is inside a map or another loop, or inside another kernel.
    KernelInside {
        /// The outermost enclosing parallel map, if there is one.
        outer: Option<ParallelMap>,
        /// The innermost enclosing pattern whose function may repeat the kernel, if there is one.
        /// If there is no map either, the kernel is inside another kernel.
        again: Option<(Primitive, Origin)>,
    },
    /// Launch sizes contradict each other, or exceed the limits of the device.
    Launch {
        /// The `oclRun` that has the sizes, or `None` for `@opencl`.
        kernel: Option<Origin>,
        /// The problem of the sizes.
        wrong: LaunchError,
    },
    /// A type is used that the device lacks.
    NotOnDevice {
        /// The scalar type, `f64` or `f16`.
        scalar: ScalarType,
        /// The name of the device.
        device: Box<str>,
    },
    /// The type `f16` is used, and the target has no 16-bit floats.
    NoHalf,
    /// The number of steps or lanes that are unrolled in the code is unknown.
    UnknownSize {
        /// The primitive that is unrolled.
        primitive: Primitive,
        /// The number of steps or lanes.
        size: Nat,
    },
    /// Too many steps are unrolled.
    WrittenOut {
        /// The primitive that is unrolled.
        primitive: Primitive,
        /// The number of copies, including those of the enclosing unrolled loops.
        total: u64,
    },
    /// `reducePar` is used with arrays as elements.
    ReducesArrays,
    /// A scan of arrays is copied by several work-items.
    ScansArrays {
        /// The work-items that copy it.
        sharers: ConcurrentWriters,
    },
    /// A parallel map is nested wrongly.
    Nesting {
        /// The inner map.
        inner: ParallelMap,
        /// The map that may not contain it; `None` if it requires an enclosing map.
        outer: Option<ParallelMap>,
        /// The chains of parallel maps inside it.
        inside: Vec<Vec<ParallelMap>>,
    },
    /// `iterate` or `repeat` possibly has no iterations.
    NoIteration {
        /// The primitive.
        pattern: Primitive,
        /// True if it certainly has none.
        never: bool,
    },
    /// The function of a reduction reads the accumulator where it has been overwritten.
    Accumulator {
        /// The reduction.
        pattern: Primitive,
        /// The origin of the read.
        read: Origin,
        /// The origin and the type of the function's result.
        result: (Origin, Ty),
        /// The address spaces for the result, with the reason against those that are impossible;
        /// for OpenCL.
        spaces: Vec<SpaceChoice>,
    },
    /// The elements of a `scatter` are written in another order than their own, although its
    /// indices may repeat; an error unless they are stored first.
    ScatterOrder {
        /// True if the elements are stored and copied in order.
        is_kept: bool,
        /// The expression that changes the order.
        by: Misplaced,
        /// True if the elements can instead be stored in memory and copied in order.
        could_store: bool,
    },
    /// The elements of a `map` are computed more than once.
    Recomputed {
        /// The reason for it.
        reader: RecomputationCause,
    },
    /// A parameter has a kind or type that generated functions cannot have.
    Parameter {
        /// The name of the parameter.
        name: Name,
        /// The reason why generated functions cannot have the parameter.
        kind: ParameterKind,
    },
    /// A parameter that is updated in place is read where it may be overwritten already.
    ReadAfterUpdate {
        /// The name of the parameter.
        name: Name,
        /// The expression that is the new value.
        write: Option<Origin>,
    },
    /// Generated functions cannot return a result of this type.
    NoResult,
}

/// The reason why generated functions cannot have a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// The parameter is a function.
    Function,
    /// The parameter contains a tuple with arrays.
    Arrays,
    /// The parameter is a dependent pair.
    DepPair,
    /// The parameter contains vectors of an unknown number of lanes.
    Lanes,
    /// The parameter contains vectors of more lanes than generated code supports.
    ManyLanes,
    /// The parameter contains numbers of type `f16`, which the target does not have.
    Half,
    /// The parameter is a type, an address space or a function on sizes.
    TypeLevel(Kind),
}

/// The user of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum User {
    /// The definition, whose result is the value.
    Result,
    /// A primitive with the value as an argument.
    Primitive(Primitive, Origin),
    /// A primitive with a function whose result is the value.
    Function(Primitive, Origin),
    /// A C function with the value as an argument.
    Foreign(Name, Origin),
}

impl User {
    /// Returns the origin of the user; `None` for the definition.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            User::Result => None,
            User::Primitive(_, origin) | User::Function(_, origin) | User::Foreign(_, origin) => {
                Some(*origin)
            }
        }
    }
}

/// The reason why elements are read more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecomputationCause {
    /// Overlapping windows.
    Windows(Origin),
    /// A loop that the elements do not depend on.
    Loop(Primitive, Origin),
    /// A name that is used more than once, with the origin of its second use.
    Name(Origin),
}

impl RecomputationCause {
    /// Returns the origin of the reason.
    pub fn origin(self) -> Origin {
        match self {
            RecomputationCause::Windows(origin)
            | RecomputationCause::Loop(_, origin)
            | RecomputationCause::Name(origin) => origin,
        }
    }
}

/// A parallel map around an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelMap {
    /// The map.
    pub primitive: Primitive,
    /// Its dimension: 0, 1 or 2.
    pub dimension: u8,
    /// The origin of the map.
    pub at: Origin,
    /// True if its nesting is wrong, which has been reported.
    pub wrong: bool,
}

/// An address space as a choice for some memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceChoice {
    /// The address space.
    pub space: AddressSpace,
    /// The reason why it is impossible, if it is.
    pub impossible: Option<String>,
    /// The size of the memory, if it is known.
    pub size: Option<MemorySize>,
}

impl SpaceChoice {
    /// Returns the key by which the offered address spaces, given with smaller scopes first, are
    /// sorted stably: possible ones come first, and among these Private memory that does not fit
    /// into registers comes last.
    pub(super) fn rank(&self) -> (bool, bool) {
        let room = self.size.as_ref().and_then(|room| room.bytes.as_const());
        let spills = room.is_some_and(|bytes| bytes > MAX_REGISTER_BYTES);
        (
            self.impossible.is_some(),
            self.space == AddressSpace::Private && spills,
        )
    }
}

/// The number of bytes of registers that one work-item has; devices have 128 to 256 registers of 4
/// bytes for each work-item.
const MAX_REGISTER_BYTES: i64 = 1024;

/// The size of some memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemorySize {
    /// The size in bytes.
    pub bytes: Nat,
    /// The size in bytes of the device's memory of that kind; `None` except for Local memory.
    pub of: Option<u64>,
}

/// A limit of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLimit {
    /// The name of the device.
    pub device: Box<str>,
    /// The greatest size or number.
    pub most: u64,
}

/// The work-items that write the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConcurrentWriters {
    /// All that are launched.
    All,
    /// The work-items of a work-group.
    Group,
}

/// The reason why the sizes of a launch are invalid.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchError {
    /// A global size is no multiple of the local size.
    Remainder {
        /// The dimension.
        dimension: u8,
        /// The local size.
        local: Nat,
        /// The global size.
        global: Nat,
    },
    /// A local or global size is 0.
    Nothing {
        /// The dimension.
        dimension: u8,
        /// True if it is the global size.
        global: bool,
    },
    /// A work-group has more work-items than the device supports.
    LargeGroup {
        /// The dimension, or `None` for all dimensions together.
        dimension: Option<u8>,
        /// The number of work-items.
        items: Nat,
        /// The limit of the device.
        limit: DeviceLimit,
    },
}

impl Problem {
    /// Returns the primitive that the problem is about, if it is about one.
    pub fn primitive(&self) -> Option<Primitive> {
        match &self.kind {
            ProblemKind::MissingMemory { writer, .. } => *writer,
            ProblemKind::LeftOut { .. } => Some(Primitive::PadEmpty),
            ProblemKind::MissingChoice { pattern, .. }
            | ProblemKind::Computes { pattern }
            | ProblemKind::Accumulator { pattern, .. } => Some(*pattern),
            ProblemKind::NotForTarget { primitive }
            | ProblemKind::UnknownSize { primitive, .. }
            | ProblemKind::WrittenOut { primitive, .. }
            | ProblemKind::NoSpaces { primitive, .. }
            | ProblemKind::WhichSpace { primitive, .. }
            | ProblemKind::WrongSpace { primitive, .. } => Some(*primitive),
            ProblemKind::TooLarge { primitive, .. } => Some(*primitive),
            ProblemKind::KernelInside { .. } => Some(Primitive::OclRun),
            ProblemKind::WrittenByAll { instead, .. } => instead.as_ref().map(|one| one.primitive),
            ProblemKind::Nesting { inner, .. } => Some(inner.primitive),
            ProblemKind::ReducesArrays => Some(Primitive::ReducePar),
            ProblemKind::NoIteration { pattern, .. } => Some(*pattern),
            ProblemKind::Recomputed { .. } => Some(Primitive::Map),
            ProblemKind::ScatterOrder { .. } => Some(Primitive::Scatter),
            _ => None,
        }
    }

    /// Returns the severity of the diagnostic.
    pub fn severity(&self) -> Severity {
        match self.kind {
            ProblemKind::Recomputed { .. } | ProblemKind::ScatterOrder { is_kept: true, .. } => {
                Severity::Hint
            }
            ProblemKind::NoEffect => Severity::Warning,
            ProblemKind::Nesting {
                inner:
                    ParallelMap {
                        primitive: Primitive::MapPar,
                        ..
                    },
                ..
            } => Severity::Hint,
            _ => Severity::Error,
        }
    }

    /// Marks the problem of a `scatter` as one whose elements are stored first, which makes it a
    /// hint. Other problems stay as they are.
    pub(super) fn with_stored_elements(mut self) -> Problem {
        if let ProblemKind::ScatterOrder { is_kept, .. } = &mut self.kind {
            *is_kept = true;
        }
        self
    }

    /// Returns true if the program cannot be compiled because of the problem.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }

    /// Returns true if the problem is that an array that is the result of the definition is not
    /// written.
    pub(super) fn wants_result(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::MissingCopy {
                wanted: User::Result,
                ..
            }
        )
    }

    /// Returns true if a pattern has no implementation, or if `mapFst` or `mapSnd` cannot be
    /// written because its function computes.
    pub(super) fn is_choice(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::MissingChoice { .. } | ProblemKind::Computes { .. }
        )
    }

    /// Returns true if a further choice of implementation solves the problem, and the existing ones
    /// can stay.
    pub fn is_unfinished(&self) -> bool {
        match &self.kind {
            ProblemKind::MissingMemory { .. }
            | ProblemKind::MissingCopy { .. }
            | ProblemKind::MissingChoice { .. }
            | ProblemKind::Computes { .. }
            | ProblemKind::WhichSpace { .. } => true,
            ProblemKind::StreamRead { reader, .. } => {
                matches!(reader, User::Primitive(Primitive::Map, _))
            }
            _ => false,
        }
    }

    /// Returns true if the problem is a `map` that must become a loop.
    pub(super) fn is_missing_map(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::MissingChoice {
                pattern: Primitive::Map,
                copied: None,
                ..
            }
        )
    }

    /// Returns true if solving the problem may change which work-items write memory.
    pub(super) fn is_of_writers(&self) -> bool {
        self.is_choice()
            || matches!(
                self.kind,
                ProblemKind::Nesting { .. }
                    | ProblemKind::NotForTarget { .. }
                    | ProblemKind::ScansArrays { .. }
                    | ProblemKind::KernelInside { .. }
                    | ProblemKind::WrongSpace { .. }
            )
    }

    /// Returns true if the program is generic, so that its types are not known.
    pub(super) fn is_generic(&self) -> bool {
        self.kind.is_generic()
    }
}

impl ProblemKind {
    /// Returns true if the problem is a type-level parameter that is no size.
    pub(super) fn is_generic(&self) -> bool {
        matches!(
            self,
            ProblemKind::Parameter {
                kind: ParameterKind::TypeLevel(_),
                ..
            }
        )
    }
}
