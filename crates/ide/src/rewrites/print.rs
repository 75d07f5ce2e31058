//! Printing of terms that occur nowhere in the old text, in the notation of the text around them.

use rise::core::{Form, Language, Notation, Param, SizeBinding};
use rise::{Arg, Primitive, Type};
use syntax::ast::{Literal, ScalarType, TermId, TermKind, UnaryOp};

use super::chain::is_pattern;
use super::precedence::Level;
use super::restyle::{Annotations, Piece, Restyle};
use super::terms::{Core, is_function, strip, uses};

impl Restyle<'_> {
    /// Prints a term, of which parts may be copied from the old text.
    pub(super) fn print(&mut self, new: &Core) -> Piece {
        match &new.form {
            Form::Var(local) => Piece::new(local.name.as_str(), Level::Atom),
            Form::Literal(literal) => self.number(literal, &new.ty),
            Form::Nat(nat) => {
                let text = rise::print::nat_text(nat, self.nat_names());
                // Without a suffix the literal could have any numeric type.
                if self.annotates() && nat.as_const().is_some_and(|value| value >= 0) {
                    return Piece::new(format!("{text}natType"), Level::Atom);
                }
                let level = if nat.is_atomic() {
                    Level::Atom
                } else {
                    Level::Open
                };
                Piece::new(text, level)
            }
            Form::Lambda(..) => self.function(new),
            Form::DepLambda(var, kind, body) => {
                if matches!(&*new.ty, Type::Pi(pi) if pi.implicit) {
                    return self.piece(body);
                }
                let name = self.nat_names().get(*var);
                let body = self.piece(body).text;
                Piece::new(format!("depFun({name}: {kind} => {body})"), Level::Atom)
            }
            Form::Primitive(p, _, args) => self.primitive(new, *p, args),
            Form::Apply(f, x) => match &f.form {
                // A `let` whose result is a function is elaborated to the application of an
                // abstraction.
                Form::Lambda(param, body) if is_function(&new.ty) && !is_function(&x.ty) => {
                    self.let_in(param, x, body)
                }
                Form::Lambda(param, body)
                    if !self.options.exact && (uses(body, &param.local) < 2 || is_atom(x)) =>
                {
                    let reduced = rise::core::subst_local(body, &param.local, x);
                    self.piece(&reduced)
                }
                _ => self.call(new),
            },
            Form::Foreign(..) | Form::Global(..) | Form::DepApply(..) => self.call(new),
        }
    }

    fn number(&self, literal: &Literal, ty: &Type) -> Piece {
        let float = |digits: &str, suffix: &str| match digits.contains(['.', 'e', 'E']) {
            true => format!("{digits}{suffix}"),
            false => format!("{digits}.0{suffix}"),
        };
        let text = match (literal, ty) {
            (Literal::Bool(value), _) => value.to_string(),
            (
                literal,
                Type::Scalar(scalar @ (ScalarType::F16 | ScalarType::F32 | ScalarType::F64)),
            ) => {
                let suffix = match scalar {
                    ScalarType::F32 => "f",
                    other => other.as_str(),
                };
                match literal {
                    Literal::Int { value, .. } => float(&value.to_string(), suffix),
                    Literal::Float { text, .. } => float(text, suffix),
                    Literal::Bool(value) => value.to_string(),
                }
            }
            (Literal::Int { value, .. }, Type::Scalar(scalar)) if self.annotates() => {
                format!("{value}{scalar}")
            }
            (Literal::Int { value, .. }, _) => value.to_string(),
            (Literal::Float { text, .. }, _) => text.to_string(),
        };
        Piece::new(text, Level::of_literal(literal))
    }

    // ----- functions -----

    fn function(&mut self, new: &Core) -> Piece {
        if let Some(other) = self.as_other(new) {
            return self.piece(&other);
        }
        if let Some(stages) = self.as_composition(new) {
            let indent = self.indent;
            let texts: Vec<String> = stages
                .iter()
                .map(|stage| self.text(stage, Level::Or, indent))
                .collect();
            return Piece::new(texts.join(" >> "), Level::Compose);
        }
        let mut params: Vec<String> = Vec::new();
        let mut body = new.clone();
        while let Form::Lambda(param, inner) = &body.form {
            params.push(self.bind(param, inner));
            body = inner.clone();
        }
        let text = self.piece(&body).text;
        self.names.leave(params.len());
        Piece::new(format!("fun({} => {text})", params.join(", ")), Level::Atom)
    }

    /// Brings the parameter of a new abstraction into scope and returns it as text.
    fn bind(&mut self, param: &Param, body: &Core) -> String {
        let name = self.fresh_name(param, body);
        self.names.enter(&param.local, name.clone());
        match self.annotates() {
            true => format!(
                "{name}: {}",
                rise::print::type_text(&param.ty, self.nat_names())
            ),
            false => name.to_string(),
        }
    }

    fn annotates(&self) -> bool {
        self.options.annotations > Annotations::None
    }

    fn let_in(&mut self, param: &Param, value: &Core, body: &Core) -> Piece {
        let value = self.piece(value).text;
        let name = self.bind(param, body);
        let body = self.piece(body).text;
        self.names.leave(1);
        Piece::new(format!("let {name} = {value} in {body}"), Level::Open)
    }

    fn let_size(&mut self, bound: SizeBinding<'_, Primitive>, value: &Core) -> Piece {
        let value = self.piece(value).text;
        let size = self.nat_names().get(bound.size);
        let name = bound.param.map(|param| self.bind(param, bound.body));
        let body = self.piece(bound.body).text;
        let names = match name {
            Some(name) => {
                self.names.leave(1);
                format!("{{{size}}} {name}")
            }
            None => format!("{{{size}}}"),
        };
        Piece::new(format!("let {names} = {value} in {body}"), Level::Open)
    }

    // ----- applications -----

    fn primitive(&mut self, new: &Core, p: Primitive, args: &[Core]) -> Piece {
        let indent = self.indent;
        let whole = !is_function(&new.ty);
        match (p.notation(), args) {
            (Notation::Infix(op, _), [a, b]) if whole => {
                let [left, right] = Level::operands(op);
                let a = self.text(a, left, indent);
                let b = self.text(b, right, indent);
                Piece::new(format!("{a} {} {b}", op.as_str()), Level::of_op(op))
            }
            (Notation::Prefix(op, _), [a]) => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                };
                // A sign directly before a number would be part of its literal.
                let needed = match a.form {
                    Form::Literal(_) | Form::Nat(_) => None,
                    _ => Some(Level::Unary),
                };
                let a = match needed {
                    Some(needed) => self.text(a, needed, indent),
                    None => format!("({})", self.piece(a).text),
                };
                Piece::new(format!("{sign}{a}"), Level::Unary)
            }
            (Notation::Project(half, _), [a]) => {
                let a = self.text(a, Level::Atom, indent);
                let half = match half {
                    syntax::ast::Half::First => "_1",
                    syntax::ast::Half::Second => "_2",
                };
                Piece::new(format!("{a}.{half}"), Level::Atom)
            }
            (Notation::Pair(_), [a, b]) => {
                let (a, b) = (self.piece(a).text, self.piece(b).text);
                Piece::new(format!("({a}, {b})"), Level::Atom)
            }
            (Notation::Let(_), [value, f]) if let Form::Lambda(param, body) = &f.form => {
                self.let_in(param, value, body)
            }
            (Notation::LetSize(_), [value, f])
                if let Some(bound) = rise::core::size_binding(value, f) =>
            {
                self.let_size(bound, value)
            }
            (Notation::Pipe(_), [_, ..]) if whole && self.pipes => self.pipeline_text(new),
            (Notation::List(name), args) => {
                let args: Vec<String> = args.iter().map(|arg| self.piece(arg).text).collect();
                let head = self.head_text(&super::terms::head(new).0);
                debug_assert!(head.starts_with(name), "the head is the primitive");
                match args.is_empty() {
                    true => Piece::new(head, Level::Atom),
                    false => Piece::new(format!("{head}({})", args.join(", ")), Level::Atom),
                }
            }
            _ => self.call(new),
        }
    }

    /// Prints `x |> f |> g`.
    fn pipeline_text(&mut self, new: &Core) -> Piece {
        let indent = self.indent;
        let mut stages = Vec::new();
        let mut base = new.clone();
        while let Some((f, x)) = strip(&base).filter(|(f, _)| is_pattern(f)) {
            stages.push(f);
            base = x;
        }
        let mut text = self.text(&base, Level::Pipe, indent);
        for stage in stages.iter().rev() {
            text.push_str(" |> ");
            text.push_str(&self.text(stage, Level::Or, indent));
        }
        Piece::new(text, Level::Pipe)
    }

    /// Prints `f(n)(a)(b)`.
    fn call(&mut self, new: &Core) -> Piece {
        let indent = self.indent;
        let mut args = Vec::new();
        let mut at = new.clone();
        loop {
            if let Some((f, x)) = strip(&at) {
                args.push(Given::Value(x));
                at = f;
                continue;
            }
            match &at.form {
                Form::DepApply(f, arg) => {
                    if !matches!(&*f.ty, Type::Pi(pi) if pi.implicit) {
                        args.push(Given::Size(arg.clone()));
                    }
                    at = f.clone();
                }
                _ => break,
            }
        }
        let mut text = match &at.form {
            Form::Primitive(..) | Form::Global(..) | Form::Foreign(..) => self.head_text(&at),
            _ if args.is_empty() => return self.piece(&at),
            _ => self.text(&at, Level::Atom, indent),
        };
        let values = args
            .iter()
            .filter(|arg| matches!(arg, Given::Value(_)))
            .count();
        let together = values == args.len() && values > 1 && self.lists_values();
        if together {
            text.push('(');
        }
        for (at, arg) in args.into_iter().rev().enumerate() {
            let arg = match arg {
                Given::Value(value) => self.piece(&value).text,
                Given::Size(arg) => self.arg_text(&arg),
            };
            match together {
                true if at == 0 => text.push_str(&arg),
                true => {
                    text.push_str(", ");
                    text.push_str(&arg);
                }
                false => {
                    text.push('(');
                    text.push_str(&arg);
                    text.push(')');
                }
            }
        }
        if together {
            text.push(')');
        }
        Piece::new(text, Level::Atom)
    }

    /// Prints the head of an application with its own size and type arguments.
    pub(super) fn head_text(&mut self, head: &Core) -> String {
        match &head.form {
            Form::Primitive(p, types, _) => {
                let mut text = p.name().to_owned();
                let mut lists = p.written(types);
                if lists.is_empty()
                    && self.dimensions_are_written()
                    && let (Some(rise::primitive::OptionalArgument::Dimension), Some(arg)) =
                        (p.optional_argument(), types.last())
                {
                    lists.push(vec![arg.clone()]);
                }
                for list in lists.iter().filter(|list| !list.is_empty()) {
                    let texts: Vec<String> = list.iter().map(|arg| self.arg_text(arg)).collect();
                    text.push_str(&format!("({})", texts.join(", ")));
                }
                text
            }
            Form::Global(id, _) => {
                let name = self.globals.get(id).cloned();
                name.unwrap_or_default().to_string()
            }
            Form::Foreign(foreign, _) => foreign.name.to_string(),
            _ => String::new(),
        }
    }

    /// Returns true if the definition writes the optional dimension of `mapGlobal` and similar
    /// primitives.
    fn dimensions_are_written(&self) -> bool {
        let item = self.item;
        item.terms.iter().any(|term| {
            let TermKind::Apply { callee, args } = &term.kind else {
                return false;
            };
            let TermKind::Name(name) = &item.term(*callee).kind else {
                return false;
            };
            let takes_dimension = |p: Primitive| {
                p.optional_argument() == Some(rise::primitive::OptionalArgument::Dimension)
            };
            let number = |arg| matches!(item.term(arg).kind, TermKind::Literal(_));
            Primitive::from_name(name).is_some_and(takes_dimension)
                && args.len() == 1
                && number(args[0])
        })
    }

    /// Returns true for `makeArray(3)`, whose elements are all arguments of one call.
    fn is_list(&self, callee: TermId) -> bool {
        let TermKind::Apply { callee, .. } = self.item.term(callee).kind else {
            return false;
        };
        let TermKind::Name(name) = &self.item.term(callee).kind else {
            return false;
        };
        let primitive = Primitive::from_name(name);
        primitive.is_some_and(|p| matches!(p.notation(), Notation::List(_)))
    }

    /// Returns true if the definition writes `f(a, b)` more often than `f(a)(b)`.
    fn lists_values(&self) -> bool {
        let (mut together, mut apart) = (0, 0);
        for term in &self.item.terms {
            if let TermKind::Apply { callee, args } = &term.kind {
                if self.is_list(*callee) {
                    continue;
                }
                together += usize::from(args.len() > 1);
                let inner = &self.item.term(*callee).kind;
                apart += usize::from(matches!(inner, TermKind::Apply { .. }));
            }
        }
        together > apart
    }
}

/// Returns true if copies of a term cost nothing.
fn is_atom(term: &Core) -> bool {
    matches!(term.form, Form::Var(_) | Form::Literal(_) | Form::Nat(_))
}

enum Given {
    Value(Core),
    Size(Arg),
}
