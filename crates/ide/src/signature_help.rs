//! Signature help: the parameters of the function whose arguments are being typed.

mod strategy_files;

use db::Database;
use dpia::Prim;
use rise::primitive::OptionalArgument;
use rise::{ExpectedFunction, Names, Ty, Type};
use syntax::Span;
use syntax::ast::{Item, Kind, TermId, TermKind};

use crate::builtin::Builtin;
use crate::context::{self, OpenCall};
use crate::item_view::{Symbol, View};
use crate::{FilePosition, free_vars, markdown, token, tree};

/// The signature of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name and type, as in `zip : n.s -> n.t -> n.(s, t)`, or, in a strategy file, as in
    /// `tile(x: Nat, y: Nat) : Strategy`.
    pub label: String,
    /// The parameters, as byte ranges of `label`. Implicit ones are only included if the call
    /// writes them.
    pub parameters: Vec<Span>,
    /// The documentation, in Markdown.
    pub docs: Option<String>,
}

/// The signature of the call at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The signature of the called function.
    pub signature: Signature,
    /// The index of the parameter at the cursor; `None` if the argument at the cursor is for none
    /// of the parameters, as after the last one.
    pub active: Option<usize>,
}

/// Returns the signature of the innermost call whose arguments `at` is in; `None` if there is no
/// such call, or the called function is not known.
pub fn signature_help(db: &Database, at: FilePosition) -> Option<SignatureHelp> {
    let (view, offset) = View::at_or_before(db, at)?;
    if view.is_strategy() {
        return strategy_files::signature_help(&view, offset);
    }
    let text = db.item_text(view.id);
    let (tokens, _) = token::before(&text, offset, view.dialect());
    let (_, calls) = context::read(&text, &tokens);
    let open = *calls.last()?;
    let call = call_at(&view, open)?;
    let (head, applied) = head_of(view.item(), call);
    let index = applied + open.commas;
    if let Some(Symbol::Primitive(primitive @ Builtin::Dpia(prim))) = view.resolve(head) {
        return Some(whole(&view, head, call, index, primitive, prim));
    }
    let signature = signature(&view, head)?;
    let active = (index < signature.parameters.len()).then_some(index);
    Some(SignatureHelp { signature, active })
}

/// Returns the signature of a primitive of DPIA, all of whose arguments are in one list. The
/// implicit arguments are either all written or all left out, which the number of arguments shows,
/// and an optional argument may precede them.
fn whole(
    view: &View<'_>,
    head: TermId,
    call: TermId,
    index: usize,
    primitive: Builtin,
    prim: Prim,
) -> SignatureHelp {
    let item = view.item();
    let args: &[TermId] = match &item.term(call).kind {
        TermKind::Apply { args, .. } => args,
        _ => &[],
    };
    let first = args.first().map(|arg| &item.term(*arg).kind);
    let starts = match prim.optional_argument() {
        Some(OptionalArgument::AddressSpace) => matches!(first, Some(TermKind::Address(_))),
        Some(OptionalArgument::Dimension) => matches!(first, Some(TermKind::Literal(_))),
        None => false,
    };
    let before = usize::from(starts);
    let docs = Some(primitive.docs().to_owned());
    let scheme = primitive.scheme();
    let general = |implicit| {
        let (ty, names) = (&scheme.ty, &scheme.names);
        labelled(prim.name(), ty, names, implicit, docs.clone())
    };
    let mut signature = general(false);
    let written = args.len().max(index + 1).saturating_sub(before);
    if written > signature.parameters.len() && prim != Prim::MakeArray {
        signature = general(true);
    } else if let Some(ty) = view.type_of(head)
        && is_known(ty, &view.inference().names)
    {
        signature = labelled(prim.name(), ty, &view.inference().names, false, docs);
    }
    let active = index
        .checked_sub(before)
        .filter(|index| *index < signature.parameters.len());
    SignatureHelp { signature, active }
}

/// Returns the call whose callee ends at `open.callee_end`.
fn call_at(view: &View<'_>, open: OpenCall) -> Option<TermId> {
    let item = view.item();
    (0..item.terms.len() as u32)
        .map(TermId)
        .find(|id| match &item.term(*id).kind {
            TermKind::Apply { callee, .. } => view.span(*callee).end == open.callee_end,
            _ => false,
        })
}

