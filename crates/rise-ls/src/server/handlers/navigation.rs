//! Navigation: definitions, references, highlights and links.

use db::FileId;
use ide::{HighlightKind, NavTarget};
use rustc_hash::FxHashMap;
use tower_lsp::lsp_types::request::GotoTypeDefinitionParams;
use tower_lsp::lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, DocumentLink,
    DocumentLinkParams, GotoDefinitionParams, GotoDefinitionResponse, Location, ReferenceParams,
    Uri,
};

use super::Answer;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{location, location_link};

/// Handles `textDocument/definition`.
pub fn definition(
    snapshot: &Snapshot,
    params: GotoDefinitionParams,
) -> Answer<GotoDefinitionResponse> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let targets = ide::goto_definition(&snapshot.db, document.at(place.position));
    Ok(places(
        snapshot,
        &targets,
        snapshot.view.client.definition_links,
    ))
}

/// Handles `textDocument/typeDefinition`.
pub fn type_definition(
    snapshot: &Snapshot,
    params: GotoTypeDefinitionParams,
) -> Answer<GotoDefinitionResponse> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let targets = ide::goto_type_definition(&snapshot.db, document.at(place.position));
    Ok(places(
        snapshot,
        &targets,
        snapshot.view.client.type_definition_links,
    ))
}

fn places(snapshot: &Snapshot, targets: &[NavTarget], links: bool) -> GotoDefinitionResponse {
    if links {
        let links = targets
            .iter()
            .filter_map(|target| location_link(snapshot, None, target));
        return GotoDefinitionResponse::Link(links.collect());
    }
    GotoDefinitionResponse::Array(
        targets
            .iter()
            .filter_map(|target| location(snapshot, target))
            .collect(),
    )
}

/// Handles `textDocument/references`.
pub fn references(snapshot: &Snapshot, params: ReferenceParams) -> Answer<Vec<Location>> {
    let place = params.text_document_position;
    let document = snapshot.document(&place.text_document.uri)?;
    let found = ide::references(&snapshot.db, document.at(place.position));
    let wanted = found
        .into_iter()
        .filter(|found| params.context.include_declaration || !found.declaration);
    // There are many references in few files.
    let mut files: FxHashMap<FileId, Option<(Uri, Document)>> = FxHashMap::default();
    let location = |found: ide::Reference| {
        let file = found.place.file;
        let known = files
            .entry(file)
            .or_insert_with(|| Some((snapshot.uri(file)?, snapshot.document_of(file))));
        let (uri, document) = known.as_ref()?;
        Some(Location::new(uri.clone(), document.range(found.place.span)))
    };
    Ok(wanted.filter_map(location).collect())
}

/// Handles `textDocument/documentHighlight`.
pub fn highlights(
    snapshot: &Snapshot,
    params: DocumentHighlightParams,
) -> Answer<Vec<DocumentHighlight>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let found = ide::highlights(&snapshot.db, document.at(place.position));
    let highlight = |found: ide::Highlight| DocumentHighlight {
        range: document.range(found.span),
        kind: Some(match found.kind {
            HighlightKind::Read => DocumentHighlightKind::READ,
            HighlightKind::Write => DocumentHighlightKind::WRITE,
        }),
    };
    Ok(found.into_iter().map(highlight).collect())
}

/// Handles `textDocument/documentLink`.
pub fn links(snapshot: &Snapshot, params: DocumentLinkParams) -> Answer<Vec<DocumentLink>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let found = ide::document_links(&snapshot.db, document.file);
    let link = |found: ide::DocumentLink| DocumentLink {
        range: document.range(found.span),
        target: snapshot.uri(found.target),
        tooltip: Some(snapshot.db.path(found.target).to_string()),
        data: None,
    };
    Ok(found.into_iter().map(link).collect())
}
