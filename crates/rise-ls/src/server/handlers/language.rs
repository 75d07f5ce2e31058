//! Language features at a position: hover, completion, signature help and inlay hints.

use ide::{
    Builtin, Completion, CompletionKind, CompletionSource, FilePosition, InlayHint, InlayKind,
    Repeated,
};
use serde_json::{Value, json};
use syntax::{Dialect, GlobalId, Span};
use tower_lsp::lsp_types::{
    CompletionContext, CompletionItem, CompletionItemKind, CompletionItemLabelDetails,
    CompletionList, CompletionParams, CompletionTextEdit, Documentation, Hover, HoverContents,
    HoverParams, InlayHint as LspInlayHint, InlayHintKind, InlayHintLabel, InlayHintParams,
    InlayHintTooltip, InsertTextFormat, MarkupContent, MarkupKind, ParameterInformation,
    ParameterLabel, Range, SignatureHelp, SignatureHelpParams, SignatureInformation, TextEdit,
};

use super::Answer;
use crate::server::positions::{Encoding, number};
use crate::server::snapshot::{Document, Snapshot};
use crate::server::to_proto::{markdown, text_edits};

/// Handles `textDocument/hover`.
pub fn hover(snapshot: &Snapshot, params: HoverParams) -> Answer<Option<Hover>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let shown = snapshot.view.client.shows_diagnostics;
    let repeated = Repeated {
        errors: !shown,
        conditions: !shown || !snapshot.view.settings.obligations,
    };
    let found = ide::hover(&snapshot.db, document.at(place.position), repeated);
    Ok(found.map(|hover| Hover {
        contents: HoverContents::Markup(match snapshot.view.client.hover_markdown {
            true => markdown(hover.markdown),
            false => plain(&hover.markdown),
        }),
        range: Some(document.range(hover.range)),
    }))
}

/// Removes the fences of code blocks from Markdown.
fn plain(markdown: &str) -> MarkupContent {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    MarkupContent {
        kind: MarkupKind::PlainText,
        value: lines.collect::<Vec<_>>().join("\n"),
    }
}

/// Handles `textDocument/completion`.
pub fn completion(snapshot: &Snapshot, params: CompletionParams) -> Answer<CompletionList> {
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
    Ok(CompletionList {
        is_incomplete,
        items,
    })
}

/// Returns true if completions are offered after the typed trigger character, if there is one.
/// After `(` and `,` only arguments of annotations are completed, because a list would hide the
/// signature help. After `"` and `/` file names are completed. After `|>` and `>>` stages are
/// completed. After `=>` no list is shown, because it would consume the line break.
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
pub fn resolve_completion(snapshot: &Snapshot, mut item: CompletionItem) -> Answer<CompletionItem> {
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

/// Handles `textDocument/signatureHelp`.
pub fn signature_help(
    snapshot: &Snapshot,
    params: SignatureHelpParams,
) -> Answer<Option<SignatureHelp>> {
    let place = params.text_document_position_params;
    let document = snapshot.document(&place.text_document.uri)?;
    let Some(help) = ide::signature_help(&snapshot.db, document.at(place.position)) else {
        return Ok(None);
    };
    let signature = help.signature;
    let parameters = signature
        .parameters
        .iter()
        .map(|&span| ParameterInformation {
            label: label_offsets(&signature.label, span),
            documentation: None,
        });
    let parameters: Vec<_> = parameters.collect();
    // After the last parameter none is active, which the protocol represents by an index out of
    // range.
    let active = Some(number(help.active.unwrap_or(parameters.len())));
    Ok(Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            parameters: Some(parameters),
            documentation: signature
                .docs
                .map(|docs| Documentation::MarkupContent(markdown(docs))),
            label: signature.label,
            active_parameter: active,
        }],
        active_signature: Some(0),
        active_parameter: active,
    }))
}

/// Returns the offsets of a part of a label, which are in UTF-16 code units independent of the
/// negotiated encoding.
fn label_offsets(label: &str, span: Span) -> ParameterLabel {
    let units =
        |byte: u32| number(Encoding::Utf16.len(label.get(..byte as usize).unwrap_or(label)));
    ParameterLabel::LabelOffsets([units(span.start), units(span.end)])
}

/// Handles `textDocument/inlayHint`.
pub fn inlay_hints(snapshot: &Snapshot, params: InlayHintParams) -> Answer<Vec<LspInlayHint>> {
    let document = snapshot.document(&params.text_document.uri)?;
    let range = document.span(params.range);
    let hints = ide::inlay_hints(
        &snapshot.db,
        document.file,
        range,
        &snapshot.view.settings.inlay_hints,
    );
    let dialect = snapshot.db.dialect(document.file);
    Ok(hints
        .into_iter()
        .map(|hint| inlay_hint(&document, dialect, hint))
        .collect())
}

fn inlay_hint(document: &Document, dialect: Dialect, hint: InlayHint) -> LspInlayHint {
    let kind = match hint.kind {
        InlayKind::Parameter | InlayKind::Definition | InlayKind::Pipeline => {
            Some(InlayHintKind::TYPE)
        }
        InlayKind::Implicit => Some(InlayHintKind::PARAMETER),
        InlayKind::Value | InlayKind::Barrier => None,
    };
    let language = match hint.kind {
        InlayKind::Value => "text",
        InlayKind::Barrier => "c",
        _ => dialect.extension(),
    };
    let mut tooltip = format!("```{language}\n{}\n```", hint.tooltip);
    if !hint.details.is_empty() {
        tooltip.push_str("\n\n");
        tooltip.push_str(&hint.details);
    }
    LspInlayHint {
        position: document.position(hint.offset),
        label: InlayHintLabel::String(hint.label),
        kind,
        text_edits: hint.insert.map(|edits| text_edits(document, &edits)),
        tooltip: Some(InlayHintTooltip::MarkupContent(markdown(tooltip))),
        padding_left: Some(hint.pad_left),
        padding_right: None,
        data: None,
    }
}
