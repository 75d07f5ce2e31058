//! The previews that the client shows, and the notifications about their changes.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use db::{FileId, ItemId};
use ide::Form;
use rustc_hash::FxHasher;
use tower_lsp::lsp_types::TextDocumentIdentifier;

use super::client::Client;
use super::handlers::preview::{
    PREVIEW_CHANGED, PreviewChangedParams, PreviewResult, RecomputedPreview, recompute_shown,
};
use super::snapshot::Snapshot;

/// The largest number of previews that are updated. The oldest ones are dropped.
pub const MAX_PREVIEWS: usize = 16;

/// The key of a shown preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewKey {
    pub file: FileId,
    pub def: String,
    pub form: Form,
}

/// The data that distinguish a renamed definition from a removed one.
#[derive(Clone, Debug, Default)]
pub struct DefinitionIdentity {
    /// The item that last declared the definition.
    pub item: Option<ItemId>,
    /// The names of all definitions that the document had at that time.
    pub names: Vec<String>,
}

#[derive(Clone, Debug)]
struct SentPreview {
    number: u64,
    key: PreviewKey,
    identity: DefinitionIdentity,
    hash: u64,
    /// The revision of the texts from which the preview was made.
    generation: u64,
}

/// The shown previews, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Previews(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    sent: Vec<SentPreview>,
    /// The number of previews so far.
    count: u64,
}

impl Previews {
    /// Adds a preview that is sent to the client, in place of an earlier one with the same key.
    pub fn show(&self, key: PreviewKey, identity: DefinitionIdentity, result: &PreviewResult) {
        let mut state = self.lock();
        state.sent.retain(|sent| sent.key != key);
        if state.sent.len() >= MAX_PREVIEWS {
            state.sent.remove(0);
        }
        state.count += 1;
        let number = state.count;
        state.sent.push(SentPreview {
            number,
            key,
            identity,
            hash: hash(result),
            generation: 0,
        });
    }

    /// Removes a preview that the client has closed.
    pub fn close(&self, key: &PreviewKey) {
        self.lock().sent.retain(|sent| sent.key != *key);
    }

    /// Removes the previews of a closed document.
    pub fn close_all(&self, file: FileId) {
        self.lock().sent.retain(|sent| sent.key.file != file);
    }

    /// Computes the previews again, and sends those that have changed to the client.
    pub fn update(&self, snapshot: &Snapshot, generation: u64, client: &Client) {
        let all = self.lock().sent.clone();
        for sent in all {
            let compute = || {
                (snapshot.db)
                    .catch_cancelled(|| recompute_shown(snapshot, &sent.key, sent.identity.clone()))
            };
            match catch_unwind(AssertUnwindSafe(compute)) {
                Ok(Ok(Some(now))) => self.send(sent.number, now, generation, client),
                // The preview is closed, or a computation has panicked, which is reported
                // elsewhere.
                Ok(Ok(None)) | Err(_) => {}
                // A change has cancelled the computation, and the next update follows.
                Ok(Err(_)) => return,
            }
        }
    }

    /// Sends a preview if it has changed, and none of a later generation was computed. The state is
    /// locked meanwhile, so that messages are sent in the order of generations.
    fn send(&self, number: u64, now: RecomputedPreview, generation: u64, client: &Client) {
        let hash = hash(&now.result);
        let mut state = self.lock();
        let Some(at) = state.sent.iter().position(|sent| sent.number == number) else {
            return;
        };
        let (form, file) = (state.sent[at].key.form, state.sent[at].key.file);
        let is_same =
            |key: &PreviewKey| key.form == form && key.file == file && key.def == now.result.def;
        // The definition may now have the name of another shown preview.
        if (state.sent.iter()).any(|sent| sent.number != number && is_same(&sent.key)) {
            return;
        }
        let sent = &mut state.sent[at];
        if sent.generation > generation {
            return;
        }
        sent.generation = generation;
        sent.identity = now.identity;
        if sent.hash == hash {
            return;
        }
        sent.hash = hash;
        let before = std::mem::replace(&mut sent.key.def, now.result.def.clone());
        let params = PreviewChangedParams {
            text_document: TextDocumentIdentifier { uri: now.uri },
            renamed_from: (before != now.result.def).then_some(&before),
            preview: &now.result,
        };
        client.notify_method(PREVIEW_CHANGED, &params);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a hash of the visible content, which is stable within one process.
fn hash(result: &PreviewResult) -> u64 {
    let mut hasher = FxHasher::default();
    result.def.hash(&mut hasher);
    result.text.hash(&mut hasher);
    for part in &result.map {
        for range in [part.source, part.target] {
            let (start, end) = (range.start, range.end);
            [start.line, start.character, end.line, end.character].hash(&mut hasher);
        }
    }
    for error in &result.errors {
        error.message.hash(&mut hasher);
        error.range.start.line.hash(&mut hasher);
        error.range.start.character.hash(&mut hasher);
    }
    hasher.finish()
}
