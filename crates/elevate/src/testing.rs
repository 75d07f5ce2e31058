//! Terms from texts, for tests.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use rise::core::{Def, elaborate};
use rise::{Env, Primitive, Resolution, Scheme};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Name;

use crate::term::{Imported, Store, Term, import};

/// Definitions of texts, each checked with those before it and the standard library in scope.
#[derive(Clone, Default)]
pub(crate) struct Defs {
    pub all: Vec<Arc<Def<Primitive>>>,
    names: FxHashMap<Name, (GlobalId, Arc<Scheme>)>,
}

impl Defs {
    /// The standard library.
    pub fn library() -> Defs {
        static LIBRARY: LazyLock<Defs> = LazyLock::new(|| {
            let mut defs = Defs::default();
            for (_, text) in rise::STD {
                defs.read(text);
            }
            defs
        });
        LIBRARY.clone()
    }

    /// Adds the definitions of a text; those that are wrong or come before what they use are
    /// left out. Returns those that were added.
    pub fn read(&mut self, text: &str) -> Vec<Arc<Def<Primitive>>> {
        let mut added = Vec::new();
        for span in syntax::split(text) {
            let parsed = syntax::parse(&text[Range::from(span)]);
            let inference = rise::infer(&parsed.item, self);
            let Some(name) = parsed.item.name() else {
                continue;
            };
            let id = GlobalId(self.names.len() as u64);
            if let Some(def) = elaborate(&parsed.item, &inference) {
                let scheme = inference.scheme.clone();
                self.names.insert(name.name.clone(), (id, scheme));
                added.push(Arc::new(def));
            }
        }
        self.all.extend(added.iter().cloned());
        added
    }
}

impl Env for Defs {
    fn resolve(&self, name: &str) -> Resolution {
        match self.names.get(name) {
            Some((id, scheme)) => Resolution::Def(*id, scheme.clone()),
            None => Resolution::Unknown,
        }
    }

    fn names(&self) -> Vec<Name> {
        self.names.keys().cloned().collect()
    }
}

/// The definition that a term is the right side of.
pub(crate) fn imported(store: &mut Store, term: &str) -> Imported {
    let text = format!("def it = {term}");
    let mut defs = Defs::library();
    let mut added = defs.read(&text);
    let def = added.pop().unwrap_or_else(|| {
        let item = syntax::parse(&text).item;
        panic!(
            "{term}: {:#?}",
            rise::infer(&item, &Defs::library()).diagnostics
        )
    });
    import(store, &def).expect("it is small")
}

/// A term.
pub(crate) fn term(store: &mut Store, text: &str) -> Term {
    imported(store, text).root
}

/// A term with these functions in front, which bind what the others share:
/// `terms(store, "fun((f, g) => {})", &["map(f)", "map(g)"])` binds one `f` for both.
#[allow(dead_code)]
pub(crate) fn text(store: &Store, term: Term) -> String {
    crate::term::print(store, term)
}
