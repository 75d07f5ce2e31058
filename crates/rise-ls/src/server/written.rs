//! Serialised diagnostics of documents, cached for each item.
//!
//! A large file has hundreds of diagnostics (each obligation is one), and an edit usually changes
//! those of one item. The cached text of the others is sent again.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use db::{FileId, ItemId, RunInputs};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use syntax::Diagnostic;
use tower_lsp::lsp_types::{Position, Uri};

use super::crash::{self, CHECK};
use super::snapshot::{Document, Snapshot};
use super::to_proto;
use super::wire::Json;

/// The cache of one document. Its content does not affect the result.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pieces: FxHashMap<ItemId, Arc<Piece>>,
    /// The items whose examples or strategies were run, with the inputs on which the outcome
    /// depends.
    run: FxHashMap<ItemId, RunInputs>,
}

/// The amount of work for the diagnostics of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Checks types. Examples and strategies are not run, but known outcomes that are still valid
    /// are included.
    Check,
    /// Also runs examples and strategies.
    Run,
}

/// The diagnostics of an item, and all inputs of their serialised form.
#[derive(Debug)]
struct Piece {
    diagnostics: Arc<[Diagnostic]>,
    text: Arc<str>,
    start: Position,
    /// The setting `rise.diagnostics.obligations`.
    obligations: bool,
    /// JSON objects, separated by commas.
    json: String,
    hash: u64,
}

/// The diagnostics of a document, ready to be sent.
#[derive(Debug, Default)]
pub struct Listed {
    pieces: Vec<Arc<Piece>>,
    /// True if items are left out whose examples or strategies have to be run.
    pub is_partial: bool,
}

impl Written {
    /// Returns the diagnostics of a file. Only those of changed or moved items are serialised.
    pub fn list(&mut self, snapshot: &Snapshot, file: FileId, effort: Effort) -> Listed {
        crash::on_purpose(CHECK, snapshot, Some(file));
        let document = snapshot.document_of(file);
        let runs = snapshot.db.runs(file);
        let is_left_out = |item: &ItemId, inputs: &RunInputs| {
            effort == Effort::Check && self.run.get(item) != Some(inputs)
        };
        let left_out: FxHashSet<ItemId> = runs
            .iter()
            .filter(|(item, inputs)| is_left_out(item, inputs))
            .map(|(item, _)| *item)
            .collect();
        let found = snapshot.db.file_diagnostics_without_runs(file, &left_out);
        let pieces: Vec<(ItemId, Arc<Piece>)> = found
            .into_iter()
            .map(|(item, found)| (item, self.piece(snapshot, &document, item, found)))
            .collect();
        let listed = pieces.iter().map(|(_, piece)| piece.clone()).collect();
        self.pieces = pieces.into_iter().collect();
        if left_out.is_empty() {
            self.run = runs.into_iter().collect();
        }
        Listed {
            pieces: listed,
            is_partial: !left_out.is_empty(),
        }
    }

    fn piece(
        &self,
        snapshot: &Snapshot,
        document: &Document,
        item: ItemId,
        diagnostics: Arc<[Diagnostic]>,
    ) -> Arc<Piece> {
        let text = snapshot.db.item_text(item);
        let obligations = snapshot.view.settings.obligations;
        let start = document.position(snapshot.db.item_span(item).start);
        let known = self.pieces.get(&item).filter(|piece| {
            piece.start == start
                && piece.obligations == obligations
                && Arc::ptr_eq(&piece.text, &text)
                && Arc::ptr_eq(&piece.diagnostics, &diagnostics)
                && piece.stands_alone()
        });
        known.cloned().unwrap_or_else(|| {
            let json = write(snapshot, document, item, &diagnostics);
            Arc::new(Piece {
                diagnostics,
                text,
                start,
                obligations,
                hash: hash(&json),
                json,
            })
        })
    }
}

impl Piece {
    /// Returns true if the diagnostics do not refer to other items, which may move independently.
    fn stands_alone(&self) -> bool {
        let mut related = self.diagnostics.iter().flat_map(|found| &found.related);
        related.all(|related| related.place.item.is_none())
    }
}

impl Listed {
    pub fn one(diagnostic: &tower_lsp::lsp_types::Diagnostic) -> Listed {
        let json = Json::of(diagnostic).as_str().to_owned();
        let piece = Piece {
            diagnostics: Arc::default(),
            text: Arc::default(),
            start: Position::default(),
            obligations: true,
            hash: hash(&json),
            json,
        };
        Listed {
            pieces: vec![Arc::new(piece)],
            is_partial: false,
        }
    }

