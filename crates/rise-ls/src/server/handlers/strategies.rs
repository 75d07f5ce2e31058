//! `rise/strategies`, `rise/strategySteps`, `rise/strategyApply` and `rise/lower`: list the
//! strategies that can be applied to definitions, show a definition after some steps of one, return
//! the edit that applies these steps, and return the edit that inserts a lowered copy of a
//! definition.

use std::collections::BTreeMap;

use codegen::Target;
use db::{Declaration, FileId, ItemId, Language};
use ide::{AssistEdits, OfferedStrategy, SteppedProgram, Stepping, StrategyStep, stepped};
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::{Position, Range, TextDocumentIdentifier, WorkspaceEdit};

use super::{Answer, code_action};
use crate::run::target_names;
use crate::server::event::invalid_params;
use crate::server::positions::Lines;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::workspace_edit;
use crate::server::uri::Uri;
use syntax::Span;

/// The parameters of `rise/strategies`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrategiesParams {
    text_document: TextDocumentIdentifier,
    /// A position in the definition.
    #[serde(default)]
    position: Option<Position>,
    /// The name of the definition, if there is no position.
    #[serde(default)]
    def: Option<String>,
}

/// The answer to `rise/strategies`.
#[derive(Clone, Debug, Serialize)]
pub struct StrategiesResult {
    def: String,
    /// The strategies; those of files come before those of the library.
    strategies: Vec<StrategyInfo>,
}

#[derive(Clone, Debug, Serialize)]
struct StrategyInfo {
    name: String,
    title: Option<String>,
    kind: Option<String>,
    docs: Option<String>,
    rule: bool,
    parameters: Vec<Vec<ParameterInfo>>,
    uri: Option<Uri>,
    library: bool,
}

#[derive(Clone, Debug, Serialize)]
struct ParameterInfo {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    optional: bool,
}

/// The parameters of `rise/strategySteps` and `rise/strategyApply`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepsParams {
    text_document: TextDocumentIdentifier,
    /// A position in the definition.
    #[serde(default)]
    position: Option<Position>,
    /// The name of the definition, if there is no position.
    #[serde(default)]
    def: Option<String>,
    /// The source text of the strategy.
    strategy: String,
    /// The file in whose scope the strategy is resolved; by default that of the program.
    #[serde(default)]
    from: Option<Uri>,
    /// The number of steps to apply; by default all.
    #[serde(default)]
    step: Option<usize>,
    /// The number of steps of the earlier program with which the result is compared, to report the
    /// part that changed; by default one step less.
    #[serde(default)]
    since: Option<usize>,
    /// Values of the sizes that the strategy tunes, by name.
    #[serde(default)]
    tunes: BTreeMap<String, i64>,
}

/// The answer to `rise/strategySteps`.
#[derive(Clone, Debug, Serialize)]
pub struct StepsResult {
    def: String,
    version: Option<i32>,
    steps: Vec<StepInfo>,
    step: usize,
    text: Option<String>,
    changed: Option<Range>,
    place: Option<Range>,
    failure: Option<FailureInfo>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct StepInfo {
    rule: String,
    count: u64,
    housekeeping: bool,
    strategies: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    before: String,
    after: String,
    assumptions: Vec<String>,
}

/// The reason why a strategy fails.
#[derive(Clone, Debug, Serialize)]
struct FailureInfo {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

/// The answer to `rise/strategyApply` and `rise/lower`.
#[derive(Clone, Debug, Serialize)]
pub struct ApplyResult {
    /// The edit; `None` if the strategy fails or changes nothing, or the result cannot be written.
    edit: Option<WorkspaceEdit>,
    /// The reason why there is no edit, or the conditions that the definition assumes from now on
    /// and the parameters that it gets.
    message: Option<String>,
}

/// Handles `rise/strategies`.
pub fn strategies(snapshot: &Snapshot, params: StrategiesParams) -> Answer<StrategiesResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let (_, def) = definition(snapshot, &document, params.position, params.def.as_deref())?;
    let offered = ide::offered_strategies(&snapshot.db);
    Ok(StrategiesResult {
        def,
        strategies: offered
            .into_iter()
            .map(|strategy| info(snapshot, strategy))
            .collect(),
    })
}

fn info(snapshot: &Snapshot, strategy: OfferedStrategy) -> StrategyInfo {
    let parameter = |parameter: ide::StrategyParameter| ParameterInfo {
        name: parameter.name,
        ty: parameter.ty,
        optional: parameter.optional,
    };
    StrategyInfo {
        uri: strategy.file.and_then(|file| snapshot.uri(file)),
        name: strategy.name,
        title: strategy.title,
        kind: strategy.kind,
        docs: strategy.docs,
        rule: strategy.is_rule,
        parameters: strategy
            .parameters
            .into_iter()
            .map(|list| list.into_iter().map(parameter).collect())
            .collect(),
        library: strategy.is_library,
    }
}

/// Handles `rise/strategySteps`.
pub fn steps(snapshot: &Snapshot, params: StepsParams) -> Answer<StepsResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let (_, def, found) = applied(snapshot, &document, &params)?;
    let text = found.text.unwrap_or_default();
    let lines = Lines::new(&text);
    let in_text = |span: Span| lines.range(&std::ops::Range::from(span), document.encoding);
    Ok(StepsResult {
        def,
        version: snapshot.version(document.file),
        steps: found
            .steps
            .into_iter()
            .map(|step| step_info(&document, step))
            .collect(),
        step: found.done,
        changed: found.changed.map(in_text),
        place: found.place.map(in_text),
        failure: match (found.failure, &found.edits) {
            (Some((message, span)), _) => Some(FailureInfo {
                message,
                range: span.map(|span| document.range(span)),
            }),
            (None, Err(message)) => Some(FailureInfo {
                message: message.clone(),
                range: None,
            }),
            (None, Ok(_)) => None,
        },
        text: found.edits.is_ok().then_some(text),
    })
}

