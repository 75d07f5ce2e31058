//! Checks the order of the items of a file: headers before all items but imports, the main
//! expression last, at most one of each.

use super::Parsed;
use super::ast::{ExprKind, Item, ItemKind};
use crate::{Diagnostic, Span};
use std::mem::discriminant;

/// Returns a diagnostic for each mistake in the order of a file's items, with the index of the item
/// in which it is.
///
/// `language` and `traversal` precede all items but imports, and occur at most once each. The main
/// expression is the last item. A main expression before another item is reported, in that item if
/// it is a main expression, too. It is not reported if it or the item after it has a syntax error,
/// since it may have been intended as a part of another item.
pub fn check_order<'i>(parsed: impl IntoIterator<Item = &'i Parsed>) -> Vec<(usize, Diagnostic)> {
    let (items, broken): (Vec<&Item>, Vec<bool>) = parsed
        .into_iter()
        .map(|parsed| (&parsed.item, parsed.has_error()))
        .unzip();
    let last = items.len().saturating_sub(1);
    let mut diagnostics = Vec::new();
    let mut headers: Vec<&ItemKind> = Vec::new();
    let mut defined = false;
    for (at, item) in items.iter().enumerate() {
        match &item.kind {
            ItemKind::Main { .. } if at < last && !broken[at] && !broken[at + 1] => {
                diagnostics.push(match items[at + 1].kind {
                    ItemKind::Main { .. } => (at + 1, second_main(items[at + 1])),
                    _ => (at, early_main(item)),
                });
            }
            ItemKind::Language { .. } | ItemKind::Traversal { .. } => {
                let twice = headers
                    .iter()
                    .any(|header| discriminant(*header) == discriminant(&item.kind));
                if defined || twice {
                    diagnostics.push((at, misplaced_header(item, twice)));
                }
                headers.push(&item.kind);
            }
            _ => {}
        }
        defined |= !matches!(
            item.kind,
            ItemKind::Import { .. } | ItemKind::Language { .. } | ItemKind::Traversal { .. }
        );
    }
    diagnostics
}

fn early_main(item: &Item) -> Diagnostic {
    let span = first_operand(item);
    Diagnostic::syntax(span,
        "the main expression must be the last item of a file, and another item follows this one",
    )
    .help(
        "no operator joins this expression to the item before: insert an operator such as `;`, name the expression with `val`, or move it to the end",
    )
}

fn second_main(item: &Item) -> Diagnostic {
    Diagnostic::syntax(first_operand(item),
        "a file can have only one main expression, and this is a second one",
    )
    .help(
        "no operator joins the two expressions: insert an operator such as `;` between them, or name the first one with `val`",
    )
}

/// Returns the span of the leftmost operand of a main expression; the empty span at 0 for any other
/// item.
fn first_operand(item: &Item) -> Span {
    let ItemKind::Main { expr } = item.kind else {
        return Span::default();
    };
    let mut id = expr;
    loop {
        id = match &item.expr(id).kind {
            ExprKind::Binary { lhs, .. } => *lhs,
            ExprKind::Call { callee, .. } => *callee,
            ExprKind::Member { object, .. } => *object,
            ExprKind::Match { scrutinee, .. } => *scrutinee,
            _ => return item.expr(id).span,
        };
    }
}

fn misplaced_header(item: &Item, twice: bool) -> Diagnostic {
    let (word, span) = match &item.kind {
        ItemKind::Language { name } => (
            "language",
            name.as_ref().map_or(Span::default(), |name| name.span),
        ),
        ItemKind::Traversal { span, .. } => ("traversal", *span),
        _ => ("header", Span::default()),
    };
    let message = match twice {
        true => format!("the file has a `{word}` already"),
        false => format!(
            "`{word}` must come before all definitions, because it applies to the whole file"
        ),
    };
    Diagnostic::syntax(span, message)
}
