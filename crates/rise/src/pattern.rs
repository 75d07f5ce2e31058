//! The patterns of primitives: classes of primitives with the same rules in every pass.
//!
//! The pattern of a primitive is an annotation of its entry in `primitives.rise` (of DPIA's own
//! primitives in `primitives.dpia`). Passes match on [`Pattern`] without wildcards, so that a new
//! class is reported by the compiler wherever a rule for it is missing, and a new primitive of an
//! existing class needs no rule.

use nat::Nat;
use syntax::ast::{
    AnnotationArg, AnnotationValue, BinaryOp, Half, Item, Literal, Name, TermId, TermKind,
};

use crate::types::{Arg, SizeFun};

/// The class of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A function of values without arrays, which evaluates all of its arguments.
    Scalar,
    /// `and` or `or`, which evaluates its second operand only if needed.
    Connective,
    /// The choice of one of two values.
    Select,
    /// An element of an array, or a lane of a vector.
    Element,
    /// A component of a pair.
    Half(Half),
    /// The pair of two values.
    Pair,
    /// A function of one component of a pair.
    MapHalf(Half),
    /// An array that is computed from indices.
    Generate,
    /// An array of the given values.
    Literal,
    /// A rearrangement of the elements of the last argument.
    View(View),
    /// Two arrays as one array of pairs.
    Zip,
    /// One array after another, both of them written.
    Concat,
    /// A function of every element of an array.
    Map(MapLoop),
    /// A function of every element of an array whose element types depend on the position.
    DepMap(DepLoop),
    /// The combination of all elements of an array.
    Reduce(ReduceLoop),
    /// All intermediate results of a reduction.
    Scan,
    /// Repeated application of a function to an array that it makes shorter.
    Iterate,
    /// Repeated application of a function to a value of the same type.
    Repeat(RepeatLoop),
    /// An array whose elements are available one after the other.
    Stream(Stream),
    /// A value that is bound to a variable.
    Let,
    /// A value that is stored in memory.
    Memory,
    /// A value that an OpenCL kernel of its own computes.
    Kernel,
    /// A size with a value whose type depends on it.
    DepPair,
    /// The destruction of a dependent pair, or the use of an index as a size.
    DepMatch,
}

/// The rearrangements of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// An element of the result is the element of the argument at the indices that an
    /// [`IndexMap`] computes.
    Index,
    /// The elements of the argument at the indices in another array.
    Gather,
    /// The elements of the argument, written at the indices in another array.
    Scatter,
    /// An array with copies of a value around it.
    PadCst,
    /// An array with copies of its first and last element around it.
    PadClamp,
    /// An array with unwritten elements after it.
    PadEmpty,
    /// The lanes of vectors as elements.
    Lanes,
    /// Elements as the lanes of vectors.
    Vectors,
    /// An array of pairs as a pair of arrays.
    Unzip,
    /// The rows of a dependent array, one after the other.
    DepJoin,
    /// An array split into parts of different lengths.
    Partition,
}

/// The implementations of a function that is applied to every element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapLoop {
    /// No loop: an element is computed when it is read.
    Computed,
    /// A sequential loop.
    Sequential,
    /// One statement for each element.
    Unrolled,
    /// The sequential loop at the end of a stream.
    Stream,
    /// A loop over the lanes of a vector.
    Lanes,
    /// A loop that runs in parallel.
    Parallel(Level),
}

/// The implementations of a function that is applied to every element of a dependent array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepLoop {
    /// A sequential loop.
    Sequential,
    /// A loop whose iterations are distributed over threads.
    Threads,
}

/// The implementations of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceLoop {
    /// No implementation is chosen.
    Undetermined,
    /// A sequential loop.
    Sequential,
    /// One statement for each element.
    Unrolled,
    /// A loop whose iterations are distributed over threads.
    Threads,
}

/// The implementations of the repeated application of a function to a value of the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepeatLoop {
    /// A loop that writes the value where it reads it.
    InPlace,
    /// A loop over two buffers for each array in the value.
    Buffers,
    /// A loop over such buffers that ends early where a condition does not hold.
    While,
}

