//! `textDocument/signatureHelp`.

use syntax::Span;
use tower_lsp::lsp_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams,
    SignatureInformation,
};

use super::Answer;
use crate::server::positions::{Encoding, number};
use crate::server::snapshot::Snapshot;
use crate::server::to_proto::markdown;

/// Handles `textDocument/signatureHelp`.
pub fn signature_help(
    snapshot: &Snapshot,
    params: SignatureHelpParams,
) -> Answer<Option<SignatureHelp>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let Some(help) = ide::signature_help(&snapshot.db, document.at(place.position)) else {
        return Ok(None);
    };
    let signature = help.signature;
    let parameters = signature
        .parameters
        .iter()
        .map(|&span| ParameterInformation {
            label: label_offsets(&signature.label, span),
            documentation: None,
        });
    let parameters: Vec<_> = parameters.collect();
    // After the last parameter none is active, which the protocol represents by an index out of
    // range.
    let active = Some(number(help.active.unwrap_or(parameters.len())));
    Ok(Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            parameters: Some(parameters),
            documentation: signature
                .docs
                .map(|docs| Documentation::MarkupContent(markdown(docs))),
            label: signature.label,
            active_parameter: active,
        }],
        active_signature: Some(0),
        active_parameter: active,
    }))
}

/// Returns the offsets of a part of a label, which are in UTF-16 code units independent of the
/// negotiated encoding.
fn label_offsets(label: &str, span: Span) -> ParameterLabel {
    let units =
        |byte: u32| number(Encoding::Utf16.len(label.get(..byte as usize).unwrap_or(label)));
    ParameterLabel::LabelOffsets([units(span.start), units(span.end)])
}
