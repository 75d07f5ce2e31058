//! `textDocument/prepareRename` and `textDocument/rename`.

use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::{
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, WorkspaceEdit,
};

use super::Answer;
use crate::server::event::request_failed;
use crate::server::snapshot::Snapshot;
use crate::server::to_proto::workspace_edit;

/// Handles `textDocument/prepareRename`.
pub fn prepare_rename(
    snapshot: &Snapshot,
    params: TextDocumentPositionParams,
) -> Answer<Option<PrepareRenameResponse>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let target =
        ide::prepare_rename(&snapshot.db, document.at(params.position)).map_err(refused)?;
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: document.range(target.span),
        placeholder: target.name,
    }))
}

/// Handles `textDocument/rename`.
pub fn rename(snapshot: &Snapshot, params: RenameParams) -> Answer<Option<WorkspaceEdit>> {
    let place = params.text_document_position;
    let document = snapshot.document(&place.text_document.uri)?;
    let edits = ide::rename(&snapshot.db, document.at(place.position), &params.new_name)
        .map_err(refused)?;
    Ok(Some(workspace_edit(snapshot, &edits)))
}

/// Converts the error, whose message editors show to the user.
fn refused(reason: ide::RenameError) -> Error {
    request_failed(reason.message)
}
