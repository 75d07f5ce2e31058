//! `rise/preview`: shows a definition in one of the intermediate forms or target languages of the
//! compiler. `rise/previewChanged` notifies the client when an edit changes a shown preview.

use std::borrow::Cow;

use codegen::Target;
use db::{Declaration, FileId, ItemId};
use ide::Form;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticSeverity, Position, Range, TextDocumentIdentifier,
};

use super::Answer;
use crate::run;
use crate::server::event::invalid_params;
use crate::server::positions::Lines;
use crate::server::previews::{DefinitionIdentity, PreviewKey};
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto;
use crate::server::uri::Uri;
use dpia::codes;
use syntax::Span;

/// The parameters of `rise/preview`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewParams {
    text_document: TextDocumentIdentifier,
    /// A position in the definition.
    #[serde(default)]
    position: Option<Position>,
    /// The name of the definition, if there is no position. Without both, the first definition of
    /// the document is shown.
    #[serde(default)]
    def: Option<String>,
    /// The form: the name of a [`Form`].
    #[serde(rename = "as")]
    form: String,
}

/// The answer to `rise/preview`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResult {
    /// The name of the definition.
    pub def: String,
    #[serde(rename = "as")]
    pub form: Cow<'static, str>,
    /// The version of the document from which the preview was made.
    pub version: Option<i32>,
    /// The title, as in `dot as C`.
    pub title: String,
    /// The language id of the text.
    pub language: &'static str,
    /// The text, which is empty if there are errors.
    pub text: String,
    /// The source map. The target range of an entry can contain those of others.
    pub map: Vec<PreviewMap>,
    /// The errors that prevent the definition from being shown in this form.
    pub errors: Vec<Diagnostic>,
    /// The target for `rise/lower`. It is set if the preview failed because the definition still
    /// has high-level patterns, and a lowered copy of it can be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<&'static str>,
}

/// An entry of the source map of a preview.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewMap {
    /// The range in the document.
    pub source: Range,
    /// The range in the text of the preview.
    pub target: Range,
    /// The construct that the part comes from, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<PreviewOrigin>,
}

/// The construct that a part of a preview comes from.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewOrigin {
    /// The primitive or operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primitive: Option<String>,
    /// The definition that contains the primitive, if it is not the shown definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The compiler passes that changed this part of the output, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<String>,
}

/// The method of the notification of a change of a shown preview.
pub const PREVIEW_CHANGED: &str = "rise/previewChanged";
/// The method of the request by which the supervisor makes a new worker compute a shown preview
/// again.
pub const RECOMPUTE_PREVIEW: &str = "rise/recomputePreview";

/// The parameters of `rise/previewChanged`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewChangedParams<'a> {
    pub text_document: TextDocumentIdentifier,
    /// The former name of the definition, under which the client shows the preview, if the
    /// definition was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<&'a str>,
    /// The fields of the answer to `rise/preview`.
    #[serde(flatten)]
    pub preview: &'a PreviewResult,
}

/// The identity of a shown preview: the parameters of `rise/previewClosed` and
/// `rise/recomputePreview`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewIdentifier {
    pub text_document: TextDocumentIdentifier,
    pub def: String,
    #[serde(rename = "as")]
    pub form: String,
}

/// Handles `rise/preview`.
pub fn preview(snapshot: &Snapshot, params: PreviewParams) -> Answer<PreviewResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let form = form(&params.form)?;
    let (item, def) = definition(snapshot, &document, &params)?;
    let result = of_item(snapshot, &document, item, def.clone(), form);
    if snapshot.view.open.contains_key(&document.file) {
        let shown = PreviewKey {
            file: document.file,
            def,
            form,
        };
        let identity = identity(definitions(snapshot, document.file), item);
        snapshot.view.previews.show(shown, identity, &result);
    }
    Ok(result)
}

/// Handles `rise/recomputePreview`, a request of the supervisor: takes over a preview that the
/// client has shown since an earlier worker. Unlike `rise/preview`, it also keeps a preview whose
/// definition does not exist, because the definition may be added again.
pub fn recompute(snapshot: &Snapshot, params: PreviewIdentifier) -> Answer<PreviewResult> {
    let document = snapshot.document(&params.text_document.uri)?;
    let shown = PreviewKey {
        file: document.file,
        def: params.def,
        form: form(&params.form)?,
    };
    let now = recompute_shown(snapshot, &shown, DefinitionIdentity::default())
        .ok_or_else(|| invalid_params("the document is not open"))?;
    snapshot
        .view
        .previews
        .show(shown, now.identity, &now.result);
    Ok(now.result)
}

