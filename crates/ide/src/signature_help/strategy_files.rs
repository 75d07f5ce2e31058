//! Signature help in strategy files.

use elevate::lang::{Signature as Known, type_text};
use syntax::Span;
use syntax::elevate::ast::{ExprId, ExprKind, Item};

use super::{Signature, SignatureHelp};
use crate::context::OpenCall;
use crate::context::strategy_files::Place;
use crate::item_view::{Symbol, View};

/// Returns the signature of the innermost call whose arguments an offset in an item is in; `None`
/// if there is no such call, or it does not call a definition by its name.
pub(crate) fn signature_help(view: &View<'_>, offset: u32) -> Option<SignatureHelp> {
    let text = view.db.item_text(view.id);
    let place = Place::at(&text, offset);
    let open = *place.calls.last()?;
    let parsed = view.db.strategy_parsed(view.id);
    let (head, list) = head_of(&parsed.item, open)?;
    let names = view.occurrences();
    let named = names
        .iter()
        .find(|name| name.span == parsed.item.expr(head).span)?;
    let known = match named.symbol {
        Symbol::Def(item) => view.db.strategy_signature(item.global()),
        Symbol::Library(id) => view.db.strategy_signature(id),
        _ => return None,
    };
    let name = view.name_of(named.symbol);
    Some(shown(&name, &known, list, open.commas))
}

/// Returns the name that is the head of a curried call, and the number of argument lists before the
/// open one; `None` if the head is another expression.
fn head_of(item: &Item, open: OpenCall) -> Option<(ExprId, usize)> {
    let calls = item.exprs.iter().find_map(|expr| match &expr.kind {
        ExprKind::Call { callee, .. } if item.expr(*callee).span.end == open.callee_end => {
            Some(*callee)
        }
        _ => None,
    });
    let mut head = calls?;
    let mut list = 0;
    loop {
        match &item.expr(head).kind {
            ExprKind::Call { callee, .. } => {
                head = *callee;
                list += 1;
            }
            ExprKind::Paren(inner) => head = *inner,
            ExprKind::Name(_) => return Some((head, list)),
            _ => return None,
        }
    }
}

/// Renders `tile(x: Nat, y: Nat) : Strategy`, with the parameters of all lists; the cursor is in
/// the argument list number `list`, after `commas` commas.
fn shown(name: &str, known: &Known, list: usize, commas: usize) -> SignatureHelp {
    let (lists, result) = known.scheme.lists();
    let mut label = name.to_owned();
    let mut parameters = Vec::new();
    let mut active = None;
    for (at, params) in lists.iter().enumerate() {
        label.push('(');
        for (number, param) in params.iter().enumerate() {
            if number > 0 {
                label.push_str(", ");
            }
            let start = label.len();
            if !param.name.is_empty() {
                label.push_str(&param.name);
                label.push_str(": ");
            }
            label.push_str(&type_text(&param.ty, &known.scheme.params));
            if at == list && number == commas {
                active = Some(parameters.len());
            }
            parameters.push(Span::new(offset(start), offset(label.len())));
        }
        label.push(')');
    }
    label.push_str(" : ");
    label.push_str(&type_text(&result, &known.scheme.params));
    SignatureHelp {
        signature: Signature {
            label,
            parameters,
            docs: known.docs.as_ref().map(|docs| docs.to_string()),
        },
        active,
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
