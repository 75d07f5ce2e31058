//! The search for the rewrites of the strategy library that apply at a place.

use std::sync::Arc;

use db::{Database, ItemId};
use elevate::engine::{Assumption, Context, MismatchRank, Rewrite, Strategy, StrategyKind as Form};
use elevate::term::{Child, Node, Path, Store, Term};
use rise::Primitive;
use rustc_hash::FxHashSet;
use syntax::Dialect;

use super::align::Alignment;
use super::attempt_cache::{Attempt, Attempts, Known, MOST_CHECKED};
use super::menu::{self, AssistKind, Entry, Unless};
use super::program::Program;
use super::spines::spines;
use super::strategies::UNFOLDING;
use super::{reasons, right_side, titles};
use crate::FileRange;

/// The largest number of rewrites that can be chosen and are offered for a request, unless it is
/// only for source actions.
const MOST: usize = 12;
/// The largest number of those of one kind, if several kinds are requested.
const MOST_OF_KIND: usize = 3;
/// The largest number of disabled rewrites that are shown.
const MOST_DISABLED: usize = 4;
/// The limit of work for a strategy that is no rule to show that it applies, in the unit of
/// [`elevate::engine::Options::work`].
const WORK: u64 = 20_000;

/// A rewrite in the menu.
#[derive(Clone, Debug, PartialEq)]
pub struct RewriteAction {
    /// The definition that it changes.
    pub item: ItemId,
    /// The title in the menu.
    pub title: String,
    /// The category.
    pub kind: AssistKind,
    /// The source text of the strategy: `splitJoin(32)`.
    pub strategy: String,
    /// The path of the subterm that it is applied to.
    pub path: Path,
    /// True if it is a safe simplification at the innermost place and can be chosen.
    pub preferred: bool,
    /// The reason why it cannot be chosen; `None` if it can.
    pub disabled: Option<String>,
    /// True if an earlier action is the same rewrite with another size.
    pub is_other_size: bool,
    /// True if it may be offered as a lowered copy of the definition.
    pub(crate) copies: bool,
}

/// Returns the rewrites of the strategy library, of the wanted kinds, at a cursor or for a
/// selection. Some that cannot be chosen are included, with the reason.
pub fn rewrites(
    db: &Database,
    range: FileRange,
    wanted: &dyn Fn(AssistKind) -> bool,
) -> Vec<RewriteAction> {
    // A request only for source actions applies wherever the cursor is.
    let kinds = AssistKind::ALL.iter().copied();
    let kinds = kinds.filter(|kind| *kind != AssistKind::QuickFix);
    let kinds: Vec<AssistKind> = kinds.filter(|kind| wanted(*kind)).collect();
    let whole = kinds.iter().all(|kind| kind.is_source());
    let Some((item, mut offer)) = Offer::of(db, range, whole) else {
        return Vec::new();
    };
    offer.single_kind = kinds.len() == 1;
    for (number, entry) in menu::entries().iter().enumerate() {
        let is_here = entry.kind.is_source() == offer.on_name && entry.kind != AssistKind::FixAll;
        if is_here && wanted(entry.kind) {
            offer.entry(number, entry);
        }
    }
    offer.chosen(db, item)
}

/// A place where rewrites are tried.
pub(crate) struct Place {
    /// True if the cursor is in an earlier stage, whose result this one takes.
    is_later_stage: bool,
    pub(crate) path: Path,
    pub(crate) term: Term,
    /// The enclosing terms, the outermost first.
    pub(crate) around: Vec<(Term, Child)>,
    attempts: Attempts,
}

impl Place {
    pub(crate) fn of(program: &Program, path: Path, term: Term) -> Place {
        Place {
            around: program.around(&path),
            is_later_stage: false,
            attempts: Vec::new(),
            path,
            term,
        }
    }
}

