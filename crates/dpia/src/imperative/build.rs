//! Constructors of imperative phrases, which derive the type-level arguments from the parts.

use std::sync::Arc;

use nat::Nat;
use rise::core::{Form, Node, Origin, Param};
use rise::types::contains_array;
use rise::{Access, Arg, DataFun, SizeFun, Ty, Type};
use syntax::ast::{Kind, Literal, ScalarType};

use super::error::{Reason, Result, fail};
use crate::phrase::{self, Phrase, data, exp, prim};
use crate::prim::Prim;

/// Returns the type of sizes as values.
pub fn nat_type() -> Ty {
    Arc::new(Type::Scalar(ScalarType::NatType))
}

/// Returns the type of commands.
pub fn comm() -> Ty {
    Arc::new(Type::Comm)
}

/// Returns the data type of an expression or acceptor; an error for other phrases.
pub fn data_of(phrase: &Phrase) -> Result<Ty> {
    match data(&phrase.ty) {
        Some(data) => Ok(data.clone()),
        None => fail(Reason::NoValue, phrase.origin),
    }
}

/// Returns the size and the element type of an array; an error for other phrases.
pub fn array_of(phrase: &Phrase) -> Result<(Nat, Ty)> {
    match &*data_of(phrase)? {
        Type::Array(n, t) => Ok((n.clone(), t.clone())),
        _ => fail(Reason::NoArray, phrase.origin),
    }
}

/// Returns the size and the element types of a dependent array; an error for other phrases.
pub fn dep_array_of(phrase: &Phrase) -> Result<(Nat, DataFun)> {
    match &*data_of(phrase)? {
        Type::DepArray(n, f) => Ok((n.clone(), f.clone())),
        _ => fail(Reason::NoArray, phrase.origin),
    }
}

/// Returns the types of the halves of a pair; an error for other phrases.
pub fn pair_of(phrase: &Phrase) -> Result<(Ty, Ty)> {
    match &*data_of(phrase)? {
        Type::Pair(a, b) => Ok((a.clone(), b.clone())),
        _ => fail(Reason::NoPair, phrase.origin),
    }
}

/// Returns true if a value contains or may contain an array, so that writing it takes more than one
/// assignment; an error for phrases that are no values.
pub fn has_array(phrase: &Phrase) -> Result<bool> {
    let data = data_of(phrase)?;
    Ok(contains_array(&data))
}

/// Makes the function `fun(a => fun(b => body))`.
pub fn fun2(a: Param, b: Param, body: Phrase) -> Phrase {
    phrase::fun(a, phrase::fun(b, body))
}

/// Makes the function `depFun(n: Nat => body)`.
pub fn nat_fun(var: nat::Var, body: Phrase) -> Phrase {
    dep_fun(var, Kind::Nat, body)
}

/// Makes the function `depFun(x: kind => body)`.
pub fn dep_fun(var: nat::Var, kind: Kind, body: Phrase) -> Phrase {
    let ty = Arc::new(Type::Pi(rise::Pi::new(var, kind, false, body.ty.clone())));
    let origin = body.origin;
    Node::new(Form::DepLambda(var, kind, body), ty, origin)
}

// ---- numbers and indices ------------------------------------------------------------------------

/// Makes an arithmetic operation on two numbers of type `natType`. Computes it if both are sizes,
/// and simplifies it if an operand is a neutral element, for products with 0 on the right, and for
/// remainders by 1.
pub fn arithmetic(op: Prim, a: Phrase, b: Phrase, origin: Origin) -> Phrase {
    if let (Form::Nat(x), Form::Nat(y)) = (&a.form, &b.form) {
        let value = match op {
            Prim::Add => Some(Nat::add(x, y)),
            Prim::Sub => Some(Nat::sub(x, y)),
            Prim::Mul => Some(Nat::mul(x, y)),
            Prim::Div => Some(Nat::div(x, y)),
            Prim::Mod => Some(Nat::rem(x, y)),
            _ => None,
        };
        if let Some(value) = value {
            return phrase::nat(value, origin);
        }
    }
    match (op, known(&a), known(&b)) {
        (Prim::Add, Some(0), _) | (Prim::Mul, Some(1), _) => return b,
        (Prim::Add | Prim::Sub, _, Some(0)) | (Prim::Mul | Prim::Div, _, Some(1)) => return a,
        (Prim::Mod, _, Some(1)) | (Prim::Mul, _, Some(0)) => {
            return phrase::nat(Nat::ZERO, origin);
        }
        _ => {}
    }
    prim(op, vec![Arg::Type(nat_type())], vec![a, b], origin)
}

