//! Types, schemes and their arguments.

use nat::{Nat, NatFun, Prop, Var};
use std::sync::Arc;
use syntax::Span;
use syntax::ast::{AddressSpace, Half, Kind, Literal, Name, ScalarType};

/// A shared type.
pub type Ty = Arc<Type>;

/// A type of RISE or DPIA. Variables are numbers, whose names are in [`Names`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// The type of a term with a reported error; unifies with every type.
    Error,
    /// A type variable.
    Var(Var),
    /// A scalar type.
    Scalar(ScalarType),
    /// The index type `Idx[n]`.
    Index(Nat),
    /// The vector type `Vec[n, t]`.
    Vector(Nat, Ty),
    /// The array type `n.t`.
    Array(Nat, Ty),
    /// The dependent array type `n..f`.
    DepArray(Nat, DataFun),
    /// The pair type `(s, t)`.
    Pair(Ty, Ty),
    /// The dependent pair type `DepPair[k => t]`.
    DepPair(DataFun),
    /// The application `f(n)` of a variable `f` of kind Nat2Data.
    Apply(Var, Nat),
    /// The function type `a -> b`.
    Fun(Ty, Ty),
    /// The dependent function type `(x: kind) -> b` or `{x: kind} -> b`.
    Pi(Pi),
    /// The phrase type `Exp[t, a]` of DPIA: an expression with its access.
    Exp(Ty, Access),
    /// The phrase type `Acc[t]` of DPIA: an acceptor.
    Acc(Ty),
    /// The phrase type `Comm` of DPIA: a command.
    Comm,
}

impl Type {
    /// Returns the type of a curried function.
    pub fn function(params: impl DoubleEndedIterator<Item = Ty>, result: Ty) -> Ty {
        params
            .rev()
            .fold(result, |out, param| Arc::new(Type::Fun(param, out)))
    }

    /// Returns the size that is a direct part of the type, such as the length of an array; `None`
    /// if the type has none.
    pub fn size(&self) -> Option<&Nat> {
        match self {
            Type::Index(n)
            | Type::Vector(n, _)
            | Type::Array(n, _)
            | Type::DepArray(n, _)
            | Type::Apply(_, n) => Some(n),
            _ => None,
        }
    }

    /// Returns the variable that the outermost constructor of the type binds; `None` if it binds
    /// none.
    pub fn binder(&self) -> Option<Var> {
        match self {
            Type::Pi(pi) => Some(pi.var),
            Type::DepArray(_, DataFun::Lambda(param, _))
            | Type::DepPair(DataFun::Lambda(param, _)) => Some(*param),
            _ => None,
        }
    }

    /// Returns the types that are direct parts of the type, also under its binder.
    pub fn components(&self) -> impl Iterator<Item = &Ty> {
        let (first, second) = match self {
            Type::Error
            | Type::Var(_)
            | Type::Scalar(_)
            | Type::Index(_)
            | Type::Apply(..)
            | Type::DepArray(_, DataFun::Var(_))
            | Type::DepPair(DataFun::Var(_))
            | Type::Comm => (None, None),
            Type::Vector(_, part)
            | Type::Array(_, part)
            | Type::DepArray(_, DataFun::Lambda(_, part))
            | Type::DepPair(DataFun::Lambda(_, part))
            | Type::Pi(Pi { body: part, .. })
            | Type::Exp(part, _)
            | Type::Acc(part) => (Some(part), None),
            Type::Pair(a, b) | Type::Fun(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }
}

/// The access of a DPIA expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// A variable of kind ReadWrite.
    Var(Var),
    /// The expression can be read, at any element and any number of times.
    Rd,
    /// The expression has still to be written to an acceptor.
    Wr,
    /// The expression is a stream, whose elements are available one after the other.
    St,
}

/// A dependent function type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pi {
    /// The bound variable.
    pub var: Var,
    /// The variable's kind.
    pub kind: Kind,
    /// True if the argument is inferred at each use.
    pub implicit: bool,
    /// The conditions on the argument (`where …`), which may mention variables of earlier binders.
    /// Empty along the type of a definition, whose conditions are those of its [`Scheme`].
    pub conditions: Arc<[Prop]>,
    /// The type under the binder.
    pub body: Ty,
}

