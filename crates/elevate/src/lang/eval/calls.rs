//! Evaluates calls, and the values of definitions.

use std::sync::Arc;

use syntax::ast::Name;
use syntax::elevate::ast::{Arg, ExprId, ExprKind, ItemKind, ParamId, ParamList, PredBody};

use super::global_env::GlobalEnv;
use super::quote::with_fresh;
use super::{Eval, EvalError, EvalResult, Expr, Function, Scope, Value, ValueOrTailCall};
use crate::engine::{CallResult, Context, Reason, Strategy, StrategyKind};
use crate::lang::check::{BinderKey, DefinitionKind};
use crate::lang::definition::Definition;
use crate::lang::types::Type;
use crate::term::Term;

/// The arguments of a call, each with the name of its parameter if the call states it.
pub type CallArgs = Vec<(Option<Name>, Value)>;

impl Eval<'_, '_> {
    pub(super) fn call(
        &mut self,
        callee: ExprId,
        args: &[Arg],
        scope: &Scope,
        tail: bool,
    ) -> Result<ValueOrTailCall, EvalError> {
        let function = self.expr(callee, scope)?;
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            let name = arg.name.as_ref().map(|name| name.name.clone());
            given.push((name, self.expr(arg.value, scope)?));
        }
        if tail
            && let (Some(strategy), [(None, Value::Expr(program))]) =
                (strategy_of(&function), &given[..])
        {
            let term = self.term(program)?;
            return Ok(ValueOrTailCall::Apply(strategy, term));
        }
        self.apply_function(function, given)
            .map(ValueOrTailCall::Value)
    }

    /// Applies a function to arguments, one parameter list after the other. The optional parameters
    /// of a list take their defaults once all required ones have arguments; `args` may be empty for
    /// this.
    pub fn apply_function(&mut self, function: Value, args: CallArgs) -> EvalResult {
        let mut function = function;
        let mut args = args.into_iter().peekable();
        let mut first = true;
        while first || args.peek().is_some() {
            first = false;
            function = match function {
                Value::Function(shared) => match &*shared {
                    Function::Item {
                        definition,
                        given,
                        list,
                    } => {
                        let lists = lists(definition);
                        let Some(params) = lists.get(*list) else {
                            return Err(EvalError::new("too many arguments"));
                        };
                        let given = self.fill(definition, params, given.clone(), &mut args)?;
                        self.item(definition, given, *list)?
                    }
                    Function::Lambda { given, params, .. } => match args.next() {
                        Some((_, value)) => self.lambda_given(&shared, *given, params, value)?,
                        None => Value::Function(shared),
                    },
                    Function::Strategy(strategy) => {
                        let strategy = strategy.clone();
                        self.strategy_given(strategy, args.next().map(|(_, value)| value))?
                    }
                },
                Value::Strategy(strategy) => {
                    self.strategy_given(strategy, args.next().map(|(_, value)| value))?
                }
                other if args.peek().is_none() => other,
                _ => {
                    return Err(EvalError::new(
                        "a value that is no function is given arguments",
                    ));
                }
            };
        }
        Ok(function)
    }

    fn strategy_given(&mut self, strategy: Strategy, arg: Option<Value>) -> EvalResult {
        match arg {
            None => Ok(Value::Strategy(strategy)),
            Some(Value::Expr(program)) => {
                let term = self.term(&program)?;
                self.applied(&strategy, term)
            }
            Some(_) => Err(EvalError::new(
                "a strategy can be applied to a program only",
            )),
        }
    }

    /// Applies a strategy to a term, and returns the result as a value. Fails if no program is
    /// being rewritten.
    pub(super) fn applied(&mut self, strategy: &Strategy, term: Term) -> EvalResult {
        let Some(context) = self.context.as_mut() else {
            return Err(EvalError::new(
                "a strategy is applied here, and no program is being rewritten",
            ));
        };
        Ok(Value::Result(match context.run(strategy, term) {
            Ok(term) => Ok(Expr::Term(term)),
            Err(_) => Err(strategy.clone()),
        }))
    }

    fn lambda_given(
        &mut self,
        function: &Function,
        given: usize,
        params: &Arc<[ParamId]>,
        value: Value,
    ) -> EvalResult {
        let Function::Lambda {
            definition,
            body,
            scope,
            ..
        } = function
        else {
            return Err(EvalError::new(
                "a value that is no function is given arguments",
            ));
        };
        let Some(&param) = params.get(given) else {
            return Err(EvalError::new("too many arguments"));
        };
        let scope = scope.with(BinderKey::Param(param), value);
        if given + 1 < params.len() {
            return Ok(Value::Function(Arc::new(Function::Lambda {
                definition: definition.clone(),
                params: params.clone(),
                body: *body,
                scope,
                given: given + 1,
            })));
        }
        let body = *body;
        self.inside(definition, |eval| eval.expr(body, &scope))
    }

    /// Adds arguments to those of a list of parameters, as many as it takes. If all parameters
    /// without an argument have defaults, adds these.
    fn fill(
        &mut self,
        definition: &Arc<Definition>,
        params: &ParamList,
        mut given: Vec<(ParamId, Value)>,
        args: &mut std::iter::Peekable<std::vec::IntoIter<(Option<Name>, Value)>>,
    ) -> Result<Vec<(ParamId, Value)>, EvalError> {
        let mut taken = 0;
        while args.peek().is_some() && taken < params.params.len() {
            let is_given = |id: &ParamId| given.iter().any(|(known, _)| known == id);
            let Some((name, _)) = args.peek() else { break };
            let param = match name {
                Some(name) => {
                    let named = |id: &&ParamId| definition.item.param(**id).name == *name;
                    params.params.iter().find(named)
                }
                None => params.params.iter().find(|id| !is_given(id)),
            };
            let Some(&param) = param else { break };
            let Some((_, value)) = args.next() else { break };
            given.push((param, value));
            taken += 1;
        }
        // The remaining parameters take their defaults if all of them have one; otherwise the
        // application is partial.
        let missing: Vec<ParamId> = params
            .params
            .iter()
            .copied()
            .filter(|id| !given.iter().any(|(known, _)| known == id))
            .collect();
        let defaults: Option<Vec<ExprId>> = missing
            .iter()
            .map(|&id| definition.item.param(id).default)
            .collect();
        if let Some(defaults) = defaults {
            for (param, default) in missing.into_iter().zip(defaults) {
                let scope = scope_of(&given);
                let value = self.inside(definition, |eval| eval.expr(default, &scope))?;
                given.push((param, value));
            }
        }
        Ok(given)
    }

    /// Returns the value of a definition with these arguments if all parameter lists are complete,
    /// else a partial application.
    fn item(
        &mut self,
        definition: &Arc<Definition>,
        given: Vec<(ParamId, Value)>,
        list: usize,
    ) -> EvalResult {
        let lists = lists(definition);
        let is_full = |list: &ParamList| {
            let known = |id: &ParamId| given.iter().any(|(given, _)| given == id);
            list.params.iter().all(known)
        };
        let full = lists.get(list).is_none_or(|list| is_full(list));
        let list = if full { list + 1 } else { list };
        if list < lists.len() {
            return Ok(Value::Function(Arc::new(Function::Item {
                definition: definition.clone(),
                given,
                list,
            })));
        }
        self.inside(definition, |eval| eval.body(given))
    }

    /// Returns the value of the current definition before it is applied to arguments.
    pub fn definition_value(&mut self) -> EvalResult {
        let definition = self.definition.clone();
        match lists(&definition).is_empty() {
            true => self.inside(&definition, |eval| eval.body(Vec::new())),
            false => Ok(Value::Function(Arc::new(Function::Item {
                definition,
                given: Vec::new(),
                list: 0,
            }))),
        }
    }

    /// Returns the value of the current definition, applied to arguments for all of its parameters.
    fn body(&mut self, given: Vec<(ParamId, Value)>) -> EvalResult {
        let definition = self.definition.clone();
        if let Some(native) = self.native(&definition, &given)? {
            return Ok(native);
        }
        let label = self.label(&definition, &given);
        let body = match &definition.item.kind {
            ItemKind::Rule { .. } => return self.named_rule(&label, &given),
            ItemKind::Pred { body, .. } => match body {
                PredBody::Patterns(patterns) => {
                    let span = definition.item.term(patterns[0]).span;
                    return self.predicate(&label, span, &given);
                }
                PredBody::Strategy(body) => *body,
            },
            ItemKind::Strategy { body, .. }
            | ItemKind::Val { body, .. }
            | ItemKind::NormalForm { body, .. } => *body,
            ItemKind::Tune {
                value: Some(value), ..
            } => *value,
            ItemKind::Main { expr } => *expr,
            ItemKind::Example { apply, .. } => *apply,
            _ => return Err(EvalError::new("this definition has no value")),
        };
        let scope = scope_of(&given);
        let is_function = matches!(definition.item.expr(body).kind, ExprKind::Lambda { .. });
        let (_, result) = definition.checked.signature.scheme.lists();
        match &*result {
            Type::Strategy(_) if !is_function => {
                let strategy = self.delayed(&definition, body, scope);
                Ok(Value::Strategy(named(&definition, &label, strategy)))
            }
            Type::Strategy(_) => {
                let value = self.expr(body, &scope)?;
                match self.as_strategy_named(value, &label) {
                    Some(strategy) => Ok(Value::Strategy(named(&definition, &label, strategy))),
                    None => self.error(body, "this is not a strategy"),
                }
            }
            _ => self.expr(body, &scope),
        }
    }

    /// Returns a strategy that evaluates the body of a definition when a run first needs it.
    fn delayed(&self, definition: &Arc<Definition>, body: ExprId, scope: Scope) -> Strategy {
        let (definition, globals) = (definition.clone(), self.globals.own.clone());
        Arc::new(StrategyKind::Delay(Arc::new(move || {
            let Some(globals) = globals.upgrade() else {
                return failing_strategy(
                    "this strategy is applied after the end of the run that made it",
                );
            };
            let mut eval = Eval::new(&globals, definition.clone());
            match eval.strategy(body, &scope) {
                Ok(strategy) => strategy,
                Err(trouble) => failing_strategy(&globals.explain(&trouble)),
            }
        })))
    }

    /// Returns the text of a definition with its arguments, such as `tile(32, 32)`.
    fn label(&self, definition: &Definition, given: &[(ParamId, Value)]) -> Arc<str> {
        let mut label = definition.name().to_string();
        for list in lists(definition) {
            let value = |id: &ParamId| given.iter().find(|(known, _)| known == id);
            let texts: Vec<String> = list
                .params
                .iter()
                .filter_map(value)
                .map(|(_, value)| value.text(&|var| self.globals.name_of(var)))
                .collect();
            label.push('(');
            label.push_str(&texts.join(", "));
            label.push(')');
        }
        label.into()
    }

    /// Converts a strategy or a function to a strategy; `None` for other values.
    pub fn as_strategy(&self, value: Value) -> Option<Strategy> {
        self.as_strategy_named(value, &"function".into())
    }

    fn as_strategy_named(&self, value: Value, label: &Arc<str>) -> Option<Strategy> {
        match value {
            Value::Strategy(strategy) => Some(strategy),
            Value::Function(function) => match &*function {
                Function::Strategy(strategy) => Some(strategy.clone()),
                _ => {
                    let globals = self.globals.own.clone();
                    let apply = move |context: &mut Context<'_>, term| match globals.upgrade() {
                        Some(globals) => apply(&globals, &function, context, term),
                        None => CallResult::Done(Err(Reason::Message(
                            "this strategy is applied after the end of the run that made it".into(),
                        ))),
                    };
                    Some(Arc::new(StrategyKind::Call(label.clone(), Arc::new(apply))))
                }
            },
            _ => None,
        }
    }
}

