//! `rise/syntaxTree`: the concrete syntax tree of a document.

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::TextDocumentIdentifier;

use super::Answer;
use crate::server::event::request_failed;
use crate::server::snapshot::Snapshot;

/// The parameters of `rise/syntaxTree`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxTreeParams {
    text_document: TextDocumentIdentifier,
}

/// The answer to `rise/syntaxTree`.
#[derive(Debug, Serialize)]
pub struct SyntaxTreeResult {
    text: String,
}

/// Handles `rise/syntaxTree`.
pub fn syntax_tree(snapshot: &Snapshot, params: SyntaxTreeParams) -> Answer<SyntaxTreeResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let text = snapshot.syntax(&document).show(&snapshot.db);
    text.map(|text| SyntaxTreeResult { text })
        .ok_or_else(|| request_failed("the text of the syntax tree is too long"))
}
