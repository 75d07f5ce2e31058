//! Rewrites as code actions: matching finds them, and they are applied when the user selects one.

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

/// The client's command that offers to record a rewrite as a step of a strategy.
pub const RECORD: &str = "rise.record";

/// The data of a code action, from which the rewrite is resolved.
#[derive(Deserialize, Serialize)]
pub struct Chosen {
    uri: Uri,
    /// The version of the document when the rewrite was offered.
    version: Option<i32>,
    /// The range for which it was offered.
    range: Range,
    /// The source text of the strategy.
    strategy: String,
    /// The path to the subterm in the definition, one letter for each step.
    path: String,
}

/// The kind of actions on a whole definition for a client that does not restrict the kinds. Editors
/// do not show kinds that begin with `source` in the usual menu.
const OF_DEFINITION: &str = "refactor.rewrite.rise.definition";

/// Returns the kinds that the server announces.
pub fn kinds() -> impl Iterator<Item = CodeActionKind> {
    RewriteKind::ALL
        .into_iter()
        .map(RewriteKind::as_str)
        .chain([OF_DEFINITION])
        .map(|kind| CodeActionKind::from(kind.to_owned()))
}

/// Returns the kind of an action for a client that requests `only` some kinds, or all of them.
pub(super) fn shown_kind(kind: RewriteKind, only: Option<&[CodeActionKind]>) -> CodeActionKind {
    let shown = match only {
        None if kind.is_source() => OF_DEFINITION,
        _ => kind.as_str(),
    };
    CodeActionKind::from(shown.to_owned())
}

/// Returns the rewrites at the requested range.
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
    // A client that prompts for a size needs only one action for all sizes.
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
    // The user's own rules and strategies come first.
    let own_kinds = [RewriteKind::Own, RewriteKind::Undo, RewriteKind::Source];
    let is_own = |(kind, _): &(RewriteKind, CodeAction)| own_kinds.contains(kind);
    let (own, rest): (Vec<_>, Vec<_>) = more.into_iter().partition(is_own);
    let [own, rest] = [own, rest].map(|part| part.into_iter().map(|(_, action)| action));
    own.chain(shown.filter_map(action)).chain(rest).collect()
}

/// Returns true if a request for these kinds includes this one.
pub(super) fn wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    only.is_none_or(|only| only.iter().any(|outer| holds(outer.as_str(), kind)))
}

/// Computes the edit of an offered rewrite.
///
/// # Errors
/// Fails if the document has changed since it was offered, or the rewrite cannot be applied.
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

/// Creates the error for a document that has changed since an action was offered.
pub(super) fn gone() -> tower_lsp::jsonrpc::Error {
    error(
        ErrorCode::ContentModified,
        "the document has changed since this rewrite was offered",
    )
}

/// Returns the client's command that offers to record a step, if the client has one.
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

/// Returns true if a code action kind includes another one. Kinds are hierarchical, and the empty
/// one includes all.
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
