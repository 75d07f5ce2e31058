//! Converts data of the `ide` crate to types of the protocol.

use std::collections::HashMap;
use std::str::FromStr;

use db::FileId;
use ide::{FileDiagnostic, NavTarget, SourceEdits, SymbolKind};
use rise::codes;
use syntax::{Code, Severity, Span};
use tower_lsp::lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentChanges,
    Location, LocationLink, MarkupContent, MarkupKind, NumberOrString, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, SymbolKind as LspSymbolKind, TextDocumentEdit,
    TextEdit, Uri, WorkspaceEdit,
};

use super::snapshot::{Document, Snapshot};

/// Converts the diagnostics that the settings show.
pub fn diagnostics<'a>(
    snapshot: &'a Snapshot,
    document: &'a Document,
    found: &'a [FileDiagnostic],
) -> impl Iterator<Item = Diagnostic> + 'a {
    let obligations = snapshot.view.settings.diagnostics.obligations;
    let is_shown = move |found: &&FileDiagnostic| obligations || found.code != codes::OBLIGATION;
    let shown = found.iter().filter(is_shown);
    shown.map(|found| diagnostic(snapshot, document, found))
}

/// Converts a diagnostic. The protocol has no field for its help, which becomes the last line of
/// the message.
pub fn diagnostic(snapshot: &Snapshot, document: &Document, from: &FileDiagnostic) -> Diagnostic {
    let related = from.related.iter().filter_map(|related| {
        let location = snapshot.location(related.place)?;
        Some(DiagnosticRelatedInformation {
            location,
            message: related.message.clone(),
        })
    });
    let related: Vec<_> = related.collect();
    let message = match &from.help {
        Some(help) => format!("{}\nhelp: {help}", from.message),
        None => from.message.clone(),
    };
    Diagnostic {
        range: document.range(from.span),
        severity: Some(severity(from.severity)),
        code: Some(NumberOrString::String(from.code.as_str().into())),
        code_description: page(from.code).map(|href| CodeDescription { href }),
        source: Some("rise".into()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// Returns the URL of a code's section in the error reference.
pub fn page(code: Code) -> Option<Uri> {
    let reference = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/errors.md");
    Uri::from_str(&format!("{reference}#{}", code.as_str())).ok()
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        // Obligations of a definition are not problems.
        Severity::Information | Severity::Hint => DiagnosticSeverity::HINT,
    }
}

/// Converts the edits of one document.
pub fn text_edits(document: &Document, edits: &[ide::TextEdit]) -> Vec<TextEdit> {
    edits
        .iter()
        .map(|edit| TextEdit::new(document.range(edit.span), edit.text.clone()))
        .collect()
}

/// Converts the edits of several documents, with their versions if the client supports that.
pub fn workspace_edit(snapshot: &Snapshot, edits: &SourceEdits) -> WorkspaceEdit {
    let of_files = edits.files.iter().filter_map(|(file, edits)| {
        let document = snapshot.document_of(*file);
        Some((*file, snapshot.uri(*file)?, text_edits(&document, edits)))
    });
    if snapshot.view.client.versioned_edits {
        let changes = of_files.map(|(file, uri, edits)| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri,
                version: snapshot.version(file),
            },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        });
        return WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(changes.collect())),
            ..WorkspaceEdit::default()
        };
    }
    #[allow(
        clippy::mutable_key_type,
        reason = "the key of the protocol's map; nobody changes it"
    )]
    let changes: HashMap<_, _> = of_files.map(|(_, uri, edits)| (uri, edits)).collect();
    WorkspaceEdit {
        changes: Some(changes),
        ..WorkspaceEdit::default()
    }
}

/// Returns the location of a target's name.
pub fn location(snapshot: &Snapshot, target: &NavTarget) -> Option<Location> {
    let document = snapshot.document_of(target.file);
    Some(Location::new(
        snapshot.uri(target.file)?,
        document.range(target.focus),
    ))
}

/// Returns a link to a target from the range `origin`.
pub fn location_link(
    snapshot: &Snapshot,
    origin: Option<Range>,
    target: &NavTarget,
) -> Option<LocationLink> {
    let (target_range, target_selection_range) =
        ranges(snapshot, target.file, target.full, target.focus);
    Some(LocationLink {
        origin_selection_range: origin,
        target_uri: snapshot.uri(target.file)?,
        target_range,
        target_selection_range,
    })
}

/// Returns the ranges of an item and of its name, which is inside the former as the protocol
/// demands.
pub fn ranges(snapshot: &Snapshot, file: FileId, full: Span, focus: Span) -> (Range, Range) {
    let document = snapshot.document_of(file);
    (document.range(full.cover(focus)), document.range(focus))
}

pub fn symbol_kind(kind: SymbolKind) -> LspSymbolKind {
    match kind {
        SymbolKind::Function
        | SymbolKind::Foreign
        | SymbolKind::Primitive
        | SymbolKind::Rule
        | SymbolKind::Strategy
        | SymbolKind::Predicate => LspSymbolKind::FUNCTION,
        SymbolKind::Value => LspSymbolKind::CONSTANT,
        SymbolKind::Parameter | SymbolKind::Variable | SymbolKind::Tunable => {
            LspSymbolKind::VARIABLE
        }
        SymbolKind::TypeParameter => LspSymbolKind::TYPE_PARAMETER,
        SymbolKind::File => LspSymbolKind::FILE,
    }
}

pub fn markdown(value: String) -> MarkupContent {
    MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    }
}
