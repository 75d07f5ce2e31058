//! From texts to rules: names, scopes, types, conditions.

use std::sync::Arc;

use nat::{Nat, Prop};
use rise::core::{Expr, Form, Mapper, Terms, elaborate_terms, subst_local, walk};
use rise::types::{Arg, Ty, Type};
use rise::{Env, Need, Primitive, Sides, SidesInference, TermInfo};
use rustc_hash::FxHashMap;
use syntax::ast::{BinaryOp, BinderAnnotation, Kind, Name, TermId, TermKind};
use syntax::elevate::ast::{self, ClauseKind, CondId, CondKind, ExprId};
use syntax::{Code, Diagnostic, Severity, Span};

use super::cond::{Clause, Cond, Operand, Sort, Strength};
use super::laws::Law;
use super::names::{Mode, Names, Origin, Role, Side};
use super::pattern::{self, Given, Levels, Pattern};
use super::scope::{Scopes, scopes};
use super::template::{self, Captures, Made, Template};
use super::{
    Alt, Identity, Matcher, ParamKind, Predicate, Quotation, Rule, Source, VariableKind, vectorized,
};

/// What a rule is that applies to its own results.
const ENDLESS: Code = Code::EndlessStrategy;

/// A rule from its text, with what there is to say about it. Alternatives that are wrong are left
/// out.
pub fn compile(source: &Source<'_>) -> (Rule, Vec<Diagnostic>) {
    let mut alts = Vec::new();
    let mut diagnostics = Vec::new();
    let mut holds = Vec::new();
    for alt in source.alts {
        let mut one = AltCompiler::new(source, alt, &mut holds);
        let compiled = one.compile();
        diagnostics.append(&mut one.diagnostics);
        alts.extend(compiled);
    }
    overlaps(&alts, &mut diagnostics);
    let rule = Rule {
        name: source.name.into(),
        params: source.params.into(),
        alts: alts.into(),
        is_unsafe: source.is_unsafe,
        looping: source.looping,
        holds: holds.into(),
        id: Identity::fresh(),
    };
    (rule, diagnostics)
}

/// The patterns of a predicate: `{ p | q }`.
pub fn compile_predicate(
    item: &ast::Item,
    patterns: &[TermId],
    params: &[(Name, ParamKind)],
    env: &dyn Env,
) -> (Predicate, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut all = Vec::new();
    for &pattern in patterns {
        let (matcher, mut said) = matcher(item, pattern, params, env, Mode::Loose);
        diagnostics.append(&mut said);
        all.extend(matcher);
    }
    let predicate = Predicate {
        params: params.into(),
        patterns: all.into(),
        id: Identity::fresh(),
    };
    (predicate, diagnostics)
}

/// A pattern on its own, as in `case`; `None` if it is wrong.
pub fn compile_pattern(
    item: &ast::Item,
    pattern: TermId,
    params: &[(Name, ParamKind)],
    env: &dyn Env,
) -> (Option<Matcher>, Vec<Diagnostic>) {
    matcher(item, pattern, params, env, Mode::Exact)
}

fn matcher(
    item: &ast::Item,
    pattern: TermId,
    params: &[(Name, ParamKind)],
    env: &dyn Env,
    mode: Mode,
) -> (Option<Matcher>, Vec<Diagnostic>) {
    let mut names = Names::new(&item.rise, env, mode);
    declare(&mut names, params);
    names.visit(pattern, Role::Value, Side::Left);
    names.settle();
    if names.failed {
        return (None, names.diagnostics);
    }
    let rise = names.item();
    let mut sides = Sides::new(&rise, env);
    bind(&names, &mut sides);
    let ty = sides.synth(pattern);
    sides.fix();
    let function = is_function(&sides.read(&ty));
    let done = sides.finish();
    names.diagnostics.extend(errors(&done, None));
    let Some(mut terms) = elaborate_terms(&rise, &done.inference, &[pattern]) else {
        return (None, names.diagnostics);
    };
    flatten_all(&mut terms, &rise);
    let Some(variables) = variables(&names, &done) else {
        return (None, names.diagnostics);
    };
    let values = slots(&names);
    let mut levels = Levels::default();
    let given = given(&names, params, &done, &values, &mut levels);
    let parts = Parts {
        names: &names,
        values: &values,
        terms: &terms,
        mode,
    };
    let strict = has_types(&rise, pattern);
    let (mut built, locals) =
        parts.pattern(&terms.exprs[0], None, function, strict, given, &mut levels);
    built.given_types = given_types(&names, params, &done, &mut levels);
    // What the pattern binds, in the order of the text.
    let mut bound: Vec<_> = (locals.into_iter())
        .filter_map(|(binder, local)| Some((names.binders.get(binder as usize)?, local)))
        .collect();
    bound.sort_by_key(|(binder, _)| binder.span.start);
    let results = variables
        .iter()
        .filter(|v| !v.anonymous)
        .map(|v| (v.name.clone(), v.kind))
        .chain(
            bound
                .iter()
                .map(|(b, _)| (b.name.clone(), VariableKind::Value)),
        )
        .collect();
    let bound = bound.iter().map(|(_, local)| super::Output::Local(*local));
    let outputs = variables
        .iter()
        .filter(|v| !v.anonymous)
        .map(|v| match &v.place {
            Place::Value(binder) => super::Output::Value(values[binder]),
            Place::Level(arg) => super::Output::Level(levels.arg(arg)),
        })
        .chain(bound)
        .collect();
    built.levels = levels.bound;
    let matcher = Matcher {
        pattern: built,
        variables: results,
        outputs,
    };
    (Some(matcher), names.diagnostics)
}

