//! The places of a strategy's steps in the text of the definition that it rewrites, and the texts
//! of assumptions.

use elevate::engine::{Assumption, Failure, TraceStep};
use elevate::lang::Run;
use elevate::term::{Path, Store, Term};
use rustc_hash::FxHashMap;
use syntax::Span;

/// The places of a definition's terms in its text.
///
/// For a term that a rule has created, the place is the range of its original subterms, or
/// otherwise that of the nearest enclosing original term.
#[derive(Debug)]
pub struct StepPlaces<'a> {
    run: &'a Run,
    /// The places of each original term of the definition; equal terms share an entry.
    places: FxHashMap<Term, Vec<(Path, Span)>>,
}

/// The largest number of subterms of a term that are searched for original ones.
const MAX_LOOK: usize = 10_000;

impl<'a> StepPlaces<'a> {
    /// Records the places of the terms of the definition with which the run began.
    pub fn new(run: &'a Run) -> Self {
        let mut places: FxHashMap<Term, Vec<(Path, Span)>> = FxHashMap::default();
        run.imported.visit(&run.store, &mut |path, term, site| {
            if let Some(site) = site {
                places
                    .entry(term)
                    .or_default()
                    .push((path.clone(), site.span));
            }
        });
        StepPlaces { run, places }
    }

    /// Returns the place of a step, relative to the item; `None` if it is not known.
    pub fn of(&self, step: &TraceStep) -> Option<Span> {
        self.at(step.before, &step.path, step.focus)
    }

    /// Returns the place of a failure, relative to the item; `None` if it is not known.
    pub fn of_failure(&self, failure: &Failure) -> Option<Span> {
        self.known(failure.focus, &failure.path)
            .or_else(|| self.parts(failure.focus))
            .or_else(|| self.at(self.run.root, &failure.path, failure.focus))
    }

    fn at(&self, root: Term, path: &Path, focus: Term) -> Option<Span> {
        self.known(focus, path)
            .or_else(|| self.parts(focus))
            .or_else(|| self.around(root, path))
    }

    /// Returns the place of an original term: the one at this path, or otherwise the first.
    fn known(&self, term: Term, path: &Path) -> Option<Span> {
        let all = self.places.get(&term)?;
        let same = all.iter().find(|(known, _)| known == path);
        same.or(all.first()).map(|(_, span)| *span)
    }

    /// Returns the range from the first to the last original subterm of a term, of those that occur
    /// only once in the definition.
    fn parts(&self, term: Term) -> Option<Span> {
        let store: &Store = &self.run.store;
        let mut open = vec![term];
        let mut found: Option<Span> = None;
        let mut looked = 0;
        while let Some(next) = open.pop() {
            looked += 1;
            if looked > MAX_LOOK {
                break;
            }
            match self.places.get(&next).and_then(|all| all.first()) {
                // A subterm with several places does not determine the place of this one.
                Some((_, span)) if self.places[&next].len() == 1 => {
                    found = Some(found.map_or(*span, |found| found.cover(*span)));
                }
                _ => open.extend(store.children(next).map(|(_, child)| child)),
            }
        }
        found
    }

    /// Returns the place of the innermost enclosing node of a path that has one.
    fn around(&self, root: Term, path: &Path) -> Option<Span> {
        let mut found = None;
        let mut here = root;
        let mut way = Path::ROOT;
        for step in &path.0 {
            found = self.known(here, &way).or(found);
            here = self.run.store.child(here, *step)?;
            way = way.then(*step);
        }
        found
    }
}

/// Renders an assumption of a rule.
pub fn assumption_text(run: &Run, assumption: &Assumption) -> String {
    match assumption {
        Assumption::Size(prop) => {
            let names = rise::Names(run.store.var_names().into());
            rise::print::prop_text(prop, &names)
        }
        Assumption::Text(said) => said.to_string(),
    }
}
