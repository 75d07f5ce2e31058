//! The access table: the accesses of primitives' arguments and results, read from their types in
//! DPIA.

use std::sync::LazyLock;

use nat::Var;
use rise::{Access, Arg, Primitive, Type, library_scheme};
use syntax::ast::{Kind, Name};

use crate::prim::{Prim, params};

/// The access of an argument of a primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentAccess {
    Value(AccessEntry),
    /// The argument is a function of values, after its sizes if it has binders for them.
    Function {
        /// The accesses of its parameters.
        params: Vec<AccessEntry>,
        /// The access of its result.
        result: AccessEntry,
    },
}

/// An entry of the access table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessEntry {
    /// A fixed access.
    Is(Access),
    /// The access of the result.
    Result,
    /// The argument's own access, `Rd` or `St`, with its variable in the type.
    Own(Var),
}

/// The accesses of a primitive: a row of the access table.
#[derive(Clone, Debug)]
pub(crate) struct AccessSignature {
    /// The accesses of the arguments, in order.
    pub taken: Vec<ArgumentAccess>,
    /// The access of the result: [`AccessEntry::Is`], or [`AccessEntry::Result`] if it depends on
    /// the context.
    pub result: AccessEntry,
    /// The type-level parameters in order: their positions in RISE, or the accesses that they are.
    pub params: Vec<TypeParam>,
}

/// A type-level parameter of a primitive of DPIA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeParam {
    /// The type-level parameter of RISE's primitive at this position.
    OfRise(usize),
    /// The access of the result.
    ResultAccess,
    /// The access of an argument.
    OwnAccess(Var),
}

/// Returns the access signature of a primitive. It is meaningful only for expressions.
pub(crate) fn access_signature(prim: Prim) -> &'static AccessSignature {
    static SIGNATURES: LazyLock<Vec<AccessSignature>> =
        LazyLock::new(|| Prim::ALL.iter().map(|&prim| read_signature(prim)).collect());
    &SIGNATURES[prim as usize]
}

fn read_signature(prim: Prim) -> AccessSignature {
    let scheme = prim.scheme();
    let in_rise = rise_params(prim);
    let mut ty = &scheme.ty;
    let mut binders: Vec<(Var, Kind)> = Vec::new();
    let mut values = Vec::new();
    let result = loop {
        match &**ty {
            Type::Pi(pi) => {
                binders.push((pi.var, pi.kind));
                ty = &pi.body;
            }
            Type::Fun(param, rest) => {
                values.push(param);
                ty = rest;
            }
            Type::Exp(_, access) => break *access,
            _ => break Access::Rd,
        }
    };
    let slot = |access: Access| match access {
        _ if access == result && matches!(access, Access::Var(_)) => AccessEntry::Result,
        Access::Var(var) => AccessEntry::Own(var),
        _ => AccessEntry::Is(access),
    };
    let params = binders
        .iter()
        .map(|&(var, kind)| match slot(Access::Var(var)) {
            AccessEntry::Result => TypeParam::ResultAccess,
            _ if kind == Kind::ReadWrite => TypeParam::OwnAccess(var),
            _ => {
                let name = scheme.names.get(var);
                let at = in_rise.iter().position(|other| *other == name);
                TypeParam::OfRise(at.unwrap_or(usize::MAX))
            }
        });
    AccessSignature {
        params: params.collect(),
        taken: values.iter().map(|ty| taken(ty, &slot)).collect(),
        result: slot(result),
    }
}

fn taken(ty: &Type, slot: &dyn Fn(Access) -> AccessEntry) -> ArgumentAccess {
    let mut params = Vec::new();
    let mut rest = ty;
    let result = loop {
        match rest {
            Type::Pi(pi) => rest = &pi.body,
            Type::Fun(param, result) => {
                if let Type::Exp(_, access) = &**param {
                    params.push(slot(*access));
                }
                rest = result;
            }
            Type::Exp(_, access) => break slot(*access),
            _ => break AccessEntry::Is(Access::Rd),
        }
    };
    if matches!(ty, Type::Exp(..)) {
        ArgumentAccess::Value(result)
    } else {
        ArgumentAccess::Function { params, result }
    }
}

/// Returns the names of the type-level parameters of RISE's primitive, in order. The `zipStream` of
/// DPIA is a `zip` in RISE.
fn rise_params(prim: Prim) -> Vec<Name> {
    let primitive = match prim {
        Prim::ZipStream => Some(Primitive::Zip),
        _ => prim.in_rise(),
    };
    primitive.map_or_else(Vec::new, |primitive| params(library_scheme(primitive)))
}

/// Converts the type-level arguments of a primitive of RISE to those of DPIA's primitive: with the
/// access of the result and the arguments' own accesses, in the order of DPIA; an optional address
/// space or dimension stays last.
pub(crate) fn type_args(
    row: &AccessSignature,
    types: &[Arg],
    access: Access,
    own: &[(Var, Access)],
) -> Vec<Arg> {
    let of_rise = |param: &TypeParam| matches!(param, TypeParam::OfRise(_));
    let count = row.params.iter().filter(|param| of_rise(param)).count();
    let listed = row.params.iter().filter_map(|param| match param {
        TypeParam::OfRise(at) => types.get(*at).cloned(),
        TypeParam::ResultAccess => Some(Arg::Access(access)),
        TypeParam::OwnAccess(var) => own
            .iter()
            .find(|(other, _)| other == var)
            .map(|(_, access)| Arg::Access(*access)),
    });
    listed.chain(types.iter().skip(count).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_a_shared_primitive_has_its_twin() {
        for &primitive in Primitive::ALL {
            let Some(prim) = Prim::of_rise(primitive) else {
                assert_eq!(primitive, Primitive::Reduce);
                continue;
            };
            let mut twins: Vec<usize> = access_signature(prim)
                .params
                .iter()
                .filter_map(|param| match param {
                    TypeParam::OfRise(at) => Some(*at),
                    _ => None,
                })
                .collect();
            twins.sort_unstable();
            let all: Vec<usize> = (0..rise_params(prim).len()).collect();
            assert_eq!(twins, all, "{}", prim.name());
        }
    }

    #[test]
    fn rows_say_what_types_say() {
        let result = |prim| access_signature(prim).result;
        assert_eq!(result(Prim::MapSeq), AccessEntry::Is(Access::Wr));
        assert_eq!(result(Prim::Join), AccessEntry::Result);
        assert_eq!(result(Prim::MapStream), AccessEntry::Is(Access::St));
        assert!(matches!(
            access_signature(Prim::IterateStream).taken[1],
            ArgumentAccess::Value(AccessEntry::Own(_))
        ));
        let function = ArgumentAccess::Function {
            params: vec![AccessEntry::Is(Access::Rd)],
            result: AccessEntry::Result,
        };
        assert_eq!(access_signature(Prim::Let).taken[1], function);
    }
}
