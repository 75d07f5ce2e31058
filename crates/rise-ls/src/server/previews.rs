//! The previews that the client shows: which they are, and telling it when they change.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use db::{FileId, ItemId};
use ide::Form;
use rustc_hash::FxHasher;
use tower_lsp::lsp_types::TextDocumentIdentifier;

use super::client::Client;
use super::handlers::preview::{Again, PreviewChanged, PreviewChangedParams, PreviewResult, again};
use super::snapshot::Snapshot;
use super::wire::Json;

/// The number of previews that are kept up to date. Of more the oldest are forgotten.
pub const MAX_SHOWN: usize = 16;

/// A preview that the client shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The document.
    pub file: FileId,
    /// The definition.
    pub def: String,
    /// Its form.
    pub form: Form,
}

/// What tells a renamed definition from one that is gone.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The item that declared the definition when it was last there.
    pub item: Option<ItemId>,
    /// The names of all definitions that the document had then.
    pub names: Vec<String>,
}

#[derive(Clone, Debug)]
struct Sent {
    number: u64,
    shown: Shown,
    identity: Identity,
    hash: u64,
    /// The revision of the texts that it was made of.
    generation: u64,
}

/// The previews that the client shows, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Previews(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    sent: Vec<Sent>,
    /// How many previews there were so far.
    count: u64,
}

impl Previews {
    /// The client is about to show a preview.
    pub fn show(&self, shown: Shown, identity: Identity, result: &PreviewResult) {
        let mut state = self.lock();
        state.sent.retain(|sent| sent.shown != shown);
        if state.sent.len() >= MAX_SHOWN {
            state.sent.remove(0);
        }
        state.count += 1;
        let number = state.count;
        state.sent.push(Sent {
            number,
            shown,
            identity,
            hash: hash(result),
            generation: 0,
        });
    }

    /// The client does not show it any more.
    pub fn close(&self, shown: &Shown) {
        self.lock().sent.retain(|sent| sent.shown != *shown);
    }

    /// The document is closed, and so are its previews.
    pub fn close_all(&self, file: FileId) {
        self.lock().sent.retain(|sent| sent.shown.file != file);
    }

    /// Tells the client which previews are different now.
    pub fn update(&self, snapshot: &Snapshot, generation: u64, client: &Client) {
        let all = self.lock().sent.clone();
        for sent in all {
            let compute = || {
                (snapshot.db)
                    .catch_cancelled(|| again(snapshot, &sent.shown, sent.identity.clone()))
            };
            match catch_unwind(AssertUnwindSafe(compute)) {
                Ok(Ok(Some(now))) => self.send(sent.number, now, generation, client),
                // It is closed, or what it needs has failed, which is reported elsewhere.
                Ok(Ok(None)) | Err(_) => {}
                // The texts have changed: the next update comes.
                Ok(Err(_)) => return,
            }
        }
    }

    /// Sends while the state is locked, so that messages go out in the order of the decisions.
    fn send(&self, number: u64, now: Again, generation: u64, client: &Client) {
        let hash = hash(&now.result);
        let mut state = self.lock();
        let Some(at) = state.sent.iter().position(|sent| sent.number == number) else {
            return;
        };
        let (form, file) = (state.sent[at].shown.form, state.sent[at].shown.file);
        let is_it =
            |shown: &Shown| shown.form == form && shown.file == file && shown.def == now.result.def;
        // The definition may have got the name of another one that is shown.
        if (state.sent.iter()).any(|sent| sent.number != number && is_it(&sent.shown)) {
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
        let before = std::mem::replace(&mut sent.shown.def, now.result.def.clone());
        client.notify_json::<PreviewChanged>(&Json::of(&PreviewChangedParams {
            text_document: TextDocumentIdentifier { uri: now.uri },
            renamed_from: (before != now.result.def).then_some(&before),
            preview: &now.result,
        }));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that is the same for what looks the same, within one run of the program.
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
