//! `textDocument/documentLink`.

use tower_lsp::lsp_types::{DocumentLink, DocumentLinkParams};

use super::Answer;
use crate::server::snapshot::Snapshot;

/// Handles `textDocument/documentLink`.
pub fn document_link(
    snapshot: &Snapshot,
    params: DocumentLinkParams,
) -> Answer<Option<Vec<DocumentLink>>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let found = ide::document_links(&snapshot.db, document.file);
    let link = |found: ide::DocumentLink| DocumentLink {
        range: document.range(found.span),
        target: snapshot.uri(found.target),
        tooltip: Some(snapshot.db.path(found.target).to_string()),
        data: None,
    };
    Ok(Some(found.into_iter().map(link).collect()))
}
