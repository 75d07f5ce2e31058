//! Turns a constant size into a parameter of its definition.
//!
//! ```rise
//! def f = depFun(n: Nat => fun(xs: n.f32 => xs |> split(3$02) |> map(map(fun(x => x + 1.0f))) |> join))
//! ```
//! *Make size 32 tunable: a parameter `s`*
//! ```rise
//! def f = depFun((n: Nat, s: Nat) => fun(xs: n.f32 => xs |> split(s) |> map(map(fun(x => x + 1.0f))) |> join))
//! ```

use db::{Database, ItemId};
use rise::print::type_text;
use syntax::Span;
use syntax::ast::{Item, Literal, TermId, TermKind};

use super::edits::{free_name, in_item};
use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::item_view::def_name;
use crate::rewrites::restyle::Edit;
use crate::rewrites::verify::{FileEnv, applied};
use crate::rewrites::{AssistKind, diff, size_parameters};

/// The primitives whose sizes only determine the shape of the computation, each with the name of
/// the parameter that replaces such a size.
const CUTS: &[(&str, &str)] = &[
    ("split", "s"),
    ("slide", "s"),
    ("asVector", "v"),
    ("asVectorAligned", "v"),
];

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "make_size_tunable",
    kinds: &[AssistKind::Split],
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    assist(cx).into_iter().collect()
}

/// Returns the code action for the number at the cursor, if it is a size of one of the `CUTS`.
fn assist(cx: &AssistContext<'_>) -> Option<Assist> {
    let (db, item) = (cx.db, cx.definition()?);
    let parsed = db.parsed(item);
    let selection = in_item(db, item, cx.place());
    let (number, wanted) = number_at(&parsed.item, selection)?;
    let span = parsed.item.term(number).span;
    let text = db.item_text(item);
    let binders = parsed.item.binders.iter();
    let names: Vec<&str> = binders.map(|binder| &*binder.name).collect();
    let name = free_name(db, cx.place().file, wanted, &names);
    let effect = match db.users(item).first() {
        Some(user) => {
            let user = match def_name(db, *user).unwrap_or_default() {
                name if name.is_empty() => "another file".to_owned(),
                name => format!("`{name}`"),
            };
            AssistEffect::Disabled(format!(
                "{user} uses the definition, and would have to give `{name}`"
            ))
        }
        None => {
            let new = with_parameter(&parsed.item, &text, span, &name)?;
            match checked(db, item, &new, &name) {
                Ok(()) => AssistEffect::edit(move |db| Ok(diff::in_file(db, item, &new))),
                Err(why) => AssistEffect::Disabled(why),
            }
        }
    };
    let written = &text[std::ops::Range::from(span)];
    let title = format!("Make size {written} tunable: a parameter `{name}`");
    Some(Assist::new("number", AssistKind::Split, title, effect).of_item(item))
}

/// Returns the integer literal greater than 1 that contains a selection and is an argument of one
/// of the `CUTS`, with the name for its parameter.
fn number_at(item: &Item, selection: Span) -> Option<(TermId, &'static str)> {
    let parents = item.parents();
    let ids = (0..item.terms.len() as u32).map(TermId);
    let is_number = |id: &TermId| {
        let term = item.term(*id);
        let number = matches!(
            term.kind,
            TermKind::Literal(Literal::Int { value, suffix: None }) if value > 1
        );
        number && term.span.contains(selection)
    };
    let number = ids.into_iter().find(is_number)?;
    let mut parent = parents[number.0 as usize];
    while let Some(id) = parent
        && matches!(item.term(id).kind, TermKind::Paren(_))
    {
        parent = parents[id.0 as usize];
    }
    let TermKind::Apply { callee, .. } = &item.term(parent?).kind else {
        return None;
    };
    let mut head = *callee;
    while let TermKind::Apply { callee, .. } = &item.term(head).kind {
        head = *callee;
    }
    let TermKind::Name(name) = &item.term(head).kind else {
        return None;
    };
    let cut = CUTS.iter().find(|(cut, _)| *cut == name.as_str())?;
    Some((number, cut.1))
}

/// Returns the text with the name in the place of the number, bound after the other size
/// parameters.
fn with_parameter(item: &Item, text: &str, number: Span, name: &str) -> Option<String> {
    let mut edits = size_parameters::parameters(text, item, &[name.into()])?;
    edits.push(Edit {
        span: number,
        text: name.to_owned(),
    });
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Some(applied(text, &edits))
}

/// Checks that the new text has no errors, and the type of the definition apart from the new
/// parameter.
fn checked(db: &Database, item: ItemId, new: &str, name: &str) -> Result<(), String> {
    let (inference, _) = FileEnv::of(db, item).read(new)?;
    let old = db.scheme(item).ok_or("the definition has errors")?;
    let scheme = &inference.scheme;
    let parameter = format!("({name}: Nat) -> ");
    let found = type_text(&scheme.ty, &scheme.names);
    match found.replacen(&parameter, "", 1) == type_text(&old.ty, &old.names) {
        true => Ok(()),
        false => Err(format!("the definition's type would be `{found}`")),
    }
}
