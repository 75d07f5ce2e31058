//! The stages from a definition of RISE to functional DPIA, with their diagnostics and fixes.

use std::sync::Arc;

use codegen::Target;
use dpia::functional::report::{self, DefinitionSource};
use dpia::functional::{Checked as Accesses, TrialResult};
use dpia::target::format_bytes;
use dpia::{Device, PhraseProgram};
use rise::Primitive;
use rise::core::{Def, LinkError, Origin, Program, normalise};
use syntax::ast::{AddressSpace, Item, ItemKind};
use syntax::{Diagnostic, Fix, Severity};

use super::{
    Frontend, StageResult, frontend, intermediate, local_memory, name_span, not_linked, one,
    with_text,
};
use crate::files::ItemId;
use crate::inputs::{Db, SourceItem};
use crate::items::parsed;
use crate::options::{device, launched};
use crate::panics::catch_panic;
use crate::strategies::{
    code_def, complaint, contracted, is_exact, is_lowered, lowered, schedule_name, scheduled,
};
use crate::terms::linked;

pub(super) struct Rise;

impl Frontend for Rise {
    fn link_error(&self, db: &dyn Db, item: SourceItem) -> Option<LinkError> {
        linked(db, item).err()
    }

    fn diagnostics(&self, db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
        lowering_diagnostics(db, item)
    }

    fn normalised(&self, db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
        normalised(db, item)
    }

    fn access_diagnostics(
        &self,
        db: &dyn Db,
        item: SourceItem,
        target: Target,
    ) -> Arc<[Diagnostic]> {
        let (program, accesses) = match (program_for(db, item, target), accesses(db, item, target))
        {
            (Ok(program), Ok(accesses)) => (program, accesses),
            (Err(found), _) | (_, Err(found)) => return found,
        };
        let features = target.features();
        let work = |written: DefinitionSource<'_>| {
            report::diagnostics(&accesses.problems, &program, features, written)
        };
        let mut found = with_text(db, item, work).unwrap_or_else(|failure| vec![failure]);
        let is_scheduled = schedule(db, item, target).is_some();
        if is_scheduled || is_lowered(db, item.into()) {
            let parsed = parsed(db, item.into());
            for diagnostic in &mut found {
                adapt_lowered_diagnostic(db, item, target, &parsed.item, diagnostic);
            }
        }
        if is_scheduled {
            found.insert(0, default_schedule(db, item, target));
        }
        found.into()
    }

    fn functional(
        &self,
        db: &dyn Db,
        item: SourceItem,
        target: Target,
    ) -> StageResult<PhraseProgram> {
        match &accesses(db, item, target)?.phrase {
            Some(phrase) => Ok(Arc::new(phrase.clone())),
            None => Err(self.access_diagnostics(db, item, target)),
        }
    }

    fn other_memory_fix(
        &self,
        db: &dyn Db,
        item: SourceItem,
        target: Target,
        at: Origin,
    ) -> Option<Fix> {
        if is_lowered(db, item.into()) || schedule(db, item, target).is_some() {
            return None;
        }
        let program = program_for(db, item, target).ok()?;
        let (device, features) = (device(db), target.features());
        let stored_in = |space, written: DefinitionSource<'_>| {
            let (moved, place) = dpia::functional::stored_in(&program, at, space)?;
            let phrase = dpia::functional::check_on(&moved, features, &device).phrase?;
            if check_memory_fix(&phrase, target, &device) != TrialResult::Compiles {
                return None;
            }
            report::store_elsewhere(&program, features, written, place, space)
        };
        let work = |written: DefinitionSource<'_>| {
            [AddressSpace::Local, AddressSpace::Global]
                .into_iter()
                .find_map(|space| stored_in(space, written))
        };
        with_text(db, item, work).ok().flatten()
    }
}

/// Returns the program of [`code_linked`] in normal form.
#[salsa::tracked(returns(clone), lru = 128)]
fn normalised(db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
    let linked = code_linked(db, item)?;
    let work = || {
        let mut program = Program::clone(&linked);
        normalise(&mut program).map(|()| Arc::new(program))
    };
    catch_panic(&item.text(db), "compiling", work)
        .map_err(one)?
        .map_err(|error| not_linked(db, item, &error.to_string()))
}

/// Links the program that code is generated from: each definition with `@strategy` is replaced by
/// the result of its strategy.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn code_linked(db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
    let not = |error: LinkError| not_linked(db, item, &error.to_string());
    if !is_lowered(db, item.into()) {
        return linked(db, item).map_err(not);
    }
    if let Some(Err(found)) = lowered(db, item)
        && !found.is_empty()
    {
        return Err(found);
    }
    let lookup = |id| code_def(db, ItemId::from_global(id).into());
    let work = || rise::core::link(ItemId::from(item).global(), &lookup);
    let linked = catch_panic(&item.text(db), "linking", work).map_err(one)?;
    linked
        .map(|program| Arc::new(launched(db, program)))
        .map_err(not)
}

