//! Further code actions: the user's own rules and strategies, lowered copies, undoing of rewrites,
//! and rewrites whose arguments the client prompts for.

use db::ItemId;
use ide::{FileRange, MoreAction, RewriteAction, RewriteKind, SourceEdits, Taken, Wish};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionParams, Command, Position, Range,
    TextDocumentIdentifier,
};

use super::Answer;
use super::edits::REQUEST_FAILED;
use super::rewrites::{gone, recording, shown_kind, wanted};
use super::strategies::{StepInfo, step_info};
use crate::server::client::to_value;
use crate::server::event::{error, invalid_params};
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::workspace_edit;
use crate::server::uri::Uri;

/// The client's command that prompts for the arguments of a strategy, and applies it.
pub const APPLY_WITH: &str = "rise.applyWith";

/// The largest number of rewrites that can be undone.
const MOST_TAKEN: usize = 64;

/// The data of a code action, from which it is resolved.
#[derive(Deserialize, Serialize)]
pub struct ChosenMore {
    uri: Uri,
    version: Option<i32>,
    range: Range,
    /// The kind and title, which identify the action.
    kind: String,
    title: String,
}

/// Returns the further code actions at the requested range, with their kinds.
pub fn offered(
    snapshot: &Snapshot,
    document: &Document,
    params: &CodeActionParams,
    rewrites: &[RewriteAction],
) -> Vec<(RewriteKind, CodeAction)> {
    let only = params.context.only.as_deref();
    let kinds = |kind: RewriteKind| wanted(only, kind.as_str());
    let place = FileRange {
        file: document.file,
        span: document.selected(params.range),
    };
    let client = snapshot.view.client;
    let wish = Wish {
        kinds: &kinds,
        named: only.is_some(),
        asks: client.asks,
        taken: &taken(snapshot),
    };
    let found = ide::more_actions(&snapshot.db, place, rewrites, &wish);
    let shown = found
        .into_iter()
        .filter(|action| action.disabled.is_none() || client.disabled_actions);
    let line = |action: MoreAction| {
        let command = action
            .ask
            .as_ref()
            .map(|_| asking(snapshot, params, &action));
        let waits = command.is_some() || action.disabled.is_some();
        let later = client.resolves_edits && !waits;
        let edit = match later || waits {
            true => None,
            false => Some(ide::more_edits(&snapshot.db, &action).ok()?),
        };
        let chosen = ChosenMore {
            uri: params.text_document.uri.clone(),
            version: snapshot.version(document.file),
            range: params.range,
            kind: action.kind.as_str().to_owned(),
            title: action.title.clone(),
        };
        let line = CodeAction {
            title: action.title,
            kind: Some(shown_kind(action.kind, only)),
            disabled: action.disabled.map(|reason| CodeActionDisabled { reason }),
            data: later.then(|| to_value(&chosen)),
            edit: edit.map(|edit| workspace_edit(snapshot, &edit)),
            command,
            ..CodeAction::default()
        };
        Some((action.kind, line))
    };
    shown.filter_map(line).collect()
}

/// Returns the client's command that prompts for the arguments of a strategy.
fn asking(snapshot: &Snapshot, params: &CodeActionParams, action: &MoreAction) -> Command {
    let ask = action.ask.clone();
    let argument = ask.map_or(Value::Null, |ask| {
        let parameters = ask.parameters.iter();
        let loops = ask.loops.iter();
        json!({
            "uri": params.text_document.uri,
            "def": ask.def,
            "from": ask.from.and_then(|file| snapshot.uri(file)),
            "strategy": ask.strategy,
            "parameters": parameters.map(|(name, ty)| json!({"name": name, "type": ty})).collect::<Vec<_>>(),
            "loops": loops
                .map(|one| json!({"name": one.name, "size": one.size, "reduces": one.reduces}))
                .collect::<Vec<_>>(),
        })
    });
    Command {
        title: action.title.clone(),
        command: APPLY_WITH.to_owned(),
        arguments: Some(vec![argument]),
    }
}

/// Computes the edit of a further code action.
///
/// # Errors
/// Fails if the document has changed since it was offered, or the edit cannot be made.
pub fn resolve(
    snapshot: &Snapshot,
    mut action: CodeAction,
    chosen: &ChosenMore,
) -> Answer<CodeAction> {
    let document = snapshot.document(&chosen.uri)?;
    if snapshot.version(document.file) != chosen.version {
        return Err(gone());
    }
    let place = FileRange {
        file: document.file,
        span: document.selected(chosen.range),
    };
    let db = &snapshot.db;
    let kinds = |kind: RewriteKind| kind.as_str() == chosen.kind;
    let rewrites = ide::rewrites(db, place, &kinds);
    let wish = Wish {
        kinds: &kinds,
        named: true,
        asks: false,
        taken: &taken(snapshot),
    };
    let found = ide::more_actions(db, place, &rewrites, &wish);
    let found = found.into_iter().find(|found| found.title == chosen.title);
    let found = found.ok_or_else(gone)?;
    let edits = ide::more_edits(db, &found)
        .map_err(|reason| error(ErrorCode::ServerError(REQUEST_FAILED), reason))?;
    if let Some(item) = found.item {
        let step = found.step(document.file);
        if found.kind != RewriteKind::Undo {
            remember(snapshot, item, &found.title, step, &edits);
        }
        action.command = step.and_then(|step| recording(snapshot, &chosen.uri, item, step));
    }
    action.edit = Some(workspace_edit(snapshot, &edits));
    Ok(action)
}

/// Returns the rewrites that can be undone, the latest last.
fn taken(snapshot: &Snapshot) -> Vec<Taken> {
    let known = snapshot.view.taken.0.lock();
    known.map(|known| known.clone()).unwrap_or_default()
}

/// Stores a rewrite that was sent to the client. Whether the client applied it is determined from
/// the text.
pub fn remember(
    snapshot: &Snapshot,
    item: ItemId,
    title: &str,
    step: Option<&str>,
    edits: &SourceEdits,
) {
    let Some(new) = ide::taken(&snapshot.db, item, title, step, edits) else {
        return;
    };
    if let Ok(mut known) = snapshot.view.taken.0.lock() {
        known.retain(|old| *old != new);
        if known.len() >= MOST_TAKEN {
            known.remove(0);
        }
        known.push(new);
    }
}

/// The parameters of `rise/explain`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainParams {
    text_document: TextDocumentIdentifier,
    /// A position in the definition that was rewritten.
    position: Position,
}

/// The answer to `rise/explain`.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainResult {
    title: String,
    strategy: String,
    steps: Vec<StepInfo>,
}

/// Handles `rise/explain`: returns the steps of the latest rewrite at a position whose result is
/// still in the text.
pub fn explain(snapshot: &Snapshot, params: ExplainParams) -> Answer<ExplainResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let found = ide::explained(&snapshot.db, document.at(params.position), &taken(snapshot));
    let found = found
        .ok_or_else(|| invalid_params("no rewrite was made here, or the text has changed since"))?;
    let steps = found.steps.into_iter();
    Ok(ExplainResult {
        title: found.title,
        strategy: found.strategy,
        // The spans refer to an old text.
        steps: steps
            .map(|step| step_info(&document, ide::StrategyStep { span: None, ..step }))
            .collect(),
    })
}
