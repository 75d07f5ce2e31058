//! `textDocument/formatting` and `textDocument/rangeFormatting`.

use tower_lsp::lsp_types::{DocumentFormattingParams, DocumentRangeFormattingParams, TextEdit};

use super::Answer;
use crate::server::snapshot::Snapshot;
use crate::server::to_proto::text_edits;

/// Handles `textDocument/formatting`. Definitions with syntax errors are not changed.
pub fn formatting(
    snapshot: &Snapshot,
    params: DocumentFormattingParams,
) -> Answer<Option<Vec<TextEdit>>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let edits = ide::format(&snapshot.db, document.file);
    Ok(edits.map(|edits| text_edits(&document, &edits)))
}

/// Handles `textDocument/rangeFormatting`.
pub fn range_formatting(
    snapshot: &Snapshot,
    params: DocumentRangeFormattingParams,
) -> Answer<Option<Vec<TextEdit>>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let edits = ide::format_range(&snapshot.db, document.file, document.span(params.range));
    Ok(edits.map(|edits| text_edits(&document, &edits)))
}
