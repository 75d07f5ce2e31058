//! Edits of programs: formatting, renaming and code actions.

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionOrCommand, CodeActionParams,
    DocumentFormattingParams, DocumentRangeFormattingParams, PrepareRenameResponse, Range,
    RenameParams, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};

use super::{Answer, more, rewrites};
use crate::server::client::to_value;
use crate::server::event::error;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{diagnostic, text_edits, workspace_edit};
use crate::server::uri::Uri;

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

/// Handles `textDocument/codeAction`.
pub fn code_actions(
    snapshot: &Snapshot,
    params: CodeActionParams,
) -> Answer<Vec<CodeActionOrCommand>> {
    let uri = params.text_document.uri.clone();
    let document = snapshot.document(&uri)?;
    let mut rewrites = rewrites::offered(snapshot, &document, &params);
    let fixes_wanted = params
        .context
        .only
        .is_none_or(|kinds| kinds.iter().any(contains_quick_fixes));
    if !fixes_wanted {
        let rewrites = rewrites.into_iter();
        return Ok(rewrites.map(CodeActionOrCommand::CodeAction).collect());
    }
    let actions = quick_fixes(snapshot, &document, params.range);
    rewrites.retain(|rewrite| !actions.iter().any(|action| is_same(&action.fix, rewrite)));
    let client = snapshot.view.client;
    let shown = actions
        .into_iter()
        .filter(|action| action.fix.disabled.is_none() || client.disabled_actions);
    let action = |action: ide::CodeAction| {
        let later = client.resolves_edits && action.fix.disabled.is_none();
        let place = ActionPlace {
            uri: uri.clone(),
            range: params.range,
        };
        let edit = (!later).then(|| workspace_edit(snapshot, &action.fix.edits));
        CodeActionOrCommand::CodeAction(CodeAction {
            diagnostics: Some(vec![diagnostic(snapshot, &document, &action.diagnostic)]),
            kind: Some(CodeActionKind::QUICKFIX),
            edit: edit.filter(|_| action.fix.disabled.is_none()),
            is_preferred: Some(action.fix.preferred),
            disabled: action
                .fix
                .disabled
                .map(|reason| CodeActionDisabled { reason }),
            data: later.then(|| to_value(&place)),
            title: action.fix.title,
            command: None,
        })
    };
    let rewrites = rewrites.into_iter().map(CodeActionOrCommand::CodeAction);
    Ok(shown.map(action).chain(rewrites).collect())
}

/// Returns true if a rewrite duplicates a quick fix. The titles may differ in a suffix after a
/// colon, as in `Store in Local memory: 4 kB of 48 kB`.
fn is_same(fix: &ide::FileFix, rewrite: &CodeAction) -> bool {
    let deed = |title: &str| title.split(':').next().unwrap_or_default().to_owned();
    deed(&fix.title) == deed(&rewrite.title)
        && (fix.disabled.is_none() || rewrite.disabled.is_some())
}

/// The document and range of a code action, from which its edit is computed again.
#[derive(Deserialize, Serialize)]
struct ActionPlace {
    uri: Uri,
    range: Range,
}

/// Handles `codeAction/resolve`.
pub fn resolve_code_action(snapshot: &Snapshot, mut action: CodeAction) -> Answer<CodeAction> {
    let chosen = action
        .data
        .as_ref()
        .and_then(|data| rewrites::Chosen::deserialize(data).ok());
    if let (None, Some(chosen)) = (&action.edit, chosen) {
        return rewrites::resolve(snapshot, action, &chosen);
    }
    let chosen = action
        .data
        .as_ref()
        .and_then(|data| more::ChosenMore::deserialize(data).ok());
    if let (None, Some(chosen)) = (&action.edit, chosen) {
        return more::resolve(snapshot, action, &chosen);
    }
    let place = action
        .data
        .as_ref()
        .and_then(|data| ActionPlace::deserialize(data).ok());
    let (None, Some(place)) = (&action.edit, place) else {
        return Ok(action);
    };
    let document = snapshot.document(&place.uri)?;
    let offered = quick_fixes(snapshot, &document, place.range);
    let same = |offered: &&ide::CodeAction| offered.fix.title == action.title;
    action.edit = offered
        .iter()
        .find(same)
        .map(|offered| workspace_edit(snapshot, &offered.fix.edits));
    match action.edit {
        Some(_) => Ok(action),
        None => Err(error(
            ErrorCode::ContentModified,
            "what this action mends is not there any more",
        )),
    }
}

fn quick_fixes(snapshot: &Snapshot, document: &Document, range: Range) -> Vec<ide::CodeAction> {
    ide::code_actions(
        &snapshot.db,
        ide::FileRange {
            file: document.file,
            span: document.span(range),
        },
    )
}

/// Returns true if a code action kind includes quick fixes. Kinds are hierarchical, and the empty
/// one includes all.
fn contains_quick_fixes(kind: &CodeActionKind) -> bool {
    kind.as_str().is_empty() || kind.as_str() == CodeActionKind::QUICKFIX.as_str()
}
