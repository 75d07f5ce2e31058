//! Estimates and performance hints of definitions in open documents, which are computed while no
//! message waits.
//!
//! Diagnostics and hovers show what is known for the present text of a definition, and never wait
//! for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use codegen::Target;
use db::{FileId, ItemId};
use dpia::PhraseProgram;
use rustc_hash::FxHashMap;
use syntax::Diagnostic;

use super::snapshot::Snapshot;

/// The estimates that are known, by definition.
#[derive(Clone, Debug, Default)]
pub struct KnownEstimates(Arc<Mutex<FxHashMap<ItemId, Known>>>);

/// The estimate of a definition.
#[derive(Clone, Debug)]
struct Known {
    /// The text of the definition.
    text: Arc<str>,
    /// The program that was estimated, for its first target.
    program: Arc<PhraseProgram>,
    target: Target,
    /// The estimated time and the sizes.
    summary: Option<Arc<str>>,
    hints: Arc<[Diagnostic]>,
}

impl KnownEstimates {
    /// Returns the definitions of a file with known hints, and the hints.
    pub fn hints(&self, snapshot: &Snapshot, file: FileId) -> Vec<(ItemId, Arc<[Diagnostic]>)> {
        if !snapshot.view.settings.diagnostics.performance {
            return Vec::new();
        }
        let items = snapshot.db.items(file);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = items.iter().filter_map(|item| {
            let known = known.get(item)?;
            let is_current = known.text == snapshot.db.item_text(*item);
            (is_current && !known.hints.is_empty()).then(|| (*item, known.hints.clone()))
        });
        found.collect()
    }

    /// Returns the estimated time of a definition in a target if it is known.
    pub fn summary(&self, snapshot: &Snapshot, item: ItemId) -> Option<(Target, Arc<str>)> {
        if !snapshot.view.settings.diagnostics.performance {
            return None;
        }
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(&item)?;
        let is_current = known.text == snapshot.db.item_text(item);
        let summary = known.summary.clone().filter(|_| is_current)?;
        Some((known.target, summary))
    }

    /// Computes the estimates of the definitions in open documents that have a target. Returns true
    /// if hints have changed. A change of a document cancels the computation, which continues after
    /// it.
    pub fn update(&self, snapshot: &Snapshot) -> bool {
        if !snapshot.view.settings.diagnostics.performance {
            return false;
        }
        let mut has_changed = false;
        for &file in snapshot.view.open.keys() {
            for &item in snapshot.db.items(file).iter() {
                let compute = || {
                    snapshot
                        .db
                        .catch_cancelled(|| self.update_item(snapshot, item))
                };
                match catch_unwind(AssertUnwindSafe(compute)) {
                    Ok(Ok(changed)) => has_changed |= changed,
                    // Estimates are no errors: the definition has none if they fail.
                    Err(_) | Ok(Err(db::Cancelled::PropagatedPanic)) => {}
                    Ok(Err(_)) => return has_changed,
                }
            }
        }
        has_changed
    }

    /// Computes the estimate of a definition unless it is known. Returns true if its hints have
    /// changed.
    fn update_item(&self, snapshot: &Snapshot, item: ItemId) -> bool {
        let db = &snapshot.db;
        let target = db.targets(item).iter().next();
        let program = target.map(|target| (target, db.imperative(item, target)));
        let Some((target, Ok(program))) = program else {
            let before = self.lock().remove(&item);
            return before.is_some_and(|before| !before.hints.is_empty());
        };
        let text = db.item_text(item);
        let known = self.lock().get(&item).cloned();
        if let Some(known) = &known
            && known.text == text
            && known.target == target
            && Arc::ptr_eq(&known.program, &program)
        {
            return false;
        }
        let (summary, hints) = match db.estimate_on(item, target, None, &[]) {
            Ok(found) => (found.estimate.summary().map(Arc::from), found.hints.clone()),
            Err(_) => (None, Vec::new()),
        };
        let has_changed = match &known {
            Some(known) => *known.hints != *hints,
            None => !hints.is_empty(),
        };
        let now = Known {
            text,
            program,
            target,
            summary,
            hints: hints.into(),
        };
        self.lock().insert(item, now);
        has_changed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<ItemId, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
