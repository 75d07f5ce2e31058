//! The language RISE: types, kinds, primitives, inference, obligations, core terms, printers, and
//! the standard library.
//!
//! The crate depends on no database and no editor: [`infer`] takes one item and the schemes of the
//! definitions that it uses, and returns everything that is inferred about it.

mod applicability;
mod classes;
pub mod codes;
pub mod core;
mod infer;
pub mod library;
pub mod pattern;
pub mod primitive;
pub mod print;
mod snippet;
mod spine;
pub mod subst;
mod syntax_errors;
pub mod types;

use std::sync::Arc;

use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{BinderId, Kind, Name, TermId};
use syntax::{Diagnostic, GlobalId};

pub use applicability::{ExpectedFunction, matches as accepts};
pub use infer::{
    ANNOTATIONS, Instantiations, LAUNCH_ANNOTATION, RuleInfer, RuleInference, SideCondition,
    USING_PARAMETERS, infer, infer_in, library_scheme, written_scheme,
};
pub use library::STD;
pub use pattern::Pattern;
pub use primitive::Primitive;
pub use syntax::closest;
pub use syntax_errors::explain;
pub use types::{Access, Address, Arg, DataFun, Names, Obligation, Pi, Scheme, SizeFun, Ty, Type};

/// The largest size of a run, 2^59 - 1. It is far below the overflow, so that offsets in bytes and
/// sums of several sizes fit into 64 bits, too.
pub const MAX_SIZE: i64 = (1 << 59) - 1;

/// The meaning of a free name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A definition of the file, of an import, or of the standard library.
    Def(GlobalId, Arc<Scheme>),
    /// A name whose definition or import has an error, which is reported there. The identity is
    /// `None` if no valid definition has the name, but an import that cannot be read may define it.
    Broken(Option<GlobalId>),
    /// Several imports define the name.
    Ambiguous(Vec<GlobalId>),
    /// No definition has the name; it may be that of a primitive.
    Unknown,
}

/// The definitions that an item can use.
pub trait Env {
    /// Resolves `name`.
    fn resolve(&self, name: &str) -> Resolution;
    /// Returns the names of definitions that could be meant by an unknown name.
    fn names(&self) -> Vec<Name>;
    /// Returns the primitive of DPIA with this name; `None` if there is none, as in the default
    /// implementation. Called after [`resolve`](Env::resolve), for items of DPIA only.
    fn phrase_primitive(&self, _name: &str) -> Option<PhrasePrimitive> {
        None
    }
    /// Returns the targets that `@target` can name; every name is allowed if there are none.
    fn targets(&self) -> Vec<TargetName> {
        Vec::new()
    }
}

/// The name of a target in `@target(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetName {
    /// The name.
    pub name: &'static str,
    /// Other words for the target, used by other languages and tools, such as `cuda`.
    pub aliases: &'static [&'static str],
}

/// The properties of a DPIA primitive that inference depends on.
#[derive(Clone, Debug)]
pub struct PhrasePrimitive {
    /// The environment's number of the primitive, which [`Target::Phrase`] contains.
    pub id: u32,
    /// The primitive's name.
    pub name: Name,
    /// The primitive's type, with the implicit parameters first.
    pub scheme: Arc<Scheme>,
    /// The kind of the argument that may be written before all others, if the primitive has such an
    /// argument.
    pub optional: Option<primitive::OptionalArgument>,
    /// True if the value of the primitive's size argument is the number of values that it takes.
    pub variadic: bool,
    /// True if each access parameter of the primitive is instantiated to `Rd` or `St`; otherwise
    /// each is instantiated to `Rd` or `Wr`.
    pub streams: bool,
}

/// The result of checking an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The item's type.
    pub scheme: Arc<Scheme>,
    /// The diagnostics of the item (obligations included, as information).
    pub diagnostics: Vec<Diagnostic>,
    /// The type or value of each term, by [`TermId`].
    pub terms: Box<[TermInfo]>,
    /// The variable of each binder, by [`BinderId`].
    pub binders: Box<[BinderInfo]>,
    /// The implicit parameters that terms are generalised over because their context expects such a
    /// function, outermost first; `terms` has the types under them.
    pub generalised: FxHashMap<TermId, Box<[(Var, Kind)]>>,
    /// The functions `fun((x, y) => …)` that take one pair, whose components the parameters name.
    /// Other functions of two parameters are curried.
    pub patterns: FxHashSet<TermId>,
    /// The implicit arguments of terms that are no names, such as `(e : {n: Nat} -> n.f32 -> f32)`.
    pub instantiated: FxHashMap<TermId, Vec<(Name, Arg)>>,
    /// The meaning of each name in the item, in the order of the text.
    pub uses: Vec<NameUse>,
    /// The conditions on sizes that the item assumes.
    pub obligations: Vec<Obligation>,
    /// Facts about sizes in every iteration of an `iterate`: proved, or implied by the
    /// `obligations`.
    pub of_rounds: Vec<nat::Prop>,
    /// The names of the variables in `terms`, `binders`, `uses` and the conditions.
    pub names: Names,
}

impl Inference {
    /// Returns true if the text leaves out the function of an explicit size or type around a term:
    /// its written type is that of such a function, and its own type is not.
    pub fn leaves_out_dep_fun(&self, term: TermId) -> bool {
        let info = self.terms.get(term.0 as usize);
        matches!(info, Some(TermInfo::Expr(ty)) if !matches!(**ty, Type::Pi(_)))
    }
}

/// The type or value of a term.
#[derive(Clone, Debug, PartialEq)]
pub enum TermInfo {
    /// Not inferred, because of an error around it.
    Unknown,
    /// An expression of this type.
    Expr(Ty),
    /// A type-level argument: a size, a type, an address space, an access, or a function on sizes.
    Arg(Arg),
    /// A type that is no data type (as in `def f : t -> t`).
    Type(Ty),
}

/// The variable of a binder.
#[derive(Clone, Debug, PartialEq)]
pub enum BinderInfo {
    /// Not inferred.
    Unknown,
    /// A value of this type.
    Value(Ty),
    /// A type-level variable.
    TypeLevel(Var, Kind),
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NameUse {
    /// The name as a term.
    pub term: TermId,
    /// The binder or definition that it refers to.
    pub target: Target,
    /// The implicit arguments, with the names of the parameters; empty if there are none.
    pub implicits: Vec<(Name, Arg)>,
}

impl NameUse {
    /// Creates a use without implicit arguments.
    pub(crate) fn plain(term: TermId, target: Target) -> NameUse {
        NameUse {
            term,
            target,
            implicits: Vec::new(),
        }
    }
}

/// The binder or definition that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A binder of this item.
    Binder(BinderId),
    /// The index of the `sum(i, …)` at this term.
    SumIndex(TermId),
    /// A definition.
    Global(GlobalId),
    /// A primitive.
    Primitive(Primitive),
    /// A primitive of DPIA, by its [`PhrasePrimitive::id`].
    Phrase(u32),
}
