//! Computes normal forms of terms, with memoisation.
//!
//! The definitions in the literature (ICFP 2020, section 4.3) use `normalize(…)`, which searches
//! the next redex from the root each time. Here a normal form is computed from those of the
//! children, and the results are memoised by term, so that after a rewrite only new terms are
//! visited. Both methods return α-equivalent terms, which tests check.

mod beta;
mod expand;
mod fission;
#[cfg(test)]
mod tests;

use crate::term::{Dense, MAX_HEIGHT, Store, Term};

/// The normal forms that are implemented in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormalForm {
    /// βη-normal form: the term contains no β-redex, and no η-redex `fun(x => f(x))`.
    Benf,
    /// Data-flow normal form: the βη-normal form after an η-expansion of the function of each `map`
    /// to one parameter, of the operator of each `reduce` to two parameters, and of each body
    /// `map(f)` or `reduce(op)(init)` of an abstraction, which lacks its input.
    Dfnf,
    /// Rewrite normal form: `Dfnf` in which maps are split: `map(fun(x => f(g(x))))(xs)` is
    /// `map(f)(map(g)(xs))`.
    Rnf,
}

impl NormalForm {
    /// Returns the name of the normal form in strategies.
    pub fn name(self) -> &'static str {
        match self {
            NormalForm::Benf => "BENF",
            NormalForm::Dfnf => "DFNF",
            NormalForm::Rnf => "RNF",
        }
    }
}

/// The memoised normal forms of the terms of one store, each with the number of steps that it took.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    benf: Dense,
    expanded: Dense,
    fissioned: Dense,
    dfnf: Dense,
    rnf: Dense,
}

/// The reason why the computation of a normal form is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalizationError {
    /// The recursion is too deep, or [`Store::is_too_deep`] returns true.
    TooLarge,
    /// The call makes more steps than its limit allows.
    Steps,
}

/// Returns the normal form of a term, and the number of its steps: reductions, η-expansions and
/// splits of maps. A memoised result counts with its steps.
///
/// # Errors
/// A term or type becomes too large or too deep, or this call makes more than `limit` steps itself.
/// The steps of memoised results do not count for the limit.
pub fn normalise(
    store: &mut Store,
    form: NormalForm,
    term: Term,
    memo: &mut Memo,
    limit: u32,
) -> Result<(Term, u32), NormalizationError> {
    let mut normaliser = Normaliser {
        store,
        memo,
        depth: 0,
        done: 0,
        limit,
    };
    match form {
        NormalForm::Benf => normaliser.benf(term),
        NormalForm::Dfnf => normaliser.dfnf(term),
        NormalForm::Rnf => normaliser.rnf(term),
    }
}

struct Normaliser<'a> {
    store: &'a mut Store,
    memo: &'a mut Memo,
    depth: u32,
    done: u32,
    limit: u32,
}

type NormalResult = Result<(Term, u32), NormalizationError>;

impl Normaliser<'_> {
    fn dfnf(&mut self, term: Term) -> NormalResult {
        if let Some(known) = self.memo.dfnf.get(term) {
            return Ok(known);
        }
        let (reduced, first) = self.benf(term)?;
        let (result, second) = self.expanded(reduced)?;
        let all = (result, first.saturating_add(second));
        self.memo.dfnf.insert(term, all);
        Ok(all)
    }

    fn rnf(&mut self, term: Term) -> NormalResult {
        if let Some(known) = self.memo.rnf.get(term) {
            return Ok(known);
        }
        let (flow, first) = self.dfnf(term)?;
        let (result, second) = self.fissioned(flow)?;
        let all = (result, first.saturating_add(second));
        self.memo.rnf.insert(term, all);
        Ok(all)
    }

    /// Counts the entry into a recursive call; fails if the calls nest too deeply or the store [is
    /// too deep](Store::is_too_deep).
    fn enter(&mut self) -> Result<(), NormalizationError> {
        if self.depth > 2 * MAX_HEIGHT || self.store.is_too_deep() {
            return Err(NormalizationError::TooLarge);
        }
        self.depth += 1;
        Ok(())
    }

    /// Counts a step of this call; fails if the steps exceed the limit.
    fn step(&mut self) -> Result<(), NormalizationError> {
        self.done = self.done.saturating_add(1);
        match self.done > self.limit {
            true => Err(NormalizationError::Steps),
            false => Ok(()),
        }
    }
}
