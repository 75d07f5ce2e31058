//! Inference of several terms with shared names: the two sides of a rewrite rule and the terms of
//! its conditions.
//!
//! The left side is inferred first. Its unsolved sizes are then universally quantified
//! ([`RuleInfer::generalize_left`]): what the right side requires of them beyond the left side and
//! the conditions is returned as [`SideCondition`]s and not assumed. Its unsolved types may be
//! instantiated further by the right side, which is returned in [`Instantiations`]: the rule
//! applies only to such types.

use nat::{Nat, Prop, Var, Verdict};
use rustc_hash::FxHashMap;
use syntax::ast::{BinderId, Item, Kind, TermId};
use syntax::{Code, Dialect, Span};

use super::report::EquationFailure;
use super::unification_table::{State, VarInfo};
use super::unify::{Cause, CauseCode, vars_of};
use super::{Infer, LocalBinding, PendingObligation};
use crate::classes::Classes;
use crate::types::{Arg, Scheme, Ty, Type, var_arg};
use crate::{BinderInfo, Env, Inference};

/// A level deeper than all binders of an item: a type of this level may mention any of them.
const INSIDE: u32 = 1 << 24;

/// The state of inference of a rule's terms, which are inferred one after the other.
pub struct RuleInfer<'a> {
    infer: Infer<'a>,
    fixed: bool,
    /// Binders of values that are given at every use of the rule.
    given: Vec<BinderId>,
    side_conditions: Vec<SideCondition>,
    /// Binders of values whose types are inferred from the terms.
    values: Vec<BinderId>,
    /// The types that were unsolved after the left side, except those of given values, with their
    /// names and classes at that time.
    open: Vec<(Var, syntax::ast::Name, Classes)>,
    /// Conditions on sizes that hold wherever the left side occurs.
    left: Vec<Prop>,
}

/// The instantiations of the left side's unsolved types by the right side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instantiations {
    /// The name of each type that has a certain form or equals another one, with the text of that
    /// form or the name of the other one: `s` is `t`.
    pub forms: Vec<(String, String)>,
    /// Types that are restricted to a kind.
    pub kinds: Vec<(Var, Kind)>,
}

/// A condition on sizes that the right side requires beyond the left side and the conditions of the
/// rule.
#[derive(Clone, Debug, PartialEq)]
pub struct SideCondition {
    /// The condition.
    pub prop: Prop,
    /// The condition as text for messages.
    pub text: String,
    /// The place of the term that requires it.
    pub span: Span,
    /// A counterexample if one was found, as text: `n = 1, m = 2`.
    pub fails_for: Option<String>,
    /// For an equation between the sizes of two types, the expected and the found type as text.
    pub types: Option<(String, String)>,
}

/// The result of inferring all terms of a rule.
#[derive(Debug)]
pub struct RuleInference {
    /// The types of terms and binders. The scheme is meaningless; the obligations are those of the
    /// left side and the conditions.
    pub inference: Inference,
    /// The conditions that the right side requires beyond those of the left side and of the rule.
    pub side_conditions: Vec<SideCondition>,
    /// The instantiations of types by the right side.
    pub instantiations: Instantiations,
    /// Conditions on sizes that hold wherever the left side occurs, without the rule's conditions.
    pub left: Vec<Prop>,
}

