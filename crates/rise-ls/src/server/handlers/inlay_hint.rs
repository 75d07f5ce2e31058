//! `textDocument/inlayHint`.

use ide::{InlayHint, InlayKind};
use syntax::Dialect;
use tower_lsp::lsp_types::{
    InlayHint as LspInlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, InlayHintTooltip,
};

use super::Answer;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{markdown, text_edits};

/// Handles `textDocument/inlayHint`.
pub fn inlay_hints(
    snapshot: &Snapshot,
    params: InlayHintParams,
) -> Answer<Option<Vec<LspInlayHint>>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let range = document.span(params.range);
    let hints = ide::inlay_hints(
        &snapshot.db,
        document.file,
        range,
        &snapshot.view.settings.inlay_hints,
    );
    let dialect = snapshot.db.dialect(document.file);
    let hints = hints.into_iter();
    let hints = hints.map(|hint| inlay_hint(&document, dialect, hint));
    Ok(Some(hints.collect()))
}

fn inlay_hint(document: &Document, dialect: Dialect, hint: InlayHint) -> LspInlayHint {
    let kind = match hint.kind {
        InlayKind::Parameter | InlayKind::Definition | InlayKind::Pipeline => {
            Some(InlayHintKind::TYPE)
        }
        InlayKind::Implicit => Some(InlayHintKind::PARAMETER),
        InlayKind::Value | InlayKind::Barrier => None,
    };
    let language = match hint.kind {
        InlayKind::Value => "text",
        InlayKind::Barrier => "c",
        _ => dialect.extension(),
    };
    let mut tooltip = format!("```{language}\n{}\n```", hint.tooltip);
    if !hint.details.is_empty() {
        tooltip.push_str("\n\n");
        tooltip.push_str(&hint.details);
    }
    LspInlayHint {
        position: document.position(hint.offset),
        label: InlayHintLabel::String(hint.label),
        kind,
        text_edits: hint.insert.map(|edits| text_edits(document, &edits)),
        tooltip: Some(InlayHintTooltip::MarkupContent(markdown(tooltip))),
        padding_left: Some(hint.pad_left),
        padding_right: None,
        data: None,
    }
}
