//! Annotations of definitions that affect running.

use syntax::ast::{AnnotationValue, Item, TermKind};

/// Returns the targets of `@target(…)` annotations, in source order.
pub fn targets(item: &Item) -> impl Iterator<Item = &str> + Clone {
    let annotations = item.annotations.iter().filter(|annotation| {
        annotation
            .name
            .as_ref()
            .is_some_and(|name| name.name == "target")
    });
    annotations.filter_map(|annotation| match &annotation.args.first()?.value {
        AnnotationValue::Term(term) => match &item.term(*term).kind {
            TermKind::Name(name) => Some(name.as_str()),
            _ => None,
        },
        AnnotationValue::String(..) | AnnotationValue::List(..) => None,
    })
}