/// Applies a function from programs to results to a program.
fn apply(
    globals: &Arc<GlobalEnv>,
    function: &Function,
    context: &mut Context<'_>,
    term: Term,
) -> CallResult {
    let (definition, tail) = match function {
        Function::Lambda {
            definition,
            params,
            body,
            scope,
            given,
        } if given + 1 == params.len() => {
            let fresh = &definition.checked.compiled.fresh;
            let scope = with_fresh(scope, fresh).with(
                BinderKey::Param(params[*given]),
                Value::Expr(Expr::Term(term)),
            );
            (definition, Some((*body, scope)))
        }
        Function::Lambda { definition, .. } | Function::Item { definition, .. } => {
            (definition, None)
        }
        Function::Strategy(strategy) => return CallResult::Apply(strategy.clone(), term),
    };
    let mut eval = Eval {
        globals,
        definition: definition.clone(),
        context: Some(context),
        depth: 0,
    };
    let flow = match (globals.spend(), tail) {
        (Err(trouble), _) => Err(trouble),
        (_, Some((body, scope))) => eval.flow(body, &scope, true),
        (_, None) => {
            let program = Value::Expr(Expr::Term(term));
            let function = Value::Function(Arc::new(function.clone()));
            eval.apply_function(function, vec![(None, program)])
                .map(ValueOrTailCall::Value)
        }
    };
    match flow {
        Ok(ValueOrTailCall::Apply(strategy, term)) => CallResult::Apply(strategy, term),
        Ok(ValueOrTailCall::Value(Value::Result(Ok(program)))) => match eval.term(&program) {
            Ok(term) => CallResult::Done(Ok(term)),
            Err(trouble) => failed(globals, &trouble),
        },
        // The failure of the strategy itself is recorded by the machine.
        Ok(ValueOrTailCall::Value(Value::Result(Err(strategy)))) => {
            let text = Value::Strategy(strategy).text(&|var| globals.name_of(var));
            CallResult::Done(Err(Reason::Message(format!("`{text}` fails"))))
        }
        Ok(ValueOrTailCall::Value(_)) => failed(
            globals,
            &EvalError::new(
                "the function must return the result of a strategy, and it returns another value",
            ),
        ),
        Err(trouble) => failed(globals, &trouble),
    }
}

