//! Compiles the syntax of rules, predicates, patterns and quotations: names, scopes, types and
//! conditions.

mod alt;
mod conditions;
mod diagnostics;
mod outline;

use rise::core::{Expr, Form, Terms, elaborate_terms, without_compositions};
use rise::types::{Arg, Ty, Type};
use rise::{Env, Primitive, RuleInfer, RuleInference, TermInfo};
use rustc_hash::FxHashMap;
use syntax::Diagnostic;
use syntax::ast::{BinderAnnotation, Kind, Name, TermId, TermKind};
use syntax::elevate::ast;

use super::names::{ExpectedKind, Names, OmittedParts, Origin, Side};
use super::pattern::{self, ParamSlot, Pattern, TypeVarNumbering};
use super::scope::Scopes;
use super::template::{self, Captures, Template};
use super::{Matcher, Output, ParamKind, Predicate, Quotation, Rule, RuleId, Source, VariableKind};
use alt::AltCompiler;
pub(crate) use conditions::{basic_conditions, compare};
use diagnostics::{errors, overlaps};
pub use outline::{Open, Outline, StandsFor, outlines};

/// Compiles a rule, and returns it with its diagnostics. Alternatives that cannot be compiled
/// because of errors are left out.
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
        id: RuleId::fresh(),
    };
    (rule, diagnostics)
}

/// Compiles the patterns of a predicate, `{ p | q }`, and returns it with the diagnostics. Patterns
/// that cannot be compiled because of errors are left out.
pub fn compile_predicate(
    item: &ast::Item,
    patterns: &[TermId],
    params: &[(Name, ParamKind)],
    env: &dyn Env,
) -> (Predicate, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut all = Vec::new();
    for &pattern in patterns {
        let (matcher, mut said) = matcher(item, pattern, params, env, OmittedParts::Loose);
        diagnostics.append(&mut said);
        all.extend(matcher);
    }
    let predicate = Predicate {
        params: params.into(),
        patterns: all.into(),
        id: RuleId::fresh(),
    };
    (predicate, diagnostics)
}

/// Compiles a single pattern, such as that of a `case`, and returns it with its diagnostics; `None`
/// if it cannot be compiled because of errors.
pub fn compile_pattern(
    item: &ast::Item,
    pattern: TermId,
    params: &[(Name, ParamKind)],
    env: &dyn Env,
) -> (Option<Matcher>, Vec<Diagnostic>) {
    matcher(item, pattern, params, env, OmittedParts::Exact)
}

fn matcher(
    item: &ast::Item,
    pattern: TermId,
    params: &[(Name, ParamKind)],
    env: &dyn Env,
    mode: OmittedParts,
) -> (Option<Matcher>, Vec<Diagnostic>) {
    let mut names = Names::new(&item.rise, env, mode);
    declare(&mut names, params);
    names.visit(pattern, ExpectedKind::Value, Side::Left);
    names.apply_defaults();
    if names.failed {
        return (None, names.diagnostics);
    }
    let rise = names.item();
    let mut sides = RuleInfer::new(&rise, env);
    bind(&names, &mut sides);
    let ty = sides.synth(pattern);
    sides.generalize_left();
    let function = is_function(&sides.read(&ty));
    let done = sides.finish();
    names.diagnostics.extend(errors(&done, None));
    let Some(mut terms) = elaborate_terms(&rise, &done.inference, &[pattern]) else {
        return (None, names.diagnostics);
    };
    flatten_all(&mut terms);
    let Some(variables) = variables(&names, &done) else {
        return (None, names.diagnostics);
    };
    let values = slots(&names);
    let mut levels = TypeVarNumbering::default();
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
    let (results, outputs) = outputs(&names, variables, &values, locals, &mut levels);
    built.levels = levels.bound;
    let matcher = Matcher {
        pattern: built,
        variables: results,
        outputs,
    };
    (Some(matcher), names.diagnostics)
}

