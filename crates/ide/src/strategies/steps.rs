//! Where the steps of a strategy stand in the text of the definition that it rewrites.

use elevate::engine::{Assumption, Failure, TraceStep};
use elevate::lang::Run;
use elevate::term::{Path, Store, Term};
use rustc_hash::FxHashMap;
use syntax::Span;

/// The places of a definition's terms in its text.
///
/// What a rule has made stands nowhere: it is where its parts come from, else where the nearest
/// thing around it comes from.
#[derive(Debug)]
pub struct StepPlaces<'a> {
    run: &'a Run,
    /// Where each term of the definition as it was stands; of equal ones, all places.
    places: FxHashMap<Term, Vec<(Path, Span)>>,
}

/// Terms that are looked at to find the parts of one.
const MAX_LOOK: usize = 10_000;

impl<'a> StepPlaces<'a> {
    /// The places of the definition that the run began with.
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

    /// Where a step was done, in the item.
    pub fn of(&self, step: &TraceStep) -> Option<Span> {
        self.at(step.before, &step.path, step.focus)
    }

    /// Where a strategy failed.
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

    /// The place of a term that the definition had from the start: the one at this path, else the
    /// first.
    fn known(&self, term: Term, path: &Path) -> Option<Span> {
        let all = self.places.get(&term)?;
        let same = all.iter().find(|(known, _)| known == path);
        same.or(all.first()).map(|(_, span)| *span)
    }

    /// From the first to the last of the parts of a term that the definition had from the start.
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
                // What stands in many places says nothing about this one.
                Some((_, span)) if self.places[&next].len() == 1 => {
                    found = Some(found.map_or(*span, |found| found.cover(*span)));
                }
                _ => open.extend(store.children(next).map(|(_, child)| child)),
            }
        }
        found
    }

    /// The place of the innermost node around a path that has one.
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

/// What a rule assumed, as it is written.
pub fn assumption_text(run: &Run, assumption: &Assumption) -> String {
    match assumption {
        Assumption::Size(prop) => {
            let names = rise::Names(run.store.var_names().into());
            rise::print::prop_text(prop, &names)
        }
        Assumption::Said(said) => said.to_string(),
    }
}
