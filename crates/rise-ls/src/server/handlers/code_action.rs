//! `textDocument/codeAction` and `codeAction/resolve`: code actions are offered with their titles,
//! and most of their edits are computed when the user chooses one.

use db::ItemId;
use ide::{
    Assist, AssistEdits, AssistEffect, AssistKind, AssistRequest, FileRange, Prompt,
    UndoableRewrite,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionOrCommand, CodeActionParams,
    CodeActionResponse, Command, Range,
};

use super::Answer;
use crate::server::client::to_value;
use crate::server::event::{error, request_failed};
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{diagnostic, workspace_edit};
use crate::server::uri::Uri;

/// The client's command that offers to record a rewrite as a step of a strategy.
pub const RECORD: &str = "rise.record";

/// The client's command that prompts for the arguments of a strategy, and applies it.
pub const APPLY_WITH: &str = "rise.applyWith";

/// The kind that replaces `source` kinds of actions if the request does not restrict the kinds.
/// Editors do not show kinds that begin with `source` in the usual menu.
const OF_DEFINITION: &str = "refactor.rewrite.rise.definition";

/// The largest number of rewrites in a session that are stored to be undone. The oldest ones are
/// dropped.
const MAX_UNDOABLE: usize = 64;

/// The data of a code action, from which it is resolved.
#[derive(Deserialize, Serialize)]
struct ActionData {
    id: String,
    uri: Uri,
    /// The version of the document when the action was offered.
    version: Option<i32>,
    /// The range for which it was offered.
    range: Range,
}

/// Returns the kinds that the server announces.
pub fn kinds() -> impl Iterator<Item = CodeActionKind> {
    let kinds = AssistKind::ALL.iter().map(|kind| kind.as_str());
    kinds.chain([OF_DEFINITION]).map(CodeActionKind::from)
}

/// Handles `textDocument/codeAction`.
pub fn code_actions(
    snapshot: &Snapshot,
    params: CodeActionParams,
) -> Answer<Option<CodeActionResponse>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let client = snapshot.view.client;
    let only = params.context.only.as_deref().map(requested);
    let undoable = undoable(snapshot);
    let hints = snapshot.view.estimates.hints(snapshot, document.file);
    let request = AssistRequest {
        hints: &hints,
        only: only.as_deref(),
        prompts: client.asks,
        undoable: &undoable,
        ..place(&document, params.range)
    };
    let found = ide::assists(&snapshot.db, request).into_iter();
    let shown = found.filter(|assist| client.disabled_actions || assist.disabled().is_none());
    let action = |assist| code_action(snapshot, &document, &params, assist);
    let actions = shown.filter_map(action);
    Ok(Some(actions.map(CodeActionOrCommand::CodeAction).collect()))
}

fn place(document: &Document, range: Range) -> AssistRequest<'static> {
    let file = document.file;
    AssistRequest {
        range: FileRange {
            file,
            span: document.span(range),
        },
        selection: document.selected(range),
        only: None,
        prompts: false,
        undoable: &[],
        hints: &[],
    }
}

/// Returns the kinds of actions that a request for the kinds `only` includes. Kinds are
/// hierarchical, and the empty one includes all.
fn requested(only: &[CodeActionKind]) -> Vec<AssistKind> {
    let holds = |outer: &CodeActionKind, kind: &str| match kind.strip_prefix(outer.as_str()) {
        Some(rest) => outer.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'),
        None => false,
    };
    let wanted = |kind: &AssistKind| only.iter().any(|outer| holds(outer, kind.as_str()));
    AssistKind::ALL.iter().copied().filter(wanted).collect()
}

/// Converts a code action; `None` if its edit is needed now and cannot be made.
fn code_action(
    snapshot: &Snapshot,
    document: &Document,
    params: &CodeActionParams,
    assist: Assist,
) -> Option<CodeAction> {
    let (mut edit, mut data, mut command, mut disabled) = (None, None, None, None);
    match &assist.effect {
        AssistEffect::Disabled(reason) => {
            let reason = reason.clone();
            disabled = Some(CodeActionDisabled { reason });
        }
        AssistEffect::Prompt(prompt) => {
            command = Some(prompting(snapshot, params, &assist.title, prompt));
        }
        AssistEffect::Edit(_) if snapshot.view.client.resolves_edits => {
            data = Some(to_value(&ActionData {
                id: assist.id.clone(),
                uri: params.text_document.uri.clone(),
                version: snapshot.version(document.file),
                range: params.range,
            }));
        }
        AssistEffect::Edit(make) => {
            edit = Some(workspace_edit(snapshot, &make(&snapshot.db).ok()?.edits));
        }
    }
    let is_fix = assist.diagnostic.is_some();
    let kind = match params.context.only {
        None if assist.kind.is_source() => OF_DEFINITION,
        _ => assist.kind.as_str(),
    };
    Some(CodeAction {
        title: assist.title,
        kind: Some(CodeActionKind::from(kind)),
        diagnostics: assist
            .diagnostic
            .map(|found| vec![diagnostic(snapshot, document, &found)]),
        is_preferred: (is_fix || assist.preferred).then_some(assist.preferred),
        edit,
        data,
        command,
        disabled,
    })
}

