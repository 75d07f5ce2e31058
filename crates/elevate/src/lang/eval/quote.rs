//! Evaluates quotations: RISE expressions inside strategies.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rise::Primitive;
use syntax::GlobalId;
use syntax::ast::{Literal, Name};
use syntax::elevate::ast::ExprId;

use super::global_env::GlobalEnv;
use super::rules::plain_arg;
use super::{Eval, EvalError, EvalResult, Expr, Scope, Value};
use crate::engine::Context;
use crate::lang::check::{BinderKey, CaptureSource, CompiledQuotation, QuotationParam, Target};
use crate::rule::{self, Host, RuleArg};
use crate::term::{Local, Term};

/// A quotation with its captured values, which becomes a term when a store is available.
pub struct Quoted {
    plan: Arc<CompiledQuotation>,
    args: Box<[Value]>,
    globals: std::sync::Weak<GlobalEnv>,
    term: OnceLock<Term>,
}

/// A RISE variable that a strategy creates. Its type is that of the first term in whose place it is
/// inserted.
#[derive(Debug, Default)]
pub struct Fresh {
    /// The name of the variable.
    pub name: Name,
    /// The variable, once its type is known.
    pub local: OnceLock<Local>,
}

impl fmt::Debug for Quoted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Quoted {
    /// Returns the text of the quotation, in which a name is written for each `fun` that binds a
    /// variable of the strategy.
    pub fn text(&self) -> &str {
        &self.plan.text
    }

    /// Returns the primitive, if the quotation is nothing but its name.
    pub fn primitive(&self) -> Option<Primitive> {
        match self.plan.name? {
            Target::Primitive(primitive) => Some(primitive),
            _ => None,
        }
    }

    /// Returns the definition, if the quotation is nothing but its name.
    pub fn definition(&self) -> Option<GlobalId> {
        match self.plan.name? {
            Target::Program(id) => Some(id),
            _ => None,
        }
    }

    fn globals(&self) -> Result<Arc<GlobalEnv>, EvalError> {
        let gone =
            || EvalError::new("this expression is used after the end of the run that made it");
        self.globals.upgrade().ok_or_else(gone)
    }

    /// Returns the term of the quotation, which is built on the first call.
    pub(super) fn term(&self, context: &mut Context<'_>) -> Result<Term, EvalError> {
        if let Some(term) = self.term.get() {
            return Ok(*term);
        }
        let term = self.make(context)?;
        Ok(*self.term.get_or_init(|| term))
    }

    fn make(&self, context: &mut Context<'_>) -> Result<Term, EvalError> {
        let Some(quotation) = &self.plan.quotation else {
            return Err(EvalError::new(format!(
                "the type of `{}` cannot be inferred here",
                self.text()
            )));
        };
        let globals = self.globals()?;
        let args = rule_args(&self.args, context)?;
        let definitions = globals.lookup();
        rule::instantiate(context, &Host::of(&definitions), quotation, &args).map_err(|_| {
            EvalError::new(format!(
                "the types of `{}` and of the terms that are inserted into it do not agree",
                self.text()
            ))
        })
    }

    /// Returns true if a term matches the quotation as a pattern. If it has no pattern, returns
    /// true if the term and that of the quotation are α-equivalent without their types.
    pub(super) fn is(&self, context: &mut Context<'_>, term: Term) -> Result<bool, EvalError> {
        match &self.plan.matcher {
            Some(matcher) => {
                let globals = self.globals()?;
                let args = rule_args(&self.args, context)?;
                let definitions = globals.lookup();
                Ok(rule::matches(context, &Host::of(&definitions), matcher, &args, term).is_ok())
            }
            None => {
                let own = self.term(context)?;
                Ok(context.store.alpha_eq_untyped(own, term))
            }
        }
    }

    /// Returns the term of the quotation in the place of `term`, whose type it gets. Fails if this
    /// is not possible.
    pub(super) fn in_place(
        &self,
        context: &mut Context<'_>,
        term: Term,
    ) -> Result<Term, EvalError> {
        let Some(rule) = &self.plan.rule else {
            return self.term(context);
        };
        let globals = self.globals()?;
        let args = rule_args(&self.args, context)?;
        let definitions = globals.lookup();
        match rule::apply(context, &Host::of(&definitions), rule, &args, term) {
            Ok(rewritten) => Ok(rewritten.term),
            Err(_) => Err(EvalError::new(format!(
                "`{}` cannot have the type of the term that it replaces",
                self.text()
            ))),
        }
    }
}

/// Converts values to arguments of rules, and builds the terms of those that are RISE expressions.
pub(super) fn rule_args(
    values: &[Value],
    context: &mut Context<'_>,
) -> Result<Vec<RuleArg>, EvalError> {
    values
        .iter()
        .map(|value| {
            Ok(match value {
                Value::Expr(expr) => match expr.open_literal() {
                    Some(literal) => RuleArg::Literal(literal.clone()),
                    None => RuleArg::Expr(term_of(expr, context)?),
                },
                other => plain_arg(other),
            })
        })
        .collect()
}

impl Expr {
    /// Returns the literal, if the expression is a quotation of a number literal whose type is not
    /// determined.
    fn open_literal(&self) -> Option<&Literal> {
        match self {
            Expr::Quoted(quoted) => quoted.plan.quotation.as_ref()?.open_literal(),
            _ => None,
        }
    }
}

