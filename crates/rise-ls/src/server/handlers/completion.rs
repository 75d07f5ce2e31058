//! `textDocument/completion` and `completionItem/resolve`.

use ide::{Builtin, Completion, CompletionKind, CompletionSource, FilePosition};
use serde_json::{Value, json};
use syntax::{Dialect, GlobalId, Span};
use tower_lsp::lsp_types::{
    CompletionContext, CompletionItem, CompletionItemKind, CompletionItemLabelDetails,
    CompletionList, CompletionParams, CompletionResponse, CompletionTextEdit, Documentation,
    InsertTextFormat, Range, TextEdit,
};

use super::Answer;
use crate::server::snapshot::Snapshot;
use crate::server::to_proto::markdown;

/// Handles `textDocument/completion`.
pub fn completion(
    snapshot: &Snapshot,
    params: CompletionParams,
) -> Answer<Option<CompletionResponse>> {
    let place = params.text_document_position;
    let document = snapshot.document(&place.text_document.uri)?;
    let at = document.at(place.position);
    let found = match is_wanted(snapshot, params.context.as_ref(), at) {
        true => ide::completions(&snapshot.db, at),
        false => Vec::new(),
    };
    let is_incomplete = found.len() >= ide::COMPLETION_LIMIT;
    // Most completions replace the same word, so the last range is cached.
    let mut last: Option<(Span, Range)> = None;
    let mut range = |span: Span| match last {
        Some((known, range)) if known == span => range,
        _ => last.insert((span, document.range(span))).1,
    };
    let items = found
        .into_iter()
        .map(|completion| completion_item(snapshot, range(completion.replace), completion))
        .collect();
    Ok(Some(CompletionResponse::List(CompletionList {
        is_incomplete,
        items,
    })))
}

/// Returns true if completions are offered after the typed trigger character, or if there was none.
/// After `(` and `,` only arguments of annotations are completed, because a list would hide the
/// signature help. After `"` and `/` only file names are completed. After `|>` and `>>` stages are
/// completed. After another `>`, as in `=>`, no list is shown, because it would consume the line
/// break.
fn is_wanted(snapshot: &Snapshot, context: Option<&CompletionContext>, at: FilePosition) -> bool {
    let typed = context.and_then(|context| context.trigger_character.as_deref());
    match typed {
        Some("(" | ",") => ide::in_annotation(&snapshot.db, at),
        Some("\"" | "/") => ide::in_file_name(&snapshot.db, at),
        Some(">") => {
            let text = snapshot.db.text(at.file);
            let before = at.offset.checked_sub(2);
            let before = before.and_then(|byte| text.get_byte(byte as usize));
            matches!(before, Some(b'|' | b'>'))
        }
        _ => true,
    }
}

fn completion_item(snapshot: &Snapshot, replace: Range, completion: Completion) -> CompletionItem {
    let snippet = completion.snippet && snapshot.view.client.snippets;
    let text = match completion.snippet && !snippet {
        true => completion.label.clone(),
        false => completion.insert,
    };
    let details = completion
        .brief
        .filter(|_| snapshot.view.client.label_details)
        .map(|brief| CompletionItemLabelDetails {
            detail: None,
            description: Some(brief),
        });
    CompletionItem {
        kind: Some(completion_kind(completion.kind)),
        detail: completion.detail,
        label_details: details,
        sort_text: Some(completion.sort),
        insert_text_format: snippet.then_some(InsertTextFormat::SNIPPET),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(replace, text))),
        data: source_to_json(completion.source),
        label: completion.label,
        ..CompletionItem::default()
    }
}

fn completion_kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Function => CompletionItemKind::FUNCTION,
        CompletionKind::Value => CompletionItemKind::VARIABLE,
        CompletionKind::TypeParameter => CompletionItemKind::TYPE_PARAMETER,
        CompletionKind::Type => CompletionItemKind::STRUCT,
        CompletionKind::Kind => CompletionItemKind::INTERFACE,
        CompletionKind::AddressSpace => CompletionItemKind::ENUM_MEMBER,
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        CompletionKind::Field => CompletionItemKind::FIELD,
        CompletionKind::Annotation => CompletionItemKind::PROPERTY,
        CompletionKind::File => CompletionItemKind::FILE,
    }
}

fn source_to_json(source: CompletionSource) -> Option<Value> {
    match source {
        CompletionSource::None => None,
        // A string, because some clients only have 53 bits for numbers.
        CompletionSource::Global(global) => Some(json!({"def": global.0.to_string()})),
        CompletionSource::Primitive(primitive) => Some(json!({
            "primitive": primitive.name(),
            "language": primitive.dialect().extension(),
        })),
    }
}

fn source_from_json(data: &Value) -> CompletionSource {
    let global = data["def"].as_str().and_then(|number| number.parse().ok());
    let dialect = data["language"].as_str().and_then(Dialect::from_extension);
    let primitive = data["primitive"]
        .as_str()
        .and_then(|name| Builtin::from_name(name, dialect.unwrap_or_default()));
    match (global, primitive) {
        (Some(number), _) => CompletionSource::Global(GlobalId(number)),
        (None, Some(primitive)) => CompletionSource::Primitive(primitive),
        (None, None) => CompletionSource::None,
    }
}

/// Handles `completionItem/resolve`.
pub fn resolve(snapshot: &Snapshot, mut item: CompletionItem) -> Answer<CompletionItem> {
    let source = item
        .data
        .as_ref()
        .map_or(CompletionSource::None, source_from_json);
    if item.documentation.is_none() {
        let docs = ide::resolve_completion(&snapshot.db, source);
        item.documentation = docs.map(|docs| Documentation::MarkupContent(markdown(docs)));
    }
    Ok(item)
}
