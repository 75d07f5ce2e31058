//! Substitution and renaming of type-level variables.

use std::sync::Arc;

use nat::{Nat, NatFun, Prop, Var};

use crate::types::{Access, Address, Arg, DataFun, Pi, SizeFun, Ty, Type};

/// Replaces every size in a type, also in its conditions, by the result of `map`.
pub fn map_sizes(ty: &Ty, map: &dyn Fn(&Nat) -> Nat) -> Ty {
    let fun = |f: &DataFun| match f {
        DataFun::Var(_) => f.clone(),
        DataFun::Lambda(param, body) => DataFun::Lambda(*param, map_sizes(body, map)),
    };
    Arc::new(match &**ty {
        Type::Error | Type::Scalar(_) | Type::Var(_) => return ty.clone(),
        Type::Index(n) => Type::Index(map(n)),
        Type::Vector(n, t) => Type::Vector(map(n), map_sizes(t, map)),
        Type::Array(n, t) => Type::Array(map(n), map_sizes(t, map)),
        Type::DepArray(n, f) => Type::DepArray(map(n), fun(f)),
        Type::Pair(a, b) => Type::Pair(map_sizes(a, map), map_sizes(b, map)),
        Type::DepPair(f) => Type::DepPair(fun(f)),
        Type::Apply(f, n) => Type::Apply(*f, map(n)),
        Type::Fun(a, b) => Type::Fun(map_sizes(a, map), map_sizes(b, map)),
        Type::Pi(pi) => Type::Pi(Pi {
            body: map_sizes(&pi.body, map),
            conditions: pi.map_conditions(|prop| prop.map(&|nat, _| map(nat))),
            ..pi.clone()
        }),
        Type::Exp(t, a) => Type::Exp(map_sizes(t, map), *a),
        Type::Acc(t) => Type::Acc(map_sizes(t, map)),
        Type::Comm => return ty.clone(),
    })
}

/// Substitutes arguments for free variables in a type. Binders of types are unique in an item, so
/// nothing is captured if the arguments mention no binder of the type itself. A type variable whose
/// argument is no type becomes [`Type::Error`].
pub fn subst(ty: &Ty, value: &dyn Fn(Var) -> Option<Arg>) -> Ty {
    let nat = |n: &Nat| subst_nat(n, value);
    Arc::new(match &**ty {
        Type::Error | Type::Scalar(_) => return ty.clone(),
        Type::Var(var) => match value(*var) {
            Some(Arg::Type(t)) => return t,
            Some(_) => Type::Error,
            None => return ty.clone(),
        },
        Type::Index(n) => Type::Index(nat(n)),
        Type::Vector(n, t) => Type::Vector(nat(n), subst(t, value)),
        Type::Array(n, t) => Type::Array(nat(n), subst(t, value)),
        Type::DepArray(n, f) => Type::DepArray(nat(n), subst_data_fun(f, value)),
        Type::Pair(a, b) => Type::Pair(subst(a, value), subst(b, value)),
        Type::DepPair(f) => Type::DepPair(subst_data_fun(f, value)),
        Type::Apply(f, n) => match value(*f) {
            Some(Arg::DataFun(DataFun::Var(g))) => Type::Apply(g, nat(n)),
            Some(Arg::DataFun(DataFun::Lambda(param, body))) => {
                let n = nat(n);
                return subst(&body, &|v| (v == param).then(|| Arg::Nat(n.clone())));
            }
            _ => Type::Apply(*f, nat(n)),
        },
        Type::Fun(a, b) => Type::Fun(subst(a, value), subst(b, value)),
        Type::Pi(pi) => Type::Pi(Pi {
            body: subst(&pi.body, value),
            conditions: pi.map_conditions(|prop| subst_prop(prop, value)),
            ..pi.clone()
        }),
        Type::Exp(t, a) => Type::Exp(subst(t, value), subst_access(*a, value)),
        Type::Acc(t) => Type::Acc(subst(t, value)),
        Type::Comm => return ty.clone(),
    })
}

/// Substitutes arguments for free variables in an access.
pub fn subst_access(access: Access, value: &dyn Fn(Var) -> Option<Arg>) -> Access {
    match access {
        Access::Var(var) => match value(var) {
            Some(Arg::Access(a)) => a,
            _ => access,
        },
        Access::Rd | Access::Wr | Access::St => access,
    }
}

/// Substitutes arguments for free variables in an address space.
pub fn subst_address(address: Address, value: &dyn Fn(Var) -> Option<Arg>) -> Address {
    match address {
        Address::Var(var) => match value(var) {
            Some(Arg::Address(a)) => a,
            _ => address,
        },
        Address::Space(_) => address,
    }
}

/// Substitutes arguments for free variables in a size function.
pub fn subst_size_fun(fun: &SizeFun, value: &dyn Fn(Var) -> Option<Arg>) -> SizeFun {
    match fun {
        SizeFun::Var(var) => match value(*var) {
            Some(Arg::SizeFun(f)) => f,
            _ => fun.clone(),
        },
        SizeFun::Lambda(lambda) => SizeFun::Lambda(NatFun {
            param: lambda.param,
            body: subst_nat(&lambda.body, value),
        }),
    }
}

/// Substitutes arguments for free variables in an argument.
pub fn subst_arg(arg: &Arg, value: &dyn Fn(Var) -> Option<Arg>) -> Arg {
    match arg {
        Arg::Nat(n) => Arg::Nat(subst_nat(n, value)),
        Arg::Type(t) => Arg::Type(subst(t, value)),
        Arg::Address(a) => Arg::Address(subst_address(*a, value)),
        Arg::SizeFun(f) => Arg::SizeFun(subst_size_fun(f, value)),
        Arg::DataFun(f) => Arg::DataFun(subst_data_fun(f, value)),
        Arg::Access(a) => Arg::Access(subst_access(*a, value)),
    }
}