/// The levels of the hierarchies of parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// The threads of OpenMP.
    Threads,
    /// All work-items of OpenCL.
    Global,
    /// The work-groups of OpenCL.
    WorkGroup,
    /// The work-items of a work-group.
    Local,
}

/// A feature of targets that a primitive needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// Threads with shared memory.
    Threads,
    /// Kernels and work-items.
    WorkItems,
}

/// The parallelism of a target, which determines how its programs distribute work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parallelism {
    /// One thread runs the whole program.
    #[default]
    Sequential,
    /// Threads share the iterations of `mapPar` and `reducePar`, each with a stack of its own.
    Threads,
    /// Work-items in work-groups run kernels, and there are several address spaces, of which the
    /// program chooses one for each value that it stores.
    WorkItems,
}

impl Parallelism {
    /// Returns true if a target with this parallelism can run programs that require the parallelism
    /// `required`: it is the same, or `Sequential`.
    pub fn offers(self, required: Parallelism) -> bool {
        required == Parallelism::Sequential || required == self
    }
}

impl From<Option<Requirement>> for Parallelism {
    /// Returns the parallelism that a primitive with this requirement needs.
    fn from(requirement: Option<Requirement>) -> Parallelism {
        match requirement {
            None => Parallelism::Sequential,
            Some(Requirement::Threads) => Parallelism::Threads,
            Some(Requirement::WorkItems) => Parallelism::WorkItems,
        }
    }
}

/// The operations that make streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// A function of every element of a stream.
    Map,
    /// Two streams as one stream of pairs.
    Zip,
    /// Windows in a ring buffer.
    Ring,
    /// Windows in variables whose values move.
    Window,
}

impl Pattern {
    /// Returns the pattern in the annotation `@pattern(…)` of an entry; `None` if there is no such
    /// annotation, or if its words name no pattern.
    pub fn of(item: &Item) -> Option<Pattern> {
        let words: Vec<&str> = arguments(item, "pattern")?
            .iter()
            .filter_map(|arg| name(item, arg_term(arg)?))
            .collect();
        let half = |word: &str| match word {
            "first" => Some(Half::First),
            "second" => Some(Half::Second),
            _ => None,
        };
        Some(match words[..] {
            ["scalar"] => Pattern::Scalar,
            ["connective"] => Pattern::Connective,
            ["select"] => Pattern::Select,
            ["element"] => Pattern::Element,
            ["half", word] => Pattern::Half(half(word)?),
            ["pair"] => Pattern::Pair,
            ["mapHalf", word] => Pattern::MapHalf(half(word)?),
            ["generate"] => Pattern::Generate,
            ["literal"] => Pattern::Literal,
            ["view"] => Pattern::View(View::Index),
            ["view", word] => Pattern::View(View::of(word)?),
            ["zip"] => Pattern::Zip,
            ["concat"] => Pattern::Concat,
            ["map", word] => Pattern::Map(MapLoop::of(word)?),
            ["depMap", "sequential"] => Pattern::DepMap(DepLoop::Sequential),
            ["depMap", "threads"] => Pattern::DepMap(DepLoop::Threads),
            ["reduce", "undetermined"] => Pattern::Reduce(ReduceLoop::Undetermined),
            ["reduce", "sequential"] => Pattern::Reduce(ReduceLoop::Sequential),
            ["reduce", "unrolled"] => Pattern::Reduce(ReduceLoop::Unrolled),
            ["reduce", "threads"] => Pattern::Reduce(ReduceLoop::Threads),
            ["scan"] => Pattern::Scan,
            ["iterate"] => Pattern::Iterate,
            ["repeat", "inPlace"] => Pattern::Repeat(RepeatLoop::InPlace),
            ["repeat", "buffers"] => Pattern::Repeat(RepeatLoop::Buffers),
            ["repeat", "while"] => Pattern::Repeat(RepeatLoop::While),
            ["stream", "map"] => Pattern::Stream(Stream::Map),
            ["stream", "zip"] => Pattern::Stream(Stream::Zip),
            ["stream", "ring"] => Pattern::Stream(Stream::Ring),
            ["stream", "window"] => Pattern::Stream(Stream::Window),
            ["binding"] => Pattern::Let,
            ["memory"] => Pattern::Memory,
            ["kernel"] => Pattern::Kernel,
            ["depPair"] => Pattern::DepPair,
            ["depMatch"] => Pattern::DepMatch,
            _ => return None,
        })
    }

