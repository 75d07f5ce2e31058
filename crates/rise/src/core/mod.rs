//! The core language: explicit terms, which are the input of the interpreter and of translation.
//!
//! `elaborate` translates one checked item to a [`Def`], in which each name is resolved, each
//! implicit argument is given and each operator is a primitive. `link` inlines the definitions that
//! it uses and returns a closed [`Program`]. The same terms, over other primitives, are the phrases
//! of DPIA.

mod check;
mod compose;
mod elaborate;
mod language;
mod link;
mod mapper;
mod normalization;
mod print;
mod program;
mod simplify;
mod standalone;

use std::slice;
use std::sync::Arc;

use nat::{Nat, Prop, Var};
use syntax::ast::{Kind, Literal, Name};
use syntax::{GlobalId, Span};

use crate::subst::subst;
use crate::types::{Arg, Names, Pi, Ty};

pub use check::{IllTyped, check};
pub use compose::{is_composition, without_compositions};
pub use elaborate::{
    Command, Surface, Terms, elaborate, elaborate_in, elaborate_terms, size_of_value,
};
pub use language::{Language, Notation, SizeBinding, segment_bound, size_binding};
pub use link::{LinkError, MAX_HEIGHT, MAX_NODES, link};
pub use mapper::{Mapper, for_each_local, subst_local, subst_vars, walk};
pub use normalization::{NormalError, normalise};
pub use print::{
    Printed, bare_def_text, def_text, expr_text, print_program, program_text, term_text,
};
pub use program::{NotRunnable, Parameter, ParameterForm, Signature};
pub use simplify::simplify_sizes;
pub use standalone::{SourceError, VisitedDefs, named, program_of};

/// A shared expression over the primitives `P`.
pub type Expr<P> = Arc<Node<P>>;

/// An expression with its type and its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<P> {
    /// The form of the expression.
    pub form: Form<P>,
    /// The type of the expression.
    pub ty: Ty,
    /// The source of the expression: an index into [`Program::origins`], or in a [`Def`] into
    /// [`Def::sites`].
    pub origin: Origin,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Form<P> {
    /// A variable bound by a [`Form::Lambda`].
    Var(Local),
    /// A number or truth value. The type of the node determines its sort: a scalar, `Idx[n]`, or a
    /// vector with the number in every lane. In a [`Def`] that type may be a variable, in a
    /// [`Program`] only if the program itself is generic.
    Literal(Literal),
    /// A size as a value of `natType`.
    Nat(Nat),
    /// The function `fun(x: t => body)`.
    Lambda(Param, Expr<P>),
    /// The dependent function `depFun(x: kind => body)`.
    DepLambda(Var, Kind, Expr<P>),
    /// The application `f(x)`. The callee is never a primitive that still takes arguments:
    /// [`apply`] ensures it.
    Apply(Expr<P>, Expr<P>),
    /// The application `f(n)` of a dependent function.
    DepApply(Expr<P>, Arg),
    /// A primitive with all of its type-level arguments, in the order of its type, and its values,
    /// curried: with fewer values than it takes it is a function. It never has more than it takes.
    ///
    /// For RISE's primitives the type-level arguments are those of the signature in
    /// `primitives.rise`, implicit and explicit ones in their order there, followed by the optional
    /// first argument: for [`Dimension`](crate::primitive::OptionalArgument::Dimension) always the
    /// dimension as [`Arg::Nat`] (0 where none is written), for
    /// [`AddressSpace`](crate::primitive::OptionalArgument::AddressSpace) an [`Arg::Address`] if
    /// one is written and nothing otherwise. `makeArray` has its count and the element type, and
    /// takes as many values as the count.
    Primitive(P, Arc<[Arg]>, Arc<[Expr<P>]>),
    /// A C function with the arguments that are given so far.
    Foreign(Arc<Foreign>, Arc<[Expr<P>]>),
    /// A use of a definition, with its implicit arguments. A linked program contains none. The
    /// explicit type-level arguments that this node is applied to are already substituted in its
    /// type.
    Global(GlobalId, Arc<[Arg]>),
}

/// A value variable. Numbers are unique in a [`Program`] and alone identify the variable; the name
/// is only for messages and texts.
#[derive(Clone, Debug)]
pub struct Local {
    /// The variable's number.
    pub id: u32,
    /// The variable's name in the text.
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
    /// The parameter's type.
    pub ty: Ty,
}

