//! What keeps a program from being compiled, before it is put into words.

use nat::Nat;
use rise::core::Origin;
use rise::{Primitive, Ty};
use syntax::Severity;
use syntax::ast::{AddressSpace, Kind, Name, ScalarType};

pub use super::misfit::Misfit;
pub use super::scatter::Misplaced;
pub use super::writes::{Loop, Memory};

/// One reason why a program cannot be compiled for a target as it stands, or a remark on how it
/// will be.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// The expression that has to change.
    pub at: Origin,
    /// What is wrong there.
    pub problem: Problem,
    /// The parallel maps around it, from the outermost on.
    pub nest: Vec<Level>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// Something that is still to be written is read.
    MissingMemory {
        /// What reads it.
        reader: User,
        /// The primitive that writes it, if it is one.
        writer: Option<Primitive>,
        /// The spaces that it may be stored in, and why not in the others; for OpenCL.
        spaces: Vec<Space>,
    },
    /// A pattern reads all elements of stored memory, of which `padEmpty` leaves some unwritten.
    LeftOut {
        /// The pattern that reads the memory.
        reader: User,
    },
    /// An array that can only be read is to be written.
    MissingCopy {
        /// What wants it written.
        wanted: User,
        /// Its type.
        data: Ty,
    },
    /// A pattern that says what to compute, where it must say how.
    MissingChoice {
        /// `map` or `reduce`.
        pattern: Primitive,
        /// The expression that only has to be copied, if another pattern would not help.
        copied: Option<(Origin, Ty)>,
        /// How many elements, if that is known.
        count: Option<i64>,
        /// Whether what its function writes is written by loops.
        loops: bool,
        /// Where a reduction could keep its accumulator; for OpenCL.
        space: Option<AddressSpace>,
    },
    /// `mapFst` or `mapSnd` with a function that computes, where the result is to be written.
    Computes {
        /// Which of the two.
        pattern: Primitive,
    },
    /// A stream is used as an array.
    StreamRead {
        /// What uses it.
        reader: User,
        /// What the stream has in it.
        data: Ty,
        /// Whether what the user yields is written, so that the stream would end there.
        ends: bool,
    },
    /// A primitive that the target lacks.
    NotForTarget {
        /// The primitive.
        primitive: Primitive,
    },
    /// An address space, where the target has none.
    NoSpaces {
        /// What it is written at.
        primitive: Primitive,
        /// The space, if it is one of the four.
        space: Option<AddressSpace>,
    },
    /// Memory of a kernel whose address space is not said.
    WhichSpace {
        /// What needs it.
        primitive: Primitive,
        /// The spaces that it may be, and why not the others.
        spaces: Vec<Space>,
    },
    /// Memory in an address space where it cannot be.
    WrongSpace {
        /// What needs it.
        primitive: Primitive,
        /// The space that is written.
        space: AddressSpace,
        /// Why it cannot be.
        misfit: Misfit,
        /// The spaces that it may be, and why not the others.
        spaces: Vec<Space>,
    },
    /// Memory that is larger than the device has of that kind.
    TooLarge {
        /// What allocates it.
        primitive: Primitive,
        /// What it takes, in bytes.
        bytes: u64,
        /// What there is.
        limit: Limit,
        /// The spaces that it may be, and why not the others.
        spaces: Vec<Space>,
    },
    /// Memory that more work-items write than one.
    WrittenByAll {
        /// The memory.
        memory: Memory,
        /// The dimension in which there are several.
        dimension: u8,
        /// Which work-items.
        sharers: Sharers,
        /// How many there are in that dimension, where that is said.
        size: Option<Nat>,
        /// A loop that could be shared among them.
        instead: Option<Loop>,
        /// A `mapWorkGroup` around that could hand its parts to single work-items.
        group: Option<Level>,
    },
    /// Maps that share nothing in the first dimension, in which several work-items are launched.
    SkipsFirst {
        /// The maps of the kernel.
        maps: Vec<Level>,
        /// How many work-items there are, where that is said.
        size: Option<Nat>,
        /// Whether there is one work-item in the others, as far as something is said.
        others_are_one: bool,
    },
    /// Something that is written outside of every kernel, in a program that says what these are.
    OutsideKernels,
    /// Sizes of a launch in `@opencl`, where `oclRun` says what is launched.
    NoEffect,
    /// A kernel inside of a map or another loop, or of another kernel.
    KernelInside {
        /// The map; none for a kernel.
        outer: Option<Level>,
        /// The pattern whose function it is in.
        again: Option<(Primitive, Origin)>,
    },
    /// Sizes of a launch that do not go together, or that the device cannot have.
    Launch {
        /// Where they are written: at this `oclRun`, or in `@opencl`.
        kernel: Option<Origin>,
        /// What is wrong with them.
        wrong: WrongLaunch,
    },
    /// A type that the device lacks.
    NotOnDevice {
        /// `f64` or `f16`.
        scalar: ScalarType,
        /// What the device is called.
        device: Box<str>,
    },
    /// A type that the target lacks.
    NoHalf,
    /// Steps or lanes that are written out in code, whose number is not known.
    UnknownSize {
        /// What writes them out.
        primitive: Primitive,
        /// How many.
        size: Nat,
    },
    /// Steps that are written out too often.
    WrittenOut {
        /// What writes them out.
        primitive: Primitive,
        /// How often, with the loops around it that are written out.
        total: u64,
    },
    /// `reducePar` of arrays.
    ReducesArrays,
    /// A scan of arrays that several work-items would copy.
    ScansArrays {
        /// Which ones.
        sharers: Sharers,
    },
    /// A parallel map where it may not stand.
    Nesting {
        /// The map.
        inner: Level,
        /// The map that it may not stand in; none, if it needs one around it.
        outer: Option<Level>,
        /// The chains of parallel maps that stand in it.
        inside: Vec<Vec<Level>>,
    },
    /// `iterate` that may not iterate at all.
    NoIteration {
        /// Whether it is certain.
        never: bool,
    },
    /// A function of a reduction that reads the accumulator where it has been overwritten.
    Accumulator {
        /// The reduction.
        pattern: Primitive,
        /// Where the accumulator is read.
        read: Origin,
        /// What the function makes, and its type.
        result: (Origin, Ty),
        /// The spaces that the result may be stored in, and why not in the others; for OpenCL.
        spaces: Vec<Space>,
    },
    /// A `scatter` whose elements are written in another order than theirs, and whose indices may
    /// repeat; an error unless they are stored first.
    ScatterOrder {
        /// True if the elements are stored and copied in order.
        is_kept: bool,
        /// The expression that puts them in that order.
        by: Misplaced,
        /// True if they could be stored where they are scattered.
        could_store: bool,
    },
    /// Elements of a `map` that are computed more than once.
    Recomputed {
        /// What reads them more than once.
        reader: Repeat,
    },
    /// A definition that is no program: a parameter of a kind or type that compiled code has not.
    Parameter {
        /// Its name.
        name: Name,
        /// What it is.
        kind: ParameterKind,
    },
    /// A result that generated functions have no place for.
    NoResult {
        /// What makes the pair of arrays, if it could be an array of pairs.
        pair: Option<(Primitive, Origin)>,
    },
}