fn known(phrase: &Phrase) -> Option<i64> {
    match &phrase.form {
        Form::Nat(nat) => nat.as_const(),
        _ => None,
    }
}

/// Makes a comparison of two numbers of type `natType`.
pub fn compare(op: Prim, a: Phrase, b: Phrase, origin: Origin) -> Phrase {
    prim(op, vec![Arg::Type(nat_type())], vec![a, b], origin)
}

/// Converts an index of type `Idx[n]` to a position, a number of type `natType`.
pub fn position(index: &Phrase) -> Result<Phrase> {
    match &index.form {
        Form::Primitive(Prim::NatAsIndex, _, args) if args.len() == 1 => Ok(args[0].clone()),
        Form::Literal(Literal::Int { value, .. }) => match i64::try_from(*value) {
            Ok(value) => Ok(phrase::nat(Nat::constant(value), index.origin)),
            Err(_) => fail(Reason::NoValue, index.origin),
        },
        _ => match &*data_of(index)? {
            Type::Index(n) => Ok(prim(
                Prim::IndexAsNat,
                vec![Arg::Nat(n.clone())],
                vec![index.clone()],
                index.origin,
            )),
            _ => fail(Reason::NoValue, index.origin),
        },
    }
}

/// Converts a position, a number of type `natType`, to an index into `n` elements.
pub fn index(n: &Nat, position: Phrase) -> Phrase {
    if let Form::Primitive(Prim::IndexAsNat, types, args) = &position.form
        && types.first() == Some(&Arg::Nat(n.clone()))
        && let [index] = &args[..]
    {
        return index.clone();
    }
    let origin = position.origin;
    let types = vec![Arg::Nat(n.clone())];
    prim(Prim::NatAsIndex, types, vec![position], origin)
}

// ---- reading --------------------------------------------------------------------------------------

/// Makes the expression that reads the element at an index of type `Idx[n]`.
pub fn idx(index: Phrase, array: &Phrase, origin: Origin) -> Result<Phrase> {
    let (n, t) = array_of(array)?;
    let types = vec![Arg::Nat(n), Arg::Type(t)];
    Ok(prim(Prim::Idx, types, vec![index, array.clone()], origin))
}

/// Makes the expression that reads the element at a position, a number of type `natType`.
pub fn element(position: Phrase, array: &Phrase, origin: Origin) -> Result<Phrase> {
    let (n, _) = array_of(array)?;
    idx(index(&n, position), array, origin)
}

/// Makes the expression that reads a lane.
pub fn lane(index: Phrase, vector: &Phrase, origin: Origin) -> Result<Phrase> {
    match &*data_of(vector)? {
        Type::Vector(n, t) => {
            let types = vec![Arg::Nat(n.clone()), Arg::Type(t.clone())];
            let args = vec![index, vector.clone()];
            Ok(prim(Prim::IdxVec, types, args, origin))
        }
        _ => fail(Reason::NoArray, vector.origin),
    }
}

/// Makes the expression that reads an element of a dependent array.
pub fn dep_idx(i: &Nat, array: &Phrase, origin: Origin) -> Result<Phrase> {
    let (n, f) = dep_array_of(array)?;
    let types = vec![Arg::Nat(n), Arg::DataFun(f), Arg::Nat(i.clone())];
    Ok(prim(Prim::DepIdx, types, vec![array.clone()], origin))
}

/// Makes the expression that reads a half of a pair, `fst` or `snd`.
pub fn half(which: Prim, pair: &Phrase, origin: Origin) -> Result<Phrase> {
    let (s, t) = pair_of(pair)?;
    let types = vec![Arg::Type(s), Arg::Type(t)];
    Ok(prim(which, types, vec![pair.clone()], origin))
}

/// Makes a readable pair.
pub fn pair(a: Phrase, b: Phrase, origin: Origin) -> Result<Phrase> {
    let types = vec![
        Arg::Type(data_of(&a)?),
        Arg::Type(data_of(&b)?),
        Arg::Access(Access::Rd),
    ];
    Ok(prim(Prim::MakePair, types, vec![a, b], origin))
}

/// Makes the choice of the first value if the condition holds, otherwise of the second.
pub fn select(condition: Phrase, a: Phrase, b: Phrase, origin: Origin) -> Result<Phrase> {
    let types = vec![Arg::Type(data_of(&a)?), Arg::Access(Access::Rd)];
    Ok(prim(Prim::Select, types, vec![condition, a, b], origin))
}

