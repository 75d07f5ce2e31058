//! Tests the rules of the library.

use super::*;

fn texts() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/library");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        all.push((name, std::fs::read_to_string(path).unwrap()));
    }
    all.sort();
    all
}

#[test]
fn every_rule_of_the_library_is_one() {
    let defs = Defs::library();
    let (mut said, mut count) = (String::new(), 0);
    for (file, text) in texts() {
        for item in items(&text) {
            let Some((rule, diagnostics)) = rule_of(&item, &defs) else {
                continue;
            };
            count += 1;
            let wrong = |d: &&Diagnostic| d.severity == syntax::Severity::Error;
            for d in diagnostics.iter().filter(wrong) {
                let place = &item.text[Range::from(d.span)];
                said += &format!(
                    "{file} {}: {:?} `{place}`: {} ({:?})\n",
                    rule.name, d.severity, d.message, d.help
                );
            }
        }
    }
    println!("{count} rules");
    print!("{said}");
    assert_eq!(said, "");
}

/// Returns the rule and the arguments of `topDown(rule)` or `topDown(rule(args))`.
fn applied(item: &Item, apply: syntax::elevate::ast::ExprId) -> Option<(Name, Vec<RuleArg>)> {
    use syntax::elevate::ast::ExprKind;
    let ExprKind::Call { callee, args } = &item.expr(apply).kind else {
        return None;
    };
    match &item.expr(*callee).kind {
        ExprKind::Name(name) if name == "topDown" && args.len() == 1 => {}
        _ => return None,
    }
    let literal = |id: syntax::elevate::ast::ExprId| match &item.expr(id).kind {
        ExprKind::Literal(syntax::ast::Literal::Int { value, .. }) => {
            Some(RuleArg::Int(i64::try_from(*value).ok()?))
        }
        ExprKind::Address(space) => Some(RuleArg::Address(rise::Address::Space(*space))),
        _ => None,
    };
    match &item.expr(args[0].value).kind {
        ExprKind::Name(name) => Some((name.clone(), Vec::new())),
        ExprKind::Call { callee, args } => {
            let ExprKind::Name(name) = &item.expr(*callee).kind else {
                return None;
            };
            let args: Option<Vec<_>> = args.iter().map(|arg| literal(arg.value)).collect();
            Some((name.clone(), args?))
        }
        _ => None,
    }
}

/// Imports a program; `None` if it has no type.
fn program(store: &mut Store, text: &str) -> Option<crate::term::Imported> {
    let mut defs = Defs::library();
    let def = defs.read(&format!("def it = {text}")).pop()?;
    crate::term::import(store, &def).ok()
}

#[test]
fn the_examples_of_single_rules_hold() {
    use syntax::elevate::ast::Expect;
    let defs = Defs::library();
    let definitions = definitions(&defs);
    let mut rules = std::collections::HashMap::new();
    let all: Vec<_> = texts()
        .into_iter()
        .map(|(file, text)| (file, items(&text)))
        .collect();
    for item in all.iter().flat_map(|(_, items)| items) {
        if let Some((rule, _)) = rule_of(item, &defs) {
            let whole = rule.alts()
                == match &item.item.kind {
                    ItemKind::Rule { alts, .. } => alts.len(),
                    _ => 0,
                };
            if whole && rule.holds.is_empty() {
                rules.insert(rule.name.clone(), rule);
            }
        }
    }
    let (mut tried, mut said) = (0, String::new());
    for (file, item) in all
        .iter()
        .flat_map(|(file, items)| items.iter().map(move |i| (file, i)))
    {
        let ItemKind::Example {
            input,
            apply,
            expect,
            title,
            modulo,
        } = &item.item.kind
        else {
            continue;
        };
        let Some((name, args)) = applied(&item.item, *apply) else {
            continue;
        };
        // Other forms are strategies, which cannot be evaluated here.
        if modulo.as_ref().is_some_and(|form| form.name != "BENF") {
            continue;
        }
        let Some(rule) = rules.get(&name) else {
            continue;
        };
        // The order of two parameters is decided by the traversal, not by the rule.
        if rule.params.len() != args.len() || name == "eta" {
            continue;
        }
        tried += 1;
        let title = title.as_ref().map_or("", |(t, _)| t);
        let text = |term| &item.text[Range::from(item.item.term(term).span)];
        let mut store = Store::new();
        let Some(input) = program(&mut store, text(*input)) else {
            said += &format!("{file} {title}: the input has no type\n");
            continue;
        };
        let facts = input.facts();
        let host = Host::of(&definitions);
        let mut cx = Context::new(&mut store, &facts, &[]);
        let made = top_down(&mut cx, &host, rule, &args, input.root);
        match (made, expect) {
            (None, Expect::Failure(_)) => {}
            (None, _) => {
                let mut why = None;
                nearest(&mut cx, &host, rule, &args, input.root, &mut why);
                let why = why.map(|miss: super::super::Mismatch| miss.explain(rule, &store, ""));
                said += &format!("{file} {title}: {name} does not apply: {why:?}\n");
            }
            (Some(made), Expect::Program(wanted)) => {
                let Some(wanted) = program(&mut store, text(*wanted)) else {
                    said += &format!("{file} {title}: what is expected has no type\n");
                    continue;
                };
                let mut wanted = wanted.root;
                let mut made = made;
                if modulo.is_some() {
                    (made, wanted) = (reduced(&mut store, made), reduced(&mut store, wanted));
                }
                if !same(&mut store, made, wanted) {
                    let (made, wanted) = (
                        crate::term::print(&store, made),
                        crate::term::print(&store, wanted),
                    );
                    said +=
                        &format!("{file} {title}: {name}\n    made {made}\n  wanted {wanted}\n");
                }
            }
            _ => said += &format!("{file} {title}: {name} should fail\n"),
        }
    }
    println!("{tried} examples");
    print!("{said}");
    assert_eq!(said.lines().count(), 0);
}

/// Returns a program in BENF.
fn reduced(store: &mut Store, term: Term) -> Term {
    use crate::engine::{Options, StrategyKind, run};
    let form = std::sync::Arc::new(StrategyKind::NormalForm(crate::normal::NormalForm::Benf));
    let outcome = run(store, term, &form, &Options::default());
    outcome.result.unwrap_or(term)
}

/// Returns true if two programs have the same text, as their variables differ.
fn same(store: &mut Store, a: Term, b: Term) -> bool {
    store.alpha_eq_untyped(a, b) || crate::term::print(store, a) == crate::term::print(store, b)
}

fn nearest(
    cx: &mut Context<'_>,
    host: &Host<'_>,
    rule: &Rule,
    args: &[RuleArg],
    term: Term,
    found: &mut Option<super::super::Mismatch>,
) {
    if let Err(miss) = super::super::apply(cx, host, rule, args, term) {
        *found = Some(miss.nearer(found.take()));
    }
    let parts: Vec<_> = cx.store.children(term).collect();
    for (_, part) in parts {
        nearest(cx, host, rule, args, part, found);
    }
}