/// A term with parameters, as in `rise { … }`; `None` if it is wrong.
pub fn compile_template(
    item: &ast::Item,
    term: TermId,
    params: &[(Name, ParamKind)],
    env: &dyn Env,
) -> (Option<Quotation>, Vec<Diagnostic>) {
    let mut names = Names::new(&item.rise, env, Mode::Exact);
    declare(&mut names, params);
    names.visit(term, Role::Value, Side::Right);
    names.settle();
    if names.failed {
        return (None, names.diagnostics);
    }
    let rise = names.item();
    let mut sides = Sides::new(&rise, env);
    bind(&names, &mut sides);
    sides.synth(term);
    sides.fix();
    let done = sides.finish();
    names.diagnostics.extend(errors(&done, None));
    let Some(mut terms) = elaborate_terms(&rise, &done.inference, &[term]) else {
        return (None, names.diagnostics);
    };
    flatten_all(&mut terms, &rise);
    let values = slots(&names);
    let mut levels = Levels::default();
    let given = given(&names, params, &done, &values, &mut levels);
    let scopes = Scopes::default();
    let parts = Parts {
        names: &names,
        values: &values,
        terms: &terms,
        mode: Mode::Exact,
    };
    let locals = FxHashMap::default();
    let Some(template) =
        parts.template(&terms.exprs[0], None, &scopes, &locals, &done, &mut levels)
    else {
        return (None, names.diagnostics);
    };
    let mut pattern = Pattern::nothing(given, values.len());
    pattern.given_types = given_types(&names, params, &done, &mut levels);
    pattern.levels = levels.bound;
    let quotation = Quotation {
        params: params.into(),
        pattern,
        template,
    };
    (Some(quotation), names.diagnostics)
}

// ----- what all of these do -----

fn declare(names: &mut Names<'_>, params: &[(Name, ParamKind)]) {
    for (number, (name, kind)) in params.iter().enumerate() {
        names.param(number, name, *kind);
    }
}

/// Brings the variables into the scope of inference.
fn bind(names: &Names<'_>, sides: &mut Sides<'_>) {
    for variable in &names.variables {
        let inside = variable.uses.iter().any(|u| {
            u.scope.iter().any(|b| {
                matches!(
                    names.binders[b.0 as usize].annotation,
                    BinderAnnotation::Kind(..)
                )
            })
        });
        match (variable.origin, variable.kind) {
            (Origin::Let(_), _) => {}
            (Origin::Param(_), Some(VariableKind::Level(kind))) => {
                sides.type_level(variable.binder, kind, true);
            }
            (Origin::Param(_), _) => sides.given_value(variable.binder),
            (Origin::Pattern, Some(VariableKind::Level(kind))) => {
                let given = variable.argument && kind != Kind::DataType;
                sides.type_level(variable.binder, kind, given);
            }
            (Origin::Pattern, _) => sides.value(variable.binder, inside),
        }
    }
}

/// The slots of the variables that are terms, by the number of their binder.
fn slots(names: &Names<'_>) -> FxHashMap<u32, u16> {
    let values = names
        .variables
        .iter()
        .filter(|v| v.kind == Some(VariableKind::Value));
    values
        .enumerate()
        .map(|(slot, v)| (v.binder.0, u16::try_from(slot).unwrap_or(u16::MAX)))
        .collect()
}

/// What the parameters give values to.
fn given(
    names: &Names<'_>,
    params: &[(Name, ParamKind)],
    done: &SidesInference,
    values: &FxHashMap<u32, u16>,
    levels: &mut Levels,
) -> Box<[Option<Given>]> {
    let one = |number: usize| {
        let variable = names
            .variables
            .iter()
            .find(|v| v.origin == Origin::Param(number))?;
        match &done.inference.binders[variable.binder.0 as usize] {
            rise::BinderInfo::TypeLevel(var, _) => {
                let number = levels.number(*var);
                Some(Given::Level(u16::try_from(number.0).ok()?))
            }
            _ => Some(Given::Value(*values.get(&variable.binder.0)?)),
        }
    };
    (0..params.len()).map(one).collect()
}

fn given_types(
    names: &Names<'_>,
    params: &[(Name, ParamKind)],
    done: &SidesInference,
    levels: &mut Levels,
) -> Box<[(u16, Ty)]> {
    let one = |number: usize| {
        let variable = names
            .variables
            .iter()
            .find(|v| v.origin == Origin::Param(number))?;
        match &done.inference.binders[variable.binder.0 as usize] {
            rise::BinderInfo::Value(ty) => Some((u16::try_from(number).ok()?, levels.ty(ty))),
            _ => None,
        }
    };
    (0..params.len()).filter_map(one).collect()
}

/// A metavariable and what it is in inference.
struct Variable {
    name: Name,
    kind: VariableKind,
    anonymous: bool,
    place: Place,
}

enum Place {
    Value(u32),
    Level(Arg),
}

fn variables(names: &Names<'_>, done: &SidesInference) -> Option<Vec<Variable>> {
    let mut all = Vec::new();
    for variable in names
        .variables
        .iter()
        .filter(|v| v.origin == Origin::Pattern)
    {
        let binder = variable.binder.0;
        let (kind, place) = match (variable.kind?, &done.inference.binders[binder as usize]) {
            (kind @ VariableKind::Level(_), rise::BinderInfo::TypeLevel(..)) => {
                let used = variable.uses.first();
                let info = used.map(|u| &done.inference.terms[u.term.0 as usize]);
                match info {
                    Some(TermInfo::Arg(arg)) => (kind, Place::Level(arg.clone())),
                    _ if variable.anonymous => continue,
                    _ => return None,
                }
            }
            (kind, _) => (kind, Place::Value(binder)),
        };
        all.push(Variable {
            name: variable.name.clone(),
            kind,
            anonymous: variable.anonymous,
            place,
        });
    }
    Some(all)
}

/// The errors of inference, those of a right side with what the left side is.
fn errors(done: &SidesInference, right: Option<(Span, Span, &str)>) -> Vec<Diagnostic> {
    let wanted = |d: &&Diagnostic| d.severity == Severity::Error;
    let mut all = Vec::new();
    for diagnostic in done.inference.diagnostics.iter().filter(wanted) {
        let mut diagnostic = diagnostic.clone();
        if let Some((rhs, lhs, ty)) = right
            && rhs.contains(diagnostic.span)
        {
            if diagnostic.span == rhs {
                let old = std::mem::take(&mut diagnostic.message);
                diagnostic.message =
                    format!("the right side has another type than the left side: {old}");
            }
            diagnostic = diagnostic.related(lhs, format!("the left side has the type `{ty}`"));
        }
        all.push(diagnostic);
    }
    all
}

