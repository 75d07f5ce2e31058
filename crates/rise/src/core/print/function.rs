//! Printing of functions and applications.

use syntax::Span;

use super::Printer;
use super::term::Precedence;
use crate::core::{Expr, Form, Language, Local, Notation, Param};
use crate::types::{Arg, Pi, Type};

impl<P: Language> Printer<P> {
    pub(super) fn function(&mut self, expr: &Expr<P>, wanted: bool) {
        if let Some(shorter) = self.contracted(expr, wanted) {
            return self.visit(&shorter, Precedence::TOP, wanted);
        }
        let mut body = expr;
        let mut locals: Vec<&Local> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        if let Form::DepLambda(..) = &expr.form {
            return self.dep_function(expr, wanted);
        }
        while let Form::Lambda(param, inner) = &body.form {
            names.push(self.scope.bind_local(&param.local, &param.ty).into());
            locals.push(&param.local);
            body = inner;
        }
        self.open_function(true, &names);
        self.expr(body, Precedence::TOP, wanted);
        self.out.push(')');
        locals.into_iter().for_each(|l| self.scope.leave_local(l));
    }

    /// Prints a function up to its `=>`: `fun` if `is_value` is true, `depFun` otherwise.
    pub(super) fn open_function(&mut self, is_value: bool, params: &[String]) {
        let list = params.join(", ");
        self.out.push_str(&match (is_value, params.len()) {
            (true, _) => format!("fun({list} => "),
            (false, 1) => format!("depFun({list} => "),
            (false, _) => format!("depFun(({list}) => "),
        });
    }

    fn dep_function(&mut self, expr: &Expr<P>, wanted: bool) {
        let mut body = expr;
        let mut vars = Vec::new();
        let mut texts = Vec::new();
        while let Form::DepLambda(var, kind, inner) = &body.form {
            self.scope.bind_var(*var, *kind);
            // A function over an implicit parameter is printed as its body.
            let is_implicit = matches!(&*body.ty, Type::Pi(pi) if pi.implicit);
            if P::WHOLE || !is_implicit {
                texts.push(format!("{}: {kind}", self.scope.var(*var)));
            }
            vars.push(*var);
            body = inner;
        }
        if !texts.is_empty() {
            self.open_function(false, &texts);
        }
        self.expr(body, Precedence::TOP, wanted);
        if !texts.is_empty() {
            self.out.push(')');
        }
        vars.into_iter().for_each(|v| self.scope.leave_var(v));
    }

    /// Eta-contracts `fun(x => f(a)(x))` to `f(a)`. Returns `None` if the function has another
    /// form, or if inference needs the longer one.
    fn contracted(&mut self, expr: &Expr<P>, wanted: bool) -> Option<Expr<P>> {
        if P::WHOLE {
            return None;
        }
        let mut params: Vec<&Param> = Vec::new();
        let mut body = expr;
        while let Form::Lambda(param, inner) = &body.form {
            params.push(param);
            body = inner;
        }
        let is_param = |arg: &Expr<P>, param: &Param| match &arg.form {
            Form::Var(local) => *local == param.local,
            _ => false,
        };
        let shorter = |args: &[Expr<P>]| {
            let left = args.len().checked_sub(params.len())?;
            let (first, last) = args.split_at(left);
            if params.is_empty() || !last.iter().zip(&params).all(|(a, p)| is_param(a, p)) {
                return None;
            }
            let mut free = true;
            for arg in first {
                crate::core::for_each_local(arg, &mut |local| {
                    free &= params.iter().all(|param| param.local != *local);
                });
            }
            free.then(|| first.to_vec())
        };
        let form = match &body.form {
            Form::Primitive(p, types, args) => {
                if matches!(p.notation(), Notation::Let(_)) {
                    return None;
                }
                let args = shorter(args)?;
                if !self.known.application(p, &args, wanted).whole {
                    return None;
                }
                Form::Primitive(p.clone(), types.clone(), args.into())
            }
            Form::Foreign(function, args) => Form::Foreign(function.clone(), shorter(args)?.into()),
            Form::Apply(f, x) => {
                let args = shorter(std::slice::from_ref(x))?;
                let mut free = args.is_empty();
                crate::core::for_each_local(f, &mut |local| {
                    free &= params.iter().all(|param| param.local != *local);
                });
                return free.then(|| f.clone());
            }
            _ => return None,
        };
        Some(crate::core::Node::new(form, expr.ty.clone(), body.origin))
    }

    // ----- applications -----

    pub(super) fn application(&mut self, expr: &Expr<P>, place: Precedence, wanted: bool) {
        let mut args = Vec::new();
        let mut head = expr;
        loop {
            head = match &head.form {
                Form::Apply(f, x) => {
                    args.push(ApplicationArg::Value(x.clone()));
                    f
                }
                Form::DepApply(f, arg) => {
                    // Implicit arguments are not written, because they are inferred from the
                    // values.
                    if !matches!(&*f.ty, Type::Pi(Pi { implicit: true, .. })) {
                        args.push(ApplicationArg::TypeLevel(arg.clone()));
                    }
                    f
                }
                _ => break,
            };
        }
        args.reverse();
        self.applied(head, &args, place, wanted);
    }

    /// Prints the application of `head` to `args`. A `fun` that is applied to data is printed as a
    /// `let`.
    fn applied(
        &mut self,
        head: &Expr<P>,
        args: &[ApplicationArg<P>],
        place: Precedence,
        wanted: bool,
    ) {
        let (Form::Lambda(param, body), [ApplicationArg::Value(value), rest @ ..]) =
            (&head.form, args)
        else {
            return self.plain_application(head, args, wanted);
        };
        if !super::super::normalization::is_function(&value.ty) {
            self.let_in(param, value, false, place, |this| {
                this.applied(body, rest, Precedence::TOP, wanted);
            });
            return;
        }
        let start = self.out.len();
        self.out.push_str(")(");
        self.expr(value, Precedence::TOP, true);
        self.out.push(')');
        let tail = self.out.split_off(start);
        let moved = self
            .map
            .iter()
            .filter(|(span, _)| span.start as usize >= start);
        let moved = moved.count();
        let moved: Vec<_> = self.map.drain(self.map.len() - moved..).collect();
        let name = self.scope.bind_local(&param.local, &param.ty);
        let ty = self.scope.type_text(&param.ty);
        self.out.push_str(&format!("fun({name}: {ty} => "));
        self.applied(body, rest, Precedence::TOP, wanted);
        self.scope.leave_local(&param.local);
        let by = (self.out.len() - start) as u32;
        self.out.push_str(&tail);
        let shift = |(span, origin): (Span, _)| (span.shifted(by), origin);
        self.map.extend(moved.into_iter().map(shift));
    }

    fn plain_application(&mut self, head: &Expr<P>, args: &[ApplicationArg<P>], wanted: bool) {
        if args.is_empty() {
            return self.expr(head, Precedence::TOP, wanted);
        }
        self.expr(head, Precedence::ATOM, true);
        for arg in args {
            self.out.push('(');
            match arg {
                ApplicationArg::Value(value) => self.expr(value, Precedence::TOP, true),
                ApplicationArg::TypeLevel(arg) => {
                    let text = self.scope.arg_text(arg);
                    self.out.push_str(&text);
                }
            }
            self.out.push(')');
        }
    }
}

/// An argument of an application.
enum ApplicationArg<P> {
    Value(Expr<P>),
    TypeLevel(Arg),
}
