//! The compilation of definitions of DPIA.

use std::sync::Arc;

use codegen::Target;
use dpia::definition::{self, Compiled};
use dpia::functional::DefinitionSource;
use dpia::{PhraseProgram, Prim};
use rise::Primitive;
use rise::core::{Def, LinkError, Program, normalise};
use syntax::{Diagnostic, Dialect};

use crate::device::launched;
use crate::inputs::SourceItem;
use crate::panics::catch_panic;
use crate::queries::{dialect, inference, parsed};
use crate::stages::{StageResult, not_linked, one};
use crate::{Db, ItemId};

/// Elaborates the item to a phrase; returns `None` if it has errors.
#[salsa::tracked(returns(clone), lru = 2048)]
pub(crate) fn elaborated(db: &dyn Db, item: SourceItem) -> Option<Arc<Def<Prim>>> {
    let parsed = parsed(db, item.into());
    if !parsed.diagnostics.is_empty() || dialect(db, item) != Dialect::Dpia {
        return None;
    }
    let inference = inference(db, item);
    let work = || dpia::surface::elaborate(&parsed.item, &inference).map(Arc::new);
    catch_panic(&item.text(db), "reading", work).ok().flatten()
}

/// Links the item: inlines everything that it uses.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn linked(db: &dyn Db, item: SourceItem) -> Result<Arc<PhraseProgram>, LinkError> {
    let lookup = |id| elaborated(db, ItemId::from_global(id).into());
    let work = || rise::core::link(ItemId::from(item).global(), &lookup);
    let linked = catch_panic(&item.text(db), "linking", work).unwrap_or(Err(LinkError::Broken));
    linked.map(|program| Arc::new(launched(db, program)))
}

/// Returns the diagnostics of the phrase that do not depend on a target.
#[salsa::tracked(returns(clone))]
pub(crate) fn diagnostics(db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
    // A definition that cannot be linked depends on one whose error is reported there.
    let Ok(linked) = linked(db, item) else {
        return Arc::default();
    };
    let check = |written: DefinitionSource<'_>| definition::check(&linked, written);
    with_text(db, item, check).map_or_else(one, Arc::from)
}

/// Returns the program of the phrase for a target.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn compiled(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<Compiled> {
    let linked = linked(db, item).map_err(|error| not_linked(db, item, &error.to_string()))?;
    let found = diagnostics(db, item);
    if !found.is_empty() {
        return Err(found);
    }
    let compile =
        |written: DefinitionSource<'_>| definition::for_target(&linked, target.features(), written);
    with_text(db, item, compile).map(Arc::new).map_err(one)
}

/// Returns the program of [`compiled`], or its diagnostics.
pub(crate) fn program(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<PhraseProgram> {
    let compiled = compiled(db, item, target)?;
    match &compiled.program {
        Some(program) => Ok(Arc::new(program.clone())),
        None => Err(compiled.diagnostics.as_slice().into()),
    }
}

/// Runs a computation that needs the definition's own text.
fn with_text<T>(
    db: &dyn Db,
    item: SourceItem,
    work: impl FnOnce(DefinitionSource<'_>) -> T,
) -> Result<T, Diagnostic> {
    let parsed = parsed(db, item.into());
    let inference = inference(db, item);
    let text = item.text(db);
    let written = DefinitionSource {
        item: &parsed.item,
        text: &text,
        inference: &inference,
    };
    catch_panic(&text, "compiling", || work(written))
}

/// Returns the RISE program that a functional phrase computes, without accesses.
#[salsa::tracked(returns(clone), lru = 32)]
pub(crate) fn plain(db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
    let linked = linked(db, item).map_err(|error| not_linked(db, item, &error.to_string()))?;
    let found = diagnostics(db, item);
    if !found.is_empty() {
        return Err(found);
    }
    let text = item.text(db);
    let work = || {
        let mut program = PhraseProgram::clone(&linked);
        normalise(&mut program).map_err(|error| error.to_string())?;
        definition::erase(&program).map_err(|error| {
            let name = error.prim.name();
            format!("`{name}` says how something is computed: the program has no form in RISE")
        })
    };
    let result = catch_panic(&text, "compiling", work).map_err(one)?;
    result
        .map(Arc::new)
        .map_err(|message| not_linked(db, item, &message))
}
