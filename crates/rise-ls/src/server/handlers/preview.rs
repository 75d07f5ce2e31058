//! `rise/preview`: a definition in one of the forms that it takes on its way to running code, and
//! `rise/previewChanged` when an edit changes one that a client shows.

use db::{Declares, FileId, ItemId};
use ide::Form;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::notification::Notification;
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticSeverity, Position, Range, TextDocumentIdentifier,
};

use super::{Answer, strategies};
use crate::server::event::invalid_params;
use crate::server::positions::Lines;
use crate::server::previews::{Identity, Shown};
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto;
use crate::server::uri::Uri;
use syntax::{Code, Span};

/// The parameters of `rise/preview`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewParams {
    text_document: TextDocumentIdentifier,
    /// A place in the definition.
    #[serde(default)]
    position: Option<Position>,
    /// Its name, if there is no place; without both it is the document's first definition.
    #[serde(default)]
    def: Option<String>,
    /// `rise`, `dpia`, `dpia-imperative`, `c` or `openmp`.
    #[serde(rename = "as")]
    form: String,
}

/// A definition in a form.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResult {
    /// The definition.
    pub def: String,
    /// The form.
    #[serde(rename = "as")]
    pub form: &'static str,
    /// The version of the document that this was made of.
    pub version: Option<i32>,
    /// `dot as C`
    pub title: String,
    /// The language of the text, as editors call it.
    pub language: &'static str,
    /// The text; empty if there are errors.
    pub text: String,
    /// Which part of the text comes from where; parts nest.
    pub map: Vec<PreviewMap>,
    /// What keeps the definition from having this form.
    pub errors: Vec<Diagnostic>,
    /// The target for which `rise/lower` makes a definition that has this form, if this one does
    /// not say how it is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<&'static str>,
}

/// A part of a preview.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewMap {
    /// Where it comes from, in the document.
    pub source: Range,
    /// Where it is, in the text.
    pub target: Range,
    /// What made it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<PreviewOrigin>,
}

/// What made a part of a preview.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewOrigin {
    /// The primitive or operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primitive: Option<String>,
    /// The definition in whose text that stands, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// What the compiler's passes did to it, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<String>,
}

/// `rise/previewChanged`
#[derive(Debug)]
pub enum PreviewChanged {}

impl Notification for PreviewChanged {
    /// It is written as JSON at once: as a tree it would take as long as making it.
    type Params = serde_json::Value;
    const METHOD: &'static str = "rise/previewChanged";
}

/// The parameters of `rise/previewChanged`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewChangedParams<'a> {
    /// The document.
    pub text_document: TextDocumentIdentifier,
    /// The name under which the client shows it, if the definition has another one since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<&'a str>,
    /// The rest is that of the answer to `rise/preview`.
    #[serde(flatten)]
    pub preview: &'a PreviewResult,
}

/// A preview that a client shows: the parameters of `rise/previewClosed` and `rise/previewAgain`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewIdentifier {
    /// The document.
    pub text_document: TextDocumentIdentifier,
    /// The definition.
    pub def: String,
    /// The form.
    #[serde(rename = "as")]
    pub form: String,
}

/// `rise/preview`
pub fn preview(snapshot: &Snapshot, params: PreviewParams) -> Answer<PreviewResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let form = form(&params.form)?;
    let (item, def) = definition(snapshot, &document, &params)?;
    let result = of_item(snapshot, &document, item, def.clone(), form);
    if snapshot.view.open.contains_key(&document.file) {
        let shown = Shown {
            file: document.file,
            def,
            form,
        };
        let identity = identity(definitions(snapshot, document.file), item);
        snapshot.view.previews.show(shown, identity, &result);
    }
    Ok(result)
}

/// Answers `rise/previewAgain`, a request of the supervisor: takes over a preview that the client
/// shows since a worker before this one. Unlike `rise/preview` this keeps a preview whose definition
/// is gone, which may come back.
pub fn preview_again(snapshot: &Snapshot, params: PreviewIdentifier) -> Answer<PreviewResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let shown = Shown {
        file: document.file,
        def: params.def,
        form: form(&params.form)?,
    };
    let now = again(snapshot, &shown, Identity::default())
        .ok_or_else(|| invalid_params("the document is not open"))?;
    snapshot
        .view
        .previews
        .show(shown, now.identity, &now.result);
    Ok(now.result)
}

fn form(name: &str) -> Result<Form, Error> {
    Form::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Form::ALL.iter().map(|form| form.as_str()).collect();
        let known = known.join("`, `");
        invalid_params(format_args!(
            "there is no form `{name}`; there are `{known}`"
        ))
    })
}

/// Lists the definitions of a file with their names, in the order of the text.
fn definitions(snapshot: &Snapshot, file: FileId) -> Vec<(ItemId, String)> {
    let items = snapshot.db.items(file);
    let named = |&item: &ItemId| Some((item, name_of(snapshot, item)?));
    items.iter().filter_map(named).collect()
}

fn name_of(snapshot: &Snapshot, item: ItemId) -> Option<String> {
    match &snapshot.db.header(item).declares {
        Declares::Def(name) => Some(name.to_string()),
        _ => None,
    }
}

