//! What annotations say about running.

use syntax::ast::{AnnotationValue, Item, Literal, TermId, TermKind};

/// The sizes of `@run(n = 1024)`.
pub fn default_sizes(item: &Item) -> Vec<(String, u64)> {
    let run = item.annotations.iter().filter(|annotation| {
        annotation
            .name
            .as_ref()
            .is_some_and(|name| name.name == "run")
    });
    let size = |arg: &syntax::ast::AnnotationArg| {
        let (Some(key), AnnotationValue::Term(term)) = (&arg.key, &arg.value) else {
            return None;
        };
        Some((key.name.to_string(), number(item, *term)?))
    };
    run.flat_map(|annotation| annotation.args.iter().filter_map(size))
        .collect()
}

/// The target of `@target(c)`.
pub fn target(item: &Item) -> Option<&str> {
    let annotation = item.annotations.iter().find(|annotation| {
        annotation
            .name
            .as_ref()
            .is_some_and(|name| name.name == "target")
    })?;
    match &annotation.args.first()?.value {
        AnnotationValue::Term(term) => match &item.term(*term).kind {
            TermKind::Name(name) => Some(name),
            _ => None,
        },
        AnnotationValue::String(..) | AnnotationValue::List(..) => None,
    }
}

fn number(item: &Item, term: TermId) -> Option<u64> {
    let mut term = term;
    loop {
        match &item.term(term).kind {
            TermKind::Paren(inner) => term = *inner,
            TermKind::Literal(Literal::Int {
                value,
                suffix: None,
            }) => {
                return u64::try_from(*value).ok();
            }
            _ => return None,
        }
    }
}