/// The source of an expression: an index into [`Program::origins`], or in a [`Def`] into
/// [`Def::sites`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(pub u32);

/// A place in a text, and the use that brought it into the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The definition that contains the text; `None` is the program's own definition.
    pub def: Option<GlobalId>,
    /// The whole term, in bytes from the first byte of that item.
    pub span: Span,
    /// The word to point at in messages: the name of the applied function, the operator, or the
    /// keyword; for a name or literal the whole term.
    pub head: Span,
    /// The use of the definition or function that contains the text, if it was inlined or copied at
    /// a use; `None` for other text of the program's own definition.
    pub used_at: Option<Origin>,
}

/// A place in the text of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The whole term, in bytes from the item's first byte.
    pub span: Span,
    /// The word to point at, see [`Source::head`].
    pub head: Span,
}

/// A C function that a program declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    /// The function's name in C.
    pub name: Name,
    /// The names and types of the parameters.
    pub params: Box<[(Name, Ty)]>,
    /// The type of the result.
    pub result: Ty,
    /// The C text of the body with its braces; without it, the function is one of `<math.h>` or is
    /// resolved by the linker.
    pub body: Option<Box<str>>,
    /// The position of the body in the item, for messages.
    pub body_span: Option<Span>,
    /// The item that declares it; `None` before linking, and in a program if it is the program's
    /// own item.
    pub id: Option<GlobalId>,
}

impl Foreign {
    /// Returns true if the text of the body has the function's own name before an opening
    /// parenthesis, as a recursive call does. Generated code that renames the function then has to
    /// rename it in the body too.
    pub fn calls_itself(&self) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let body = self.body.as_deref().unwrap_or_default();
        body.match_indices(self.name.as_str()).any(|(at, name)| {
            let (before, after) = (&body[..at], &body[at + name.len()..]);
            !before.ends_with(is_word) && after.trim_start().starts_with('(')
        })
    }
}

/// A checked definition whose uses of other definitions are not inlined. Variables and locals are
/// numbered as in its [`Inference`](crate::Inference).
#[derive(Clone, Debug, PartialEq)]
pub struct Def<P> {
    /// The definition's name.
    pub name: Name,
    /// The leading implicit parameters, whose arguments are inferred at each use.
    pub implicit: Box<[(Var, Kind)]>,
    /// The right side under its implicit parameters; its origins are indices into [`Def::sites`].
    pub body: Expr<P>,
    /// The places in the text that origins refer to.
    pub sites: Box<[Site]>,
    /// The definitions that it uses, each once, with the name that its text has for it.
    pub uses: Box<[(GlobalId, Name)]>,
    /// The conditions on sizes that it assumes.
    pub obligations: Box<[Prop]>,
    /// The facts about sizes in every iteration of its `iterate`s.
    pub of_rounds: Box<[Prop]>,
    /// The names of its type-level variables.
    pub names: Names,
    /// An exclusive upper bound of the numbers of its locals.
    pub locals: u32,
    /// The launch sizes of its annotation.
    pub launch: Launch,
    /// The positions of the parameters that are updated in place, counted among its values.
    pub inout: Box<[usize]>,
}

/// The sizes of an OpenCL launch, from `@opencl(local = …, global = …)`, in the sizes of the
/// program. `None` is unknown; a dimension behind the last written one is 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Launch {
    /// The number of work-items of a work-group in each dimension.
    pub local: [Option<Nat>; 3],
    /// The total number of work-items in each dimension.
    pub global: [Option<Nat>; 3],
}

impl Launch {
    /// Makes the launch from the lists of sizes in `oclRun` or `@opencl`; an empty list leaves its
    /// sizes unknown.
    pub fn of(local: &[Nat], global: &[Nat]) -> Launch {
        let all = |sizes: &[Nat]| match sizes {
            [] => [None, None, None],
            _ => [0, 1, 2].map(|at| Some(sizes.get(at).cloned().unwrap_or(Nat::ONE))),
        };
        Launch {
            local: all(local),
            global: all(global),
        }
    }
}

