//! Requests of our own, which `docs/lsp.md` describes.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::{TextDocumentIdentifier, Uri};

use super::Answer;
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
    let mut text = String::new();
    for item in snapshot.db.items(document.file).iter() {
        let start = document.position(snapshot.db.item_span(*item).start);
        let parsed = snapshot.db.parsed(*item);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{}:{} {parsed:#?}",
            start.line + 1,
            start.character + 1
        );
    }
    Ok(Text { text })
}