fn failed(globals: &GlobalEnv, trouble: &EvalError) -> CallResult {
    CallResult::Done(Err(Reason::Message(globals.explain(trouble))))
}

pub(super) fn failing_strategy(message: &str) -> Strategy {
    let message = message.to_owned();
    let fail =
        move |_: &mut Context<'_>, _| CallResult::Done(Err(Reason::Message(message.clone())));
    Arc::new(StrategyKind::Call("failure".into(), Arc::new(fail)))
}

/// Returns the parameter lists of a definition that are not empty.
pub(super) fn lists(definition: &Definition) -> Vec<&ParamList> {
    let lists = definition.item.param_lists().iter();
    lists.filter(|list| !list.params.is_empty()).collect()
}

pub(super) fn scope_of(given: &[(ParamId, Value)]) -> Scope {
    given.iter().fold(Scope::default(), |scope, (id, value)| {
        scope.with(BinderKey::Param(*id), value.clone())
    })
}

/// Returns a strategy under the name of its definition, if it has one. The steps of the strategy of
/// a normal form are counted apart.
fn named(definition: &Definition, label: &Arc<str>, strategy: Strategy) -> Strategy {
    Arc::new(match definition.checked.signature.sort {
        DefinitionKind::NormalForm => StrategyKind::Housekeeping(label.clone(), strategy),
        _ if definition.name().is_empty() => return strategy,
        _ => StrategyKind::Named(label.clone(), strategy),
    })
}

fn strategy_of(value: &Value) -> Option<Strategy> {
    match value {
        Value::Strategy(strategy) => Some(strategy.clone()),
        Value::Function(function) => match &**function {
            Function::Strategy(strategy) => Some(strategy.clone()),
            _ => None,
        },
        _ => None,
    }
}