impl Pi {
    /// Makes a dependent function type without conditions.
    pub fn new(var: Var, kind: Kind, implicit: bool, body: Ty) -> Pi {
        Pi {
            var,
            kind,
            implicit,
            conditions: Arc::default(),
            body,
        }
    }

    /// Returns the conditions, each transformed by `map`.
    pub fn map_conditions(&self, map: impl Fn(&Prop) -> Prop) -> Arc<[Prop]> {
        match self.conditions.is_empty() {
            true => self.conditions.clone(),
            false => self.conditions.iter().map(map).collect(),
        }
    }
}

/// Returns true if values of a data type contain or may contain an array, so that writing a value
/// takes more than an assignment. This includes dependent pairs, type variables and their
/// applications.
pub fn contains_array(data: &Type) -> bool {
    match data {
        Type::Array(..) | Type::DepArray(..) | Type::DepPair(_) => true,
        Type::Pair(a, b) => contains_array(a) || contains_array(b),
        // An unknown type may be an array.
        Type::Var(_) | Type::Apply(..) => true,
        _ => false,
    }
}

/// Returns true if a data type without arrays contains floating-point numbers, whose operations
/// depend on their order.
pub fn has_floats(data: &Type) -> bool {
    match data {
        Type::Scalar(scalar) => scalar.is_float(),
        Type::Vector(_, element) => has_floats(element),
        Type::Pair(a, b) => has_floats(a) || has_floats(b),
        _ => false,
    }
}

/// Returns true if a data type contains a tuple that contains or may contain an array. Generated
/// functions pass arrays as pointers and tuples as structs; C has no struct with an array whose
/// size is a parameter.
pub fn has_tuple_of_arrays(ty: &Type) -> bool {
    match ty {
        Type::Pair(a, b) => contains_array(a) || contains_array(b),
        Type::Array(_, element) => has_tuple_of_arrays(element),
        Type::DepArray(_, DataFun::Lambda(_, element))
        | Type::DepPair(DataFun::Lambda(_, element)) => has_tuple_of_arrays(element),
        _ => false,
    }
}

/// Returns the types of the outputs of a program with a result of this type, from left to right:
/// the result, or the outputs of both components of a tuple that contains an array. A tuple without
/// arrays is one output.
pub fn outputs(result: &Ty) -> Vec<Ty> {
    parts(result, &[])
}

/// Returns the types of the parts of a result that are in memory of their own, from left to right:
/// the components `updated` that are new values of parameters (see [`in_place_components`]), and
/// the [outputs] of the others.
pub fn parts(result: &Ty, updated: &[Vec<Half>]) -> Vec<Ty> {
    match components(result, updated) {
        Some(halves) => halves
            .iter()
            .flat_map(|(half, updated)| parts(half, updated))
            .collect(),
        None => vec![result.clone()],
    }
}

/// Returns both components of a result of several [parts], each with the places in it that are
/// updated; `None` if the result is one part.
pub fn components(result: &Ty, updated: &[Vec<Half>]) -> Option<[(Ty, Vec<Vec<Half>>); 2]> {
    let Type::Pair(a, b) = &**result else {
        return None;
    };
    let is_one = updated.iter().any(Vec::is_empty);
    let inside = |half: Half| {
        let places = updated.iter().filter_map(|place| place.split_first());
        let inside = places.filter(|(first, _)| **first == half);
        inside.map(|(_, rest)| rest.to_vec()).collect()
    };
    (!is_one && (contains_array(result) || !updated.is_empty())).then(|| {
        [
            (a.clone(), inside(Half::First)),
            (b.clone(), inside(Half::Second)),
        ]
    })
}

/// A component of a result that is not the new value of a parameter that is updated in place.
#[derive(Clone, Debug, PartialEq)]
pub struct NotInPlace {
    /// The number of the parameter among those that are updated.
    pub param: usize,
    /// The type of the component; `None` if the result has no further component.
    pub found: Option<Ty>,
}

