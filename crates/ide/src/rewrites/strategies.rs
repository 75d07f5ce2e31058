//! Strategies by their text.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use elevate::engine::Strategy;
use elevate::lang::{Definition, Definitions, File, Programs, World, strategy_of};
use elevate::term::Store;
use rise::Primitive;
use rise::core::Def;
use rustc_hash::FxHashMap;
use syntax::{GlobalId, Severity};

/// The number of the first text that is read here: no item of a database has it, and none of the
/// libraries.
const FIRST: u64 = 1 << 48;

/// How many texts are kept that were read.
const KEPT: usize = 4096;

/// Strategies that put definitions in the places of their names: they want to know those of the
/// program.
pub(super) const UNFOLDING: &[&str] = &["delta", "unfoldAll"];

/// The strategies of a request, on the terms of one store.
pub(crate) struct Strategies {
    shared: Arc<Shared>,
    /// A world with the definitions that the program uses, if it uses any.
    own: Option<Arc<World>>,
}

/// What requests share: strategies keep no terms, only the sizes that are left open.
struct Shared {
    /// A store with those sizes, which each request clones.
    store: Store,
    world: Arc<World>,
    known: Mutex<FxHashMap<String, Option<Strategy>>>,
}

impl Shared {
    fn new() -> Arc<Shared> {
        let mut store = Store::new();
        Arc::new(Shared {
            world: World::new(Definitions::default(), &mut store),
            store,
            known: Mutex::default(),
        })
    }

    fn known(&self) -> MutexGuard<'_, FxHashMap<String, Option<Strategy>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strategies {
    /// Strategies, and the store that they work on, for a program that uses these definitions.
    pub(crate) fn start(used: Definitions) -> (Store, Strategies) {
        static SHARED: LazyLock<Mutex<Arc<Shared>>> = LazyLock::new(|| Mutex::new(Shared::new()));
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.known().len() >= KEPT {
            *shared = Shared::new();
        }
        let (mut store, shared) = (shared.store.clone(), shared.clone());
        let own = (!used.programs.is_empty()).then(|| World::new(used, &mut store));
        let strategies = Strategies { shared, own };
        strategies.renew();
        (store, strategies)
    }

    /// Says that another request begins: each may evaluate as much.
    pub(crate) fn renew(&self) {
        self.shared.world.renew();
        self.own.iter().for_each(|own| own.renew());
    }

    /// The definitions that the program uses, and those that they use.
    pub(crate) fn programs(&self) -> impl Iterator<Item = (GlobalId, &Arc<Def<Primitive>>)> {
        let own = self.own.iter();
        own.flat_map(|own| {
            own.definitions()
                .programs
                .iter()
                .map(|(id, def)| (*id, def))
        })
    }

    /// The strategy that is written so; `None` if it is none.
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

/// A text as the main expression of a file with nothing else in it, read once.
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
    // Each text has a number of its own, for what a world knows of it.
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