fn definition(
    snapshot: &Snapshot,
    document: &Document,
    params: &PreviewParams,
) -> Result<(ItemId, String), Error> {
    let db = &snapshot.db;
    if let Some(position) = params.position {
        let at = db.item_at(document.file, document.offset(position));
        return at
            .and_then(|(item, _)| Some((item, name_of(snapshot, item)?)))
            .ok_or_else(|| invalid_params("there is no definition at this place"));
    }
    let mut defs = definitions(snapshot, document.file).into_iter();
    let found = match &params.def {
        Some(wanted) => defs.find(|(_, name)| name == wanted),
        None => defs.next(),
    };
    found.ok_or_else(|| match &params.def {
        Some(wanted) => invalid_params(format_args!("the document does not define `{wanted}`")),
        None => invalid_params("the document has no definitions"),
    })
}

fn identity(definitions: Vec<(ItemId, String)>, item: ItemId) -> Identity {
    Identity {
        item: Some(item),
        names: definitions.into_iter().map(|(_, name)| name).collect(),
    }
}

/// A preview that a client shows, as it is now.
pub struct Again {
    /// The document, as the client writes it.
    pub uri: Uri,
    /// What tells whether the definition is renamed from now on.
    pub identity: Identity,
    /// The preview.
    pub result: PreviewResult,
}

/// The preview that a client shows, as it is now: under another name if its definition was renamed, an
/// error if its definition is gone, which may come back. `None` if the document is closed.
pub fn again(snapshot: &Snapshot, shown: &Shown, before: Identity) -> Option<Again> {
    let open = snapshot.view.open.get(&shown.file)?;
    let definitions = definitions(snapshot, shown.file);
    let of_name = definitions.iter().find(|(_, name)| *name == shown.def);
    let is_renamed = |(item, name): &&(ItemId, String)| {
        before.item == Some(*item) && !before.names.contains(name)
    };
    let found = of_name.or_else(|| definitions.iter().find(is_renamed));
    let document = snapshot.document_of(shown.file);
    let (result, identity) = match found.cloned() {
        Some((item, name)) => (
            of_item(snapshot, &document, item, name, shown.form),
            identity(definitions, item),
        ),
        None => (gone(snapshot, &document, shown), before),
    };
    Some(Again {
        uri: open.uri.clone(),
        identity,
        result,
    })
}

/// A preview whose definition the document does not have any more.
fn gone(snapshot: &Snapshot, document: &Document, shown: &Shown) -> PreviewResult {
    let error = Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some("rise".into()),
        message: format!("the document does not define `{}`", shown.def),
        ..Diagnostic::default()
    };
    let version = snapshot.version(document.file);
    empty(&shown.def, shown.form, version, vec![error])
}

/// A preview without text.
fn empty(def: &str, form: Form, version: Option<i32>, errors: Vec<Diagnostic>) -> PreviewResult {
    PreviewResult {
        title: format!("{def} as {}", form.title()),
        def: def.to_owned(),
        form: form.as_str(),
        version,
        language: form.language(),
        text: String::new(),
        map: Vec::new(),
        errors,
        lower: None,
    }
}

/// The target to lower a definition for, whose patterns do not say how they are computed.
fn target_to_lower_for(
    snapshot: &Snapshot,
    item: ItemId,
    form: Form,
    errors: &[syntax::Diagnostic],
) -> Option<&'static str> {
    let is_open = errors.iter().any(|error| error.code == Code::MissingChoice);
    let target = ide::form_target(&snapshot.db, item, form);
    let lowers = || ide::lowered_copy(&snapshot.db, item, strategies::lowering(target)).is_ok();
    (is_open && lowers()).then(|| target.as_str())
}

fn of_item(
    snapshot: &Snapshot,
    document: &Document,
    item: ItemId,
    def: String,
    form: Form,
) -> PreviewResult {
    let db = &snapshot.db;
    let version = snapshot.version(document.file);
    match ide::preview(db, document.file, item, form) {
        Ok(preview) => {
            let map = parts(snapshot, document, &preview);
            PreviewResult {
                title: preview.title,
                text: preview.text,
                map,
                ..empty(&def, form, version, Vec::new())
            }
        }
        Err(errors) => {
            let found = ide::item_diagnostics(db, item, &errors);
            let shown = found
                .iter()
                .map(|found| to_proto::diagnostic(snapshot, document, found));
            PreviewResult {
                lower: target_to_lower_for(snapshot, item, form, &errors),
                ..empty(&def, form, version, shown.collect())
            }
        }
    }
}

/// The parts in the client's terms. There are hundreds, many of which come from one place.
fn parts(snapshot: &Snapshot, document: &Document, preview: &ide::Preview) -> Vec<PreviewMap> {
    let lines = Lines::new(&preview.text);
    let mut sources: FxHashMap<(ItemId, Span), Range> = FxHashMap::default();
    let part = |part: &ide::PreviewPart| {
        let source = sources.entry((part.item, part.source));
        let source =
            source.or_insert_with(|| document.range(snapshot.db.absolute(part.item, part.source)));
        PreviewMap {
            source: *source,
            target: lines.range(&part.target, document.encoding),
            origin: origin_of(&part.made),
        }
    };
    preview.map.iter().map(part).collect()
}

fn origin_of(made: &ide::Made) -> Option<PreviewOrigin> {
    (*made != ide::Made::default()).then(|| PreviewOrigin {
        primitive: made.primitive.clone(),
        definition: made.definition.clone(),
        passes: made.passes.clone(),
    })
}

/// The file that a closed preview was about.
pub fn closed(
    params: &PreviewIdentifier,
    file: impl FnOnce(&Uri) -> Option<FileId>,
) -> Option<Shown> {
    Some(Shown {
        file: file(&params.text_document.uri)?,
        def: params.def.clone(),
        form: Form::from_name(&params.form)?,
    })
}
