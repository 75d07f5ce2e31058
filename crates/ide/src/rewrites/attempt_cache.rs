//! The cache of attempted rewrites. The cursor usually moves inside one definition, and the places
//! around one position are mostly those around the last one.

use std::sync::{Arc, Mutex, PoisonError};

use codegen::{Target, Targets};
use db::{Binding, Database, ItemId};
use dpia::functional;
use elevate::engine::Assumption;
use elevate::term::{Node, Path, Store, Term};
use nat::Var;
use rise::Primitive;
use rise::core::{Def, Form, subterms, without_compositions};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Name;

use super::new_errors::new_error;
use super::program::Program;
use super::reasons;
use super::strategies::Strategies;
use super::terms::{Alpha, Core, with_params};

/// The largest number of definitions in the cache.
const KEPT: usize = 4;
/// The largest number of terms in the store of a definition that is put into the cache.
const MOST_TERMS: usize = 1 << 18;

/// The largest number of terms, in all results of rewrites together, that are checked for errors
/// for one menu. That takes at most about one millisecond.
pub(crate) const MOST_CHECKED: usize = 200;

/// A definition with the rewrites that were tried in it.
pub(crate) struct Known {
    /// The definition as it was elaborated. It identifies the entry, together with the targets:
    /// every new text leads to a new elaborated definition.
    def: Arc<Def<Primitive>>,
    /// The targets of the definition's annotations.
    targets: Targets,
    pub(crate) program: Program,
    pub(crate) strategies: Strategies,
    /// The results of the entries of the menu, by place.
    pub(crate) tried: FxHashMap<Path, Attempts>,
    /// The new errors of right sides of the definition; `None` for those that have none.
    errors: FxHashMap<Term, Option<String>>,
    /// The type-level parameters of the definition: assumptions can only be about sizes among
    /// these.
    pub(crate) parameters: Vec<Var>,
    /// True if the definition contains maps over work-items of a device.
    pub(crate) on_device: bool,
    /// True if the definition, or one that it uses, creates arrays with elements that are never
    /// written, which a copy would read.
    pub(crate) pads: bool,
    /// The definitions that the definition uses, directly or through others, but that are not in
    /// scope in its file, with their names.
    unknown: FxHashMap<GlobalId, Name>,
}

/// The result of each entry of the menu at a place; `None` for those that were not tried.
pub(crate) type Attempts = Vec<Option<Arc<[Attempt]>>>;

/// An entry of the menu with arguments that applies, or of which only a condition fails.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// The index of the arguments among the presets of the entry.
    pub(crate) preset: usize,
    pub(crate) args: Vec<String>,
    /// The source text of the strategy.
    pub(crate) strategy: String,
    /// The result; `None` if the pattern matches but a condition does not hold.
    pub(crate) made: Option<(Term, Vec<Assumption>)>,
}

/// The cached definitions, the most recently used at the end.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

impl Known {
    /// Returns the cache entry of a definition, or a new one. The entry is removed from the cache,
    /// so a concurrent request starts with a new one. Returns `None` if the definition is too large
    /// or too deeply nested.
    pub(crate) fn take(db: &Database, item: ItemId, def: &Arc<Def<Primitive>>) -> Option<Known> {
        let targets: Targets = codegen::marked_targets(&db.parsed(item).item).collect();
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
        let program = Program::of(store, def).ok()?;
        let pads = strategies.programs().any(|(_, def)| pads(&def.body));
        Some(Known {
            pads: pads || self::pads(&def.body),
            targets,
            parameters: program.parameters(),
            on_device: reasons::has_parallel_map(&program.store, program.root()),
            program,
            unknown,
            strategies,
            def: def.clone(),
            tried: FxHashMap::default(),
            errors: FxHashMap::default(),
        })
    }

    /// Returns true if the definition has targets, and none of them has a device.
    pub(crate) fn is_for_host(&self) -> bool {
        !self.targets.is_empty() && self.targets.with_work_items().is_none()
    }

