//! Finds the type-level variables in types and arguments.

use nat::{Nat, NatFun, Var};
use rise::types::{Access, Address, Arg, DataFun, SizeFun, Ty, Type};

/// Visits every occurrence of a free variable of a type. The access of a [`Type::Exp`] and the
/// conditions of a [`Type::Pi`] are left out.
pub(super) fn vars_of_ty(ty: &Ty, found: &mut dyn FnMut(Var)) {
    let mut bound = Vec::new();
    bound_in(ty, &mut bound);
    walk_ty(ty, &mut |var| {
        if !bound.contains(&var) {
            found(var);
        }
    });
}

/// Visits the variables of an argument, with true for those that are bound in it. As in
/// [`vars_of_ty`], some parts of types are left out.
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
    for_each_part(ty, &mut |part| {
        if let Part::Binder(var) = part {
            bound.push(var);
        }
    });
}

/// Visits every use of a variable in a type, also of bound ones.
fn walk_ty(ty: &Type, found: &mut dyn FnMut(Var)) {
    for_each_part(ty, &mut |part| match part {
        Part::Var(var) | Part::Applied(var) => found(var),
        Part::Size(size) | Part::Argument(size) => size.for_each_var(found),
        Part::Binder(_) => {}
    });
}

/// Visits the free variables that are a whole size, a whole type or a whole function to types, so
/// that matching determines them.
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
    for_each_part(ty, &mut |part| match part {
        Part::Var(var) => found(var),
        Part::Size(size) => size.as_var().into_iter().for_each(&mut *found),
        Part::Applied(_) | Part::Argument(_) | Part::Binder(_) => {}
    });
}

/// A part of a type that uses or binds variables.
enum Part<'t> {
    /// A variable that is a whole type, or a whole function to types.
    Var(Var),
    Size(&'t Nat),
    /// A function that is applied to a size.
    Applied(Var),
    /// The size to which a function is applied.
    Argument(&'t Nat),
    /// A variable that is bound here.
    Binder(Var),
}

/// Visits the parts of a type in the order of the text.
fn for_each_part(ty: &Type, each: &mut dyn FnMut(Part<'_>)) {
    let fun = |fun: &DataFun, each: &mut dyn FnMut(Part<'_>)| match fun {
        DataFun::Var(var) => each(Part::Var(*var)),
        DataFun::Lambda(param, body) => {
            each(Part::Binder(*param));
            for_each_part(body, each);
        }
    };
    match ty {
        Type::Error | Type::Scalar(_) | Type::Comm => {}
        Type::Var(var) => each(Part::Var(*var)),
        Type::Index(size) => each(Part::Size(size)),
        Type::Vector(size, elem) | Type::Array(size, elem) => {
            each(Part::Size(size));
            for_each_part(elem, each);
        }
        Type::DepArray(size, elem) => {
            each(Part::Size(size));
            fun(elem, each);
        }
        Type::DepPair(second) => fun(second, each),
        Type::Pair(a, b) | Type::Fun(a, b) => {
            for_each_part(a, each);
            for_each_part(b, each);
        }
        Type::Apply(function, size) => {
            each(Part::Applied(*function));
            each(Part::Argument(size));
        }
        Type::Pi(pi) => {
            each(Part::Binder(pi.var));
            for_each_part(&pi.body, each);
        }
        Type::Exp(ty, _) | Type::Acc(ty) => for_each_part(ty, each),
    }
}
