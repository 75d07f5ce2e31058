//! Diagnostics that a client asks for: when it has to ask again.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use db::FileId;
use rustc_hash::{FxHashMap, FxHasher};

use super::handlers::diagnostics::of_file;
use super::publish::hash;
use super::snapshot::Snapshot;

/// What the diagnostics of the open documents were when nobody had changed their texts.
#[derive(Clone, Debug, Default)]
pub struct Pulled(Arc<Mutex<FxHashMap<FileId, u64>>>);

impl Pulled {
    /// Returns true if a document whose text is the same has other diagnostics than before, because of a
    /// file that it imports. A client asks by itself for those of a document that it changes.
    pub fn have_changed(&self, snapshot: &Snapshot, generation: u64) -> bool {
        let compute = || (snapshot.db).catch_cancelled(|| hashes(snapshot, generation));
        // A change interrupts this, and then it is done again. A failure is reported by whoever asks.
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

/// Returns numbers for the diagnostics of the open documents that the latest change is not in.
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
