//! Evaluates rules and predicates with their arguments to strategies.

use std::sync::{Arc, OnceLock, PoisonError};

use syntax::elevate::ast::{Alt, ExprId, ParamId, PatternId};
use syntax::{GlobalId, Span};

use super::calls::scope_of;
use super::quote::rule_args;
use super::world::World;
use super::{Eval, Evaluated, Scope, Trouble, Value};
use crate::engine::{Context, Miss, Predicate, Reach, Reason, Rewrite, Rewritten, Step, Strategy};
use crate::lang::check::{Compiled1, Key, Rest};
use crate::rule::{self, Applied, Definitions, RuleArg, Test, VariableKind};
use crate::term::{Heads, Term};

/// A rule whose arguments are quotations, which become terms when the rule is first applied.
struct Late {
    rule: Arc<rule::Rule>,
    values: Box<[Value]>,
    shown: String,
    text: Arc<str>,
    tests: Vec<Test>,
    definitions: Definitions,
    ready: OnceLock<Result<Applied, Trouble>>,
}

impl std::fmt::Debug for Late {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.rule.name, self.shown)
    }
}

impl Late {
    fn ready(&self, context: &mut Context<'_>) -> &Result<Applied, Trouble> {
        if self.ready.get().is_none() {
            let made = self.make(context);
            let _ = self.ready.set(made);
        }
        // `ready` is set above, so the closure is not called.
        self.ready
            .get_or_init(|| Err(Trouble::new("the rule has no arguments")))
    }

    fn make(&self, context: &mut Context<'_>) -> Result<Applied, Trouble> {
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

impl Rewrite for Late {
    fn name(&self) -> &str {
        self.rule.shown_name()
    }

    fn args(&self) -> &str {
        &self.shown
    }

    fn apply(&self, context: &mut Context<'_>, term: Term) -> Result<Rewritten, Miss> {
        match self.ready(context) {
            Ok(applied) => applied.apply(context, term),
            Err(_) => Err(Miss::FAR),
        }
    }

    fn explain(&self, context: &mut Context<'_>, term: Term) -> Reason {
        match self.ready(context) {
            Ok(applied) => applied.explain(context, term),
            Err(trouble) => Reason::Said(trouble.message.clone()),
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
    pub(super) fn named_rule(&mut self, label: &Arc<str>, given: &[(ParamId, Value)]) -> Evaluated {
        let definition = self.definition.clone();
        let rules = &definition.checked.compiled.rules;
        let Some(compiled) = rules.values().next() else {
            return Err(Trouble::new(format!(
                "the rule `{}` has errors",
                definition.name()
            )));
        };
        let scope = scope_of(given);
        let shown = label.strip_prefix(&*definition.name()).unwrap_or_default();
        self.rule(compiled, shown, &scope).map(Value::Strategy)
    }

    /// Returns the strategy of an inline rule, `rule { … }`.
    pub(super) fn inline_rule(&mut self, alts: &[Alt], scope: &Scope) -> Result<Strategy, Trouble> {
        let definition = self.definition.clone();
        let at = alts.first().map_or(0, |alt| alt.span.start);
        match definition.checked.compiled.rules.get(&at) {
            Some(compiled) => self.rule(compiled, "", scope),
            None => Err(Trouble::new("a rule that is written here has errors")),
        }
    }

    fn rule(
        &mut self,
        compiled: &Compiled1<rule::Rule>,
        shown: &str,
        scope: &Scope,
    ) -> Result<Strategy, Trouble> {
        let values = self.sources(&compiled.params, scope)?;
        let mut tests = Vec::new();
        for &strategy in &compiled.it.holds {
            tests.push(self.test(strategy, scope)?);
        }
        let (rule, text) = (compiled.it.clone(), self.definition.text.clone());
        let (shown, definitions) = (shown.to_owned(), self.world.lookup());
        let late = values.iter().any(|value| matches!(value, Value::Expr(_)));
        if late {
            return Ok(Step::rule(Late {
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
        Ok(Step::rule(applied))
    }

    /// Returns the test of a condition `holds(s, x)`.
    fn test(&mut self, strategy: ExprId, scope: &Scope) -> Result<Test, Trouble> {
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
    ) -> Evaluated {
        let definition = self.definition.clone();
        let Some(compiled) = definition.checked.compiled.predicates.get(&at.start) else {
            return Err(Trouble::new(format!(
                "the predicate `{}` has errors",
                definition.name()
            )));
        };
        let scope = scope_of(given);
        let values = self.sources(&compiled.params, &scope)?;
        let (predicate, definitions) = (compiled.it.clone(), self.world.lookup());
        let test = move |context: &mut Context<'_>, term: Term| {
            let Ok(args) = rule_args(&values, context) else {
                return false;
            };
            let host = rule::Host {
                tests: &[],
                definitions: &definitions,
            };
            rule::holds(context, &host, &predicate, &args, term).is_ok()
        };
        let predicate = Predicate::Other(label.clone(), Arc::new(test));
        Ok(Value::Strategy(Step::test(predicate)))
    }

    /// Matches a term against a RISE pattern, and returns the scope extended by its bindings.
    pub(super) fn term_matches(
        &mut self,
        id: PatternId,
        term: Term,
        scope: &Scope,
    ) -> Result<Option<Scope>, Trouble> {
        let definition = self.definition.clone();
        let Some(pattern) = definition.checked.compiled.patterns.get(&id) else {
            return Err(Trouble::new("a pattern that is written here has errors"));
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
            Rest::Name(name) => Ok(Some(bind_meta(&scope, id, name, term))),
            Rest::Pattern(compiled) => {
                let values = self.sources(&compiled.params, &scope)?;
                let lookup = self.world.lookup();
                let Some(context) = self.context.as_mut() else {
                    return Ok(None);
                };
                let args = rule_args(&values, context)?;
                let host = rule::Host {
                    tests: &[],
                    definitions: &lookup,
                };
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
                    value.bound(Key::Meta(id, name.clone()), &scope)
                })))
            }
        }
    }
}

fn bind_meta(scope: &Scope, id: PatternId, name: &syntax::ast::Name, term: Term) -> Scope {
    match name.as_str() {
        "_" => scope.clone(),
        _ => Value::Expr(super::Expr::Term(term)).bound(Key::Meta(id, name.clone()), scope),
    }
}

/// Converts a value that needs no store to an argument of a rule.
fn plain_arg(value: &Value) -> RuleArg {
    match value {
        Value::Nat(nat) => RuleArg::Nat(nat.clone()),
        Value::Int(int) => RuleArg::Int(*int),
        Value::Address(address) => RuleArg::Address(*address),
        Value::Type(ty) => RuleArg::Type(ty.clone()),
        _ => RuleArg::Other,
    }
}

/// The owner of the definitions to which a [`rule::Host`] refers.
pub(super) struct Asked {
    definitions: Definitions,
}

impl Asked {
    pub(super) fn host(&self) -> rule::Host<'_> {
        rule::Host {
            tests: &[],
            definitions: &self.definitions,
        }
    }
}

impl World {
    /// Returns a function from numbers to RISE definitions, for rules that unfold them.
    pub(super) fn lookup(&self) -> Definitions {
        let mut lookup = self.lookup.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || -> Definitions {
            let own = self.own.clone();
            Arc::new(move |id: GlobalId| own.upgrade()?.definitions().program(id))
        };
        lookup.get_or_insert_with(make).clone()
    }

    pub(super) fn host(&self) -> Asked {
        Asked {
            definitions: self.lookup(),
        }
    }
}
