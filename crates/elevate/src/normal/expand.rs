//! Computes data-flow normal forms from βη-normal ones.

use rise::Primitive;

use super::{NormalResult, Normaliser};
use crate::term::{Node, Term, eta_abstraction};

impl Normaliser<'_> {
    /// Returns the data-flow normal form of a βη-normal term.
    pub(super) fn expanded(&mut self, term: Term) -> NormalResult {
        if self.store.height(term) == 1 {
            return Ok((term, 0));
        }
        if let Some(known) = self.memo.expanded.get(term) {
            return Ok(known);
        }
        self.enter()?;
        let result = self.expand(term);
        self.depth -= 1;
        let result = result?;
        self.memo.expanded.insert(term, result);
        Ok(result)
    }

    fn expand(&mut self, term: Term) -> NormalResult {
        Ok(match self.store.node(term) {
            Node::Apply(f, x) => {
                let (function, a) = self.expanded(f)?;
                let (argument, b) = self.expanded(x)?;
                let wanted = match self.store.node(f) {
                    Node::Primitive(Primitive::Map, _) => 1,
                    Node::Primitive(Primitive::Reduce, _) => 2,
                    _ => 0,
                };
                let (argument, c) = self.with_params(argument, wanted)?;
                let steps = a.saturating_add(b).saturating_add(c);
                (self.store.apply(function, argument), steps)
            }
            Node::Lambda(local, body) => {
                let (body, steps) = self.with_input(body)?;
                (self.store.lambda(local, body), steps)
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let (body, steps) = self.with_input(body)?;
                (self.store.dep_lambda(var, kind, implicit, body), steps)
            }
            Node::DepApply(f, arg) => {
                let (f, steps) = self.with_input(f)?;
                (self.store.dep_apply(f, arg), steps)
            }
            _ => (term, 0),
        })
    }

    /// η-expands `f` to the given number of parameters, as far as its type allows.
    fn with_params(&mut self, f: Term, wanted: u32) -> NormalResult {
        if wanted == 0 {
            return Ok((f, 0));
        }
        let (local, body, steps) = match self.store.node(f) {
            Node::Lambda(local, body) => (local, body, 0),
            _ => match self.abstracted(f)? {
                Some(function) => match self.store.node(function) {
                    Node::Lambda(local, body) => (local, body, 1),
                    _ => return Ok((f, 0)),
                },
                None => return Ok((f, 0)),
            },
        };
        let (body, more) = self.with_params(body, wanted - 1)?;
        Ok((self.store.lambda(local, body), steps + more))
    }

    /// Returns the data-flow normal form of the body of an abstraction, or of the function of a
    /// type-level application. If the result [lacks its input](Self::lacks_input) and is a function
    /// of values, it is η-expanded.
    fn with_input(&mut self, body: Term) -> NormalResult {
        let (body, steps) = self.expanded(body)?;
        if self.lacks_input(body)
            && let Some(function) = self.abstracted(body)?
        {
            return Ok((function, steps.saturating_add(1)));
        }
        Ok((body, steps))
    }

    fn abstracted(&mut self, f: Term) -> Result<Option<Term>, super::NormalizationError> {
        let function = eta_abstraction(self.store, f);
        if function.is_some() {
            self.step()?;
        }
        Ok(function)
    }

    /// Returns true for `map(f)`, and for a term with a child `reduce(op)`, such as
    /// `reduce(op)(init)`.
    fn lacks_input(&self, term: Term) -> bool {
        let applies = |term: Term, primitive: Primitive| match self.store.node(term) {
            Node::Apply(f, _) => {
                matches!(self.store.node(f), Node::Primitive(p, _) if p == primitive)
            }
            _ => false,
        };
        let mut parts = self.store.children(term);
        applies(term, Primitive::Map) || parts.any(|(_, part)| applies(part, Primitive::Reduce))
    }
}