impl<'a> RuleInfer<'a> {
    /// Starts the inference. The names that the terms share are binders of the item.
    pub fn new(item: &'a Item, env: &'a dyn Env) -> RuleInfer<'a> {
        let mut infer = Infer::new(item, env, Dialect::Rise);
        infer.joined = Some(FxHashMap::default());
        RuleInfer {
            infer,
            fixed: false,
            given: Vec::new(),
            side_conditions: Vec::new(),
            values: Vec::new(),
            open: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Brings the name of a value into scope, whose type is inferred from the terms. With `inside`
    /// that type may depend on sizes and types that are bound inside the terms.
    pub fn value(&mut self, binder: BinderId, inside: bool) {
        let level = if inside { INSIDE } else { 0 };
        let var = self.variable("t", binder, Kind::DataType, State::Open, level);
        self.infer.table.update(var).classes = Classes::ANY;
        let ty = Ty::new(Type::Var(var));
        self.values.push(binder);
        self.infer.binders[binder.0 as usize] = BinderInfo::Value(ty.clone());
        self.infer.bind_value(binder, ty);
    }

    /// Brings the name of a value that is given at every use of the rule into scope: the right side
    /// may determine its type as far as the left side does not.
    pub fn given_value(&mut self, binder: BinderId) {
        self.value(binder, false);
        self.given.push(binder);
    }

    /// Brings a type-level name into scope: a universally quantified one (`given`), or one that the
    /// terms may determine. A type may be a function type.
    pub fn type_level(&mut self, binder: BinderId, kind: Kind, given: bool) {
        let name = self.infer.item.binder(binder).name.clone();
        let state = if given { State::Rigid } else { State::Open };
        let var = self.variable(&name, binder, kind, state, 0);
        if kind == Kind::DataType {
            self.infer.table.update(var).classes = Classes::ANY;
        }
        self.bind_variable(binder, var, kind);
    }

    fn variable(
        &mut self,
        name: &str,
        binder: BinderId,
        kind: Kind,
        state: State,
        level: u32,
    ) -> Var {
        let span = self.infer.item.binder(binder).span;
        let info = VarInfo::new(name.into(), kind, level, state, span);
        self.infer.table.add(info)
    }

    fn bind_variable(&mut self, binder: BinderId, var: Var, kind: Kind) {
        self.infer.binders[binder.0 as usize] = BinderInfo::TypeLevel(var, kind);
        self.infer
            .bind_name(binder, LocalBinding::TypeLevel(var, kind));
    }

    /// Defines a name for a size, as in `let v = u + m`. Returns false after an error.
    pub fn define(&mut self, binder: BinderId, size: TermId) -> bool {
        let Some(value) = self.infer.elab_nat(size) else {
            return false;
        };
        let name = self.infer.item.binder(binder).name.clone();
        let var = self.variable(&name, binder, Kind::Nat, State::Rigid, 0);
        self.infer.solve_var(var, Arg::Nat(value));
        self.bind_variable(binder, var, Kind::Nat);
        true
    }

    /// Brings the name of a value of this type into scope.
    pub fn define_value(&mut self, binder: BinderId, ty: Ty) {
        self.infer.binders[binder.0 as usize] = BinderInfo::Value(ty.clone());
        self.infer.bind_value(binder, ty);
    }

    /// Identifies a binder of a later term with one of an earlier term, so that they have the same
    /// type.
    pub fn join(&mut self, later: BinderId, earlier: BinderId) {
        if let Some(joined) = &mut self.infer.joined {
            joined.entry(later).or_default().push(earlier);
        }
    }

    /// Synthesises the type of a term.
    pub fn synth(&mut self, term: TermId) -> Ty {
        self.infer.synth(term)
    }

    /// Checks a term against a type; reports a mismatch at the term.
    pub fn check(&mut self, term: TermId, expected: &Ty) {
        self.infer.check_against(term, expected);
    }

    /// Elaborates a written type.
    pub fn written_type(&mut self, term: TermId) -> Ty {
        self.infer.elab_type(term)
    }

    /// Restricts a type to a kind, as the condition `scalar(t)` does. Returns false if that is
    /// impossible, without a message.
    pub fn restrict(&mut self, ty: &Ty, kind: Kind) -> bool {
        self.infer.restrict(ty, Classes::of_kind(kind)).is_ok()
    }

    /// Unifies the type of a value's binder with `ty`; reports a mismatch at `span`.
    pub fn has_type(&mut self, binder: BinderId, ty: &Ty, span: Span) {
        if let BinderInfo::Value(own) = self.infer.binders[binder.0 as usize].clone() {
            let why = CauseCode::Context;
            self.infer.demand(ty, &own, Cause::new(span, why));
        }
    }

    /// Elaborates a written size; returns `None` after an error.
    pub fn size(&mut self, term: TermId) -> Option<Nat> {
        self.infer.elab_nat(term)
    }

    /// Assumes a condition for the terms that follow.
    pub fn assume(&mut self, prop: Prop, span: Span) {
        let at_least = match &prop {
            Prop::Divides(d, a) => Some((a.clone(), d.clone())),
            _ => None,
        };
        self.infer.note_condition(prop, span, true, None);
        // A divisor of a size that is not 0 is not larger than it.
        if let Some((a, d)) = at_least {
            let some = Prop::AtLeast(self.infer.table.nat(&a), Nat::ONE);
            if self.infer.facts_for(&[]).proves(&some) {
                self.infer
                    .note_condition(Prop::AtLeast(a, d), span, true, None);
            }
        }
    }

    /// Applies the solutions so far to a type.
    pub fn read(&self, ty: &Ty) -> Ty {
        self.infer.table.ty(ty)
    }

    /// Returns the text of a type for a message.
    pub fn show(&self, ty: &Ty) -> String {
        self.infer.show(ty)
    }

    /// Returns the text of a term for a message.
    pub fn source(&self, term: TermId) -> String {
        self.infer.source(term)
    }

    /// Returns the number of diagnostics so far.
    pub fn diagnostics(&self) -> usize {
        self.infer.diagnostics.len()
    }

    /// Ends the left side. Its unsolved variables that are no types become rigid. Its conditions
    /// and remaining equations between sizes are assumed, because they hold wherever the left side
    /// occurs; an equation that cannot hold is reported.
    pub fn generalize_left(&mut self) {
        let infer = &mut self.infer;
        infer.solve_deferred();
        infer.solve_deferred_quotients();
        for equation in std::mem::take(&mut infer.equations) {
            let (a, b) = infer.table.sides(&equation);
            let prop = Prop::Equal(a.clone(), b.clone());
            if infer.facts_for(&[]).excludes(&prop) {
                infer.report_sizes(equation.demand, &a, &b, EquationFailure::Impossible);
                continue;
            }
            let span = infer.demands[equation.demand].cause.span;
            infer.obligations.push(PendingObligation {
                prop,
                span,
                written: true,
                source: None,
                taken_by: None,
            });
        }
        for pending in &mut infer.obligations {
            pending.written = true;
        }
        self.plain_consequences();
        let conditions = self.infer.obligations.iter().map(|p| p.prop.clone());
        let outside = |prop: &Prop| self.infer.inner_vars(prop).is_empty();
        self.left = conditions.filter(outside).collect();
        self.name_after_text();
        let given = self.types_of_given();
        let infer = &mut self.infer;
        for var in infer.table.vars() {
            if !infer.table.is_open(var) {
                continue;
            }
            let is_type = infer.table.info(var).kind == Kind::DataType;
            let info = infer.table.update(var);
            info.level = 0;
            info.inner = false;
            if !is_type {
                info.state = State::Rigid;
            } else if !given.contains(&var) {
                let (name, classes) = (info.name.clone(), info.classes);
                self.open.push((var, name, classes));
            }
        }
        infer.inserted.clear();
        infer.facts.forget();
        self.fixed = true;
    }

    /// Assumes `v >= 1` for the variables `v` that are factors of a product which a condition
    /// requires to be at least 1; the prover does not derive that.
    fn plain_consequences(&mut self) {
        let mut more = Vec::new();
        for pending in &self.infer.obligations {
            let Prop::AtLeast(a, b) = self.infer.table.prop(&pending.prop) else {
                continue;
            };
            // A product that is at least 1 has no factor 0.
            let difference = Nat::sub(&a, &b);
            if let [product, constant] = &difference.summands()[..]
                && product.coeff > 0
                && constant.factors.is_empty()
                && constant.coeff < 0
            {
                more.extend(product.factors.iter().filter_map(|(part, _)| match part {
                    nat::Part::Var(var) => Some((*var, pending.span)),
                    _ => None,
                }));
            }
        }
        for (var, span) in more {
            self.assume(Prop::AtLeast(Nat::var(var), Nat::ONE), span);
        }
    }

    /// Returns the types of given values that are variables.
    fn types_of_given(&self) -> Vec<Var> {
        let open = |binder: &BinderId| {
            let BinderInfo::Value(ty) = &self.infer.binders[binder.0 as usize] else {
                return None;
            };
            match *self.infer.table.head(ty) {
                Type::Var(var) => Some(var),
                _ => None,
            }
        };
        self.given.iter().filter_map(open).collect()
    }

    /// Returns the instantiations of the left side's unsolved types; unsolved variables in the
    /// types of names become rigid.
    fn instantiations(&mut self) -> Instantiations {
        let infer = &mut self.infer;
        let of_names =
            self.values
                .iter()
                .filter_map(|binder| match &infer.binders[binder.0 as usize] {
                    BinderInfo::Value(ty) => Some(ty.clone()),
                    _ => None,
                });
        let of_left = self.open.iter().map(|(var, ..)| Ty::new(Type::Var(*var)));
        let mut vars = Vec::new();
        for ty in of_names.chain(of_left) {
            let ty = infer.table.ty(&ty);
            super::for_each_var(&ty, &mut |var| vars.push(var));
        }
        for var in vars {
            if infer.table.is_open(var) {
                infer.table.update(var).state = State::Rigid;
            }
        }
        let mut instantiations = Instantiations::default();
        let mut seen: FxHashMap<Var, syntax::ast::Name> = FxHashMap::default();
        for (var, name, classes) in std::mem::take(&mut self.open) {
            let own = Ty::new(Type::Var(var));
            let form = infer.table.head(&own);
            match *form {
                Type::Var(same) if infer.table.is_rigid(same) || infer.table.is_open(same) => {
                    if let Some(other) = seen.insert(same, name.clone()) {
                        instantiations
                            .forms
                            .push((name.to_string(), other.to_string()));
                        continue;
                    }
                    infer.table.update(same).name = name;
                    infer.table.update(same).state = State::Rigid;
                    let now = infer.table.info(same).classes;
                    if now != classes
                        && let Some(kind) = now.to_kind()
                    {
                        instantiations.kinds.push((same, kind));
                    }
                }
                _ => instantiations
                    .forms
                    .push((name.to_string(), infer.show(&own))),
            }
        }
        instantiations
    }

    /// Gives each variable the name that the text uses for it, and no other variable that name.
    fn name_after_text(&mut self) {
        let infer = &mut self.infer;
        let mut named: FxHashMap<Var, syntax::ast::Name> = FxHashMap::default();
        for (binder, info) in infer.item.binders.iter().zip(&infer.binders) {
            let BinderInfo::TypeLevel(var, kind) = *info else {
                continue;
            };
            let end = match infer.table.arg(&var_arg(var, kind)) {
                Arg::Nat(nat) => nat.as_var(),
                Arg::Type(ty) => match *ty {
                    Type::Var(var) => Some(var),
                    _ => None,
                },
                _ => None,
            };
            named
                .entry(end.unwrap_or(var))
                .or_insert(binder.name.clone());
        }
        let mut used: Vec<syntax::ast::Name> =
            infer.item.binders.iter().map(|b| b.name.clone()).collect();
        for var in infer.table.vars() {
            if let Some(name) = named.get(&var) {
                infer.table.update(var).name = name.clone();
            } else if infer.table.is_open(var) {
                let (name, kind) = (
                    infer.table.info(var).name.clone(),
                    infer.table.info(var).kind,
                );
                let name = match used.contains(&name) {
                    true => super::writeback::fresh_name(&name, kind, &used),
                    false => name,
                };
                used.push(name.clone());
                infer.table.update(var).name = name;
            }
        }
    }

    /// Proves each remaining equation between sizes, or records it as a side condition, at most one
    /// for each pair of types; reports equations with unsolved sizes.
    fn decide_equations(&mut self) {
        let infer = &mut self.infer;
        let mut reported = None;
        for equation in std::mem::take(&mut infer.equations) {
            let (a, b) = infer.table.sides(&equation);
            let vars = vars_of([&a, &b]);
            let facts = infer.facts_for(&vars);
            let prop = Prop::Equal(a.clone(), b.clone());
            if vars.iter().any(|&v| infer.table.is_open(v)) {
                if !infer.failed() {
                    infer.report_sizes(equation.demand, &a, &b, EquationFailure::Open);
                }
                continue;
            }
            let fails_for = match facts.prove(&prop) {
                Verdict::Proved => continue,
                Verdict::Refuted(witness) => infer.fails_for(&witness),
                Verdict::Unknown => None,
            };
            if reported == Some(equation.demand) || infer.failed() {
                continue;
            }
            reported = Some(equation.demand);
            let demand = infer.demands[equation.demand].clone();
            let text = infer.show_prop(&prop);
            let types = (infer.show(&demand.expected), infer.show(&demand.found));
            self.side_conditions.push(SideCondition {
                prop,
                text,
                span: demand.cause.span,
                fails_for,
                types: Some(types),
            });
        }
    }

    /// Ends the inference: proves, reports or records as a side condition each remaining equation
    /// and condition, and returns the results.
    pub fn finish(mut self) -> RuleInference {
        if !self.fixed {
            self.generalize_left();
        }
        self.infer.solve_deferred();
        self.infer.solve_deferred_quotients();
        self.decide_equations();
        let infer = &mut self.infer;
        let left: Vec<Ty> = (self.open.iter())
            .map(|(var, ..)| infer.table.ty(&Ty::new(Type::Var(*var))))
            .collect();
        infer.default_literals(&|var| left.iter().any(|ty| **ty == Type::Var(var)));
        infer.report_holes();
        let judged = infer.judge_obligations();
        let (said, left): (Vec<_>, Vec<_>) = judged.into_iter().partition(|(_, written)| *written);
        for (obligation, _) in left {
            let text = infer.show_prop(&obligation.prop);
            self.side_conditions.push(SideCondition {
                prop: obligation.prop,
                text,
                span: obligation.span,
                fails_for: None,
                types: None,
            });
        }
        let instantiations = self.instantiations();
        let infer = &mut self.infer;
        infer.report_undetermined();
        let of_left: Vec<Prop> = self.left.iter().map(|p| infer.table.prop(p)).collect();
        let names = infer.all_names();
        infer
            .diagnostics
            .sort_by_key(|d| (d.severity, d.span.start));
        let scheme = Scheme {
            ty: Ty::new(Type::Error),
            obligations: [].into(),
            names: names.clone(),
            literals: [].into(),
        };
        let obligations = said.into_iter().map(|(obligation, _)| obligation).collect();
        let inference = infer.inference(scheme, obligations, Vec::new(), names);
        RuleInference {
            inference,
            side_conditions: self.side_conditions,
            instantiations,
            left: of_left,
        }
    }

    /// Adds an error that the caller has found to the diagnostics.
    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.infer.error(code, span, message);
    }
}