/// A rewrite that applies, or of which only a condition fails.
struct Found {
    entry: &'static Entry,
    /// The index of the place; the innermost is 0.
    place: usize,
    attempt: Attempt,
    /// True if it can be chosen.
    applies: bool,
    /// The error that the result would have.
    error: Option<String>,
}

pub(crate) struct Offer {
    pub(crate) known: Known,
    pub(crate) places: Vec<Place>,
    found: Vec<Found>,
    /// True if the definition's name is selected, or only source actions are requested: the whole
    /// definition is then the only place.
    pub(crate) on_name: bool,
    /// True if the number of rewrites is not limited, because the user requested only source
    /// actions.
    everything: bool,
    /// True if only one kind is requested, which may then fill the menu.
    single_kind: bool,
    /// The number of terms of programs that may still be checked for errors; see [`MOST_CHECKED`].
    unchecked: usize,
}

/// The result of an attempt.
pub(crate) enum Tried {
    /// The rewrite applies, under assumptions.
    Makes(Term, Vec<Assumption>),
    /// The whole pattern matches, but a condition does not hold.
    Near,
    /// The pattern does not match, the result is the same term, or a strategy that is no rule
    /// fails.
    Far,
}

impl Offer {
    /// Returns the definition of RISE that a range is in, with the places around the range; `None`
    /// if the range touches no or several items, or the definition is foreign, has errors, or is
    /// too large.
    pub(crate) fn at(db: &Database, range: FileRange) -> Option<(ItemId, Offer)> {
        Offer::of(db, range, false)
    }

    /// Does the same as [`Offer::at`]; if `whole` is true, as if the definition's name were
    /// selected.
    fn of(db: &Database, range: FileRange, whole: bool) -> Option<(ItemId, Offer)> {
        let items = db.items_in(range.file, range.span);
        let [item] = items[..] else { return None };
        if db.dialect(range.file) != Dialect::Rise {
            return None;
        }
        let def = right_side(db, item)?;
        let base = db.item_span(item).start;
        let selection = syntax::Span::new(
            range.span.start.saturating_sub(base),
            range.span.end.saturating_sub(base),
        );
        let parsed = db.parsed(item);
        let name = parsed.item.name();
        let on_name = whole || name.is_some_and(|name| name.span.contains(selection));
        let places: Vec<(Path, bool)> = match on_name {
            true => vec![(Path::ROOT, false)],
            false => {
                let alignment = Alignment::of(&parsed.item, &db.inference(item), &def);
                let spines = spines(&parsed.item, &alignment, selection);
                let places = spines.into_iter();
                places
                    .map(|spine| (spine.path, spine.is_later_stage))
                    .collect()
            }
        };
        let known = Known::take(db, item, &def)?;
        let mut offer = Offer::new(known, places, on_name);
        offer.everything = whole;
        Some((item, offer))
    }

    pub(crate) fn strategy(&self, text: &str) -> Option<Strategy> {
        self.known.strategies.get(text)
    }

    /// Returns false if a cheap check shows that a rewrite cannot apply at a place.
    pub(crate) fn may_apply(&self, entry: &Entry, at: usize) -> bool {
        let (store, term) = (&self.known.program.store, self.places[at].term);
        entry.may_stand_at(store.head(term))
            && (!entry.needs_work_items() || self.known.on_device)
            && !(entry.is_for_devices() && self.known.is_for_host())
            && !(self.known.pads && entry.options.copies)
            && may_apply(store, entry, term)
    }

    fn applies(&self, attempt: &Attempt) -> bool {
        attempt.made.is_some() && self.unsaid(attempt).is_none()
    }

