//! The stages of compilation for a definition in no file: the result of a rewrite or
//! of a default schedule.

use std::sync::Arc;

use codegen::{Module, Target};
use dpia::functional::report::{self, DefinitionSource};
use dpia::{PhraseProgram, codes};
use rise::Primitive;
use rise::core::{Def, Program, normalise};
use syntax::{Diagnostic, Span};

use super::{StageResult, one, with_text};
use crate::files::ItemId;
use crate::inputs::{Db, SourceItem};
use crate::options::{Options, device, launched};
use crate::panics::catch_panic;
use crate::strategies::code_def;

/// Links `item` with the right side `def` instead of its own, and returns the closed program in
/// normal form. The strategies of the definitions that it uses are applied.
pub(crate) fn program(
    db: &dyn Db,
    item: ItemId,
    def: &Arc<Def<Primitive>>,
) -> StageResult<Program<Primitive>> {
    let lookup = |id| {
        if id == item.global() {
            return Some(def.clone());
        }
        code_def(db, ItemId::from_global(id).into())
    };
    let text = SourceItem::from(item).text(db);
    let work = || -> Result<Program<Primitive>, String> {
        let program = rise::core::link(item.global(), &lookup).map_err(|e| e.to_string())?;
        let mut program = launched(db, program);
        normalise(&mut program).map_err(|error| error.to_string())?;
        Ok(program)
    };
    let made = catch_panic(&text, "compiling", work).map_err(one)?;
    made.map(Arc::new)
        .map_err(|why| one(Diagnostic::error(codes::NOT_A_PROGRAM, name(db, item), why)))
}

/// Translates a closed program in normal form to functional DPIA; `None` if the only errors are
/// implementations that are still to be chosen. Fails with the other errors if there are any.
pub(crate) fn functional(
    db: &dyn Db,
    item: ItemId,
    program: &Program<Primitive>,
    target: Target,
) -> Result<Option<PhraseProgram>, Arc<[Diagnostic]>> {
    let device = match target.features().has_work_items() {
        true => device(db),
        false => Arc::default(),
    };
    let work = |written: DefinitionSource<'_>| {
        let mut checked = dpia::functional::check_on(program, target.features(), &device);
        checked
            .problems
            .retain(|problem| problem.is_error() && !problem.is_unfinished());
        match checked.problems.is_empty() {
            true => Ok(checked.phrase),
            false => Err(report::diagnostics(
                &checked.problems,
                program,
                target.features(),
                written,
            )),
        }
    };
    let made = with_text(db, item.into(), work).map_err(one)?;
    made.map_err(Arc::from)
}

/// Translates a program in functional DPIA to imperative DPIA.
pub(crate) fn imperative(
    db: &dyn Db,
    item: ItemId,
    phrase: &PhraseProgram,
) -> StageResult<PhraseProgram> {
    let text = SourceItem::from(item).text(db);
    let work = || dpia::imperative::imperative(phrase);
    let made = catch_panic(&text, "compiling", work).map_err(one)?;
    made.map(Arc::new).map_err(|error| {
        let message = error.to_string();
        one(Diagnostic::error(
            codes::NOT_A_PROGRAM,
            name(db, item),
            message,
        ))
    })
}

/// Generates the code of a program in imperative DPIA for a target.
pub(crate) fn module(
    db: &dyn Db,
    item: ItemId,
    program: &PhraseProgram,
    target: Target,
) -> StageResult<Module> {
    let text = SourceItem::from(item).text(db);
    let options = Options::get(db).codegen(db);
    let interrupt = || db.unwind_if_revision_cancelled();
    let work = || codegen::compile_interruptibly(program, target, options, &interrupt);
    let made = catch_panic(&text, "compiling", work).map_err(one)?;
    made.map(Arc::new).map_err(|errors| {
        let span = name(db, item);
        let found = errors.into_iter().map(|error| Diagnostic {
            help: error.help,
            ..Diagnostic::error(error.code, span, error.message)
        });
        found.collect()
    })
}

fn name(db: &dyn Db, item: ItemId) -> Span {
    SourceItem::from(item).header(db).span
}
