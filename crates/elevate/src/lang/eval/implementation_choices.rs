//! Decides which RISE definitions leave open how they are computed.

use rise::core::{Form, subterms};
use rise::primitive::{Category, Primitive};
use rise::types::Type;
use rustc_hash::FxHashSet;
use syntax::GlobalId;

use crate::rule::Definitions;
use crate::term::{Node, Store, Term};

/// Returns true if a term is the name of a definition that does not determine how it is computed:
/// itself or through the definitions it uses, it contains a high-level pattern such as `map` or
/// `reduce`, and it also computes or takes a function, so that it does not only move data.
pub(super) fn leaves_choice(store: &Store, definitions: &Definitions, term: Term) -> bool {
    let Node::Global(id, _) = store.node(term) else {
        return false;
    };
    let used = DefinitionSummary::of(definitions, id);
    used.chooses && (used.computes || takes_function(store.type_of(term)))
}

/// A summary of a definition and of all definitions that it uses, directly or indirectly.
#[derive(Default)]
struct DefinitionSummary {
    /// True if one of them contains a high-level pattern, which has several implementations.
    chooses: bool,
    /// True if one of them contains a scalar operation, a reduction or a foreign function.
    computes: bool,
}

impl DefinitionSummary {
    fn of(definitions: &Definitions, id: GlobalId) -> DefinitionSummary {
        let mut used = DefinitionSummary::default();
        let (mut open, mut seen) = (vec![id], FxHashSet::from_iter([id]));
        while let Some(id) = open.pop() {
            let Some(def) = definitions(id) else {
                continue;
            };
            for term in subterms(&def.body) {
                match &term.form {
                    Form::Primitive(primitive, ..) => used.add(*primitive),
                    Form::Foreign(..) => used.computes = true,
                    Form::Global(id, _) if seen.insert(*id) => open.push(*id),
                    _ => {}
                }
            }
        }
        used
    }

    fn add(&mut self, primitive: Primitive) {
        self.chooses |= primitive.category() == Category::HighLevel;
        self.computes |= primitive == Primitive::Reduce;
        self.computes |= primitive.category() == Category::Scalars;
    }
}

/// Returns true if a function type has a parameter that is itself a function.
fn takes_function(ty: &Type) -> bool {
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::Fun(parameter, _) if matches!(**parameter, Type::Fun(..) | Type::Pi(_)) => {
                return true;
            }
            Type::Fun(_, result) => result,
            Type::Pi(pi) => &pi.body,
            _ => return false,
        };
    }
}
