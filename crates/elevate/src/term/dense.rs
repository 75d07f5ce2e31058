//! Provides a set of terms and a memo table, both indexed by terms.

use super::store::Term;

/// A set of terms, as a bit set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    #[inline]
    pub fn contains(&self, term: Term) -> bool {
        let word = self.0.get(term.0 as usize / 64).copied().unwrap_or(0);
        word >> (term.0 % 64) & 1 == 1
    }

    #[inline]
    pub fn insert(&mut self, term: Term) {
        let at = term.0 as usize / 64;
        if at >= self.0.len() {
            self.0.resize((at + 1).max(self.0.len() * 2), 0);
        }
        self.0[at] |= 1 << (term.0 % 64);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// A memo table from terms to a resulting term and a number of steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dense(Vec<(u32, u32)>);

impl Dense {
    #[inline]
    pub fn get(&self, term: Term) -> Option<(Term, u32)> {
        let (result, steps) = self.0.get(term.0 as usize).copied()?;
        Some((Term(result.checked_sub(1)?), steps))
    }

    #[inline]
    pub fn insert(&mut self, term: Term, (result, steps): (Term, u32)) {
        let at = term.0 as usize;
        if at >= self.0.len() {
            self.0.resize((at + 1).max(self.0.len() * 2), (0, 0));
        }
        self.0[at] = (result.0 + 1, steps);
    }
}