pub(super) fn step_info(document: &Document, step: StrategyStep) -> StepInfo {
    StepInfo {
        rule: step.rule,
        count: step.count,
        housekeeping: step.is_housekeeping,
        strategies: step.strategies,
        range: step.span.map(|span| document.range(span)),
        before: step.before,
        after: step.after,
        assumptions: step.assumptions,
    }
}

/// Handles `rise/strategyApply`.
pub fn apply(snapshot: &Snapshot, params: StepsParams) -> Answer<ApplyResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let (item, def, found) = applied(snapshot, &document, &params)?;
    let nothing = |message: String| ApplyResult {
        edit: None,
        message: Some(message),
    };
    // With a given number of steps, the first ones are applied even if a later one fails.
    if let (Some((message, _)), None) = (&found.failure, params.step) {
        return Ok(nothing(message.clone()));
    }
    Ok(match &found.edits {
        Err(message) => nothing(message.clone()),
        Ok(edits) if edits.files.iter().all(|(_, edits)| edits.is_empty()) => {
            nothing(format!("the strategy leaves `{def}` as it is"))
        }
        Ok(edits) => {
            let step =
                (params.step.is_none() && params.from.is_none()).then(|| params.strategy.clone());
            let edits = edits.clone();
            let applied = AssistEdits { edits, step };
            code_action::remember(snapshot, item, &params.strategy, &applied);
            ApplyResult {
                edit: Some(workspace_edit(snapshot, &applied.edits)),
                message: (!found.notes.is_empty()).then(|| found.notes.join("\n")),
            }
        }
    })
}

/// The parameters of `rise/lower`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LowerParams {
    text_document: TextDocumentIdentifier,
    /// A position in the definition.
    #[serde(default)]
    position: Option<Position>,
    /// The name of the definition, if there is no position.
    #[serde(default)]
    def: Option<String>,
    /// The name of the target.
    target: String,
}

/// Handles `rise/lower`: returns the edit that inserts a lowered copy of a definition after it.
pub fn lower(snapshot: &Snapshot, params: LowerParams) -> Answer<ApplyResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let (item, _) = definition(snapshot, &document, params.position, params.def.as_deref())?;
    let target = Target::from_name(&params.target).ok_or_else(|| {
        invalid_params(format_args!(
            "there is no target `{}`: {} is expected",
            params.target,
            target_names()
        ))
    })?;
    let strategy = target.description().lowering;
    Ok(match ide::lowered_copy(&snapshot.db, item, strategy) {
        Ok(edits) => ApplyResult {
            edit: Some(workspace_edit(snapshot, &edits)),
            message: None,
        },
        Err(message) => ApplyResult {
            edit: None,
            message: Some(message),
        },
    })
}

fn applied(
    snapshot: &Snapshot,
    document: &Document,
    params: &StepsParams,
) -> Result<(ItemId, String, SteppedProgram), Error> {
    let (item, def) = definition(snapshot, document, params.position, params.def.as_deref())?;
    let from = match &params.from {
        Some(uri) => snapshot.file(uri)?,
        None => document.file,
    };
    if let Some((name, value)) = params.tunes.iter().find(|(_, value)| **value < 1) {
        let message = format!("`{name}` is a size to tune and must be at least 1, found {value}");
        return Err(invalid_params(message));
    }
    let tunes = params.tunes.iter();
    let tunes: Vec<_> = tunes.map(|(name, value)| (name.into(), *value)).collect();
    let asked = Stepping {
        done: params.step,
        since: params.since,
        tunes: &tunes,
    };
    let found = stepped(&snapshot.db, item, from, &params.strategy, asked);
    Ok((item, def, found.map_err(invalid_params)?))
}

/// Returns the definition of a RISE document at the position, or without a position the first
/// definition with the name. Fails if there is no such definition, the document is not RISE, or
/// neither is given.
pub(super) fn definition(
    snapshot: &Snapshot,
    document: &Document,
    position: Option<Position>,
    def: Option<&str>,
) -> Result<(ItemId, String), Error> {
    let db = &snapshot.db;
    if db.language(document.file) != Language::Rise {
        return Err(invalid_params(
            "strategies can be applied to definitions of RISE only",
        ));
    }
    let name = |item: ItemId| match &db.header(item).declares {
        Declaration::Def(name) => Some((item, name.to_string())),
        _ => None,
    };
    let items = |file: FileId| db.items(file);
    match (position, def) {
        (Some(position), _) => db
            .item_at(document.file, document.offset(position))
            .and_then(|(item, _)| name(item))
            .ok_or_else(|| invalid_params("there is no definition at this place")),
        (None, Some(wanted)) => items(document.file)
            .iter()
            .filter_map(|&item| name(item))
            .find(|(_, name)| name == wanted)
            .ok_or_else(|| invalid_params(format_args!("the document does not define `{wanted}`"))),
        (None, None) => Err(invalid_params(
            "the request does not say which definition to rewrite",
        )),
    }
}
