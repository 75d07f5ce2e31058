//! The addition of size parameters to a definition, for sizes that a strategy leaves open.

use std::ops::Range;

use db::{Database, ItemId};
use rise::{Target, Type};
use syntax::ast::{
    Binder, BinderAnnotation, BinderId, Head, Item, ItemKind, Name, Parameter, Term, TermId,
    TermKind,
};
use syntax::{Dialect, GlobalId, Span};

use super::restyle::Edit;
use super::verify::{Unwritable, applied};
use crate::TextEdit;

/// Returns the text of a definition with size parameters, after its leading size and type
/// parameters and also in its type annotation. The body does not use them yet. Returns `None` if
/// they cannot be written.
pub(super) fn with_parameters(text: &str, item: &Item, names: &[Name]) -> Option<String> {
    Some(applied(text, &parameters(text, item, names)?))
}

/// Returns the edits of the text of a definition that bind the sizes after its leading size and
/// type parameters and add them to its type annotation. Returns `None` for a foreign definition,
/// and if the last of the existing parameters has no kind.
pub(crate) fn parameters(text: &str, item: &Item, names: &[Name]) -> Option<Vec<Edit>> {
    let ItemKind::Def { ty, body, .. } = item.kind else {
        return None;
    };
    if let Some(head) = item.head() {
        return left_of_equals(item, head, names);
    }
    let mut edits = Vec::new();
    if let Some(ty) = ty {
        let sizes: String = names.iter().map(|n| format!("({n}: Nat) -> ")).collect();
        edits.push(Edit {
            span: Span::empty(item.term(below_sizes(item, ty)).span.start),
            text: sizes,
        });
    }
    let written: Vec<String> = names.iter().map(|name| format!("{name}: Nat")).collect();
    let written = written.join(", ");
    match last_of(item, body) {
        Some(last) => in_list(text, item.binder(last), &written, &mut edits)?,
        None => around(item.term(body).span, &written, names.len(), &mut edits),
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Some(edits)
}

/// Returns the edits of the definitions of RISE that use this one directly or transitively: they
/// take the sizes as parameters, too, and pass them on.
///
/// # Errors
/// Fails if one of them is in another file, uses one of the names for something else, or does not
/// write its size arguments where it uses the definition.
pub(super) fn users(
    db: &Database,
    item: ItemId,
    names: &[Name],
) -> Result<Vec<TextEdit>, Unwritable> {
    let mut all = vec![item];
    let mut next = 0;
    while let Some(&used) = all.get(next) {
        next += 1;
        for user in db.users(used) {
            let file = db.file_of(user);
            if db.dialect(file) != Dialect::Rise || all.contains(&user) {
                continue;
            }
            if file != db.file_of(item) {
                return Err(cannot(db, user, names, "is in another file"));
            }
            all.push(user);
        }
    }
    let globals: Vec<GlobalId> = all.iter().map(|item| db.global(*item)).collect();
    let mut edits = Vec::new();
    for &user in &all[1..] {
        let (text, parsed) = (db.item_text(user), db.parsed(user));
        let taken = |binder: &Binder| names.contains(&binder.name);
        let used = |term: &Term| matches!(&term.kind, TermKind::Name(name) if names.contains(name));
        if parsed.item.binders.iter().any(taken) || parsed.item.terms.iter().any(used) {
            return Err(cannot(db, user, names, "uses that name for something else"));
        }
        let own = parameters(&text, &parsed.item, names);
        let given = handed_on(db, user, &parsed.item, &globals, names);
        let (Some(own), Some(given)) = (own, given) else {
            return Err(cannot(
                db,
                user,
                names,
                "does not write the size arguments of the definition",
            ));
        };
        edits.extend(own.into_iter().chain(given).map(|edit| TextEdit {
            span: db.absolute(user, edit.span),
            text: edit.text,
        }));
    }
    Ok(edits)
}

fn cannot(db: &Database, user: ItemId, names: &[Name], why: &str) -> Unwritable {
    let name = match &db.header(user).declares {
        db::Declaration::Def(name) => format!("`{name}`"),
        _ => "a definition".to_owned(),
    };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    Unwritable::Users(format!(
        "{name} uses the definition and would have to give it {}, but {why}",
        names.join(" and ")
    ))
}

/// Returns the edits that add the sizes as further arguments at each use of the definitions; `None`
/// if a use does not write its size arguments.
fn handed_on(
    db: &Database,
    user: ItemId,
    item: &Item,
    globals: &[GlobalId],
    names: &[Name],
) -> Option<Vec<Edit>> {
    let (inference, parents) = (db.inference(user), item.parents());
    let names: Vec<&str> = names.iter().map(Name::as_str).collect();
    let mut edits = Vec::new();
    for used in &inference.uses {
        let Target::Global(id) = used.target else {
            continue;
        };
        if globals.contains(&id) {
            let sizes = sizes_of(&db.scheme(db.item_of(id))?.ty);
            edits.push(further(
                item,
                &parents,
                used.term,
                sizes,
                &names.join(", "),
            )?);
        }
    }
    Some(edits)
}

/// Counts the explicit size and type parameters of a definition of this type.
fn sizes_of(mut ty: &Type) -> usize {
    let mut count = 0;
    while let Type::Pi(pi) = ty {
        count += usize::from(!pi.implicit);
        ty = &pi.body;
    }
    count
}

/// Returns the edit that adds the arguments `more` after the first `before` arguments of the
/// applied term `at`; `None` if it has fewer arguments.
fn further(
    item: &Item,
    parents: &[Option<TermId>],
    mut at: TermId,
    mut before: usize,
    more: &str,
) -> Option<Edit> {
    while before > 0 {
        let parent = parents[at.0 as usize]?;
        match &item.term(parent).kind {
            TermKind::Paren(_) => {}
            TermKind::Apply { callee, args } if *callee == at => {
                if let Some(last) = args.get(before - 1) {
                    return Some(Edit {
                        span: Span::empty(item.term(*last).span.end),
                        text: format!(", {more}"),
                    });
                }
                before -= args.len();
            }
            _ => return None,
        }
        at = parent;
    }
    Some(Edit {
        span: Span::empty(item.term(at).span.end),
        text: format!("({more})"),
    })
}

/// Returns the part of a type annotation after the leading size and type parameters.
fn below_sizes(item: &Item, mut ty: TermId) -> TermId {
    while let TermKind::Pi { body, .. } | TermKind::Where { ty: body, .. } = item.term(ty).kind {
        ty = body;
    }
    ty
}

/// Returns the last of the size and type parameters at the beginning of a definition's right side,
/// `body`; `None` if there are none.
fn last_of(item: &Item, mut body: TermId) -> Option<BinderId> {
    let mut last = None;
    loop {
        body = match &item.term(body).kind {
            TermKind::Paren(inner) => *inner,
            TermKind::DepFun { params, body } => {
                last = params.last().copied();
                *body
            }
            _ => return last,
        };
    }
}

/// Returns the edit that adds sizes to the parameters left of `=`, after the leading sizes and types
/// there. Returns `None` if the last of these has no kind.
fn left_of_equals(item: &Item, head: &Head, names: &[Name]) -> Option<Vec<Edit>> {
    let sizes: Vec<String> = names.iter().map(|name| format!("{name}: Nat")).collect();
    let sizes = sizes.join(", ");
    let annotation = |param: &Parameter| item.binder(param.binder).annotation;
    let mut place = None;
    let mut before = head.groups.first()?.span.start;
    for group in &head.groups {
        let is_kind = |param: &&Parameter| matches!(annotation(param), BinderAnnotation::Kind(..));
        let leading = group.params.iter().take_while(is_kind);
        match leading.clone().last() {
            Some(last) if !group.implicit => match annotation(last) {
                BinderAnnotation::Kind(Some(_), kind) => place = Some(kind.end),
                _ => return None,
            },
            _ => {}
        }
        if leading.count() < group.params.len() {
            break;
        }
        if place.is_none() {
            before = group.span.end;
        }
    }
    let edit = match place {
        Some(end) => Edit {
            span: Span::empty(end),
            text: format!(", {sizes}"),
        },
        None => Edit {
            span: Span::empty(before),
            text: format!("({sizes})"),
        },
    };
    Some(vec![edit])
}

/// Adds parameters after the last one of a list, and the parentheses that a list of one parameter
/// lacks.
fn in_list(text: &str, last: &Binder, written: &str, edits: &mut Vec<Edit>) -> Option<()> {
    let BinderAnnotation::Kind(Some(_), kind) = last.annotation else {
        return None;
    };
    let rest = text.get(Range::from(Span::new(kind.end, text.len() as u32)))?;
    let mut next = syntax::lex(rest).filter(|token| !token.kind.is_trivia());
    let alone = next.next()?.kind == syntax::TokenKind::FatArrow;
    let (open, close) = if alone { ("(", ")") } else { ("", "") };
    edits.push(Edit {
        span: Span::empty(last.span.start),
        text: open.to_owned(),
    });
    edits.push(Edit {
        span: Span::empty(kind.end),
        text: format!(", {written}{close}"),
    });
    Some(())
}

/// Wraps the body of a definition without size parameters in an abstraction over the sizes.
fn around(body: Span, written: &str, count: usize, edits: &mut Vec<Edit>) {
    let list = match count {
        1 => written.to_owned(),
        _ => format!("({written})"),
    };
    edits.push(Edit {
        span: Span::empty(body.start),
        text: format!("depFun({list} => "),
    });
    edits.push(Edit {
        span: Span::empty(body.end),
        text: ")".to_owned(),
    });
}
