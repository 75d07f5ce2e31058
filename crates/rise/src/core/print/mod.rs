//! The pretty printer of core terms.
//!
//! The printed text reads back as a program of the same type, and prints the same again. Types are
//! written where inference needs them: in the definition's own type, and where the context does not
//! determine a type, as for a `cast` in a condition.

mod function;
mod literal;
mod names;
mod primitive;
mod term;
mod type_reconstruction;

use std::ops::Range;
use std::sync::Arc;

use nat::{Nat, Prop, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::Span;
use syntax::ast::{Kind, Name};

use super::{Def, Expr, Foreign, Form, Language, Launch, Origin, Program, subterms};
use crate::types::{Names, Pi, Ty, Type};
use names::Scope;
use type_reconstruction::Inferable;

/// A printed program with the positions of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The formatted text, with a line break at its end.
    pub text: String,
    /// The spans of the printed expressions in the text, in bytes, with their origins; inner
    /// expressions come before outer ones.
    pub map: Vec<(Span, Origin)>,
}

/// Prints a program: the C functions that it declares, and its definition.
pub fn program_text<P: Language>(program: &Program<P>) -> String {
    print_program(program).text
}

/// Prints a program with the positions of its parts. Sizes are simplified under the program's
/// conditions.
pub fn print_program<P: Language>(program: &Program<P>) -> Printed {
    let mut program = program.clone();
    super::simplify_sizes(&mut program);
    let mut printer = Printer::new(Names(program.names.iter().cloned().collect()));
    printer.prepare(&program.body);
    printer.launch = program.launch.clone();
    printer.inout = program.inout.clone();
    printer.item(&program.name, &program.body, &program.obligations);
    printer.finish(P::DIALECT)
}

/// Prints a definition, which refers to other definitions by name, and the C functions that it
/// declares.
pub fn def_text<P: Language>(def: &Def<P>) -> String {
    let (mut printer, body) = Printer::of_def(def);
    printer.launch = def.launch.clone();
    printer.inout = def.inout.clone();
    printer.item(&def.name, &body, &def.obligations);
    printer.finish(P::DIALECT).text
}

/// Prints a definition without annotations, and without the C functions that it declares.
pub fn bare_def_text<P: Language>(def: &Def<P>) -> String {
    let (mut printer, body) = Printer::of_def(def);
    printer.foreign.clear();
    printer.item(&def.name, &body, &[]);
    printer.finish(P::DIALECT).text
}

/// Prints a part of a program on one line, for messages.
pub fn expr_text<P: Language>(program: &Program<P>, expr: &Expr<P>) -> String {
    term_text(&program.names, &[], expr)
}

/// Prints a term on one line. `names` are the names of type-level variables by number, `uses` the
/// definitions that it refers to.
pub fn term_text<P: Language>(
    names: &[Name],
    uses: &[(syntax::GlobalId, Name)],
    expr: &Expr<P>,
) -> String {
    let mut printer = Printer::new(Names(names.iter().cloned().collect()));
    printer.define(uses);
    printer.prepare(expr);
    printer.reserve_free(expr);
    printer.expr(expr, term::Precedence::TOP, true);
    printer.out
}

struct Printer<P> {
    out: String,
    map: Vec<(Span, Origin)>,
    scope: Scope,
    globals: FxHashMap<syntax::GlobalId, Name>,
    foreign: Vec<Arc<Foreign>>,
    known: Inferable<P>,
    launch: Launch,
    /// The positions of the parameters that are updated in place.
    inout: Box<[usize]>,
}

impl<P: Language> Printer<P> {
    fn new(names: Names) -> Self {
        Printer {
            out: String::new(),
            map: Vec::new(),
            scope: Scope::new(names, P::is_name),
            globals: FxHashMap::default(),
            foreign: Vec::new(),
            known: Inferable::default(),
            launch: Launch::default(),
            inout: Box::default(),
        }
    }

    /// Returns a printer for a definition, and the right side as a function of its implicit
    /// parameters.
    fn of_def(def: &Def<P>) -> (Printer<P>, Expr<P>) {
        let mut printer = Printer::new(def.names.clone());
        printer.define(&def.uses);
        let whole = |body, &(var, kind): &(Var, Kind)| super::dep_lambda(var, kind, true, body);
        let body = def.implicit.iter().rev().fold(def.body.clone(), whole);
        printer.prepare(&body);
        (printer, body)
    }

    /// Registers the names of definitions, which are then not used for variables.
    fn define(&mut self, uses: &[(syntax::GlobalId, Name)]) {
        for (id, name) in uses {
            self.globals.insert(*id, name.clone());
            self.scope.reserve(name);
        }
    }

    /// Collects the C functions of a term and reserves their names.
    fn prepare(&mut self, expr: &Expr<P>) {
        if let Form::Foreign(function, _) = &expr.form
            && !self.foreign.iter().any(|known| known.name == function.name)
        {
            self.foreign.push(function.clone());
            self.scope.reserve(&function.name);
        }
        for child in expr.form.children() {
            self.prepare(child);
        }
    }

