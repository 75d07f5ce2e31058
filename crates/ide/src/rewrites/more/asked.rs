//! Rewrites whose arguments the user is asked for: sizes other than those in the menu, and orders
//! of loops.

use db::{Database, FileId, ItemId};
use rise::core::{Def, Form};
use rise::{Primitive, Type};

use super::files::name_of;
use super::here::Here;
use super::{Deed, MoreAction};
use crate::rewrites::align::Step;
use crate::rewrites::menu::{self, RewriteKind};
use crate::rewrites::program::path_of;
use crate::rewrites::terms::{Core, strip};
use crate::rewrites::{RewriteAction, record};
use crate::strategies::stepping;

/// How much a strategy may do to show that it reorders a nest.
const WORK: u64 = 100_000;
/// Deeper nests are not looked into.
const MOST_LOOPS: usize = 8;

/// What a user is asked for before a strategy can be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The definition that it is applied to.
    pub def: String,
    /// The file in whose words it is written; that of the program if it is none.
    pub from: Option<FileId>,
    /// As it is written, with its parameters in braces: `splitJoin({n})`.
    pub strategy: String,
    /// The parameters with their types.
    pub parameters: Vec<(String, String)>,
    /// If a parameter is an order of loops, these, the outermost first.
    pub loops: Vec<NestLoop>,
}

/// A loop of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestLoop {
    /// What its element is called.
    pub name: String,
    /// How many elements it has.
    pub size: String,
    /// Whether it is a reduction.
    pub reduces: bool,
}

impl Ask {
    pub(super) fn of(
        db: &Database,
        item: ItemId,
        from: Option<FileId>,
        strategy: &str,
        parameters: Vec<(String, String)>,
    ) -> Ask {
        Ask {
            def: name_of(db, item),
            from,
            strategy: strategy.to_owned(),
            parameters,
            loops: Vec::new(),
        }
    }
}

/// For each rewrite that is offered with some sizes, one that asks for them.
pub(super) fn sizes(
    db: &Database,
    item: ItemId,
    offered: &[RewriteAction],
    wanted: &dyn Fn(RewriteKind) -> bool,
) -> Vec<MoreAction> {
    let mut found: Vec<MoreAction> = Vec::new();
    for entry in menu::entries() {
        if !entry.takes_sizes() || !wanted(entry.kind) {
            continue;
        }
        let is_it = |action: &&RewriteAction| {
            let name = action.strategy.split('(').next();
            action.disabled.is_none() && name == Some(&*entry.name)
        };
        let Some(action) = offered.iter().find(is_it) else {
            continue;
        };
        let holes: Vec<String> = entry
            .params
            .iter()
            .map(|(name, _)| format!("{{{name}}}"))
            .collect();
        let dots = vec!["…".to_owned(); holes.len()];
        let parameters = entry
            .params
            .iter()
            .map(|(name, _)| (name.to_string(), "Nat".to_owned()));
        let strategy = record::at(&path_of(&action.path), &entry.strategy(&holes));
        found.push(MoreAction {
            title: entry.line(&dots),
            kind: entry.kind,
            disabled: None,
            ask: Some(Ask::of(db, item, None, &strategy, parameters.collect())),
            item: Some(item),
            deed: Deed::Nothing,
        });
    }
    found
}

/// Other orders of the nest of loops around a place.
pub(super) fn orders(db: &Database, item: ItemId, here: &Here, asks: bool) -> Vec<MoreAction> {
    let Some((path, loops)) = nest_at(here) else {
        return Vec::new();
    };
    let line = |title, ask, deed| MoreAction {
        title,
        kind: RewriteKind::Tile,
        disabled: None,
        ask,
        item: Some(item),
        deed,
    };
    let only_maps = loops.iter().all(|one| !one.reduces);
    // Maps alone are moved by transpositions; reductions move outwards past maps.
    let strategy = |order: &str| {
        let way = match only_maps {
            true => format!("DFNF ; loopReorder({order})"),
            false => format!("reorder({order})"),
        };
        record::at(&path_of(&path), &way)
    };
    let mut found = Vec::new();
    if only_maps {
        for order in presets(loops.len()) {
            let names = order.iter().filter_map(|at| loops.get(at - 1));
            let names: Vec<&str> = names.map(|one| &*one.name).collect();
            let numbers: Vec<String> = order.iter().map(usize::to_string).collect();
            let text = strategy(&format!("[{}]", numbers.join(", ")));
            let from = db.file_of(item);
            let title = format!("Reorder loops: {}", names.join(", "));
            let disabled = stepping::refused(db, item, from, &text, WORK);
            found.push(MoreAction {
                disabled,
                ..line(title, None, Deed::Strategy { from, text })
            });
        }
    }
    if asks {
        let parameters = vec![("order".to_owned(), "List[Int]".to_owned())];
        let ask = Ask {
            loops,
            ..Ask::of(db, item, None, &strategy("{order}"), parameters)
        };
        found.push(line("Reorder loops…".to_owned(), Some(ask), Deed::Nothing));
    }
    found
}

/// Orders that are worth a line: the innermost loop outermost, and the inner two interchanged.
fn presets(depth: usize) -> Vec<Vec<usize>> {
    let rotated = std::iter::once(depth).chain(1..depth).collect();
    let mut interchanged: Vec<usize> = (1..=depth).collect();
    interchanged.swap(depth - 2, depth - 1);
    vec![rotated, interchanged]
}

/// The outermost nest of three loops or more that the place is in.
fn nest_at(here: &Here) -> Option<(Vec<Step>, Vec<NestLoop>)> {
    here.places.iter().rev().find_map(|(path, core)| {
        // A stage has no array of its own: the pipeline is a place, too.
        strip(core)?;
        (!matches!(&*core.ty, Type::Fun(..))).then_some(())?;
        let loops = nest(&here.def, core.clone());
        (loops.len() > 2).then(|| (path.clone(), loops))
    })
}

/// The loops of a nest of maps and reductions, the outermost first.
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

/// What the element is called in a function of a loop, and what is done with it.
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

/// What the elements of a mapped array are called.
fn element(array: &Core) -> Option<String> {
    match &array.form {
        Form::Primitive(Primitive::Map, _, args) => inside(args.first()?, false).0,
        _ => None,
    }
}
