//! The elaboration of checked items of DPIA to core terms over DPIA's primitives.

use std::sync::Arc;

use rise::core::{Command, Def, Surface, elaborate_in};
use rise::primitive::OptionalArgument;
use rise::{Access, Arg, Inference, Primitive, Scheme, Target, Ty, Type};
use syntax::ast::Item;

use crate::phrase;
use crate::prim::Prim;
use crate::typing;

/// Elaborates a checked item of DPIA. Returns `None` if it has an error or defines nothing.
///
/// `item` must have been read without a syntax error.
pub fn elaborate(item: &Item, inference: &Inference) -> Option<Def<Prim>> {
    elaborate_in(item, inference)
}

impl Surface for Prim {
    const WHOLE: bool = true;

    fn of_target(target: Target) -> Option<Self> {
        match target {
            Target::Phrase(id) => typing::primitive(id),
            _ => None,
        }
    }

    fn of_rise(primitive: Primitive) -> Option<Self> {
        Prim::of_rise(primitive)
    }

    fn of_command(command: Command) -> Option<Self> {
        Some(match command {
            Command::Assign => Prim::Assign,
            Command::Sequence => Prim::Seq,
            Command::If => Prim::If,
            Command::Skip => Prim::Skip,
        })
    }

    fn scheme(&self) -> &Arc<Scheme> {
        Prim::scheme(*self)
    }

    fn optional_argument(&self) -> Option<OptionalArgument> {
        Prim::optional_argument(*self)
    }

    fn is_make_array(&self) -> bool {
        *self == Prim::MakeArray
    }

    fn value(data: Ty) -> Ty {
        phrase::exp(&data, Access::Rd)
    }

    fn data(ty: &Ty) -> Option<Ty> {
        phrase::data(ty).cloned()
    }

    fn access(ty: &Type) -> Option<Arg> {
        match ty {
            Type::Exp(_, access) => Some(Arg::Access(*access)),
            _ => None,
        }
    }
}
