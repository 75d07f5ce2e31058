//! Items of strategy files for the editor features: their resolved names, and the kinds of their
//! definitions.

use std::collections::BTreeSet;

use db::{Database, ItemId};
use elevate::lang::{Checked, Library, Target, library};
use syntax::ast::{Name, TermKind};
use syntax::elevate::ast::{ExprKind, Item, ItemKind};
use syntax::{GlobalId, Span};

use super::{Occurrence, Symbol, View};
use crate::SymbolKind;
use crate::builtin::Builtin;

/// Returns every resolved name in the item, in no particular order.
pub(crate) fn occurrences(view: &View<'_>) -> Vec<Occurrence> {
    let parsed = view.db.strategy_parsed(view.id);
    let checked = view.db.strategy_checked(view.id);
    let mut found: Vec<Occurrence> = Vec::new();
    if let Some(name) = parsed.item.name() {
        found.push(declared(Symbol::Def(view.id), name.span));
    }
    let bound = bound(&parsed.item, &checked);
    found.extend(
        bound
            .into_iter()
            .map(|span| declared(Symbol::Place(view.id, span), span)),
    );
    let uses = checked.uses.iter().map(|used| Occurrence {
        symbol: symbol(view, used.target),
        span: used.span,
        term: None,
        declaration: false,
    });
    found.extend(uses);
    found
}

fn declared(symbol: Symbol, span: Span) -> Occurrence {
    Occurrence {
        symbol,
        span,
        term: None,
        declaration: true,
    }
}

fn symbol(view: &View<'_>, target: Target) -> Symbol {
    match target {
        Target::Item(id) => defined(view.db, id),
        Target::Program(id) => Symbol::Def(view.db.item_of(id)),
        Target::Primitive(primitive) => Symbol::Primitive(Builtin::Rise(primitive)),
        Target::Local(span) | Target::Metavariable(span) => Symbol::Place(view.id, span),
    }
}

/// Returns the symbol of a definition of a strategy file or of the strategy library.
pub(crate) fn defined(db: &Database, id: GlobalId) -> Symbol {
    match Library::contains(id) {
        true => Symbol::Library(id),
        false => Symbol::Def(db.item_of(id)),
    }
}

pub(crate) fn library_name(id: GlobalId) -> String {
    let item = library().item(id);
    let name = item.and_then(|item| item.name());
    name.map(|name| name.name.to_string()).unwrap_or_default()
}

/// Returns the places at which the item binds names: those of all parameters, and of the other
/// local names and metavariables that are used.
fn bound(item: &Item, checked: &Checked) -> BTreeSet<Span> {
    let params = item.params.iter().filter(|param| !is_blank(&param.name));
    let used = checked.uses.iter().filter_map(|used| match used.target {
        Target::Local(span) | Target::Metavariable(span) => Some(span),
        Target::Item(_) | Target::Program(_) | Target::Primitive(_) => None,
    });
    params.map(|param| param.span).chain(used).collect()
}

fn is_blank(name: &str) -> bool {
    name.is_empty() || name == "_"
}

/// Returns the name at a place of the item, without the backquotes around it.
pub(crate) fn text_at(view: &View<'_>, span: Span) -> String {
    let text = view.db.item_text(view.id);
    let word = text.get(std::ops::Range::from(span)).unwrap_or_default();
    word.trim_matches('`').to_owned()
}

pub(super) fn name_span(view: &View<'_>) -> Option<Span> {
    let parsed = view.db.strategy_parsed(view.id);
    parsed.item.name().map(|name| name.span)
}

pub(super) fn is_unnamed(view: &View<'_>) -> bool {
    let parsed = view.db.strategy_parsed(view.id);
    let defines = !matches!(
        parsed.item.kind,
        ItemKind::Import { .. }
            | ItemKind::Stray
            | ItemKind::Language { .. }
            | ItemKind::Traversal { .. }
    );
    defines && parsed.item.name().is_none()
}

pub(super) fn import_path(view: &View<'_>) -> Option<Span> {
    match &view.db.strategy_parsed(view.id).item.kind {
        ItemKind::Import { path } => path.as_ref().map(|(_, span)| *span),
        _ => None,
    }
}

/// Returns the name in an expression, or in a term of RISE, that touches an offset in the item,
/// resolved or not.
pub(crate) fn name_at(view: &View<'_>, offset: u32) -> Option<Name> {
    let parsed = view.db.strategy_parsed(view.id);
    let touched = |span: Span| span.touches(offset);
    let in_expression = parsed.item.exprs.iter().find_map(|expr| match &expr.kind {
        ExprKind::Name(name) if touched(expr.span) => Some(name.clone()),
        _ => None,
    });
    in_expression.or_else(|| {
        parsed
            .item
            .rise
            .terms
            .iter()
            .find_map(|term| match &term.kind {
                TermKind::Name(name) if touched(term.span) => Some(name.clone()),
                _ => None,
            })
    })
}

/// Returns the kind of the definition that an item of a strategy file makes.
pub(crate) fn kind(db: &Database, item: ItemId) -> SymbolKind {
    kind_of(&db.strategy_parsed(item).item)
}

/// Returns the kind of the definition that a parsed item makes, from its keyword alone.
pub(crate) fn kind_of(item: &Item) -> SymbolKind {
    match item.kind {
        ItemKind::Rule { .. } => SymbolKind::Rule,
        ItemKind::Pred { .. } => SymbolKind::Predicate,
        ItemKind::Tune { .. } => SymbolKind::Tunable,
        _ => SymbolKind::Strategy,
    }
}

/// Returns the keyword or keywords that an item begins with; empty for a main expression, and for
/// text that is no item.
pub(crate) fn keyword(kind: &ItemKind) -> &'static str {
    match kind {
        ItemKind::Import { .. } => "import",
        ItemKind::Language { .. } => "language",
        ItemKind::Traversal { .. } => "traversal",
        ItemKind::Rule {
            unsafe_word: Some(_),
            ..
        } => "unsafe rule",
        ItemKind::Rule { .. } => "rule",
        ItemKind::Strategy { .. } => "strategy",
        ItemKind::Val { .. } => "val",
        ItemKind::Pred { .. } => "pred",
        ItemKind::NormalForm { .. } => "normalform",
        ItemKind::Tune { .. } => "tune",
        ItemKind::Example { .. } => "example",
        ItemKind::Main { .. } | ItemKind::Stray => "",
    }
}
