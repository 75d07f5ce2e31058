//! Rules from texts, at terms from texts.

mod checks;
mod folded;
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

/// An item of ELEVATE with its text.
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

/// The rule of an item, if it is one with a text.
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

/// The first place, from the root, at which the rule applies.
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

#[test]
#[ignore = "a measurement"]
fn how_fast() {
    let defs = Defs::library();
    let definitions = definitions(&defs);
    let rule = |text: &str| rule_of(&items(text)[0], &defs).unwrap().0;
    let fusion = rule("rule r = map(f) >> map(g) |-> map(f >> g)");
    let movement = rule("rule r = map(f) >> slide(n)(s) |-> slide(n)(s) >> map(map(f))");
    let split = rule(
        "rule r(n: Nat) = map(f) : m.s -> m.t |-> split(n) >> map(map(f)) >> join requires n >= 1 assuming n divides m",
    );
    let lambda =
        rule("rule r = map(fun(x => f(gx))) |-> map(fun(x => gx)) >> map(f) where x notIn f");
    let mut store = Store::new();
    let text = "depFun(n: Nat => fun((f: f32 -> f32, g: f32 -> f32, xs: (n+2).f32) => xs |> map(f) |> map(g) |> slide(3)(1)))";
    let root = crate::testing::term(&mut store, text);
    let facts = nat::Facts::new();
    let host = Host {
        tests: &[],
        definitions: &definitions,
    };
    let mut nodes = vec![root];
    let mut at = 0;
    while at < nodes.len() {
        let parts: Vec<_> = store.children(nodes[at]).map(|(_, t)| t).collect();
        nodes.extend(parts);
        at += 1;
    }
    for (name, rule, args) in [
        ("fusion", &fusion, vec![]),
        ("slide", &movement, vec![]),
        ("split", &split, vec![RuleArg::Int(1)]),
        ("fission", &lambda, vec![]),
    ] {
        let mut cx = Context::new(&mut store, &facts, &[]);
        let hits: Vec<Term> = nodes
            .iter()
            .copied()
            .filter(|t| super::apply(&mut cx, &host, rule, &args, *t).is_ok())
            .collect();
        let start = std::time::Instant::now();
        let mut count = 0u32;
        for _ in 0..100_000 {
            for &node in &nodes {
                count += u32::from(super::apply(&mut cx, &host, rule, &args, node).is_ok());
            }
        }
        let all = start.elapsed();
        println!(
            "{name}: {} nodes, {} hits: {:?} a node",
            nodes.len(),
            hits.len(),
            all / 100_000 / nodes.len() as u32
        );
        let start = std::time::Instant::now();
        for _ in 0..1_000_000 {
            for &node in &hits {
                count += u32::from(super::apply(&mut cx, &host, rule, &args, node).is_ok());
            }
        }
        let one = start.elapsed() / 1_000_000;
        assert!(
            one < std::time::Duration::from_micros(50),
            "{name}: {one:?}"
        );
        let start = std::time::Instant::now();
        for _ in 0..1_000_000 {
            for &node in &hits {
                count += u32::from(super::matches_only(&mut cx, &host, rule, &args, node).is_ok());
            }
        }
        println!(
            "{name}: {:?} a hit, {:?} a match only ({count})",
            one / hits.len().max(1) as u32,
            start.elapsed() / 1_000_000 / hits.len().max(1) as u32
        );
    }
}
