//! Expressions.

use syntax::Span;
use syntax::ast::{BinaryOp, Half, Literal, Name, ScalarType, UnaryOp};

use super::Printer;
use crate::core::{Expr, Form, Language, Local, Notation, Param};
use crate::types::{Arg, Type};

/// Where an expression stands: how tightly it must hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u8);

impl Place {
    /// Anything goes.
    pub(super) const TOP: Place = Place(0);
    /// One of several commands.
    const COMMAND: Place = Place(1);
    /// At the left of `|>`.
    const PIPE: Place = Place(3);
    const OR: Place = Place(5);
    const AND: Place = Place(6);
    const COMPARISON: Place = Place(7);
    const SUM: Place = Place(8);
    const PRODUCT: Place = Place(9);
    const UNARY: Place = Place(11);
    /// What is applied, or taken apart.
    const ATOM: Place = Place(12);

    fn tighter(self) -> Place {
        Place(self.0 + 1)
    }

    fn of(op: BinaryOp) -> Place {
        match op {
            BinaryOp::Or => Place::OR,
            BinaryOp::And => Place::AND,
            BinaryOp::Add | BinaryOp::Sub => Place::SUM,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Place::PRODUCT,
            _ => Place::COMPARISON,
        }
    }
}

impl<P: Language> Printer<P> {
    /// An expression; `wanted` says whether its type is known from what stands around it.
    pub(super) fn expr(&mut self, expr: &Expr<P>, place: Place, wanted: bool) {
        let start = self.out.len();
        self.visit(expr, place, wanted);
        let end = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let span = Span::new(end(start), end(self.out.len()));
        self.map.push((span, expr.origin));
    }

    fn visit(&mut self, expr: &Expr<P>, place: Place, wanted: bool) {
        match &expr.form {
            Form::Var(local) => {
                let name = self.scope.local(local);
                self.out.push_str(&name);
            }
            Form::Literal(literal) => self.literal(literal, &expr.ty, wanted, place),
            Form::Nat(nat) if nat.as_const().is_some_and(|value| value >= 0) && !wanted => {
                let text = self.scope.nat_text(nat);
                self.out.push_str(&format!("{text}natType"));
            }
            Form::Nat(nat) => {
                let text = self.scope.nat_text(nat);
                let needed = place > holds(&text, nat.is_atomic());
                self.parens(needed, |this| this.out.push_str(&text));
            }
            Form::Lambda(..) | Form::DepLambda(..) => self.function(expr, wanted),
            Form::Global(id, _) => {
                let name = self.globals.get(id).cloned().unwrap_or_default();
                self.out.push_str(&name);
            }
            Form::Foreign(function, args) => {
                self.out.push_str(&function.name);
                self.list(args);
            }
            Form::Apply(..) | Form::DepApply(..) => self.application(expr, place, wanted),
            Form::Primitive(p, types, args) => {
                let known = self.known.application(p, args, wanted);
                if known.whole {
                    let lists = p.written(types);
                    self.primitive(expr, p, lists, args, &known.args, place);
                } else if let Some(lists) = p.written_whole(types) {
                    self.primitive(expr, p, lists, args, &vec![true; args.len()], place);
                } else {
                    let known = self.known.application(p, args, true);
                    self.out.push('(');
                    let lists = p.written(types);
                    self.primitive(expr, p, lists, args, &known.args, Place::TOP);
                    self.ascription(&expr.ty);
                }
            }
        }
    }

    fn parens(&mut self, needed: bool, print: impl FnOnce(&mut Self)) {
        if needed {
            self.out.push('(');
        }
        print(self);
        if needed {
            self.out.push(')');
        }
    }

    /// `: type)`, behind an opened parenthesis.
    fn ascription(&mut self, ty: &crate::Ty) {
        let text = self.scope.type_text(ty);
        self.out.push_str(" : ");
        self.out.push_str(&text);
        self.out.push(')');
    }

