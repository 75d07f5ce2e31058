//! The values of evaluation, and environments.

use std::rc::Rc;
use std::sync::Arc;

use nat::Var;
use syntax::ast::Kind;

use crate::core::{Expr, Foreign, Local, Origin, Param};
use crate::subst::{subst, subst_arg, subst_nat};
use crate::types::{Arg, Ty};

/// Bindings that are needed around the result of an evaluation, outermost first.
pub(super) type Scope<P> = Vec<Binding<P>>;

/// The binding `let param = value in …`.
pub(super) struct Binding<P> {
    pub param: Param,
    pub value: Expr<P>,
    pub origin: Origin,
}

/// A function, or data in normal form.
#[derive(Clone)]
pub(super) enum Value<P> {
    Data(Expr<P>),
    Lambda(Closure<P>, Param),
    DepLambda(Closure<P>, Dependent),
    Partial(Partial<P>),
    /// A stuck application: a parameter of the program that is a function, or a definition that is
    /// not inlined, with its arguments so far.
    Neutral(Expr<P>),
}

#[derive(Clone)]
pub(super) struct Dependent {
    pub var: Var,
    pub kind: Kind,
    pub implicit: bool,
}

/// The body of a function with its environment.
#[derive(Clone)]
pub(super) struct Closure<P> {
    pub body: Expr<P>,
    pub env: Env<P>,
    pub origin: Origin,
}

/// A primitive or C function that still takes values.
#[derive(Clone)]
pub(super) struct Partial<P> {
    pub head: Head<P>,
    pub args: Vec<Value<P>>,
    /// The type of the partial application.
    pub ty: Ty,
    pub origin: Origin,
}

#[derive(Clone)]
pub(super) enum Head<P> {
    Primitive(P, Arc<[Arg]>),
    Foreign(Arc<Foreign>),
}

/// The environment of an expression. Variables that are not in it stand for themselves.
pub(super) struct Env<P> {
    locals: List<(u32, EnvEntry<P>)>,
    vars: List<(Var, Arg)>,
    /// The origin of the use of the surrounding function that is evaluated, if the function was
    /// copied to several uses.
    pub(super) used_at: Option<Origin>,
}

#[derive(Clone)]
pub(super) struct EnvEntry<P> {
    pub value: Value<P>,
    /// True if the value may be put in several places, each of which needs binders and origins of
    /// its own.
    pub copied: bool,
}

struct List<T>(Option<Rc<(T, List<T>)>>);

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        List(self.0.clone())
    }
}

impl<T> List<T> {
    fn with(&self, item: T) -> Self {
        List(Some(Rc::new((item, self.clone()))))
    }

    fn find<R>(&self, mut test: impl FnMut(&T) -> Option<R>) -> Option<R> {
        let mut list = self;
        while let Some(cons) = &list.0 {
            if let Some(found) = test(&cons.0) {
                return Some(found);
            }
            list = &cons.1;
        }
        None
    }
}

impl<P> Clone for Env<P> {
    fn clone(&self) -> Self {
        Env {
            locals: self.locals.clone(),
            vars: self.vars.clone(),
            used_at: self.used_at,
        }
    }
}

impl<P> Default for Env<P> {
    fn default() -> Self {
        Env {
            locals: List(None),
            vars: List(None),
            used_at: None,
        }
    }
}

impl<P: Clone> Env<P> {
    /// Returns the environment of a function at one of its uses.
    pub(super) fn used_at(&self, origin: Origin) -> Env<P> {
        Env {
            used_at: Some(origin),
            ..self.clone()
        }
    }

    pub(super) fn with(&self, local: &Local, bound: EnvEntry<P>) -> Env<P> {
        Env {
            locals: self.locals.with((local.id, bound)),
            ..self.clone()
        }
    }

    pub(super) fn with_var(&self, var: Var, arg: Arg) -> Env<P> {
        Env {
            vars: self.vars.with((var, arg)),
            ..self.clone()
        }
    }

    pub(super) fn local(&self, local: &Local) -> Option<EnvEntry<P>> {
        self.locals
            .find(|(id, bound)| (*id == local.id).then(|| bound.clone()))
    }

    fn var(&self, var: Var) -> Option<Arg> {
        self.vars
            .find(|(known, arg)| (*known == var).then(|| arg.clone()))
    }

    pub(super) fn ty(&self, ty: &Ty) -> Ty {
        match self.vars.0 {
            None => ty.clone(),
            Some(_) => subst(ty, &|v| self.var(v)),
        }
    }

    pub(super) fn arg(&self, arg: &Arg) -> Arg {
        match self.vars.0 {
            None => arg.clone(),
            Some(_) => subst_arg(arg, &|v| self.var(v)),
        }
    }

    pub(super) fn args(&self, args: &Arc<[Arg]>) -> Arc<[Arg]> {
        match self.vars.0 {
            None => args.clone(),
            Some(_) => args.iter().map(|arg| self.arg(arg)).collect(),
        }
    }

    pub(super) fn nat(&self, nat: &nat::Nat) -> nat::Nat {
        match self.vars.0 {
            None => nat.clone(),
            Some(_) => subst_nat(nat, &|v| self.var(v)),
        }
    }
}
