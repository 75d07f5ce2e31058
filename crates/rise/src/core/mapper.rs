//! Traversals of expressions, and capture-avoiding substitution.

use std::sync::Arc;

use nat::Var;

use super::{Expr, Form, Local, Node, Origin, Param};
use crate::subst::{subst, subst_arg, subst_nat};
use crate::types::{Arg, Ty};

/// A bottom-up transformation of expressions. Nodes that do not change stay shared.
pub trait Mapper<P> {
    /// Returns the replacement of a variable; `None` keeps it.
    fn local(&mut self, _local: &Local, _ty: &Ty, _origin: Origin) -> Option<Expr<P>> {
        None
    }
    /// Transforms the parameter of a function of values.
    fn param(&mut self, param: &Param) -> Param {
        Param {
            local: param.local.clone(),
            ty: self.ty(&param.ty),
        }
    }
    /// Transforms a type-level binder.
    fn binder(&mut self, var: Var) -> Var {
        var
    }
    /// Returns true if types, type-level arguments and sizes stay as they are, so that the
    /// traversal skips them.
    fn keeps_types(&self) -> bool {
        false
    }
    /// Transforms a type.
    fn ty(&mut self, ty: &Ty) -> Ty {
        ty.clone()
    }
    /// Transforms a type-level argument.
    fn arg(&mut self, arg: &Arg) -> Arg {
        arg.clone()
    }
    /// Transforms a size.
    fn nat(&mut self, nat: &nat::Nat) -> nat::Nat {
        nat.clone()
    }
    /// Transforms an origin.
    fn origin(&mut self, origin: Origin) -> Origin {
        origin
    }

    /// Transforms an expression.
    fn expr(&mut self, expr: &Expr<P>) -> Expr<P>
    where
        P: Clone + PartialEq,
    {
        walk(self, expr)
    }
}

/// Applies `mapper` to the children of `expr` and rebuilds the node. A variable for which
/// [`Mapper::local`] returns an expression is replaced by it.
pub fn walk<P: Clone + PartialEq, M: Mapper<P> + ?Sized>(
    mapper: &mut M,
    expr: &Expr<P>,
) -> Expr<P> {
    let keeps_types = mapper.keeps_types();
    let ty = if keeps_types {
        expr.ty.clone()
    } else {
        mapper.ty(&expr.ty)
    };
    let origin = mapper.origin(expr.origin);
    let form = match &expr.form {
        Form::Var(local) => match mapper.local(local, &ty, origin) {
            Some(other) => return other,
            None => Form::Var(local.clone()),
        },
        Form::Literal(literal) => Form::Literal(literal.clone()),
        Form::Nat(nat) => Form::Nat(mapper.nat(nat)),
        Form::Lambda(param, body) => {
            let param = mapper.param(param);
            Form::Lambda(param, mapper.expr(body))
        }
        Form::DepLambda(var, kind, body) => {
            let var = mapper.binder(*var);
            Form::DepLambda(var, *kind, mapper.expr(body))
        }
        Form::Apply(f, x) => Form::Apply(mapper.expr(f), mapper.expr(x)),
        Form::DepApply(f, arg) => Form::DepApply(mapper.expr(f), mapper.arg(arg)),
        Form::Primitive(p, types, args) => {
            let types = if keeps_types {
                types.clone()
            } else {
                each(types, |arg| mapper.arg(arg), |a, b| a == b)
            };
            Form::Primitive(p.clone(), types, children(mapper, args))
        }
        Form::Foreign(function, args) => Form::Foreign(function.clone(), children(mapper, args)),
        Form::Global(id, args) => {
            Form::Global(*id, each(args, |arg| mapper.arg(arg), |a, b| a == b))
        }
    };
    let node = Node { form, ty, origin };
    if same(&node, expr) {
        expr.clone()
    } else {
        Arc::new(node)
    }
}

