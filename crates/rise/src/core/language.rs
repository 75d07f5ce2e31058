//! What passes over all languages of core terms need to know of their primitives.

use std::fmt::Debug;
use std::sync::Arc;

use nat::{Nat, Var};
use syntax::Dialect;
use syntax::ast::{BinaryOp, Half, UnaryOp};

use super::{Expr, Form, Node, Origin, Param, lambda};
use crate::subst::{rename, subst};
use crate::types::{Arg, Ty, Type};
use crate::{Primitive, library_scheme};

/// The primitives of a language.
pub trait Language: Clone + PartialEq + Debug {
    /// The type at these type-level arguments: a function of the values.
    fn ty(&self, types: &[Arg]) -> Option<Ty>;

    /// Whether [`Language::let_in`] binds values of the type. Those that it does not bind stand in
    /// every place where they are used.
    fn binds(ty: &Type) -> bool;

    /// `let param = value in body`
    fn let_in(param: Param, value: Expr<Self>, body: Expr<Self>, origin: Origin) -> Expr<Self>;

    /// Whether this is the primitive of [`Language::let_in`]: a value, and what is done with it.
    fn is_let(&self) -> bool;

    /// Whether it costs nothing, so that it may be done again at every use: halves of a pair.
    fn is_free(&self) -> bool;

    /// Whether the value at this position is computed only if it is needed, or in a place of its
    /// own, so that what is bound in it stays in it.
    fn is_closed(&self, position: usize) -> bool;

    /// The type with its type-level parameters, which are those of the type-level arguments in
    /// order.
    fn signature(&self) -> &Type;

    /// How an application is written.
    fn notation(&self) -> Notation;

    /// The type-level arguments that are written, in lists as they are written.
    fn written(&self, types: &[Arg]) -> Vec<Vec<Arg>>;

    /// The same where the implicit ones are to be written too; `None` if they cannot be.
    fn written_whole(&self, types: &[Arg]) -> Option<Vec<Vec<Arg>>>;

    /// Whether the name stands for something of the language, so that no variable can have it.
    fn is_name(name: &str) -> bool;

    /// Whether primitives are written with all of their arguments only.
    const WHOLE: bool;

    /// The language's syntax.
    const DIALECT: Dialect;

    /// Whether the value at this position is written where the primitive stands, so that it
    /// belongs to each application of it: the start of a reduction.
    fn is_written(&self, position: usize) -> bool;

    /// For a primitive whose function takes a size that counts from 0: to where.
    fn counted(&self, types: &[Arg]) -> Option<Nat>;
}

/// How an application of a primitive is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `f(n)(a)(b)`
    Call(&'static str),
    /// `b |> f(n)(a)`
    Pipe(&'static str),
    /// `f(n, a, b)`, with all of its arguments.
    Whole(&'static str),
    /// `f(n)(a, b)`
    List(&'static str),
    /// `a + b`; `add` where it has less.
    Infix(BinaryOp, &'static str),
    /// `-a`
    Prefix(UnaryOp, &'static str),
    /// `a._1`
    Project(Half, &'static str),
    /// `(a, b)`
    Pair(&'static str),
    /// `let x = a in b`
    Let(&'static str),
    /// `a = b`
    Assign,
    /// `a; b`
    Sequence,
    /// `if (a) { b } else { c }`
    If,
    /// `skip`
    Skip,
}

/// The variables that signatures bind are numbered from here on, away from those of programs.
const SIGNATURE_VARS: u32 = 1 << 30;

impl Language for Primitive {
    fn ty(&self, types: &[Arg]) -> Option<Ty> {
        if *self == Primitive::MakeArray {
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
        matches!(self, Primitive::Fst | Primitive::Snd)
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
            // 0 is what stands for none.
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

    fn counted(&self, types: &[Arg]) -> Option<Nat> {
        match (self, types.first()) {
            (Primitive::DepMapSeq, Some(Arg::Nat(n))) => Some(n.clone()),
            _ => None,
        }
    }

    fn is_closed(&self, position: usize) -> bool {
        match self {
            Primitive::And | Primitive::Or | Primitive::Select => position > 0,
            Primitive::OclRun => true,
            _ => false,
        }
    }

    fn is_written(&self, position: usize) -> bool {
        match self {
            Primitive::Reduce
            | Primitive::ReducePar
            | Primitive::ReduceSeq
            | Primitive::ReduceSeqUnroll
            | Primitive::ScanSeq => position == 1,
            Primitive::ToMem | Primitive::OclRun | Primitive::Concat | Primitive::PadEmpty => true,
            Primitive::Scatter => position == 1,
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

/// What works on the last value reads best behind it.
fn notation(primitive: Primitive) -> Notation {
    use Primitive::*;
    let name = primitive.name();
    match primitive {
        Add => Notation::Infix(BinaryOp::Add, name),
        Sub => Notation::Infix(BinaryOp::Sub, name),
        Mul => Notation::Infix(BinaryOp::Mul, name),
        Div => Notation::Infix(BinaryOp::Div, name),
        Mod => Notation::Infix(BinaryOp::Mod, name),
        Gt => Notation::Infix(BinaryOp::Gt, name),
        Lt => Notation::Infix(BinaryOp::Lt, name),
        Ge => Notation::Infix(BinaryOp::Ge, name),
        Le => Notation::Infix(BinaryOp::Le, name),
        Equal => Notation::Infix(BinaryOp::Eq, name),
        NotEqual => Notation::Infix(BinaryOp::Ne, name),
        And => Notation::Infix(BinaryOp::And, name),
        Or => Notation::Infix(BinaryOp::Or, name),
        Neg => Notation::Prefix(UnaryOp::Neg, name),
        Not => Notation::Prefix(UnaryOp::Not, name),
        Fst => Notation::Project(Half::First, name),
        Snd => Notation::Project(Half::Second, name),
        MakePair => Notation::Pair(name),
        Let => Notation::Let(name),
        MakeArray => Notation::List(name),
        Fma | Select | Cast | IndexAsNat | NatAsIndex | Generate | Concat | Zip | DepZip
        | VectorFromScalar | MakeDepPair | Dmatch => Notation::Call(name),
        Idx | Take | Drop | Split | Join | Transpose | Slide | Assume | Gather | Scatter
        | Reorder | PadCst | PadClamp | PadEmpty | Unzip | MapFst | MapSnd | AsScalar
        | AsVector | AsVectorAligned | MapVec | Map | Reduce | MapSeq | MapSeqUnroll
        | MapStream | IterateStream | MapPar | MapGlobal | MapWorkGroup | MapLocal | ReducePar
        | ReduceSeq | ReduceSeqUnroll | ScanSeq | Iterate | CircularBuffer | RotateValues
        | ToMem | OclRun | DepMapSeq | DepJoin | Partition => Notation::Pipe(name),
    }
}
