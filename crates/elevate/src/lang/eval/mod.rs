//! Expressions of strategies to values.
//!
//! A definition whose value is a strategy is not looked into before it is applied
//! ([`Step::Delay`]): that is what lets strategies use themselves. Everything else is evaluated at
//! once, with a limit on how much and how deeply.

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

/// Evaluation cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// Why.
    pub message: String,
    /// Where, in which definition.
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

/// A value, or why there is none.
pub type Evaluated = Result<Value, Trouble>;

/// What a function gives that is applied as a strategy.
pub(crate) enum Flow {
    /// Its value.
    Value(Value),
    /// The result of a strategy on a term, which the machine finds out.
    Apply(Strategy, Term),
}

/// How deeply calls may nest on the stack of the thread.
const MAX_CALLS: u32 = 400;

/// An evaluation in a definition.
pub(crate) struct Eval<'e, 'c> {
    pub world: &'e Arc<World>,
    pub definition: Arc<Definition>,
    /// The machine, where a program is at hand.
    pub context: Option<&'e mut Context<'c>>,
    pub depth: u32,
}

impl<'e, 'c> Eval<'e, 'c> {
    /// An evaluation without a program.
    pub fn new(world: &'e Arc<World>, definition: Arc<Definition>) -> Self {
        Eval {
            world,
            definition,
            context: None,
            depth: 0,
        }
    }

    /// The value of an expression of the definition, outside of all functions.
    pub fn at(&mut self, expr: ExprId) -> Evaluated {
        self.expr(expr, &Scope::default())
    }

    /// A value as the strategy that it is, if it is one.
    pub fn strategy_value(&self, value: Value) -> Option<Strategy> {
        self.as_strategy(value)
    }

    fn trouble<T>(&self, at: ExprId, message: impl Into<String>) -> Result<T, Trouble> {
        Err(Trouble {
            message: message.into(),
            at: Some((self.definition.id, self.definition.item.expr(at).span)),
        })
    }

    /// Evaluates in another definition.
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
