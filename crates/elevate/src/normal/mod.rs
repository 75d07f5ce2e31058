//! Computes normal forms of terms, with memoisation.
//!
//! The definitions in the literature use `normalize(…)`, which searches the next redex from the
//! root each time. Here each normal form is computed in one bottom-up pass, and the results are
//! memoised, so that after a rewrite only new terms are visited. Both methods return α-equivalent
//! terms, which tests check. (ICFP 2020, section 4.3.)

mod beta;
mod expand;
mod fission;
#[cfg(test)]
mod tests;

use crate::term::{Dense, MAX_HEIGHT, Store, Term};

/// The normal forms that are implemented in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormalForm {
    /// βη-normal form: the term contains no β-redex and no η-redex.
    Benf,
    /// Data-flow normal form: a βη-normal form in which the function of a `map` and the operator of
    /// a `reduce` are η-expanded to their last parameter, and functions whose result is a `map` or
    /// `reduce` without its input are η-expanded, too.
    Dfnf,
    /// Rewrite normal form: `Dfnf` in which maps are split: `map(f ∘ g)` is `map(f) ∘ map(g)`.
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

/// The memoised normal forms of terms, each with the number of steps that it took.
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
    /// The term is too large or too deep.
    TooLarge,
    /// The computation takes more steps than the limit allows.
    Steps,
}

/// Returns the normal form of a term, and the number of steps that it takes, in which a memoised
/// result counts with its steps.
///
/// # Errors
/// The term becomes too large, or this call makes more than `limit` steps itself. Memoised results
/// do not count for the limit.
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

    /// Counts the entry into a recursive call; fails if the calls or the term are too deep.
    fn enter(&mut self) -> Result<(), NormalizationError> {
        if self.depth > 2 * MAX_HEIGHT || self.store.is_too_deep() {
            return Err(NormalizationError::TooLarge);
        }
        self.depth += 1;
        Ok(())
    }

    /// Counts a step; fails if the steps exceed the limit.
    fn step(&mut self) -> Result<(), NormalizationError> {
        self.done = self.done.saturating_add(1);
        match self.done > self.limit {
            true => Err(NormalizationError::Steps),
            false => Ok(()),
        }
    }
}
