//! `rise/record`: records manual rewrites as a strategy.

use db::{FilePath, FileState, ReadError};
use ropey::Rope;
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::{
    CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, ResourceOp, TextDocumentEdit,
    TextDocumentIdentifier, TextEdit, WorkspaceEdit,
};

use super::Answer;
use crate::loader;
use crate::server::event::invalid_params;
use crate::server::positions;
use crate::server::snapshot::Snapshot;
use crate::server::uri::{self, Uri};

/// The name of the file, in the folder of the program, in which steps are recorded.
const STRATEGY_FILE: &str = "strategy.elevate";

/// The parameters of `rise/record`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordParams {
    text_document: TextDocumentIdentifier,
    def: String,
    /// The strategy that rewrites the whole definition.
    step: String,
}

/// The answer to `rise/record`.
#[derive(Clone, Debug, Serialize)]
pub struct RecordResult {
    edit: WorkspaceEdit,
    uri: Uri,
    /// The range at which the step is inserted.
    range: Range,
}

/// Handles `rise/record`.
pub fn record(snapshot: &Snapshot, params: RecordParams) -> Answer<RecordResult> {
    let program = snapshot.file(&params.text_document.uri)?;
    let path = snapshot.db.path(program);
    let beside = path
        .as_disk()
        .and_then(|path| path.parent())
        .map(|folder| FilePath::disk(folder.join(STRATEGY_FILE)))
        .ok_or_else(|| {
            invalid_params("the program is not saved, so no file can be put beside it")
        })?;
    let known = text_of(snapshot, &beside)?;
    let (exists, text) = match known {
        Some(text) => (true, text),
        None => (false, Rope::new()),
    };
    let (span, new) = ide::recorded(&text.to_string(), &params.def, &params.step);
    let file = snapshot.db.file(&beside);
    let uri = file.and_then(|file| snapshot.uri(file));
    let uri = uri.or_else(|| uri::from_path(&beside));
    let uri = uri.ok_or_else(|| invalid_params("the folder's name cannot be written as a URI"))?;
    let version = file.and_then(|file| snapshot.version(file));
    let range = positions::to_range(&text, span, snapshot.view.encoding);
    let insert = DocumentChangeOperation::Edit(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: uri.clone(),
            version,
        },
        edits: vec![OneOf::Left(TextEdit::new(range, new))],
    });
    let create = (!exists).then(|| created(&uri));
    let operations = create.into_iter().chain([insert]).collect();
    Ok(RecordResult {
        edit: WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        },
        uri,
        range,
    })
}

/// Returns the text of a file that is open, in the database, or only on disk; `None` if it does not
/// exist, and an error if it cannot be read.
fn text_of(snapshot: &Snapshot, path: &FilePath) -> Result<Option<Rope>, Error> {
    let db = &snapshot.db;
    let known = db.file(path);
    if let Some(file) = known.filter(|file| matches!(db.state(*file), FileState::Present(_))) {
        return Ok(Some(db.text(file)));
    }
    match loader::read_import(path, &snapshot.view.roots) {
        Ok(text) => Ok(Some(Rope::from_str(&text))),
        Err(ReadError::NotFound(_)) => Ok(None),
        Err(_) => Err(invalid_params(format_args!(
            "`{STRATEGY_FILE}` cannot be read"
        ))),
    }
}

fn created(uri: &Uri) -> DocumentChangeOperation {
    DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
        uri: uri.clone(),
        options: Some(CreateFileOptions {
            overwrite: None,
            ignore_if_exists: Some(true),
        }),
        annotation_id: None,
    }))
}
