//! `textDocument/selectionRange`.

use tower_lsp::lsp_types::{Position, Range, SelectionRange, SelectionRangeParams};

use super::Answer;
use crate::server::snapshot::Snapshot;

/// The largest number of ranges of a selection. Each is nested in the one before it, and JSON
/// parsers limit the nesting depth, usually to 128.
const MAX_SELECTIONS: usize = 100;

/// Handles `textDocument/selectionRange`.
pub fn selection_ranges(
    snapshot: &Snapshot,
    params: SelectionRangeParams,
) -> Answer<Option<Vec<SelectionRange>>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let offsets: Vec<u32> = params
        .positions
        .iter()
        .map(|&position| document.offset(position))
        .collect();
    let found = ide::selection_ranges(
        &snapshot.db,
        document.file,
        &snapshot.syntax(&document),
        &offsets,
    );
    let chain = |(mut spans, &position): (Vec<syntax::Span>, &Position)| {
        if let Some(&widest) = spans.last().filter(|_| spans.len() > MAX_SELECTIONS) {
            spans.truncate(MAX_SELECTIONS - 1);
            spans.push(widest);
        }
        let mut outer = None;
        for span in spans.into_iter().rev() {
            outer = Some(Box::new(SelectionRange {
                range: document.range(span),
                parent: outer,
            }));
        }
        outer.map_or_else(
            || SelectionRange {
                range: Range::new(position, position),
                parent: None,
            },
            |inner| *inner,
        )
    };
    let found = found.into_iter().zip(&params.positions);
    Ok(Some(found.map(chain).collect()))
}