/// The expected sort of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Data or a function.
    Value,
    /// A size, a type or another type-level argument.
    TypeLevel(Kind),
}

/// Returns the expected function type of the argument of `open` at the cursor, if it is a function
/// of several values.
pub(crate) fn wanted_function(view: &View<'_>, open: OpenCall) -> Option<ExpectedFunction> {
    let item = view.item();
    let (head, applied) = head_of(item, call_at(view, open)?);
    let scheme = match view.resolve(head)? {
        Symbol::Def(item) => view.db.scheme(item)?,
        Symbol::Primitive(primitive @ Builtin::Rise(_)) => primitive.scheme().clone(),
        _ => return None,
    };
    let stage = tree::stage_of(item, view.parents(), head);
    let piped = stage.and_then(|stage| match item.term(stage.result).kind {
        TermKind::Binary { lhs, .. } if stage.written != stage.result => view.type_of(lhs),
        _ => None,
    });
    ExpectedFunction::of_call(&scheme, applied + open.commas, piped)
}

/// Returns the expected sort of the argument of `open` at the cursor; `None` if it cannot be
/// determined.
pub(crate) fn wanted(view: &View<'_>, open: OpenCall) -> Option<Wanted> {
    let (head, applied) = head_of(view.item(), call_at(view, open)?);
    let mut index = applied + open.commas;
    let symbol = match view.item().term(head).kind {
        TermKind::Name(_) => view.resolve(head),
        _ => None,
    };
    // The value to store is usually piped, so the argument is an address space.
    let takes_space = match symbol {
        Some(Symbol::Primitive(Builtin::Rise(primitive))) if index == 0 => {
            primitive.optional_argument() == Some(OptionalArgument::AddressSpace)
        }
        _ => false,
    };
    let ty = match symbol {
        Some(Symbol::Def(item)) => view.db.scheme(item)?.ty.clone(),
        Some(Symbol::Primitive(primitive @ Builtin::Rise(_))) => primitive.scheme().ty.clone(),
        _ => view.type_of(head)?.clone(),
    };
    let mut rest = &ty;
    loop {
        let (found, next) = match &**rest {
            Type::Pi(pi) if pi.implicit => {
                rest = &pi.body;
                continue;
            }
            Type::Pi(pi) => (Wanted::TypeLevel(pi.kind), &pi.body),
            Type::Fun(param, result) if takes_space && !matches!(**param, Type::Fun(..)) => {
                (Wanted::TypeLevel(Kind::AddrSp), result)
            }
            Type::Fun(_, result) => (Wanted::Value, result),
            _ => return None,
        };
        if index == 0 {
            return Some(found);
        }
        index -= 1;
        rest = next;
    }
}

/// Returns the head of a curried call, without parentheses, and the number of arguments in the
/// argument lists before the last one.
fn head_of(item: &Item, call: TermId) -> (TermId, usize) {
    let mut applied = 0;
    let mut at = call;
    while let TermKind::Apply { callee, .. } = &item.term(at).kind {
        at = tree::unparen(item, *callee);
        if let TermKind::Apply { args, .. } = &item.term(at).kind {
            applied += args.len();
        }
    }
    (at, applied)
}

fn signature(view: &View<'_>, head: TermId) -> Option<Signature> {
    let symbol = match view.item().term(head).kind {
        TermKind::Name(_) => view.resolve(head),
        _ => None,
    };
    let name = symbol
        .map(|symbol| view.name_of(symbol))
        .unwrap_or_default();
    let docs = match symbol {
        Some(Symbol::Def(item)) => Some(markdown::def_docs(view.db, item)),
        Some(Symbol::Primitive(primitive)) => Some(primitive.docs().to_owned()),
        _ => None,
    };
    let docs = docs.filter(|docs| !docs.is_empty());
    let names = &view.inference().names;
    if let Some(ty) = view.type_of(head)
        && is_known(ty, names)
    {
        return Some(labelled(&name, ty, names, false, docs));
    }
    match symbol? {
        Symbol::Def(item) => {
            let scheme = view.db.scheme(item)?;
            Some(labelled(&name, &scheme.ty, &scheme.names, false, docs))
        }
        Symbol::Primitive(primitive) => {
            let scheme = primitive.scheme();
            Some(labelled(&name, &scheme.ty, &scheme.names, false, docs))
        }
        Symbol::Binder(..) | Symbol::SumIndex(..) | Symbol::Place(..) | Symbol::Library(_) => None,
    }
}