/// Substitutes arguments for free variables in a data function.
pub fn subst_data_fun(fun: &DataFun, value: &dyn Fn(Var) -> Option<Arg>) -> DataFun {
    match fun {
        DataFun::Var(var) => match value(*var) {
            Some(Arg::DataFun(f)) => f,
            _ => fun.clone(),
        },
        DataFun::Lambda(param, body) => DataFun::Lambda(*param, subst(body, value)),
    }
}

/// Substitutes arguments for free variables in a size.
pub fn subst_nat(nat: &Nat, value: &dyn Fn(Var) -> Option<Arg>) -> Nat {
    if nat.as_const().is_some() {
        return nat.clone();
    }
    nat.rename_fun(&|f| match value(f) {
        Some(Arg::SizeFun(SizeFun::Var(g))) => Some(g),
        _ => None,
    })
    .subst_fun(&|f| match value(f) {
        Some(Arg::SizeFun(SizeFun::Lambda(lambda))) => Some(lambda),
        _ => None,
    })
    .subst(&|v| match value(v) {
        Some(Arg::Nat(n)) => Some(n),
        _ => None,
    })
}

/// Substitutes arguments for free variables in a condition.
pub fn subst_prop(prop: &Prop, value: &dyn Fn(Var) -> Option<Arg>) -> Prop {
    prop.map(&|nat, _| subst_nat(nat, value))
}

/// Renames every variable of a type, bound ones included.
pub fn rename(ty: &Ty, map: &dyn Fn(Var) -> Var) -> Ty {
    let fun = |f: &DataFun| match f {
        DataFun::Var(v) => DataFun::Var(map(*v)),
        DataFun::Lambda(param, body) => DataFun::Lambda(map(*param), rename(body, map)),
    };
    let nat = |n: &Nat| rename_nat(n, map);
    Arc::new(match &**ty {
        Type::Error | Type::Scalar(_) => return ty.clone(),
        Type::Var(v) => Type::Var(map(*v)),
        Type::Index(n) => Type::Index(nat(n)),
        Type::Vector(n, t) => Type::Vector(nat(n), rename(t, map)),
        Type::Array(n, t) => Type::Array(nat(n), rename(t, map)),
        Type::DepArray(n, f) => Type::DepArray(nat(n), fun(f)),
        Type::Pair(a, b) => Type::Pair(rename(a, map), rename(b, map)),
        Type::DepPair(f) => Type::DepPair(fun(f)),
        Type::Apply(f, n) => Type::Apply(map(*f), nat(n)),
        Type::Fun(a, b) => Type::Fun(rename(a, map), rename(b, map)),
        Type::Pi(pi) => Type::Pi(Pi {
            var: map(pi.var),
            body: rename(&pi.body, map),
            conditions: pi.map_conditions(|prop| rename_prop(prop, map)),
            ..pi.clone()
        }),
        Type::Exp(t, a) => Type::Exp(
            rename(t, map),
            match a {
                Access::Var(v) => Access::Var(map(*v)),
                Access::Rd | Access::Wr | Access::St => *a,
            },
        ),
        Type::Acc(t) => Type::Acc(rename(t, map)),
        Type::Comm => return ty.clone(),
    })
}

/// Renames every variable of an argument, bound ones included.
pub fn rename_arg(arg: &Arg, map: &dyn Fn(Var) -> Var) -> Arg {
    match arg {
        Arg::Nat(n) => Arg::Nat(rename_nat(n, map)),
        Arg::Type(t) => Arg::Type(rename(t, map)),
        Arg::Address(Address::Var(v)) => Arg::Address(Address::Var(map(*v))),
        Arg::Access(Access::Var(v)) => Arg::Access(Access::Var(map(*v))),
        Arg::Address(_) | Arg::Access(_) => arg.clone(),
        Arg::SizeFun(SizeFun::Var(v)) => Arg::SizeFun(SizeFun::Var(map(*v))),
        Arg::SizeFun(SizeFun::Lambda(fun)) => Arg::SizeFun(SizeFun::Lambda(NatFun {
            param: map(fun.param),
            body: rename_nat(&fun.body, map),
        })),
        Arg::DataFun(DataFun::Var(v)) => Arg::DataFun(DataFun::Var(map(*v))),
        Arg::DataFun(DataFun::Lambda(param, body)) => {
            Arg::DataFun(DataFun::Lambda(map(*param), rename(body, map)))
        }
    }
}

fn rename_nat(nat: &Nat, map: &dyn Fn(Var) -> Var) -> Nat {
    if nat.as_const().is_some() {
        return nat.clone();
    }
    if let Some(var) = nat.as_var() {
        return Nat::var(map(var));
    }
    nat.rename_fun(&|f| Some(map(f)))
        .subst(&|v| Some(Nat::var(map(v))))
}

/// Renames every variable of a condition, bound ones included.
pub fn rename_prop(prop: &Prop, map: &dyn Fn(Var) -> Var) -> Prop {
    match prop {
        Prop::ForAll {
            var,
            from,
            to,
            prop,
        } => Prop::for_all(
            map(*var),
            rename_nat(from, map),
            rename_nat(to, map),
            rename_prop(prop, map),
        ),
        _ => prop.map(&|nat, _| rename_nat(nat, map)),
    }
}
