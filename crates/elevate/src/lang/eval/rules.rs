//! Evaluates rules and predicates with their arguments to strategies.

use std::sync::{Arc, OnceLock, PoisonError};

use syntax::elevate::ast::{Alt, ExprId, ParamId, PatternId};
use syntax::{GlobalId, Span};

use super::calls::scope_of;
use super::global_env::GlobalEnv;
use super::quote::rule_args;
use super::{Eval, EvalError, EvalResult, Scope, Value};
use crate::engine::{
    Context, MismatchRank, Predicate, Reach, Reason, Rewrite, Rewritten, Strategy, StrategyKind,
};
use crate::lang::check::{BinderKey, Parameterized, PatternBody};
use crate::rule::{self, Applied, Definitions, RuleArg, Test, VariableKind};
use crate::term::{Heads, Term};

/// A rule with arguments of which some are RISE expressions, which become terms when the rule is
/// first applied.
struct DeferredRule {
    rule: Arc<rule::Rule>,
    values: Box<[Value]>,
    shown: String,
    text: Arc<str>,
    tests: Vec<Test>,
    definitions: Definitions,
    ready: OnceLock<Result<Applied, EvalError>>,
}

impl std::fmt::Debug for DeferredRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.rule.name, self.shown)
    }
}

impl DeferredRule {
    fn ready(&self, context: &mut Context<'_>) -> &Result<Applied, EvalError> {
        if self.ready.get().is_none() {
            let made = self.make(context);
            let _ = self.ready.set(made);
        }
        // `ready` is set above, so the closure is not called.
        self.ready.get_or_init(|| {
            Err(EvalError::new(
                "the arguments of the rule are not evaluated",
            ))
        })
    }

    fn make(&self, context: &mut Context<'_>) -> Result<Applied, EvalError> {
        let args = rule_args(&self.values, context)?;
        Ok(Applied::new(
            self.rule.clone(),
            args,
            self.shown.clone(),
            self.text.clone(),
            self.tests.clone(),
            self.definitions.clone(),
        ))
    }
}

impl Rewrite for DeferredRule {
    fn name(&self) -> &str {
        self.rule.shown_name()
    }

    fn args(&self) -> &str {
        &self.shown
    }

    fn apply(&self, context: &mut Context<'_>, term: Term) -> Result<Rewritten, MismatchRank> {
        match self.ready(context) {
            Ok(applied) => applied.apply(context, term),
            Err(_) => Err(MismatchRank::LOWEST),
        }
    }

    fn explain(&self, context: &mut Context<'_>, term: Term) -> Reason {
        match self.ready(context) {
            Ok(applied) => applied.explain(context, term),
            Err(trouble) => Reason::Message(trouble.message.clone()),
        }
    }

    fn reach(&self) -> Reach {
        Reach::WHOLE
    }

    fn heads(&self) -> Heads {
        self.rule.heads()
    }
}

impl Eval<'_, '_> {
    /// Returns the value of a definition that is a rule, with its arguments.
    pub(super) fn named_rule(
        &mut self,
        label: &Arc<str>,
        given: &[(ParamId, Value)],
    ) -> EvalResult {
        let definition = self.definition.clone();
        let rules = &definition.checked.compiled.rules;
        let Some(compiled) = rules.values().next() else {
            return Err(EvalError::new(format!(
                "the rule `{}` has errors",
                definition.name()
            )));
        };
        let scope = scope_of(given);
        let shown = label.strip_prefix(&*definition.name()).unwrap_or_default();
        self.rule(compiled, shown, &scope).map(Value::Strategy)
    }

    /// Returns the strategy of an inline rule, `rule { … }`.
    pub(super) fn inline_rule(
        &mut self,
        alts: &[Alt],
        scope: &Scope,
    ) -> Result<Strategy, EvalError> {
        let definition = self.definition.clone();
        let at = alts.first().map_or(0, |alt| alt.span.start);
        match definition.checked.compiled.rules.get(&at) {
            Some(compiled) => self.rule(compiled, "", scope),
            None => Err(EvalError::new(
                "a `rule { … }` in this definition has errors",
            )),
        }
    }

    fn rule(
        &mut self,
        compiled: &Parameterized<rule::Rule>,
        shown: &str,
        scope: &Scope,
    ) -> Result<Strategy, EvalError> {
        let values = self.sources(&compiled.params, scope)?;
        let mut tests = Vec::new();
        for &strategy in &compiled.it.holds {
            tests.push(self.test(strategy, scope)?);
        }
        let (rule, text) = (compiled.it.clone(), self.definition.text.clone());
        let (shown, definitions) = (shown.to_owned(), self.globals.lookup());
        let late = values.iter().any(|value| matches!(value, Value::Expr(_)));
        if late {
            return Ok(StrategyKind::rule(DeferredRule {
                rule,
                values: values.into(),
                shown,
                text,
                tests,
                definitions,
                ready: OnceLock::new(),
            }));
        }
        let args: Vec<RuleArg> = values.iter().map(plain_arg).collect();
        let applied = Applied::new(rule, args, shown, text, tests, definitions);
        Ok(StrategyKind::rule(applied))
    }