/// A closed program: a definition in which every used definition is inlined.
#[derive(Clone, Debug, PartialEq)]
pub struct Program<P> {
    /// The definition's name.
    pub name: Name,
    /// The right side under its implicit parameters, without free variables.
    pub body: Expr<P>,
    /// The conditions on sizes that it assumes, which are checked before it runs.
    pub obligations: Vec<Prop>,
    /// Further facts about sizes: the conditions of the used definitions, which were proved at the
    /// uses, and those about the iterations of `iterate`.
    pub facts: Vec<Prop>,
    /// The names of its type-level variables.
    pub names: Vec<Name>,
    /// The places that [`Origin`]s refer to.
    pub origins: Vec<Source>,
    /// The next free number of a local.
    pub next_local: u32,
    /// The launch sizes of its annotation.
    pub launch: Launch,
    /// The positions of the parameters that are updated in place, counted among its values. The
    /// first components of the result are their new values; see
    /// [`in_place_components`](crate::types::in_place_components).
    pub inout: Box<[usize]>,
}

impl<P> Program<P> {
    /// Makes a local with a new number.
    pub fn fresh_local(&mut self, name: impl Into<Name>) -> Local {
        let id = self.next_local;
        self.next_local += 1;
        Local {
            id,
            name: name.into(),
        }
    }

    /// Makes a new type-level variable.
    pub fn fresh_var(&mut self, name: impl Into<Name>) -> Var {
        let var = Var(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.into());
        var
    }

    /// Returns the name of a type-level variable, or the empty name if it has none.
    pub fn name_of(&self, var: Var) -> Name {
        self.names.get(var.0 as usize).cloned().unwrap_or_default()
    }
}

impl<P> Form<P> {
    /// Returns the direct subterms that are expressions: a function before its argument, and
    /// arguments in their order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Expr<P>> {
        let (first, rest): (&[_], &[_]) = match self {
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => (&[], &[]),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                (slice::from_ref(body), &[])
            }
            Form::Apply(f, x) => (slice::from_ref(f), slice::from_ref(x)),
            Form::Primitive(_, _, args) | Form::Foreign(_, args) => (args, &[]),
        };
        first.iter().chain(rest)
    }
}

/// Returns the term itself and all terms in it in pre-order. A shared term is returned once for
/// each place where it is used.
pub fn subterms<P>(term: &Expr<P>) -> impl Iterator<Item = &Expr<P>> {
    let mut rest = vec![term];
    std::iter::from_fn(move || {
        let term = rest.pop()?;
        rest.extend(term.form.children().rev());
        Some(term)
    })
}

impl<P> Node<P> {
    /// Makes a shared node.
    pub fn new(form: Form<P>, ty: Ty, origin: Origin) -> Expr<P> {
        Arc::new(Node { form, ty, origin })
    }

    /// Makes a node that refers to the parameter.
    pub fn var(param: &Param, origin: Origin) -> Expr<P> {
        Node::new(Form::Var(param.local.clone()), param.ty.clone(), origin)
    }
}

/// Makes the application `f(x)`; a primitive or C function takes the value as its next argument.
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

/// Makes the application `f(arg)` of a dependent function.
pub fn dep_apply<P>(f: &Expr<P>, arg: Arg, origin: Origin) -> Expr<P> {
    let result = match &*f.ty {
        crate::Type::Pi(pi) => subst(&pi.body, &|v| (v == pi.var).then(|| arg.clone())),
        _ => Arc::new(crate::Type::Error),
    };
    Node::new(Form::DepApply(f.clone(), arg), result, origin)
}

/// Makes `depFun(var: kind => body)`; `implicit` is true if the argument is inferred at each use.
pub fn dep_lambda<P>(var: Var, kind: Kind, implicit: bool, body: Expr<P>) -> Expr<P> {
    let ty = Arc::new(crate::Type::Pi(Pi::new(
        var,
        kind,
        implicit,
        body.ty.clone(),
    )));
    let origin = body.origin;
    Node::new(Form::DepLambda(var, kind, body), ty, origin)
}

/// Makes the function `fun(param => body)`.
pub fn lambda<P>(param: Param, body: Expr<P>) -> Expr<P> {
    let ty = Arc::new(crate::Type::Fun(param.ty.clone(), body.ty.clone()));
    let origin = body.origin;
    Node::new(Form::Lambda(param, body), ty, origin)
}
