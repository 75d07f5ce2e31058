//! The core language: types, kinds, primitives, inference, obligations, pretty printer.
//!
//! Knows no database and no editor: [`infer`] takes one item and the schemes of what it uses, and
//! returns everything that is known about it.

mod accepts;
mod classes;
pub mod core;
mod infer;
pub mod library;
pub mod primitive;
pub mod print;
mod snippet;
mod spine;
pub mod subst;
pub mod types;
mod unreadable;

use std::sync::Arc;

use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{BinderId, Kind, Name, TermId};
use syntax::{Diagnostic, GlobalId};

pub use accepts::{WantedFunction, matches as accepts};
pub use infer::{
    ANNOTATIONS, Narrowed, Need, Sides, SidesInference, infer, infer_in, library_scheme,
    written_scheme,
};
pub use library::STD;
pub use primitive::Primitive;
pub use syntax::closest;
pub use types::{Access, Address, Arg, DataFun, Names, Obligation, Pi, Scheme, SizeFun, Ty, Type};
pub use unreadable::explain;

/// What a name that no binder binds stands for in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// A definition of this file, of an import, or of the standard library.
    Def(GlobalId, Arc<Scheme>),
    /// Defined, but its definition or import is broken; reported there.
    Broken(Option<GlobalId>),
    /// Two imports define it.
    Ambiguous(Vec<GlobalId>),
    /// Nothing of that name. (Primitives are looked up after this.)
    Unknown,
}

/// The definitions that an item can use.
pub trait Env {
    /// What `name` stands for.
    fn resolve(&self, name: &str) -> Resolution;
    /// All names that could have been meant (for "did you mean").
    fn names(&self) -> Vec<Name>;
    /// The primitive of DPIA that is called so; asked after [`resolve`](Env::resolve), for items
    /// of DPIA only.
    fn phrase_primitive(&self, _name: &str) -> Option<PhrasePrimitive> {
        None
    }
}

/// What inference has to know of a primitive of DPIA.
#[derive(Clone, Debug)]
pub struct PhrasePrimitive {
    /// What the environment calls it: the number in [`Target::Phrase`].
    pub id: u32,
    /// As it is written.
    pub name: Name,
    /// Its type, the implicit parameters first.
    pub scheme: Arc<Scheme>,
    /// What may be written before all other arguments.
    pub optional: Option<primitive::OptionalArgument>,
    /// Whether it takes as many values as its size says.
    pub variadic: bool,
    /// Whether its access parameters stand for `Rd` or `St`, and not for `Rd` or `Wr`.
    pub streams: bool,
}

/// Everything that is known about an item once it is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The item's type.
    pub scheme: Arc<Scheme>,
    /// What there is to say about it (obligations included, as information).
    pub diagnostics: Vec<Diagnostic>,
    /// What each term is, by [`TermId`].
    pub terms: Box<[TermInfo]>,
    /// What each binder binds, by [`BinderId`].
    pub binders: Box<[BinderInfo]>,
    /// The implicit parameters that terms are functions over because their place wants such a
    /// function, outermost first; `terms` has the types under them.
    pub generalised: FxHashMap<TermId, Box<[(Var, Kind)]>>,
    /// The functions `fun((x, y) => …)` that take a pair apart, and are not curried.
    pub patterns: FxHashSet<TermId>,
    /// The implicit arguments of terms that are no names, such as `(e : {n: Nat} -> n.f32 -> f32)`.
    pub instantiated: FxHashMap<TermId, Vec<(Name, Arg)>>,
    /// What each name in the item stands for, in the order of the text.
    pub uses: Vec<NameUse>,
    /// The conditions on sizes that the item assumes.
    pub obligations: Vec<Obligation>,
    /// What holds of the sizes that the rounds of an `iterate` have, for every round: proved, or
    /// among the `obligations` in other words.
    pub of_rounds: Vec<nat::Prop>,
    /// What the variables in `terms`, `binders`, `uses` and the conditions are called.
    pub names: Names,
}

/// What a term is.
#[derive(Clone, Debug, PartialEq)]
pub enum TermInfo {
    /// Not looked at, because something around it is wrong.
    Unknown,
    /// An expression of this type.
    Expr(Ty),
    /// A type-level argument: size, type, address space or function.
    Arg(Arg),
    /// A type that is no data type (as in `def f : t -> t`).
    Type(Ty),
}

/// What a binder binds.
#[derive(Clone, Debug, PartialEq)]
pub enum BinderInfo {
    /// Not looked at.
    Unknown,
    /// A value of this type.
    Value(Ty),
    /// A type-level variable.
    TypeLevel(Var, Kind),
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct NameUse {
    /// The name.
    pub term: TermId,
    /// What it means.
    pub target: Target,
    /// Its implicit arguments, with the names of the parameters; empty where there are none.
    pub implicits: Vec<(Name, Arg)>,
}

/// What a name refers to.
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
