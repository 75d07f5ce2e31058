//! Rewrites with arguments that the user enters: sizes other than those in the menu, and loop
//! orders.

use db::{Database, FileId, ItemId};
use rise::core::{Def, Form};
use rise::{Primitive, Type};

use super::applications::Here;
use super::strategy_files::name_of;
use super::{Deed, MoreAction};
use crate::rewrites::align::Step;
use crate::rewrites::menu::{self, RewriteKind};
use crate::rewrites::program::path_of;
use crate::rewrites::terms::{Core, strip};
use crate::rewrites::{RewriteAction, record};
use crate::strategies::stepping;

/// The limit of work for a strategy to show that it reorders a nest.
const WORK: u64 = 100_000;
/// The largest depth of a nest that is analysed.
const MOST_LOOPS: usize = 8;

/// The input that a strategy needs before it can be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The name of the definition that it is applied to.
    pub def: String,
    /// The file whose definitions the strategy uses; if `None`, the file of the program.
    pub from: Option<FileId>,
    /// The source text with the parameters in braces: `splitJoin({n})`.
    pub strategy: String,
    /// The parameters with their types.
    pub parameters: Vec<(String, String)>,
    /// The loops of the nest, the outermost first, if a parameter is a loop order.
    pub loops: Vec<NestLoop>,
}

/// A loop of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestLoop {
    /// The name of its element.
    pub name: String,
    /// The number of its elements.
    pub size: String,
    /// True if it is a reduction.
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

/// Returns, for each rewrite that is offered with preset sizes, one that asks for the sizes.
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

/// Returns the other loop orders of the nest around a place.
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
    // Transpositions move maps; reductions move outwards past maps.
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

/// Returns the loop orders that are offered directly: the innermost loop outermost, and the inner
/// two interchanged.
fn presets(depth: usize) -> Vec<Vec<usize>> {
    let rotated = std::iter::once(depth).chain(1..depth).collect();
    let mut interchanged: Vec<usize> = (1..=depth).collect();
    interchanged.swap(depth - 2, depth - 1);
    vec![rotated, interchanged]
}

/// Returns the outermost nest of at least three loops that contains the place.
fn nest_at(here: &Here) -> Option<(Vec<Step>, Vec<NestLoop>)> {
    here.places.iter().rev().find_map(|(path, core)| {
        // A stage has no array of its own: the pipeline is also a place.
        strip(core)?;
        (!matches!(&*core.ty, Type::Fun(..))).then_some(())?;
        let loops = nest(&here.def, core.clone());
        (loops.len() > 2).then(|| (path.clone(), loops))
    })
}

/// Returns the loops of a nest of maps and reductions, the outermost first.
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

/// Returns the name of the element in the function of a loop, and the function's body.
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

/// Returns the name of the elements of a mapped array.
fn element(array: &Core) -> Option<String> {
    match &array.form {
        Form::Primitive(Primitive::Map, _, args) => inside(args.first()?, false).0,
        _ => None,
    }
}
