//! Requests that are specific to RISE, see `docs/lsp.md`.

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::ErrorCode;
use tower_lsp::lsp_types::{TextDocumentIdentifier, Uri};

use super::Answer;
use super::edits::REQUEST_FAILED;
use crate::server::event::{error, invalid_params};
use crate::server::snapshot::Snapshot;

/// The parameters of `rise/virtualDocument`.
#[derive(Deserialize)]
pub struct VirtualDocumentParams {
    uri: Uri,
}

/// The parameters of `rise/syntaxTree`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxTreeParams {
    text_document: TextDocumentIdentifier,
}

#[derive(Serialize)]
pub struct Text {
    text: String,
}

/// Handles `rise/virtualDocument`.
pub fn virtual_document(snapshot: &Snapshot, params: VirtualDocumentParams) -> Answer<Text> {
    let document = snapshot.document(&params.uri)?;
    Ok(Text {
        text: document.rope.to_string(),
    })
}

/// Handles `rise/syntaxTree`.
pub fn syntax_tree(snapshot: &Snapshot, params: SyntaxTreeParams) -> Answer<Text> {
    let document = snapshot.document(&params.text_document.uri)?;
    let text = snapshot.syntax(&document).show(&snapshot.db);
    text.map(|text| Text { text }).ok_or_else(|| {
        error(
            ErrorCode::ServerError(REQUEST_FAILED),
            "the text of the syntax tree is too long",
        )
    })
}

/// The parameters of `rise/explainDiagnostic`.
#[derive(Deserialize)]
pub struct ExplainDiagnosticParams {
    code: String,
}

/// The answer to `rise/explainDiagnostic`: a section of the error reference.
#[derive(Serialize)]
pub struct Page {
    title: &'static str,
    /// The text in Markdown.
    text: String,
}

/// Handles `rise/explainDiagnostic`.
pub fn explain_diagnostic(_: &Snapshot, params: ExplainDiagnosticParams) -> Answer<Page> {
    let code = db::codes::all()
        .into_iter()
        .find(|code| code.as_str() == params.code);
    let code = code
        .ok_or_else(|| invalid_params(format_args!("there is no diagnostic `{}`", params.code)))?;
    let (name, title, body) = (code.as_str(), code.title(), code.explanation());
    Ok(Page {
        title,
        text: format!("# {name}\n\n{title}\n\n{body}\n"),
    })
}
