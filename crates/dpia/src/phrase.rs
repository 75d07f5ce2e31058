//! Phrases: core terms over DPIA's primitives, whose types are phrase types.
//!
//! Every primitive is fully applied. Functions of phrases are lambdas; a program's leading lambdas
//! are its parameters.

use std::sync::Arc;

use nat::{Nat, Var};
use rise::core::{Expr, Form, Node, Origin, Param, Program};
use rise::subst::{rename, subst};
use rise::{Access, Arg, Ty, Type};
use syntax::ast::{Literal, ScalarType};

use crate::prim::Prim;

/// A phrase of DPIA.
pub type Phrase = Expr<Prim>;

/// A program in DPIA, functional or imperative.
pub type PhraseProgram = Program<Prim>;

/// The variables that primitives' own types bind are numbered from here on, away from those of
/// programs. They occur bound only.
const SIGNATURE_VARS: u32 = 1 << 24;

/// A primitive applied to all of its type-level arguments, in the order of its type in
/// `primitives.dpia` (an optional address space or dimension last), and all of its values.
pub fn prim(prim: Prim, types: Vec<Arg>, args: Vec<Phrase>, origin: Origin) -> Phrase {
    let ty = result_type(prim, &types, args.len());
    Node::new(Form::Primitive(prim, types.into(), args.into()), ty, origin)
}

/// The type of a primitive at these type-level arguments.
pub fn instantiate(prim: Prim, types: &[Arg]) -> Ty {
    let mut ty = rename(&prim.scheme().ty, &|v| Var(v.0 + SIGNATURE_VARS));
    for arg in types {
        let Type::Pi(pi) = &*ty else { break };
        let var = pi.var;
        ty = subst(&pi.body, &|v| (v == var).then(|| arg.clone()));
    }
    ty
}

fn result_type(prim: Prim, types: &[Arg], args: usize) -> Ty {
    let mut ty = instantiate(prim, types);
    for _ in 0..args {
        match &*ty {
            Type::Fun(_, result) => ty = result.clone(),
            // `makeArray` takes as many as it says.
            _ => break,
        }
    }
    ty
}

/// `Exp[t, a]`
pub fn exp(data: &Ty, access: Access) -> Ty {
    Arc::new(Type::Exp(data.clone(), access))
}

/// `Acc[t]`
pub fn acc(data: &Ty) -> Ty {
    Arc::new(Type::Acc(data.clone()))
}

/// The data type of an expression or acceptor.
pub fn data(ty: &Type) -> Option<&Ty> {
    match ty {
        Type::Exp(data, _) | Type::Acc(data) => Some(data),
        _ => None,
    }
}

/// A size as an expression of `natType`.
pub fn nat(nat: Nat, origin: Origin) -> Phrase {
    let ty = exp(&Arc::new(Type::Scalar(ScalarType::NatType)), Access::Rd);
    Node::new(Form::Nat(nat), ty, origin)
}

/// A size that is below `n` as an index.
pub fn index(value: Nat, n: Nat, origin: Origin) -> Phrase {
    let value = nat(value, origin);
    prim(Prim::NatAsIndex, vec![Arg::Nat(n)], vec![value], origin)
}

/// A constant of a data type.
pub fn literal(literal: Literal, data: &Ty, origin: Origin) -> Phrase {
    Node::new(Form::Literal(literal), exp(data, Access::Rd), origin)
}

/// `fun(param => body)`
pub fn fun(param: Param, body: Phrase) -> Phrase {
    rise::core::lambda(param, body)
}

/// Whether values of the type contain an array: then writing one is more than an assignment.
pub fn contains_array(data: &Type) -> bool {
    match data {
        Type::Array(..) | Type::DepArray(..) | Type::DepPair(_) => true,
        Type::Pair(a, b) => contains_array(a) || contains_array(b),
        // An unknown type may be one.
        Type::Var(_) | Type::Apply(..) => true,
        _ => false,
    }
}
