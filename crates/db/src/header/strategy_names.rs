//! The names in an item of a strategy file that may refer to strategies or to programs.

use rustc_hash::FxHashMap;
use syntax::Span;
use syntax::ast::{Name, TermKind};
use syntax::elevate::ast::{Expect, ExprKind, Item, ItemKind, Op, PatternKind};

/// The normal form that `;;` computes if no other is given.
const DEFAULT_NORMAL_FORM: &str = "DFNF";

/// Returns the names with which the item may refer to definitions of strategy files, sorted,
/// without duplicates. Every name that the checker can look up must be among them.
pub(super) fn strategies(item: &Item) -> Box<[Name]> {
    let bound = Bound::of(item);
    let mut names: Vec<Name> = Vec::new();
    for expr in &item.exprs {
        match &expr.kind {
            ExprKind::Name(name) if !bound.binds(name, expr.span) => names.push(name.clone()),
            // `x.f(y)` is `f(x)(y)`.
            ExprKind::Member {
                name: Some(name), ..
            } => names.push(name.name.clone()),
            ExprKind::Binary {
                op: Op::SeqNormal, ..
            } => names.push(DEFAULT_NORMAL_FORM.into()),
            _ => {}
        }
    }
    names.extend(in_terms(item, &bound));
    if let ItemKind::Example { expect, modulo, .. } = &item.kind {
        names.extend(modulo.iter().map(|name| name.name.clone()));
        if let Expect::Trace(rules, _) = expect {
            names.extend(rules.iter().map(|name| name.name.clone()));
        }
    }
    sorted(names)
}

/// Returns the free names in the item's terms of RISE that may refer to other items of strategy
/// files, such as a `tune`. Names of primitives are left out, because they always refer to these.
fn in_terms<'a>(item: &'a Item, bound: &'a Bound<'a>) -> impl Iterator<Item = Name> + 'a {
    // In the condition of a `tune`, its own name refers to it; elsewhere it refers to RISE.
    let own = match &item.kind {
        ItemKind::Tune { .. } => None,
        _ => item.name().map(|name| &name.name),
    };
    item.rise
        .terms
        .iter()
        .filter_map(move |term| match &term.kind {
            TermKind::Name(name)
                if Some(name) != own
                    && !name.starts_with('?')
                    && !bound.binds(name, term.span)
                    && rise::Primitive::from_name(name).is_none() =>
            {
                Some(name.clone())
            }
            _ => None,
        })
}

/// Returns the names that may refer to definitions of RISE, sorted, without duplicates: those in
/// terms of RISE, in the patterns of `match`, and in expressions, which may be programs that are
/// arguments. Names that the item binds itself are included.
pub(super) fn programs(item: &Item) -> Box<[Name]> {
    let in_terms = item.rise.terms.iter().filter_map(|term| match &term.kind {
        TermKind::Name(name) if !name.starts_with('?') => Some(name.clone()),
        _ => None,
    });
    let in_expressions = item.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    });
    let in_patterns = item
        .patterns
        .iter()
        .filter_map(|pattern| match &pattern.kind {
            PatternKind::Name(name) => Some(name.clone()),
            _ => None,
        });
    sorted(in_terms.chain(in_expressions).chain(in_patterns).collect())
}

/// Returns the names in a pattern with this range, including those in its terms of RISE.
fn names_in(item: &Item, pattern: Span) -> impl Iterator<Item = &Name> {
    let patterns = item
        .patterns
        .iter()
        .filter_map(move |inner| match &inner.kind {
            PatternKind::Name(name) if pattern.contains(inner.span) => Some(name),
            _ => None,
        });
    let terms = item
        .rise
        .terms
        .iter()
        .filter_map(move |inner| match &inner.kind {
            TermKind::Name(name) if pattern.contains(inner.span) => Some(name),
            _ => None,
        });
    patterns.chain(terms)
}

fn sorted(mut names: Vec<Name>) -> Box<[Name]> {
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// The ranges in which the item's own parameters and pattern variables are in scope, by name.
struct Bound<'a>(FxHashMap<&'a str, Vec<Span>>);

impl<'a> Bound<'a> {
    fn of(item: &'a Item) -> Self {
        let mut scopes: FxHashMap<&str, Vec<Span>> = FxHashMap::default();
        let everywhere = Span::new(0, u32::MAX);
        for &param in item.param_lists().iter().flat_map(|list| &list.params) {
            let param = item.param(param);
            scopes.entry(&param.name).or_default().push(everywhere);
        }
        for expr in &item.exprs {
            match &expr.kind {
                ExprKind::Lambda { params, .. } => {
                    for &param in params {
                        let param = item.param(param);
                        scopes.entry(&param.name).or_default().push(expr.span);
                    }
                }
                ExprKind::Match { cases, .. } => {
                    for case in cases {
                        let pattern = item.pattern(case.pattern).span;
                        for name in names_in(item, pattern) {
                            scopes.entry(name).or_default().push(case.span);
                        }
                    }
                }
                _ => {}
            }
        }
        Bound(scopes)
    }

    fn binds(&self, name: &str, at: Span) -> bool {
        self.0
            .get(name)
            .is_some_and(|scopes| scopes.iter().any(|scope| scope.contains(at)))
    }
}
