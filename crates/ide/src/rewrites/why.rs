//! Why a rule does not apply at a place, and what would make it apply.

use db::Database;
use elevate::engine::{Context, Miss, Options, Step as Form, run};
use elevate::term::{Path, Term};

use super::menu;
use super::offer::{Offer, Tried, rule_of};
use super::reasons;
use crate::FileRange;

/// How many rewrites are tried for one after which the rule applies, and how many are named.
const TRIED: usize = 400;
const NAMED: usize = 3;

/// What there is to say of a rule at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyNot {
    /// Whether it applies after all.
    pub applies: bool,
    /// Why it does not, by its nearest miss.
    pub message: String,
    /// Rewrites of the place or of what is around it after which it applies: titles, with the
    /// strategies as they are written.
    pub enabled_by: Vec<(String, String)>,
}

/// Why a rule, with its arguments as they are written, does not apply at a cursor or to a
/// selection; `None` where there is no program, or no such rule.
pub fn why_not(db: &Database, range: FileRange, rule: &str) -> Option<WhyNot> {
    let (_, mut offer) = Offer::at(db, range)?;
    let strategy = offer.strategy(rule)?;
    let mut nearest: Option<(Miss, usize)> = None;
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
                _ => Some(Miss::FAR),
            },
        };
        let Some(miss) = miss else {
            return Some(WhyNot {
                applies: true,
                message: "it applies here".to_owned(),
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
            let root = program.root();
            let outcome = run(
                &mut program.store,
                root,
                &std::sync::Arc::new(located),
                &Options {
                    facts: program.facts.clone(),
                    ..Options::default()
                },
            );
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

/// Rewrites after which the rule applies at one of the places.
fn enabled_by(offer: &mut Offer, rule: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut tried = 0;
    for entry in menu::entries() {
        if entry.is_unsafe || entry.kind == menu::RewriteKind::Source {
            continue;
        }
        for at in 0..offer.places.len() {
            let (store, facts) = (&offer.known.program.store, &offer.known.program.facts);
            let Some(args) = entry
                .presets(store, facts, offer.places[at].term)
                .into_iter()
                .next()
            else {
                continue;
            };
            let text = entry.strategy(&args);
            tried += 1;
            if tried > TRIED || found.len() == NAMED {
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
            if applies_after(offer, rule, at, new) {
                found.push((entry.line(&args), text));
                break;
            }
        }
    }
    found
}

/// Whether the rule applies where `new` takes the place of a term, or at a place around it.
fn applies_after(offer: &mut Offer, rule: &str, at: usize, new: Term) -> bool {
    let Some(strategy) = offer.strategy(rule) else {
        return false;
    };
    let program = &mut offer.known.program;
    let path = offer.places[at].path.clone();
    let root = program.root();
    let Some(root) = program.store.replace(root, &path, new) else {
        return false;
    };
    // At the place itself or in it, and directly around it.
    let parent = |path: &Path| Path(path.0[..path.0.len().saturating_sub(1)].to_vec());
    let around = [path.clone(), parent(&path), parent(&parent(&path))];
    let here = Form::At(path, std::sync::Arc::new(Form::TopDown(strategy.clone())));
    let tests = around
        .into_iter()
        .map(|path| Form::At(path, strategy.clone()))
        .chain([here]);
    for test in tests {
        let options = Options {
            facts: program.facts.clone(),
            work: 2_000,
            ..Options::default()
        };
        let outcome = run(
            &mut program.store,
            root,
            &std::sync::Arc::new(test),
            &options,
        );
        if outcome.result.is_ok_and(|made| made != root) {
            return true;
        }
    }
    false
}