    /// Returns the reason why the definition cannot express the result of a rewrite: the result is
    /// for another target, needs a name that is not in scope, or assumes a condition on a size that
    /// is bound inside.
    fn unsaid(&self, attempt: &Attempt) -> Option<String> {
        let (new, assumed) = attempt.made.as_ref()?;
        if let Some(reason) = self.other_target(*new) {
            return Some(reason);
        }
        let unfolds = UNFOLDING.contains(&attempt.strategy.as_str());
        if unfolds && let Some(name) = self.known.unknown_name(*new) {
            return Some(format!(
                "the result needs `{name}`, which this file does not import"
            ));
        }
        let store = &self.known.program.store;
        assumed.iter().find_map(|assumption| {
            let Assumption::Size(prop) = assumption else {
                return None;
            };
            let mut inner = None;
            prop.for_each_var(&mut |var| {
                if !self.known.parameters.contains(&var) {
                    inner = Some(var);
                }
            });
            let size = titles::text(store, &nat::Nat::from(inner?));
            let condition = titles::condition(store, assumption);
            Some(format!(
                "the result would assume {condition}, and `{size}` is bound inside of the definition"
            ))
        })
    }

    /// Returns the reason why `new` cannot replace the whole definition, if it uses a primitive
    /// that a target of the definition does not allow. Returns `None` for rewrites of a part.
    fn other_target(&self, new: Term) -> Option<String> {
        if !self.on_name {
            return None;
        }
        let (target, primitive) = self.known.not_for_target(self.known.program.root(), new)?;
        let (target, name) = (target.as_str(), primitive.name());
        Some(format!(
            "the definition has `@target({target})`, and the result uses `{name}`"
        ))
    }

    fn new(mut known: Known, places: Vec<(Path, bool)>, on_name: bool) -> Offer {
        let mut place = |(path, is_later_stage): (Path, bool)| {
            let attempts = known.tried.remove(&path);
            let term = known.program.get(&path)?;
            let place = Place::of(&known.program, path, term);
            Some(Place {
                is_later_stage,
                attempts: attempts.unwrap_or_else(|| vec![None; menu::entries().len()]),
                ..place
            })
        };
        let places = places.into_iter().filter_map(&mut place).collect();
        Offer {
            known,
            places,
            found: Vec::new(),
            everything: false,
            on_name,
            single_kind: false,
            unchecked: MOST_CHECKED,
        }
    }

    /// Stores the attempts for the next request.
    pub(crate) fn keep(mut self) {
        let places = self.places.drain(..);
        let tried = places.map(|place| (place.path, place.attempts));
        self.known.tried.extend(tried);
        self.known.keep();
    }

    /// Tries an entry of the menu, given with its index, at each place from the innermost one
    /// outwards until it applies.
    fn entry(&mut self, number: usize, entry: &'static Entry) {
        let mut near = None;
        for place in 0..self.places.len() {
            let attempts = self.attempts(number, entry, place);
            if attempts
                .iter()
                .all(|attempt| self.is_elsewhere(entry, place, attempt))
            {
                continue;
            }
            let found = |attempt: &Attempt| Found {
                entry,
                place,
                applies: self.applies(attempt),
                attempt: attempt.clone(),
                error: None,
            };
            let mut here: Vec<Found> = attempts.iter().map(found).collect();
            if here.iter().any(|found| found.applies) {
                // Disabled lines are useful for other dimensions, but not for other sizes.
                here.retain(|found| found.applies || entry.is_of_dimensions());
                self.found.extend(here);
                return;
            }
            // A disabled line is only useful for the innermost two places, and for the first of
            // several sizes.
            if place < 2 && near.is_none() {
                near = here.into_iter().next();
            }
        }
        self.found.extend(near);
    }

    /// Returns true if an attempt only changes a later stage than the one with the cursor, so that
    /// the input of the stage is unchanged, or if a condition fails at such a stage.
    fn is_elsewhere(&self, entry: &Entry, at: usize, attempt: &Attempt) -> bool {
        let place = &self.places[at];
        if !place.is_later_stage || !entry.options.inputs.is_empty() {
            return false;
        }
        let store = &self.known.program.store;
        let Some((new, _)) = attempt.made else {
            return true;
        };
        let Node::Apply(_, input) = store.node(place.term) else {
            return false;
        };
        let mut result = new;
        while let Node::Apply(_, argument) = store.node(result) {
            if argument == input {
                return true;
            }
            result = argument;
        }
        false
    }

