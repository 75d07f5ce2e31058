//! Definitions of strategies as evaluation needs them: owned, because strategies keep them.

use std::sync::Arc;

use rise::Primitive;
use rise::core::Def;
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Name;
use syntax::elevate::ast::Item;

use super::check::Checked;
use super::library::library;

/// A checked definition, or a main expression, or an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its number.
    pub id: GlobalId,
    /// The item's text, which its spans count in.
    pub text: Arc<str>,
    /// Its syntax.
    pub item: Arc<Item>,
    /// What is known of it.
    pub checked: Arc<Checked>,
}

impl Definition {
    /// What it is called; empty if it has no name.
    pub fn name(&self) -> Name {
        let name = self.item.name().map(|name| name.name.clone());
        name.unwrap_or_default()
    }
}

/// Definitions that a strategy may come to: its own, and all that it uses, the library aside.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Definitions of strategies, by number.
    pub strategies: FxHashMap<GlobalId, Arc<Definition>>,
    /// Definitions of RISE, by number.
    pub programs: FxHashMap<GlobalId, Arc<Def<Primitive>>>,
}

impl Definitions {
    /// A definition, of the library too.
    pub fn strategy(&self, id: GlobalId) -> Option<Arc<Definition>> {
        match self.strategies.get(&id) {
            Some(definition) => Some(definition.clone()),
            None => library().definition(id).cloned(),
        }
    }

    /// A definition of RISE, of the standard library too.
    pub fn program(&self, id: GlobalId) -> Option<Arc<Def<Primitive>>> {
        match self.programs.get(&id) {
            Some(def) => Some(def.clone()),
            None => super::programs::Programs::standard().definition(id),
        }
    }
}
