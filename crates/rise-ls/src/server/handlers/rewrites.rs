//! Rewrites of definitions as code actions: found by matching, made when they are chosen.

use db::ItemId;
use ide::{FileRange, RewriteAction, RewriteKind, Step};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionParams, Command, Range,
};

use super::edits::REQUEST_FAILED;
use super::{Answer, more};
use crate::server::client::to_value;
use crate::server::event::error;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::workspace_edit;
use crate::server::uri::Uri;

/// The client's command that offers to write a step down, once it is taken.
pub const RECORD: &str = "rise.record";

/// What the client gets back when the user has chosen a rewrite.
#[derive(Deserialize, Serialize)]
pub struct Chosen {
    /// The document.
    uri: Uri,
    /// Its version when the rewrite was offered.
    version: Option<i32>,
    /// Where it was offered.
    range: Range,
    /// The strategy, as it is written.
    strategy: String,
    /// Where in the definition, a letter a step.
    path: String,
}

/// The kind of actions about a whole definition for a client that asks for every kind. Editors leave
/// kinds that begin with `source` out of their usual menu.
const OF_DEFINITION: &str = "refactor.rewrite.rise.definition";

/// The kinds that are offered, for clients that ask for some of them.
pub fn kinds() -> impl Iterator<Item = CodeActionKind> {
    RewriteKind::ALL
        .into_iter()
        .map(RewriteKind::as_str)
        .chain([OF_DEFINITION])
        .map(|kind| CodeActionKind::from(kind.to_owned()))
}

/// The kind that a client is told, which asks for `only` some kinds or for every one.
pub(super) fn shown_kind(kind: RewriteKind, only: Option<&[CodeActionKind]>) -> CodeActionKind {
    let shown = match only {
        None if kind.is_source() => OF_DEFINITION,
        _ => kind.as_str(),
    };
    CodeActionKind::from(shown.to_owned())
}

/// The rewrites at the place that is asked about.
pub fn offered(
    snapshot: &Snapshot,
    document: &Document,
    params: &CodeActionParams,
) -> Vec<CodeAction> {
    let only = params.context.only.as_deref();
    let kinds = |kind: RewriteKind| wanted(only, kind.as_str());
    let client = snapshot.view.client;
    let place = FileRange {
        file: document.file,
        span: document.selected(params.range),
    };
    let mut found = ide::rewrites(&snapshot.db, place, &kinds);
    // Who is asked for a size needs no line for each of them.
    found.retain(|action| !(client.asks && action.is_other_size));
    let more = more::offered(snapshot, document, params, &found);
    let shown = found
        .into_iter()
        .filter(|action| action.disabled.is_none() || client.disabled_actions);
    let action = |action: RewriteAction| {
        let later = client.resolves_edits && action.disabled.is_none();
        let now = !later && action.disabled.is_none();
        let edit = match now {
            true => Some(edit(snapshot, &action).ok()?),
            false => None,
        };
        let chosen = Chosen {
            uri: params.text_document.uri.clone(),
            version: snapshot.version(document.file),
            range: params.range,
            strategy: action.strategy.clone(),
            path: action.path.iter().copied().map(letter).collect(),
        };
        Some(CodeAction {
            title: action.title,
            kind: Some(shown_kind(action.kind, only)),
            is_preferred: action.preferred.then_some(true),
            disabled: action.disabled.map(|reason| CodeActionDisabled { reason }),
            data: later.then(|| to_value(&chosen)),
            edit,
            ..CodeAction::default()
        })
    };
    // What the user has written or done comes first.
    let own_kinds = [RewriteKind::Own, RewriteKind::Undo, RewriteKind::Source];
    let is_own = |(kind, _): &(RewriteKind, CodeAction)| own_kinds.contains(kind);
    let (own, rest): (Vec<_>, Vec<_>) = more.into_iter().partition(is_own);
    let [own, rest] = [own, rest].map(|part| part.into_iter().map(|(_, action)| action));
    own.chain(shown.filter_map(action)).chain(rest).collect()
}

/// Whether a client that asks for these kinds wants this one.
pub(super) fn wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    only.is_none_or(|only| only.iter().any(|outer| holds(outer.as_str(), kind)))
}

/// The edit of a rewrite that was offered here.
///
/// # Errors
/// The document has changed since, or the rewrite cannot be made.
pub fn resolve(snapshot: &Snapshot, mut action: CodeAction, chosen: &Chosen) -> Answer<CodeAction> {
    let document = snapshot.document(&chosen.uri)?;
    if snapshot.version(document.file) != chosen.version {
        return Err(gone());
    }
    let span = document.selected(chosen.range);
    let items = snapshot.db.items_in(document.file, span);
    let ([item], Some(path)) = (&items[..], steps(&chosen.path)) else {
        return Err(gone());
    };
    let made = ide::apply_rewrite(&snapshot.db, *item, &chosen.strategy, &path);
    let made = made.map_err(|reason| error(ErrorCode::ServerError(REQUEST_FAILED), reason))?;
    action.edit = Some(workspace_edit(snapshot, &made.edits));
    let step = Some(&*made.step);
    more::remember(snapshot, *item, &action.title, step, &made.edits);
    action.command = recording(snapshot, &chosen.uri, *item, &made.step);
    Ok(action)
}

/// The error for a document that has changed since something was offered there.
pub(super) fn gone() -> tower_lsp::jsonrpc::Error {
    error(
        ErrorCode::ContentModified,
        "the document has changed since this rewrite was offered",
    )
}

/// The client's command that offers to write a step down, if it has one.
pub(super) fn recording(
    snapshot: &Snapshot,
    uri: &Uri,
    item: ItemId,
    step: &str,
) -> Option<Command> {
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

fn edit(
    snapshot: &Snapshot,
    action: &RewriteAction,
) -> Result<tower_lsp::lsp_types::WorkspaceEdit, String> {
    let made = ide::apply_rewrite(&snapshot.db, action.item, &action.strategy, &action.path)?;
    Ok(workspace_edit(snapshot, &made.edits))
}

/// Kinds are paths: an empty one holds all others.
fn holds(outer: &str, kind: &str) -> bool {
    match kind.strip_prefix(outer) {
        Some(rest) => outer.is_empty() || rest.is_empty() || rest.starts_with('.'),
        None => false,
    }
}

fn letter(step: Step) -> char {
    match step {
        Step::Function => 'f',
        Step::Argument => 'a',
        Step::Body => 'b',
    }
}

fn steps(letters: &str) -> Option<Vec<Step>> {
    let step = |letter| match letter {
        'f' => Some(Step::Function),
        'a' => Some(Step::Argument),
        'b' => Some(Step::Body),
        _ => None,
    };
    letters.chars().map(step).collect()
}
