//! Diagnostics of one document and of the workspace.

use std::collections::HashMap;

use db::FileId;
use db::codes;
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticSeverity, DocumentDiagnosticParams, DocumentDiagnosticReport,
    DocumentDiagnosticReportKind, DocumentDiagnosticReportResult, FullDocumentDiagnosticReport,
    NumberOrString, RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport,
    WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};

use super::Answer;
use crate::server::crash::{self, CHECK};
use crate::server::publish::hash;
use crate::server::snapshot::Snapshot;
use crate::server::sync::imported_from;
use crate::server::to_proto::diagnostics;
use crate::server::uri::Uri;

pub fn of_file(snapshot: &Snapshot, file: FileId) -> Vec<Diagnostic> {
    crash::on_purpose(CHECK, snapshot, Some(file));
    let document = snapshot.document_of(file);
    let mut found = ide::diagnostics(&snapshot.db, file);
    for (item, hints) in snapshot.view.estimates.hints(snapshot, file) {
        found.extend(ide::item_diagnostics(&snapshot.db, item, &hints));
    }
    diagnostics(snapshot, &document, &found).collect()
}

/// Returns the diagnostic for a file whose diagnostics cannot be computed.
pub fn failure() -> Diagnostic {
    internal(
        "this file could not be checked: the checker has failed, which is a bug in it; the log contains the details",
    )
}

/// Returns the diagnostic for a document on which the server has crashed.
pub fn quarantine() -> Diagnostic {
    internal(
        "this file is not checked until its text changes: the server has crashed while it worked on it, which is a bug in the server; the log contains the details",
    )
}

fn internal(message: &str) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::WARNING),
        code: Some(NumberOrString::String(codes::INTERNAL.as_str().into())),
        source: Some("rise".into()),
        message: message.into(),
        ..Diagnostic::default()
    }
}

/// Handles `textDocument/diagnostic`.
pub fn document(
    snapshot: &Snapshot,
    params: DocumentDiagnosticParams,
) -> Answer<DocumentDiagnosticReportResult> {
    let file = snapshot.file(&params.text_document.uri)?;
    let items = of_file(snapshot, file);
    let result_id = result_id(&items);
    let related_documents = snapshot
        .view
        .client
        .relates_diagnostics
        .then(|| of_importers(snapshot, file))
        .filter(|related| !related.is_empty());
    let report = if params.previous_result_id.as_ref() == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents,
            full_document_diagnostic_report: report(result_id, items),
        })
    };
    Ok(report.into())
}

/// Returns the diagnostics of the open documents that import a file directly or indirectly.
#[allow(
    clippy::mutable_key_type,
    reason = "it is the type of the protocol library, which compares the texts of URIs"
)]
fn of_importers(snapshot: &Snapshot, file: FileId) -> HashMap<Uri, DocumentDiagnosticReportKind> {
    let imports_it =
        |&other: &FileId| other != file && imported_from(&snapshot.db, vec![other]).contains(&file);
    let open = snapshot.view.open.keys().copied();
    open.filter(imports_it)
        .filter_map(|other| {
            let items = of_file(snapshot, other);
            let report = report(result_id(&items), items);
            Some((
                snapshot.uri(other)?,
                DocumentDiagnosticReportKind::Full(report),
            ))
        })
        .collect()
}

fn report(result_id: String, items: Vec<Diagnostic>) -> FullDocumentDiagnosticReport {
    FullDocumentDiagnosticReport {
        result_id: Some(result_id),
        items,
    }
}

/// Handles `workspace/diagnostic`: reports the files of the database except the library, and clears
/// the diagnostics of files that no longer exist.
pub fn workspace(
    snapshot: &Snapshot,
    params: WorkspaceDiagnosticParams,
) -> Answer<WorkspaceDiagnosticReportResult> {
    let mut items = Vec::new();
    for file in snapshot.db.files() {
        if snapshot.db.is_library(file) {
            continue;
        }
        let Some(uri) = snapshot.uri(file) else {
            continue;
        };
        let version = snapshot.version(file).map(i64::from);
        let found = of_file(snapshot, file);
        let result_id = result_id(&found);
        let previous = params
            .previous_result_ids
            .iter()
            .find(|previous| previous.uri == uri);
        items.push(match previous {
            Some(previous) if previous.value == result_id => {
                let unchanged_document_diagnostic_report =
                    UnchangedDocumentDiagnosticReport { result_id };
                WorkspaceDocumentDiagnosticReport::Unchanged(
                    WorkspaceUnchangedDocumentDiagnosticReport {
                        uri,
                        version,
                        unchanged_document_diagnostic_report,
                    },
                )
            }
            _ => full(uri, version, Some(result_id), found),
        });
    }
    // Deleted files have no diagnostics.
    for previous in params.previous_result_ids {
        if snapshot.file(&previous.uri).is_err() {
            items.push(full(previous.uri, None, None, Vec::new()));
        }
    }
    Ok(WorkspaceDiagnosticReport { items }.into())
}

fn full(
    uri: Uri,
    version: Option<i64>,
    result_id: Option<String>,
    items: Vec<Diagnostic>,
) -> WorkspaceDocumentDiagnosticReport {
    WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
        uri,
        version,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id, items },
    })
}

/// Returns the result id of these diagnostics: a hash of their content and positions.
fn result_id(items: &[Diagnostic]) -> String {
    format!("{:016x}", hash(items))
}
