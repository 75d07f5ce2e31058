//! `textDocument/hover`.

use ide::{FilePosition, Repeated};
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
    let at = document.at(place.position);
    let mut found = ide::hover(&snapshot.db, at, repeated);
    if let (Some(hover), Some(estimate)) = (&mut found, estimate(snapshot, at)) {
        hover.markdown += &format!("\n\n{estimate}");
    }
    Ok(found.map(|hover| Hover {
        contents: HoverContents::Markup(match snapshot.view.client.hover_markdown {
            true => markdown(hover.markdown),
            false => plain(&hover.markdown),
        }),
        range: Some(document.range(hover.range)),
    }))
}

/// Returns the estimated time of the definition whose name is at a place, if it is known.
fn estimate(snapshot: &Snapshot, at: FilePosition) -> Option<String> {
    let (item, offset) = snapshot.db.item_at(at.file, at.offset)?;
    if !snapshot.db.header(item).span.touches(offset) {
        return None;
    }
    let (target, summary) = snapshot.view.estimates.summary(snapshot, item)?;
    Some(format!("Estimated in {}: {summary}", target.title()))
}

/// Removes the fences of code blocks from Markdown.
fn plain(markdown: &str) -> MarkupContent {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    MarkupContent {
        kind: MarkupKind::PlainText,
        value: lines.collect::<Vec<_>>().join("\n"),
    }
}