fn is_function(ty: &Ty) -> bool {
    matches!(**ty, Type::Fun(..) | Type::Pi(_))
}

/// Whether types are written in a term.
fn has_types(item: &syntax::ast::Item, term: TermId) -> bool {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if matches!(item.term(term).kind, TermKind::Ascribe { .. }) {
            return true;
        }
        let binders: &[_] = match &item.term(term).kind {
            TermKind::Fun { params, .. } => params,
            _ => &[],
        };
        if binders
            .iter()
            .any(|b| matches!(item.binder(*b).annotation, BinderAnnotation::Type(_)))
        {
            return true;
        }
        item.children(term, |child| stack.push(child));
    }
    false
}

/// What patterns and templates are built from.
struct Parts<'a> {
    names: &'a Names<'a>,
    values: &'a FxHashMap<u32, u16>,
    terms: &'a Terms,
    mode: Mode,
}

impl Parts<'_> {
    /// The pattern of a term. Of a composition (`tail`) the body is what is looked for.
    fn pattern(
        &self,
        expr: &Expr<Primitive>,
        tail: Option<u32>,
        function: bool,
        strict: bool,
        given: Box<[Option<Given>]>,
        levels: &mut Levels,
    ) -> (Pattern, FxHashMap<u32, u16>) {
        let slots: Vec<u16> = given
            .iter()
            .flatten()
            .filter_map(|given| match given {
                Given::Value(slot) => Some(*slot),
                Given::Level(_) => None,
            })
            .collect();
        let loose = self.mode != Mode::Exact;
        let mut builder =
            pattern::Builder::new(levels, self.values, &self.terms.sites, loose, &slots);
        match (&expr.form, tail) {
            (Form::Lambda(_, body), Some(_)) => builder.term(body),
            _ => builder.term(expr),
        };
        let locals = builder.locals.clone();
        (builder.finish(function, strict, given), locals)
    }

    /// The template of a right side, applied to a tail where the left side is a composition.
    fn template(
        &self,
        expr: &Expr<Primitive>,
        tail: Option<u16>,
        scopes: &Scopes,
        locals: &FxHashMap<u32, u16>,
        done: &SidesInference,
        levels: &mut Levels,
    ) -> Option<Template> {
        let joined = scopes
            .joined
            .iter()
            .map(|(here, there)| (here.0, there.iter().map(|b| b.0).collect()))
            .collect();
        let mut captured = vec![Vec::new(); self.values.len()];
        for (variable, binders) in self.names.variables.iter().zip(&scopes.captured) {
            if let Some(&slot) = self.values.get(&variable.binder.0) {
                captured[usize::from(slot)] = binders.iter().map(|b| b.0).collect();
            }
        }
        let captures = Captures {
            joined: &joined,
            captured: &captured,
            locals,
        };
        let mut builder =
            template::Builder::new(levels, self.values, captures, &done.inference.names);
        let root = builder.term(expr)?;
        if let Some(slot) = tail {
            builder.apply_to(root, slot);
        }
        Some(builder.finish())
    }
}

// ----- an alternative -----

struct AltCompiler<'a, 'h> {
    source: &'a Source<'a>,
    alt: &'a ast::Alt,
    holds: &'h mut Vec<ExprId>,
    diagnostics: Vec<Diagnostic>,
}

/// Conditions that are types of the pattern: `x : t`, `scalar(t)`.
enum TypeClause {
    Has(TermId, TermId, Span),
    Kind(TermId, Kind, Span),
}

impl<'a, 'h> AltCompiler<'a, 'h> {
    fn new(source: &'a Source<'a>, alt: &'a ast::Alt, holds: &'h mut Vec<ExprId>) -> Self {
        AltCompiler {
            source,
            alt,
            holds,
            diagnostics: Vec::new(),
        }
    }

