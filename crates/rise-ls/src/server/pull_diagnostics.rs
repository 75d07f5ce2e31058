//! Pull diagnostics: determines when the client has to pull them again.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use db::FileId;
use rustc_hash::{FxHashMap, FxHasher};

use super::handlers::diagnostics::of_file;
use super::publish::hash;
use super::snapshot::Snapshot;

/// Hashes of the diagnostics of open documents that the latest change did not edit.
#[derive(Clone, Debug, Default)]
pub struct PulledDiagnostics(Arc<Mutex<FxHashMap<FileId, u64>>>);

impl PulledDiagnostics {
    /// Returns true if the diagnostics of an open document that the latest change did not edit
    /// differ from those of the last call, or were not computed then. Returns false if a change
    /// cancels the computation. A client pulls the diagnostics of an edited document by itself.
    pub fn have_changed(&self, snapshot: &Snapshot, generation: u64) -> bool {
        let compute = || (snapshot.db).catch_cancelled(|| hashes(snapshot, generation));
        // A change cancels this, and it is computed again. A panic is reported when the diagnostics
        // are pulled.
        let Ok(Ok(now)) = catch_unwind(AssertUnwindSafe(compute)) else {
            return false;
        };
        let mut before = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let have_changed = now
            .iter()
            .any(|(file, hash)| before.get(file) != Some(hash));
        *before = now;
        have_changed
    }
}

/// Returns hashes of the diagnostics of the open documents that the latest change did not edit.
fn hashes(snapshot: &Snapshot, generation: u64) -> FxHashMap<FileId, u64> {
    let open = snapshot.view.open.iter();
    let others = open.filter(|(_, open)| open.revision != generation);
    others
        .map(|(&file, open)| {
            let mut hasher = FxHasher::default();
            (open.revision, hash(&of_file(snapshot, file))).hash(&mut hasher);
            (file, hasher.finish())
        })
        .collect()
}