    /// Returns the level of a map that runs in parallel; `None` for every other pattern, also for
    /// parallel reductions.
    pub const fn level(self) -> Option<Level> {
        match self {
            Pattern::Map(MapLoop::Parallel(level)) => Some(level),
            Pattern::DepMap(DepLoop::Threads) => Some(Level::Threads),
            _ => None,
        }
    }

    /// Returns the feature that the pattern needs of the target; `None` if every target has what it
    /// needs.
    const fn requirement(self) -> Option<Requirement> {
        match self.level() {
            Some(Level::Threads) => Some(Requirement::Threads),
            Some(Level::Global | Level::WorkGroup | Level::Local) => Some(Requirement::WorkItems),
            None => match self {
                Pattern::Kernel => Some(Requirement::WorkItems),
                Pattern::Reduce(ReduceLoop::Threads) => Some(Requirement::Threads),
                Pattern::Reduce(
                    ReduceLoop::Undetermined | ReduceLoop::Sequential | ReduceLoop::Unrolled,
                )
                | Pattern::Scalar
                | Pattern::Connective
                | Pattern::Select
                | Pattern::Element
                | Pattern::Half(_)
                | Pattern::Pair
                | Pattern::MapHalf(_)
                | Pattern::Generate
                | Pattern::Literal
                | Pattern::View(_)
                | Pattern::Zip
                | Pattern::Concat
                | Pattern::Map(_)
                | Pattern::DepMap(_)
                | Pattern::Scan
                | Pattern::Iterate
                | Pattern::Repeat(_)
                | Pattern::Stream(_)
                | Pattern::Let
                | Pattern::Memory
                | Pattern::DepPair
                | Pattern::DepMatch => None,
            },
        }
    }
}

impl Requirement {
    /// Returns the requirement of an entry: the one in `@requires(…)`, or without that annotation
    /// the one of its pattern; `None` if it requires nothing.
    pub(crate) fn of(item: &Item) -> Option<Requirement> {
        let Some([arg]) = arguments(item, "requires") else {
            return Pattern::of(item)?.requirement();
        };
        match name(item, arg_term(arg)?)? {
            "threads" => Some(Requirement::Threads),
            "workItems" => Some(Requirement::WorkItems),
            _ => None,
        }
    }
}

impl View {
    fn of(word: &str) -> Option<View> {
        Some(match word {
            "gather" => View::Gather,
            "scatter" => View::Scatter,
            "padCst" => View::PadCst,
            "padClamp" => View::PadClamp,
            "padEmpty" => View::PadEmpty,
            "lanes" => View::Lanes,
            "vectors" => View::Vectors,
            "unzip" => View::Unzip,
            "depJoin" => View::DepJoin,
            "partition" => View::Partition,
            _ => return None,
        })
    }
}

impl MapLoop {
    fn of(word: &str) -> Option<MapLoop> {
        Some(match word {
            "computed" => MapLoop::Computed,
            "sequential" => MapLoop::Sequential,
            "unrolled" => MapLoop::Unrolled,
            "stream" => MapLoop::Stream,
            "lanes" => MapLoop::Lanes,
            "threads" => MapLoop::Parallel(Level::Threads),
            "global" => MapLoop::Parallel(Level::Global),
            "workGroup" => MapLoop::Parallel(Level::WorkGroup),
            "local" => MapLoop::Parallel(Level::Local),
            _ => return None,
        })
    }
}

