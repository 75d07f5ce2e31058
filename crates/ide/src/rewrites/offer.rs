//! Which rewrites are offered at a place, decided by matching.

use std::sync::Arc;

use db::{Database, ItemId};
use elevate::engine::{Assumption, Context, Miss, Options, Rewrite, Step as Form, Strategy, run};
use elevate::term::{Child, Node, Path, Store, Term};
use rise::Primitive;
use rustc_hash::FxHashSet;
use syntax::Dialect;

use super::align::{Alignment, Step};
use super::menu::{self, Entry, RewriteKind};
use super::program::{Program, path_of};
use super::spines::spines;
use super::strategies::Strategies;
use super::{reasons, titles};
use crate::FileRange;

/// How many rewrites are offered at a place, and how many of one kind.
const MOST: usize = 12;
const MOST_OF_KIND: usize = 3;
/// How many more are shown that do not apply.
const MOST_DISABLED: usize = 4;
/// How much a strategy that is no rule may do to show that it applies.
const WORK: u64 = 20_000;

/// A rewrite that is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct RewriteAction {
    /// The definition that it changes.
    pub item: ItemId,
    /// A menu line.
    pub title: String,
    /// Where it is filed.
    pub kind: RewriteKind,
    /// The strategy, as it is written: `splitJoin(32)`.
    pub strategy: String,
    /// Where in the definition it is applied.
    pub path: Vec<Step>,
    /// Whether it is what one would do here.
    pub preferred: bool,
    /// Why it cannot be chosen.
    pub disabled: Option<String>,
}

/// The rewrites of the kinds that are wanted, at a cursor or for a selection.
pub fn rewrites(
    db: &Database,
    range: FileRange,
    wanted: &dyn Fn(RewriteKind) -> bool,
) -> Vec<RewriteAction> {
    let Some((item, mut offer)) = Offer::at(db, range) else {
        return Vec::new();
    };
    for entry in menu::entries() {
        let whole = entry.kind == RewriteKind::Source;
        if whole == offer.on_name && wanted(entry.kind) {
            offer.entry(entry);
        }
    }
    offer.chosen(item)
}

/// A place where rewrites are tried.
pub(super) struct Place {
    steps: Vec<Step>,
    pub(super) path: Path,
    pub(super) term: Term,
    /// What is around it, the outermost first.
    pub(super) around: Vec<(Term, Child)>,
}

/// A rewrite that applies, or nearly does.
struct Found {
    entry: &'static Entry,
    /// Number of the place, the innermost is 0.
    place: usize,
    /// Number of the preset.
    preset: usize,
    strategy: String,
    title: String,
    disabled: Option<String>,
}

pub(super) struct Offer {
    pub(super) program: Program,
    pub(super) places: Vec<Place>,
    strategies: Strategies,
    found: Vec<Found>,
    /// Whether the definition's name is selected, which stands for all of it.
    on_name: bool,
}

/// What became of an attempt.
pub(super) enum Tried {
    /// It applies.
    Makes(Term, Vec<Assumption>),
    /// All of its pattern fits, but a condition does not hold.
    Near(String),
    /// It does not apply.
    Far,
}

impl Offer {
    /// The definition at a place, with the places around it.
    pub(super) fn at(db: &Database, range: FileRange) -> Option<(ItemId, Offer)> {
        let items = db.items_in(range.file, range.span);
        let [item] = items[..] else { return None };
        if db.dialect(range.file) != Dialect::Rise {
            return None;
        }
        let def = db.elaborated(item)?;
        let base = db.item_span(item).start;
        let selection = syntax::Span::new(
            range.span.start.saturating_sub(base),
            range.span.end.saturating_sub(base),
        );
        let parsed = db.parsed(item);
        let name = parsed.item.name();
        let on_name = name.is_some_and(|name| name.span.contains(selection));
        let places: Vec<Vec<Step>> = match on_name {
            true => vec![Vec::new()],
            false => {
                let alignment = Alignment::of(&parsed.item, &db.inference(item), &def);
                let spines = spines(&parsed.item, &alignment, selection);
                spines.into_iter().map(|spine| spine.path).collect()
            }
        };
        let (store, strategies) = Strategies::start();
        let program = Program::of(store, &db.strategy_def(&def)).ok()?;
        Some((item, Offer::new(program, strategies, places, on_name)))
    }

