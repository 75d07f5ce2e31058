//! The stages from a definition of DPIA to the phrase that is translated to imperative DPIA, and to
//! the program of RISE that a functional definition computes.

use std::sync::Arc;

use codegen::Target;
use dpia::PhraseProgram;
use dpia::definition::{self, Compiled};
use dpia::functional::report::DefinitionSource;
use rise::Primitive;
use rise::core::{LinkError, Program, normalise};
use syntax::Diagnostic;

use super::programs::lowering_diagnostics;
use super::{Frontend, StageResult, name_span, not_linked, one, with_text};
use crate::diagnostics::merged;
use crate::inputs::{Db, SourceItem};
use crate::panics::catch_panic;
use crate::terms::linked_phrase;

pub(super) struct Dpia;

impl Frontend for Dpia {
    fn link_error(&self, db: &dyn Db, item: SourceItem) -> Option<LinkError> {
        linked_phrase(db, item).err()
    }

    fn diagnostics(&self, db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
        let found = phrase_diagnostics(db, item);
        match lowering_diagnostics(db, item) {
            others if others.is_empty() => found,
            others => merged(&found, &others),
        }
    }

    fn normalised(&self, db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
        let text = "a program in DPIA cannot be written as RISE";
        let span = name_span(db, item);
        Err(one(Diagnostic::error(
            dpia::codes::NOT_A_PROGRAM,
            span,
            text,
        )))
    }

    fn access_diagnostics(
        &self,
        db: &dyn Db,
        item: SourceItem,
        target: Target,
    ) -> Arc<[Diagnostic]> {
        match compiled(db, item, target) {
            Ok(compiled) => compiled.diagnostics.as_slice().into(),
            Err(found) => found,
        }
    }

    fn functional(
        &self,
        db: &dyn Db,
        item: SourceItem,
        target: Target,
    ) -> StageResult<PhraseProgram> {
        let program = self.phrase(db, item, target)?;
        if !dpia::imperative::is_imperative(&program) {
            return Ok(program);
        }
        let text = format!(
            "`{}` is imperative, so it has no functional form",
            program.name
        );
        let found = Diagnostic::error(dpia::codes::NOT_A_PROGRAM, name_span(db, item), text);
        Err(one(found.help(
            "choose imperative DPIA or a form after it, such as C",
        )))
    }

    fn phrase(&self, db: &dyn Db, item: SourceItem, target: Target) -> StageResult<PhraseProgram> {
        let compiled = compiled(db, item, target)?;
        match &compiled.program {
            Some(program) => Ok(Arc::new(program.clone())),
            None => Err(compiled.diagnostics.as_slice().into()),
        }
    }
}

/// Returns the diagnostics of the linked phrase that do not depend on a target; none if it cannot
/// be linked.
#[salsa::tracked(returns(clone))]
fn phrase_diagnostics(db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
    // A definition that cannot be linked depends on one whose error is reported there.
    let Ok(linked) = linked_phrase(db, item) else {
        return Arc::default();
    };
    let check = |written: DefinitionSource<'_>| definition::check(&linked, written);
    with_text(db, item, check).map_or_else(one, Arc::from)
}

/// Returns the program of the phrase for a target, with its form and its diagnostics.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn compiled(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<Compiled> {
    let linked =
        linked_phrase(db, item).map_err(|error| not_linked(db, item, &error.to_string()))?;
    let found = phrase_diagnostics(db, item);
    if !found.is_empty() {
        return Err(found);
    }
    let compile =
        |written: DefinitionSource<'_>| definition::for_target(&linked, target.features(), written);
    with_text(db, item, compile).map(Arc::new).map_err(one)
}

/// Returns the RISE program that a functional phrase computes, without accesses.
#[salsa::tracked(returns(clone), lru = 32)]
pub(crate) fn plain(db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
    let linked =
        linked_phrase(db, item).map_err(|error| not_linked(db, item, &error.to_string()))?;
    let found = phrase_diagnostics(db, item);
    if !found.is_empty() {
        return Err(found);
    }
    let text = item.text(db);
    let work = || {
        let mut program = PhraseProgram::clone(&linked);
        normalise(&mut program).map_err(|error| error.to_string())?;
        definition::erase(&program).map_err(|error| {
            let name = error.prim.name();
            format!("the program cannot be written as RISE: RISE has no `{name}`")
        })
    };
    let result = catch_panic(&text, "compiling", work).map_err(one)?;
    result
        .map(Arc::new)
        .map_err(|message| not_linked(db, item, &message))
}
