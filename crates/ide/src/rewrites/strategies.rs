//! Strategies by their text.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use elevate::engine::Strategy;
use elevate::lang::{Definition, Definitions, File, Programs, World, strategy_of};
use elevate::term::Store;
use rustc_hash::FxHashMap;
use syntax::{GlobalId, Severity};

/// The number of the first text that is read here: no item of a database has it, and none of the
/// libraries.
const FIRST: u64 = 1 << 48;

/// How many texts are kept that were read.
const KEPT: usize = 4096;

/// The strategies of a request, on the terms of one store.
pub(crate) struct Strategies {
    world: Arc<World>,
    known: FxHashMap<String, Option<Strategy>>,
}

impl Strategies {
    /// Those that work on the terms of a store. `programs` are definitions of RISE that rules may
    /// look into, besides those of the standard library.
    pub(crate) fn new(store: &mut Store) -> Strategies {
        Strategies {
            world: World::new(Definitions::default(), store),
            known: FxHashMap::default(),
        }
    }

    /// The strategy that is written so; `None` if it is none.
    pub(crate) fn get(&mut self, text: &str) -> Option<Strategy> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let made = definition(text).and_then(|text| strategy_of(&self.world, &text).ok());
        self.known.insert(text.to_owned(), made.clone());
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
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(FIRST);
    let made = read(text).map(|mut definition| {
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
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
