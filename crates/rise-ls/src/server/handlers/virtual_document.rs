//! `rise/virtualDocument`: the text of a document, in particular of a file of the standard library.

use serde::{Deserialize, Serialize};

use super::Answer;
use crate::server::snapshot::Snapshot;
use crate::server::uri::Uri;

/// The parameters of `rise/virtualDocument`.
#[derive(Clone, Debug, Deserialize)]
pub struct VirtualDocumentParams {
    uri: Uri,
}

/// The answer to `rise/virtualDocument`.
#[derive(Debug, Serialize)]
pub struct VirtualDocument {
    text: String,
}

/// Handles `rise/virtualDocument`.
pub fn virtual_document(
    snapshot: &Snapshot,
    params: VirtualDocumentParams,
) -> Answer<VirtualDocument> {
    let document = snapshot.document(&params.uri)?;
    Ok(VirtualDocument {
        text: document.rope.to_string(),
    })
}