    /// Returns the attempts of an entry at a place, for each of its presets; they are memoised.
    fn attempts(&mut self, number: usize, entry: &Entry, at: usize) -> Arc<[Attempt]> {
        if let Some(known) = &self.places[at].attempts[number] {
            return known.clone();
        }
        let attempts: Arc<[Attempt]> = self.attempted(entry, at).into();
        self.places[at].attempts[number] = Some(attempts.clone());
        attempts
    }

    fn attempted(&mut self, entry: &Entry, at: usize) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        if !self.may_apply(entry, at) || self.stands_there(entry, at) {
            return attempts;
        }
        let program = &self.known.program;
        let presets = entry.presets(&program.store, &program.facts, self.places[at].term);
        for (preset, args) in presets.into_iter().enumerate() {
            let text = entry.strategy(&args);
            let Some(strategy) = self.strategy(&text) else {
                break;
            };
            let made = match self.attempt(&strategy, at) {
                // A whole definition is lowered in addition to the one for another target.
                Tried::Makes(new, _)
                    if entry.kind != AssistKind::Lowering
                        && self
                            .known
                            .not_for_target(self.places[at].term, new)
                            .is_some() =>
                {
                    break;
                }
                Tried::Makes(new, assumed) => Some((new, assumed)),
                Tried::Near => None,
                // The pattern does not depend on the size.
                Tried::Far => {
                    entry.learn(&strategy);
                    break;
                }
            };
            attempts.push(Attempt {
                preset,
                args,
                strategy: text,
                made,
            });
        }
        attempts
    }

    /// Returns true if the place already has what a rewrite adds: a copy of the result, or the
    /// memory of a `let`.
    fn stands_there(&mut self, entry: &Entry, at: usize) -> bool {
        let Place { path, term, .. } = &self.places[at];
        match entry.options.unless {
            Some(Unless::Stored) => is_stored_let(&self.known.program.store, *term),
            Some(Unless::Copied) => {
                let steps = path.0.clone();
                // The `let` with this value, or the map over it.
                let around = |inner: &[Child]| steps.strip_suffix(inner).map(<[Child]>::to_vec);
                let bound = around(&[Child::Function, Child::Argument]);
                let mapped = around(&[Child::Argument]);
                let mut above = [bound, mapped].into_iter().flatten();
                above.any(|path| self.is_copy(Path(path)))
            }
            None => false,
        }
    }

    /// Returns true if the strategy `isCopy` of the library succeeds at a path.
    fn is_copy(&mut self, path: Path) -> bool {
        let Some(is_copy) = self.strategy("isCopy") else {
            return false;
        };
        let program = &mut self.known.program;
        program.run(Form::At(path, is_copy), WORK).result.is_ok()
    }

    /// Applies a strategy at a place.
    pub(crate) fn attempt(&mut self, strategy: &Strategy, at: usize) -> Tried {
        let place = &self.places[at];
        let program = &mut self.known.program;
        if let Some(rule) = rule_of(strategy) {
            let mut cx = Context::new(&mut program.store, &program.facts, &place.around);
            return match rule.apply(&mut cx, place.term) {
                Ok(made) if made.term == place.term => Tried::Far,
                Ok(made) => Tried::Makes(made.term, made.assumptions),
                Err(miss) if miss < MismatchRank::in_condition(0) => Tried::Far,
                Err(_) => Tried::Near,
            };
        }
        let located = Form::At(place.path.clone(), strategy.clone());
        let outcome = program.run(located, WORK);
        match outcome.result {
            Ok(root) if self.known.is_visible(root) => {
                match self.known.program.store.get(root, &place.path) {
                    Some(new) => Tried::Makes(new, outcome.assumptions),
                    None => Tried::Far,
                }
            }
            _ => Tried::Far,
        }
    }

    /// Returns the reason why a rewrite with a matching pattern cannot be chosen.
    fn reason(&mut self, found: &Found) -> Option<String> {
        if found.error.is_some() {
            return found.error.clone();
        }
        if found.attempt.made.is_some() {
            return self.unsaid(&found.attempt);
        }
        let strategy = self.strategy(&found.attempt.strategy)?;
        let Place { term, around, .. } = &self.places[found.place];
        let dimension = found.attempt.args.first().map_or("0", String::as_str);
        let program = &mut self.known.program;
        let known = reasons::parallel(
            program,
            &found.entry.options.nesting,
            dimension,
            around,
            *term,
        );
        known.or_else(|| self.why(&strategy, found.place))
    }

    /// Returns the reason why a rule does not apply at a place; `None` for a strategy that is no
    /// rule.
    pub(crate) fn why(&mut self, strategy: &Strategy, at: usize) -> Option<String> {
        let rule = rule_of(strategy)?;
        let program = &mut self.known.program;
        let Place { term, around, .. } = &self.places[at];
        let mut cx = Context::new(&mut program.store, &program.facts, around);
        let reason = rule.explain(&mut cx, *term);
        Some(reasons::text(&program.store, &reason))
    }

    /// Returns true if a rewrite of the whole definition is refused only because of the
    /// definition's target.
    fn is_for_another_target(&self, found: &Found) -> bool {
        let made = found.attempt.made.as_ref();
        made.is_some_and(|(new, _)| self.other_target(*new).is_some())
    }

    fn title(&self, found: &Found) -> String {
        let (program, attempt) = (&self.known.program, &found.attempt);
        let title = found.entry.line(&attempt.args);
        let Some((new, assumed)) = attempt.made.as_ref().filter(|_| found.applies) else {
            return title;
        };
        let old = self.places[found.place].term;
        let detail = titles::detail(program, found.entry, &attempt.args, old, *new);
        titles::whole(program, title, detail, assumed)
    }

    fn chosen(mut self, db: &Database, item: ItemId) -> Vec<RewriteAction> {
        let mut kept = self.kept(db, item);
        // The first variant of each rewrite precedes all variants with other sizes.
        kept.sort_by_key(|(found, _)| {
            let Found { entry, place, .. } = found;
            let again = found.attempt.preset > 0;
            (entry.kind, entry.is_unsafe, again, *place)
        });
        let mut lines = Vec::with_capacity(kept.len());
        for (found, title) in kept {
            lines.push(RewriteAction {
                item,
                kind: found.entry.kind,
                preferred: found.entry.kind == AssistKind::Simplify
                    && found.place == 0
                    && found.applies
                    && !found.entry.is_unsafe,
                path: self.places[found.place].path.clone(),
                title,
                is_other_size: found.attempt.preset > 0 && found.entry.takes_sizes(),
                copies: found.entry.kind == AssistKind::Lowering
                    && (found.applies
                        || found.error.is_some()
                        || self.is_for_another_target(&found)),
                disabled: match found.applies {
                    true => None,
                    false => self.reason(&found),
                },
                strategy: found.attempt.strategy,
            });
        }
        self.keep();
        lines
    }

    /// Returns the error that a rewrite would add to the program, if it is cheap to find.
    fn new_error(&mut self, db: &Database, item: ItemId, found: &Found) -> Option<String> {
        let (new, assumed) = found.attempt.made.as_ref()?;
        let path = &self.places[found.place].path;
        match assumed.is_empty() {
            true => self
                .known
                .cheap_error(db, item, path, *new, &mut self.unchecked),
            false => None,
        }
    }

    /// Returns true if the menu with the lines `kept` has no room for another rewrite.
    fn is_full(&self, kept: &[(Found, String)], found: &Found) -> bool {
        let enabled = || kept.iter().filter(|(line, _)| line.applies);
        if !found.applies {
            return kept.len() - enabled().count() == MOST_DISABLED;
        }
        let of_kind = enabled().filter(|(line, _)| line.entry.kind == found.entry.kind);
        let most_of_kind = if self.single_kind { MOST } else { MOST_OF_KIND };
        !self.everything && (of_kind.count() == most_of_kind || enabled().count() == MOST)
    }

    /// Selects the rewrites that fit into the menu, with their titles: different rewrites come
    /// before the same rewrite with another size.
    fn kept(&mut self, db: &Database, item: ItemId) -> Vec<(Found, String)> {
        let mut all = std::mem::take(&mut self.found);
        all.sort_by_key(|found| {
            let Found { entry, place, .. } = found;
            let again = found.attempt.preset > 0;
            (again, entry.kind, entry.is_unsafe, *place)
        });
        let (mut titles, mut made) = (FxHashSet::default(), FxHashSet::default());
        let mut kept = Vec::<(Found, String)>::new();
        for mut found in all {
            if found.applies && !self.is_full(&kept, &found) {
                found.error = self.new_error(db, item, &found);
                found.applies = found.error.is_none();
            }
            // Two rewrites with the same result have one line.
            let makes = found
                .attempt
                .made
                .as_ref()
                .map(|(new, _)| (found.place, *new));
            let known = found.applies && makes.is_some_and(|makes| made.contains(&makes));
            let full = self.is_full(&kept, &found);
            if full || (known && !found.entry.kind.is_source()) {
                continue;
            }
            let title = self.title(&found);
            if titles.insert(title.clone()) {
                made.extend(makes.filter(|_| found.applies));
                kept.push((found, title));
            }
        }
        kept
    }
}

