//! What passes over all languages of core terms need to know of their primitives.

use std::fmt::Debug;
use std::sync::Arc;

use nat::Var;

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

    /// Whether the value at this position is written where the primitive stands, so that it
    /// belongs to each application of it: the start of a reduction.
    fn is_written(&self, position: usize) -> bool;
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
