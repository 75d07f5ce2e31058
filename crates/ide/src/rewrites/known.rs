//! What was found out of a definition where rewrites were offered. The cursor moves inside one
//! definition most of the time, and the places around it are mostly those that were around it.

use std::sync::{Arc, Mutex, PoisonError};

use db::{Binding, Database, ItemId};
use dpia::functional::{self, Selection};
use dpia::{Target, Targets};
use elevate::engine::Assumption;
use elevate::term::{Node, Path, Term};
use nat::Var;
use rise::Primitive;
use rise::core::{Def, Form, without_compositions};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Name;

use super::program::Program;
use super::reasons;
use super::strategies::Strategies;
use super::terms::{Alpha, Core, for_each_node, with_params};

/// How many definitions are kept, and how large one may have become.
const KEPT: usize = 4;
const MOST_TERMS: usize = 1 << 18;

/// A definition, with what was tried in it.
pub(super) struct Known {
    /// Each new text has a new one.
    def: Arc<Def<Primitive>>,
    /// The same, as strategies see it.
    as_strategies_see: Arc<Def<Primitive>>,
    /// The targets that it names.
    targets: Targets,
    pub(super) program: Program,
    pub(super) strategies: Strategies,
    /// What became of the entries of the menu, by place.
    pub(super) tried: FxHashMap<Path, Attempts>,
    /// The sizes that the definition is given: what it assumes can be about these.
    pub(super) parameters: Vec<Var>,
    /// Whether it has maps for the work-items of a device.
    pub(super) on_device: bool,
    /// Whether it has arrays with elements that are never written: copies read them.
    pub(super) pads: bool,
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
        let targets = Selection::of(&db.parsed(item).item, &db.inference(item)).marked;
        {
            let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            let is_it = |known: &Known| Arc::ptr_eq(&known.def, def) && known.targets == targets;
            if let Some(at) = all.iter().position(is_it) {
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
        let as_strategies_see = db.strategy_def(def);
        let program = Program::of(store, &as_strategies_see).ok()?;
        let pads = strategies.programs().any(|(_, def)| pads(&def.body));
        Some(Known {
            pads: pads || self::pads(&def.body),
            targets,
            parameters: program.parameters(),
            on_device: reasons::has_parallel_map(&program.store, program.root()),
            program,
            unknown,
            strategies,
            as_strategies_see,
            def: def.clone(),
            tried: FxHashMap::default(),
        })
    }

    /// Whether all targets that the definition names are without devices.
    pub(super) fn is_for_host(&self) -> bool {
        !self.targets.is_empty() && !self.targets.contains(Target::OpenCl)
    }

    /// A target that the definition names, for which `new` in the place of `old` uses what programs
    /// for it may not use, and that.
    pub(super) fn not_for_target(&self, old: Term, new: Term) -> Option<(Target, Primitive)> {
        self.targets.iter().find_map(|target| {
            let had = self.not_allowed(target, old);
            let mut has = self.not_allowed(target, new);
            has.retain(|found| !had.contains(found));
            has.first().map(|found| (target, found.1))
        })
    }

    /// What a term uses that programs for a target may not use.
    fn not_allowed(&self, target: Target, term: Term) -> Vec<(Term, Primitive)> {
        let store = &self.program.store;
        let (mut found, mut open) = (Vec::new(), vec![term]);
        while let Some(term) = open.pop() {
            if let Node::Primitive(primitive, args) = store.node(term)
                && !functional::allows(target, primitive, store.args(args))
                && !found.contains(&(term, primitive))
            {
                found.push((term, primitive));
            }
            open.extend(store.children(term).map(|(_, part)| part));
        }
        found
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

    /// Whether the definition with another right side has another text: its parameters keep their
    /// names, and a composition that is applied is a pipeline.
    pub(super) fn is_visible(&self, root: Term) -> bool {
        if root == self.program.root() {
            return false;
        }
        let old = &self.as_strategies_see;
        let Ok(new) = self.program.export(root, old) else {
            return true;
        };
        let new = with_params(&old.body, &new.body);
        let [old, new] = [&old.body, &new].map(without_compositions);
        !Alpha::default().same(&old, &new)
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

/// Whether a term makes elements that nothing writes.
fn pads(term: &Core) -> bool {
    let mut found = false;
    for_each_node(term, &mut |node| {
        found |= matches!(node.form, Form::Primitive(Primitive::PadEmpty, ..));
    });
    found
}
