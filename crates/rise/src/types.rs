//! Types, schemes and their arguments.

use nat::{Nat, NatFun, Prop, Var};
use std::sync::Arc;
use syntax::Span;
use syntax::ast::{AddressSpace, Kind, Literal, Name, ScalarType};

/// A shared type.
pub type Ty = Arc<Type>;

/// A type of RISE. Variables are numbers; what they are called stands in [`Names`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Of something that is wrong and has been reported; agrees with every type.
    Error,
    /// A data type variable.
    Var(Var),
    /// A type of single values.
    Scalar(ScalarType),
    /// `Idx[n]`
    Index(Nat),
    /// `Vec[n, t]`
    Vector(Nat, Ty),
    /// `n.t`
    Array(Nat, Ty),
    /// `n..f`
    DepArray(Nat, DataFun),
    /// `(s, t)`
    Pair(Ty, Ty),
    /// `DepPair[k => t]`
    DepPair(DataFun),
    /// `f(n)` for a variable `f` of kind Nat2Data.
    Apply(Var, Nat),
    /// `a -> b`
    Fun(Ty, Ty),
    /// `(x: kind) -> b` or `{x: kind} -> b`
    Pi(Pi),
    /// `Exp[t, a]`, a phrase type of DPIA: an expression that is read, still to be written, or a stream.
    Exp(Ty, Access),
    /// `Acc[t]`, a phrase type of DPIA: a place to write to.
    Acc(Ty),
    /// `Comm`, a phrase type of DPIA: a command.
    Comm,
}

/// How the value of a DPIA expression is had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// A variable of kind ReadWrite.
    Var(Var),
    /// `Rd`: it is read, at any element, any number of times.
    Rd,
    /// `Wr`: it is still to be written, to an acceptor.
    Wr,
    /// `St`: it comes as a stream, one element after the other.
    St,
}

/// A dependent function type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pi {
    /// The bound variable.
    pub var: Var,
    /// What it stands for.
    pub kind: Kind,
    /// Whether it is inferred at each use.
    pub implicit: bool,
    /// The conditions on the argument (`where …`), which may mention variables of earlier binders.
    /// Empty along the type of a definition, whose conditions are those of its [`Scheme`].
    pub conditions: Arc<[Prop]>,
    /// The type under the binder.
    pub body: Ty,
}

impl Pi {
    /// A dependent function type without conditions.
    pub fn new(var: Var, kind: Kind, implicit: bool, body: Ty) -> Pi {
        Pi {
            var,
            kind,
            implicit,
            conditions: Arc::default(),
            body,
        }
    }

    /// The conditions, each changed by `map`.
    pub fn map_conditions(&self, map: impl Fn(&Prop) -> Prop) -> Arc<[Prop]> {
        match self.conditions.is_empty() {
            true => self.conditions.clone(),
            false => self.conditions.iter().map(map).collect(),
        }
    }
}

/// The conditions along a function type: what it needs of the sizes that it takes.
pub fn conditions_along(ty: &Type) -> Vec<&Prop> {
    let mut found = Vec::new();
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::Fun(_, result) => result,
            Type::Pi(pi) => {
                found.extend(pi.conditions.iter());
                &pi.body
            }
            _ => return found,
        };
    }
}

/// A function from sizes to data types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DataFun {
    /// A variable of kind Nat2Data.
    Var(Var),
    /// `dataFun(i => t)`
    Lambda(Var, Ty),
}

/// A function from sizes to sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SizeFun {
    /// A variable of kind Nat2Nat.
    Var(Var),
    /// `natFun(i => n)`
    Lambda(NatFun),
}

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A variable of kind AddrSp.
    Var(Var),
    /// One of the four.
    Space(AddressSpace),
}

/// What a dependent function is applied to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// For kind Nat.
    Nat(Nat),
    /// For DataType and its sub-kinds.
    Type(Ty),
    /// For AddrSp.
    Address(Address),
    /// For Nat2Nat.
    SizeFun(SizeFun),
    /// For Nat2Data.
    DataFun(DataFun),
    /// For ReadWrite.
    Access(Access),
}

/// The names of variables, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names(pub Arc<[Name]>);

impl Names {
    /// What `var` is called.
    pub fn get(&self, var: Var) -> Name {
        match self.0.get(var.0 as usize) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => Name::new_static("_"),
        }
    }
}

/// The type of a definition or primitive: implicit parameters first, with the obligations that
/// every use takes over. Variables are numbered from 0 in the order of the type, so that equal
/// schemes are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    /// The type; closed.
    pub ty: Ty,
    /// What must hold of its parameters (`where …`).
    pub obligations: Arc<[Prop]>,
    /// What its variables are called.
    pub names: Names,
    /// Number literals whose type is a parameter: each use fixes it, and then they must fit.
    pub literals: Arc<[(Var, Literal)]>,
}

/// A condition on sizes that came up in an item and is not proved there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The condition, over the item's variables.
    pub prop: Prop,
    /// The term that needs it.
    pub span: Span,
}