/// Makes the array of `n` elements that a function computes from indices.
pub fn generate(n: &Nat, function: Phrase, origin: Origin) -> Result<Phrase> {
    let element = match &*function.ty {
        Type::Fun(_, result) => data(result).cloned(),
        _ => None,
    };
    match element {
        Some(t) => {
            let types = vec![Arg::Nat(n.clone()), Arg::Type(t)];
            Ok(prim(Prim::Generate, types, vec![function], origin))
        }
        None => fail(Reason::NoFunction, function.origin),
    }
}

// ---- writing --------------------------------------------------------------------------------------

/// Makes the acceptor of the element at an index of type `Idx[n]`.
pub fn idx_acc(index: Phrase, array: &Phrase, origin: Origin) -> Result<Phrase> {
    let (n, t) = array_of(array)?;
    let types = vec![Arg::Nat(n), Arg::Type(t)];
    let args = vec![index, array.clone()];
    Ok(prim(Prim::IdxAcc, types, args, origin))
}

/// Makes the acceptor of the element at a position, a number of type `natType`.
pub fn element_acc(position: Phrase, array: &Phrase, origin: Origin) -> Result<Phrase> {
    let (n, _) = array_of(array)?;
    idx_acc(index(&n, position), array, origin)
}

/// Makes the acceptor of an element of a dependent array.
pub fn dep_idx_acc(i: &Nat, array: &Phrase, origin: Origin) -> Result<Phrase> {
    let (n, f) = dep_array_of(array)?;
    let types = vec![Arg::Nat(n), Arg::DataFun(f), Arg::Nat(i.clone())];
    Ok(prim(Prim::DepIdxAcc, types, vec![array.clone()], origin))
}

/// Makes the acceptor of a half of a pair, `pairAcc1` or `pairAcc2`.
pub fn half_acc(which: Prim, pair: &Phrase, origin: Origin) -> Result<Phrase> {
    match &pair.form {
        Form::Primitive(Prim::PairAcc, _, halves) if halves.len() == 2 => {
            Ok(halves[usize::from(which == Prim::PairAcc2)].clone())
        }
        _ => half(which, pair, origin),
    }
}

/// Makes the part of an array that consists of the first `n` elements (`takeAcc`, and `take` for
/// reading) or of all others (`dropAcc`).
pub fn part_acc(which: Prim, n: &Nat, array: &Phrase, origin: Origin) -> Result<Phrase> {
    let (all, t) = array_of(array)?;
    let types = vec![
        Arg::Nat(Nat::sub(&all, n)),
        Arg::Type(t),
        Arg::Nat(n.clone()),
    ];
    Ok(prim(which, types, vec![array.clone()], origin))
}

// ---- commands -------------------------------------------------------------------------------------

/// Makes the empty command.
pub fn skip(origin: Origin) -> Phrase {
    prim(Prim::Skip, Vec::new(), Vec::new(), origin)
}

/// Makes the sequence of two commands; chains nest to the right.
pub fn seq(a: Phrase, b: Phrase) -> Phrase {
    let mut parts = Vec::new();
    let mut rest = &a;
    while let Form::Primitive(Prim::Seq, _, args) = &rest.form
        && let [first, others] = &args[..]
    {
        parts.push(first);
        rest = others;
    }
    parts.push(rest);
    parts.into_iter().rev().fold(b, |after, part| {
        let args = vec![part.clone(), after];
        prim(Prim::Seq, Vec::new(), args, part.origin)
    })
}

/// Makes the conditional of two commands.
pub fn branch(condition: Phrase, a: Phrase, b: Phrase, origin: Origin) -> Phrase {
    prim(Prim::If, Vec::new(), vec![condition, a, b], origin)
}

/// Makes an assignment.
pub fn assign(acceptor: Phrase, value: Phrase, origin: Origin) -> Result<Phrase> {
    let types = vec![Arg::Type(data_of(&acceptor)?)];
    Ok(prim(Prim::Assign, types, vec![acceptor, value], origin))
}

/// Returns the type of indices into `n` elements, as an expression.
pub fn index_type(n: &Nat) -> Ty {
    exp(&Arc::new(Type::Index(n.clone())), Access::Rd)
}

/// Makes the expression that reads the first `n` elements of an array.
pub fn take(n: &Nat, array: &Phrase, origin: Origin) -> Result<Phrase> {
    part_acc(Prim::Take, n, array, origin)
}

/// Applies a function from sizes to sizes.
pub fn size_at(f: &SizeFun, n: &Nat) -> Nat {
    match f {
        SizeFun::Var(f) => Nat::apply(*f, n),
        SizeFun::Lambda(lambda) => lambda.apply(n),
    }
}
