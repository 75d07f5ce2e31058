//! The terms around a place, computed without a term store.

use std::sync::Arc;

use db::{Database, ItemId};
use elevate::term::{Child, Path};
use rise::Primitive;
use rise::core::{Def, Form};

use super::edits::in_item;
use crate::FileRange;
use crate::rewrites::align::Alignment;
use crate::rewrites::spines::spines;
use crate::rewrites::terms::{Core, strip};

/// The applications, and other terms at which a rewrite can be applied, around a cursor or
/// selection.
pub(super) struct Applications {
    pub(super) def: Arc<Def<Primitive>>,
    /// These terms with their paths in the definition, the innermost first.
    pub(super) places: Vec<(Path, Core)>,
}

impl Applications {
    pub(super) fn of(db: &Database, item: ItemId, range: FileRange) -> Option<Applications> {
        let def = db.elaborated(item)?;
        let parsed = db.parsed(item);
        let selection = in_item(db, item, range);
        let alignment = Alignment::of(&parsed.item, &db.inference(item), &def);
        let places = spines(&parsed.item, &alignment, selection);
        let places = places.into_iter().filter_map(|place| {
            let core = part_of(&def.body, &place.path)?;
            Some((place.path, core))
        });
        Some(Applications {
            places: places.collect(),
            def,
        })
    }
}

fn part_of(body: &Core, path: &Path) -> Option<Core> {
    let mut here = body.clone();
    for step in &path.0 {
        here = match (step, &here.form) {
            (Child::Body, Form::Lambda(_, body) | Form::DepLambda(_, _, body)) => body.clone(),
            (Child::Function, Form::DepApply(f, _)) => f.clone(),
            (Child::Function, _) => strip(&here)?.0,
            (Child::Argument, _) => strip(&here)?.1,
            _ => return None,
        };
    }
    Some(here)
}
