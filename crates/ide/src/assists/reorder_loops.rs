//! Reorders the loops of a nest of maps and reductions.
//!
//! ```rise
//! def nest = fun(xsss: 2.4.8.f32 =>
//!   xsss |> map(fun(plane => plane |> map(fun(row => row |> m$0ap(fun(x => x + 1.0f))))))
//! )
//! ```
//! *Reorder loops: x, plane, row*
//! ```rise
//! def nest = fun(xsss: 2.4.8.f32 =>
//!   xsss |> map(transpose) |> transpose |> map(fun(plane => plane |> map(fun(row => row |> map(fun(x => x + 1.0f)))))) |> transpose |> map(transpose)
//! )
//! ```

use elevate::term::Path;
use rise::core::{Def, Form};
use rise::{Primitive, Type};

use super::applications::Applications;
use super::{Assist, AssistContext, AssistEffect, AssistHandler, Prompt};
use crate::rewrites::terms::{Core, strip};
use crate::rewrites::{AssistKind, record};
use crate::strategies::stepping;

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "reorder_loops",
    kinds: &[AssistKind::Tile],
    offer,
};

/// The limit of work for a strategy to show that it reorders a nest, in the unit of
/// [`elevate::engine::Options::work`].
const WORK: u64 = 100_000;
/// The largest number of loops of a nest that are analysed, counted from the outermost one.
const MOST_LOOPS: usize = 8;

/// A loop of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestLoop {
    /// The name of its element in the program, or otherwise `loop` with its number.
    pub name: String,
    /// The number of its elements, as text.
    pub size: String,
    /// True if it is a reduction.
    pub reduces: bool,
}

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let (Some(item), Some(around)) = (cx.definition(), cx.applications()) else {
        return Vec::new();
    };
    let Some((path, loops)) = nest_at(around) else {
        return Vec::new();
    };
    let only_maps = loops.iter().all(|one| !one.reduces);
    // Transpositions move maps; reductions move outwards past maps.
    let strategy = |order: &str| {
        let way = match only_maps {
            true => format!("DFNF ; loopReorder({order})"),
            false => format!("reorder({order})"),
        };
        record::at(&path, &way)
    };
    let assist =
        |id: &str, title, effect| Assist::new(id, AssistKind::Tile, title, effect).of_item(item);
    let mut found = Vec::new();
    if only_maps {
        for order in presets(loops.len()) {
            let names = order.iter().filter_map(|at| loops.get(at - 1));
            let names: Vec<&str> = names.map(|one| &*one.name).collect();
            let numbers: Vec<String> = order.iter().map(usize::to_string).collect();
            let order = format!("[{}]", numbers.join(", "));
            let text = strategy(&order);
            let from = cx.db.file_of(item);
            let title = format!("Reorder loops: {}", names.join(", "));
            let effect = match stepping::refused(cx.db, item, from, &text, WORK) {
                Some(reason) => AssistEffect::Disabled(reason),
                None => AssistEffect::strategy(item, from, text),
            };
            found.push(assist(&order, title, effect));
        }
    }
    if cx.request.prompts {
        let parameters = vec![("order".to_owned(), "List[Int]".to_owned())];
        let effect = AssistEffect::Prompt(Prompt {
            loops,
            ..Prompt::new(cx.db, item, None, strategy("{order}"), parameters)
        });
        found.push(assist("order", "Reorder loops…".to_owned(), effect));
    }
    found
}

/// Returns the loop orders that are offered directly, as numbers of loops counted from 1: one with
/// the innermost loop outermost, and one with the innermost two interchanged.
fn presets(depth: usize) -> Vec<Vec<usize>> {
    let rotated = std::iter::once(depth).chain(1..depth).collect();
    let mut interchanged: Vec<usize> = (1..=depth).collect();
    interchanged.swap(depth - 2, depth - 1);
    vec![rotated, interchanged]
}

/// Returns the outermost nest of at least three loops that contains the place.
fn nest_at(around: &Applications) -> Option<(Path, Vec<NestLoop>)> {
    around.places.iter().rev().find_map(|(path, core)| {
        // A stage has no array of its own: the pipeline is also a place.
        strip(core)?;
        (!matches!(&*core.ty, Type::Fun(..))).then_some(())?;
        let loops = nest(&around.def, core.clone());
        (loops.len() > 2).then(|| (path.clone(), loops))
    })
}

/// Returns the loops of a nest of maps and reductions, the outermost first, at most `MOST_LOOPS`.
fn nest(def: &Def<Primitive>, outermost: Core) -> Vec<NestLoop> {
    let mut loops = Vec::new();
    let mut here = Some(outermost);
    while let Some(core) = here.take()
        && loops.len() < MOST_LOOPS
    {
        let Form::Primitive(primitive, _, args) = &core.form else {
            break;
        };
        let (function, array) = match (primitive, &**args) {
            (Primitive::Map, [f, xs]) => (f, Some(xs.ty.clone())),
            (Primitive::Map, [f]) => {
                let from = match &*core.ty {
                    Type::Fun(from, _) => Some(from.clone()),
                    _ => None,
                };
                (f, from)
            }
            (Primitive::Reduce | Primitive::ReduceSeq, [op, _, xs]) => (op, Some(xs.ty.clone())),
            _ => break,
        };
        let Some(Type::Array(size, _)) = array.as_deref() else {
            break;
        };
        let reduces = *primitive != Primitive::Map;
        let (name, body) = inside(function, reduces);
        loops.push(NestLoop {
            name: name.unwrap_or_else(|| match args.last().and_then(element) {
                Some(name) if reduces => name,
                _ => format!("loop {}", loops.len() + 1),
            }),
            size: rise::print::nat_text(size, &def.names),
            reduces,
        });
        here = body;
    }
    loops
}

/// Returns the name that the function of a loop gives to the element, and the function's body. A
/// function that is itself a `map` gives no name, and is returned as the body.
fn inside(function: &Core, reduces: bool) -> (Option<String>, Option<Core>) {
    match (&function.form, reduces) {
        (Form::Lambda(param, body), false) => {
            (Some(param.local.name.to_string()), Some(body.clone()))
        }
        (Form::Lambda(_, inner), true) => match &inner.form {
            Form::Lambda(param, body) => (Some(param.local.name.to_string()), Some(body.clone())),
            _ => (None, None),
        },
        (Form::Primitive(Primitive::Map, ..), false) => (None, Some(function.clone())),
        _ => (None, None),
    }
}

/// Returns the name that `map(f)(xs)` gives to the elements of `xs`, if `array` is such a term.
fn element(array: &Core) -> Option<String> {
    match &array.form {
        Form::Primitive(Primitive::Map, _, args) => inside(args.first()?, false).0,
        _ => None,
    }
}
