//! Removal of stages without effect from a whole file.

use db::{Database, FileId};
use elevate::engine::{Options, run};
use elevate::lang::Definitions;
use rise::core::Def;
use syntax::Dialect;

use super::{Deed, MoreAction};
use crate::SourceEdits;
use crate::rewrites::menu::RewriteKind;
use crate::rewrites::program::Program;
use crate::rewrites::rewritten;
use crate::rewrites::strategies::Strategies;
use crate::strategies::stepping;

/// The rules that only remove stages; functions are kept as they are.
const IDLE: &str = "normalize(removeTransposePair <+ mapIdentity <+ takeAll <+ dropNothing \
    <+ padEmptyNothing <+ splitThenJoin <+ joinThenSplit <+ unzipZipIdentity \
    <+ asVectorAsScalarId <+ asScalarAsVectorId)";

pub(super) fn offered(db: &Database, file: FileId) -> Option<MoreAction> {
    let changes = db.dialect(file) == Dialect::Rise && !stepping::is_empty(&edits(db, file));
    changes.then(|| MoreAction {
        title: "Remove all stages that do nothing".to_owned(),
        kind: RewriteKind::FixAll,
        disabled: None,
        ask: None,
        item: None,
        deed: Deed::Tidy(file),
    })
}

/// Returns the edits of all definitions of a file. A definition whose result cannot be written as
/// text is left unchanged.
pub(super) fn edits(db: &Database, file: FileId) -> SourceEdits {
    let mut edits = Vec::new();
    for &item in &*db.items(file) {
        db.unwind_if_cancelled();
        let Some(def) = db.elaborated(item) else {
            continue;
        };
        let Some(new) = tidied(&db.to_strategy_def(&def)) else {
            continue;
        };
        if let Ok(done) = rewritten(db, item, &db.to_database_def(file, &new), false) {
            edits.extend(done.edits.files.into_iter().flat_map(|(_, edits)| edits));
        }
    }
    SourceEdits::single(file, edits)
}

/// Returns the definition without idle stages, if it has any.
fn tidied(def: &Def<rise::Primitive>) -> Option<Def<rise::Primitive>> {
    let (store, strategies) = Strategies::start(Definitions::default());
    let mut program = Program::of(store, def).ok()?;
    let strategy = strategies.get(IDLE)?;
    let root = program.root();
    let options = Options {
        facts: program.facts.clone(),
        ..Options::default()
    };
    let made = run(&mut program.store, root, &strategy, &options)
        .result
        .ok()?;
    if made == root {
        return None;
    }
    program.export(made, def).ok()
}
