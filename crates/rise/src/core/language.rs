//! The interface between the passes over core terms and a language's primitives.

use std::fmt::Debug;
use std::sync::Arc;

use nat::{Nat, Var};
use syntax::Dialect;
use syntax::ast::{BinaryOp, Half, Kind, UnaryOp};

use super::{Expr, Form, Node, Origin, Param, lambda};
use crate::infer::operator_primitive;
use crate::pattern::{Pattern, RepeatLoop, View};
use crate::subst::{rename, subst};
use crate::types::{Arg, Ty, Type};
use crate::{Primitive, library_scheme};

/// The primitives of a language.
pub trait Language: Clone + PartialEq + Debug {
    /// Instantiates the primitive's type at these type-level arguments: a function of the values.
    /// Returns `None` if arguments are missing, or if the primitive is variadic and its number of
    /// values is not a constant.
    fn ty(&self, types: &[Arg]) -> Option<Ty>;

    /// Returns true if [`Language::let_in`] binds values of the type. Other values are copied to
    /// every use.
    fn binds(ty: &Type) -> bool;

    /// Makes the term `let param = value in body`.
    fn let_in(param: Param, value: Expr<Self>, body: Expr<Self>, origin: Origin) -> Expr<Self>;

    /// Returns true if normalisation moves the bindings of this primitive, whose arguments are a
    /// value and the function that uses it. RISE's `let` is the only one; DPIA has none.
    fn is_let(&self) -> bool;

    /// Returns true if the primitive costs nothing, as a projection of a pair does, so that it may
    /// be computed again at every use.
    fn is_free(&self) -> bool;

    /// Returns true if the argument at this position is a scope of its own: it is computed only if
    /// needed, or in a place of its own, so bindings in it must not move out.
    fn is_closed(&self, position: usize) -> bool;

    /// Returns the primitive's type with its type-level parameters, which are in the order of the
    /// type-level arguments.
    fn signature(&self) -> &Type;

    /// Returns the notation of an application.
    fn notation(&self) -> Notation;

    /// Returns the type-level arguments that a program has to write: the optional one, unless it is
    /// missing or the dimension 0, and the explicit ones. They are grouped into argument lists.
    fn written(&self, types: &[Arg]) -> Vec<Vec<Arg>>;

    /// Returns the same as [`Language::written`] with the implicit arguments before the explicit
    /// ones; `None` if the language's programs cannot write implicit arguments.
    fn written_whole(&self, types: &[Arg]) -> Option<Vec<Vec<Arg>>>;

    /// Returns true if the name is that of a primitive of the language, so that the printer gives
    /// it to no variable.
    fn is_name(name: &str) -> bool;

    /// True if primitives are only written with all of their arguments.
    const WHOLE: bool;

    /// The language's syntax.
    const DIALECT: Dialect;

    /// Returns true if each application of the primitive writes the argument at this position to
    /// memory, as a reduction does its start, so that the argument is evaluated anew each time.
    fn is_written(&self, position: usize) -> bool;

    /// Returns true for the primitive of RISE that makes a segment of an array.
    fn is_segment(&self) -> bool;

    /// Returns the exclusive upper bound of the sizes that the primitive passes to its function,
    /// for primitives that count from 0; `None` for all others.
    /// For a match of a segment, it is the number of elements of the array and 1.
    fn counted(&self, types: &[Arg], args: &[Expr<Self>]) -> Option<Nat>;
}

/// Returns the exclusive upper bound of the length of a segment: the number of elements of its array
/// and 1. Returns `None` for other expressions.
pub fn segment_bound<P: Language>(pair: &Expr<P>) -> Option<Nat> {
    match &pair.form {
        Form::Primitive(p, types, _) if p.is_segment() => match types.first()? {
            Arg::Nat(n) => Some(Nat::add(n, &Nat::ONE)),
            _ => None,
        },
        _ => None,
    }
}

/// The parts of `let {k} x = … in body` or `let {k} = … in body`.
#[derive(Clone, Copy, Debug)]
pub struct SizeBinding<'e, P> {
    /// The size `k`.
    pub size: Var,
    /// The value `x` beside it, if there is one.
    pub param: Option<&'e Param>,
    /// The body.
    pub body: &'e Expr<P>,
}

