//! Diagnostics that are sent without being asked for.

use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use db::{Cancelled, FileId, catch_cancelled};
use rustc_hash::{FxHashMap, FxHasher};
use tower_lsp::lsp_types::notification::PublishDiagnostics;
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticSeverity, NumberOrString, PublishDiagnosticsParams, Range, Uri,
};

use super::client::Client;
use super::event::Event;
use super::handlers::diagnostics::{failure, of_file};
use super::requests::{Reports, panic_message};
use super::snapshot::Snapshot;

/// Sends diagnostics, never older ones after newer ones.
#[derive(Clone, Debug)]
pub struct Publisher {
    client: Client,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    published: FxHashMap<FileId, Published>,
    /// Documents whose text has changed since their diagnostics were sent, with the revision.
    owed: FxHashMap<FileId, Owed>,
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
    /// A publisher that has sent nothing.
    pub fn new(client: Client) -> Self {
        Publisher {
            client,
            state: Arc::default(),
        }
    }

    /// The text of a document has changed: its diagnostics will be sent, even if they are the same.
    pub fn owe(&self, file: FileId, revision: u64, since: Instant) {
        let mut state = self.lock();
        match state.owed.entry(file) {
            Entry::Occupied(mut owed) => owed.get_mut().revision = revision,
            Entry::Vacant(owed) => drop(owed.insert(Owed { revision, since })),
        }
    }

    /// The document is closed: it has no diagnostics in the client any more.
    pub fn clear(&self, file: FileId, uri: Uri, generation: u64) {
        let mut state = self.lock();
        state.owed.remove(&file);
        state.published.insert(
            file,
            Published {
                generation,
                hash: hash(&[]),
            },
        );
        self.send(uri, Vec::new(), None);
    }

    /// Computes and sends what the snapshot's open documents have: those with a changed text first.
    pub fn run(&self, snapshot: &Snapshot, generation: u64, reports: &Reports) {
        let owed = self.lock().owed.clone();
        let mut files: Vec<FileId> = snapshot.view.open.keys().copied().collect();
        files.sort_by_key(|file| (!owed.contains_key(file), *file));
        for file in files {
            let compute = || catch_cancelled(|| of_file(snapshot, file));
            let diagnostics = match catch_unwind(AssertUnwindSafe(compute)) {
                Ok(Ok(diagnostics)) => diagnostics,
                Ok(Err(Cancelled::PropagatedPanic)) => vec![failure()],
                Ok(Err(_)) => return reports.status.interrupted(),
                Err(panic) => {
                    reports.status.panicked();
                    let reason = panic_message(&*panic);
                    let path = snapshot.db.path(file);
                    let _ = reports
                        .events
                        .send(Event::Problem(format!("checking {path} failed: {reason}")));
                    vec![failure()]
                }
            };
            self.publish(snapshot, file, diagnostics, generation, reports);
        }
    }

    fn publish(
        &self,
        snapshot: &Snapshot,
        file: FileId,
        diagnostics: Vec<Diagnostic>,
        generation: u64,
        reports: &Reports,
    ) {
        let Some(open) = snapshot.view.open.get(&file) else {
            return;
        };
        let hash = hash(&diagnostics);
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
        self.send(open.uri.clone(), diagnostics, Some(open.version));
        if let Some(owed) = owed {
            reports.status.diagnosed(owed.since.elapsed());
        }
    }

    /// Sends while the state is locked, so that messages go out in the order of the decisions.
    fn send(&self, uri: Uri, diagnostics: Vec<Diagnostic>, version: Option<i32>) {
        self.client
            .notify::<PublishDiagnostics>(PublishDiagnosticsParams {
                uri,
                diagnostics,
                version,
            });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that is the same for the same diagnostics, within one run of the program.
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
