//! Extracts the selected expression, or the selected stages of a pipeline, into a definition. What
//! it uses of its surroundings becomes its parameters.
//!
//! ```rise
//! def mv = depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) =>
//!   M |> map(fun(row => <|>zip(row)(x) |> map(fun(p => fst(p) * snd(p))) |> reduce(add)(0.0f)<|>))))
//! ```
//! *Extract into the definition `extracted`*
//! ```rise
//! def mv = depFun((n: Nat, m: Nat) => fun((M: n.m.f32, x: m.f32) =>
//!   M |> map(fun(row => extracted(m)(x)(row)))))
//!
//! def extracted = depFun(m: Nat => fun((x: m.f32, row: m.f32) =>
//!   zip(row)(x) |> map(fun(p => fst(p) * snd(p))) |> reduce(add)(0.0f)))
//! ```
//!
//! ```rise
//! def square = fun(x: f32 => x * x)
//!
//! def scaled = depFun(n: Nat => fun((a: f32, xs: n.f32) =>
//!   xs |> <|>map(fun(x => a * x)) |> map(square)<|> |> reduce(add)(0.0f)))
//! ```
//! *Extract into the definition `extracted`*
//! ```rise
//! def square = fun(x: f32 => x * x)
//!
//! def scaled = depFun(n: Nat => fun((a: f32, xs: n.f32) =>
//!   xs |> extracted(n)(a) |> reduce(add)(0.0f)))
//!
//! def extracted = depFun(n: Nat => fun((a: f32, xs1: n.f32) =>
//!   xs1 |> map(fun(x => a * x)) |> map(square)))
//! ```

use db::{Database, ItemId};
use rise::{BinderInfo, Inference, TermInfo, Ty, Type};
use syntax::Span;
use syntax::ast::{BinaryOp, BinderId, ItemKind, Name, TermId, TermKind};

use super::edits::{free_name, in_item, inserted_after};
use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::item_view::{Symbol, View};
use crate::rewrites::restyle::copied::reindent;
use crate::rewrites::restyle::indent_of;
use crate::rewrites::verify::{FileEnv, laid_out};
use crate::rewrites::{AssistKind, names};
use crate::{SourceEdits, TextEdit, free_vars, tree};

/// The maximal number of characters of a new definition that is written on one line.
const WIDTH: usize = 80;

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "extract_definition",
    kinds: &[AssistKind::ExtractDefinition],
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let Some(item) = cx.definition() else {
        return Vec::new();
    };
    let place = in_item(cx.db, item, cx.place());
    let view = View::new(cx.db, item);
    if selected(&view, place).is_none() {
        return Vec::new();
    }
    let title = format!("Extract into the definition `{}`", new_name(&view));
    let effect = AssistEffect::edit(move |db| extracted(db, item, place));
    vec![Assist::new("", AssistKind::ExtractDefinition, title, effect).of_item(item)]
}

/// The part of a definition that is selected.
struct Selected<'v> {
    /// The selected expression, or the first of the selected stages.
    term: TermId,
    ty: &'v Ty,
    /// The type of what flows into it, if it consists of stages of a pipeline.
    input: Option<&'v Ty>,
}

/// Returns the selected stages of a pipeline, without its first one, or the selected expression.
/// Returns `None` for any other selection, for a name, a literal or the whole body of the
/// definition, and if the type is unknown.
fn selected<'v>(view: &'v View<'_>, place: Span) -> Option<Selected<'v>> {
    let item = view.item();
    let ItemKind::Def { body, .. } = item.kind else {
        return None;
    };
    let expr = |term: TermId| match view.info(term) {
        TermInfo::Expr(ty) if !free_vars::has_error(ty) => Some(ty),
        _ => None,
    };
    let terms = || (0..item.terms.len() as u32).map(TermId);
    let pipes = terms().filter(|id| {
        let op = BinaryOp::Pipe;
        matches!(item.term(*id).kind, TermKind::Binary { op: found, .. } if found == op)
    });
    for pipe in pipes {
        let stages = tree::stages(item, pipe);
        let from = |stage: &tree::Stage| view.span(stage.written).start == place.start;
        let ends = view.span(pipe).end == place.end;
        if let Some(first) = stages.iter().position(from).filter(|at| ends && *at > 0) {
            return Some(Selected {
                term: stages[first].written,
                ty: expr(pipe)?,
                input: Some(expr(stages[first - 1].result)?),
            });
        }
    }
    let is_atom = |id: &TermId| {
        let term = tree::unparen(item, *id);
        matches!(
            item.term(term).kind,
            TermKind::Name(_) | TermKind::Literal(_)
        )
    };
    let term = terms().find(|id| view.span(*id) == place && *id != body && !is_atom(id))?;
    Some(Selected {
        term,
        ty: expr(term)?,
        input: None,
    })
}

/// Returns the name of the new definition, which no name in the item shadows.
fn new_name(view: &View<'_>) -> Name {
    let bound: Vec<&str> = bound_names(view).collect();
    free_name(view.db, view.file, "extracted", &bound)
}

fn bound_names<'v>(view: &'v View<'_>) -> impl Iterator<Item = &'v str> {
    view.item().binders.iter().map(|binder| &*binder.name)
}