    /// Returns a hash of the diagnostics, which is stable within one process.
    pub fn hash(&self) -> u64 {
        hash(
            &self
                .pieces
                .iter()
                .map(|piece| piece.hash)
                .collect::<Vec<_>>(),
        )
    }

    /// Returns the parameters of `textDocument/publishDiagnostics`.
    pub fn params(&self, uri: &Uri, version: Option<i32>) -> Json {
        let length: usize = self.pieces.iter().map(|piece| piece.json.len() + 1).sum();
        let uri = Json::of(uri);
        let mut text = String::with_capacity(length + uri.as_str().len() + 64);
        text.push_str("{\"uri\":");
        text.push_str(uri.as_str());
        text.push_str(",\"diagnostics\":[");
        // The diagnostics of an item may all be hidden by settings.
        let shown = self.pieces.iter().filter(|piece| !piece.json.is_empty());
        for (at, piece) in shown.enumerate() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(&piece.json);
        }
        text.push(']');
        if let Some(version) = version {
            text.push_str(",\"version\":");
            text.push_str(&version.to_string());
        }
        text.push('}');
        Json::from_text(text)
    }
}

fn write(
    snapshot: &Snapshot,
    document: &Document,
    item: ItemId,
    diagnostics: &[Diagnostic],
) -> String {
    let found = ide::item_diagnostics(&snapshot.db, item, diagnostics);
    let shown = to_proto::diagnostics(snapshot, document, &found);
    let written: Vec<Json> = shown.map(|found| Json::of(&found)).collect();
    let texts: Vec<&str> = written.iter().map(Json::as_str).collect();
    texts.join(",")
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::snapshot::View;
    use db::{Database, FilePath};
    use serde_json::{Value, json};

    const URI: &str = "file:///a.rise";

    fn list(written: &mut Written, db: &Database, file: FileId) -> (Listed, Value) {
        let snapshot = Snapshot {
            db: db.clone(),
            view: Arc::new(View::default()),
        };
        let listed = written.list(&snapshot, file, Effort::Run);
        let uri: Uri = URI.parse().expect("a URI");
        let params = listed.params(&uri, Some(3));
        let params = serde_json::from_str(params.as_str()).expect("it is JSON");
        (listed, params)
    }

    /// Returns the parameters without the cache, serialised by the protocol library.
    fn afresh(db: &Database, file: FileId) -> Value {
        let snapshot = Snapshot {
            db: db.clone(),
            view: Arc::new(View::default()),
        };
        let items = crate::server::handlers::diagnostics::of_file(&snapshot, file);
        json!({"uri": URI, "diagnostics": items, "version": 3})
    }

    #[test]
    fn what_is_kept_is_what_would_be_written_anew() {
        let mut db = Database::new();
        let mut written = Written::default();
        let path = FilePath::disk("/a.rise");
        let texts = [
            "def a = b\ndef c = \u{1F600}\ndef a = unknown + other\n",
            "\ndef a = b\ndef c = 1\ndef a = unknown + other\n",
            "\n  def a = b\ndef c = 1\ndef a = /*\n*/unknown + other\n",
            "",
            "def x = c\ndef a = b\n",
        ];
        for text in texts {
            let file = db.set_file(path.clone(), text);
            let (first, params) = list(&mut written, &db, file);
            assert_eq!(params, afresh(&db, file), "{text}");
            let (again, params) = list(&mut written, &db, file);
            assert_eq!(params, afresh(&db, file), "{text}");
            assert_eq!(first.hash(), again.hash());
        }
    }

    #[test]
    fn items_that_stay_where_they_are_are_not_written_again() {
        let mut db = Database::new();
        let mut written = Written::default();
        let path = FilePath::disk("/a.rise");
        let file = db.set_file(path.clone(), "def a = x\ndef b = y\ndef c = z\n");
        let (before, _) = list(&mut written, &db, file);
        db.edit_file(file, 18..19, "w");
        let (after, _) = list(&mut written, &db, file);
        let same: Vec<bool> = before
            .pieces
            .iter()
            .zip(&after.pieces)
            .map(|(before, after)| Arc::ptr_eq(before, after))
            .collect();
        assert_eq!(same, [true, false, true]);
        assert_ne!(before.hash(), after.hash());
    }
}
