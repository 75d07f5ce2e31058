//! Inlay hints in strategy files.

use db::{Database, FileId};
use elevate::lang::Type;
use syntax::Span;
use syntax::elevate::ast::Item;

use super::{InlayHint, InlayKind};
use crate::TextEdit;

/// Returns hints in `range` with the inferred types of parameters without a type annotation, in the
/// order of the text. Labels have at most `longest` characters.
pub(super) fn inlay_hints(
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
