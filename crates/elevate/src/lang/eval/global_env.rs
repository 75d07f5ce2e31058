//! Holds the state that the evaluations of a run share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, ThreadId};

use nat::{Nat, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::GlobalId;
use syntax::ast::Name;
use syntax::elevate::ast::ItemKind;

use super::{Eval, EvalError, EvalResult, Value};
use crate::engine::Strategy;
use crate::lang::definition::{Definition, Definitions};
use crate::lang::library::library;
use crate::lang::programs::Programs;
use crate::term::Store;

/// The maximal number of calls in a run. A run that evaluates by equations may make 100 times as
/// many.
const MAX_CALLS: u64 = 1_000_000;

/// The definitions that a run can use, with their memoised values.
pub struct GlobalEnv {
    definitions: Definitions,
    /// The memoised values of definitions, before they are applied to arguments.
    values: Mutex<FxHashMap<GlobalId, Value>>,
    /// The definitions that are being evaluated, with the threads that evaluate them.
    open: Mutex<FxHashSet<(ThreadId, GlobalId)>>,
    /// The `tune`s without a value, with their variables.
    tunes: FxHashMap<GlobalId, (Name, Var)>,
    /// The `tune`s to which the run gives a value.
    given: FxHashMap<GlobalId, i64>,
    names: FxHashMap<Var, Name>,
    /// The number of calls that the run may still make.
    work: AtomicU64,
    /// The maximal number of calls per run.
    limit: u64,
    /// The memoised function by which rules look up RISE definitions.
    pub(super) lookup: Mutex<Option<crate::rule::Definitions>>,
    /// True if native definitions that also have an equation are evaluated by the equation, instead
    /// of by the engine.
    pub(super) equations: bool,
    /// The environment itself: strategies refer to it weakly, and must not outlive it.
    pub(super) own: Weak<GlobalEnv>,
}

impl GlobalEnv {
    /// Returns an environment for a run in `store`, to which it adds a variable for each `tune`
    /// without a value and the names of RISE definitions.
    pub fn new(definitions: Definitions, store: &mut Store) -> Arc<GlobalEnv> {
        GlobalEnv::make(definitions, store, &[], false)
    }

    /// Returns an environment as [`Self::new`] does, in which the given `tune`s have the given
    /// values, whatever their definitions contain.
    pub(crate) fn tuned(
        definitions: Definitions,
        store: &mut Store,
        given: &[(GlobalId, i64)],
    ) -> Arc<GlobalEnv> {
        GlobalEnv::make(definitions, store, given, false)
    }

    /// Returns an environment that evaluates every native library definition with an equation by
    /// this equation. This is slow; tests compare it with the engine.
    pub fn by_equations(definitions: Definitions, store: &mut Store) -> Arc<GlobalEnv> {
        GlobalEnv::make(definitions, store, &[], true)
    }

    fn make(
        definitions: Definitions,
        store: &mut Store,
        given: &[(GlobalId, i64)],
        equations: bool,
    ) -> Arc<GlobalEnv> {
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
        // Evaluation by equations makes a call for every node.
        let limit = if equations {
            100 * MAX_CALLS
        } else {
            MAX_CALLS
        };
        Arc::new_cyclic(|own| GlobalEnv {
            definitions,
            values: Mutex::default(),
            open: Mutex::default(),
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

    /// Returns the strategy of a library definition with these arguments, in the order of its
    /// parameters. Optional parameters at the end of a list may be left out. The strategy must not
    /// outlive the environment.
    ///
    /// # Errors
    /// The library has no definition of this name, it takes other arguments, or its evaluation
    /// fails.
    pub fn strategy(self: &Arc<Self>, name: &str, args: &[Value]) -> Result<Strategy, EvalError> {
        let missing = || EvalError::new(format!("the library has no `{name}`"));
        let id = library().named(name).ok_or_else(missing)?;
        let definition = library().definition(id).ok_or_else(missing)?;
        let mut eval = Eval::new(self, definition.clone());
        let given = args.iter().map(|value| (None, value.clone())).collect();
        let value = eval.definition_value()?;
        let value = eval.apply_function(value, given)?;
        eval.as_strategy(value)
            .ok_or_else(|| EvalError::new(format!("`{name}` needs other arguments")))
    }

    /// Returns true if the run gives the `tune` a value.
    pub(crate) fn is_given(&self, tune: GlobalId) -> bool {
        self.given.contains_key(&tune)
    }

    /// Returns the definitions of the run.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Returns the name of the `tune` of a variable; `_` for other variables.
    pub fn name_of(&self, var: Var) -> Name {
        self.names.get(&var).cloned().unwrap_or_else(|| "_".into())
    }

    /// Returns the `tune`s without a value, each with its name and its variable, in the order of
    /// the variables.
    pub fn open(&self) -> Vec<(GlobalId, Name, Var)> {
        let mut open: Vec<_> = self
            .tunes
            .iter()
            .map(|(&id, (name, var))| (id, name.clone(), *var))
            .collect();
        open.sort_by_key(|(_, _, var)| *var);
        open
    }

    /// Returns the message of an error, preceded by the name of the definition in which it
    /// occurred, if this is known and not in the message.
    pub(crate) fn explain(&self, trouble: &EvalError) -> String {
        let place = trouble.at.and_then(|(id, _)| self.definitions.strategy(id));
        match place.map(|definition| definition.name()) {
            Some(name) if !name.is_empty() && !trouble.message.contains(&format!("`{name}`")) => {
                format!("in `{name}`: {}", trouble.message)
            }
            _ => trouble.message.clone(),
        }
    }

    /// Returns the normal form that `;;` applies without an enclosing `with`.
    pub(super) fn default_normal_form(self: &Arc<Self>) -> Result<Strategy, EvalError> {
        let missing = || EvalError::new("the library has no normal form `DFNF`");
        match self.value(library().named("DFNF").ok_or_else(missing)?)? {
            Value::Strategy(strategy) => Ok(strategy),
            _ => Err(missing()),
        }
    }

    /// Resets the number of calls that are left, to reuse the environment for another run.
    pub fn renew(&self) {
        self.work.store(self.limit, Ordering::Relaxed);
    }

    /// Counts a call; fails if there are too many.
    pub(super) fn spend(&self) -> Result<(), EvalError> {
        let enough = |left: u64| left.checked_sub(1);
        match (self.work).fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough) {
            Ok(_) => Ok(()),
            Err(_) => Err(EvalError::new(format!(
                "the strategy makes more than {MAX_CALLS} calls, which is the limit: does a function call itself without end?"
            ))),
        }
    }

    /// Returns the value of a definition, which is memoised. It is a function if the definition has
    /// parameters.
    pub(crate) fn value(self: &Arc<Self>, id: GlobalId) -> EvalResult {
        let known = |globals: &GlobalEnv| {
            let values = globals
                .values
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            values.get(&id).cloned()
        };
        if let Some(value) = known(self) {
            return Ok(value);
        }
        let Some(definition) = self.definitions.strategy(id) else {
            return Err(EvalError::new(
                "a definition that is used here cannot be found",
            ));
        };
        let call = (thread::current().id(), id);
        let open = || (self.open.lock()).unwrap_or_else(PoisonError::into_inner);
        if !open().insert(call) {
            let name = definition.name();
            return Err(EvalError::new(format!(
                "the value of `{name}` depends on itself"
            )));
        }
        let value = self.evaluate(&definition);
        open().remove(&call);
        let value = value?;
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(values.entry(id).or_insert(value).clone())
    }

    fn evaluate(self: &Arc<Self>, definition: &Arc<Definition>) -> EvalResult {
        if let Some(value) = self.given.get(&definition.id) {
            return Ok(Value::Nat(Nat::constant(*value)));
        }
        if let Some(wrong) = errors(definition).next() {
            let (name, message) = (definition.name(), &wrong.message);
            return Err(EvalError::new(format!("`{name}` has errors: {message}")));
        }
        if let Some((_, var)) = self.tunes.get(&definition.id) {
            return Ok(Value::Nat(Nat::var(*var)));
        }
        Eval::new(self, definition.clone()).definition_value()
    }
}

pub(crate) fn has_errors(definition: &Definition) -> bool {
    errors(definition).next().is_some()
}

fn errors(definition: &Definition) -> impl Iterator<Item = &syntax::Diagnostic> {
    let all = definition.checked.diagnostics.iter();
    all.filter(|diagnostic| diagnostic.severity == syntax::Severity::Error)
}

/// Formats an environment as the name of its type, since its contents are large.
impl std::fmt::Debug for GlobalEnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GlobalEnv")
    }
}
