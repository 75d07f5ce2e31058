//! Finds the type-level variables in types and arguments.

use nat::{Nat, NatFun, Var};
use rise::types::{Access, Address, Arg, DataFun, SizeFun, Ty, Type};

/// Visits every free variable of a type.
pub(super) fn vars_of_ty(ty: &Ty, found: &mut dyn FnMut(Var)) {
    let mut bound = Vec::new();
    bound_in(ty, &mut bound);
    walk_ty(ty, &mut |var| {
        if !bound.contains(&var) {
            found(var);
        }
    });
}

/// Visits every variable of an argument, with true if it is bound in it.
pub(super) fn vars_of_arg(arg: &Arg, found: &mut dyn FnMut(Var, bool)) {
    match arg {
        Arg::Nat(nat) => nat.for_each_var(&mut |var| found(var, false)),
        Arg::Type(ty) => {
            let mut bound = Vec::new();
            bound_in(ty, &mut bound);
            bound.iter().for_each(|var| found(*var, true));
            walk_ty(ty, &mut |var| {
                if !bound.contains(&var) {
                    found(var, false);
                }
            });
        }
        Arg::Address(Address::Var(var))
        | Arg::Access(Access::Var(var))
        | Arg::SizeFun(SizeFun::Var(var))
        | Arg::DataFun(DataFun::Var(var)) => found(*var, false),
        Arg::Address(_) | Arg::Access(_) => {}
        Arg::SizeFun(SizeFun::Lambda(NatFun { param, body })) => {
            found(*param, true);
            body.for_each_var(&mut |var| {
                if var != *param {
                    found(var, false);
                }
            });
        }
        Arg::DataFun(DataFun::Lambda(param, body)) => {
            found(*param, true);
            let mut bound = vec![*param];
            bound_in(body, &mut bound);
            bound[1..].iter().for_each(|var| found(*var, true));
            walk_ty(body, &mut |var| {
                if !bound.contains(&var) {
                    found(var, false);
                }
            });
        }
    }
}

/// Collects the variables that a type binds.
pub(super) fn bound_in(ty: &Type, bound: &mut Vec<Var>) {
    match ty {
        Type::Error
        | Type::Var(_)
        | Type::Scalar(_)
        | Type::Index(_)
        | Type::Apply(..)
        | Type::Comm => {}
        Type::Vector(_, t) | Type::Array(_, t) | Type::Exp(t, _) | Type::Acc(t) => {
            bound_in(t, bound)
        }
        Type::DepArray(_, f) | Type::DepPair(f) => {
            if let DataFun::Lambda(param, body) = f {
                bound.push(*param);
                bound_in(body, bound);
            }
        }
        Type::Pair(a, b) | Type::Fun(a, b) => {
            bound_in(a, bound);
            bound_in(b, bound);
        }
        Type::Pi(pi) => {
            bound.push(pi.var);
            bound_in(&pi.body, bound);
        }
    }
}

/// Visits every use of a variable in a type.
fn walk_ty(ty: &Type, found: &mut dyn FnMut(Var)) {
    let fun = |fun: &DataFun, found: &mut dyn FnMut(Var)| match fun {
        DataFun::Var(var) => found(*var),
        DataFun::Lambda(_, body) => walk_ty(body, found),
    };
    match ty {
        Type::Error | Type::Scalar(_) | Type::Comm => {}
        Type::Var(var) => found(*var),
        Type::Index(n) => n.for_each_var(found),
        Type::Vector(n, t) | Type::Array(n, t) => {
            n.for_each_var(found);
            walk_ty(t, found);
        }
        Type::DepArray(n, f) => {
            n.for_each_var(found);
            fun(f, found);
        }
        Type::DepPair(f) => fun(f, found),
        Type::Pair(a, b) | Type::Fun(a, b) => {
            walk_ty(a, found);
            walk_ty(b, found);
        }
        Type::Apply(f, n) => {
            found(*f);
            n.for_each_var(found);
        }
        Type::Pi(pi) => walk_ty(&pi.body, found),
        Type::Exp(t, _) | Type::Acc(t) => walk_ty(t, found),
    }
}

/// Visits the variables that are a whole size or type, so that matching determines them.
pub(super) fn plain_vars(ty: &Ty, found: &mut dyn FnMut(Var)) {
    let mut bound = Vec::new();
    bound_in(ty, &mut bound);
    plain(ty, &mut |var| {
        if !bound.contains(&var) {
            found(var);
        }
    });
}

fn plain(ty: &Type, found: &mut dyn FnMut(Var)) {
    let size = |n: &Nat, found: &mut dyn FnMut(Var)| {
        if let Some(var) = n.as_var() {
            found(var);
        }
    };
    let fun = |fun: &DataFun, found: &mut dyn FnMut(Var)| match fun {
        DataFun::Var(var) => found(*var),
        DataFun::Lambda(_, body) => plain(body, found),
    };
    match ty {
        Type::Error | Type::Scalar(_) | Type::Comm | Type::Apply(..) => {}
        Type::Var(var) => found(*var),
        Type::Index(n) => size(n, found),
        Type::Vector(n, t) | Type::Array(n, t) => {
            size(n, found);
            plain(t, found);
        }
        Type::DepArray(n, f) => {
            size(n, found);
            fun(f, found);
        }
        Type::DepPair(f) => fun(f, found),
        Type::Pair(a, b) | Type::Fun(a, b) => {
            plain(a, found);
            plain(b, found);
        }
        Type::Pi(pi) => plain(&pi.body, found),
        Type::Exp(t, _) | Type::Acc(t) => plain(t, found),
    }
}