/// Returns the names, kinds and sources of the outputs of a match: the metavariables of the pattern
/// that are not anonymous, then the variables for values that it binds in source order.
#[allow(clippy::type_complexity)]
fn outputs(
    names: &Names<'_>,
    variables: Vec<Variable>,
    values: &FxHashMap<u32, u16>,
    locals: FxHashMap<u32, u16>,
    levels: &mut TypeVarNumbering,
) -> (Box<[(Name, VariableKind)]>, Box<[Output]>) {
    let mut bound: Vec<_> = (locals.into_iter())
        .filter_map(|(binder, local)| Some((names.binders.get(binder as usize)?, local)))
        .collect();
    bound.sort_by_key(|(binder, _)| binder.span.start);
    let of_text = variables.into_iter().filter(|v| !v.anonymous);
    let (mut results, mut outputs) = (Vec::new(), Vec::new());
    for variable in of_text {
        results.push((variable.name, variable.kind));
        outputs.push(match variable.place {
            InferenceSlot::Value(binder) => Output::Value(values[&binder]),
            InferenceSlot::TypeLevel(arg) => Output::TypeLevel(levels.arg(&arg)),
        });
    }
    for (binder, local) in bound {
        results.push((binder.name.clone(), VariableKind::Value));
        outputs.push(Output::Local(local));
    }
    (results.into(), outputs.into())
}

/// Compiles a term with parameters, such as `rise { … }`, and returns it with its diagnostics;
/// `None` if it cannot be compiled because of errors.
pub fn compile_template(
    item: &ast::Item,
    term: TermId,
    params: &[(Name, ParamKind)],
    env: &dyn Env,
) -> (Option<Quotation>, Vec<Diagnostic>) {
    let mut names = Names::new(&item.rise, env, OmittedParts::Exact);
    declare(&mut names, params);
    names.visit(term, ExpectedKind::Value, Side::Right);
    names.apply_defaults();
    if names.failed {
        return (None, names.diagnostics);
    }
    let rise = names.item();
    let mut sides = RuleInfer::new(&rise, env);
    bind(&names, &mut sides);
    sides.synth(term);
    sides.generalize_left();
    let done = sides.finish();
    names.diagnostics.extend(errors(&done, None));
    let Some(mut terms) = elaborate_terms(&rise, &done.inference, &[term]) else {
        return (None, names.diagnostics);
    };
    flatten_all(&mut terms);
    let values = slots(&names);
    let mut levels = TypeVarNumbering::default();
    let given = given(&names, params, &done, &values, &mut levels);
    let scopes = Scopes::default();
    let parts = Parts {
        names: &names,
        values: &values,
        terms: &terms,
        mode: OmittedParts::Exact,
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

// ----- helpers -----

fn declare(names: &mut Names<'_>, params: &[(Name, ParamKind)]) {
    for (number, (name, kind)) in params.iter().enumerate() {
        names.param(number, name, *kind);
    }
}

/// Declares the metavariables and parameters in type inference.
fn bind(names: &Names<'_>, sides: &mut RuleInfer<'_>) {
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
            (Origin::Param(_), Some(VariableKind::TypeLevel(kind))) => {
                sides.type_level(variable.binder, kind, true);
            }
            (Origin::Param(_), _) => sides.given_value(variable.binder),
            (Origin::Pattern, Some(VariableKind::TypeLevel(kind))) => {
                let given = variable.argument && kind != Kind::DataType;
                sides.type_level(variable.binder, kind, given);
            }
            (Origin::Pattern, _) => sides.value(variable.binder, inside),
        }
    }
}

/// Assigns slots to the parameters, metavariables and `let`s for terms. The keys are the numbers of
/// their binders.
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

