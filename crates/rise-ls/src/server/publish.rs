//! Push diagnostics: publishes the diagnostics of open documents, and clears those of closed ones.
//! After the first diagnostics, completions are precomputed.

use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use db::{Cancelled, FileId, ItemId, RunInputs};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use tower_lsp::lsp_types::notification::PublishDiagnostics;
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticSeverity, NumberOrString, PublishDiagnosticsParams, Range, Uri,
};

use super::client::Client;
use super::crash::{self, CHECK};
use super::event::Event;
use super::handlers::diagnostics::failure;
use super::requests::{Reports, panic_message};
use super::snapshot::Snapshot;
use super::to_proto;

/// Publishes diagnostics, and never older ones after newer ones.
#[derive(Clone, Debug)]
pub struct Publisher {
    client: Client,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    published: FxHashMap<FileId, Published>,
    /// Documents whose text has changed since their diagnostics were published.
    outdated: FxHashMap<FileId, Outdated>,
    completed: FxHashMap<FileId, Arc<CompletedRuns>>,
    /// Documents whose completions are precomputed.
    prepared: FxHashSet<FileId>,
}

#[derive(Clone, Copy, Debug)]
struct Published {
    generation: u64,
    hash: u64,
}

#[derive(Clone, Copy, Debug)]
struct Outdated {
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
    pub fn text_changed(&self, file: FileId, revision: u64, since: Instant) {
        let mut state = self.lock();
        match state.outdated.entry(file) {
            Entry::Occupied(mut known) => known.get_mut().revision = revision,
            Entry::Vacant(place) => drop(place.insert(Outdated { revision, since })),
        }
    }

    /// Clears the diagnostics of a closed document.
    pub fn clear(&self, file: FileId, uri: Uri, generation: u64) {
        let mut state = self.lock();
        state.outdated.remove(&file);
        state.published.insert(
            file,
            Published {
                generation,
                hash: hash(&[]),
            },
        );
        state.completed.remove(&file);
        state.prepared.remove(&file);
        let params = PublishDiagnosticsParams::new(uri, Vec::new(), None);
        self.client.notify::<PublishDiagnostics>(&params);
    }

    /// Computes and publishes the diagnostics of the open documents, starting with changed ones.
    /// Syntax and type errors are published before examples and strategies run, which take longer;
    /// a change cancels these runs.
    pub fn run(&self, snapshot: &Snapshot, generation: u64, reports: &Reports) {
        let outdated = self.lock().outdated.clone();
        let mut files: Vec<FileId> = snapshot.view.open.keys().copied().collect();
        files.sort_by_key(|file| (!outdated.contains_key(file), *file));
        let list = |files: Vec<FileId>, effort| {
            let mut partial = Vec::new();
            for file in files {
                let listed = self.list(snapshot, file, effort, generation, reports)?;
                if listed.completed.is_none() {
                    partial.push(file);
                }
                self.publish(snapshot, file, listed.items, generation, reports);
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
    ) -> Option<FileDiagnostics> {
        let known = self.lock().completed.get(&file).cloned();
        let known = known.unwrap_or_default();
        let compute =
            || (snapshot.db).catch_cancelled(|| diagnostics(snapshot, file, effort, &known));
        match catch_unwind(AssertUnwindSafe(compute)) {
            Ok(Ok(found)) => {
                if let Some(completed) = &found.completed {
                    self.keep(file, completed, generation);
                }
                Some(found)
            }
            Ok(Err(Cancelled::PropagatedPanic)) => Some(FileDiagnostics::failure()),
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
                Some(FileDiagnostics::failure())
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

    /// Stores the completed runs of a document, unless its diagnostics of a later generation were
    /// published, or it was closed meanwhile.
    fn keep(&self, file: FileId, completed: &Arc<CompletedRuns>, generation: u64) {
        let mut state = self.lock();
        let later = |published: &Published| published.generation > generation;
        if !state.published.get(&file).is_some_and(later) {
            state.completed.insert(file, completed.clone());
        }
    }

    /// Publishes diagnostics, unless those of a later generation were published, or neither they
    /// nor the text have changed. The state is locked meanwhile, so that messages are sent in the
    /// order of generations.
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
        let outdated = state
            .outdated
            .get(&file)
            .copied()
            .filter(|known| known.revision == open.revision);
        if outdated.is_some() {
            state.outdated.remove(&file);
        } else if before.is_some_and(|before| before.hash == hash) {
            return;
        }
        state.published.insert(file, Published { generation, hash });
        let (uri, version) = (open.uri.clone(), Some(open.version));
        let params = PublishDiagnosticsParams::new(uri, diagnostics, version);
        // The counter changes before the message is sent, so that the client never sees an old
        // value after it.
        if let Some(outdated) = outdated {
            reports.status.diagnosed(outdated.since.elapsed());
        }
        self.client.notify::<PublishDiagnostics>(&params);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The amount of work for the diagnostics of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    /// Checks types. Examples and strategies are not run, but known outcomes that are still valid
    /// are included.
    Check,
    /// Also runs examples and strategies.
    Run,
}

/// The items of a document whose examples or strategies were run, with the inputs on which the
/// outcome depends.
type CompletedRuns = FxHashMap<ItemId, RunInputs>;

struct FileDiagnostics {
    items: Vec<Diagnostic>,
    /// The runs whose outcomes are included. `None` if some outcomes are left out, because the
    /// examples or strategies have to be run.
    completed: Option<Arc<CompletedRuns>>,
}

impl FileDiagnostics {
    fn failure() -> FileDiagnostics {
        FileDiagnostics {
            items: vec![failure()],
            completed: Some(Arc::default()),
        }
    }
}

/// Computes the diagnostics of a document. With [`Effort::Check`] they include the outcomes of those
/// `known` runs whose inputs are unchanged, with [`Effort::Run`] those of all examples and strategies.
fn diagnostics(
    snapshot: &Snapshot,
    file: FileId,
    effort: Effort,
    known: &CompletedRuns,
) -> FileDiagnostics {
    crash::on_purpose(CHECK, snapshot, Some(file));
    let document = snapshot.document_of(file);
    let runs = snapshot.db.runs(file);
    let left_out: FxHashSet<ItemId> = runs
        .iter()
        .filter(|(item, inputs)| effort == Effort::Check && known.get(item) != Some(inputs))
        .map(|(item, _)| *item)
        .collect();
    let mut items = Vec::new();
    for (item, found) in snapshot.db.file_diagnostics_without_runs(file, &left_out) {
        let found = ide::item_diagnostics(&snapshot.db, item, &found);
        items.extend(to_proto::diagnostics(snapshot, &document, &found));
    }
    for (item, found) in snapshot.view.estimates.hints(snapshot, file) {
        let found = ide::item_diagnostics(&snapshot.db, item, &found);
        items.extend(to_proto::diagnostics(snapshot, &document, &found));
    }
    let completed = left_out
        .is_empty()
        .then(|| Arc::new(runs.into_iter().collect()));
    FileDiagnostics { items, completed }
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
