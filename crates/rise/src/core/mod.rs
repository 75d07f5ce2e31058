//! Core RISE: programs with everything explicit, between inference and what runs or compiles them.
//!
//! `elaborate` turns one checked item into a [`Def`], in which each name is
//! resolved, each implicit argument is there and each operator is a primitive; `link`
//! puts the definitions that it uses in their places and gives a closed [`Program`]. The same
//! terms, over other primitives, are the phrases of DPIA.

mod map;

use std::sync::Arc;

use nat::{Nat, Prop, Var};
use syntax::ast::{Kind, Literal, Name};
use syntax::{GlobalId, Span};

use crate::types::{Arg, Names, Ty};

pub use map::{Mapper, for_each_local, subst_local, subst_vars, walk};

/// A shared expression over the primitives `P`.
pub type Expr<P> = Arc<Node<P>>;

/// An expression with its type and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<P> {
    /// What it is.
    pub form: Form<P>,
    /// Its type.
    pub ty: Ty,
    /// The text that it comes from, a place in [`Program::origins`].
    pub origin: Origin,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Form<P> {
    /// A variable bound by a [`Form::Lambda`].
    Var(Local),
    /// A number or truth value; which numbers it is one of says the type of the node: a scalar or
    /// `Idx[n]`, never a type variable in a [`Program`].
    Literal(Literal),
    /// A size as a value of `natType`.
    Nat(Nat),
    /// `fun(x: t => body)`
    Lambda(Param, Expr<P>),
    /// `depFun(x: kind => body)`
    DepLambda(Var, Kind, Expr<P>),
    /// `f(x)`. The callee is never a primitive that still takes arguments: [`apply`] sees to it.
    Apply(Expr<P>, Expr<P>),
    /// `f(n)` for a dependent function.
    DepApply(Expr<P>, Arg),
    /// A primitive with all of its type-level arguments, in the order of its type, and the values
    /// that it has so far, curried: with fewer than it takes it is a function.
    Primitive(P, Arc<[Arg]>, Arc<[Expr<P>]>),
    /// A C function with its arguments so far.
    Foreign(Arc<Foreign>, Arc<[Expr<P>]>),
    /// A definition with its implicit arguments. Linking leaves none.
    Global(GlobalId, Arc<[Arg]>),
}

/// A variable for values. Numbers are unique in a [`Program`]; the name is for people.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its number.
    pub id: u32,
    /// What it is called in the text.
    pub name: Name,
}

impl PartialEq for Local {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Local {}

impl std::hash::Hash for Local {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// The parameter of a [`Form::Lambda`].
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The variable.
    pub local: Local,
    /// Its type.
    pub ty: Ty,
}

/// Where an expression comes from: an index into [`Program::origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u32);

/// A place in a text, and the use that brought it into the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The definition that the text belongs to; `None` is the program's own definition.
    pub def: Option<GlobalId>,
    /// In bytes from the first byte of that item.
    pub span: Span,
    /// The use of the definition, where it is not the program's own.
    pub used_at: Option<Origin>,
}

/// A C function that a program declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    /// Its name in C.
    pub name: Name,
    /// Its parameters.
    pub params: Box<[(Name, Ty)]>,
    /// What it returns.
    pub result: Ty,
    /// The C text of its body with the braces; without it, a function of `<math.h>` or the linker's.
    pub body: Option<Box<str>>,
    /// Where the body stands in the item, for messages about it.
    pub body_span: Option<Span>,
    /// The item that declares it.
    pub id: Option<GlobalId>,
}

/// A checked definition, the definitions that it uses still by name. Variables and locals are
/// numbered as in its [`Inference`](crate::Inference).
#[derive(Clone, Debug, PartialEq)]
pub struct Def<P> {
    /// The parameters that each use infers: first in its type.
    pub implicit: Box<[(Var, Kind)]>,
    /// The right side, with the origins of [`Def::spans`].
    pub body: Expr<P>,
    /// The spans that origins stand for, in bytes from the item's first byte.
    pub spans: Box<[Span]>,
    /// What it assumes of sizes.
    pub obligations: Box<[Prop]>,
    /// What its type-level variables are called.
    pub names: Names,
    /// How many numbers for locals it uses: each is below.
    pub locals: u32,
}

/// A closed program: one definition with everything that it uses in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Program<P> {
    /// The definition's name.
    pub name: Name,
    /// Its right side under its implicit parameters, closed.
    pub body: Expr<P>,
    /// What it assumes of its sizes: checked before it runs.
    pub obligations: Vec<Prop>,
    /// What else is known of sizes: the conditions of the definitions that it uses, which were
    /// proved where they are used.
    pub facts: Vec<Prop>,
    /// What type-level variables are called.
    pub names: Vec<Name>,
    /// What [`Origin`]s stand for.
    pub origins: Vec<Source>,
    /// The next free number for a local.
    pub next_local: u32,
}

impl<P> Program<P> {
    /// A new local.
    pub fn fresh_local(&mut self, name: impl Into<Name>) -> Local {
        let id = self.next_local;
        self.next_local += 1;
        Local {
            id,
            name: name.into(),
        }
    }

    /// A new type-level variable.
    pub fn fresh_var(&mut self, name: impl Into<Name>) -> Var {
        let var = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.into());
        var
    }

    /// What a type-level variable is called.
    pub fn name_of(&self, var: Var) -> Name {
        self.names.get(var.0 as usize).cloned().unwrap_or_default()
    }
}

impl<P> Node<P> {
    /// A shared node.
    pub fn new(form: Form<P>, ty: Ty, origin: Origin) -> Expr<P> {
        Arc::new(Node { form, ty, origin })
    }

    /// A variable.
    pub fn var(param: &Param, origin: Origin) -> Expr<P> {
        Node::new(Form::Var(param.local.clone()), param.ty.clone(), origin)
    }
}

/// `f(x)`, where a primitive or C function takes the value as its next argument.
pub fn apply<P: Clone>(f: &Expr<P>, x: Expr<P>, origin: Origin) -> Expr<P> {
    let result = match &*f.ty {
        crate::Type::Fun(_, result) => result.clone(),
        _ => Arc::new(crate::Type::Error),
    };
    let with = |args: &Arc<[Expr<P>]>, x| args.iter().cloned().chain([x]).collect();
    let form = match &f.form {
        Form::Primitive(p, types, args) => Form::Primitive(p.clone(), types.clone(), with(args, x)),
        Form::Foreign(function, args) => Form::Foreign(function.clone(), with(args, x)),
        _ => Form::Apply(f.clone(), x),
    };
    Node::new(form, result, origin)
}

/// `fun(param => body)`
pub fn lambda<P>(param: Param, body: Expr<P>) -> Expr<P> {
    let ty = Arc::new(crate::Type::Fun(param.ty.clone(), body.ty.clone()));
    let origin = body.origin;
    Node::new(Form::Lambda(param, body), ty, origin)
}
