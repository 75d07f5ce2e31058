//! Holds the RISE definitions that strategies can use: the standard library, and those of texts.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rise::core::{Def, VisitedDefs, elaborate, named};
use rise::{Env, Primitive, Resolution, Scheme};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::{Item, Name};

/// A set of RISE definitions that may refer to each other. They are numbered in the order in which
/// they are added; those of the standard library come first.
#[derive(Clone, Default)]
pub struct Programs {
    entries: Vec<ProgramEntry>,
    by_name: FxHashMap<Name, usize>,
    visited: VisitedDefs,
}

#[derive(Clone)]
struct ProgramEntry {
    name: Name,
    item: Arc<Item>,
    scheme: Option<Arc<Scheme>>,
    def: Option<Arc<Def<Primitive>>>,
}

impl Programs {
    /// Returns the standard library of RISE, which is parsed and checked on first use.
    pub fn standard() -> &'static Programs {
        static STANDARD: LazyLock<Programs> = LazyLock::new(|| {
            let mut programs = Programs::default();
            for (_, text) in rise::STD {
                programs.add(text);
            }
            programs
        });
        &STANDARD
    }

    /// Returns the standard library and the definitions of a text. Imports are not read;
    /// definitions with syntax errors are left out.
    pub fn of(text: &str) -> Programs {
        let mut programs = Programs::standard().clone();
        programs.add(text);
        programs
    }

    /// Adds and checks the definitions of a text.
    fn add(&mut self, text: &str) {
        let first = self.entries.len();
        for span in syntax::split(text) {
            let parsed = syntax::parse(&text[Range::from(span)]);
            let Some(name) = parsed.item.name().map(|name| name.name.clone()) else {
                continue;
            };
            if parsed.diagnostics.is_empty() {
                self.by_name.insert(name.clone(), self.entries.len());
                self.entries.push(ProgramEntry {
                    name,
                    item: Arc::new(parsed.item),
                    scheme: None,
                    def: None,
                });
            }
        }
        (first..self.entries.len()).for_each(|at| self.check(at));
    }

    /// Checks a definition after those that it uses.
    fn check(&mut self, root: usize) {
        let (entries, by_name) = (&self.entries, &self.by_name);
        let uses = |at: usize| named(&entries[at].item, by_name);
        for at in self.visited.post_order(root, &uses) {
            let item = self.entries[at].item.clone();
            let inference = rise::infer(&item, self);
            let entry = &mut self.entries[at];
            entry.def = elaborate(&item, &inference).map(Arc::new);
            if entry.def.is_some() {
                entry.scheme = Some(inference.scheme);
            }
        }
    }

    fn entry(&self, id: GlobalId) -> Option<&ProgramEntry> {
        self.entries.get(usize::try_from(id.0).ok()?)
    }

    /// Returns the definition with this number, if it has no errors.
    pub fn definition(&self, id: GlobalId) -> Option<Arc<Def<Primitive>>> {
        self.entry(id)?.def.clone()
    }

    /// Returns the number of the last definition of this name.
    pub fn named(&self, name: &str) -> Option<GlobalId> {
        Some(GlobalId(*self.by_name.get(name)? as u64))
    }

    /// Returns the numbers of all definitions with their names, including definitions with errors.
    pub fn numbered(&self) -> impl Iterator<Item = (GlobalId, &Name)> {
        let entries = self.entries.iter().zip(0..);
        entries.map(|(entry, at)| (GlobalId(at), &entry.name))
    }

    /// Returns the syntax of the definition with this number.
    pub fn item(&self, id: GlobalId) -> Option<&Arc<Item>> {
        Some(&self.entry(id)?.item)
    }
}

impl Env for Programs {
    fn resolve(&self, name: &str) -> Resolution {
        let Some(&at) = self.by_name.get(name) else {
            return Resolution::Unknown;
        };
        let id = GlobalId(at as u64);
        match &self.entries[at].scheme {
            Some(scheme) => Resolution::Def(id, scheme.clone()),
            None => Resolution::Broken(Some(id)),
        }
    }

    fn names(&self) -> Vec<Name> {
        self.by_name.keys().cloned().collect()
    }
}