    /// `(a, b)` if there are any.
    fn list(&mut self, args: &[Expr<P>]) {
        if args.is_empty() {
            return;
        }
        self.out.push('(');
        for (at, arg) in args.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.expr(arg, Place::TOP, true);
        }
        self.out.push(')');
    }

    // ----- literals -----

    fn literal(&mut self, literal: &Literal, ty: &crate::Ty, wanted: bool, place: Place) {
        let data = match &**ty {
            Type::Exp(data, _) => data,
            _ => ty,
        };
        let (text, says) = match (literal, &**data) {
            (Literal::Bool(value), _) => (value.to_string(), true),
            (literal, Type::Scalar(scalar)) => scalar_text(literal, *scalar, wanted),
            (Literal::Int { value, .. }, _) => (value.to_string(), wanted),
            (Literal::Float { text, .. }, _) => (text.to_string(), wanted),
        };
        if !says {
            self.out.push('(');
            self.out.push_str(&text);
            self.ascription(ty);
            return;
        }
        let negative = text.starts_with('-') && place >= Place::UNARY;
        self.parens(negative, |this| this.out.push_str(&text));
    }

    // ----- primitives -----

    fn primitive(
        &mut self,
        expr: &Expr<P>,
        p: &P,
        lists: Vec<Vec<Arg>>,
        args: &[Expr<P>],
        known: &[bool],
        place: Place,
    ) {
        let is_known = |at: usize| known.get(at).copied().unwrap_or(false);
        let saturated = !super::super::normal::is_function(&expr.ty);
        match (p.notation(), args) {
            (Notation::Infix(op, _), [a, b]) if saturated => {
                let own = Place::of(op);
                let left = match own {
                    Place::COMPARISON => own.tighter(),
                    _ => own,
                };
                self.parens(place > own, |this| {
                    this.expr(a, left, is_known(0));
                    this.out.push_str(&format!(" {} ", op.as_str()));
                    this.expr(b, own.tighter(), is_known(1));
                });
            }
            (Notation::Prefix(op, _), [a]) => self.parens(place > Place::UNARY, |this| {
                this.out.push_str(match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                });
                // A minus directly before a number would belong to it.
                let number = matches!(a.form, Form::Literal(_) | Form::Nat(_));
                let inner = if number { Place::TOP } else { Place::UNARY };
                this.parens(number, |this| this.expr(a, inner, is_known(0)));
            }),
            (Notation::Project(half, _), [a]) => {
                self.expr(a, Place::ATOM, is_known(0));
                self.out.push_str(match half {
                    Half::First => "._1",
                    Half::Second => "._2",
                });
            }
            (Notation::Pair(_), [a, b]) => {
                self.out.push('(');
                self.expr(a, Place::TOP, is_known(0));
                self.out.push_str(", ");
                self.expr(b, Place::TOP, is_known(1));
                self.out.push(')');
            }
            (Notation::Let(_), [value, f]) if let Form::Lambda(param, body) = &f.form => {
                let (value, body) = (value.clone(), body.clone());
                self.let_in(param, &value, is_known(0), place, |this| {
                    this.expr(&body, Place::TOP, is_known(1));
                });
            }
            (Notation::Pipe(name), [first @ .., last]) if saturated => {
                self.parens(place > Place::PIPE, |this| {
                    this.expr(last, Place::PIPE, is_known(first.len()));
                    this.out.push_str(" |> ");
                    this.call(name, &lists, first, known);
                });
            }
            (Notation::Assign, [a, b]) => self.parens(place > Place::COMMAND, |this| {
                this.expr(a, Place::PIPE, true);
                this.out.push_str(" = ");
                this.expr(b, Place::PIPE, true);
            }),
            (Notation::Sequence, [a, b]) => self.parens(place > Place::TOP, |this| {
                this.expr(a, Place::COMMAND, true);
                this.out.push_str("; ");
                this.expr(b, Place::TOP, true);
            }),
            (Notation::If, [condition, then, other]) => {
                self.out.push_str("if (");
                self.expr(condition, Place::TOP, true);
                self.out.push_str(") { ");
                self.expr(then, Place::TOP, true);
                self.out.push_str(" } else { ");
                self.expr(other, Place::TOP, true);
                self.out.push_str(" }");
            }
            (Notation::Whole(name), args) => {
                self.whole_call(name, lists.concat(), args, known);
            }
            (Notation::List(name), args) => {
                self.call(name, &lists, &[], &[]);
                self.arguments(args, known);
            }
            (notation, args) => self.call(word(notation), &lists, args, known),
        }
    }

    /// `f(n)(a)(b)`
    fn call(&mut self, name: &str, lists: &[Vec<Arg>], args: &[Expr<P>], known: &[bool]) {
        self.out.push_str(name);
        for list in lists.iter().filter(|list| !list.is_empty()) {
            let texts: Vec<String> = list.iter().map(|arg| self.scope.arg_text(arg)).collect();
            self.out.push_str(&format!("({})", texts.join(", ")));
        }
        for (at, arg) in args.iter().enumerate() {
            self.out.push('(');
            self.expr(arg, Place::TOP, known.get(at).copied().unwrap_or(false));
            self.out.push(')');
        }
    }

    /// `(a, b)`
    fn arguments(&mut self, args: &[Expr<P>], known: &[bool]) {
        if args.is_empty() {
            return;
        }
        self.out.push('(');
        for (at, arg) in args.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.expr(arg, Place::TOP, known.get(at).copied().unwrap_or(false));
        }
        self.out.push(')');
    }

    /// `f(n, a, b)`
    fn whole_call(&mut self, name: &str, types: Vec<Arg>, args: &[Expr<P>], known: &[bool]) {
        self.out.push_str(name);
        if types.is_empty() && args.is_empty() {
            return;
        }
        let texts: Vec<String> = types.iter().map(|arg| self.scope.arg_text(arg)).collect();
        self.out.push('(');
        self.out.push_str(&texts.join(", "));
        for (at, arg) in args.iter().enumerate() {
            if at > 0 || !types.is_empty() {
                self.out.push_str(", ");
            }
            self.expr(arg, Place::TOP, known.get(at).copied().unwrap_or(false));
        }
        self.out.push(')');
    }

    fn let_in(
        &mut self,
        param: &Param,
        value: &Expr<P>,
        known: bool,
        place: Place,
        body: impl FnOnce(&mut Self),
    ) {
        self.parens(place > Place::TOP, |this| {
            // The name is not in scope in its own value.
            let start = this.out.len();
            this.out.push_str(" = ");
            this.expr(value, Place::TOP, known);
            this.out.push_str(" in ");
            let name = this.scope.bind_local(&param.local, &param.ty);
            let head = format!("let {name}");
            this.insert(start, &head);
            body(this);
            this.scope.leave_local(&param.local);
        });
    }

    /// Puts a text before what was printed from `start` on.
    fn insert(&mut self, start: usize, text: &str) {
        self.out.insert_str(start, text);
        let (start, by) = (start as u32, text.len() as u32);
        for (span, _) in self.map.iter_mut().rev() {
            if span.start < start {
                break;
            }
            *span = Span::new(span.start + by, span.end + by);
        }
    }

    // ----- functions -----

    fn function(&mut self, expr: &Expr<P>, wanted: bool) {
        if let Some(shorter) = self.contracted(expr, wanted) {
            return self.visit(&shorter, Place::TOP, wanted);
        }
        let mut body = expr;
        let mut locals: Vec<&Local> = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        if let Form::DepLambda(..) = &expr.form {
            return self.dep_function(expr, wanted);
        }
        while let Form::Lambda(param, inner) = &body.form {
            names.push(self.scope.bind_local(&param.local, &param.ty));
            locals.push(&param.local);
            body = inner;
        }
        self.out.push_str(&format!("fun({} => ", names.join(", ")));
        self.expr(body, Place::TOP, wanted);
        self.out.push(')');
        locals.into_iter().for_each(|l| self.scope.leave_local(l));
    }

    fn dep_function(&mut self, expr: &Expr<P>, wanted: bool) {
        let mut body = expr;
        let mut vars = Vec::new();
        let mut texts = Vec::new();
        while let Form::DepLambda(var, kind, inner) = &body.form {
            self.scope.bind_var(*var, *kind);
            texts.push(format!("{}: {kind}", self.scope.var(*var)));
            vars.push(*var);
            body = inner;
        }
        match &texts[..] {
            [one] => self.out.push_str(&format!("depFun({one} => ")),
            all => self
                .out
                .push_str(&format!("depFun(({}) => ", all.join(", "))),
        }
        self.expr(body, Place::TOP, wanted);
        self.out.push(')');
        vars.into_iter().for_each(|v| self.scope.leave_var(v));
    }

    /// `f(a)` for `fun(x => f(a)(x))`.
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

    fn application(&mut self, expr: &Expr<P>, place: Place, wanted: bool) {
        let mut args = Vec::new();
        let mut head = expr;
        loop {
            head = match &head.form {
                Form::Apply(f, x) => {
                    args.push(Given::Value(x.clone()));
                    f
                }
                Form::DepApply(f, arg) => {
                    args.push(Given::TypeLevel(arg.clone()));
                    f
                }
                _ => break,
            };
        }
        args.reverse();
        self.applied(head, &args, place, wanted);
    }

    /// A function applied to values where it stands is a `let`, unless they are functions.
    fn applied(&mut self, head: &Expr<P>, args: &[Given<P>], place: Place, wanted: bool) {
        let (Form::Lambda(param, body), [Given::Value(value), rest @ ..]) = (&head.form, args)
        else {
            return self.plain_application(head, args, wanted);
        };
        if !super::super::normal::is_function(&value.ty) {
            self.let_in(param, value, false, place, |this| {
                this.applied(body, rest, Place::TOP, wanted);
            });
            return;
        }
        let start = self.out.len();
        self.out.push_str(")(");
        self.expr(value, Place::TOP, true);
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
        self.applied(body, rest, Place::TOP, wanted);
        self.scope.leave_local(&param.local);
        let by = (self.out.len() - start) as u32;
        self.out.push_str(&tail);
        let shift = |(span, origin): (Span, _)| (span.shifted(by), origin);
        self.map.extend(moved.into_iter().map(shift));
    }

    fn plain_application(&mut self, head: &Expr<P>, args: &[Given<P>], wanted: bool) {
        if args.is_empty() {
            return self.expr(head, Place::TOP, wanted);
        }
        self.expr(head, Place::ATOM, true);
        for arg in args {
            self.out.push('(');
            match arg {
                Given::Value(value) => self.expr(value, Place::TOP, true),
                Given::TypeLevel(arg) => {
                    let text = self.scope.arg_text(arg);
                    self.out.push_str(&text);
                }
            }
            self.out.push(')');
        }
    }
}

