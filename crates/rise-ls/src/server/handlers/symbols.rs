//! `textDocument/documentSymbol` and `workspace/symbol`.

use tower_lsp::lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, OneOf,
    SymbolInformation, WorkspaceSymbol, WorkspaceSymbolParams,
};

use super::Answer;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{location, ranges, symbol_kind};

/// The largest number of symbols in an answer to `workspace/symbol`.
const MAX_WORKSPACE_SYMBOLS: usize = 256;

/// Handles `textDocument/documentSymbol`.
pub fn document_symbols(
    snapshot: &Snapshot,
    params: DocumentSymbolParams,
) -> Answer<Option<DocumentSymbolResponse>> {
    let uri = params.text_document.uri;
    let document = snapshot.document(&uri)?;
    let symbols = ide::document_symbols(&snapshot.db, document.file);
    if snapshot.view.client.nested_symbols {
        let symbols = symbols
            .into_iter()
            .map(|symbol| document_symbol(snapshot, &document, symbol));
        return Ok(Some(DocumentSymbolResponse::Nested(symbols.collect())));
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
    Ok(Some(DocumentSymbolResponse::Flat(flat.collect())))
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
) -> Answer<Option<OneOf<Vec<SymbolInformation>, Vec<WorkspaceSymbol>>>> {
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
    let symbols = symbols.into_iter().filter_map(symbol).collect();
    Ok(Some(OneOf::Right(symbols)))
}
