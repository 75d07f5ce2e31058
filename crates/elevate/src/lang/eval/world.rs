//! What the evaluations of a run share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use nat::{Nat, Var};
use rustc_hash::FxHashMap;
use syntax::GlobalId;
use syntax::ast::Name;
use syntax::elevate::ast::ItemKind;

use super::{Eval, Evaluated, Trouble, Value};
use crate::engine::Strategy;
use crate::lang::definition::{Definition, Definitions};
use crate::lang::library::library;
use crate::lang::programs::Programs;
use crate::term::Store;

/// How much may be evaluated in a run: every call counts 1.
const WORK: u64 = 1_000_000;

/// The definitions that a run can use, and what has been found out about them.
pub struct World {
    definitions: Definitions,
    /// Values of definitions without parameters.
    values: Mutex<FxHashMap<GlobalId, Value>>,
    /// Sizes that are left open.
    tunes: FxHashMap<GlobalId, (Name, Var)>,
    /// Sizes that the run is given a value for.
    given: FxHashMap<GlobalId, i64>,
    names: FxHashMap<Var, Name>,
    /// How much may still be evaluated, and how much in one run.
    work: AtomicU64,
    limit: u64,
    /// How rules look up definitions of RISE.
    pub(super) lookup: Mutex<Option<crate::rule::Definitions>>,
    /// Whether what has an equation is taken from it, and not from the engine.
    pub(super) equations: bool,
    /// Strategies refer back to the world that they live in, which must outlive them.
    pub(super) own: Weak<World>,
}

impl World {
    /// A world of its own for a run in `store`, in which open sizes get variables.
    pub fn new(definitions: Definitions, store: &mut Store) -> Arc<World> {
        World::make(definitions, store, &[], false)
    }

    /// The same, where `tune`s have these values, whatever their definitions say.
    pub(crate) fn tuned(
        definitions: Definitions,
        store: &mut Store,
        given: &[(GlobalId, i64)],
    ) -> Arc<World> {
        World::make(definitions, store, given, false)
    }

    /// The same, where everything in the library that has an equation is what the equation says:
    /// slow, and what the engine's forms are compared with.
    pub fn by_equations(definitions: Definitions, store: &mut Store) -> Arc<World> {
        World::make(definitions, store, &[], true)
    }

    fn make(
        definitions: Definitions,
        store: &mut Store,
        given: &[(GlobalId, i64)],
        equations: bool,
    ) -> Arc<World> {
        for (id, def) in &definitions.programs {
            store.name_global(*id, def.name.clone());
        }
        for (id, name) in Programs::standard().numbered() {
            store.name_global(id, name.clone());
        }
        let mut tunes = FxHashMap::default();
        let mut names = FxHashMap::default();
        let own = definitions.strategies.values();
        let own = own.map(|definition| (definition.id, &definition.item));
        let shared = library()
            .tunes()
            .filter_map(|id| Some((id, library().item(id)?)));
        let given: FxHashMap<GlobalId, i64> = given.iter().copied().collect();
        for (id, item) in own.chain(shared) {
            if given.contains_key(&id) {
                continue;
            }
            if let ItemKind::Tune {
                name: Some(name),
                value: None,
                ..
            } = &item.kind
            {
                let var = store.fresh_var(name.name.clone());
                tunes.insert(id, (name.name.clone(), var));
                names.insert(var, name.name.clone());
            }
        }
        // Equations call for every node what the engine does itself.
        let limit = if equations { 100 * WORK } else { WORK };
        Arc::new_cyclic(|own| World {
            definitions,
            values: Mutex::default(),
            tunes,
            given,
            names,
            work: AtomicU64::new(limit),
            limit,
            lookup: Mutex::default(),
            equations,
            own: own.clone(),
        })
    }

    /// A definition of the library as a strategy, given its arguments in the order of its
    /// parameters; those that are left out at the end of a list take their defaults. The strategy
    /// lives as long as the world does.
    ///
    /// # Errors
    /// There is none of this name, or it takes other arguments.
    pub fn strategy(self: &Arc<Self>, name: &str, args: &[Value]) -> Result<Strategy, Trouble> {
        let missing = || Trouble::new(format!("the library has no `{name}`"));
        let id = library().named(name).ok_or_else(missing)?;
        let definition = library().definition(id).ok_or_else(missing)?;
        let mut eval = Eval::new(self, definition.clone());
        let given = args.iter().map(|value| (None, value.clone())).collect();
        let value = eval.definition_value()?;
        let value = eval.give(value, given)?;
        eval.as_strategy(value)
            .ok_or_else(|| Trouble::new(format!("`{name}` needs other arguments")))
    }