/// Returns the components of a result that are the new values of parameters of these types, which
/// are updated in place: the first components of the tuple, from left to right, or the result
/// itself. Each is given by the projections that select it.
///
/// # Errors
/// Returns the first component that has another type than its parameter.
pub fn in_place_components(result: &Ty, params: &[Ty]) -> Result<Vec<Vec<Half>>, NotInPlace> {
    let mut rest = vec![(result.clone(), Vec::new())];
    let mut found = Vec::new();
    for (param, ty) in params.iter().enumerate() {
        let path = loop {
            let Some((component, path)) = rest.pop() else {
                return Err(NotInPlace { param, found: None });
            };
            match &*component {
                _ if component == *ty => break path,
                Type::Pair(a, b) => {
                    for (half, part) in [(Half::Second, b), (Half::First, a)] {
                        let mut path: Vec<Half> = path.clone();
                        path.push(half);
                        rest.push((part.clone(), path));
                    }
                }
                _ => {
                    return Err(NotInPlace {
                        param,
                        found: Some(component),
                    });
                }
            }
        };
        found.push(path);
    }
    Ok(found)
}

/// Returns true if generated functions can write an output of this type: it is no dependent pair,
/// and no tuple in it contains an array.
pub fn is_output(ty: &Type) -> bool {
    !has_tuple_of_arrays(ty) && !matches!(ty, Type::DepPair(_))
}

/// Returns the conditions along a function type, which restrict the sizes that it takes.
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
    /// The function `dataFun(i => t)`.
    Lambda(Var, Ty),
}

/// A function from sizes to sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SizeFun {
    /// A variable of kind Nat2Nat.
    Var(Var),
    /// The function `natFun(i => n)`.
    Lambda(NatFun),
}

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A variable of kind AddrSp.
    Var(Var),
    /// One of the four address spaces.
    Space(AddressSpace),
}

/// An argument of a dependent function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// An argument of kind Nat.
    Nat(Nat),
    /// An argument of kind DataType or one of its sub-kinds.
    Type(Ty),
    /// An argument of kind AddrSp.
    Address(Address),
    /// An argument of kind Nat2Nat.
    SizeFun(SizeFun),
    /// An argument of kind Nat2Data.
    DataFun(DataFun),
    /// An argument of kind ReadWrite.
    Access(Access),
}

/// Makes the type-level argument that is a variable of this kind.
pub fn var_arg(var: Var, kind: Kind) -> Arg {
    match kind {
        Kind::Nat => Arg::Nat(Nat::var(var)),
        Kind::AddrSp => Arg::Address(Address::Var(var)),
        Kind::Nat2Nat => Arg::SizeFun(SizeFun::Var(var)),
        Kind::Nat2Data => Arg::DataFun(DataFun::Var(var)),
        Kind::ReadWrite => Arg::Access(Access::Var(var)),
        Kind::DataType | Kind::Scalar | Kind::Num | Kind::Int | Kind::Float => {
            Arg::Type(Arc::new(Type::Var(var)))
        }
    }
}

/// The names of variables, indexed by [`Var`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Names(pub Arc<[Name]>);

impl Names {
    /// Returns the name of `var`, or `_` if it has none.
    pub fn get(&self, var: Var) -> Name {
        match self.0.get(var.0 as usize) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => Name::new_static("_"),
        }
    }
}

/// The type of a definition or primitive: implicit parameters first, with the obligations of every
/// use. Variables are numbered from 0 in the order of the type, so that equal schemes are equal
/// values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    /// The type, without free variables.
    pub ty: Ty,
    /// The conditions on its parameters (`where …`).
    pub obligations: Arc<[Prop]>,
    /// The names of its variables.
    pub names: Names,
    /// Number literals whose type is a type parameter, each with that parameter. A use must
    /// instantiate the parameter with a type in whose range the literal is.
    pub literals: Arc<[(Var, Literal)]>,
}

/// A condition on sizes that an item requires and does not prove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The condition, over the item's variables.
    pub prop: Prop,
    /// The place of the term that requires it.
    pub span: Span,
}
