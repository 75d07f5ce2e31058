//! What was found out of a definition where rewrites were offered. The cursor moves inside one
//! definition most of the time, and the places around it are mostly those that were around it.

use std::sync::{Arc, Mutex, PoisonError};

use db::{Binding, Database, ItemId};
use elevate::engine::Assumption;
use elevate::term::{Node, Path, Term};
use nat::Var;
use rise::Primitive;
use rise::core::Def;
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Name;

use super::program::Program;
use super::reasons;
use super::strategies::Strategies;

/// How many definitions are kept, and how large one may have become.
const KEPT: usize = 4;
const MOST_TERMS: usize = 1 << 18;

/// A definition, with what was tried in it.
pub(super) struct Known {
    /// Each new text has a new one.
    def: Arc<Def<Primitive>>,
    pub(super) program: Program,
    pub(super) strategies: Strategies,
    /// What became of the entries of the menu, by place.
    pub(super) tried: FxHashMap<Path, Attempts>,
    /// The sizes that the definition is given: what it assumes can be about these.
    pub(super) parameters: Vec<Var>,
    /// Whether it has maps for the work-items of a device.
    pub(super) on_device: bool,
    /// Definitions that those which it uses use, and whose names it cannot say.
    unknown: FxHashMap<GlobalId, Name>,
}

/// What became of each entry of the menu at a place; `None` of those that were not tried.
pub(super) type Attempts = Vec<Option<Arc<[Attempt]>>>;

/// An entry with arguments that applies, or nearly does.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    /// Number of the arguments among those that are worth a line.
    pub(super) preset: usize,
    pub(super) args: Vec<String>,
    /// The strategy as it is written.
    pub(super) strategy: String,
    /// What it makes; `None` where its pattern fits, and a condition does not hold.
    pub(super) made: Option<(Term, Vec<Assumption>)>,
}

/// Those that were asked about last, the last one at the end.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

impl Known {
    /// What is known of a definition. It is taken out: who asks at the same time starts anew.
    pub(super) fn take(db: &Database, item: ItemId, def: &Arc<Def<Primitive>>) -> Option<Known> {
        {
            let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = all.iter().position(|known| Arc::ptr_eq(&known.def, def)) {
                let known = all.remove(at);
                known.strategies.renew();
                return Some(known);
            }
        }
        let (store, strategies) = Strategies::start(db.used_programs(item));
        let scope = db.scope(db.file_of(item));
        let known = |id: GlobalId, name: &str| matches!(scope.resolve(name), Binding::Def(item) if db.global(item) == id);
        let used = strategies.programs();
        let used = used.map(|(id, def)| (id, def.name.clone()));
        let unknown = used.filter(|(id, name)| !known(*id, name)).collect();
        let program = Program::of(store, &db.strategy_def(def)).ok()?;
        Some(Known {
            parameters: program.parameters(),
            on_device: reasons::has_parallel_map(&program.store, program.root()),
            program,
            unknown,
            strategies,
            def: def.clone(),
            tried: FxHashMap::default(),
        })
    }

    /// A name in a term that cannot be said here.
    pub(super) fn unknown_name(&self, term: Term) -> Option<&Name> {
        if self.unknown.is_empty() {
            return None;
        }
        let store = &self.program.store;
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if let Node::Global(id, _) = store.node(term)
                && let Some(name) = self.unknown.get(&id)
            {
                return Some(name);
            }
            open.extend(store.children(term).map(|(_, part)| part));
        }
        None
    }

    /// Keeps it for the next time.
    pub(super) fn keep(self) {
        if self.program.store.len() > MOST_TERMS {
            return;
        }
        let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT {
            all.remove(0);
        }
        all.push(self);
    }
}
