//! Phrases: core terms over DPIA's primitives, whose types are phrase types.
//!
//! Every primitive is fully applied. Functions of phrases are lambdas; a program's leading lambdas
//! are its parameters.

use std::sync::Arc;

use nat::{Nat, Var};
use rise::core::{Expr, Form, Node, Origin, Param, Program};
use rise::subst::{rename, subst};
use rise::{Access, Arg, DataFun, Ty, Type};
use syntax::ast::{Literal, ScalarType};

use crate::prim::Prim;

/// A phrase of DPIA.
pub type Phrase = Expr<Prim>;

/// A program in DPIA, functional or imperative.
pub type PhraseProgram = Program<Prim>;

/// The smallest number of a variable that the type of a primitive binds, above the numbers in
/// programs. These variables are never free.
const SIGNATURE_VARS: u32 = 1 << 24;

/// Makes the application of a primitive to all of its type-level arguments, in the order of its
/// type in DPIA ([`Prim::scheme`]) with an optional address space or dimension last, and all of its
/// values.
pub fn prim(prim: Prim, types: Vec<Arg>, args: Vec<Phrase>, origin: Origin) -> Phrase {
    let ty = result_type(prim, &types, args.len());
    Node::new(Form::Primitive(prim, types.into(), args.into()), ty, origin)
}

/// Instantiates the type of a primitive at these type-level arguments.
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
            // `makeArray` has as many values as its size, and its type has no parameters for them.
            _ => break,
        }
    }
    ty
}

/// Makes the type `Exp[t, a]`.
pub fn exp(data: &Ty, access: Access) -> Ty {
    Arc::new(Type::Exp(data.clone(), access))
}

/// Makes the type `Acc[t]`.
pub fn acc(data: &Ty) -> Ty {
    Arc::new(Type::Acc(data.clone()))
}

/// Returns the data type of an expression or acceptor type; `None` for other types.
pub fn data(ty: &Type) -> Option<&Ty> {
    match ty {
        Type::Exp(data, _) | Type::Acc(data) => Some(data),
        _ => None,
    }
}

/// Applies a function from sizes to types.
pub fn data_at(f: &DataFun, n: &Nat) -> Ty {
    match f {
        DataFun::Var(f) => Arc::new(Type::Apply(*f, n.clone())),
        DataFun::Lambda(param, body) => {
            subst(body, &|v| (v == *param).then(|| Arg::Nat(n.clone())))
        }
    }
}

/// Makes the expression of type `natType` that is a size.
pub fn nat(nat: Nat, origin: Origin) -> Phrase {
    let ty = exp(&Arc::new(Type::Scalar(ScalarType::NatType)), Access::Rd);
    Node::new(Form::Nat(nat), ty, origin)
}

/// Makes the expression that converts a size, which has to be below `n`, to an index of type
/// `Idx[n]`.
pub fn index(value: Nat, n: Nat, origin: Origin) -> Phrase {
    let value = nat(value, origin);
    prim(Prim::NatAsIndex, vec![Arg::Nat(n)], vec![value], origin)
}

/// Makes a constant of a data type.
pub fn literal(literal: Literal, data: &Ty, origin: Origin) -> Phrase {
    Node::new(Form::Literal(literal), exp(data, Access::Rd), origin)
}

/// Makes the function `fun(param => body)`.
pub fn fun(param: Param, body: Phrase) -> Phrase {
    rise::core::lambda(param, body)
}