/// Returns the program that is compiled for a target, in normal form. A program that makes no
/// choice of implementation gets the default schedule of the target, if that succeeds and makes a
/// choice.
#[salsa::tracked(returns(clone), lru = 128)]
fn program_for(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<Program<Primitive>> {
    match schedule(db, item, target) {
        Some(def) => intermediate::program(db, item.into(), &def),
        None => normalised(db, item),
    }
}

/// Returns the result of the default schedule for a definition that makes no choice of
/// implementation; `None` if it makes one or needs none, if it cannot be linked, or if the schedule
/// fails.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn schedule(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> Option<Arc<Def<Primitive>>> {
    let program = code_linked(db, item).ok()?;
    if dpia::functional::makes_choice(&program.body) {
        return None;
    }
    scheduled(db, item, target).filter(|def| dpia::functional::makes_choice(&def.body))
}

/// A definition that makes choices of implementation, with those of the default schedule instead.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rescheduled {
    /// The program in imperative DPIA.
    pub program: Arc<PhraseProgram>,
    /// True if the strategy `leaveOpen` leaves no choices.
    pub is_open: bool,
}

/// Returns the program that the default schedule would give for a definition which makes choices of
/// implementation; `None` if it makes none, or if that fails.
#[salsa::tracked(returns(clone), lru = 64)]
pub(crate) fn rescheduled(db: &dyn Db, item: SourceItem, target: Target) -> Option<Rescheduled> {
    let program = code_linked(db, item).ok()?;
    if !dpia::functional::makes_choice(&program.body) {
        return None;
    }
    let open = crate::strategies::left_open(db, item)?;
    let left = intermediate::program(db, item.into(), &open).ok()?;
    let def = crate::strategies::rescheduled(db, item, target, &open)?;
    let program = intermediate::program(db, item.into(), &def).ok()?;
    let phrase = intermediate::functional(db, item.into(), &program, target).ok()??;
    Some(Rescheduled {
        program: intermediate::imperative(db, item.into(), &phrase).ok()?,
        is_open: !dpia::functional::makes_choice(&left.body),
    })
}

