//! The previews that the client shows, which a new worker computes again.

use std::collections::VecDeque;

use db::FilePath;
use serde::Deserialize;
use tower_lsp::lsp_types::TextDocumentIdentifier;

use crate::server::handlers::preview::PreviewIdentifier;
use crate::server::previews::MAX_PREVIEWS;
use crate::server::uri;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    pub document: FilePath,
    /// The name of the definition.
    pub def: String,
    /// The name of the form.
    pub form: String,
}

/// The fields of an answer to `rise/preview` that identify the preview.
#[derive(Deserialize)]
struct Answer {
    result: Identified,
}

#[derive(Deserialize)]
struct Identified {
    def: String,
    #[serde(rename = "as")]
    form: String,
}

/// The fields of `rise/previewChanged` after a definition was renamed.
#[derive(Deserialize)]
struct Message {
    params: Renaming,
}

/// A preview whose definition was renamed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Renaming {
    text_document: TextDocumentIdentifier,
    renamed_from: String,
    def: String,
    #[serde(rename = "as")]
    form: String,
}

impl Preview {
    /// Parses the preview in an answer. Returns `None` for an error.
    pub fn answered(document: FilePath, body: &[u8]) -> Option<Preview> {
        let Answer { result } = serde_json::from_slice(body).ok()?;
        Some(Preview {
            document,
            def: result.def,
            form: result.form,
        })
    }
}

impl From<PreviewIdentifier> for Preview {
    fn from(identifier: PreviewIdentifier) -> Preview {
        Preview {
            document: uri::to_path(identifier.text_document.uri.as_str()),
            def: identifier.def,
            form: identifier.form,
        }
    }
}

/// The shown previews, the oldest first: the same ones that the worker updates.
#[derive(Debug, Default)]
pub struct Previews(VecDeque<Preview>);

impl Previews {
    /// Adds a preview that is sent to the client.
    pub fn show(&mut self, preview: Preview) {
        self.close(&preview);
        if self.0.len() >= MAX_PREVIEWS {
            self.0.pop_front();
        }
        self.0.push_back(preview);
    }

    /// Removes a preview that the client has closed.
    pub fn close(&mut self, preview: &Preview) {
        self.0.retain(|shown| shown != preview);
    }

    pub fn close_all(&mut self, document: &FilePath) {
        self.0.retain(|shown| shown.document != *document);
    }

    /// Handles `rise/previewChanged`, after which a definition may have another name.
    pub fn track_renaming(&mut self, body: &[u8]) {
        let Ok(Message { params }) = serde_json::from_slice(body) else {
            return;
        };
        let before = Preview {
            document: uri::to_path(params.text_document.uri.as_str()),
            def: params.renamed_from,
            form: params.form,
        };
        if let Some(shown) = self.0.iter_mut().find(|shown| **shown == before) {
            shown.def = params.def;
        }
    }

    pub fn contain(&self, preview: &Preview) -> bool {
        self.0.contains(preview)
    }

    pub fn of(&self, document: &FilePath) -> Vec<Preview> {
        let of_document = |shown: &&Preview| shown.document == *document;
        self.0.iter().filter(of_document).cloned().collect()
    }
}