    /// Returns the test of a condition `holds(s, x)`.
    fn test(&mut self, strategy: ExprId, scope: &Scope) -> Result<Test, EvalError> {
        let strategy = self.strategy(strategy, scope)?;
        Ok(Arc::new(move |context: &mut Context<'_>, term| {
            context.holds(&strategy, term)
        }))
    }

    /// Returns the value of a definition that is a predicate made of patterns.
    pub(super) fn predicate(
        &mut self,
        label: &Arc<str>,
        at: Span,
        given: &[(ParamId, Value)],
    ) -> EvalResult {
        let definition = self.definition.clone();
        let Some(compiled) = definition.checked.compiled.predicates.get(&at.start) else {
            return Err(EvalError::new(format!(
                "the predicate `{}` has errors",
                definition.name()
            )));
        };
        let scope = scope_of(given);
        let values = self.sources(&compiled.params, &scope)?;
        let (predicate, definitions) = (compiled.it.clone(), self.globals.lookup());
        let test = move |context: &mut Context<'_>, term: Term| {
            let Ok(args) = rule_args(&values, context) else {
                return false;
            };
            let host = rule::Host::of(&definitions);
            rule::holds(context, &host, &predicate, &args, term).is_ok()
        };
        let predicate = Predicate::Other(label.clone(), Arc::new(test));
        Ok(Value::Strategy(StrategyKind::test(predicate)))
    }

    /// Matches a term against a RISE pattern, and returns the scope extended by its bindings;
    /// `None` if it does not match, or no program is being rewritten.
    pub(super) fn term_matches(
        &mut self,
        id: PatternId,
        term: Term,
        scope: &Scope,
    ) -> Result<Option<Scope>, EvalError> {
        let definition = self.definition.clone();
        let Some(pattern) = definition.checked.compiled.patterns.get(&id) else {
            return Err(EvalError::new("a pattern in this definition has errors"));
        };
        let mut scope = scope.clone();
        let mut term = term;
        for binder in pattern.binders.iter() {
            let Some(context) = self.context.as_mut() else {
                return Ok(None);
            };
            let crate::term::Node::Lambda(local, body) = context.store.node(term) else {
                return Ok(None);
            };
            let variable = context.store.var(local);
            scope = bind_meta(&scope, id, binder, variable);
            term = body;
        }
        match &pattern.rest {
            PatternBody::Name(name) => Ok(Some(bind_meta(&scope, id, name, term))),
            PatternBody::Pattern(compiled) => {
                let values = self.sources(&compiled.params, &scope)?;
                let lookup = self.globals.lookup();
                let Some(context) = self.context.as_mut() else {
                    return Ok(None);
                };
                let args = rule_args(&values, context)?;
                let host = rule::Host::of(&lookup);
                let Ok(found) = rule::matches(context, &host, &compiled.it, &args, term) else {
                    return Ok(None);
                };
                let variables = compiled.it.variables.iter().zip(found);
                Ok(Some(variables.fold(scope, |scope, ((name, kind), arg)| {
                    let value = match (kind, arg) {
                        (VariableKind::Value, RuleArg::Expr(term)) => {
                            Value::Expr(super::Expr::Term(term))
                        }
                        (_, RuleArg::Nat(nat)) => Value::Nat(nat),
                        (_, RuleArg::Type(ty)) => Value::Type(ty),
                        (_, RuleArg::Address(address)) => Value::Address(address),
                        _ => return scope,
                    };
                    value.bound(BinderKey::Meta(id, name.clone()), &scope)
                })))
            }
        }
    }
}

fn bind_meta(scope: &Scope, id: PatternId, name: &syntax::ast::Name, term: Term) -> Scope {
    match name.as_str() {
        "_" => scope.clone(),
        _ => Value::Expr(super::Expr::Term(term)).bound(BinderKey::Meta(id, name.clone()), scope),
    }
}

/// Converts a value that is not an expression to an argument of a rule. Values that terms cannot
/// contain become [`RuleArg::Other`].
pub(super) fn plain_arg(value: &Value) -> RuleArg {
    match value {
        Value::Nat(nat) => RuleArg::Nat(nat.clone()),
        Value::Int(int) => RuleArg::Int(*int),
        Value::Address(address) => RuleArg::Address(*address),
        Value::Type(ty) => RuleArg::Type(ty.clone()),
        _ => RuleArg::Other,
    }
}

impl GlobalEnv {
    /// Returns the function by which rules look up RISE definitions that they unfold.
    pub(super) fn lookup(&self) -> Definitions {
        let mut lookup = self.lookup.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || -> Definitions {
            let own = self.own.clone();
            Arc::new(move |id: GlobalId| own.upgrade()?.definitions().program(id))
        };
        lookup.get_or_insert_with(make).clone()
    }
}
