//! `textDocument/hover`.

use ide::Repeated;
use tower_lsp::lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use super::Answer;
use crate::server::snapshot::Snapshot;
use crate::server::to_proto::markdown;

/// Handles `textDocument/hover`.
pub fn hover(snapshot: &Snapshot, params: HoverParams) -> Answer<Option<Hover>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let shown = snapshot.view.client.shows_diagnostics;
    let repeated = Repeated {
        errors: !shown,
        conditions: !shown || !snapshot.view.settings.diagnostics.obligations,
    };
    let found = ide::hover(&snapshot.db, document.at(place.position), repeated);
    Ok(found.map(|hover| Hover {
        contents: HoverContents::Markup(match snapshot.view.client.hover_markdown {
            true => markdown(hover.markdown),
            false => plain(&hover.markdown),
        }),
        range: Some(document.range(hover.range)),
    }))
}

/// Removes the fences of code blocks from Markdown.
fn plain(markdown: &str) -> MarkupContent {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    MarkupContent {
        kind: MarkupKind::PlainText,
        value: lines.collect::<Vec<_>>().join("\n"),
    }
}
