//! The open documents with the client's texts, and the visibility of each for the worker.

use std::time::{Duration, Instant};

use db::FilePath;
use ropey::Rope;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use tower_lsp::lsp_types::{
    DidChangeTextDocumentParams, Position, TextDocumentContentChangeEvent, TextDocumentItem,
};

use crate::server::positions::{Encoding, to_byte};
use crate::server::uri;

/// The time after the last crash on a document after which its crashes so far no longer count.
const CRASH_WINDOW: Duration = Duration::from_secs(60);
/// The time between the last edit of a quarantined document and its next trial after one crash. It
/// doubles with each crash.
const FIRST_BACKOFF: Duration = Duration::from_millis(200);
/// The longest time between the last edit of a quarantined document and its next trial.
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// The number of kept changes of a document from which on they are applied to its text.
const MAX_CHANGES: usize = 1000;
/// The number of bytes that the kept changes of a document insert from which on they are applied to
/// its text.
const MAX_INSERTED: usize = 1 << 20;

#[derive(Debug)]
pub struct Document {
    /// The document as opened, or with the text after the changes that were applied.
    item: TextDocumentItem,
    /// The changes since then, which are only applied when a worker is started, or when there are
    /// many.
    changes: Vec<TextDocumentContentChangeEvent>,
    /// The number of bytes that `changes` insert.
    inserted: usize,
    /// The largest length in bytes that the text in `item` has had.
    largest: usize,
    visibility: Visibility,
    crashes: u32,
    last_crash: Option<Instant>,
}

/// The text of a document that the worker has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// The current text.
    Visible,
    /// An empty text until the trial of the document.
    Waiting,
    /// An empty text, because the worker has crashed on this document.
    Quarantined {
        /// The time of the next trial; `None` until the text or another file changes.
        retry: Option<Instant>,
    },
}

/// The effect of a notification about a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The worker receives the notification.
    Forwarded,
    /// The worker does not receive it, and may receive the whole text later.
    Withheld,
    /// The notification is ignored for this reason.
    Ignored(String),
}

/// The open documents, by path.
#[derive(Debug, Default)]
pub struct Documents {
    open: FxHashMap<FilePath, Document>,
    last_changed: Option<FilePath>,
}

impl Documents {
    pub fn open(&mut self, item: TextDocumentItem) {
        let path = uri::to_path(item.uri.as_str());
        self.last_changed = Some(path.clone());
        let largest = item.text.len();
        self.open.insert(
            path,
            Document {
                item,
                changes: Vec::new(),
                inserted: 0,
                largest,
                visibility: Visibility::Visible,
                crashes: 0,
                last_crash: None,
            },
        );
    }

    /// Changes the text of a document. A change with an older version is ignored, because its
    /// positions refer to another text.
    pub fn change(&mut self, params: DidChangeTextDocumentParams, encoding: Encoding) -> Change {
        let path = uri::to_path(params.text_document.uri.as_str());
        let Some(document) = self.open.get_mut(&path) else {
            // The worker reports the error.
            return Change::Forwarded;
        };
        let (version, known) = (params.text_document.version, document.item.version);
        if version < known {
            return Change::Ignored(format!(
                "a change of {path} to version {version} is ignored: the text has version {known}"
            ));
        }
        document.item.version = version;
        for change in params.content_changes {
            document.change(change, encoding);
        }
        let change = match document.visibility {
            Visibility::Visible => Change::Forwarded,
            Visibility::Waiting | Visibility::Quarantined { .. } => Change::Withheld,
        };
        document.retry_later();
        self.last_changed = Some(path);
        change
    }

    pub fn close(&mut self, path: &FilePath) -> Option<Document> {
        self.open.remove(path)
    }

    pub fn get(&self, path: &FilePath) -> Option<&Document> {
        self.open.get(path)
    }

    /// Returns the paths of the documents whose visibility matches, sorted.
    pub fn select(&self, wanted: impl Fn(Visibility) -> bool) -> Vec<FilePath> {
        let mut paths: Vec<FilePath> = self
            .open
            .iter()
            .filter(|(_, document)| wanted(document.visibility))
            .map(|(path, _)| path.clone())
            .collect();
        paths.sort();
        paths
    }