    fn error(&mut self, code: Code, span: Span, text: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, text));
    }

    fn cond(&self, id: CondId) -> &'a ast::Cond {
        self.source.item.cond(id)
    }

    /// The conditions of the clauses with how much must be known of them.
    fn conditions(&self) -> impl Iterator<Item = (Strength, CondId, Span)> + use<'a> {
        self.alt
            .clauses
            .iter()
            .filter_map(|clause| match clause.kind {
                ClauseKind::Where(cond) | ClauseKind::Requires(cond) => {
                    Some((Strength::Proved, cond, clause.span))
                }
                ClauseKind::Assuming(cond) => Some((Strength::Assumed, cond, clause.span)),
                ClauseKind::Let { .. } => None,
            })
    }

    /// A condition and what it consists of, down to what is no `and`.
    fn conjuncts(&self, cond: CondId, found: &mut Vec<CondId>) {
        match self.cond(cond).kind {
            CondKind::And(a, b) => {
                self.conjuncts(a, found);
                self.conjuncts(b, found);
            }
            CondKind::Paren(inner) => self.conjuncts(inner, found),
            _ => found.push(cond),
        }
    }

    fn compile(&mut self) -> Option<Alt> {
        let (source, alt) = (self.source, self.alt);
        let mut names = Names::new(&source.item.rise, source.env, Mode::Exact);
        declare(&mut names, source.params);
        self.kinds(&mut names);
        names.visit(alt.lhs, Role::Value, Side::Left);
        self.lets(&mut names);
        names.visit(alt.rhs, Role::Value, Side::Right);
        for (_, cond, _) in self.conditions() {
            self.visit(&mut names, cond);
        }
        names.settle();
        let excluded = self.excluded(&names);
        let scopes = scopes(&mut names, &excluded, alt.span);
        self.bare(&names);
        self.diagnostics.append(&mut names.diagnostics);
        if names.failed || self.failed() {
            return None;
        }
        let tail = self.tail(&mut names);
        let typed = self.infer(&names, &scopes)?;
        self.build(&names, &scopes, tail, &typed)
    }

    fn failed(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }

    /// `a : AddrSp` says what `a` is before anything else does.
    fn kinds(&mut self, names: &mut Names<'_>) {
        for (_, cond, _) in self.conditions() {
            let mut parts = Vec::new();
            self.conjuncts(cond, &mut parts);
            for part in parts {
                let CondKind::HasKind { term, kind } = self.cond(part).kind else {
                    continue;
                };
                let kind = match kind {
                    Kind::Scalar | Kind::Num | Kind::Int | Kind::Float => Kind::DataType,
                    kind => kind,
                };
                let term = self.source.item.term(term);
                if let TermKind::Name(name) = &term.kind
                    && names.get(name).is_none()
                {
                    let kind = Some(VariableKind::Level(kind));
                    names.declare(name.clone(), term.span, kind, Origin::Pattern);
                }
            }
        }
    }

    fn lets(&mut self, names: &mut Names<'_>) {
        for (number, clause) in self.alt.clauses.iter().enumerate() {
            let ClauseKind::Let { name, value } = &clause.kind else {
                continue;
            };
            let Some(name) = name else {
                names.failed = true;
                continue;
            };
            let kind = match self.vectorized(*value) {
                Some((lanes, from)) => {
                    names.visit(lanes, Role::Level(Kind::Nat), Side::Condition);
                    names.visit(from, Role::Value, Side::Condition);
                    VariableKind::Value
                }
                None => {
                    names.visit(*value, Role::Level(Kind::Nat), Side::Condition);
                    VariableKind::Level(Kind::Nat)
                }
            };
            names.declare(
                name.name.clone(),
                name.span,
                Some(kind),
                Origin::Let(number),
            );
        }
    }

    /// `vectorized(k, f)`
    fn vectorized(&self, value: TermId) -> Option<(TermId, TermId)> {
        let rise = &self.source.item.rise;
        let TermKind::Apply { callee, args } = &rise.term(value).kind else {
            return None;
        };
        match (&rise.term(*callee).kind, &args[..]) {
            (TermKind::Name(name), &[lanes, f]) if name == "vectorized" => Some((lanes, f)),
            _ => None,
        }
    }

    fn visit(&mut self, names: &mut Names<'_>, cond: CondId) {
        let size = Role::Level(Kind::Nat);
        match &self.cond(cond).kind {
            CondKind::Missing => names.failed = true,
            CondKind::Or(a, b) | CondKind::And(a, b) => {
                self.visit(names, *a);
                self.visit(names, *b);
            }
            CondKind::Not(a) | CondKind::Paren(a) => self.visit(names, *a),
            CondKind::Divides { divisor, size: of } => {
                names.visit(*divisor, size, Side::Condition);
                names.visit(*of, size, Side::Condition);
            }
            CondKind::Compare { lhs, rhs, .. } => {
                names.visit(*lhs, size, Side::Condition);
                names.visit(*rhs, size, Side::Condition);
            }
            CondKind::NotIn { term, .. } => names.visit(*term, Role::Value, Side::Condition),
            CondKind::HasType { term, ty } => {
                names.visit(*term, Role::Value, Side::Condition);
                // Names of types that only a condition mentions are metavariables, too.
                names.visit_type(*ty, Side::Left);
            }
            CondKind::HasKind { .. } => {}
            CondKind::Property { name, args } => match name.name.as_str() {
                "within" => {}
                "scalar" | "basic" | "copyable" | "notVector" => {
                    args.iter()
                        .for_each(|&arg| names.visit_type(arg, Side::Condition));
                }
                _ => args
                    .iter()
                    .for_each(|&arg| names.visit(arg, Role::Value, Side::Condition)),
            },
            CondKind::Holds { term, .. } => names.visit(*term, Role::Value, Side::Condition),
        }
    }

    /// The pairs of `x notIn f` that hold wherever the rule applies.
    fn excluded(&self, names: &Names<'_>) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        for (strength, cond, _) in self.conditions() {
            let mut parts = Vec::new();
            if strength == Strength::Proved {
                self.conjuncts(cond, &mut parts);
            }
            for part in parts {
                if let CondKind::NotIn { name, term } = self.cond(part).kind
                    && let TermKind::Name(x) = &self.source.item.term(name).kind
                    && let Some(variable) = names.variable_of(term)
                {
                    found.push((x.to_string(), variable));
                }
            }
        }
        found
    }

    /// A pattern that is a metavariable matches everything.
    fn bare(&mut self, names: &Names<'_>) {
        let mut term = self.alt.lhs;
        let rise = &self.source.item.rise;
        loop {
            term = match rise.term(term).kind {
                TermKind::Paren(inner) | TermKind::Ascribe { term: inner, .. } => inner,
                _ => break,
            };
        }
        let bare = names
            .variable_of(term)
            .is_some_and(|v| names.variables[v].origin == Origin::Pattern);
        if bare && !self.source.looping {
            let text = "this pattern matches every term, the rule's own result too";
            let span = rise.term(self.alt.lhs).span;
            let diagnostic = Diagnostic::error(ENDLESS, span, text)
                .help("write `@looping` before the rule if it is only used under a guard");
            self.diagnostics.push(diagnostic);
        }
    }

    /// Of a composition, a metavariable for what it is applied to.
    fn tail(&self, names: &mut Names<'_>) -> Option<u32> {
        let rise = &self.source.item.rise;
        let mut term = self.alt.lhs;
        loop {
            term = match rise.term(term).kind {
                TermKind::Paren(inner) | TermKind::Ascribe { term: inner, .. } => inner,
                TermKind::Binary {
                    op: BinaryOp::Then | BinaryOp::After,
                    ..
                } => break,
                _ => return None,
            };
        }
        let span = rise.term(self.alt.lhs).span;
        let kind = Some(VariableKind::Value);
        let at = names.declare("_in".into(), span, kind, Origin::Pattern);
        names.variables[at].anonymous = true;
        Some(names.variables[at].binder.0)
    }

    // ----- types -----

    fn infer(&mut self, names: &Names<'_>, scopes: &Scopes) -> Option<Typed> {
        let rise = names.item();
        let mut sides = Sides::new(&rise, self.source.env);
        bind(names, &mut sides);
        for (here, there) in &scopes.joined {
            for binder in there {
                sides.join(*here, *binder);
            }
        }
        let left = sides.synth(self.alt.lhs);
        for clause in self.type_clauses() {
            self.type_clause(names, &mut sides, &clause);
        }
        sides.fix();
        let made = self.define(names, &mut sides);
        for (_, cond, _) in self.conditions() {
            self.assume(names, &mut sides, cond, true);
        }
        let left = sides.read(&left);
        let shown = sides.show(&left);
        sides.check(self.alt.rhs, &left);
        let done = sides.finish();
        let (lhs, rhs) = (rise.term(self.alt.lhs).span, rise.term(self.alt.rhs).span);
        self.diagnostics
            .extend(errors(&done, Some((rhs, lhs, &shown))));
        if self.failed() {
            return None;
        }
        for need in &done.needs {
            self.need(names, need);
        }
        for (name, form) in &done.narrowed.forms {
            let text = format!(
                "the right side has a type only where the type `{name}` of the left side is `{form}`"
            );
            let warning = Diagnostic::new(Severity::Warning, Code::TypeMismatch, rhs, text)
                .related(lhs, format!("the left side has the type `{shown}`"))
                .help("if the rule is meant for such types only, write the type in the pattern");
            self.diagnostics.push(warning);
        }
        let mut wanted = vec![self.alt.lhs, self.alt.rhs];
        wanted.extend(self.operands(names));
        let mut terms = elaborate_terms(&rise, &done.inference, &wanted)?;
        flatten_all(&mut terms, &rise);
        Some(Typed {
            strict: has_types(&rise, self.alt.lhs)
                || !self.type_clauses().is_empty()
                || !done.narrowed.forms.is_empty(),
            function: is_function(&left),
            wanted,
            terms,
            made,
            done,
        })
    }

    fn type_clauses(&self) -> Vec<TypeClause> {
        let mut found = Vec::new();
        for (_, cond, _) in self.conditions() {
            let mut parts = Vec::new();
            self.conjuncts(cond, &mut parts);
            for part in parts {
                let cond = self.cond(part);
                match &cond.kind {
                    CondKind::HasType { term, ty } => {
                        found.push(TypeClause::Has(*term, *ty, cond.span));
                    }
                    CondKind::HasKind { term, kind } => {
                        found.push(TypeClause::Kind(*term, *kind, cond.span));
                    }
                    CondKind::Property { name, args }
                        if name.name == "scalar" && args.len() == 1 =>
                    {
                        found.push(TypeClause::Kind(args[0], Kind::Scalar, cond.span));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn type_clause(&mut self, names: &Names<'_>, sides: &mut Sides<'_>, clause: &TypeClause) {
        match *clause {
            TypeClause::Has(term, ty, span) => {
                let ty = sides.written_type(ty);
                match names.variable_of(term) {
                    Some(variable) => sides.has_type(names.variables[variable].binder, &ty, span),
                    None => self.error(
                        Code::UnknownName,
                        span,
                        "a type is said of a name of the pattern; write others there: `(e : t)`",
                    ),
                }
            }
            TypeClause::Kind(ty, kind, span) => {
                if !matches!(kind, Kind::Scalar | Kind::Num | Kind::Int | Kind::Float) {
                    return;
                }
                let ty = sides.written_type(ty);
                if !sides.restrict(&ty, kind) {
                    let text = sides.show(&ty);
                    self.error(
                        Code::WrongSubkind,
                        span,
                        format!("this can never hold: the pattern makes it `{text}`"),
                    );
                }
            }
        }
    }

    /// The `let`s, as far as they are terms: what is made of what.
    fn define(&mut self, names: &Names<'_>, sides: &mut Sides<'_>) -> Vec<(u32, u32, TermId)> {
        let mut made = Vec::new();
        for (number, clause) in self.alt.clauses.iter().enumerate() {
            let ClauseKind::Let { value, .. } = clause.kind else {
                continue;
            };
            let Some(variable) = names
                .variables
                .iter()
                .find(|v| v.origin == Origin::Let(number))
            else {
                continue;
            };
            let Some((lanes, from)) = self.vectorized(value) else {
                sides.define(variable.binder, value);
                continue;
            };
            let Some(size) = sides.size(lanes) else {
                continue;
            };
            let ty = sides.synth(from);
            let ty = sides.read(&ty);
            match (
                vectorized::vectorized_ty(&ty, &size),
                names.variable_of(from),
            ) {
                (Ok(ty), Some(from)) => {
                    sides.define_value(variable.binder, ty);
                    made.push((variable.binder.0, names.variables[from].binder.0, lanes));
                }
                (Err(reason), _) => {
                    let text = format!("this cannot be vectorized: {reason}");
                    self.error(Code::TypeMismatch, clause.span, text);
                }
                (_, None) => {
                    let text = "`vectorized` takes a name of the pattern";
                    self.error(Code::UnknownName, clause.span, text);
                }
            }
        }
        made
    }

    /// Looks at the terms of a condition, and takes what it says of sizes as known if it must hold
    /// for the rule to apply.
    fn assume(&mut self, names: &Names<'_>, sides: &mut Sides<'_>, cond: CondId, holds: bool) {
        let said = self.cond(cond);
        match &said.kind {
            CondKind::Missing => {}
            CondKind::And(a, b) => {
                self.assume(names, sides, *a, holds);
                self.assume(names, sides, *b, holds);
            }
            CondKind::Or(a, b) => {
                self.assume(names, sides, *a, false);
                self.assume(names, sides, *b, false);
            }
            CondKind::Not(a) => self.assume(names, sides, *a, false),
            CondKind::Paren(a) => self.assume(names, sides, *a, holds),
            CondKind::Divides { divisor, size } => {
                let (a, b) = (sides.size(*divisor), sides.size(*size));
                if let (Some(a), Some(b), true) = (a, b, holds) {
                    sides.assume(Prop::Divides(a, b), said.span);
                }
            }
            CondKind::Compare { op, lhs, rhs } => {
                let (a, b) = (sides.size(*lhs), sides.size(*rhs));
                if let (Some(a), Some(b), true) = (a, b, holds)
                    && let Some(prop) = compare(*op, a, b)
                {
                    sides.assume(prop, said.span);
                }
            }
            CondKind::NotIn { term, .. } | CondKind::Holds { term, .. } => {
                sides.synth(*term);
            }
            CondKind::HasType { .. } | CondKind::HasKind { .. } => {
                if !holds {
                    let text = "a type is a condition of its own, not a part of `or` or `not`";
                    self.error(Code::SyntaxError, said.span, text);
                }
            }
            CondKind::Property { name, args } => self.property(names, sides, name, args, said.span),
        }
    }

    fn property(
        &mut self,
        _names: &Names<'_>,
        sides: &mut Sides<'_>,
        name: &syntax::ast::Ident,
        args: &[TermId],
        span: Span,
    ) {
        let wanted = match name.name.as_str() {
            "neutral" => 2,
            "assoc" | "commutative" | "scalar" | "basic" | "copyable" | "notVector" | "within" => 1,
            other => {
                let known = [
                    "assoc",
                    "commutative",
                    "neutral",
                    "scalar",
                    "basic",
                    "copyable",
                    "notVector",
                    "within",
                    "holds",
                ];
                let mut diagnostic = Diagnostic::error(
                    Code::UnknownName,
                    name.span,
                    format!("there is no condition `{other}`"),
                );
                diagnostic.help = Some(match rise::closest(other, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are `{}`", known.join("`, `")),
                });
                self.diagnostics.push(diagnostic);
                return;
            }
        };
        if args.len() != wanted {
            let text = format!("`{}` takes {wanted}, not {}", name.name, args.len());
            self.error(Code::SyntaxError, span, text);
            return;
        }
        match name.name.as_str() {
            "within" => {}
            "scalar" | "basic" | "copyable" | "notVector" => {
                sides.written_type(args[0]);
            }
            _ => args.iter().for_each(|&arg| {
                sides.synth(arg);
            }),
        }
    }

    /// What the right side needs of sizes and nothing says.
    fn need(&mut self, names: &Names<'_>, need: &Need) {
        let text = match &need.prop {
            Prop::Equal(..) => need.text.replacen(" = ", " == ", 1),
            _ => need.text.clone(),
        };
        let mut message = match &need.types {
            Some((expected, found)) => format!(
                "the sides have one type only if {text}\nexpected: {expected}\n   found: {found}"
            ),
            None => format!("the right side needs {text}, which the left side does not say"),
        };
        if let Some(sizes) = &need.fails_for {
            message.push_str(&format!("\nthey differ for {sizes}"));
        }
        let code = match need.types {
            Some(_) => Code::SizeMismatch,
            None => Code::ObligationFails,
        };
        let mut diagnostic = Diagnostic::error(code, need.span, message);
        let said = |word: &str| {
            names
                .variables
                .iter()
                .any(|v| v.name == word && !v.anonymous)
        };
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut names_of = words.filter(|w| w.starts_with(|c: char| c.is_alphabetic()));
        let speakable = names_of
            .all(|w| said(w) || matches!(w, "divides" | "min" | "max" | "ceilDiv" | "log2"));
        diagnostic.help = Some(match speakable {
            true => format!("add `assuming {text}`"),
            false => "name the sizes of the pattern, as in `map(f) : m.s -> m.t`, and say it with `assuming`".into(),
        });
        if speakable && !matches!(need.prop, Prop::ForAll { .. }) {
            let end = Span::empty(self.alt.span.end);
            diagnostic = diagnostic.fix(
                format!("Add `assuming {text}`"),
                vec![(end, format!(" assuming {text}"))],
                true,
            );
        }
        self.diagnostics.push(diagnostic);
    }

    /// The terms of conditions that are no names of the pattern.
    fn operands(&self, names: &Names<'_>) -> Vec<TermId> {
        let mut found = Vec::new();
        for (_, cond, _) in self.conditions() {
            self.operands_of(names, cond, &mut found);
        }
        found
    }

    fn operands_of(&self, names: &Names<'_>, cond: CondId, found: &mut Vec<TermId>) {
        let mut add = |term: TermId| {
            if names.variable_of(term).is_none() {
                found.push(term);
            }
        };
        match &self.cond(cond).kind {
            CondKind::Or(a, b) | CondKind::And(a, b) => {
                self.operands_of(names, *a, found);
                self.operands_of(names, *b, found);
            }
            CondKind::Not(a) | CondKind::Paren(a) => self.operands_of(names, *a, found),
            CondKind::NotIn { term, .. } | CondKind::Holds { term, .. } => add(*term),
            CondKind::Property { name, args } => {
                if matches!(name.name.as_str(), "assoc" | "commutative" | "neutral") {
                    args.iter().for_each(|&arg| add(arg));
                }
            }
            _ => {}
        }
    }

    // ----- the rule -----

    fn build(
        &mut self,
        names: &Names<'_>,
        scopes: &Scopes,
        tail: Option<u32>,
        typed: &Typed,
    ) -> Option<Alt> {
        let mut values = slots(names);
        let params = self.source.params;
        let mut levels = Levels::default();
        let given = given(names, params, &typed.done, &values, &mut levels);
        // The variable of a composition is the local that elaboration made for it.
        let tail = tail.and_then(|binder| {
            let slot = values.remove(&binder)?;
            match &typed.terms.exprs[0].form {
                Form::Lambda(param, _) => values.insert(param.local.id, slot),
                _ => None,
            };
            Some(slot)
        });
        let parts = Parts {
            names,
            values: &values,
            terms: &typed.terms,
            mode: Mode::Exact,
        };
        let function = typed.function && tail.is_none();
        let (mut pattern, locals) = parts.pattern(
            &typed.terms.exprs[0],
            tail.map(u32::from),
            function,
            typed.strict,
            given,
            &mut levels,
        );
        let done = &typed.done;
        let template = parts.template(
            &typed.terms.exprs[1],
            tail,
            scopes,
            &locals,
            done,
            &mut levels,
        )?;
        let left = self.source.item.term(self.alt.lhs).span;
        pattern.facts = done
            .inference
            .obligations
            .iter()
            // Those of the right side are what has to be shown.
            .filter(|o| left.start <= o.span.start && o.span.end <= left.end)
            .map(|o| levels.prop(&o.prop))
            .collect();
        pattern.given_types = given_types(names, params, done, &mut levels);
        let mut clauses = Vec::new();
        for (strength, cond, span) in self.conditions() {
            let one = self.condition(&parts, typed, scopes, &locals, cond, &mut levels)?;
            let text = self.clause_text(span);
            clauses.push(Clause {
                strength,
                cond: one,
                span,
                text,
            });
        }
        // What the right side needs of types is a condition, too.
        for (var, kind) in &done.narrowed.kinds {
            let ty = levels.ty(&Ty::new(Type::Var(*var)));
            if let Some(sort) = Sort::of_kind(*kind) {
                let name = done.inference.names.get(*var);
                clauses.push(Clause {
                    strength: Strength::Proved,
                    cond: Cond::Sort(sort, ty),
                    span: self.source.item.rise.term(self.alt.rhs).span,
                    text: format!("{name} : {kind}").into(),
                });
            }
        }
        self.laws(&clauses, typed);
        let made = typed.made.iter().map(|&(to, from, lanes)| {
            let arg = match &done.inference.terms[lanes.0 as usize] {
                TermInfo::Arg(Arg::Nat(nat)) => levels.nat(nat),
                _ => Nat::ONE,
            };
            Some(Made {
                slot: *values.get(&to)?,
                from: *values.get(&from)?,
                lanes: arg,
            })
        });
        let made = made.collect::<Option<Box<[Made]>>>()?;
        pattern.levels = levels.bound;
        let clauses: Box<[Clause]> = clauses.into();
        Some(Alt {
            linear: pattern.is_linear(),
            pattern,
            template,
            clauses,
            made,
            span: self.alt.span,
            lhs: self.source.item.rise.term(self.alt.lhs).span,
        })
    }

    fn clause_text(&self, span: Span) -> Arc<str> {
        self.source
            .text
            .get(std::ops::Range::from(span))
            .unwrap_or("a condition of the rule")
            .into()
    }

    /// A law that is only assumed, or an order of evaluation that nothing allows, makes a rule one
    /// that may change the meaning.
    fn laws(&mut self, clauses: &[Clause], typed: &Typed) {
        if self.source.is_unsafe {
            return;
        }
        for clause in clauses {
            if clause.strength == Strength::Assumed && clause.cond.has_law() {
                let text = "a law that is assumed may not hold: the rule can change what a program computes";
                let diagnostic = Diagnostic::error(Code::ObligationFails, clause.span, text)
                    .help("write `requires`, or make it an `unsafe rule`");
                self.diagnostics.push(diagnostic);
            }
        }
        let required = clauses.iter().any(|clause| clause.cond.has_law());
        let (left, right) = (&typed.terms.exprs[0], &typed.terms.exprs[1]);
        if !required && reorders(right) && !reorders(left) {
            let span = self.source.item.rise.term(self.alt.rhs).span;
            let text =
                "the left side combines values in a fixed order, and the right side in any order";
            let diagnostic = Diagnostic::error(Code::ObligationFails, span, text)
                .help("add `requires assoc(op) and neutral(op, z)`, or make it an `unsafe rule`");
            self.diagnostics.push(diagnostic);
        }
    }

    fn condition(
        &mut self,
        parts: &Parts<'_>,
        typed: &Typed,
        scopes: &Scopes,
        locals: &FxHashMap<u32, u16>,
        cond: CondId,
        levels: &mut Levels,
    ) -> Option<Cond> {
        let nat = |term: TermId, levels: &mut Levels| match &typed.done.inference.terms
            [term.0 as usize]
        {
            TermInfo::Arg(Arg::Nat(nat)) => Some(levels.nat(nat)),
            _ => None,
        };
        let said = self.cond(cond);
        let operand = |term: TermId, levels: &mut Levels| {
            if let Some(variable) = parts.names.variable_of(term) {
                let binder = parts.names.variables[variable].binder.0;
                return Some(Operand::Slot(*parts.values.get(&binder)?));
            }
            let at = typed.wanted.iter().position(|other| *other == term)?;
            let expr = &typed.terms.exprs[at];
            let template = parts.template(expr, None, scopes, locals, &typed.done, levels)?;
            Some(Operand::Term(Box::new(template)))
        };
        Some(match &said.kind {
            CondKind::Missing => return None,
            CondKind::And(..) | CondKind::Paren(_) => {
                let mut all = Vec::new();
                self.conjuncts(cond, &mut all);
                let all = all
                    .into_iter()
                    .map(|part| self.condition(parts, typed, scopes, locals, part, levels))
                    .collect::<Option<Vec<_>>>()?;
                Cond::All(all.into())
            }
            CondKind::Or(a, b) => {
                let a = self.condition(parts, typed, scopes, locals, *a, levels)?;
                let b = self.condition(parts, typed, scopes, locals, *b, levels)?;
                Cond::Any([a, b].into())
            }
            CondKind::Not(a) => {
                let a = self.condition(parts, typed, scopes, locals, *a, levels)?;
                Cond::Not(Box::new(a))
            }
            CondKind::Divides { divisor, size } => {
                Cond::Size(Prop::Divides(nat(*divisor, levels)?, nat(*size, levels)?))
            }
            CondKind::Compare { op, lhs, rhs } => {
                let (a, b) = (nat(*lhs, levels)?, nat(*rhs, levels)?);
                match compare(*op, a.clone(), b.clone()) {
                    Some(prop) => Cond::Size(prop),
                    None => Cond::Differ(a, b),
                }
            }
            CondKind::NotIn { name, term } => {
                let operand = operand(*term, levels)?;
                self.not_in(parts, locals, *name, *term, operand)?
            }
            CondKind::HasType { .. } => Cond::Given,
            CondKind::HasKind { term, kind } => {
                match (
                    Sort::of_kind(*kind),
                    &typed.done.inference.terms[term.0 as usize],
                ) {
                    (Some(sort), TermInfo::Arg(Arg::Type(ty))) => Cond::Sort(sort, levels.ty(ty)),
                    _ => Cond::Given,
                }
            }
            CondKind::Property { name, args } => match name.name.as_str() {
                "within" => Cond::Within(Box::new(self.within(args[0])?)),
                "assoc" => Cond::Law(Law::Associative, operand(args[0], levels)?),
                "commutative" => Cond::Law(Law::Commutative, operand(args[0], levels)?),
                "neutral" => Cond::Neutral(operand(args[0], levels)?, operand(args[1], levels)?),
                word => {
                    let sort = match word {
                        "scalar" => Sort::Scalar,
                        "basic" => Sort::Basic,
                        "copyable" => Sort::Copyable,
                        _ => Sort::NotVector,
                    };
                    match &typed.done.inference.terms[args[0].0 as usize] {
                        TermInfo::Arg(Arg::Type(ty)) | TermInfo::Type(ty) => {
                            Cond::Sort(sort, levels.ty(ty))
                        }
                        _ => return None,
                    }
                }
            },
            CondKind::Holds { strategy, term } => {
                let operand = operand(*term, levels)?;
                self.holds.push(*strategy);
                Cond::Holds(u16::try_from(self.holds.len() - 1).ok()?, operand)
            }
        })
    }

    /// `x notIn e` for a variable that the pattern binds around `e`, or for a metavariable.
    fn not_in(
        &mut self,
        parts: &Parts<'_>,
        locals: &FxHashMap<u32, u16>,
        name: TermId,
        term: TermId,
        operand: Operand,
    ) -> Option<Cond> {
        let written = self.source.item.term(name);
        let TermKind::Name(x) = &written.kind else {
            self.error(
                Code::SyntaxError,
                written.span,
                "expected the name of a variable",
            );
            return None;
        };
        if let Some(variable) = parts.names.variable_of(name) {
            let binder = parts.names.variables[variable].binder.0;
            return Some(Cond::NotInValue(*parts.values.get(&binder)?, operand));
        }
        // The binder around the metavariable, else the only one of that name.
        let around = parts.names.variable_of(term).and_then(|v| {
            let used = parts.names.variables[v]
                .uses
                .iter()
                .find(|u| u.side == Side::Left)?;
            let named = |b: &&syntax::ast::BinderId| parts.names.binders[b.0 as usize].name == *x;
            used.scope.iter().rev().find(named).map(|b| b.0)
        });
        let any = || {
            let named = |b: &&u32| {
                parts
                    .names
                    .binders
                    .get(**b as usize)
                    .is_some_and(|b| b.name == *x)
            };
            locals.keys().find(named).copied()
        };
        match around.or_else(any).and_then(|binder| locals.get(&binder)) {
            Some(&local) => Some(Cond::NotIn(local, operand)),
            None => {
                let text = format!("the pattern binds no variable `{x}`");
                self.error(Code::UnknownName, written.span, text);
                None
            }
        }
    }

    fn within(&mut self, pattern: TermId) -> Option<Pattern> {
        let source = self.source;
        let (matcher, said) = matcher(
            source.item,
            pattern,
            source.params,
            source.env,
            Mode::Enclosing,
        );
        self.diagnostics.extend(said);
        let mut pattern = matcher?.pattern;
        pattern.function = false;
        Some(pattern)
    }
}

/// What inference found out about an alternative.
struct Typed {
    done: SidesInference,
    terms: Terms,
    /// The terms that were elaborated, in order.
    wanted: Vec<TermId>,
    /// Which binder is made of which, in how many lanes.
    made: Vec<(u32, u32, TermId)>,
    strict: bool,
    function: bool,
}

fn compare(op: BinaryOp, a: Nat, b: Nat) -> Option<Prop> {
    Some(match op {
        BinaryOp::Eq => Prop::Equal(a, b),
        BinaryOp::Ge => Prop::AtLeast(a, b),
        BinaryOp::Gt => Prop::AtLeast(a, b + 1),
        BinaryOp::Le => Prop::AtLeast(b, a),
        BinaryOp::Lt => Prop::AtLeast(b, a + 1),
        _ => return None,
    })
}

/// Compositions of more than two functions are one function of one variable, and not functions in
/// the bodies of others: the variables that elaboration made for the inner ones go.
fn flatten_all(terms: &mut Terms, item: &syntax::ast::Item) {
    let made = u32::try_from(item.binders.len()).unwrap_or(u32::MAX);
    for expr in &mut terms.exprs {
        *expr = Flatten(made).expr(expr);
    }
}

struct Flatten(u32);

impl Mapper<Primitive> for Flatten {
    fn keeps_types(&self) -> bool {
        true
    }

    fn expr(&mut self, expr: &Expr<Primitive>) -> Expr<Primitive> {
        let expr = walk(self, expr);
        if let Form::Apply(f, x) = &expr.form
            && let Form::Lambda(param, body) = &f.form
            && param.local.id >= self.0
        {
            // The value stands in one place, so nothing is made twice.
            return self.expr(&subst_local(body, &param.local, x));
        }
        expr
    }
}

/// Whether values are combined in any order in a term.
fn reorders(expr: &Expr<Primitive>) -> bool {
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match &expr.form {
            Form::Primitive(Primitive::Reduce | Primitive::ReducePar, ..) => return true,
            Form::Primitive(_, _, values) | Form::Foreign(_, values) => stack.extend(values.iter()),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                stack.push(body);
            }
            Form::Apply(f, x) => stack.extend([f, x]),
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
        }
    }
    false
}

/// An alternative that only matches what an earlier one without conditions does is never tried.
fn overlaps(alts: &[Alt], diagnostics: &mut Vec<Diagnostic>) {
    for (at, alt) in alts.iter().enumerate() {
        let covered = alts[..at]
            .iter()
            .find(|earlier| earlier.clauses.is_empty() && earlier.pattern.covers(&alt.pattern));
        if let Some(earlier) = covered {
            let text = "this alternative is never taken: an earlier one matches whatever it does";
            let warning = Diagnostic::new(Severity::Warning, Code::ShadowedName, alt.span, text)
                .related(earlier.span, "the earlier alternative")
                .help("put the more special pattern first");
            diagnostics.push(warning);
        }
    }
}