    /// A strategy by its text.
    pub(super) fn strategy(&self, text: &str) -> Option<Strategy> {
        self.strategies.get(text)
    }

    /// Whether a definition has a chance at a place, as far as a look can tell.
    pub(super) fn may_apply(&self, entry: &Entry, at: usize) -> bool {
        may_apply(&self.program.store, entry, self.places[at].term)
    }

    fn new(
        program: Program,
        strategies: Strategies,
        places: Vec<Vec<Step>>,
        on_name: bool,
    ) -> Offer {
        let place = |steps: Vec<Step>| {
            let path = path_of(&steps);
            Some(Place {
                term: program.get(&path)?,
                around: program.around(&path),
                path,
                steps,
            })
        };
        let places = places.into_iter().filter_map(place).collect();
        Offer {
            strategies,
            program,
            places,
            found: Vec::new(),
            on_name,
        }
    }

    /// Tries a definition at each place, from the innermost out, until it applies.
    fn entry(&mut self, entry: &'static Entry) {
        let mut near = Vec::new();
        for at in 0..self.places.len() {
            let term = self.places[at].term;
            if !self.may_apply(entry, at) {
                continue;
            }
            let presets = entry.presets(&self.program.store, &self.program.facts, term);
            let before = self.found.len();
            for (preset, args) in presets.into_iter().enumerate() {
                let text = entry.strategy(&args);
                let Some(strategy) = self.strategy(&text) else {
                    return;
                };
                let mut found = Found {
                    entry,
                    place: at,
                    preset,
                    title: entry.line(&args),
                    strategy: text,
                    disabled: None,
                };
                match self.attempt(&strategy, at) {
                    Tried::Makes(new, assumed) => {
                        let program = &self.program;
                        let detail = titles::detail(program, entry, &args, term, new);
                        found.title = titles::whole(program, found.title, detail, &assumed);
                        self.found.push(found);
                    }
                    // Only what is directly here is worth a line that cannot be chosen.
                    Tried::Near(reason) if at < 2 => {
                        let place = &self.places[at];
                        let dimension = args.first().map_or("0", String::as_str);
                        let around = &place.around;
                        let known =
                            reasons::parallel(&self.program, &entry.name, dimension, around, term);
                        found.disabled = Some(known.unwrap_or(reason));
                        near.push(found);
                    }
                    Tried::Near(_) => {}
                    // Other sizes do not change the pattern.
                    Tried::Far => break,
                }
            }
            if self.found.len() > before {
                near.clear();
                break;
            }
        }
        // Of several sizes the first one says why.
        self.found.extend(near.into_iter().next());
    }

    /// What a strategy makes at a place.
    pub(super) fn attempt(&mut self, strategy: &Strategy, at: usize) -> Tried {
        let place = &self.places[at];
        let store = &mut self.program.store;
        if let Some(rule) = rule_of(strategy) {
            let mut cx = Context::new(store, &self.program.facts, &place.around);
            return match rule.apply(&mut cx, place.term) {
                Ok(made) if made.term == place.term => Tried::Far,
                Ok(made) => Tried::Makes(made.term, made.assumptions),
                Err(miss) if miss < Miss::in_condition(0) => Tried::Far,
                Err(_) => {
                    let reason = rule.explain(&mut cx, place.term);
                    Tried::Near(reasons::text(store, &reason))
                }
            };
        }
        let located = Arc::new(Form::At(place.path.clone(), strategy.clone()));
        let options = Options {
            facts: self.program.facts.clone(),
            work: WORK,
            ..Options::default()
        };
        let outcome = run(store, self.program.imported.root, &located, &options);
        match outcome.result {
            Ok(root) if root != self.program.imported.root => match store.get(root, &place.path) {
                Some(new) => Tried::Makes(new, outcome.assumptions),
                None => Tried::Far,
            },
            _ => Tried::Far,
        }
    }

