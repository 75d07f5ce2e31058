//! Normal forms of terms, with a memory of what is normal already.
//!
//! The textbook says them by `normalize(…)`, which looks for the next step from the root each
//! time. Here each is one walk from the leaves up, and what became of a term is remembered, so that
//! after a change only what is new is looked at. Both give the same terms up to the names of
//! bound variables; tests hold them equal. (Section 3 of the reference; ICFP 2020, section 4.3.)

mod beta;
mod expand;
mod fission;
#[cfg(test)]
mod tests;

use crate::term::{Dense, MAX_HEIGHT, Store, Term};

/// The normal forms that the engine computes itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormalForm {
    /// No function is applied where it stands, and none only passes its parameter on.
    Benf,
    /// The data-flow form: the function of a `map` and the operator of a `reduce` are written as
    /// functions, down to their last parameter, and where a function gives a `map` without its
    /// input or a `reduce` without its input, it takes that, too.
    Dfnf,
    /// The rewrite form: `Dfnf`, and each `map` does one thing: `map(f ∘ g)` is `map(f) ∘ map(g)`.
    Rnf,
}

impl NormalForm {
    /// As strategies name it.
    pub fn name(self) -> &'static str {
        match self {
            NormalForm::Benf => "BENF",
            NormalForm::Dfnf => "DFNF",
            NormalForm::Rnf => "RNF",
        }
    }
}

/// What became of terms, and how many steps it took.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    benf: Dense,
    expanded: Dense,
    fissioned: Dense,
    dfnf: Dense,
    rnf: Dense,
}

/// Why a term has no normal form that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaveup {
    /// It grows beyond all bounds.
    TooLarge,
    /// It takes too many steps.
    Steps,
}

/// The normal form of a term, and how many steps lead there; at most `limit`.
///
/// # Errors
/// The term grows too much, or there are too many steps.
pub fn normalise(
    store: &mut Store,
    form: NormalForm,
    term: Term,
    memo: &mut Memo,
    limit: u32,
) -> Result<(Term, u32), Gaveup> {
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

type Normal = Result<(Term, u32), Gaveup>;

impl Normaliser<'_> {
    fn dfnf(&mut self, term: Term) -> Normal {
        if let Some(known) = self.memo.dfnf.get(term) {
            return Ok(known);
        }
        let (reduced, first) = self.benf(term)?;
        let (result, second) = self.expanded(reduced)?;
        let all = (result, first.saturating_add(second));
        self.memo.dfnf.insert(term, all);
        Ok(all)
    }

    fn rnf(&mut self, term: Term) -> Normal {
        if let Some(known) = self.memo.rnf.get(term) {
            return Ok(known);
        }
        let (flow, first) = self.dfnf(term)?;
        let (result, second) = self.fissioned(flow)?;
        let all = (result, first.saturating_add(second));
        self.memo.rnf.insert(term, all);
        Ok(all)
    }

    /// One level further in.
    fn enter(&mut self) -> Result<(), Gaveup> {
        if self.depth > 2 * MAX_HEIGHT || self.store.is_too_deep() {
            return Err(Gaveup::TooLarge);
        }
        self.depth += 1;
        Ok(())
    }

    /// A step was done.
    fn step(&mut self) -> Result<(), Gaveup> {
        self.done = self.done.saturating_add(1);
        match self.done > self.limit {
            true => Err(Gaveup::Steps),
            false => Ok(()),
        }
    }
}
