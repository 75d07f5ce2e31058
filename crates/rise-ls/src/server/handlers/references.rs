//! `textDocument/references`.

use db::FileId;
use rustc_hash::FxHashMap;
use tower_lsp::lsp_types::{Location, ReferenceParams};

use super::Answer;
use crate::server::snapshot::{Document, Snapshot};
use crate::server::uri::Uri;

/// Handles `textDocument/references`.
pub fn references(snapshot: &Snapshot, params: ReferenceParams) -> Answer<Option<Vec<Location>>> {
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
    Ok(Some(wanted.filter_map(location).collect()))
}