    /// Reserves the names of the variables that a term does not bind, so that none of its own gets
    /// them.
    fn reserve_free(&mut self, expr: &Expr<P>) {
        let bound = subterms(expr).filter_map(|term| match &term.form {
            Form::Lambda(param, _) => Some(param.local.id),
            _ => None,
        });
        let bound: FxHashSet<u32> = bound.collect();
        for term in subterms(expr) {
            if let Form::Var(local) = &term.form
                && !bound.contains(&local.id)
            {
                self.scope.reserve(&local.name);
            }
        }
    }

    // ----- items -----

    fn item(&mut self, name: &Name, body: &Expr<P>, obligations: &[Prop]) {
        if let Form::Foreign(function, args) = &body.form
            && args.is_empty()
            && function.name == *name
        {
            self.foreign_item(&function.clone());
            return;
        }
        for function in std::mem::take(&mut self.foreign) {
            self.foreign_item(&function);
            self.out.push('\n');
        }
        let mut parts = Telescope::of(body);
        parts.bind(&mut self.scope);
        self.assumptions(obligations);
        self.launched();
        self.updated(&parts);
        let ty = parts.ty();
        self.out.push_str("def ");
        self.out.push_str(name);
        self.out.push_str(" : ");
        self.out.push_str(&self.scope.type_text(&ty));
        self.out.push_str(" = ");
        self.function_body(&parts.binders, &parts.body);
        self.out.push('\n');
    }

    /// Prints the leading functions of a definition and its body. Functions over implicit
    /// parameters are omitted: the written type names these parameters.
    fn function_body(&mut self, binders: &[Binder], body: &Expr<P>) {
        let written: Vec<&Binder> = binders.iter().filter(|b| !b.is_implicit()).collect();
        let mut rest = &written[..];
        let mut open = 0;
        while let Some(first) = rest.first() {
            let same = |b: &&Binder| b.is_value() == first.is_value();
            let count = rest.iter().take_while(|b| same(b)).count();
            let (now, later) = rest.split_at(count);
            rest = later;
            open += 1;
            let names: Vec<String> = now.iter().map(|b| b.text(&self.scope)).collect();
            self.open_function(first.is_value(), &names);
        }
        self.expr(body, term::Precedence::TOP, true);
        for _ in 0..open {
            self.out.push(')');
        }
    }

    fn assumptions(&mut self, obligations: &[Prop]) {
        let size = |n: &Nat, scope: &Scope| scope.nat_text(n);
        let mut texts: Vec<String> = Vec::new();
        for prop in obligations {
            let text = match prop {
                Prop::Divides(a, b) => {
                    let operand = |n: &Nat| match n.is_atomic() {
                        true => size(n, &self.scope),
                        false => format!("({})", size(n, &self.scope)),
                    };
                    format!("{} | {}", operand(a), operand(b))
                }
                Prop::AtLeast(a, b) => {
                    let (more, less) = Nat::sub(a, b).split_signs();
                    format!(
                        "{} >= {}",
                        size(&more, &self.scope),
                        size(&less, &self.scope)
                    )
                }
                Prop::Equal(a, b) => {
                    format!("{} == {}", size(a, &self.scope), size(b, &self.scope))
                }
                // A condition on a range comes from a function in the body and is inferred again.
                Prop::ForAll { .. } => continue,
            };
            texts.push(text);
        }
        // Sorted, so that reading and printing again does not change the order.
        texts.sort_unstable();
        texts.dedup();
        if !texts.is_empty() {
            self.out
                .push_str(&format!("@assume({})\n", texts.join(", ")));
        }
    }

    /// Prints the annotation with the parameters that are updated in place.
    fn updated(&mut self, parts: &Telescope<P>) {
        let values = parts.binders.iter().filter_map(|binder| match binder {
            Binder::Value { name, ty } if !matches!(**ty, Type::Acc(_)) => Some(name),
            _ => None,
        });
        let updated = values.enumerate().filter(|(at, _)| self.inout.contains(at));
        let names: Vec<&str> = updated.map(|(_, name)| name.as_str()).collect();
        if !names.is_empty() {
            self.out
                .push_str(&format!("@inout({})\n", names.join(", ")));
        }
    }

    /// Prints the annotation with the launch sizes.
    fn launched(&mut self) {
        let list = |sizes: &[Option<Nat>; 3]| -> Option<String> {
            let written = sizes.iter().flatten();
            let mut texts: Vec<String> = written.map(|n| self.scope.nat_text(n)).collect();
            while texts.len() > 1 && texts.last().is_some_and(|last| last == "1") {
                texts.pop();
            }
            (!texts.is_empty()).then(|| texts.join(", "))
        };
        let local = list(&self.launch.local).map(|sizes| format!("local = [{sizes}]"));
        let global = list(&self.launch.global).map(|sizes| format!("global = [{sizes}]"));
        let parts: Vec<String> = local.into_iter().chain(global).collect();
        if !parts.is_empty() {
            self.out
                .push_str(&format!("@opencl({})\n", parts.join(", ")));
        }
    }

