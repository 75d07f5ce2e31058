//! `textDocument/definition` and `textDocument/typeDefinition`.

use ide::NavTarget;
use tower_lsp::lsp_types::request::GotoTypeDefinitionParams;
use tower_lsp::lsp_types::{GotoDefinitionParams, GotoDefinitionResponse};

use super::Answer;
use crate::server::snapshot::Snapshot;
use crate::server::to_proto::{location, location_link};

/// Handles `textDocument/definition`.
pub fn definition(
    snapshot: &Snapshot,
    params: GotoDefinitionParams,
) -> Answer<Option<GotoDefinitionResponse>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let targets = ide::goto_definition(&snapshot.db, document.at(place.position));
    let links = snapshot.view.client.definition_links;
    Ok(Some(places(snapshot, &targets, links)))
}

/// Handles `textDocument/typeDefinition`.
pub fn type_definition(
    snapshot: &Snapshot,
    params: GotoTypeDefinitionParams,
) -> Answer<Option<GotoDefinitionResponse>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let targets = ide::goto_type_definition(&snapshot.db, document.at(place.position));
    let links = snapshot.view.client.type_definition_links;
    Ok(Some(places(snapshot, &targets, links)))
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
