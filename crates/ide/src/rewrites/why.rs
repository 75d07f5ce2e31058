//! Explanations why a rule or strategy does not apply at a place, with rewrites after which it
//! would.

use std::sync::Arc;

use db::Database;
use elevate::engine::{Context, MismatchRank, StrategyKind as Form};
use elevate::term::{Child, Path, Term};

use super::offer::{Offer, Place, Tried, rule_of};
use super::program::{Program, UNLIMITED};
use super::{menu, reasons};
use crate::FileRange;

/// The largest number of rewrites that are tried in search of those after which the rule applies.
const TRIED: usize = 4_000;
/// The largest number of rewrites after which the rule applies that are returned.
const NAMED: usize = 3;
/// The largest number of places whose earlier stages are examined, counted from the innermost one.
const INNERMOST: usize = 3;
/// The largest number of earlier stages that are examined for each of the innermost places.
const STAGES: usize = 4;
/// The limit of work for a rule to show that it applies after another rewrite.
const WORK: u64 = 2_000;

/// The explanation why a rule or strategy does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyNot {
    /// True if the rule applies after all.
    pub applies: bool,
    /// The reason why the rule does not apply, at the place where it comes closest to applying.
    pub message: String,
    /// The rewrites of the place or of its surroundings after which the rule applies: titles, with
    /// the source text of the strategies.
    pub enabled_by: Vec<(String, String)>,
}

/// Explains why a rule or strategy of the library, given as source text with its arguments, does
/// not apply at a cursor or to a selection. Returns `None` if no definition without errors is
/// there, or if there is no such rule.
pub fn why_not(db: &Database, range: FileRange, rule: &str) -> Option<WhyNot> {
    let (_, mut offer) = Offer::at(db, range)?;
    let strategy = offer.strategy(rule)?;
    let mut nearest: Option<(MismatchRank, usize)> = None;
    for at in 0..offer.places.len() {
        let place = &offer.places[at];
        let miss = match rule_of(&strategy) {
            Some(rule) => {
                let program = &mut offer.known.program;
                let mut cx = Context::new(&mut program.store, &program.facts, &place.around);
                rule.apply(&mut cx, place.term).err()
            }
            None => match offer.attempt(&strategy, at) {
                Tried::Makes(..) => None,
                _ => Some(MismatchRank::LOWEST),
            },
        };
        let Some(miss) = miss else {
            return Some(WhyNot {
                applies: true,
                message: "the rule applies here".to_owned(),
                enabled_by: Vec::new(),
            });
        };
        if nearest.is_none_or(|(known, _)| known < miss) {
            nearest = Some((miss, at));
        }
    }
    let (_, at) = nearest?;
    let place = &offer.places[at];
    let program = &mut offer.known.program;
    let message = match rule_of(&strategy) {
        Some(rule) => {
            let mut cx = Context::new(&mut program.store, &program.facts, &place.around);
            let reason = rule.explain(&mut cx, place.term);
            reasons::text(&program.store, &reason)
        }
        None => {
            let located = Form::At(place.path.clone(), strategy.clone());
            let outcome = program.run(located, UNLIMITED);
            let failure = outcome.result.err()?;
            reasons::text(&program.store, &failure.reason)
        }
    };
    Some(WhyNot {
        applies: false,
        message,
        enabled_by: enabled_by(&mut offer, rule),
    })
}

/// Returns at most `NAMED` safe rewrites after which the rule applies at one of the places or their
/// earlier stages, directly around it, or inside of it where the rule did not apply before.
fn enabled_by(offer: &mut Offer, rule: &str) -> Vec<(String, String)> {
    let spots = spots(offer);
    let around = offer.places.len();
    // A rule that already applies in a place needs no other rewrite there.
    let inside: Vec<bool> = spots
        .iter()
        .map(|spot| applies_in(offer, rule, spot))
        .collect();
    offer.places = spots;
    let (mut found, mut tried) = (Vec::new(), 0);
    for entry in menu::entries() {
        if entry.is_unsafe || entry.kind.is_source() {
            continue;
        }
        for (at, &applied) in inside.iter().enumerate() {
            let (store, facts) = (&offer.known.program.store, &offer.known.program.facts);
            let presets = entry.presets(store, facts, offer.places[at].term);
            let Some(args) = presets.into_iter().next() else {
                continue;
            };
            let text = entry.strategy(&args);
            tried += 1;
            if tried > TRIED || found.len() == NAMED {
                offer.places.truncate(around);
                return found;
            }
            let Some(first) = offer.strategy(&text) else {
                break;
            };
            if text == rule || !offer.may_apply(entry, at) {
                continue;
            }
            let Tried::Makes(new, _) = offer.attempt(&first, at) else {
                continue;
            };
            if applies_after(offer, rule, at, new, !applied) {
                found.push((entry.line(&args), text));
                break;
            }
        }
    }
    offer.places.truncate(around);
    found
}

/// Returns the places of the request, followed by the earlier pipeline stages that are the inputs
/// of the `INNERMOST` first places, at most `STAGES` for each.
fn spots(offer: &mut Offer) -> Vec<Place> {
    let mut stages = Vec::new();
    for place in offer.places.iter().take(INNERMOST) {
        let mut path = place.path.clone();
        for _ in 0..STAGES {
            path.0.push(Child::Argument);
            let Some(term) = offer.known.program.get(&path) else {
                break;
            };
            stages.push(Place::of(&offer.known.program, path.clone(), term));
        }
    }
    let mut spots = std::mem::take(&mut offer.places);
    for stage in stages {
        if spots.iter().all(|known| known.path != stage.path) {
            spots.push(stage);
        }
    }
    spots
}

/// Returns true if the rule already applies somewhere in a place.
fn applies_in(offer: &mut Offer, rule: &str, place: &Place) -> bool {
    let Some(strategy) = offer.strategy(rule) else {
        return false;
    };
    let root = offer.known.program.root();
    let form = Form::At(place.path.clone(), Arc::new(Form::TopDown(strategy)));
    makes(&mut offer.known.program, root, form)
}

/// Returns true if a strategy changes the definition with this right side.
fn makes(program: &mut Program, root: Term, form: Form) -> bool {
    let outcome = program.run_on(root, form, WORK);
    outcome.result.is_ok_and(|made| made != root)
}

/// Returns true if, with `new` in the place of the term at a place, the rule applies to `new` or to
/// one of the two terms directly around it, or, if `deep` is true, somewhere inside of `new`.
fn applies_after(offer: &mut Offer, rule: &str, at: usize, new: Term, deep: bool) -> bool {
    let Some(strategy) = offer.strategy(rule) else {
        return false;
    };
    let program = &mut offer.known.program;
    let path = offer.places[at].path.clone();
    let root = program.root();
    let Some(root) = program.store.replace(root, &path, new) else {
        return false;
    };
    let parent = |path: &Path| Path(path.0[..path.0.len().saturating_sub(1)].to_vec());
    let around = [path.clone(), parent(&path), parent(&parent(&path))];
    let tests = around
        .into_iter()
        .map(|path| Form::At(path, strategy.clone()));
    let inside = Form::At(path, Arc::new(Form::TopDown(strategy.clone())));
    let mut tests = tests.chain(deep.then_some(inside));
    tests.any(|test| makes(program, root, test))
}
