//! Free type-level variables of types, and errors in types.

use nat::{Nat, Var};
use rise::{Access, DataFun, Ty, Type};

/// Adds the free variables of `ty` that are not yet in `out` to `out`, in the order of their first
/// occurrence.
pub(crate) fn of_type(ty: &Ty, out: &mut Vec<Var>) {
    let mut walk = Walk {
        bound: Vec::new(),
        out,
    };
    walk.ty(ty);
}

/// Returns true if `var` occurs free in `ty`.
pub(crate) fn occurs(var: Var, ty: &Ty) -> bool {
    let mut found = Vec::new();
    of_type(ty, &mut found);
    found.contains(&var)
}

struct Walk<'a> {
    bound: Vec<Var>,
    out: &'a mut Vec<Var>,
}

impl Walk<'_> {
    fn var(&mut self, var: Var) {
        if !self.bound.contains(&var) && !self.out.contains(&var) {
            self.out.push(var);
        }
    }

    fn nat(&mut self, nat: &Nat) {
        nat.for_each_var(&mut |var| self.var(var));
    }

    fn under(&mut self, var: Var, ty: &Ty) {
        self.bound.push(var);
        self.ty(ty);
        self.bound.pop();
    }

    fn fun(&mut self, fun: &DataFun) {
        match fun {
            DataFun::Var(var) => self.var(*var),
            DataFun::Lambda(var, body) => self.under(*var, body),
        }
    }

    fn ty(&mut self, ty: &Ty) {
        match &**ty {
            Type::Error | Type::Scalar(_) | Type::Comm => {}
            Type::Var(var) => self.var(*var),
            Type::Index(nat) => self.nat(nat),
            Type::Vector(nat, elem) | Type::Array(nat, elem) => {
                self.nat(nat);
                self.ty(elem);
            }
            Type::DepArray(nat, fun) => {
                self.nat(nat);
                self.fun(fun);
            }
            Type::Pair(a, b) | Type::Fun(a, b) => {
                self.ty(a);
                self.ty(b);
            }
            Type::DepPair(fun) => self.fun(fun),
            Type::Apply(var, nat) => {
                self.var(*var);
                self.nat(nat);
            }
            Type::Pi(pi) => self.under(pi.var, &pi.body),
            Type::Exp(data, access) => {
                self.ty(data);
                if let Access::Var(var) = access {
                    self.var(*var);
                }
            }
            Type::Acc(data) => self.ty(data),
        }
    }
}

/// Returns true if `ty` contains an error.
pub(crate) fn has_error(ty: &Ty) -> bool {
    match &**ty {
        Type::Error => true,
        Type::Scalar(_) | Type::Var(_) | Type::Index(_) | Type::Apply(..) | Type::Comm => false,
        Type::Vector(_, elem) | Type::Array(_, elem) | Type::Exp(elem, _) | Type::Acc(elem) => {
            has_error(elem)
        }
        Type::DepArray(_, fun) | Type::DepPair(fun) => match fun {
            DataFun::Var(_) => false,
            DataFun::Lambda(_, body) => has_error(body),
        },
        Type::Pair(a, b) | Type::Fun(a, b) => has_error(a) || has_error(b),
        Type::Pi(pi) => has_error(&pi.body),
    }
}