/// An argument of an application.
enum Given<P> {
    Value(Expr<P>),
    TypeLevel(Arg),
}

/// The name of a primitive that is written as a function.
fn word(notation: Notation) -> &'static str {
    match notation {
        Notation::Call(name)
        | Notation::Pipe(name)
        | Notation::Whole(name)
        | Notation::List(name)
        | Notation::Infix(_, name)
        | Notation::Prefix(_, name)
        | Notation::Project(_, name)
        | Notation::Pair(name)
        | Notation::Let(name) => name,
        Notation::Assign => "assign",
        Notation::Sequence => "seq",
        Notation::If => "if",
        Notation::Skip => "skip",
    }
}

/// How tightly the text of a size holds together.
fn holds(text: &str, atomic: bool) -> Place {
    let mut depth = 0;
    let mut place = if atomic { Place::ATOM } else { Place::PRODUCT };
    for sign in text.chars() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            '+' | '-' if depth == 0 => place = Place::SUM,
            _ => {}
        }
    }
    place
}

/// A number of a scalar type, and whether the text says which.
fn scalar_text(literal: &Literal, scalar: ScalarType, wanted: bool) -> (String, bool) {
    let suffix = match scalar {
        ScalarType::F32 => "f",
        other => other.as_str(),
    };
    match (literal, scalar) {
        (literal, ScalarType::F16 | ScalarType::F32 | ScalarType::F64) => {
            let digits = match literal {
                Literal::Int { value, .. } => format!("{value}.0"),
                Literal::Float { text, .. } => with_point(text),
                Literal::Bool(value) => value.to_string(),
            };
            (format!("{digits}{suffix}"), true)
        }
        (Literal::Int { value, .. }, _) if wanted => (value.to_string(), true),
        (Literal::Int { value, .. }, _) => (format!("{value}{suffix}"), true),
        (Literal::Float { text, .. }, _) => (text.to_string(), wanted),
        (Literal::Bool(value), _) => (value.to_string(), true),
    }
}

/// The digits of a float, so that a suffix makes no other number of them.
fn with_point(text: &str) -> String {
    if text.contains(['.', 'e', 'E']) {
        text.to_owned()
    } else {
        format!("{text}.0")
    }
}