pub(super) fn term_of(expr: &Expr, context: &mut Context<'_>) -> Result<Term, EvalError> {
    match expr {
        Expr::Term(term) => Ok(*term),
        Expr::Quoted(quoted) => quoted.term(context),
        Expr::Fresh(fresh) => match fresh.local.get() {
            Some(local) => Ok(context.store.var(*local)),
            None => Err(EvalError::new(format!(
                "the type of the new variable `{}` is not known yet",
                fresh.name
            ))),
        },
    }
}

/// The message where an evaluation without a program needs a term or applies a strategy.
pub(super) const NO_PROGRAM: &str = "a strategy or an expression of RISE is evaluated here, and no program is being rewritten: does a call have an argument too many?";

impl Eval<'_, '_> {
    pub(super) fn term(&mut self, expr: &Expr) -> Result<Term, EvalError> {
        match (expr, self.context.as_mut()) {
            (Expr::Term(term), _) => Ok(*term),
            (_, Some(context)) => term_of(expr, context),
            (_, None) => Err(EvalError::new(NO_PROGRAM)),
        }
    }

    /// Evaluates a RISE expression with its captured values.
    pub(super) fn quoted(&mut self, id: ExprId, scope: &Scope) -> EvalResult {
        let Some(plan) = self.definition.checked.compiled.quotes.get(&id).cloned() else {
            return self.error(id, "this expression of RISE has errors");
        };
        // A quotation that is nothing but the name of a strategy value is that value.
        if let [QuotationParam::Value(source)] = &plan.params[..]
            && let syntax::elevate::ast::ExprKind::Name(_) = self.syntax(id).kind
        {
            return self.source(source, scope);
        }
        self.plan(&plan, scope)
    }

    fn plan(&mut self, plan: &Arc<CompiledQuotation>, scope: &Scope) -> EvalResult {
        let mut args = Vec::with_capacity(plan.params.len());
        for part in plan.params.iter() {
            args.push(match part {
                QuotationParam::Value(source) => self.source(source, scope)?,
                QuotationParam::Function { variable, body } => {
                    self.own_function(variable, body, scope)?
                }
            });
        }
        Ok(Value::Expr(Expr::Quoted(Arc::new(Quoted {
            plan: plan.clone(),
            args: args.into(),
            globals: self.globals.own.clone(),
            term: OnceLock::new(),
        }))))
    }

    /// Returns the value of `fun(x => body)`, where `x` is a variable that the strategy created or
    /// matched.
    fn own_function(
        &mut self,
        variable: &BinderKey,
        body: &Arc<CompiledQuotation>,
        scope: &Scope,
    ) -> EvalResult {
        // A body that is nothing but a captured name is the captured value.
        let body = match (&body.params[..], &*body.text) {
            ([QuotationParam::Value(source)], text) if is_name(text) => {
                self.source(source, scope)?
            }
            _ => self.plan(body, scope)?,
        };
        let variable = match scope.get(variable) {
            Some(Value::Expr(Expr::Fresh(fresh))) => fresh.local.get().copied(),
            Some(Value::Expr(expr)) => {
                let expr = expr.clone();
                let term = self.term(&expr)?;
                let context = self.context.as_ref();
                context.and_then(|context| match context.store.node(term) {
                    crate::term::Node::Var(local) => Some(local),
                    _ => None,
                })
            }
            _ => None,
        };
        let Some(local) = variable else {
            return Err(EvalError::new(
                "`fun` must bind a variable whose type is known here",
            ));
        };
        let Value::Expr(body) = body else {
            return Err(EvalError::new(
                "expected an expression of RISE, found another value",
            ));
        };
        let body = self.term(&body)?;
        let Some(context) = self.context.as_mut() else {
            return Err(EvalError::new(NO_PROGRAM));
        };
        Ok(Value::Expr(Expr::Term(context.store.lambda(local, body))))
    }

    /// Returns the value of a captured name.
    pub(super) fn source(&mut self, source: &CaptureSource, scope: &Scope) -> EvalResult {
        match source {
            CaptureSource::Local(key) => match scope.get(key) {
                Some(value) => Ok(value.clone()),
                None => Err(EvalError::new("a name that is used here has no value")),
            },
            CaptureSource::Item(id) => self.globals.clone().value(*id),
        }
    }

    pub(super) fn sources(
        &mut self,
        sources: &[CaptureSource],
        scope: &Scope,
    ) -> Result<Vec<Value>, EvalError> {
        sources
            .iter()
            .map(|source| self.source(source, scope))
            .collect()
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_alphabetic())
        && chars.all(|char| char.is_alphanumeric() || char == '_')
}

/// Extends a scope by the RISE variables that the definition creates and the scope does not contain
/// yet. There are new ones for each program to which the definition is applied.
pub(super) fn with_fresh(scope: &Scope, names: &[Name]) -> Scope {
    names.iter().fold(scope.clone(), |scope, name| {
        let key = BinderKey::Fresh(name.clone());
        match scope.get(&key) {
            Some(_) => scope,
            None => {
                let fresh = Fresh {
                    name: name.clone(),
                    local: OnceLock::new(),
                };
                scope.with(key, Value::Expr(Expr::Fresh(Arc::new(fresh))))
            }
        }
    })
}