/// Returns true if a type contains no errors and no undetermined variables, so that it is more
/// informative than the general type.
fn is_known(ty: &Ty, names: &Names) -> bool {
    let mut free = Vec::new();
    free_vars::of_type(ty, &mut free);
    !free_vars::has_error(ty) && free.iter().all(|var| names.get(*var) != "_")
}

/// Renders a function's name and type with the ranges of its explicit parameters and, if `implicit`
/// is true, also of its implicit ones. Implicit parameters that do not occur in the rest of the
/// type are left out.
fn labelled(name: &str, ty: &Ty, names: &Names, implicit: bool, docs: Option<String>) -> Signature {
    let mut label = String::new();
    if !name.is_empty() {
        label.push_str(name);
        label.push_str(" : ");
    }
    let mut parameters = Vec::new();
    let mut rest: &Ty = ty;
    loop {
        let (text, is_parameter, next) = match &**rest {
            // An implicit parameter that no longer occurs has been instantiated.
            Type::Pi(pi) if pi.implicit && !free_vars::occurs(pi.var, &pi.body) => {
                rest = &pi.body;
                continue;
            }
            Type::Pi(pi) if pi.implicit => (
                format!("{{{}: {}}}", names.get(pi.var), pi.kind),
                implicit,
                &pi.body,
            ),
            Type::Pi(pi) => (
                format!("({}: {})", names.get(pi.var), pi.kind),
                true,
                &pi.body,
            ),
            Type::Fun(param, result) => (parameter(param, names), true, result),
            _ => break,
        };
        if is_parameter {
            let start = label.len() as u32;
            parameters.push(Span::new(start, start + text.len() as u32));
        }
        label.push_str(&text);
        label.push_str(" -> ");
        rest = next;
    }
    label.push_str(&rise::print::type_text(rest, names));
    Signature {
        label,
        parameters,
        docs,
    }
}