    /// Returns a target of the definition, and a primitive that `new` uses and `old` does not and
    /// that programs for this target must not use; `None` if there is none.
    pub(crate) fn not_for_target(&self, old: Term, new: Term) -> Option<(Target, Primitive)> {
        self.targets.iter().find_map(|target| {
            let had = self.not_allowed(target, old);
            let mut has = self.not_allowed(target, new);
            has.retain(|found| !had.contains(found));
            has.last().map(|found| (target, found.1))
        })
    }

    /// Returns the primitives in a term that programs for a target must not use.
    fn not_allowed(&self, target: Target, term: Term) -> Vec<(Term, Primitive)> {
        let store = &self.program.store;
        let mut found = Vec::new();
        for part in store.subterms(term) {
            if let Node::Primitive(primitive, args) = store.node(part)
                && !functional::allows(target.features(), primitive, store.args(args))
                && !found.contains(&(part, primitive))
            {
                found.push((part, primitive));
            }
        }
        found
    }

    /// Returns the name of a definition in a term that is not in scope in the definition's file;
    /// `None` if there is none.
    pub(crate) fn unknown_name(&self, term: Term) -> Option<&Name> {
        if self.unknown.is_empty() {
            return None;
        }
        let store = &self.program.store;
        let mut parts = store.subterms(term);
        parts.find_map(|part| match store.node(part) {
            Node::Global(id, _) => self.unknown.get(&id),
            _ => None,
        })
    }

    /// Returns true if replacing the right side changes the definition's text. Names of parameters
    /// are kept, and an applied composition is the same as a pipeline.
    pub(crate) fn is_visible(&self, root: Term) -> bool {
        if root == self.program.root() {
            return false;
        }
        let old = &self.def;
        let Ok(new) = self.program.export(root, old) else {
            return true;
        };
        let new = with_params(&old.body, &new.body);
        let [old, new] = [&old.body, &new].map(without_compositions);
        !Alpha::default().same(&old, &new)
    }

    /// Returns the error that a rewrite without assumptions of the term at a place would add to the
    /// program, if it is cheap to find: the rewrite chooses an implementation, and no code has to
    /// be generated. The number of terms of the program is taken off `left`; if there are not as
    /// many, it is not checked. Applying the rewrite finds all errors.
    pub(crate) fn cheap_error(
        &mut self,
        db: &Database,
        item: ItemId,
        path: &Path,
        new: Term,
        left: &mut usize,
    ) -> Option<String> {
        let store = &mut self.program.store;
        let root = self.program.imported.root;
        let old = store.get(root, path)?;
        if choices(store, new) <= choices(store, old) {
            return None;
        }
        let root = store.replace(root, path, new)?;
        if let Some(known) = self.errors.get(&root) {
            return known.clone();
        }
        let linked = db.linked(item).ok()?;
        *left = left.checked_sub(subterms(&linked.body).count())?;
        let new = self.program.export(root, &self.def).ok();
        let error =
            new.and_then(|new| new_error(db, item, (&self.def, &Arc::new(new)), None, false));
        self.errors.insert(root, error.clone());
        error
    }

    /// Puts the entry back into the cache, unless its store of terms has become too large. A full
    /// cache loses the entry that was used least recently.
    pub(crate) fn keep(self) {
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

/// Counts the primitives in a term that choose an implementation.
fn choices(store: &Store, term: Term) -> usize {
    let parts = store.subterms(term);
    let is_choice = |part: &Term| match store.node(*part) {
        Node::Primitive(primitive, _) => functional::is_choice(primitive),
        _ => false,
    };
    parts.filter(is_choice).count()
}

/// Returns true if a term creates elements that are never written.
fn pads(term: &Core) -> bool {
    let is_pad = |node: &Core| matches!(node.form, Form::Primitive(Primitive::PadEmpty, ..));
    subterms(term).any(is_pad)
}
