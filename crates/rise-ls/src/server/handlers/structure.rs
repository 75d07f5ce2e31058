//! The structure of documents: symbols, folding ranges and selection ranges.

use ide::FoldingKind;
use tower_lsp::lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, FoldingRange, FoldingRangeKind,
    FoldingRangeParams, Location, OneOf, Position, Range, SelectionRange, SelectionRangeParams,
    SymbolInformation, WorkspaceSymbol, WorkspaceSymbolParams,
};

use super::Answer;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{location, ranges, symbol_kind};

/// The largest number of symbols in an answer.
const MAX_WORKSPACE_SYMBOLS: usize = 256;

/// The largest number of ranges of a selection. Each is nested in the one before it, and JSON
/// parsers limit the nesting depth, usually to 128.
const MAX_SELECTIONS: usize = 100;

/// Handles `textDocument/documentSymbol`.
pub fn document_symbols(
    snapshot: &Snapshot,
    params: DocumentSymbolParams,
) -> Answer<DocumentSymbolResponse> {
    let uri = params.text_document.uri;
    let document = snapshot.document(&uri)?;
    let symbols = ide::document_symbols(&snapshot.db, document.file);
    if snapshot.view.client.nested_symbols {
        let symbols = symbols
            .into_iter()
            .map(|symbol| document_symbol(snapshot, &document, symbol));
        return Ok(DocumentSymbolResponse::Nested(symbols.collect()));
    }
    #[allow(deprecated, reason = "the protocol's type has a deprecated field")]
    let flat =
        symbols.into_iter().map(
            |ide::DocumentSymbol { target: symbol, .. }| SymbolInformation {
                name: symbol.name,
                kind: symbol_kind(symbol.kind),
                tags: None,
                deprecated: None,
                location: Location::new(uri.clone(), document.range(symbol.full)),
                container_name: None,
            },
        );
    Ok(DocumentSymbolResponse::Flat(flat.collect()))
}

#[allow(deprecated, reason = "the protocol's type has a deprecated field")]
fn document_symbol(
    snapshot: &Snapshot,
    document: &Document,
    ide::DocumentSymbol { target, detail }: ide::DocumentSymbol,
) -> DocumentSymbol {
    let (range, selection_range) = ranges(snapshot, document.file, target.full, target.focus);
    DocumentSymbol {
        name: target.name,
        detail,
        kind: symbol_kind(target.kind),
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: None,
    }
}

/// Handles `workspace/symbol`.
pub fn workspace_symbols(
    snapshot: &Snapshot,
    params: WorkspaceSymbolParams,
) -> Answer<Vec<WorkspaceSymbol>> {
    let symbols = ide::workspace_symbols(&snapshot.db, &params.query, MAX_WORKSPACE_SYMBOLS);
    let symbol = |symbol: ide::NavTarget| {
        let location = location(snapshot, &symbol)?;
        Some(WorkspaceSymbol {
            name: symbol.name,
            kind: symbol_kind(symbol.kind),
            tags: None,
            container_name: Some(snapshot.db.path(symbol.file).file_name()),
            location: OneOf::Left(location),
            data: None,
        })
    };
    Ok(symbols.into_iter().filter_map(symbol).collect())
}

/// Handles `textDocument/foldingRange`.
pub fn folding_ranges(
    snapshot: &Snapshot,
    params: FoldingRangeParams,
) -> Answer<Vec<FoldingRange>> {
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
    Ok(
        ide::folding_ranges(&snapshot.db, document.file, &snapshot.syntax(&document))
            .into_iter()
            .map(folding)
            .collect(),
    )
}

/// Handles `textDocument/selectionRange`.
pub fn selection_ranges(
    snapshot: &Snapshot,
    params: SelectionRangeParams,
) -> Answer<Vec<SelectionRange>> {
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
    Ok(found
        .into_iter()
        .zip(&params.positions)
        .map(chain)
        .collect())
}