    /// Returns the document that was opened or changed last, if it is still open.
    pub fn last_changed(&self) -> Option<&FilePath> {
        let path = self.last_changed.as_ref()?;
        self.open.contains_key(path).then_some(path)
    }

    /// Counts a crash of a document, and returns the number of its recent crashes.
    pub fn count_crash(&mut self, path: &FilePath, now: Instant) -> u32 {
        let Some(document) = self.open.get_mut(path) else {
            return 0;
        };
        if document
            .last_crash
            .is_none_or(|last| last + CRASH_WINDOW < now)
        {
            document.crashes = 0;
        }
        document.crashes = document.crashes.saturating_add(1);
        document.last_crash = Some(now);
        document.crashes
    }

    pub fn show(&mut self, path: &FilePath, visibility: Visibility) {
        if let Some(document) = self.open.get_mut(path) {
            document.visibility = visibility;
        }
    }

    /// Schedules a trial of every quarantined document, because imported files may have changed.
    pub fn retry_all(&mut self) {
        self.open.values_mut().for_each(Document::retry_later);
    }

    /// Returns the time of the next trial of a quarantined document.
    pub fn next_retry(&self) -> Option<Instant> {
        self.open.values().filter_map(Document::retry).min()
    }

    /// Returns the quarantined documents whose trial is due, and sets them to waiting.
    pub fn take_due(&mut self, now: Instant) -> Vec<FilePath> {
        let mut due = Vec::new();
        for (path, document) in &mut self.open {
            if document.retry().is_some_and(|retry| retry <= now) {
                document.visibility = Visibility::Waiting;
                due.push(path.clone());
            }
        }
        due.sort();
        due
    }
}

impl Document {
    pub fn visibility(&self) -> Visibility {
        self.visibility
    }

    pub fn uri(&self) -> &uri::Uri {
        &self.item.uri
    }

    /// Returns the largest length in bytes that the text has had, without changes that are not
    /// applied yet.
    pub fn largest(&self) -> usize {
        self.largest
    }

    pub fn version(&self) -> i32 {
        self.item.version
    }

    fn change(&mut self, change: TextDocumentContentChangeEvent, encoding: Encoding) {
        if change.range.is_none() {
            self.set_text(change.text);
            return;
        }
        self.inserted += change.text.len();
        self.changes.push(change);
        if self.changes.len() >= MAX_CHANGES || self.inserted >= MAX_INSERTED {
            self.set_text(self.text(encoding));
        }
    }

    fn set_text(&mut self, text: String) {
        self.largest = self.largest.max(text.len());
        self.item.text = text;
        self.changes.clear();
        self.inserted = 0;
    }

    fn text(&self, encoding: Encoding) -> String {
        if self.changes.is_empty() {
            return self.item.text.clone();
        }
        let mut text = Rope::from_str(&self.item.text);
        for change in &self.changes {
            apply(&mut text, change, encoding);
        }
        text.to_string()
    }

    /// Returns the parameters of `textDocument/didOpen`, with the text for the worker.
    pub fn opened(&self, encoding: Encoding) -> Value {
        let text = match self.visibility {
            Visibility::Visible => self.text(encoding),
            Visibility::Waiting | Visibility::Quarantined { .. } => String::new(),
        };
        json!({"textDocument": {
            "uri": self.item.uri,
            "languageId": self.item.language_id,
            "version": self.item.version,
            "text": text,
        }})
    }

    fn retry(&self) -> Option<Instant> {
        match self.visibility {
            Visibility::Quarantined { retry } => retry,
            Visibility::Visible | Visibility::Waiting => None,
        }
    }

    fn retry_later(&mut self) {
        if let Visibility::Quarantined { retry } = &mut self.visibility {
            let doubled = 1 << self.crashes.saturating_sub(1).min(16);
            let pause = FIRST_BACKOFF.saturating_mul(doubled).min(MAX_BACKOFF);
            *retry = Some(Instant::now() + pause);
        }
    }
}