/// The acceptor to which the argument of a view has to be written, so that the view itself is
/// written to a given acceptor. The annotation `@acceptor(…)` specifies it.
#[derive(Clone, Debug, PartialEq)]
pub enum AcceptorView {
    /// The given acceptor itself.
    Same,
    /// A view of the given acceptor: the name of an acceptor primitive, and for each of its
    /// type-level arguments the position among the type-level parameters of the original view.
    View(Name, Box<[usize]>),
}

impl AcceptorView {
    /// Returns what the annotation `@acceptor(…)` of an entry specifies; `None` if there is no such
    /// annotation, or if it names no acceptor or an unknown parameter. `params` are the names of
    /// the entry's type-level parameters.
    pub fn of(item: &Item, params: &[Name]) -> Option<AcceptorView> {
        let Some((acceptor, types)) = arguments(item, "acceptor")?.split_first() else {
            return Some(AcceptorView::Same);
        };
        let types = types.iter().map(|arg| {
            let name = name(item, arg_term(arg)?)?;
            params.iter().position(|param| param == name)
        });
        let acceptor = name(item, arg_term(acceptor)?)?;
        Some(AcceptorView::View(
            acceptor.into(),
            types.collect::<Option<_>>()?,
        ))
    }
}

/// The access path of a view, a map from the indices `i` and `j` of an element in the result to the
/// indices of that element in the argument. The annotation `@index(…)` specifies it.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexMap {
    taken: usize,
    given: Box<[Index]>,
}

/// An index that is computed from other indices and from the type-level arguments of a primitive.
#[derive(Clone, Debug, PartialEq)]
enum Index {
    Of(usize),
    Size(usize),
    Constant(i64),
    Binary(BinaryOp, Box<Index>, Box<Index>),
    Apply(usize, Box<Index>),
}

/// The arithmetic on a representation of indices.
pub trait IndexArithmetic {
    /// An index.
    type Index: Clone;

    /// Returns a size as an index.
    fn size(&mut self, size: &Nat) -> Self::Index;

    /// Returns the result of `+`, `-`, `*`, `/` or `%`; `None` for other operators, or if an
    /// operand is not supported.
    fn binary(&mut self, op: BinaryOp, a: Self::Index, b: Self::Index) -> Option<Self::Index>;

    /// Returns the result of a function from sizes to sizes at an index; `None` if the function or
    /// the index is not supported.
    fn apply(&mut self, function: &SizeFun, at: Self::Index) -> Option<Self::Index>;
}

impl IndexMap {
    /// Returns the index map in the annotation `@index(…)` of an entry; `None` if there is no such
    /// annotation, or if a formula in it is not understood. `params` are the names of the entry's
    /// type-level parameters.
    pub fn of(item: &Item, params: &[Name]) -> Option<IndexMap> {
        let given = arguments(item, "index")?
            .iter()
            .map(|arg| index(item, params, arg_term(arg)?))
            .collect::<Option<Box<[Index]>>>()?;
        let taken = given.iter().map(Index::taken).max().unwrap_or(0);
        Some(IndexMap { taken, given })
    }

    /// Carries a property of the argument's dimensions over to those of the result. `dimensions` is
    /// true for each dimension of the argument that has the property. A dimension of the result has
    /// it if its index is used to compute the index of a dimension of the argument that has it;
    /// dimensions behind those that the map computes stay as they are.
    pub fn spread(&self, dimensions: &[bool]) -> Vec<bool> {
        let has = |at: &usize| dimensions.get(*at).copied().unwrap_or(false);
        let depends = |index: usize| {
            let mut given = self.given.iter().enumerate();
            given.any(|(at, formula)| formula.mentions(index) && has(&at))
        };
        let behind = dimensions.iter().skip(self.given.len()).copied();
        (0..self.taken).map(depends).chain(behind).collect()
    }

    /// Returns the number of indices in the result that the map takes, and the number of indices in
    /// the argument that it computes from them.
    pub fn arity(&self) -> (usize, usize) {
        (self.taken, self.given.len())
    }