/// Returns the client's command that prompts for the arguments of a strategy.
fn prompting(
    snapshot: &Snapshot,
    params: &CodeActionParams,
    title: &str,
    prompt: &Prompt,
) -> Command {
    let parameters = prompt.parameters.iter();
    let loops = prompt.loops.iter();
    let argument = json!({
        "uri": params.text_document.uri,
        "def": prompt.def,
        "from": prompt.from.and_then(|file| snapshot.uri(file)),
        "strategy": prompt.strategy,
        "parameters": parameters.map(|(name, ty)| json!({"name": name, "type": ty})).collect::<Vec<_>>(),
        "loops": loops
            .map(|one| json!({"name": one.name, "size": one.size, "reduces": one.reduces}))
            .collect::<Vec<_>>(),
    });
    Command {
        title: title.to_owned(),
        command: APPLY_WITH.to_owned(),
        arguments: Some(vec![argument]),
    }
}

/// Handles `codeAction/resolve`.
///
/// # Errors
/// Fails if the document has changed since the action was offered, or the edit cannot be made.
pub fn resolve(snapshot: &Snapshot, mut action: CodeAction) -> Answer<CodeAction> {
    let data = action.data.as_ref();
    let data = data.and_then(|data| ActionData::deserialize(data).ok());
    let (None, Some(data)) = (&action.edit, data) else {
        return Ok(action);
    };
    let document = snapshot.document(&data.uri)?;
    let undoable = undoable(snapshot);
    let hints = snapshot.view.estimates.hints(snapshot, document.file);
    let request = AssistRequest {
        hints: &hints,
        undoable: &undoable,
        ..place(&document, data.range)
    };
    let is_current = snapshot.version(document.file) == data.version;
    let found = is_current.then(|| ide::resolve_assist(&snapshot.db, request, &data.id));
    let assist = found.flatten().ok_or_else(|| {
        error(
            ErrorCode::ContentModified,
            "the document has changed since this action was offered",
        )
    })?;
    let made = assist.edits(&snapshot.db).map_err(request_failed)?;
    action.edit = Some(workspace_edit(snapshot, &made.edits));
    if let Some(item) = assist.item {
        remember(snapshot, item, &action.title, &made);
        let step = made.step.as_deref();
        action.command = step.and_then(|step| recording(snapshot, &data.uri, item, step));
    }
    Ok(action)
}

/// Returns the client's command that offers to record a step, if the client has one.
fn recording(snapshot: &Snapshot, uri: &Uri, item: ItemId, step: &str) -> Option<Command> {
    snapshot.view.client.records.then(|| {
        let parsed = snapshot.db.parsed(item);
        let def = parsed.item.name().map(|name| name.name.to_string());
        Command {
            title: "Record in strategy.elevate".to_owned(),
            command: RECORD.to_owned(),
            arguments: Some(vec![json!({"uri": uri, "def": def, "step": step})]),
        }
    })
}

/// Returns the rewrites that can be undone, the latest last.
pub fn undoable(snapshot: &Snapshot) -> Vec<UndoableRewrite> {
    let known = snapshot.view.undoable.0.lock();
    known.map(|known| known.clone()).unwrap_or_default()
}

/// Stores a rewrite that was sent to the client. Whether the client applied it is determined from
/// the text.
pub fn remember(snapshot: &Snapshot, item: ItemId, title: &str, made: &AssistEdits) {
    let Some(new) = UndoableRewrite::new(&snapshot.db, item, title, made) else {
        return;
    };
    if let Ok(mut known) = snapshot.view.undoable.0.lock() {
        known.retain(|old| *old != new);
        if known.len() >= MAX_UNDOABLE {
            known.remove(0);
        }
        known.push(new);
    }
}