fn apply(text: &mut Rope, change: &TextDocumentContentChangeEvent, encoding: Encoding) {
    let Some(range) = change.range else {
        *text = Rope::from_str(&change.text);
        return;
    };
    let byte = |position: Position| to_byte(text, position, encoding).byte;
    let start = byte(range.start);
    let end = byte(range.end).max(start);
    let (start, end) = (text.byte_to_char(start), text.byte_to_char(end));
    text.remove(start..end);
    text.insert(start, &change.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str = "file:///a.rise";

    fn documents(text: &str) -> (Documents, FilePath) {
        let mut documents = Documents::default();
        let item = json!({"uri": URI, "languageId": "rise", "version": 3, "text": text});
        documents.open(serde_json::from_value(item).expect("a document"));
        (documents, FilePath::disk("/a.rise"))
    }

    fn changed(documents: &mut Documents, version: i32, changes: Value) -> Change {
        let document = json!({"uri": URI, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        let params = serde_json::from_value(params).expect("a change");
        documents.change(params, Encoding::Utf16)
    }

    #[test]
    fn edits_change_the_text_in_the_order_in_which_they_come() {
        let (mut documents, path) = documents("a\u{1F600}b\nc");
        let range = |start: (u32, u32), end: (u32, u32)| {
            json!({
                "start": {"line": start.0, "character": start.1},
                "end": {"line": end.0, "character": end.1},
            })
        };
        let changes = json!([
            {"range": range((0, 1), (0, 3)), "text": "xy"},
            {"range": range((0, 4), (7, 0)), "text": "!"},
            {"range": range((0, 1), (0, 0)), "text": "-"},
        ]);
        assert_eq!(changed(&mut documents, 4, changes), Change::Forwarded);
        let opened = documents
            .get(&path)
            .expect("it is open")
            .opened(Encoding::Utf16);
        assert_eq!(opened["textDocument"]["text"], "a-xyb!");
        assert_eq!(opened["textDocument"]["version"], 4);
    }

    #[test]
    fn a_change_with_an_older_version_is_ignored() {
        let (mut documents, path) = documents("a");
        let change = changed(&mut documents, 2, json!([{"text": "b"}]));
        let reason = "a change of /a.rise to version 2 is ignored: the text has version 3";
        assert_eq!(change, Change::Ignored(reason.to_owned()));
        let opened = documents
            .get(&path)
            .expect("it is open")
            .opened(Encoding::Utf16);
        assert_eq!(opened["textDocument"]["text"], "a");
        let change = changed(&mut documents, 3, json!([{"text": "b"}]));
        assert_eq!(change, Change::Forwarded);
    }

    #[test]
    fn a_large_insertion_counts_after_it_is_removed() {
        let (mut documents, path) = documents("a");
        let at = |start: u32, end: u32| {
            let position = |character| json!({"line": 0, "character": character});
            json!({"start": position(start), "end": position(end)})
        };
        let length = 2 << 20;
        let inserted = json!([{"range": at(0, 0), "text": "x".repeat(length)}]);
        changed(&mut documents, 4, inserted);
        let end = u32::try_from(length).expect("a column");
        let removed = json!([{"range": at(0, end), "text": ""}]);
        changed(&mut documents, 5, removed);
        let closed = documents.close(&path).expect("it is open");
        assert_eq!(closed.text(Encoding::Utf16), "a");
        assert_eq!(closed.largest(), length + 1);
    }

    #[test]
    fn a_quarantined_document_is_due_some_time_after_its_text_has_changed() {
        let (mut documents, path) = documents("a");
        let start = Instant::now();
        assert_eq!(documents.count_crash(&path, start), 1);
        assert_eq!(documents.count_crash(&path, start), 2);
        documents.show(&path, Visibility::Quarantined { retry: None });
        assert_eq!(documents.next_retry(), None);
        let change = changed(&mut documents, 4, json!([{"text": "b"}]));
        assert_eq!(change, Change::Withheld);
        let due = documents.next_retry().expect("a trial");
        assert!(due >= start + 2 * FIRST_BACKOFF);
        assert_eq!(documents.take_due(start), []);
        assert_eq!(documents.take_due(due), std::slice::from_ref(&path));
        assert_eq!(documents.select(|seen| seen == Visibility::Waiting), [path]);
    }

    #[test]
    fn crashes_are_forgotten() {
        let (mut documents, path) = documents("a");
        let start = Instant::now();
        assert_eq!(documents.count_crash(&path, start), 1);
        assert_eq!(documents.count_crash(&path, start + 2 * CRASH_WINDOW), 1);
    }
}
