//! The structure of an item of a strategy file: outline, folding and selection ranges.

use db::{Database, FileId, ItemId};
use elevate::lang::Type;
use syntax::Span;
use syntax::elevate::ast::{ExprKind, Item, ItemKind};
use syntax::elevate::{Token, TokenKind, lex};

use crate::{DocumentSymbol, InlayHint, InlayKind, SymbolKind, TextEdit, goto, token};

/// Returns the symbol of the item for its file's outline, which also contains examples and the main
/// expression.
pub(crate) fn document_symbol(db: &Database, item: ItemId) -> Option<DocumentSymbol> {
    if let Some(target) = goto::definition_with(db, item, None) {
        let signature = db.strategy_signature(item.global());
        let known = *signature.scheme.ty != Type::Error;
        return Some(DocumentSymbol {
            name: target.name,
            detail: known.then(|| signature.scheme.text()),
            kind: target.kind,
            full: target.full,
            focus: target.focus,
        });
    }
    let parsed = db.strategy_parsed(item);
    let full = db.item_span(item);
    let (name, focus) = match &parsed.item.kind {
        ItemKind::Example {
            title: Some((title, span)),
            ..
        } => (format!("example: {title}"), span.shifted(full.start)),
        ItemKind::Example { .. } => ("example".to_owned(), full),
        ItemKind::Main { .. } => ("main".to_owned(), full),
        _ => return None,
    };
    Some(DocumentSymbol {
        name,
        detail: None,
        kind: SymbolKind::Value,
        full,
        focus,
    })
}

/// Returns the ranges of the item and of the pairs of brackets in it, in its file.
pub(crate) fn foldings(db: &Database, item: ItemId) -> Vec<Span> {
    let parsed = db.strategy_parsed(item);
    let whole = db.item_span(item);
    if matches!(
        parsed.item.kind,
        ItemKind::Import { .. } | ItemKind::Stray | ItemKind::Language { .. }
    ) {
        return Vec::new();
    }
    // From the line of the name, so that the documentation folds separately.
    let start = parsed.item.name().map_or(0, |name| name.span.start);
    let pairs = pairs(&db.item_text(item)).into_iter();
    let brackets = pairs.map(|(open, close)| open.cover(close).shifted(whole.start));
    std::iter::once(Span::new(whole.start + start, whole.end))
        .chain(brackets)
        .collect()
}

pub(crate) fn pairs(text: &str) -> Vec<(Span, Span)> {
    let tokens = lex(text).filter_map(|Token { kind, span }| match kind {
        TokenKind::Rise(kind) => Some(syntax::Token { kind, span }),
        _ => None,
    });
    token::pairs(tokens)
}

/// Returns the ranges of all syntax nodes of the item.
pub(crate) fn stretches(item: &Item) -> Vec<Span> {
    let mut spans: Vec<Span> = item.exprs.iter().map(|expr| expr.span).collect();
    spans.extend(item.rise.terms.iter().map(|term| term.span));
    spans.extend(item.rise.binders.iter().map(|binder| binder.span));
    spans.extend(item.conds.iter().map(|cond| cond.span));
    spans.extend(item.patterns.iter().map(|pattern| pattern.span));
    spans.extend(item.types.iter().map(|ty| ty.span));
    spans.extend(item.params.iter().map(|param| param.span));
    spans.extend(item.attributes.iter().map(|attribute| attribute.span));
    spans.extend(item.docs.iter().map(|docs| docs.span));
    spans.extend(item.param_lists().iter().map(|list| list.span));
    let mut alts = |all: &[syntax::elevate::ast::Alt]| {
        for alt in all {
            spans.push(alt.span);
            spans.extend(alt.clauses.iter().map(|clause| clause.span));
        }
    };
    if let ItemKind::Rule { alts: own, .. } = &item.kind {
        alts(own);
    }
    for expr in &item.exprs {
        if let ExprKind::Rule(own) = &expr.kind {
            alts(own);
        }
    }
    spans
}

/// Returns hints with the types of the item's parameters without a type annotation.
pub(crate) fn inlay_hints(
    db: &Database,
    file: FileId,
    range: Span,
    longest: usize,
) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for item in db.items_in(file, range) {
        let parsed = db.strategy_parsed(item);
        let checked = db.strategy_checked(item);
        let base = db.item_span(item).start;
        let known = parsed.item.params.iter().zip(&*checked.params);
        let open = known.filter(|(param, ty)| {
            param.ty.is_none() && !matches!(***ty, Type::Error | Type::Open(_)) && param.name != "_"
        });
        for (param, ty) in open {
            let tooltip = elevate::lang::type_text(ty, &checked.signature.scheme.params);
            let mut label = format!(": {tooltip}");
            if label.chars().count() > longest {
                label = label.chars().take(longest.saturating_sub(1)).collect();
                label.push('…');
            }
            let offset = base + param.span.end;
            let edit = TextEdit {
                span: Span::empty(offset),
                text: format!(": {tooltip}"),
            };
            hints.push(InlayHint {
                offset,
                kind: InlayKind::Parameter,
                label,
                tooltip,
                details: String::new(),
                // A type cannot be inserted for the single parameter of `x => …`, which has no
                // brackets.
                insert: in_brackets(&parsed.item, param.span).then(|| vec![edit]),
                pad_left: false,
            });
        }
    }
    hints.retain(|hint| range.touches(hint.offset));
    hints.sort_by_key(|hint| hint.offset);
    hints
}

fn in_brackets(item: &Item, param: Span) -> bool {
    item.param_lists()
        .iter()
        .any(|list| list.span.contains(param))
}

/// Returns the path of an import, with its quotes.
pub(crate) fn import_path(db: &Database, item: ItemId) -> Option<Span> {
    match db.strategy_parsed(item).item.kind {
        ItemKind::Import {
            path: Some((_, span)),
        } => Some(span),
        _ => None,
    }
}