/// Why compiled code cannot have a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// It is a function.
    Function,
    /// It has arrays in a tuple.
    Arrays,
    /// It is a dependent pair.
    DepPair,
    /// It has vectors of an unknown number of lanes.
    Lanes,
    /// It has numbers that C does not have.
    Half,
    /// It is a type, an address space or a function of sizes.
    TypeLevel(Kind),
}

/// What takes a value.
#[derive(Clone, Debug, PartialEq)]
pub enum User {
    /// The definition: it is the result.
    Result,
    /// An argument of a primitive.
    Primitive(Primitive, Origin),
    /// It is the result of the function that this primitive was given.
    Function(Primitive, Origin),
    /// An argument of a C function.
    Foreign(Name, Origin),
}

impl User {
    /// Where it is, unless it is the whole definition.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            User::Result => None,
            User::Primitive(_, origin) | User::Function(_, origin) | User::Foreign(_, origin) => {
                Some(*origin)
            }
        }
    }
}

/// What reads elements more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Windows that overlap.
    Windows(Origin),
    /// A loop that does not depend on them.
    Loop(Primitive, Origin),
    /// A name that is used more than once.
    Name(Origin),
}

impl Repeat {
    /// Where it is.
    pub fn origin(self) -> Origin {
        match self {
            Repeat::Windows(origin) | Repeat::Loop(_, origin) | Repeat::Name(origin) => origin,
        }
    }
}

/// A parallel map around an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The map.
    pub primitive: Primitive,
    /// Its dimension: 0, 1 or 2.
    pub dimension: u8,
    /// Where it is.
    pub at: Origin,
    /// Whether it may not stand there, which has been said.
    pub wrong: bool,
}

/// An address space for some memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// Which.
    pub space: AddressSpace,
    /// Why it cannot be this one.
    pub not: Option<String>,
    /// How much the memory takes there, where that can be said.
    pub room: Option<Room>,
}

impl Space {
    /// The place among the spaces that are offered: those that can be chosen stand first, nearer
    /// ones before others. Private memory that does not fit into registers is as far as Global
    /// memory.
    pub(super) fn rank(&self) -> (bool, bool) {
        let room = self.room.as_ref().and_then(|room| room.bytes.as_const());
        let spills = room.is_some_and(|bytes| bytes > MOST_IN_REGISTERS);
        (
            self.not.is_some(),
            self.space == AddressSpace::Private && spills,
        )
    }
}

