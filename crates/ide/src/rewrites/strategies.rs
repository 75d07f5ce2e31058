//! A cache of the strategies that rewrites use, by their source text.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use elevate::engine::Strategy;
use elevate::lang::{Definition, Definitions, File, GlobalEnv, Programs, strategy_of};
use elevate::term::Store;
use rise::Primitive;
use rise::core::Def;
use rustc_hash::FxHashMap;
use syntax::{GlobalId, Severity};

/// The first id of a strategy that is parsed here: no item of a database or library has an id this
/// large.
const FIRST: u64 = 1 << 48;

/// The number of cached texts from which on a cache is emptied before it gets another one.
const KEPT: usize = 4096;

/// The strategies that unfold definitions: they depend on the definitions of the program.
pub(super) const UNFOLDING: &[&str] = &["delta", "unfoldAll"];

/// The strategies for the terms of one store.
pub(crate) struct Strategies {
    shared: Arc<Shared>,
    /// The global environment with the definitions that the program uses, if there are any.
    own: Option<Arc<GlobalEnv>>,
}

/// The strategies shared by all requests: they contain no terms, only the sizes that are left open.
struct Shared {
    /// The store with the size variables of these strategies, which each request clones.
    store: Store,
    world: Arc<GlobalEnv>,
    known: Mutex<FxHashMap<String, Option<Strategy>>>,
}

impl Shared {
    fn new() -> Arc<Shared> {
        let mut store = Store::new();
        Arc::new(Shared {
            world: GlobalEnv::new(Definitions::default(), &mut store),
            store,
            known: Mutex::default(),
        })
    }

    fn known(&self) -> MutexGuard<'_, FxHashMap<String, Option<Strategy>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strategies {
    /// Creates the strategies, and the store for their terms, for a program that uses these
    /// definitions.
    pub(crate) fn start(used: Definitions) -> (Store, Strategies) {
        static SHARED: LazyLock<Mutex<Arc<Shared>>> = LazyLock::new(|| Mutex::new(Shared::new()));
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.known().len() >= KEPT {
            *shared = Shared::new();
        }
        let (mut store, shared) = (shared.store.clone(), shared.clone());
        let own = (!used.programs.is_empty()).then(|| GlobalEnv::new(used, &mut store));
        let strategies = Strategies { shared, own };
        strategies.renew();
        (store, strategies)
    }

    /// Resets the limit of evaluation, which applies to each request.
    pub(crate) fn renew(&self) {
        self.shared.world.renew();
        self.own.iter().for_each(|own| own.renew());
    }

    /// Returns the definitions with which these strategies were started: those that the program
    /// uses directly or transitively.
    pub(crate) fn programs(&self) -> impl Iterator<Item = (GlobalId, &Arc<Def<Primitive>>)> {
        let own = self.own.iter();
        own.flat_map(|own| {
            own.definitions()
                .programs
                .iter()
                .map(|(id, def)| (*id, def))
        })
    }

    /// Returns the strategy with this source text; `None` if it has errors.
    pub(crate) fn get(&self, text: &str) -> Option<Strategy> {
        if let Some(own) = self.own.as_ref().filter(|_| UNFOLDING.contains(&text)) {
            return definition(text).and_then(|text| strategy_of(own, &text).ok());
        }
        if let Some(known) = self.shared.known().get(text) {
            return known.clone();
        }
        let made = definition(text).and_then(|text| strategy_of(&self.shared.world, &text).ok());
        self.shared.known().insert(text.to_owned(), made.clone());
        made
    }
}

/// Parses a text as the main expression of a file; results are memoised. Returns `None` if it has
/// errors or contains more than one item.
fn definition(text: &str) -> Option<Arc<Definition>> {
    type Known = FxHashMap<String, Option<Arc<Definition>>>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(text) {
        return known.clone();
    }
    if known.len() >= KEPT {
        known.clear();
    }
    // Each text has its own id, because an environment memoises by id.
    static NEXT: AtomicU64 = AtomicU64::new(FIRST);
    let made = read(text).map(|mut definition| {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::make_mut(&mut definition).id = GlobalId(number);
        definition
    });
    known.insert(text.to_owned(), made.clone());
    made
}

fn read(text: &str) -> Option<Arc<Definition>> {
    let file = File::new(text, Programs::standard().clone());
    let wrong = |d: &syntax::Diagnostic| d.severity == Severity::Error;
    if file.diagnostics().iter().any(wrong) {
        return None;
    }
    let mut items = file.items();
    let only = items.next().cloned();
    only.filter(|_| items.next().is_none())
}
