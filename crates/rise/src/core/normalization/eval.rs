//! Evaluation of terms to values, and quotation of values to terms.

use std::sync::Arc;

use super::usage::{Uses, uses};
use super::value::{Binding, Closure, Dependent, Env, EnvEntry, Head, Partial, Scope, Value};
use super::{Normaliser, is_function, is_trivial};
use crate::core::{
    Expr, Form, Language, Node, Origin, Param, apply, dep_apply, dep_lambda, lambda,
};
use crate::types::{Arg, Type, var_arg};

impl<P: Language> Normaliser<'_, P> {
    /// Evaluates an expression. Bindings that are needed around the result are added to `scope`. If
    /// a limit is exceeded, returns the expression itself.
    pub(super) fn eval(&mut self, expr: &Expr<P>, env: &Env<P>, scope: &mut Scope<P>) -> Value<P> {
        if !self.enter() {
            return Value::Data(expr.clone());
        }
        let value = self.visit(expr, env, scope);
        self.leave();
        value
    }

    fn visit(&mut self, expr: &Expr<P>, env: &Env<P>, scope: &mut Scope<P>) -> Value<P> {
        let origin = self.origin_at(expr.origin, env.used_at);
        let closure = |body: &Expr<P>| Closure {
            body: body.clone(),
            env: env.clone(),
            origin,
        };
        let leaf = |form| Value::Data(Node::new(form, env.ty(&expr.ty), origin));
        match &expr.form {
            Form::Var(local) => match env.local(local) {
                // A variable that is bound to a variable takes the origin of the use.
                Some(EnvEntry {
                    value: Value::Data(other),
                    ..
                }) if matches!(other.form, Form::Var(_)) => {
                    Value::Data(Node::new(other.form.clone(), other.ty.clone(), origin))
                }
                Some(EnvEntry {
                    value,
                    copied: true,
                }) => self.copy(value, origin, scope),
                Some(EnvEntry { value, .. }) => value,
                None if is_function(&expr.ty) => Value::Neutral(at(expr.clone(), origin)),
                None => leaf(Form::Var(local.clone())),
            },
            Form::Literal(literal) => leaf(Form::Literal(literal.clone())),
            Form::Nat(nat) => leaf(Form::Nat(env.nat(nat))),
            Form::Global(id, args) => {
                let args = args.iter().map(|arg| env.arg(arg)).collect();
                let form = Form::Global(*id, args);
                Value::Neutral(Node::new(form, env.ty(&expr.ty), origin))
            }
            Form::Lambda(param, body) => Value::Lambda(closure(body), param.clone()),
            Form::DepLambda(var, kind, body) => {
                let implicit = matches!(&*expr.ty, Type::Pi(pi) if pi.implicit);
                let dependent = Dependent {
                    var: *var,
                    kind: *kind,
                    implicit,
                };
                Value::DepLambda(closure(body), dependent)
            }
            Form::Apply(f, x) => {
                let f = self.eval(f, env, scope);
                let x = self.argument(x, env, scope);
                self.apply(f, x, origin, scope)
            }
            Form::DepApply(f, arg) => {
                let f = self.eval(f, env, scope);
                self.dep_apply(f, env.arg(arg), origin, scope)
            }
            Form::Primitive(p, types, args) => {
                let head = Head::Primitive(p.clone(), env.args(types));
                self.call((expr, origin), head, args, env, scope)
            }
            Form::Foreign(function, args) => {
                let head = Head::Foreign(function.clone());
                self.call((expr, origin), head, args, env, scope)
            }
        }
    }

    /// Evaluates a primitive or C function with the arguments that it has.
    fn call(
        &mut self,
        (expr, origin): (&Expr<P>, Origin),
        head: Head<P>,
        args: &[Expr<P>],
        env: &Env<P>,
        scope: &mut Scope<P>,
    ) -> Value<P> {
        let args = args
            .iter()
            .enumerate()
            .map(|(position, arg)| {
                let closed = match &head {
                    Head::Primitive(p, _) => p.is_closed(position),
                    Head::Foreign(_) => false,
                };
                match closed {
                    true => self.argument(arg, env, scope),
                    false => self.eval(arg, env, scope),
                }
            })
            .collect();
        let partial = Partial {
            head,
            args,
            ty: env.ty(&expr.ty),
            origin,
        };
        self.saturated(partial, scope)
    }

    /// Evaluates an argument. Data keeps its bindings inside, because the function decides whether
    /// the argument is computed at all.
    fn argument(&mut self, expr: &Expr<P>, env: &Env<P>, scope: &mut Scope<P>) -> Value<P> {
        if is_function(&expr.ty) {
            return self.eval(expr, env, scope);
        }
        Value::Data(self.data(expr, env))
    }

    /// Normalises an expression of a data type; its bindings stay inside of it.
    fn data(&mut self, expr: &Expr<P>, env: &Env<P>) -> Expr<P> {
        let mut scope = Scope::new();
        let value = self.eval(expr, env, &mut scope);
        self.body(value, scope)
    }

    // ----- application -----

    fn apply(
        &mut self,
        f: Value<P>,
        x: Value<P>,
        origin: Origin,
        scope: &mut Scope<P>,
    ) -> Value<P> {
        match f {
            Value::Lambda(closure, param) => {
                let bound = self.bind(&closure, &param, x, scope);
                let env = closure.env.with(&param.local, bound);
                self.eval(&closure.body, &env, scope)
            }
            Value::Partial(mut partial) => {
                if let Type::Fun(_, result) = &*partial.ty.clone() {
                    partial.ty = result.clone();
                }
                partial.args.push(x);
                self.saturated(partial, scope)
            }
            Value::Neutral(f) | Value::Data(f) => {
                let x = self.expression(x, scope);
                neutral(apply(&f, x, origin))
            }
            // A value of this type is never applied to a value.
            Value::DepLambda(..) => f,
        }
    }

    fn dep_apply(
        &mut self,
        f: Value<P>,
        arg: Arg,
        origin: Origin,
        scope: &mut Scope<P>,
    ) -> Value<P> {
        match f {
            Value::DepLambda(closure, Dependent { var, .. }) => {
                self.given.push((var, arg.clone()));
                let env = closure.env.with_var(var, arg);
                self.eval(&closure.body, &env, scope)
            }
            Value::Neutral(f) | Value::Data(f) => neutral(dep_apply(&f, arg, origin)),
            // A primitive has its type-level arguments already, and no other function is applied to
            // one.
            Value::Lambda(..) | Value::Partial(_) => f,
        }
    }

    /// Returns the binding of a parameter for the body. Data that would be computed several times
    /// is bound in `scope`.
    fn bind(
        &mut self,
        closure: &Closure<P>,
        param: &Param,
        value: Value<P>,
        scope: &mut Scope<P>,
    ) -> EnvEntry<P> {
        let once = |value| EnvEntry {
            value,
            copied: false,
        };
        match value {
            Value::Data(expr) if is_trivial(&expr) => once(Value::Data(expr)),
            value => {
                if uses(&closure.body, &param.local) != Uses::Many {
                    return once(value);
                }
                let value = match value {
                    Value::Data(expr) => {
                        let mut param = param.clone();
                        param.ty = expr.ty.clone();
                        Value::Data(self.name(param, expr, closure.origin, scope))
                    }
                    Value::Partial(partial) => Value::Partial(self.name_parts(partial, scope)),
                    value => value,
                };
                EnvEntry {
                    value,
                    copied: true,
                }
            }
        }
    }

    /// Evaluates an application of `let`: a value that is not trivial is bound in `scope`, at the
    /// start of the surrounding function; a trivial one is substituted.
    fn let_in(
        &mut self,
        value: Value<P>,
        f: Value<P>,
        origin: Origin,
        scope: &mut Scope<P>,
    ) -> Value<P> {
        let value = match (value, &f) {
            (Value::Data(expr), Value::Lambda(closure, param)) if !is_trivial(&expr) => {
                let mut param = param.clone();
                param.ty = expr.ty.clone();
                Value::Data(self.name(param, expr, closure.origin, scope))
            }
            (value, _) => value,
        };
        self.apply(f, value, origin, scope)
    }

    /// Binds the value in `scope` and returns the variable, or the value itself if the language
    /// does not bind its type.
    fn name(
        &mut self,
        param: Param,
        value: Expr<P>,
        origin: Origin,
        scope: &mut Scope<P>,
    ) -> Expr<P> {
        if !P::binds(&value.ty) {
            return value;
        }
        let param = self.unique(param);
        let var = Node::var(&param, value.origin);
        scope.push(Binding {
            param,
            value,
            origin,
        });
        var
    }

    /// Binds the arguments of a partial application, so that they are computed once although the
    /// primitive runs many times; except for those that each run computes anew.
    fn name_parts(&mut self, mut partial: Partial<P>, scope: &mut Scope<P>) -> Partial<P> {
        let args = std::mem::take(&mut partial.args);
        for (position, arg) in args.into_iter().enumerate() {
            let written = match &partial.head {
                Head::Primitive(p, _) => p.is_written(position),
                Head::Foreign(_) => false,
            };
            let arg = match arg {
                Value::Data(expr) if !written && !is_trivial(&expr) => {
                    let param = self.fresh_for(&expr);
                    Value::Data(self.name(param, expr, partial.origin, scope))
                }
                Value::Partial(inner) => Value::Partial(self.name_parts(inner, scope)),
                arg => arg,
            };
            partial.args.push(arg);
        }
        partial
    }

    fn fresh_for(&mut self, expr: &Expr<P>) -> Param {
        let name = super::name_for(&expr.ty);
        Param {
            local: self.program.fresh_local(name),
            ty: expr.ty.clone(),
        }
    }

    /// Copies a value to another use: its binders are renamed, and its origins refer to the use.
    fn copy(&mut self, value: Value<P>, used_at: Origin, scope: &mut Scope<P>) -> Value<P> {
        match value {
            Value::Data(expr) if !is_trivial(&expr) => {
                Value::Data(self.data(&expr, &Env::default()))
            }
            Value::Partial(mut partial) => {
                let args = std::mem::take(&mut partial.args).into_iter();
                partial.args = args.map(|arg| self.copy(arg, used_at, scope)).collect();
                partial.origin = self.origin_at(partial.origin, Some(used_at));
                Value::Partial(partial)
            }
            Value::Lambda(closure, param) => {
                Value::Lambda(self.copy_closure(&closure, used_at), param)
            }
            Value::DepLambda(closure, dependent) => {
                Value::DepLambda(self.copy_closure(&closure, used_at), dependent)
            }
            Value::Neutral(expr) => self.eval(&expr, &Env::default(), scope),
            value => value,
        }
    }

    fn copy_closure(&mut self, closure: &Closure<P>, used_at: Origin) -> Closure<P> {
        Closure {
            body: closure.body.clone(),
            env: closure.env.used_at(used_at),
            origin: self.origin_at(closure.origin, Some(used_at)),
        }
    }

    // ----- values as expressions -----

    /// Returns data if a primitive or C function has all of its arguments, a partial application
    /// otherwise. A `let` with both arguments is evaluated.
    fn saturated(&mut self, partial: Partial<P>, scope: &mut Scope<P>) -> Value<P> {
        if is_function(&partial.ty) {
            return Value::Partial(partial);
        }
        let Partial {
            head,
            mut args,
            ty,
            origin,
        } = partial;
        if let Head::Primitive(p, _) = &head
            && p.is_let()
            && matches!(args[..], [Value::Data(_), Value::Lambda(..)])
            && let (Some(f), Some(value)) = (args.pop(), args.pop())
        {
            return self.let_in(value, f, origin, scope);
        }
        let args = args
            .into_iter()
            .map(|arg| self.expression(arg, scope))
            .collect();
        let form = match head {
            Head::Primitive(p, types) => Form::Primitive(p, types, args),
            Head::Foreign(function) => Form::Foreign(function, args),
        };
        Value::Data(Node::new(form, ty, origin))
    }

    /// Quotes a value as the argument of a primitive: functions are eta-expanded to all parameters
    /// of their type.
    fn expression(&mut self, value: Value<P>, scope: &mut Scope<P>) -> Expr<P> {
        if !self.enter() {
            return self.program.body.clone();
        }
        let expr = match value {
            Value::Data(expr) => expr,
            Value::Lambda(closure, param) => self.under(closure, param),
            Value::DepLambda(closure, dependent) => self.under_dependent(closure, dependent),
            Value::Partial(partial) => {
                let partial = self.name_parts(partial, scope);
                let (ty, origin) = (partial.ty.clone(), partial.origin);
                self.expanded(Value::Partial(partial), &ty, origin)
            }
            Value::Neutral(expr) => {
                let (ty, origin) = (expr.ty.clone(), expr.origin);
                self.expanded(Value::Neutral(expr), &ty, origin)
            }
        };
        self.leave();
        expr
    }

    /// Eta-expands a value of function type.
    fn expanded(&mut self, value: Value<P>, ty: &Type, origin: Origin) -> Expr<P> {
        let mut scope = Scope::new();
        match ty {
            Type::Fun(input, _) => {
                let param = self.fresh(input);
                let x = variable(&param, origin);
                let value = self.apply(value, x, origin, &mut scope);
                let body = self.body(value, scope);
                at(lambda(param, body), origin)
            }
            Type::Pi(pi) => {
                let name = self.program.name_of(pi.var);
                let var = self.program.fresh_var(name);
                self.vars.insert(var);
                let arg = var_arg(var, pi.kind);
                let value = self.dep_apply(value, arg, origin, &mut scope);
                let body = self.body(value, scope);
                at(dep_lambda(var, pi.kind, pi.implicit, body), origin)
            }
            _ => match value {
                Value::Neutral(expr) | Value::Data(expr) => expr,
                value => self.expression(value, &mut scope),
            },
        }
    }

    fn under(&mut self, closure: Closure<P>, param: Param) -> Expr<P> {
        let inner = Param {
            ty: closure.env.ty(&param.ty),
            local: param.local.clone(),
        };
        let inner = self.unique(inner);
        let bound = EnvEntry {
            value: variable(&inner, closure.origin),
            copied: false,
        };
        let env = closure.env.with(&param.local, bound);
        let mut scope = Scope::new();
        let value = self.eval(&closure.body, &env, &mut scope);
        let body = self.body(value, scope);
        at(lambda(inner, body), closure.origin)
    }

    fn under_dependent(&mut self, closure: Closure<P>, dependent: Dependent) -> Expr<P> {
        let Dependent {
            var,
            kind,
            implicit,
        } = dependent;
        let inner = self.unique_var(var);
        let env = closure.env.with_var(var, var_arg(inner, kind));
        let mut scope = Scope::new();
        let value = self.eval(&closure.body, &env, &mut scope);
        let body = self.body(value, scope);
        at(dep_lambda(inner, kind, implicit, body), closure.origin)
    }

    /// Makes the body of a function or program with the bindings of `scope` around it. Bindings
    /// around a function move under its parameters, because it runs only when all of them are
    /// given.
    pub(super) fn body(&mut self, value: Value<P>, mut scope: Scope<P>) -> Expr<P> {
        let expr = self.expression(value, &mut scope);
        sink(expr, scope)
    }
}

fn sink<P: Language>(expr: Expr<P>, scope: Scope<P>) -> Expr<P> {
    if scope.is_empty() {
        return expr;
    }
    let origin = expr.origin;
    match &expr.form {
        Form::Lambda(param, body) => at(lambda(param.clone(), sink(body.clone(), scope)), origin),
        Form::DepLambda(var, kind, body) => {
            let implicit = matches!(&*expr.ty, Type::Pi(pi) if pi.implicit);
            let body = sink(body.clone(), scope);
            at(dep_lambda(*var, *kind, implicit, body), origin)
        }
        _ => scope.into_iter().rev().fold(expr, |body, binding| {
            P::let_in(binding.param, binding.value, body, binding.origin)
        }),
    }
}

fn at<P: Clone>(expr: Expr<P>, origin: Origin) -> Expr<P> {
    if expr.origin == origin {
        return expr;
    }
    Arc::new(Node {
        origin,
        ..(*expr).clone()
    })
}

fn variable<P>(param: &Param, origin: Origin) -> Value<P> {
    neutral(Node::var(param, origin))
}

fn neutral<P>(expr: Expr<P>) -> Value<P> {
    if is_function(&expr.ty) {
        Value::Neutral(expr)
    } else {
        Value::Data(expr)
    }
}
