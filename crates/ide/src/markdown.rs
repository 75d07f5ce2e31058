//! Building blocks of the Markdown in hovers, completions and signatures.

use db::{Database, ItemId};
use rise::{Scheme, Type};
use syntax::Dialect;
use syntax::ast::{Head, Item};

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

/// Renders the name and type of a definition: those of one with parameters left of `=` as in
/// `f{n: Nat}(xs: n.f32): f32`, with all implicit parameters, and each group of parameters on a
/// line of its own if the line would be long.
pub(crate) fn definition(item: &Item, name: &str, scheme: &Scheme) -> String {
    let parts = item.head().and_then(|head| head_parts(item, head, scheme));
    let Some((groups, result)) = parts else {
        return signature(name, scheme);
    };
    let whole = format!("{name}{}{result}", groups.concat());
    match whole.chars().count() > LINE {
        true => format!(
            "{name}\n  {}\n  {}",
            groups.join("\n  "),
            result.trim_start()
        ),
        false => whole,
    }
}

/// Returns the groups of parameters and the result of a definition with the types of its scheme,
/// as they are written left of `=`; `None` if the scheme has other parameters.
fn head_parts(item: &Item, head: &Head, scheme: &Scheme) -> Option<(Vec<String>, String)> {
    let text = |ty: &Type| rise::print::type_text(ty, &scheme.names);
    let mut ty = &scheme.ty;
    let mut implicit = Vec::new();
    while let Type::Pi(pi) = &**ty
        && pi.implicit
    {
        implicit.push((ty, format!("{}: {}", scheme.names.get(pi.var), pi.kind)));
        ty = &pi.body;
    }
    let written = head.groups.iter().take_while(|group| group.implicit);
    let written: usize = written.map(|group| group.params.len()).sum();
    let inferred = implicit.len().checked_sub(written)?;
    if let Some((first, _)) = implicit.get(inferred) {
        ty = first;
    }
    let inferred: Vec<String> = implicit.drain(..inferred).map(|(_, text)| text).collect();
    let mut groups = Vec::new();
    if !inferred.is_empty() {
        groups.push(format!("{{{}}}", inferred.join(", ")));
    }
    for group in &head.groups {
        let mut params = Vec::new();
        for param in &group.params {
            let mark = match param.inout {
                Some(_) => "inout ",
                None => "",
            };
            let name = &item.binder(param.binder).name;
            let (shown, rest) = match &**ty {
                Type::Pi(pi) => (pi.kind.to_string(), &pi.body),
                Type::Fun(from, to) => (text(from), to),
                _ => return None,
            };
            params.push(format!("{mark}{name}: {shown}"));
            ty = rest;
        }
        let params = params.join(", ");
        groups.push(match group.implicit {
            true => format!("{{{params}}}"),
            false => format!("({params})"),
        });
    }
    let whole = rise::print::scheme_text(scheme);
    let conditions = whole.strip_prefix(&text(&scheme.ty))?.to_owned();
    Some((groups, format!(": {}{conditions}", text(ty))))
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
