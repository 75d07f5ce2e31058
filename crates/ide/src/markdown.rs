//! Building blocks of the Markdown in hovers, completions and signatures.

use db::{Database, ItemId};
use rise::Scheme;
use syntax::Dialect;

use crate::builtin::Builtin;

/// The number of characters of a signature above which its conditions are on a line of their own.
const LINE: usize = 80;

pub(crate) fn code_in(text: &str, dialect: Dialect) -> String {
    format!("```{}\n{text}\n```", dialect.extension())
}

pub(crate) fn strategy_code(text: &str) -> String {
    format!("```elevate\n{text}\n```")
}

/// Joins paragraphs, without the empty ones.
pub(crate) fn paragraphs(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .collect();
    parts.join("\n\n")
}

/// Renders `name : scheme`, with the conditions on a second line if the first one would be long.
pub(crate) fn signature(name: &str, scheme: &Scheme) -> String {
    let text = rise::print::scheme_text(scheme);
    let whole = format!("{name} : {text}");
    match whole.find(" where ") {
        Some(at) if whole.chars().count() > LINE => {
            format!("{}\n  {}", &whole[..at], &whole[at + 1..])
        }
        _ => whole,
    }
}

/// Returns the documentation of a definition of a program as it is written; empty if there is none.
pub(crate) fn def_docs(db: &Database, item: ItemId) -> String {
    let parsed = db.parsed(item);
    parsed
        .item
        .docs
        .as_ref()
        .map(|docs| docs.text.to_string())
        .unwrap_or_default()
}

/// Renders the general type of a primitive and its documentation.
pub(crate) fn primitive(primitive: Builtin) -> String {
    let signature = format!("{} : {}", primitive.name(), primitive.signature_text());
    paragraphs([
        code_in(&signature, primitive.dialect()),
        primitive.docs().to_owned(),
    ])
}
