//! Elaborates the programs of an example.

use std::sync::Arc;

use rise::Primitive;
use rise::core::{Def, elaborate};
use syntax::Diagnostic;
use syntax::ast::{
    Binder, BinderAnnotation, BinderId, Ident, Item as RiseItem, ItemKind as RiseKind, Name, Term,
    TermId, TermKind,
};
use syntax::elevate::ast::{Expect, Item, ItemKind};

use super::{Checked, Target};

/// The programs of an example, as definitions whose first parameters are the free names.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamplePrograms {
    /// The free names, in source order.
    pub names: Arc<[Name]>,
    /// The program to which the strategy is applied.
    pub input: Arc<Def<Primitive>>,
    /// The expected result, if it is a program.
    pub expect: Option<Arc<Def<Primitive>>>,
}

/// Elaborates the programs of an example, and adds their errors to `diagnostics`. Returns `None`
/// for other items, and if a program has errors.
pub(super) fn programs(
    item: &Item,
    checked: &Checked,
    env: &dyn rise::Env,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ExamplePrograms> {
    let ItemKind::Example { input, expect, .. } = &item.kind else {
        return None;
    };
    let names = free_names(item, checked);
    let mut read = |term| {
        let program = program(&item.rise, term, &names);
        let inference = rise::infer(&program, env);
        let errors = inference.diagnostics.iter();
        let errors = errors.filter(|d| d.severity == syntax::Severity::Error);
        diagnostics.extend(errors.cloned());
        elaborate(&program, &inference).map(Arc::new)
    };
    let input = read(*input);
    let expect = match expect {
        Expect::Program(term) => Some(read(*term)?),
        _ => None,
    };
    Some(ExamplePrograms {
        names: names.into(),
        input: input?,
        expect,
    })
}

/// Returns the free names of the programs, in source order.
fn free_names(item: &Item, checked: &Checked) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for used in &checked.uses {
        if let Target::Metavariable(first) = used.target
            && used.span == first
            && let Some(name) = item.rise.terms.iter().find_map(|term| match &term.kind {
                TermKind::Name(name) if term.span == first => Some(name),
                _ => None,
            })
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

/// Returns the definition `def example = fun(names => term)`, or `def example = term` if there are
/// no names.
fn program(rise: &RiseItem, term: TermId, names: &[Name]) -> RiseItem {
    let mut program = rise.clone();
    let span = rise.term(term).span;
    let mut body = term;
    if !names.is_empty() {
        let mut binders = program.binders.to_vec();
        let mut params = Vec::new();
        for name in names {
            params.push(BinderId(binders.len() as u32));
            binders.push(Binder {
                name: name.clone(),
                span,
                annotation: BinderAnnotation::None,
                parts: None,
            });
        }
        program.binders = binders.into();
        let mut terms = program.terms.to_vec();
        body = TermId(terms.len() as u32);
        terms.push(Term {
            kind: TermKind::Fun {
                params: params.into(),
                grouped: false,
                body: term,
            },
            span,
        });
        program.terms = terms.into();
    }
    program.kind = RiseKind::Def {
        head: None,
        name: Some(Ident {
            name: "example".into(),
            span,
        }),
        ty: None,
        body,
    };
    program
}
