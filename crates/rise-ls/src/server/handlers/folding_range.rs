//! `textDocument/foldingRange`.

use ide::FoldingKind;
use tower_lsp::lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use super::Answer;
use crate::server::snapshot::Snapshot;

/// Handles `textDocument/foldingRange`.
pub fn folding_ranges(
    snapshot: &Snapshot,
    params: FoldingRangeParams,
) -> Answer<Option<Vec<FoldingRange>>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let folding = |folding: ide::Folding| {
        let range = document.range(folding.span);
        let characters = !snapshot.view.client.folds_lines_only;
        FoldingRange {
            start_line: range.start.line,
            start_character: characters.then_some(range.start.character),
            end_line: range.end.line,
            end_character: characters.then_some(range.end.character),
            kind: match folding.kind {
                FoldingKind::Comment => Some(FoldingRangeKind::Comment),
                FoldingKind::Imports => Some(FoldingRangeKind::Imports),
                FoldingKind::Region => None,
            },
            collapsed_text: None,
        }
    };
    let found = ide::folding_ranges(&snapshot.db, document.file, &snapshot.syntax(&document));
    Ok(Some(found.into_iter().map(folding).collect()))
}