/// Returns the edits that move the selected part to a new definition after this one, and call that.
fn extracted(db: &Database, item: ItemId, place: Span) -> Result<SourceEdits, String> {
    let view = View::new(db, item);
    let part = selected(&view, place).ok_or("no expression is selected")?;
    let name = new_name(&view);
    let mut parameters = parameters(&view, place, &part);
    let call = parameters.iter().fold(name.to_string(), |call, parameter| {
        format!("{call}({})", parameter.name)
    });
    let text = db.item_text(item);
    let indent = indent_of(&text, place.start as usize);
    let mut body = reindent(&text[std::ops::Range::from(place)], indent, "  ");
    if let Some(input) = part.input {
        let taken = |name: &str| bound_names(&view).any(|bound| bound == name);
        let name = names::free(names::name_for(input), &taken);
        body = format!("{name} |> {body}");
        parameters.push(Parameter {
            name,
            ty: writable(&view, part.term, input),
            is_value: true,
        });
    }
    let new = New {
        name: &name,
        parameters: &parameters,
        body: &body,
    };
    let new = new.checked(db, item, writable(&view, part.term, part.ty))?;
    let edits = vec![
        TextEdit {
            span: view.absolute(place),
            text: call,
        },
        inserted_after(db, item, &laid_out(&text, &new)),
    ];
    Ok(SourceEdits::single(view.file, edits))
}

/// A parameter of the new definition.
struct Parameter {
    name: Name,
    /// Its type or kind, if it can be written.
    ty: Option<String>,
    /// False for a type-level parameter, such as a size or a type.
    is_value: bool,
}

/// Returns a parameter for each binder around a part that the part uses, or that the types of its
/// values use. Type-level ones come first, then values, each the outermost first.
fn parameters(view: &View<'_>, place: Span, part: &Selected<'_>) -> Vec<Parameter> {
    let item = view.item();
    let inside = (0..item.terms.len() as u32).map(TermId);
    let inside = inside.filter(|id| place.contains(view.span(*id)));
    let mut used: Vec<BinderId> = inside
        .filter_map(|id| match view.resolve(id)? {
            Symbol::Binder(_, binder) => Some(binder),
            _ => None,
        })
        .collect();
    // The types of values, and of what flows into the part, use sizes, too.
    let of_values = used
        .iter()
        .filter_map(|binder| match view.binder_info(*binder) {
            BinderInfo::Value(ty) => Some(ty),
            _ => None,
        });
    let types = of_values.chain(part.input);
    let in_types = types.filter_map(|ty| view.binders_of(part.term, ty));
    let in_types: Vec<BinderId> = in_types.flatten().collect();
    used.extend(in_types);
    let outer = view.scope_at(part.term).binders;
    let outer = outer.iter().rev().filter(|binder| used.contains(binder));
    let parameter = |binder: &BinderId| {
        let (ty, is_value) = match view.binder_info(*binder) {
            BinderInfo::TypeLevel(_, kind) => (Some(kind.as_str().to_owned()), false),
            BinderInfo::Value(ty) => (writable(view, part.term, ty), true),
            BinderInfo::Unknown => return None,
        };
        let name = item.binder(*binder).name.clone();
        Some(Parameter { name, ty, is_value })
    };
    let mut found: Vec<Parameter> = outer.filter_map(parameter).collect();
    found.sort_by_key(|parameter| parameter.is_value);
    found
}

/// Returns the text of a type, if its variables are in scope at a term.
fn writable(view: &View<'_>, place: TermId, ty: &Ty) -> Option<String> {
    view.binders_of(place, ty)?;
    Some(rise::print::type_text(ty, &view.inference().names))
}

/// The new definition.
struct New<'n> {
    name: &'n str,
    parameters: &'n [Parameter],
    body: &'n str,
}

impl New<'_> {
    /// Returns the text of the definition. The type `ty` of its result is added if, without it, the
    /// definition has errors or implicit parameters, and with it no errors.
    ///
    /// # Errors
    /// Fails with a message if the definition has errors.
    fn checked(&self, db: &Database, item: ItemId, ty: Option<String>) -> Result<String, String> {
        let env = FileEnv::of(db, item);
        let plain = self.text(self.body);
        let read = env.read(&plain);
        let is_known = |read: &(Inference, _)| match &*read.0.scheme.ty {
            Type::Pi(pi) => !pi.implicit,
            _ => true,
        };
        if !read.as_ref().is_ok_and(is_known)
            && let Some(ty) = ty
        {
            let ascribed = self.text(&format!("({} : {ty})", self.body));
            if env.read(&ascribed).is_ok() {
                return Ok(ascribed);
            }
        }
        read.map(|_| plain)
    }

    fn text(&self, body: &str) -> String {
        let mut head = format!("def {} =", self.name);
        let mut closing = String::new();
        for (word, is_value) in [("depFun", false), ("fun", true)] {
            let params = self.parameters.iter().filter(|p| p.is_value == is_value);
            let params: Vec<String> = params
                .map(|parameter| match &parameter.ty {
                    Some(ty) => format!("{}: {ty}", parameter.name),
                    None => parameter.name.to_string(),
                })
                .collect();
            let params = match &params[..] {
                [] => continue,
                [one] => one.clone(),
                several => format!("({})", several.join(", ")),
            };
            head.push_str(&format!(" {word}({params} =>"));
            closing.push(')');
        }
        let line = format!("{head} {body}{closing}");
        match line.contains('\n') || line.chars().count() > WIDTH {
            true => format!("{head}\n  {body}{closing}"),
            false => line,
        }
    }
}
