//! The previews that the client shows: which they are, and telling it when they change.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use db::FileId;
use ide::Form;
use rustc_hash::FxHasher;
use tower_lsp::lsp_types::TextDocumentIdentifier;

use super::client::Client;
use super::handlers::preview::{PreviewChanged, PreviewChangedParams, PreviewResult, again};
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

#[derive(Clone, Debug)]
struct Sent {
    shown: Shown,
    hash: u64,
    /// The revision of the texts that it was made of.
    generation: u64,
}

/// The previews that the client shows, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Previews(Arc<Mutex<Vec<Sent>>>);

impl Previews {
    /// The client is about to show a preview.
    pub fn show(&self, shown: Shown, result: &PreviewResult) {
        let mut all = self.lock();
        all.retain(|sent| sent.shown != shown);
        if all.len() >= MAX_SHOWN {
            all.remove(0);
        }
        all.push(Sent {
            shown,
            hash: hash(result),
            generation: 0,
        });
    }

    /// The client does not show it any more.
    pub fn close(&self, shown: &Shown) {
        self.lock().retain(|sent| sent.shown != *shown);
    }

    /// The document is closed, and so are its previews.
    pub fn close_all(&self, file: FileId) {
        self.lock().retain(|sent| sent.shown.file != file);
    }

    /// Tells the client which previews are different now.
    pub fn update(&self, snapshot: &Snapshot, generation: u64, client: &Client) {
        let all: Vec<Shown> = self.lock().iter().map(|sent| sent.shown.clone()).collect();
        for shown in all {
            let compute = || (snapshot.db).catch_cancelled(|| again(snapshot, &shown));
            match catch_unwind(AssertUnwindSafe(compute)) {
                Ok(Ok(Some((uri, result)))) => {
                    let text_document = TextDocumentIdentifier { uri };
                    self.send(&shown, text_document, &result, generation, client);
                }
                // It is closed, or what it needs has failed, which is reported elsewhere.
                Ok(Ok(None)) | Err(_) => {}
                // The texts have changed: the next update comes.
                Ok(Err(_)) => return,
            }
        }
    }

    /// Sends while the state is locked, so that messages go out in the order of the decisions.
    fn send(
        &self,
        shown: &Shown,
        text_document: TextDocumentIdentifier,
        result: &PreviewResult,
        generation: u64,
        client: &Client,
    ) {
        let hash = hash(result);
        let mut all = self.lock();
        let Some(sent) = all.iter_mut().find(|sent| sent.shown == *shown) else {
            return;
        };
        if sent.generation > generation || sent.hash == hash {
            return;
        }
        sent.generation = generation;
        sent.hash = hash;
        client.notify_json::<PreviewChanged>(&Json::of(&PreviewChangedParams {
            text_document,
            preview: result,
        }));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Sent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that is the same for what looks the same, within one run of the program.
fn hash(result: &PreviewResult) -> u64 {
    let mut hasher = FxHasher::default();
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
