//! Computes βη-normal forms.

use super::{NormalResult, Normaliser, NormalizationError};
use crate::term::{Child, Node, Term, beta, eta};

impl Normaliser<'_> {
    /// Returns the βη-normal form of a term. Arguments are normalised before they are substituted,
    /// so that their copies are normal already.
    pub(super) fn benf(&mut self, term: Term) -> NormalResult {
        if self.store.height(term) == 1 {
            return Ok((term, 0));
        }
        if let Some(known) = self.memo.benf.get(term) {
            return Ok(known);
        }
        self.enter()?;
        let result = self.reduce(term);
        self.depth -= 1;
        let (result, steps) = result?;
        self.memo.benf.insert(term, (result, steps));
        self.memo.benf.insert(result, (result, 0));
        Ok((result, steps))
    }

    fn reduce(&mut self, term: Term) -> NormalResult {
        let mut steps = 0_u32;
        let mut here = term;
        loop {
            let (parts, more) = self.parts(here)?;
            steps = steps.saturating_add(more);
            let Some(next) = beta(self.store, parts) else {
                return self.contract(parts, steps);
            };
            self.step()?;
            if self.store.is_too_deep() {
                return Err(NormalizationError::TooLarge);
            }
            steps = steps.saturating_add(1);
            if let Some((result, more)) = self.memo.benf.get(next) {
                return Ok((result, steps.saturating_add(more)));
            }
            here = next;
        }
    }

    /// Returns the term with its children in βη-normal form, and the number of steps.
    fn parts(&mut self, term: Term) -> NormalResult {
        Ok(match self.store.node(term) {
            Node::Apply(f, x) => {
                let (g, a) = self.benf(f)?;
                let (y, b) = self.benf(x)?;
                match (g, y) == (f, x) {
                    true => (term, 0),
                    false => (self.store.apply(g, y), a.saturating_add(b)),
                }
            }
            Node::DepApply(f, _) | Node::Lambda(_, f) | Node::DepLambda(_, _, _, f) => {
                let (g, steps) = self.benf(f)?;
                let child = match self.store.node(term) {
                    Node::DepApply(..) => Child::Function,
                    _ => Child::Body,
                };
                match g == f {
                    true => (term, 0),
                    false => (self.store.with_child(term, child, g), steps),
                }
            }
            _ => (term, 0),
        })
    }

    /// Contracts a term whose children are normal if it is an η-redex. Returns the result, and the
    /// number of steps including the given ones.
    fn contract(&mut self, term: Term, steps: u32) -> NormalResult {
        match eta(self.store, term) {
            Some(function) => {
                self.step()?;
                Ok((function, steps.saturating_add(1)))
            }
            None => Ok((term, steps)),
        }
    }
}