    /// The menu.
    fn chosen(mut self, item: ItemId) -> Vec<RewriteAction> {
        // Each rewrite comes once before one comes with another size.
        let rank = |found: &Found| {
            let Found { entry, place, .. } = found;
            (entry.kind, entry.is_unsafe, found.preset > 0, *place)
        };
        self.found.sort_by_key(rank);
        let (mut lines, mut titles) = (Vec::new(), FxHashSet::default());
        let mut disabled = 0;
        for found in self.found {
            let of_kind = lines
                .iter()
                .filter(|line: &&RewriteAction| {
                    line.kind == found.entry.kind && line.disabled.is_none()
                })
                .count();
            let enabled = lines.len() - disabled;
            let full = match found.disabled {
                Some(_) => disabled == MOST_DISABLED,
                None => of_kind == MOST_OF_KIND || enabled == MOST,
            };
            if full || !titles.insert(found.title.clone()) {
                continue;
            }
            disabled += usize::from(found.disabled.is_some());
            lines.push(RewriteAction {
                item,
                kind: found.entry.kind,
                preferred: found.entry.kind == RewriteKind::Simplify
                    && found.place == 0
                    && found.disabled.is_none()
                    && !found.entry.is_unsafe,
                path: self.places[found.place].steps.clone(),
                title: found.title,
                strategy: found.strategy,
                disabled: found.disabled,
            });
        }
        lines
    }
}

/// The rule that a strategy is, through its names.
pub(super) fn rule_of(strategy: &Strategy) -> Option<Arc<dyn Rewrite>> {
    // Names and what is made when it is needed; more of them is no rule.
    const WRAPPED: usize = 8;
    let mut at = strategy.clone();
    for _ in 0..WRAPPED {
        at = match &*at {
            Form::Named(_, inner) => inner.clone(),
            Form::Delay(make) => make(),
            Form::Rule(rule) => return Some(rule.clone()),
            _ => return None,
        };
    }
    None
}

/// Whether a strategy that is no rule has a chance: what it looks for first.
fn may_apply(store: &Store, entry: &Entry, term: Term) -> bool {
    let head = primitive_of(store, term);
    let of_stream = || {
        let streams = [
            Primitive::CircularBuffer,
            Primitive::RotateValues,
            Primitive::MapStream,
        ];
        let input = store.child(term, Child::Argument);
        input
            .and_then(|input| primitive_of(store, input))
            .is_some_and(|p| streams.contains(&p))
    };
    match entry.name.as_str() {
        _ if entry.kind == RewriteKind::Source => true,
        // Loops over streams are for what comes as one.
        "toMapStream" | "toIterateStream" => of_stream(),
        _ if entry.is_rule => true,
        "tile" => is_nest(store, term, 2),
        "tile3D" => is_nest(store, term, 3),
        "loopInterchange" => is_nest(store, term, 2),
        "mapFirstFission" | "mapFullFission" => head == Some(Primitive::Map),
        "takeDropTowardsInput" => matches!(head, Some(Primitive::Take | Primitive::Drop)),
        "copyAfterGenerate" => head == Some(Primitive::Generate),
        "copyAfterReduce" | "copyAfterReduceInit" => matches!(
            head,
            Some(Primitive::Reduce | Primitive::ReduceSeq | Primitive::ReduceSeqUnroll)
        ),
        "unroll" => matches!(
            head,
            Some(Primitive::Map | Primitive::MapSeq | Primitive::Reduce | Primitive::ReduceSeq)
        ),
        _ => false,
    }
}

/// The primitive at the head of an application.
fn primitive_of(store: &Store, mut term: Term) -> Option<Primitive> {
    loop {
        match store.node(term) {
            Node::Apply(f, _) | Node::DepApply(f, _) => term = f,
            Node::Primitive(primitive, _) => return Some(primitive),
            _ => return None,
        }
    }
}

/// Whether a term is so many maps, each directly in the function of the one around it.
fn is_nest(store: &Store, term: Term, depth: u32) -> bool {
    let Node::Apply(function, _) = store.node(term) else {
        return false;
    };
    is_mapping(store, function, depth)
}

/// The same for the function `map(f)`.
fn is_mapping(store: &Store, function: Term, depth: u32) -> bool {
    let Node::Apply(map, f) = store.node(function) else {
        return false;
    };
    if !matches!(store.node(map), Node::Primitive(Primitive::Map, _)) {
        return false;
    }
    depth == 1
        || match store.node(f) {
            Node::Lambda(_, body) => is_nest(store, body, depth - 1),
            _ => is_mapping(store, f, depth - 1),
        }
}
