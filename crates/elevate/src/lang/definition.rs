//! Defines checked definitions in the form that evaluation needs: owned and shared, because
//! strategies keep them.

use std::sync::Arc;

use rise::Primitive;
use rise::core::Def;
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Name;
use syntax::elevate::ast::Item;

use super::check::Checked;
use super::library::library;

/// A checked definition, main expression or example.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The number of the definition.
    pub id: GlobalId,
    /// The text of the item, to which its spans are relative.
    pub text: Arc<str>,
    /// The syntax of the item.
    pub item: Arc<Item>,
    /// The result of checking the item.
    pub checked: Arc<Checked>,
}

impl Definition {
    /// Returns the name of the item; empty if it has none.
    pub fn name(&self) -> Name {
        let name = self.item.name().map(|name| name.name.clone());
        name.unwrap_or_default()
    }
}

/// The definitions that a strategy may refer to, directly or indirectly, without those of the
/// library.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// The definitions of strategies, by number.
    pub strategies: FxHashMap<GlobalId, Arc<Definition>>,
    /// The definitions of RISE, by number.
    pub programs: FxHashMap<GlobalId, Arc<Def<Primitive>>>,
}

impl Definitions {
    /// Returns the definition of a strategy with this number, also from the library; `None` if
    /// there is none.
    pub fn strategy(&self, id: GlobalId) -> Option<Arc<Definition>> {
        match self.strategies.get(&id) {
            Some(definition) => Some(definition.clone()),
            None => library().definition(id).cloned(),
        }
    }

    /// Returns the RISE definition with this number, also from the standard library; `None` if
    /// there is none or it has errors.
    pub fn program(&self, id: GlobalId) -> Option<Arc<Def<Primitive>>> {
        match self.programs.get(&id) {
            Some(def) => Some(def.clone()),
            None => super::programs::Programs::standard().definition(id),
        }
    }
}
