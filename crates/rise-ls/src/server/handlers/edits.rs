//! Edits of programs: formatting and renaming.

use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{
    DocumentFormattingParams, DocumentRangeFormattingParams, PrepareRenameResponse, RenameParams,
    TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};

use super::Answer;
use crate::server::event::error;
use crate::server::snapshot::Snapshot;
use crate::server::to_proto::{text_edits, workspace_edit};

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

/// Handles `textDocument/prepareRename`.
pub fn prepare_rename(
    snapshot: &Snapshot,
    params: TextDocumentPositionParams,
) -> Answer<PrepareRenameResponse> {
    let document = snapshot.document(&params.text_document.uri)?;
    let target =
        ide::prepare_rename(&snapshot.db, document.at(params.position)).map_err(refused)?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: document.range(target.span),
        placeholder: target.name,
    })
}

/// Handles `textDocument/rename`.
pub fn rename(snapshot: &Snapshot, params: RenameParams) -> Answer<WorkspaceEdit> {
    let place = params.text_document_position;
    let document = snapshot.document(&place.text_document.uri)?;
    let edits = ide::rename(&snapshot.db, document.at(place.position), &params.new_name)
        .map_err(refused)?;
    Ok(workspace_edit(snapshot, &edits))
}

/// Converts the error, whose message editors show to the user.
fn refused(reason: ide::RenameError) -> tower_lsp::jsonrpc::Error {
    error(ErrorCode::ServerError(REQUEST_FAILED), reason.message)
}

/// The error code `RequestFailed` of the protocol, for a valid request that cannot be fulfilled.
pub const REQUEST_FAILED: i64 = -32803;