/// Returns what the function `f` binds of `value`, a segment or an index; `None` if the value is
/// another dependent pair, or the function is not written out.
pub fn size_binding<'e, P: Language>(
    value: &Expr<P>,
    f: &'e Expr<P>,
) -> Option<SizeBinding<'e, P>> {
    let Form::DepLambda(size, Kind::Nat, body) = &f.form else {
        return None;
    };
    let (param, body) = match (&*value.ty, &value.form, &body.form) {
        (Type::Index(_), ..) => (None, body),
        (Type::DepPair(_), Form::Primitive(p, ..), Form::Lambda(param, body)) if p.is_segment() => {
            (Some(param), body)
        }
        _ => return None,
    };
    let size = *size;
    Some(SizeBinding { size, param, body })
}

/// The notation of a primitive's application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// The call `f(n)(a)(b)`.
    Call(&'static str),
    /// The pipe `b |> f(n)(a)`.
    Pipe(&'static str),
    /// The call `f(n, a, b)`, always with all arguments.
    Whole(&'static str),
    /// The call with a list of values, `f(n)(a, b)`.
    List(&'static str),
    /// The infix operator `a + b`, or `add` with fewer arguments.
    Infix(BinaryOp, &'static str),
    /// The prefix operator `-a`.
    Prefix(UnaryOp, &'static str),
    /// The projection `a._1`.
    Project(Half, &'static str),
    /// The pair `(a, b)`.
    Pair(&'static str),
    /// The binding `let x = a in b`.
    Let(&'static str),
    /// The binding `let {k} x = a in b` of the length and the elements of a segment, or
    /// `let {k} = a in b` of an index; the call `f(a)(b)` for other values.
    LetSize(&'static str),
    /// The assignment `a = b`.
    Assign,
    /// The sequence `a; b`.
    Sequence,
    /// The conditional `if (a) { b } else { c }`.
    If,
    /// The empty command `skip`.
    Skip,
}

/// The first number of the variables that signatures bind, above those of programs.
const SIGNATURE_VARS: u32 = 1 << 30;

impl Language for Primitive {
    fn ty(&self, types: &[Arg]) -> Option<Ty> {
        if self.pattern() == Pattern::Literal {
            return make_array_type(types);
        }
        let mut ty = rename(&library_scheme(*self).ty, &|v| Var(v.0 + SIGNATURE_VARS));
        let mut types = types.iter();
        while let Type::Pi(pi) = &*ty {
            let arg = types.next()?;
            ty = subst(&pi.body, &|v| (v == pi.var).then(|| arg.clone()));
        }
        Some(ty)
    }

    fn binds(_ty: &Type) -> bool {
        true
    }

    fn let_in(param: Param, value: Expr<Self>, body: Expr<Self>, origin: Origin) -> Expr<Self> {
        let ty = body.ty.clone();
        let types = Arc::new([Arg::Type(param.ty.clone()), Arg::Type(ty.clone())]);
        let args = Arc::new([value, lambda(param, body)]);
        let form = Form::Primitive(Primitive::Let, types, args);
        Node::new(form, ty, origin)
    }

    fn is_let(&self) -> bool {
        *self == Primitive::Let
    }

    fn is_free(&self) -> bool {
        matches!(self.pattern(), Pattern::Half(_))
    }

    const WHOLE: bool = false;
    const DIALECT: Dialect = Dialect::Rise;

    fn signature(&self) -> &Type {
        &library_scheme(*self).ty
    }

    fn is_name(name: &str) -> bool {
        Primitive::from_name(name).is_some()
    }

    fn notation(&self) -> Notation {
        notation(*self)
    }

    fn written(&self, types: &[Arg]) -> Vec<Vec<Arg>> {
        let mut lists = Vec::new();
        let (mut ty, mut rest) = (self.signature(), types.iter());
        while let Type::Pi(pi) = ty {
            let arg = rest.next();
            if !pi.implicit {
                lists.extend(arg.map(|arg| vec![arg.clone()]));
            }
            ty = &pi.body;
        }
        match (self, rest.next()) {
            // The dimension 0 means that none is given.
            (_, Some(Arg::Nat(dimension))) if dimension.is_zero() => {}
            (_, Some(optional)) => lists.insert(0, vec![optional.clone()]),
            (Primitive::OclRun, None) => {
                let sizes: Vec<Arg> = lists.concat();
                lists = sizes.chunks(3).map(<[Arg]>::to_vec).collect();
            }
            _ => {}
        }
        lists
    }

    fn written_whole(&self, _types: &[Arg]) -> Option<Vec<Vec<Arg>>> {
        None
    }

    fn is_segment(&self) -> bool {
        *self == Primitive::Segment
    }

    fn counted(&self, types: &[Arg], args: &[Expr<Primitive>]) -> Option<Nat> {
        match (self.pattern(), types.first()) {
            (Pattern::DepMap(_) | Pattern::DepMatch, Some(Arg::Nat(n))) => Some(n.clone()),
            (Pattern::DepMatch, _) => segment_bound(args.first()?),
            _ => None,
        }
    }

    fn is_closed(&self, position: usize) -> bool {
        match self.pattern() {
            Pattern::Connective | Pattern::Select => position > 0,
            Pattern::Kernel => true,
            _ => false,
        }
    }

    fn is_written(&self, position: usize) -> bool {
        match self.pattern() {
            Pattern::Reduce(_) | Pattern::Scan => position == 1,
            Pattern::Repeat(RepeatLoop::InPlace) => position == 1,
            Pattern::View(View::Scatter) => position == 1,
            Pattern::View(View::PadEmpty) => true,
            Pattern::Memory | Pattern::Kernel | Pattern::Concat => true,
            _ => false,
        }
    }
}

fn make_array_type(types: &[Arg]) -> Option<Ty> {
    let [Arg::Nat(count), Arg::Type(elem)] = types else {
        return None;
    };
    let array: Ty = Arc::new(Type::Array(count.clone(), elem.clone()));
    let fun = |out, _| Arc::new(Type::Fun(elem.clone(), out));
    Some((0..count.as_const()?).fold(array, fun))
}

/// Returns the notation of a primitive: that of its operator if it has one, otherwise that of its
/// pattern.
fn notation(primitive: Primitive) -> Notation {
    let name = primitive.name();
    let is_own = |op: &BinaryOp| operator_primitive(*op) == Some(primitive);
    match primitive {
        Primitive::Neg => Notation::Prefix(UnaryOp::Neg, name),
        Primitive::Not => Notation::Prefix(UnaryOp::Not, name),
        Primitive::Segment => Notation::Pipe(name),
        _ => match BinaryOp::ALL.iter().copied().find(is_own) {
            Some(op) => Notation::Infix(op, name),
            None => notation_of_pattern(primitive.pattern(), name),
        },
    }
}

/// Returns the notation of a primitive that has no operator. Primitives that transform their last
/// argument are written as pipes.
const fn notation_of_pattern(pattern: Pattern, name: &'static str) -> Notation {
    match pattern {
        Pattern::Let => Notation::Let(name),
        Pattern::Literal => Notation::List(name),
        Pattern::Pair => Notation::Pair(name),
        Pattern::Half(Half::First) => Notation::Project(Half::First, name),
        Pattern::Half(Half::Second) => Notation::Project(Half::Second, name),
        Pattern::Scalar | Pattern::Connective | Pattern::Select | Pattern::Generate => {
            Notation::Call(name)
        }
        Pattern::DepMatch => Notation::LetSize(name),
        Pattern::Concat | Pattern::Zip | Pattern::DepPair => Notation::Call(name),
        Pattern::Element | Pattern::View(_) | Pattern::MapHalf(_) | Pattern::Map(_) => {
            Notation::Pipe(name)
        }
        Pattern::DepMap(_) | Pattern::Reduce(_) | Pattern::Scan | Pattern::Iterate => {
            Notation::Pipe(name)
        }
        Pattern::Repeat(_) | Pattern::Stream(_) | Pattern::Memory | Pattern::Kernel => {
            Notation::Pipe(name)
        }
    }
}
