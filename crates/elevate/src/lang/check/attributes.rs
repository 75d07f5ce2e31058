//! Checks the names of attributes.

use rise::{ANNOTATIONS, closest};
use syntax::elevate::ATTRIBUTES;
use syntax::elevate::ast::Item;
use syntax::{Diagnostic, codes};

/// Returns an error for each attribute of the item that does not exist.
pub(super) fn unknown(item: &Item) -> impl Iterator<Item = Diagnostic> {
    let names = item
        .attributes
        .iter()
        .filter_map(|attribute| attribute.name.as_ref());
    let names = names.filter(|name| !ATTRIBUTES.contains(&name.name.as_str()));
    names.map(|name| {
        let text = name.name.as_str();
        let near = closest(text, ATTRIBUTES.iter().copied());
        if ANNOTATIONS.contains(&text) {
            let message =
                format!("`@{text}` is allowed only before definitions of programs, in .rise files");
            return Diagnostic::error(codes::BAD_ANNOTATION, name.span, message)
                .help(format!("the attributes of strategies are {}", list()));
        }
        let message = format!("there is no attribute `@{text}`");
        let error = Diagnostic::error(codes::BAD_ANNOTATION, name.span, message);
        match near {
            Some(near) => error.help(format!("did you mean `@{near}`?")).fix(
                format!("Replace with `{near}`"),
                vec![(name.span, near.to_owned())],
                true,
            ),
            None => error.help(format!("the attributes are {}", list())),
        }
    })
}

/// Returns the attributes as a list for a message.
fn list() -> String {
    let quoted: Vec<String> = ATTRIBUTES.iter().map(|name| format!("`@{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
