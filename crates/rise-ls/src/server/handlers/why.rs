//! `rise/why`: explains why a rule does not apply at a range.

use ide::FileRange;
use serde::{Deserialize, Serialize};
use tower_lsp::lsp_types::{Range, TextDocumentIdentifier};

use super::Answer;
use crate::server::event::invalid_params;
use crate::server::snapshot::Snapshot;

/// The parameters of `rise/why`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyParams {
    text_document: TextDocumentIdentifier,
    /// The cursor or the selection.
    range: Range,
    /// The source text of the rule with its arguments.
    rule: String,
}

/// The answer to `rise/why`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyResult {
    applies: bool,
    message: String,
    enabled_by: Vec<Enabling>,
}

/// A rewrite after which the rule applies.
#[derive(Clone, Debug, Serialize)]
struct Enabling {
    title: String,
    strategy: String,
}

/// Handles `rise/why`.
pub fn why(snapshot: &Snapshot, params: WhyParams) -> Answer<WhyResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let place = FileRange {
        file: document.file,
        span: document.selected(params.range),
    };
    let found = ide::why_not(&snapshot.db, place, &params.rule).ok_or_else(|| {
        invalid_params(format_args!(
            "the cursor is not in a RISE definition without errors, or there is no rule `{}`",
            params.rule
        ))
    })?;
    let enabling = |(title, strategy)| Enabling { title, strategy };
    Ok(WhyResult {
        applies: found.applies,
        message: found.message,
        enabled_by: found.enabled_by.into_iter().map(enabling).collect(),
    })
}
