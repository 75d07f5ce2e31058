//! `textDocument/documentHighlight`.

use ide::HighlightKind;
use tower_lsp::lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};

use super::Answer;
use crate::server::snapshot::Snapshot;

/// Handles `textDocument/documentHighlight`.
pub fn document_highlight(
    snapshot: &Snapshot,
    params: DocumentHighlightParams,
) -> Answer<Option<Vec<DocumentHighlight>>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let found = ide::highlights(&snapshot.db, document.at(place.position));
    let highlight = |found: ide::Highlight| DocumentHighlight {
        range: document.range(found.span),
        kind: Some(match found.kind {
            HighlightKind::Read => DocumentHighlightKind::READ,
            HighlightKind::Write => DocumentHighlightKind::WRITE,
        }),
    };
    Ok(Some(found.into_iter().map(highlight).collect()))
}
