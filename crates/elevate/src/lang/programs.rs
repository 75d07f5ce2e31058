//! Definitions of RISE that strategies can name: the standard library, and those of texts.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rise::core::{Begun, Def, elaborate, named};
use rise::{Env, Primitive, Resolution, Scheme};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::{Item, Name};

/// The number of the first definition of RISE's standard library. Others must be below.
pub const STANDARD: u64 = 1 << 62;

/// Definitions of RISE that see each other.
#[derive(Clone, Default)]
pub struct Programs {
    entries: Vec<Entry>,
    by_name: FxHashMap<Name, usize>,
    /// How many of them are the standard library's.
    standard: usize,
    begun: Begun,
}

#[derive(Clone)]
struct Entry {
    name: Name,
    item: Arc<Item>,
    scheme: Option<Arc<Scheme>>,
    def: Option<Arc<Def<Primitive>>>,
}

impl Programs {
    /// RISE's standard library, checked once.
    pub fn standard() -> &'static Programs {
        static STANDARD: LazyLock<Programs> = LazyLock::new(|| {
            let mut programs = Programs::default();
            for (_, text) in rise::STD {
                programs.add(text);
            }
            programs.standard = programs.entries.len();
            programs
        });
        &STANDARD
    }

    /// The definitions of a text, with the standard library; imports are not read. What is wrong
    /// is left out.
    pub fn of(text: &str) -> Programs {
        let mut programs = Programs::standard().clone();
        programs.add(text);
        programs
    }

    /// Adds the definitions of a text.
    fn add(&mut self, text: &str) {
        let first = self.entries.len();
        for span in syntax::split(text) {
            let parsed = syntax::parse(&text[Range::from(span)]);
            let Some(name) = parsed.item.name().map(|name| name.name.clone()) else {
                continue;
            };
            if parsed.diagnostics.is_empty() {
                self.by_name.insert(name.clone(), self.entries.len());
                self.entries.push(Entry {
                    name,
                    item: Arc::new(parsed.item),
                    scheme: None,
                    def: None,
                });
            }
        }
        (first..self.entries.len()).for_each(|at| self.check(at));
    }

    /// Checks a definition, those that it uses first.
    fn check(&mut self, root: usize) {
        let (entries, by_name) = (&self.entries, &self.by_name);
        let uses = |at: usize| named(&entries[at].item, by_name);
        for at in self.begun.in_order(root, &uses) {
            let item = self.entries[at].item.clone();
            let inference = rise::infer(&item, self);
            let entry = &mut self.entries[at];
            entry.def = elaborate(&item, &inference).map(Arc::new);
            if entry.def.is_some() {
                entry.scheme = Some(inference.scheme);
            }
        }
    }

    fn number(&self, at: usize) -> GlobalId {
        match at.checked_sub(self.standard) {
            Some(own) if self.standard > 0 => GlobalId(own as u64),
            _ => GlobalId(STANDARD + at as u64),
        }
    }

    fn index(&self, id: GlobalId) -> Option<usize> {
        let number = match id.0.checked_sub(STANDARD) {
            Some(number) => number,
            None => id.0.checked_add(self.standard as u64)?,
        };
        usize::try_from(number).ok()
    }

    /// The definition with this number, if nothing is wrong with it.
    pub fn definition(&self, id: GlobalId) -> Option<Arc<Def<Primitive>>> {
        self.entries.get(self.index(id)?)?.def.clone()
    }

    /// The number of a definition.
    pub fn named(&self, name: &str) -> Option<GlobalId> {
        Some(self.number(*self.by_name.get(name)?))
    }

    /// All definitions with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (GlobalId, &Name)> {
        let entries = self.entries.iter().enumerate();
        entries.map(|(at, entry)| (self.number(at), &entry.name))
    }

    /// The definition's item.
    pub fn item(&self, id: GlobalId) -> Option<&Arc<Item>> {
        Some(&self.entries.get(self.index(id)?)?.item)
    }

    /// What the definition is called.
    pub fn name(&self, id: GlobalId) -> Option<&Name> {
        Some(&self.entries.get(self.index(id)?)?.name)
    }

    /// Whether the definition is the standard library's.
    pub fn is_standard(id: GlobalId) -> bool {
        id.0 >= STANDARD && id.0 < 1 << 63
    }
}

impl Env for Programs {
    fn resolve(&self, name: &str) -> Resolution {
        let Some(&at) = self.by_name.get(name) else {
            return Resolution::Unknown;
        };
        let id = self.number(at);
        match &self.entries[at].scheme {
            Some(scheme) => Resolution::Def(id, scheme.clone()),
            None => Resolution::Broken(Some(id)),
        }
    }

    fn names(&self) -> Vec<Name> {
        self.by_name.keys().cloned().collect()
    }
}
