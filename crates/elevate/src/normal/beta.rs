//! The βη-normal form.

use super::{Gaveup, Normal, Normaliser};
use crate::engine::{beta, eta};
use crate::term::{Node, Term};

impl Normaliser<'_> {
    /// The βη-normal form: arguments first, so that what is put in several places is normal
    /// there.
    pub(super) fn benf(&mut self, term: Term) -> Normal {
        if self.store.height(term) == 1 {
            return Ok((term, 0));
        }
        if let Some(&known) = self.memo.benf.get(&term) {
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

    fn reduce(&mut self, term: Term) -> Normal {
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
                return Err(Gaveup::TooLarge);
            }
            steps = steps.saturating_add(1);
            if let Some(&(result, more)) = self.memo.benf.get(&next) {
                return Ok((result, steps.saturating_add(more)));
            }
            here = next;
        }
    }

    /// The term with normal parts.
    fn parts(&mut self, term: Term) -> Normal {
        Ok(match self.store.node(term) {
            Node::Apply(f, x) => {
                let (f, a) = self.benf(f)?;
                let (x, b) = self.benf(x)?;
                (self.store.apply(f, x), a.saturating_add(b))
            }
            Node::DepApply(f, arg) => {
                let (f, steps) = self.benf(f)?;
                (self.store.dep_apply(f, arg), steps)
            }
            Node::Lambda(local, body) => {
                let (body, steps) = self.benf(body)?;
                (self.store.lambda(local, body), steps)
            }
            Node::DepLambda(var, kind, implicit, body) => {
                let (body, steps) = self.benf(body)?;
                (self.store.dep_lambda(var, kind, implicit, body), steps)
            }
            _ => (term, 0),
        })
    }

    /// A function that only passes its parameter on is that function; its parts are normal.
    fn contract(&mut self, term: Term, steps: u32) -> Normal {
        match eta(self.store, term) {
            Some(function) => {
                self.step()?;
                Ok((function, steps.saturating_add(1)))
            }
            None => Ok((term, steps)),
        }
    }
}