/// Returns the rule of a strategy, looking through names and delayed strategies.
pub(crate) fn rule_of(strategy: &Strategy) -> Option<Arc<dyn Rewrite>> {
    // The largest number of names and delays; a rule has fewer.
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

/// Returns false if a cheap check of the head shows that a strategy cannot apply. A strategy that
/// is no rule is only tried at the heads that it names.
fn may_apply(store: &Store, entry: &Entry, term: Term) -> bool {
    let options = &entry.options;
    let is_one = |term: Option<Term>, primitives: &[Primitive]| {
        let head = term.and_then(|term| primitive_of(store, term));
        head.is_some_and(|head| primitives.contains(&head))
    };
    if entry.kind.is_source() {
        return true;
    }
    if !options.inputs.is_empty() {
        return is_one(store.child(term, Child::Argument), &options.inputs);
    }
    if let Some(depth) = options.nest {
        return is_nest(store, term, depth);
    }
    match options.heads.is_empty() {
        true => entry.is_rule,
        false => is_one(Some(term), &options.heads),
    }
}

/// Returns true for `let(toMem(…))(…)`.
fn is_stored_let(store: &Store, term: Term) -> bool {
    let value = store
        .child(term, Child::Function)
        .and_then(|bound| store.child(bound, Child::Argument));
    value.and_then(|value| primitive_of(store, value)) == Some(Primitive::ToMem)
}

/// Returns the primitive at the head of an application.
fn primitive_of(store: &Store, mut term: Term) -> Option<Primitive> {
    loop {
        match store.node(term) {
            Node::Apply(f, _) | Node::DepApply(f, _) => term = f,
            Node::Primitive(primitive, _) => return Some(primitive),
            _ => return None,
        }
    }
}

/// Returns true if a term is a nest of maps of at least this depth.
fn is_nest(store: &Store, term: Term, depth: i64) -> bool {
    let Node::Apply(function, _) = store.node(term) else {
        return false;
    };
    is_mapping(store, function, depth)
}

/// Returns true if a function is `map(f)` and its application a nest of maps of at least this
/// depth.
fn is_mapping(store: &Store, function: Term, depth: i64) -> bool {
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