/// Returns the text of a strategy that makes the same choices for the definition as the default
/// schedule of the target.
///
/// # Errors
/// The definition has errors, makes choices itself, is no program of its own, or the schedule fails.
pub(crate) fn schedule_text(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> Result<String, Arc<[Diagnostic]>> {
    let program = code_linked(db, item)?;
    let span = name_span(db, item);
    let parsed = parsed(db, item.into());
    let name = parsed.item.name().map_or("program", |name| &name.name);
    if dpia::functional::makes_choice(&program.body) {
        let message =
            format!("`{name}` says itself how it is computed, so it has no default schedule");
        let error = Diagnostic::error(dpia::codes::DEFAULT_SCHEDULE, span, message)
            .help("use patterns that leave the implementation open, such as `map` and `reduce`");
        return Err(one(error));
    }
    let text = crate::strategies::schedule_text(db, item, target, name)
        .map_err(|refusal| one(complaint(&refusal, span)))?;
    let found = frontend(db, item).access_diagnostics(db, item, target);
    let is_no_program = |found: &&Diagnostic| found.code == dpia::codes::NOT_A_PROGRAM;
    match found.iter().find(is_no_program) {
        None => Ok(text),
        Some(error) => Err(one(error.clone())),
    }
}

/// Returns the program whose results the code for a target computes, if the default schedule
/// contracts sums of products: the program with `fma` in their place, without further changes.
/// Returns `None` if the code computes the results of the program itself.
pub(crate) fn contracted_program(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> Option<StageResult<Program<Primitive>>> {
    if is_exact(db, item.into()) {
        return None;
    }
    schedule(db, item, target)?;
    let def = contracted(db, item)?;
    Some(intermediate::program(db, item.into(), &def))
}

/// Returns the accesses of the program's expressions when it is compiled for the target, with the
/// problems that prevent the compilation.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn accesses(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<Accesses> {
    let program = program_for(db, item, target)?;
    let device = match target.features().has_work_items() {
        true => device(db),
        false => Arc::default(),
    };
    let work = || {
        let mut checked = dpia::functional::check_on(&program, target.features(), &device);
        let features = target.features();
        if features.has_work_items() {
            let mut compile = |phrase: &PhraseProgram| check_memory_fix(phrase, target, &device);
            dpia::functional::try_spaces(&mut checked, &program, features, &device, &mut compile);
        }
        Arc::new(checked)
    };
    catch_panic(&item.text(db), "compiling", work).map_err(one)
}

/// Compiles a program with the memory that a fix would choose, and returns the outcome. It is a
/// failure with a reason if the program does not compile, or exceeds the device's local memory.
fn check_memory_fix(phrase: &PhraseProgram, target: Target, device: &Device) -> TrialResult {
    let fails = |why: &str, shares| TrialResult::Fails {
        why: why.to_owned(),
        shares,
    };
    let Ok(program) = dpia::imperative::imperative(phrase) else {
        return fails("the program does not compile with this change", false);
    };
    match codegen::compile(&program, target) {
        Ok(module) => match local_memory(&module, device).max() {
            Some(bytes) => {
                let bytes = format_bytes(bytes);
                fails(
                    &format!(
                        "a work-group would keep {bytes} in Local memory in all, which is more than the device has"
                    ),
                    false,
                )
            }
            None => TrialResult::Compiles,
        },
        Err(errors) => {
            let codes = [
                (
                    codegen::codes::OTHER_WORK_ITEM,
                    "work-items would read memory that belongs to other work-items",
                ),
                (
                    codegen::codes::ACROSS_GROUPS,
                    "work-groups would read what other work-groups write, and they cannot wait for \
                     each other in one kernel",
                ),
                (
                    codegen::codes::DIVERGENT_BARRIER,
                    "not all work-items of a work-group would reach the barrier that this change needs",
                ),
                (
                    dpia::codes::LAUNCH_SIZE,
                    "the number of elements that each work-item stores is not known",
                ),
            ];
            let of_memory = codes
                .into_iter()
                .find(|(code, _)| errors.iter().any(|error| error.code == *code));
            match of_memory {
                Some((_, why)) => fails(why, true),
                None => fails("the program does not compile with this change", false),
            }
        }
    }
}

/// Returns the hint at a definition that gets the default schedule of a target.
fn default_schedule(db: &dyn Db, item: SourceItem, target: Target) -> Diagnostic {
    let name = name_span(db, item);
    let strategy = schedule_name(db, item, target);
    let message = format!(
        "the definition does not say how it is computed: the strategy `{strategy}` chooses that for {}",
        target.title()
    );
    Diagnostic::new(Severity::Hint, dpia::codes::DEFAULT_SCHEDULE, name, message)
        .help("`rise-ls schedule` and the preview of the default schedule show its choices")
}

/// Adapts a diagnostic of a program that a strategy or the default schedule made. The program is
/// not the source text, so fixes are removed. A diagnostic at the whole body is moved to the
/// strategy's name in `@strategy`, or else to the definition's name, and says how to print the
/// program.
fn adapt_lowered_diagnostic(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    written: &Item,
    found: &mut Diagnostic,
) {
    found.fixes.clear();
    let is_folded = found.code == dpia::codes::MISSING_CHOICE
        && (found.related.iter()).any(|related| related.place.item.is_some());
    if is_folded && item.strategy(db).is_some() {
        found.help = Some(
            "the strategy leaves this definition as it is: `normalize(delta) ;` at its start unfolds \
             all definitions"
                .to_owned(),
        );
    }
    let (ItemKind::Def { body, .. }, Some(name)) = (&written.kind, written.name()) else {
        return;
    };
    let body = written.term(*body).span;
    if found.span != body {
        return;
    }
    let (span, strategy) = match item.strategy(db) {
        Some(named) => {
            let file = named.file.as_ref().map(|(path, _)| format!("{path}:"));
            (
                named.span,
                format!("{}{}", file.unwrap_or_default(), named.name),
            )
        }
        None => (
            name_span(db, item),
            schedule_name(db, item, target).to_owned(),
        ),
    };
    found.span = span;
    found
        .related
        .retain(|related| related.place.item.is_some() || related.place.span != body);
    let printed = format!(
        "the error is in the program that the strategy returns: `rise-ls rewrite FILE --def {} \
         --strategy {strategy}` prints it",
        name.name
    );
    found.help = Some(match found.help.take() {
        Some(help) => format!("{help}; {printed}"),
        None => printed,
    });
}

/// Returns the warning that `@exact` has no effect, because the definition chooses its own
/// implementation and thus has no default schedule; `None` if it has an effect.
fn useless_exact(db: &dyn Db, item: SourceItem) -> Option<Diagnostic> {
    let program = code_linked(db, item).ok()?;
    let parsed = parsed(db, item.into());
    let exact = parsed.item.annotations("exact").next()?.name.as_ref()?;
    dpia::functional::makes_choice(&program.body).then(|| {
        let message = format!(
            "`@exact` has no effect: `{}` chooses how it is computed, so no default schedule changes \
             its rounding",
            program.name
        );
        let code = syntax::codes::BAD_ANNOTATION;
        Diagnostic::new(Severity::Warning, code, exact.span, message).help("remove it")
    })
}

/// Returns the errors of applying the strategy that a definition names, or the assumptions of the
/// strategy as information; for a definition with `@exact`, the warning that it has no effect.
/// Returns nothing for other definitions.
pub(super) fn lowering_diagnostics(db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
    if item.is_exact(db) {
        return useless_exact(db, item).into_iter().collect();
    }
    // Few definitions name one, so no query result is stored for the others.
    let Some(strategy) = item.strategy(db) else {
        return Arc::default();
    };
    match lowered(db, item) {
        None => Arc::default(),
        Some(Ok(lowered)) => {
            let assumes = |text: &String| {
                let message = format!("the strategy assumes {text}");
                let code = rise::codes::OBLIGATION;
                Diagnostic::new(Severity::Information, code, strategy.span, message)
            };
            lowered.assumed.iter().map(assumes).collect()
        }
        Some(Err(wrong)) => wrong,
    }
}