    /// Returns true if every index stays the same.
    pub fn is_identity(&self) -> bool {
        let mut given = self.given.iter().enumerate();
        given.all(|(at, index)| *index == Index::Of(at))
    }

    /// Maps the indices `at` of an element in the result to the indices of that element in the
    /// argument. `types` are the type-level arguments of the primitive. An index that stays the
    /// same is returned as it is. Returns `None` if `at` has too few indices, `types` does not fit,
    /// or `arithmetic` does not support an operation.
    pub fn apply<A: IndexArithmetic>(
        &self,
        types: &[Arg],
        at: &[A::Index],
        arithmetic: &mut A,
    ) -> Option<Vec<A::Index>> {
        let given = self.given.iter();
        given
            .map(|index| index.eval(types, at, arithmetic))
            .collect()
    }
}

impl Index {
    fn mentions(&self, index: usize) -> bool {
        match self {
            Index::Of(at) => *at == index,
            Index::Size(_) | Index::Constant(_) => false,
            Index::Binary(_, a, b) => a.mentions(index) || b.mentions(index),
            Index::Apply(_, at) => at.mentions(index),
        }
    }

    fn taken(&self) -> usize {
        match self {
            Index::Of(at) => at + 1,
            Index::Size(_) | Index::Constant(_) => 0,
            Index::Binary(_, a, b) => a.taken().max(b.taken()),
            Index::Apply(_, at) => at.taken(),
        }
    }

    fn eval<A: IndexArithmetic>(
        &self,
        types: &[Arg],
        at: &[A::Index],
        arithmetic: &mut A,
    ) -> Option<A::Index> {
        Some(match self {
            Index::Of(number) => at.get(*number)?.clone(),
            Index::Size(param) => match types.get(*param)? {
                Arg::Nat(size) => arithmetic.size(size),
                _ => return None,
            },
            Index::Constant(value) => arithmetic.size(&Nat::constant(*value)),
            Index::Binary(op, a, b) => {
                let a = a.eval(types, at, arithmetic)?;
                let b = b.eval(types, at, arithmetic)?;
                arithmetic.binary(*op, a, b)?
            }
            Index::Apply(param, index) => {
                let index = index.eval(types, at, arithmetic)?;
                match types.get(*param)? {
                    Arg::SizeFun(function) => arithmetic.apply(function, index)?,
                    _ => return None,
                }
            }
        })
    }
}

fn index(item: &Item, params: &[Name], term: TermId) -> Option<Index> {
    let param = |name: &str| params.iter().position(|param| param == name);
    let inner = |term: TermId| index(item, params, term).map(Box::new);
    Some(match &item.term(term).kind {
        TermKind::Name(name) => match &**name {
            "i" => Index::Of(0),
            "j" => Index::Of(1),
            name => Index::Size(param(name)?),
        },
        TermKind::Literal(Literal::Int { value, .. }) => {
            Index::Constant(i64::try_from(*value).ok()?)
        }
        TermKind::Binary { op, lhs, rhs, .. } => Index::Binary(*op, inner(*lhs)?, inner(*rhs)?),
        TermKind::Apply { callee, args } => match args[..] {
            [arg] => Index::Apply(param(name(item, *callee)?)?, inner(arg)?),
            _ => return None,
        },
        _ => return None,
    })
}

fn arguments<'i>(item: &'i Item, name: &str) -> Option<&'i [AnnotationArg]> {
    let annotation = item.annotations(name).next()?;
    Some(&annotation.args)
}

fn arg_term(arg: &AnnotationArg) -> Option<TermId> {
    match arg.value {
        AnnotationValue::Term(term) => Some(term),
        AnnotationValue::String(..) | AnnotationValue::List(..) => None,
    }
}

fn name(item: &Item, term: TermId) -> Option<&str> {
    match &item.term(term).kind {
        TermKind::Name(name) => Some(name),
        _ => None,
    }
}