/// The bytes of registers of a work-item; devices have 128 to 256 registers of 4 bytes for each.
const MOST_IN_REGISTERS: i64 = 1024;

/// How much memory something takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Room {
    /// In bytes.
    pub bytes: Nat,
    /// How many there are.
    pub of: Option<u64>,
}

/// How much a device has of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// What the device is called.
    pub device: Box<str>,
    /// So much.
    pub most: u64,
}

/// The work-items that write the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharers {
    /// All that are launched.
    All,
    /// Those of a work-group.
    Group,
}

/// What is wrong with the sizes of a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum WrongLaunch {
    /// A global size is no multiple of the local one.
    Remainder {
        /// Of which dimension.
        dimension: u8,
        /// The local size.
        local: Nat,
        /// The global size.
        global: Nat,
    },
    /// A size is 0.
    Nothing {
        /// Of which dimension.
        dimension: u8,
        /// Whether it is the global one.
        global: bool,
    },
    /// More work-items in a group than the device takes.
    LargeGroup {
        /// In one dimension, or in all.
        dimension: Option<u8>,
        /// How many.
        items: Nat,
        /// What there can be.
        limit: Limit,
    },
}

impl Complaint {
    /// The primitive that it is about.
    pub fn primitive(&self) -> Option<Primitive> {
        match &self.problem {
            Problem::MissingMemory { writer, .. } => *writer,
            Problem::LeftOut { .. } => Some(Primitive::PadEmpty),
            Problem::MissingChoice { pattern, .. }
            | Problem::Computes { pattern }
            | Problem::Accumulator { pattern, .. } => Some(*pattern),
            Problem::NotForTarget { primitive }
            | Problem::UnknownSize { primitive, .. }
            | Problem::WrittenOut { primitive, .. }
            | Problem::NoSpaces { primitive, .. }
            | Problem::WhichSpace { primitive, .. }
            | Problem::WrongSpace { primitive, .. } => Some(*primitive),
            Problem::TooLarge { primitive, .. } => Some(*primitive),
            Problem::KernelInside { .. } => Some(Primitive::OclRun),
            Problem::WrittenByAll { instead, .. } => instead.as_ref().map(|one| one.primitive),
            Problem::Nesting { inner, .. } => Some(inner.primitive),
            Problem::ReducesArrays => Some(Primitive::ReducePar),
            Problem::NoIteration { .. } => Some(Primitive::Iterate),
            Problem::Recomputed { .. } => Some(Primitive::Map),
            Problem::ScatterOrder { .. } => Some(Primitive::Scatter),
            _ => None,
        }
    }

    /// How much it weighs.
    pub fn severity(&self) -> Severity {
        match self.problem {
            Problem::Recomputed { .. } | Problem::ScatterOrder { is_kept: true, .. } => {
                Severity::Hint
            }
            Problem::NoEffect => Severity::Warning,
            Problem::Nesting {
                inner:
                    Level {
                        primitive: Primitive::MapPar,
                        ..
                    },
                ..
            } => Severity::Hint,
            _ => Severity::Error,
        }
    }

    /// Returns the same complaint about a `scatter` whose elements are stored first.
    pub(super) fn kept(mut self) -> Complaint {
        if let Problem::ScatterOrder { is_kept, .. } = &mut self.problem {
            *is_kept = true;
        }
        self
    }

    /// Whether the program cannot be compiled because of it.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }

    /// Whether it says how the result would be written.
    pub(super) fn wants_result(&self) -> bool {
        matches!(
            self.problem,
            Problem::MissingCopy {
                wanted: User::Result,
                ..
            }
        )
    }

    /// Whether a pattern does not say how it is computed.
    pub(super) fn is_choice(&self) -> bool {
        matches!(
            self.problem,
            Problem::MissingChoice { .. } | Problem::Computes { .. }
        )
    }

    /// Whether it is a `map` that a loop has to stand for.
    pub(super) fn is_missing_map(&self) -> bool {
        matches!(
            self.problem,
            Problem::MissingChoice {
                pattern: Primitive::Map,
                copied: None,
                ..
            }
        )
    }

    /// Whether who writes what will be another matter once this is mended.
    pub(super) fn is_of_writers(&self) -> bool {
        self.is_choice()
            || matches!(
                self.problem,
                Problem::Nesting { .. }
                    | Problem::NotForTarget { .. }
                    | Problem::ScansArrays { .. }
                    | Problem::KernelInside { .. }
                    | Problem::WrongSpace { .. }
            )
    }

    /// Whether it says that the program has no types yet.
    pub(super) fn is_generic(&self) -> bool {
        self.problem.is_generic()
    }
}

impl Problem {
    /// Whether it is about a parameter that types depend on.
    pub(super) fn is_generic(&self) -> bool {
        matches!(
            self,
            Problem::Parameter {
                kind: ParameterKind::TypeLevel(_),
                ..
            }
        )
    }
}
