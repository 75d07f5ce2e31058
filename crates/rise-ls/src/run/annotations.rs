//! What annotations say about running.

use syntax::ast::{AnnotationValue, Item, TermKind};

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
