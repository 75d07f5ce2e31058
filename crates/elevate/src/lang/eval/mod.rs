//! Evaluates expressions of strategies to values.
//!
//! A definition whose value is a strategy is evaluated when it is first applied ([`Step::Delay`]),
//! which allows recursive strategies. All other expressions are evaluated eagerly, with limits on
//! the number of calls and on their depth.

mod calls;
mod choices;
mod expr;
mod matching;
mod native;
mod native_rules;
mod quote;
mod rules;
mod value;
mod world;

#[cfg(test)]
pub(crate) use native::{NATIVE, is_built_in};
pub use value::{Expr, Function, List, Scope, Value};
pub use world::World;
pub(crate) use world::has_errors;

use std::sync::Arc;

use syntax::Span;
use syntax::elevate::ast::ExprId;

use super::definition::Definition;
use crate::engine::{Context, Strategy};
use crate::term::Term;

/// An error during evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// The reason.
    pub message: String,
    /// The definition and the span in it where the error occurred.
    pub at: Option<(syntax::GlobalId, Span)>,
}

impl Trouble {
    pub(crate) fn new(message: impl Into<String>) -> Trouble {
        Trouble {
            message: message.into(),
            at: None,
        }
    }
}

/// The result of an evaluation.
pub type Evaluated = Result<Value, Trouble>;

/// The result of a function that is applied as a strategy.
pub(crate) enum Flow {
    /// A value.
    Value(Value),
    /// A tail call: the result is that of the strategy on the term, which the machine computes.
    Apply(Strategy, Term),
}

/// The maximal depth of calls on the stack of the thread.
const MAX_CALLS: u32 = 400;

/// The evaluator of expressions of one definition.
pub(crate) struct Eval<'e, 'c> {
    pub world: &'e Arc<World>,
    pub definition: Arc<Definition>,
    /// The context of the machine, if a program is being rewritten.
    pub context: Option<&'e mut Context<'c>>,
    pub depth: u32,
}

impl<'e, 'c> Eval<'e, 'c> {
    /// Returns an evaluator without a program.
    pub fn new(world: &'e Arc<World>, definition: Arc<Definition>) -> Self {
        Eval {
            world,
            definition,
            context: None,
            depth: 0,
        }
    }

    /// Evaluates a closed expression of the definition.
    pub fn at(&mut self, expr: ExprId) -> Evaluated {
        self.expr(expr, &Scope::default())
    }

    /// Converts a value to a strategy, if it is one.
    pub fn strategy_value(&self, value: Value) -> Option<Strategy> {
        self.as_strategy(value)
    }

    fn trouble<T>(&self, at: ExprId, message: impl Into<String>) -> Result<T, Trouble> {
        Err(Trouble {
            message: message.into(),
            at: Some((self.definition.id, self.definition.item.expr(at).span)),
        })
    }

    /// Evaluates in another definition, and counts the call.
    fn inside<T>(
        &mut self,
        definition: &Arc<Definition>,
        work: impl FnOnce(&mut Self) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        if self.depth >= MAX_CALLS {
            return Err(Trouble::new(format!(
                "calls nest deeper than {MAX_CALLS}: `{}` calls itself without end, or its list is too long",
                definition.name()
            )));
        }
        self.world.spend()?;
        let outer = std::mem::replace(&mut self.definition, definition.clone());
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        self.definition = outer;
        result
    }
}