fn parameter(ty: &Ty, names: &Names) -> String {
    let text = rise::print::type_text(ty, names);
    match **ty {
        Type::Fun(..) | Type::Pi(_) => format!("({text})"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    /// Compares the labels with the active parameter in `«»`.
    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let mut all = String::new();
        for at in &fixture.cursors {
            let shown = match signature_help(&fixture.db, *at) {
                None => "nothing".to_owned(),
                Some(help) => {
                    let mut label = help.signature.label;
                    if let Some(active) = help.active {
                        let span = help.signature.parameters[active];
                        label.insert(span.end as usize, '»');
                        label.insert(span.start as usize, '«');
                    }
                    label
                }
            };
            all.push_str(&format!("{shown}\n"));
        }
        expected.assert_eq(&all);
    }

    #[test]
    fn definitions_with_parameters_left_of_the_value() {
        check(
            "def scale(a: f32)(xs: n.f32): n.f32 = xs |> map(fun(x => a * x))\n\
             def one = fun(ys: 4.f32 => scale($0)($0ys))\n",
            expect![[r#"
                scale : «f32» -> 4.f32 -> 4.f32
                scale : f32 -> «4.f32» -> 4.f32
            "#]],
        );
    }

    #[test]
    fn curried_and_listed_arguments_count_alike() {
        check(
            "def f = depFun((n: Nat, m: Nat) => fun((a: n.f32, b: n.f32) => zip($0a)($0b) |> map($0fst)))\n\
             def g = depFun(n: Nat => fun((a: n.f32, b: n.f32) => zip(a, $0b)))\n",
            expect![[r#"
                zip : «n.f32» -> n.f32 -> n.(f32, f32)
                zip : n.f32 -> «n.f32» -> n.(f32, f32)
                map : «((f32, f32) -> f32)» -> n.(f32, f32) -> n.f32
                zip : n.f32 -> «n.f32» -> n.(f32, f32)
            "#]],
        );
    }

    #[test]
    fn sizes_are_parameters_too() {
        check(
            "def f = depFun(n: Nat => fun(a: n.f32 => a |> slide($03)($01)))\n",
            expect![[r#"
            slide : «(sz: Nat)» -> (sp: Nat) -> n.f32 -> (n-2).3.f32
            slide : (sz: Nat) -> «(sp: Nat)» -> n.f32 -> (n-2).3.f32
        "#]],
        );
    }

    #[test]
    fn half_typed_calls() {
        check(
            "def f = fun(xs: 4.f32 => xs |> reduce($0\n",
            expect![[r#"
            reduce : «(4.f32 -> 4.f32 -> 4.f32)» -> 4.f32 -> n.4.f32 -> 4.f32
        "#]],
        );
        check(
            "def f = fun(xs: 4.f32 => zip(xs, $0\n",
            expect![[r#"
            zip : 4.f32 -> «4.t» -> 4.(f32, t)
        "#]],
        );
        check(
            "def f = fun(xs: 4.f32 => zip(xs)($0\n",
            expect![[r#"
            zip : 4.f32 -> «4.t» -> 4.(f32, t)
        "#]],
        );
        check(
            "def twice = fun(x => x + x)\ndef f = twice($0)\n",
            expect![[r#"
            twice : «t» -> t
        "#]],
        );
    }

    #[test]
    fn the_innermost_call_counts_and_functions_are_none() {
        check(
            "def f = fun(x: f32 => add(add(x, $0x), $0x))\ndef g = fun($0x => (x$0))\n",
            expect![[r#"
            add : f32 -> «f32» -> f32
            add : f32 -> «f32» -> f32
            nothing
            nothing
        "#]],
        );
    }

    #[test]
    fn primitives_of_dpia_have_one_list_of_arguments() {
        check(
            "//- /main.dpia\n\
             def f = depFun((n: Nat) => fun(xs: Exp[(n * 4).f32, Rd] => split($04, $0xs)))\n\
             def g = depFun((n: Nat) => fun(xs: Exp[(n * 4).f32, Rd] => split($0n, f32, Rd, 4, $0xs)))\n\
             def h = depFun((n: Nat) => fun(xs: Exp[n.f32, Rd] => mapGlobal(1, $0fun(x => x), xs)))\n\
             def i = fun(out: Acc[f32] => new($0Private, f32, $0fun((a, e) => skip)))\n",
            expect![[r#"
                split : «(n: Nat)» -> Exp[(n*4).f32, Rd] -> Exp[n.4.f32, Rd]
                split : (n: Nat) -> «Exp[(n*4).f32, Rd]» -> Exp[n.4.f32, Rd]
                split : «{m: Nat}» -> {t: DataType} -> {a: ReadWrite} -> (n: Nat) -> Exp[(m*n).t, a] -> Exp[m.n.t, a]
                split : {m: Nat} -> {t: DataType} -> {a: ReadWrite} -> (n: Nat) -> «Exp[(m*n).t, a]» -> Exp[m.n.t, a]
                mapGlobal : «(Exp[f32, Rd] -> Exp[f32, Wr])» -> Exp[n.f32, Rd] -> Exp[n.f32, Wr]
                new : (t: DataType) -> (Acc[f32] -> Exp[f32, Rd] -> Comm) -> Comm
                new : (t: DataType) -> «(Acc[f32] -> Exp[f32, Rd] -> Comm)» -> Comm
            "#]],
        );
    }

    #[test]
    fn documentation_comes_along() {
        let fixture =
            Fixture::new("/// Doubles.\ndef twice = fun(x => x + x)\ndef f = twice($01.0f)\n");
        let help = signature_help(&fixture.db, fixture.cursors[0]);
        assert_eq!(
            help.and_then(|help| help.signature.docs).as_deref(),
            Some("Doubles.")
        );
    }
}