/// Returns the slot or type-level variable of each parameter; `None` for a parameter that terms
/// cannot contain.
fn given(
    names: &Names<'_>,
    params: &[(Name, ParamKind)],
    done: &RuleInference,
    values: &FxHashMap<u32, u16>,
    levels: &mut TypeVarNumbering,
) -> Box<[Option<ParamSlot>]> {
    let one = |number: usize| {
        let variable = names
            .variables
            .iter()
            .find(|v| v.origin == Origin::Param(number))?;
        match &done.inference.binders[variable.binder.0 as usize] {
            rise::BinderInfo::TypeLevel(var, _) => {
                let number = levels.number(*var);
                Some(ParamSlot::TypeLevel(u16::try_from(number.0).ok()?))
            }
            _ => Some(ParamSlot::Value(*values.get(&variable.binder.0)?)),
        }
    };
    (0..params.len()).map(one).collect()
}

fn given_types(
    names: &Names<'_>,
    params: &[(Name, ParamKind)],
    done: &RuleInference,
    levels: &mut TypeVarNumbering,
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

/// A metavariable with its place in the result of inference.
struct Variable {
    name: Name,
    kind: VariableKind,
    anonymous: bool,
    place: InferenceSlot,
}

enum InferenceSlot {
    Value(u32),
    TypeLevel(Arg),
}

fn variables(names: &Names<'_>, done: &RuleInference) -> Option<Vec<Variable>> {
    let mut all = Vec::new();
    for variable in names
        .variables
        .iter()
        .filter(|v| v.origin == Origin::Pattern)
    {
        let binder = variable.binder.0;
        let (kind, place) = match (variable.kind?, &done.inference.binders[binder as usize]) {
            (kind @ VariableKind::TypeLevel(_), rise::BinderInfo::TypeLevel(..)) => {
                let used = variable.uses.first();
                let info = used.map(|u| &done.inference.terms[u.term.0 as usize]);
                match info {
                    Some(TermInfo::Arg(arg)) => (kind, InferenceSlot::TypeLevel(arg.clone())),
                    _ if variable.anonymous => continue,
                    _ => return None,
                }
            }
            (kind, _) => (kind, InferenceSlot::Value(binder)),
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

fn is_function(ty: &Ty) -> bool {
    matches!(**ty, Type::Fun(..) | Type::Pi(_))
}

/// Returns true if a term contains a type annotation.
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

/// The inputs of the construction of patterns and templates.
#[derive(Clone, Copy)]
struct Parts<'a> {
    names: &'a Names<'a>,
    values: &'a FxHashMap<u32, u16>,
    terms: &'a Terms,
    mode: OmittedParts,
}

impl Parts<'_> {
    /// Returns the pattern of a term, and its numbers of the variables that it binds. The pattern
    /// of a composition (`tail` is set) is that of its body.
    fn pattern(
        &self,
        expr: &Expr<Primitive>,
        tail: Option<u32>,
        function: bool,
        strict: bool,
        given: Box<[Option<ParamSlot>]>,
        levels: &mut TypeVarNumbering,
    ) -> (Pattern, FxHashMap<u32, u16>) {
        let slots: Vec<u16> = given
            .iter()
            .flatten()
            .filter_map(|given| match given {
                ParamSlot::Value(slot) => Some(*slot),
                ParamSlot::TypeLevel(_) => None,
            })
            .collect();
        let loose = self.mode != OmittedParts::Exact;
        let mut builder =
            pattern::Builder::new(levels, self.values, &self.terms.sites, loose, &slots);
        match (&expr.form, tail) {
            (Form::Lambda(_, body), Some(_)) => builder.term(body),
            _ => builder.term(expr),
        };
        let locals = builder.locals.clone();
        (builder.finish(function, strict, given), locals)
    }

    /// Returns the template of a right side. If the left side is a composition, the template is the
    /// right side applied to the metavariable `tail`, the input of the composition.
    fn template(
        &self,
        expr: &Expr<Primitive>,
        tail: Option<u16>,
        scopes: &Scopes,
        locals: &FxHashMap<u32, u16>,
        done: &RuleInference,
        levels: &mut TypeVarNumbering,
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

/// Flattens compositions of more than two functions to one function of one variable, as in
/// programs.
fn flatten_all(terms: &mut Terms) {
    for expr in &mut terms.exprs {
        *expr = without_compositions(expr);
    }
}
