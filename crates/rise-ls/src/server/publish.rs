//! Push diagnostics: publishes the diagnostics of open documents.

use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use db::{Cancelled, FileId};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use tower_lsp::lsp_types::notification::PublishDiagnostics;
use tower_lsp::lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Range, Uri};

use super::client::Client;
use super::event::Event;
use super::handlers::diagnostics::failure;
use super::requests::{Reports, panic_message};
use super::snapshot::Snapshot;
use super::written::{Effort, Listed, Written};

/// Publishes diagnostics, and never older ones after newer ones.
#[derive(Clone, Debug)]
pub struct Publisher {
    client: Client,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    published: FxHashMap<FileId, Published>,
    /// Documents whose text has changed since their diagnostics were published, with the revision.
    owed: FxHashMap<FileId, Owed>,
    /// The serialised diagnostics of each document, which a job takes out while it updates them.
    written: FxHashMap<FileId, Written>,
    /// Documents whose completions are precomputed.
    prepared: FxHashSet<FileId>,
}

#[derive(Clone, Copy, Debug)]
struct Published {
    generation: u64,
    hash: u64,
}

#[derive(Clone, Copy, Debug)]
struct Owed {
    revision: u64,
    since: Instant,
}

impl Publisher {
    pub fn new(client: Client) -> Self {
        Publisher {
            client,
            state: Arc::default(),
        }
    }

    /// Records a change of a document: its diagnostics will be published even if they are the same.
    pub fn owe(&self, file: FileId, revision: u64, since: Instant) {
        let mut state = self.lock();
        match state.owed.entry(file) {
            Entry::Occupied(mut owed) => owed.get_mut().revision = revision,
            Entry::Vacant(owed) => drop(owed.insert(Owed { revision, since })),
        }
    }

    /// Clears the diagnostics of a closed document.
    pub fn clear(&self, file: FileId, uri: Uri, generation: u64) {
        let mut state = self.lock();
        state.owed.remove(&file);
        state.published.insert(
            file,
            Published {
                generation,
                hash: Listed::default().hash(),
            },
        );
        state.written.remove(&file);
        state.prepared.remove(&file);
        let params = Listed::default().params(&uri, None);
        self.client.notify_json::<PublishDiagnostics>(&params);
    }

    /// Computes and publishes the diagnostics of the open documents, starting with changed ones.
    /// Syntax and type errors are published before examples and strategies run, which take longer;
    /// a change cancels these runs.
    pub fn run(&self, snapshot: &Snapshot, generation: u64, reports: &Reports) {
        let owed = self.lock().owed.clone();
        let mut files: Vec<FileId> = snapshot.view.open.keys().copied().collect();
        files.sort_by_key(|file| (!owed.contains_key(file), *file));
        let list = |files: Vec<FileId>, effort| {
            let mut partial = Vec::new();
            for file in files {
                let listed = self.list(snapshot, file, effort, generation, reports)?;
                if listed.is_partial {
                    partial.push(file);
                }
                self.publish(snapshot, file, &listed, generation, reports);
            }
            Some(partial)
        };
        if let Some(partial) = list(files, Effort::Check) {
            self.prepare(snapshot);
            list(partial, Effort::Run);
        }
    }

    /// Computes the diagnostics of a document. After a panic returns one that reports it; `None` if
    /// a change cancels the computation.
    fn list(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        effort: Effort,
        generation: u64,
        reports: &Reports,
    ) -> Option<Listed> {
        let mut written = self.lock().written.remove(&file).unwrap_or_default();
        let compute = || (snapshot.db).catch_cancelled(|| written.list(snapshot, file, effort));
        let outcome = catch_unwind(AssertUnwindSafe(compute));
        self.keep(file, written, generation);
        match outcome {
            Ok(Ok(diagnostics)) => Some(diagnostics),
            Ok(Err(Cancelled::PropagatedPanic)) => Some(Listed::one(&failure())),
            Ok(Err(_)) => {
                reports.status.interrupted();
                None
            }
            Err(panic) => {
                reports.status.panicked();
                let path = snapshot.db.path(file);
                let reason = panic_message(&*panic);
                let problem = format!("checking {path} failed: {reason}");
                let _ = reports.events.send(Event::Problem(problem));
                Some(Listed::one(&failure()))
            }
        }
    }

    /// Precomputes completions in new documents. A change may cancel this, and it continues after
    /// the next diagnostics.
    pub fn prepare(&self, snapshot: &Snapshot) {
        let known = self.lock().prepared.clone();
        for &file in snapshot
            .view
            .open
            .keys()
            .filter(|file| !known.contains(file))
        {
            let prepare =
                || (snapshot.db).catch_cancelled(|| ide::prepare_completions(&snapshot.db, file));
            // A panic is reported when completions are requested.
            if let Ok(Err(_)) = catch_unwind(AssertUnwindSafe(prepare)) {
                return;
            }
            self.lock().prepared.insert(file);
        }
    }

    /// Stores serialised diagnostics, unless the document was closed meanwhile.
    fn keep(&self, file: FileId, written: Written, generation: u64) {
        let mut state = self.lock();
        let later = |published: &Published| published.generation > generation;
        if !state.published.get(&file).is_some_and(later) {
            state.written.insert(file, written);
        }
    }

    /// Publishes diagnostics while the state is locked, so that messages are sent in the order of
    /// generations.
    fn publish(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        diagnostics: &Listed,
        generation: u64,
        reports: &Reports,
    ) {
        let Some(open) = snapshot.view.open.get(&file) else {
            return;
        };
        let hash = diagnostics.hash();
        let mut state = self.lock();
        let before = state.published.get(&file).copied();
        if before.is_some_and(|before| before.generation > generation) {
            return;
        }
        let owed = state
            .owed
            .get(&file)
            .copied()
            .filter(|owed| owed.revision == open.revision);
        if owed.is_some() {
            state.owed.remove(&file);
        } else if before.is_some_and(|before| before.hash == hash) {
            return;
        }
        state.published.insert(file, Published { generation, hash });
        let params = diagnostics.params(&open.uri, Some(open.version));
        // The counter changes before the message is sent, so that the client never sees an old
        // value after it.
        if let Some(owed) = owed {
            reports.status.diagnosed(owed.since.elapsed());
        }
        self.client.notify_json::<PublishDiagnostics>(&params);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a hash of the diagnostics, which is stable within one process.
pub fn hash(diagnostics: &[Diagnostic]) -> u64 {
    let mut hasher = FxHasher::default();
    for diagnostic in diagnostics {
        hash_range(diagnostic.range, &mut hasher);
        diagnostic.severity.map(severity_rank).hash(&mut hasher);
        diagnostic.message.hash(&mut hasher);
        if let Some(NumberOrString::String(code)) = &diagnostic.code {
            code.hash(&mut hasher);
        }
        for related in diagnostic.related_information.iter().flatten() {
            related.location.uri.hash(&mut hasher);
            hash_range(related.location.range, &mut hasher);
            related.message.hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn hash_range(range: Range, hasher: &mut impl Hasher) {
    let Range { start, end } = range;
    [start.line, start.character, end.line, end.character].hash(hasher);
}

fn severity_rank(severity: DiagnosticSeverity) -> u8 {
    match severity {
        DiagnosticSeverity::ERROR => 1,
        DiagnosticSeverity::WARNING => 2,
        DiagnosticSeverity::INFORMATION => 3,
        _ => 4,
    }
}
