//! Access erasure: the translation of functional DPIA to RISE.

use std::sync::Arc;

use rise::core::{Expr, Form, Node, Origin, Param, Program};
use rise::{Arg, Pi, Primitive, Ty, Type};
use syntax::ast::Kind;

use crate::functional::{TypeParam, access_signature};
use crate::phrase::{Phrase, PhraseProgram};
use crate::prim::Prim;

/// The error for a primitive that RISE does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotInRise {
    /// The primitive.
    pub prim: Prim,
    /// The origin of its use.
    pub origin: Origin,
}

/// Translates a functional program in normal form to RISE by removing accesses. The numbers of
/// variables, origins and conditions stay.
///
/// # Errors
/// Returns the first primitive that has no counterpart in RISE.
pub fn erase(program: &PhraseProgram) -> Result<Program<Primitive>, NotInRise> {
    Ok(Program {
        name: program.name.clone(),
        body: expr(&program.body)?,
        obligations: program.obligations.clone(),
        facts: program.facts.clone(),
        names: program.names.clone(),
        origins: program.origins.clone(),
        next_local: program.next_local,
        launch: program.launch.clone(),
        inout: program.inout.clone(),
    })
}

fn expr(phrase: &Phrase) -> Result<Expr<Primitive>, NotInRise> {
    let form = match &phrase.form {
        Form::Var(local) => Form::Var(local.clone()),
        Form::Literal(literal) => Form::Literal(literal.clone()),
        Form::Nat(nat) => Form::Nat(nat.clone()),
        Form::Lambda(param, body) => {
            let param = Param {
                local: param.local.clone(),
                ty: data(&param.ty),
            };
            Form::Lambda(param, expr(body)?)
        }
        Form::DepLambda(_, Kind::ReadWrite, body) => return expr(body),
        Form::DepLambda(var, kind, body) => Form::DepLambda(*var, *kind, expr(body)?),
        Form::Apply(f, x) => Form::Apply(expr(f)?, expr(x)?),
        Form::DepApply(f, Arg::Access(_)) => return expr(f),
        Form::DepApply(f, arg) => Form::DepApply(expr(f)?, arg.clone()),
        Form::Primitive(Prim::InPlace, _, args) if args.len() == 1 => return expr(&args[0]),
        Form::Primitive(prim, types, args) => {
            let primitive = primitive(*prim).ok_or(NotInRise {
                prim: *prim,
                origin: phrase.origin,
            })?;
            let args = args.iter().map(expr).collect::<Result<_, _>>()?;
            Form::Primitive(primitive, type_args(*prim, types), args)
        }
        Form::Foreign(function, args) => {
            let args = args.iter().map(expr).collect::<Result<_, _>>()?;
            Form::Foreign(function.clone(), args)
        }
        Form::Global(id, args) => {
            let kept = args.iter().filter(|arg| !matches!(arg, Arg::Access(_)));
            Form::Global(*id, kept.cloned().collect())
        }
    };
    Ok(Node::new(form, data(&phrase.ty), phrase.origin))
}

fn primitive(prim: Prim) -> Option<Primitive> {
    match prim {
        Prim::ZipStream => Some(Primitive::Zip),
        _ => prim.in_rise(),
    }
}

/// Removes the accesses, and parameters for accesses, from the type of an expression or a function.
fn data(ty: &Ty) -> Ty {
    match &**ty {
        Type::Exp(data, _) => data.clone(),
        Type::Fun(param, result) => Arc::new(Type::Fun(data(param), data(result))),
        Type::Pi(pi) if pi.kind == Kind::ReadWrite => data(&pi.body),
        Type::Pi(pi) => Arc::new(Type::Pi(Pi {
            body: data(&pi.body),
            ..pi.clone()
        })),
        _ => ty.clone(),
    }
}

/// Converts the type-level arguments of a primitive of DPIA to those of RISE's primitive: without
/// accesses, in the order of RISE; an optional address space or dimension stays last.
fn type_args(prim: Prim, types: &[Arg]) -> Arc<[Arg]> {
    let params = &access_signature(prim).params;
    let mut in_order: Vec<(usize, Arg)> = params
        .iter()
        .zip(types)
        .filter_map(|(param, arg)| match param {
            TypeParam::OfRise(at) => Some((*at, arg.clone())),
            _ => None,
        })
        .collect();
    in_order.sort_by_key(|(at, _)| *at);
    let optional = types.iter().skip(params.len()).cloned();
    in_order
        .into_iter()
        .map(|(_, arg)| arg)
        .chain(optional)
        .collect()
}