    /// Whether the run has a value for the `tune`.
    pub(crate) fn is_given(&self, tune: GlobalId) -> bool {
        self.given.contains_key(&tune)
    }

    /// The definitions of the run.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// What an open size is called.
    pub fn name_of(&self, var: Var) -> Name {
        self.names.get(&var).cloned().unwrap_or_else(|| "_".into())
    }

    /// The sizes that are left open, in the order of their variables: which `tune`, what it is
    /// called, what stands for it.
    pub fn open(&self) -> Vec<(GlobalId, Name, Var)> {
        let mut open: Vec<_> = self
            .tunes
            .iter()
            .map(|(&id, (name, var))| (id, name.clone(), *var))
            .collect();
        open.sort_by_key(|(_, _, var)| *var);
        open
    }

    /// Why an evaluation cannot go on, with the definition that it was in.
    pub(crate) fn explain(&self, trouble: &Trouble) -> String {
        let place = trouble.at.and_then(|(id, _)| self.definitions.strategy(id));
        match place.map(|definition| definition.name()) {
            Some(name) if !name.is_empty() && !trouble.message.contains(&format!("`{name}`")) => {
                format!("in `{name}`: {}", trouble.message)
            }
            _ => trouble.message.clone(),
        }
    }

    /// The normal form that `;;` means where nothing else is said.
    pub(super) fn default_normal_form(self: &Arc<Self>) -> Result<Strategy, Trouble> {
        let missing = || Trouble::new("the library has no normal form `DFNF`");
        match self.value(library().named("DFNF").ok_or_else(missing)?)? {
            Value::Strategy(strategy) => Ok(strategy),
            _ => Err(missing()),
        }
    }

    /// Says that another run begins, in a world that is kept for several.
    pub fn renew(&self) {
        self.work.store(self.limit, Ordering::Relaxed);
    }

    /// Counts a call.
    pub(super) fn spend(&self) -> Result<(), Trouble> {
        let enough = |left: u64| left.checked_sub(1);
        match (self.work).fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough) {
            Ok(_) => Ok(()),
            Err(_) => Err(Trouble::new(format!(
                "more than {WORK} calls: a function calls itself without end"
            ))),
        }
    }

    /// The value of a definition, a function if it has parameters.
    pub(crate) fn value(self: &Arc<Self>, id: GlobalId) -> Evaluated {
        let known = |world: &World| {
            let values = world.values.lock().unwrap_or_else(PoisonError::into_inner);
            values.get(&id).cloned()
        };
        if let Some(value) = known(self) {
            return Ok(value);
        }
        let Some(definition) = self.definitions.strategy(id) else {
            return Err(Trouble::new("a definition that is used here is missing"));
        };
        let value = self.evaluate(&definition)?;
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(values.entry(id).or_insert(value).clone())
    }

    fn evaluate(self: &Arc<Self>, definition: &Arc<Definition>) -> Evaluated {
        if let Some(value) = self.given.get(&definition.id) {
            return Ok(Value::Nat(Nat::constant(*value)));
        }
        if let Some(wrong) = errors(definition).next() {
            let (name, message) = (definition.name(), &wrong.message);
            return Err(Trouble::new(format!("`{name}` has errors: {message}")));
        }
        if let Some((_, var)) = self.tunes.get(&definition.id) {
            return Ok(Value::Nat(Nat::var(*var)));
        }
        Eval::new(self, definition.clone()).definition_value()
    }
}

/// Whether something is wrong with a definition.
pub(crate) fn has_errors(definition: &Definition) -> bool {
    errors(definition).next().is_some()
}

fn errors(definition: &Definition) -> impl Iterator<Item = &syntax::Diagnostic> {
    let all = definition.checked.diagnostics.iter();
    all.filter(|diagnostic| diagnostic.severity == syntax::Severity::Error)
}

/// The world does not print what it holds.
impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("World")
    }
}
