//! Evaluates expressions of the language to values.
//!
//! The body of a definition whose value is a strategy is evaluated when the strategy is first
//! needed in a run ([`StrategyKind::Delay`](crate::engine::StrategyKind::Delay)), unless it is a
//! function or a rule. This allows recursive strategies. All other expressions are evaluated
//! eagerly, with limits on the number of calls and on their depth.

mod calls;
mod expr;
mod global_env;
mod implementation_choices;
mod matching;
mod native;
mod native_rules;
mod quote;
mod rules;
mod value;

pub use global_env::GlobalEnv;
pub(crate) use global_env::has_errors;
#[cfg(test)]
pub(crate) use native::{NATIVES, is_built_in};
pub use value::{Expr, Function, List, Scope, Value};

use std::sync::Arc;

use syntax::Span;
use syntax::elevate::ast::ExprId;

use super::definition::Definition;
use crate::engine::{Context, Strategy};
use crate::term::Term;

/// An error during evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError {
    /// The reason.
    pub message: String,
    /// The definition and the span in it where the error occurred, if they are known.
    pub at: Option<(syntax::GlobalId, Span)>,
}

impl EvalError {
    pub(crate) fn new(message: impl Into<String>) -> EvalError {
        EvalError {
            message: message.into(),
            at: None,
        }
    }
}

/// The result of an evaluation.
pub type EvalResult = Result<Value, EvalError>;

/// The result of an expression that is evaluated in tail position.
pub(crate) enum ValueOrTailCall {
    Value(Value),
    /// A tail call: the result is that of the strategy on the term, to which the caller applies it.
    Apply(Strategy, Term),
}

/// The maximal depth of calls of definitions and functions on the stack of the thread in one
/// evaluation.
const MAX_CALL_DEPTH: u32 = 400;

/// The evaluator of expressions of one definition.
pub(crate) struct Eval<'e, 'c> {
    pub globals: &'e Arc<GlobalEnv>,
    pub definition: Arc<Definition>,
    /// The context of the machine, if a program is being rewritten.
    pub context: Option<&'e mut Context<'c>>,
    pub depth: u32,
}

impl<'e, 'c> Eval<'e, 'c> {
    /// Returns an evaluator without a program.
    pub fn new(globals: &'e Arc<GlobalEnv>, definition: Arc<Definition>) -> Self {
        Eval {
            globals,
            definition,
            context: None,
            depth: 0,
        }
    }

    /// Evaluates an expression of the definition that uses no parameters or other local names.
    pub fn at(&mut self, expr: ExprId) -> EvalResult {
        self.expr(expr, &Scope::default())
    }

    /// Converts a strategy or a function to a strategy; `None` for other values.
    pub fn strategy_value(&self, value: Value) -> Option<Strategy> {
        self.as_strategy(value)
    }

    fn error<T>(&self, at: ExprId, message: impl Into<String>) -> Result<T, EvalError> {
        Err(EvalError {
            message: message.into(),
            at: Some((self.definition.id, self.definition.item.expr(at).span)),
        })
    }

    /// Runs `work` in another definition, and counts the call. Fails if calls nest too deeply or
    /// there are too many.
    fn inside<T>(
        &mut self,
        definition: &Arc<Definition>,
        work: impl FnOnce(&mut Self) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        if self.depth >= MAX_CALL_DEPTH {
            return Err(EvalError::new(format!(
                "calls nest deeper than {MAX_CALL_DEPTH}: `{}` calls itself without end, or its list is too long",
                definition.name()
            )));
        }
        self.globals.spend()?;
        let outer = std::mem::replace(&mut self.definition, definition.clone());
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        self.definition = outer;
        result
    }
}