    fn foreign_item(&mut self, function: &Foreign) {
        let param = |(name, ty): &(Name, Ty)| format!("{name}: {}", self.scope.closed_type(ty));
        let params: Vec<String> = function.params.iter().map(param).collect();
        let result = self.scope.closed_type(&function.result);
        let (name, params) = (&function.name, params.join(", "));
        self.out
            .push_str(&format!("foreign def {name}({params}): {result}"));
        if let Some(body) = &function.body {
            self.out.push_str(&format!(" = \"\"\"{body}\"\"\""));
        }
        self.out.push('\n');
    }

    fn finish(self, dialect: syntax::Dialect) -> Printed {
        let text = syntax::format_in(&self.out, dialect);
        let map = moved(&self.out, &text, self.map, dialect);
        Printed { text, map }
    }
}

/// Translates spans of a text to spans of the same text after formatting, which has the same
/// tokens. Returns no spans if the numbers of tokens differ.
fn moved(
    old: &str,
    new: &str,
    map: Vec<(Span, Origin)>,
    dialect: syntax::Dialect,
) -> Vec<(Span, Origin)> {
    let words = |text: &str| -> Vec<Range<u32>> {
        syntax::lex_in(text, dialect)
            .filter(|token| token.kind != syntax::TokenKind::Whitespace)
            .map(|token| token.span.start..token.span.end)
            .collect()
    };
    let (old, new) = (words(old), words(new));
    if old.len() != new.len() {
        return Vec::new();
    }
    let place = |span: Span| {
        let first = old.partition_point(|word| word.start < span.start);
        let last = old
            .partition_point(|word| word.start < span.end)
            .checked_sub(1)?;
        Some(Span::new(new.get(first)?.start, new.get(last)?.end))
    };
    let kept = |(span, origin)| Some((place(span)?, origin));
    map.into_iter().filter_map(kept).collect()
}

/// A leading binder of a definition.
enum Binder {
    TypeLevel {
        var: Var,
        kind: Kind,
        implicit: bool,
    },
    Value {
        name: Name,
        ty: Ty,
    },
}

impl Binder {
    fn is_value(&self) -> bool {
        matches!(self, Binder::Value { .. })
    }

    fn is_implicit(&self) -> bool {
        matches!(self, Binder::TypeLevel { implicit: true, .. })
    }

    fn text(&self, scope: &Scope) -> String {
        match self {
            Binder::TypeLevel { var, kind, .. } => format!("{}: {kind}", scope.var(*var)),
            Binder::Value { name, .. } => name.to_string(),
        }
    }
}

/// A definition, split into its leading binders and the rest.
struct Telescope<P> {
    binders: Vec<Binder>,
    locals: Vec<super::Local>,
    body: Expr<P>,
}

impl<P: Language> Telescope<P> {
    fn of(expr: &Expr<P>) -> Telescope<P> {
        let mut parts = Telescope {
            binders: Vec::new(),
            locals: Vec::new(),
            body: expr.clone(),
        };
        loop {
            let body = match &parts.body.form {
                Form::Lambda(param, body) => {
                    parts.binders.push(Binder::Value {
                        name: param.local.name.clone(),
                        ty: param.ty.clone(),
                    });
                    parts.locals.push(param.local.clone());
                    body.clone()
                }
                Form::DepLambda(var, kind, body) => {
                    let implicit = matches!(&*parts.body.ty, Type::Pi(pi) if pi.implicit);
                    parts.binders.push(Binder::TypeLevel {
                        var: *var,
                        kind: *kind,
                        implicit,
                    });
                    body.clone()
                }
                _ => return parts,
            };
            parts.body = body;
        }
    }

    /// Brings the binders into scope, each under a unique name.
    fn bind(&mut self, scope: &mut Scope) {
        let mut locals = self.locals.iter();
        for binder in &mut self.binders {
            match binder {
                Binder::TypeLevel { var, kind, .. } => scope.bind_var(*var, *kind),
                Binder::Value { name, ty } => {
                    if let Some(local) = locals.next() {
                        *name = scope.bind_local(local, ty);
                    }
                }
            }
        }
    }

    fn ty(&self) -> Ty {
        let over = |body: Ty, binder: &Binder| match binder {
            Binder::Value { ty, .. } => Arc::new(Type::Fun(ty.clone(), body)),
            Binder::TypeLevel {
                var,
                kind,
                implicit,
            } => Arc::new(Type::Pi(Pi::new(*var, *kind, *implicit, body))),
        };
        self.binders.iter().rev().fold(self.body.ty.clone(), over)
    }
}

/// The names that are in use.
type UsedNames = FxHashSet<Name>;
