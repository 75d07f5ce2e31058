//! Tests the compilation and application of rules.

mod checks;
mod folding;
mod library;
mod terms;

use std::ops::Range;
use std::sync::Arc;

use syntax::Diagnostic;
use syntax::ast::Name;
use syntax::elevate::ast::{Item, ItemKind, ParamList, TypeKind};

use super::{Definitions, Host, ParamKind, Rule, RuleArg, Source, compile};
use crate::engine::Context;
use crate::term::{Order, Store, Term};
use crate::testing::Defs;

/// An item with its text.
struct Text {
    item: Item,
    text: String,
}

fn items(text: &str) -> Vec<Text> {
    syntax::elevate::split(text)
        .into_iter()
        .map(|span| {
            let text = &text[Range::from(span)];
            Text {
                item: syntax::elevate::parse(text).item,
                text: text.to_owned(),
            }
        })
        .collect()
}

fn params(item: &Item, lists: &[ParamList]) -> Vec<(Name, ParamKind)> {
    let all = lists.iter().flat_map(|list| list.params.iter());
    all.map(|&id| {
        let param = item.param(id);
        let kind = match param.ty.map(|ty| &item.ty(ty).kind) {
            Some(TypeKind::Name(name)) => match name.as_str() {
                "Nat" => ParamKind::Nat,
                "Int" => ParamKind::Int,
                "Addr" => ParamKind::Address,
                "Type" => ParamKind::Type,
                "Expr" => ParamKind::Expr,
                _ => ParamKind::Strategy,
            },
            _ => ParamKind::Strategy,
        };
        (param.name.clone(), kind)
    })
    .collect()
}

/// Compiles the rule of an item; `None` if it is not a rule with a body.
fn rule_of(text: &Text, defs: &Defs) -> Option<(Rule, Vec<Diagnostic>)> {
    let ItemKind::Rule {
        name,
        params: lists,
        alts,
        unsafe_word,
    } = &text.item.kind
    else {
        return None;
    };
    if alts.is_empty() {
        return None;
    }
    let params = params(&text.item, lists);
    Some(compile(&Source {
        item: &text.item,
        text: &text.text,
        alts,
        name: &name.as_ref()?.name,
        params: &params,
        is_unsafe: unsafe_word.is_some(),
        looping: text.item.attribute("looping").is_some(),
        env: defs,
    }))
}

/// Applies the rule at the first place where it applies, in pre-order.
fn top_down(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    rule: &Rule,
    args: &[RuleArg],
    term: Term,
) -> Option<Term> {
    if let Ok(made) = super::apply(cx, host, rule, args, term) {
        return Some(made.term);
    }
    let (first, second) = cx.store.ordered(term, Order::Default);
    for child in [first, second].into_iter().flatten() {
        let part = cx.store.child(term, child)?;
        if let Some(new) = top_down(cx, host, rule, args, part) {
            return Some(cx.store.with_child(term, child, new));
        }
    }
    None
}

fn definitions(defs: &Defs) -> Definitions {
    let all: Vec<_> = defs.all.clone();
    let defs = defs.clone();
    Arc::new(move |id| {
        let at = all.iter().find(|def| {
            matches!(rise::Env::resolve(&defs, &def.name), rise::Resolution::Def(other, _) if other == id)
        });
        at.cloned()
    })
}