fn children<P: Clone + PartialEq, M: Mapper<P> + ?Sized>(
    mapper: &mut M,
    args: &Arc<[Expr<P>]>,
) -> Arc<[Expr<P>]> {
    each(args, |arg| mapper.expr(arg), Arc::ptr_eq)
}

/// Maps each item; returns the list itself if none changes.
fn each<T: Clone>(
    all: &Arc<[T]>,
    mut map: impl FnMut(&T) -> T,
    same: impl Fn(&T, &T) -> bool,
) -> Arc<[T]> {
    let mut changed: Option<Vec<T>> = None;
    for (at, old) in all.iter().enumerate() {
        let new = map(old);
        match &mut changed {
            Some(changed) => changed.push(new),
            None if same(&new, old) => {}
            None => {
                let mut list = Vec::with_capacity(all.len());
                list.extend_from_slice(&all[..at]);
                list.push(new);
                changed = Some(list);
            }
        }
    }
    changed.map_or_else(|| all.clone(), Into::into)
}

/// Returns true if nothing changed; the children are compared by identity.
fn same<P: PartialEq>(new: &Node<P>, old: &Node<P>) -> bool {
    if new.origin != old.origin || !(Arc::ptr_eq(&new.ty, &old.ty) || new.ty == old.ty) {
        return false;
    }
    match (&new.form, &old.form) {
        (Form::Lambda(p, a), Form::Lambda(q, b)) => p == q && Arc::ptr_eq(a, b),
        (Form::DepLambda(v, _, a), Form::DepLambda(w, _, b)) => v == w && Arc::ptr_eq(a, b),
        (Form::Apply(f, x), Form::Apply(g, y)) => Arc::ptr_eq(f, g) && Arc::ptr_eq(x, y),
        (Form::DepApply(f, x), Form::DepApply(g, y)) => Arc::ptr_eq(f, g) && x == y,
        (Form::Primitive(_, t, x), Form::Primitive(_, u, y)) => {
            Arc::ptr_eq(t, u) && Arc::ptr_eq(x, y)
        }
        (Form::Foreign(_, x), Form::Foreign(_, y)) => Arc::ptr_eq(x, y),
        (Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..), _) => {
            new.form == old.form
        }
        _ => false,
    }
}

/// Substitutes `value` for the variable. Binders are unique in a program, so nothing is captured.
pub fn subst_local<P: Clone + PartialEq>(
    expr: &Expr<P>,
    local: &Local,
    value: &Expr<P>,
) -> Expr<P> {
    struct Subst<'a, P>(&'a Local, &'a Expr<P>);
    impl<P: Clone> Mapper<P> for Subst<'_, P> {
        fn keeps_types(&self) -> bool {
            true
        }
        fn local(&mut self, local: &Local, _: &Ty, _: Origin) -> Option<Expr<P>> {
            (local == self.0).then(|| self.1.clone())
        }
    }
    Subst(local, value).expr(expr)
}

/// Substitutes type-level arguments for variables, in types and sizes too.
pub fn subst_vars<P: Clone + PartialEq>(
    expr: &Expr<P>,
    value: &dyn Fn(Var) -> Option<Arg>,
) -> Expr<P> {
    struct Subst<'a>(&'a dyn Fn(Var) -> Option<Arg>);
    impl<P> Mapper<P> for Subst<'_> {
        fn ty(&mut self, ty: &Ty) -> Ty {
            subst(ty, self.0)
        }
        fn arg(&mut self, arg: &Arg) -> Arg {
            subst_arg(arg, self.0)
        }
        fn nat(&mut self, nat: &nat::Nat) -> nat::Nat {
            subst_nat(nat, self.0)
        }
    }
    Subst(value).expr(expr)
}

/// Calls `f` for every use of a value variable in `expr`, functions before their arguments.
pub fn for_each_local<P>(expr: &Expr<P>, f: &mut dyn FnMut(&Local)) {
    if let Form::Var(local) = &expr.form {
        f(local);
    }
    for child in expr.form.children() {
        for_each_local(child, f);
    }
}