fn form(name: &str) -> Result<Form, Error> {
    Form::from_name(name).ok_or_else(|| {
        let known: Vec<_> = Form::all().map(Form::name).collect();
        let known = known.join("`, `");
        let after = Target::all().map(|target| format!("`{}:PASS`", target.as_str()));
        let after = run::enumeration(after, "and");
        invalid_params(format_args!(
            "there is no form `{name}`; there are `{known}`, and {after} for the program after a \
             pass of the compiler"
        ))
    })
}

/// Returns the definitions of a file with their names, in source order.
fn definitions(snapshot: &Snapshot, file: FileId) -> Vec<(ItemId, String)> {
    let items = snapshot.db.items(file);
    let named = |&item: &ItemId| Some((item, name_of(snapshot, item)?));
    items.iter().filter_map(named).collect()
}

fn name_of(snapshot: &Snapshot, item: ItemId) -> Option<String> {
    match &snapshot.db.header(item).declares {
        Declaration::Def(name) => Some(name.to_string()),
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

fn identity(definitions: Vec<(ItemId, String)>, item: ItemId) -> DefinitionIdentity {
    DefinitionIdentity {
        item: Some(item),
        names: definitions.into_iter().map(|(_, name)| name).collect(),
    }
}

/// A shown preview, computed again.
pub struct RecomputedPreview {
    /// The URI of the document in the client's spelling.
    pub uri: Uri,
    /// The identity of the definition, from which later renames are detected.
    pub identity: DefinitionIdentity,
    pub result: PreviewResult,
}

/// Computes a shown preview again: under a new name if its definition was renamed, and as an error
/// if its definition does not exist. Returns `None` if the document is closed.
pub fn recompute_shown(
    snapshot: &Snapshot,
    shown: &PreviewKey,
    before: DefinitionIdentity,
) -> Option<RecomputedPreview> {
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
        None => (of_removed_definition(snapshot, &document, shown), before),
    };
    Some(RecomputedPreview {
        uri: open.uri.clone(),
        identity,
        result,
    })
}

/// Returns the preview of a definition that was removed from the document.
fn of_removed_definition(
    snapshot: &Snapshot,
    document: &Document,
    shown: &PreviewKey,
) -> PreviewResult {
    let error = Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some("rise".into()),
        message: format!("the document does not define `{}`", shown.def),
        ..Diagnostic::default()
    };
    let version = snapshot.version(document.file);
    empty(&shown.def, shown.form, version, vec![error])
}

/// Returns a preview without text.
fn empty(def: &str, form: Form, version: Option<i32>, errors: Vec<Diagnostic>) -> PreviewResult {
    PreviewResult {
        title: format!("{def} as {}", form.title()),
        def: def.to_owned(),
        form: form.name(),
        version,
        language: form.language(),
        text: String::new(),
        map: Vec::new(),
        errors,
        lower: None,
    }
}

/// Returns the target for which the definition can be lowered. Returns `None` if the errors do not
/// say that it has high-level patterns, or a lowered copy cannot be made.
fn target_to_lower_for(
    snapshot: &Snapshot,
    item: ItemId,
    form: Form,
    errors: &[syntax::Diagnostic],
) -> Option<&'static str> {
    let is_open = errors
        .iter()
        .any(|error| error.code == codes::MISSING_CHOICE);
    let target = ide::form_target(&snapshot.db, item, form);
    let lowers = || ide::lowered_copy(&snapshot.db, item, target.description().lowering).is_ok();
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

/// Converts the source map to ranges of the client. The document ranges are cached, because many of
/// the hundreds of parts have the same source.
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

/// Returns the key of the preview that the client has closed, or `None` if the file or the form is
/// not known.
pub fn closed(
    params: &PreviewIdentifier,
    file: impl FnOnce(&Uri) -> Option<FileId>,
) -> Option<PreviewKey> {
    Some(PreviewKey {
        file: file(&params.text_document.uri)?,
        def: params.def.clone(),
        form: Form::from_name(&params.form)?,
    })
}
