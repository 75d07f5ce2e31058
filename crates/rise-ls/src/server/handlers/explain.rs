//! `rise/explain`: the steps of the latest rewrite at a position.

use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::{Position, TextDocumentIdentifier};

use super::Answer;
use super::code_action::undoable;
use super::strategies::{StepInfo, step_info};
use crate::server::event::invalid_params;
use crate::server::snapshot::Snapshot;

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
    let found = ide::explain_rewrite(
        &snapshot.db,
        document.at(params.position),
        &undoable(snapshot),
    );
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
