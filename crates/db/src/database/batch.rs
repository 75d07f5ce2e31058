//! Parallel checking of many files.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashSet;
use syntax::Diagnostic;

use super::Database;
use crate::demand::evaluate;
use crate::files::{FileId, ItemId};
use crate::targets::evaluate_diagnostics;

/// The stack size of a thread, in bytes: deep terms are traversed recursively. Only the used part
/// occupies memory.
const STACK_SIZE: usize = 64 << 20;
/// The number of items that a thread takes from the work list at once.
const ITEMS_PER_TASK: usize = 32;

/// A file with all its diagnostics, grouped by item.
pub type FileReport = (FileId, Vec<(ItemId, Arc<[Diagnostic]>)>);

impl Database {
    /// Checks the files on the given number of threads, but at least on one. The reports are in the
    /// order of `files`, without the items that have no diagnostics.
    pub fn check_all(&self, files: &[FileId], threads: usize) -> Vec<FileReport> {
        let items: Vec<ItemId> = files
            .iter()
            .flat_map(|&file| self.items(file).to_vec())
            .collect();
        self.in_parallel(&items, threads, |db, chunk, seen| {
            evaluate(db, chunk.iter().copied(), seen);
            chunk
                .iter()
                .for_each(|&item| evaluate_diagnostics(db, item));
        });
        files
            .iter()
            .map(|&file| (file, self.file_diagnostics(file)))
            .collect()
    }

    fn in_parallel(
        &self,
        items: &[ItemId],
        threads: usize,
        work: impl Fn(&Database, &[ItemId], &mut FxHashSet<ItemId>) + Sync,
    ) {
        let next = AtomicUsize::new(0);
        let run = |db: Database| {
            // The visited items of all chunks of a thread: a chain of definitions is traversed
            // once, not once for each of its links.
            let mut seen = FxHashSet::default();
            while let Some(chunk) = items
                .chunks(ITEMS_PER_TASK)
                .nth(next.fetch_add(1, Ordering::Relaxed))
            {
                work(&db, chunk, &mut seen);
            }
        };
        std::thread::scope(|scope| {
            let spawn = |_| {
                let db = self.clone();
                std::thread::Builder::new()
                    .stack_size(STACK_SIZE)
                    .spawn_scoped(scope, || run(db))
            };
            let workers: Vec<_> = (0..threads.max(1)).map(spawn).collect();
            let mut started = false;
            for worker in workers.into_iter().flatten() {
                started = true;
                if let Err(panic) = worker.join() {
                    resume_unwind(panic);
                }
            }
            if !started {
                run(self.clone());
            }
        });
    }
}
