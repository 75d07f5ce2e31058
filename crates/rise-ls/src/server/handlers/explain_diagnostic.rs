//! `rise/explainDiagnostic`: the section of the error reference about a code.

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::server::event::invalid_params;
use crate::server::snapshot::Snapshot;

/// The parameters of `rise/explainDiagnostic`.
#[derive(Clone, Debug, Deserialize)]
pub struct ExplainDiagnosticParams {
    code: String,
}

/// The answer to `rise/explainDiagnostic`: a section of the error reference.
#[derive(Debug, Serialize)]
pub struct ExplainDiagnosticResult {
    title: &'static str,
    /// The text in Markdown.
    text: String,
}

/// Handles `rise/explainDiagnostic`.
pub fn explain_diagnostic(
    _: &Snapshot,
    params: ExplainDiagnosticParams,
) -> Answer<ExplainDiagnosticResult> {
    let code = db::codes::all()
        .into_iter()
        .find(|code| code.as_str() == params.code);
    let code = code
        .ok_or_else(|| invalid_params(format_args!("there is no diagnostic `{}`", params.code)))?;
    let (name, title, body) = (code.as_str(), code.title(), code.explanation());
    Ok(ExplainDiagnosticResult {
        title,
        text: format!("# {name}\n\n{title}\n\n{body}\n"),
    })
}
