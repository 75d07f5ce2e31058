//! Requests of our own, which `docs/lsp.md` describes.

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{TextDocumentIdentifier, Uri};

use super::Answer;
use super::edits::REQUEST_FAILED;
use crate::server::event::error;
use crate::server::snapshot::Snapshot;

/// The parameters of `rise/virtualDocument`.
#[derive(Deserialize)]
pub struct VirtualDocumentParams {
    uri: Uri,
}

/// The parameters of `rise/syntaxTree`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxTreeParams {
    text_document: TextDocumentIdentifier,
}

/// A text.
#[derive(Serialize)]
pub struct Text {
    text: String,
}

/// `rise/virtualDocument`
pub fn virtual_document(snapshot: &Snapshot, params: VirtualDocumentParams) -> Answer<Text> {
    let document = snapshot.document(&params.uri)?;
    Ok(Text {
        text: document.rope.to_string(),
    })
}

/// `rise/syntaxTree`
pub fn syntax_tree(snapshot: &Snapshot, params: SyntaxTreeParams) -> Answer<Text> {
    let document = snapshot.document(&params.text_document.uri)?;
    let text = snapshot.syntax(&document).show(&snapshot.db);
    text.map(|text| Text { text }).ok_or_else(|| {
        error(
            ErrorCode::ServerError(REQUEST_FAILED),
            "the text is too long",
        )
    })
}
