//! The stages of the compilation of a definition, each a salsa query.

use std::sync::Arc;

use codegen::Target;
use codegen::module::KernelArg;
use codegen::{CompileError, Listing, Module, Stage};
use dpia::functional::{Checked as Accesses, TrialResult, report};
use dpia::target::format_bytes;
use dpia::{Device, PhraseProgram};
use nat::Nat;
use rise::Primitive;
use rise::core::{LinkError, Origin, Program, Source, normalise};
use syntax::ast::{AddressSpace, Item, ItemKind};
use syntax::{Diagnostic, Dialect, Fix, Severity, Span};

use crate::device::{device, launched};
use crate::inputs::SourceItem;
use crate::language::Language;
use crate::panics::catch_panic;
use crate::phrases;
use crate::queries::{dialect, elaborated, inference, language, linked, parsed};
use crate::strategies::{is_lowered, lowered};
use crate::{Db, ItemId};

/// The result of a stage, or the diagnostics that prevent it.
pub type StageResult<T> = Result<Arc<T>, Arc<[Diagnostic]>>;

/// Returns the linked program in normal form.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn normalised(db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
    if dialect(db, item) == Dialect::Dpia {
        let span = name_span(db, item);
        let text = "a program in DPIA has no form in RISE";
        return Err(one(Diagnostic::error(
            dpia::codes::NOT_A_PROGRAM,
            span,
            text,
        )));
    }
    if language(db, item) == Language::Elevate {
        let span = item.header(db).span;
        let text = "a strategy is not a program: it rewrites programs";
        return Err(one(Diagnostic::error(
            dpia::codes::NOT_A_PROGRAM,
            span,
            text,
        )));
    }
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
    let lookup = |id| {
        let used = SourceItem::from(ItemId::from_global(id));
        match lowered(db, used) {
            Some(lowered) => lowered.ok().map(|lowered| lowered.def.clone()),
            None => elaborated(db, used),
        }
    };
    let work = || rise::core::link(ItemId::from(item).global(), &lookup);
    let linked = catch_panic(&item.text(db), "linking", work).map_err(one)?;
    linked
        .map(|program| Arc::new(launched(db, program)))
        .map_err(not)
}

/// Returns the accesses of the program's expressions.
#[salsa::tracked(returns(clone), lru = 128)]
pub(crate) fn accesses(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<Accesses> {
    let program = normalised(db, item)?;
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

/// Compiles a program with the memory that a fix would choose, and returns whether that succeeds.
fn check_memory_fix(phrase: &PhraseProgram, target: Target, device: &Device) -> TrialResult {
    let fails = |why: &str, shares| TrialResult::Fails {
        why: why.to_owned(),
        shares,
    };
    let Ok(program) = dpia::imperative::imperative(phrase) else {
        return fails("the program does not compile with it", false);
    };
    match codegen::compile(&program, target) {
        Ok(module) => match local_memory(&module, device).max() {
            Some(bytes) => {
                let bytes = format_bytes(bytes);
                fails(&format!("a work-group would keep {bytes} in all"), false)
            }
            None => TrialResult::Compiles,
        },
        Err(errors) => {
            let codes = [
                (
                    codegen::codes::OTHER_WORK_ITEM,
                    "work-items would read what other ones computed",
                ),
                (
                    codegen::codes::ACROSS_GROUPS,
                    "work-groups would read what other ones write, and they cannot wait for each \
                     other in one kernel",
                ),
                (
                    codegen::codes::DIVERGENT_BARRIER,
                    "not all work-items of a group would come to the barrier that it needs",
                ),
                (
                    dpia::codes::LAUNCH_SIZE,
                    "how much each work-item has is not known",
                ),
            ];
            let of_memory = codes
                .into_iter()
                .find(|(code, _)| errors.iter().any(|error| error.code == *code));
            match of_memory {
                Some((_, why)) => fails(why, true),
                None => fails("the program does not compile with it", false),
            }
        }
    }
}

/// Returns the diagnostics of the definition as a program for the target.
#[salsa::tracked(returns(clone))]
pub(crate) fn target_diagnostics(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> Arc<[Diagnostic]> {
    let found = access_diagnostics(db, item, target);
    let wrong = |found: &Diagnostic| found.severity == Severity::Error;
    if !target.features().has_work_items() || found.iter().any(wrong) {
        return found;
    }
    // The memory that work-items share, and the places where they wait for each other, are only
    // determined when the indices are.
    let more = match module(db, item, target) {
        Ok(module) => local_memory_diagnostics(db, item, &module),
        Err(more) => more,
    };
    if more.is_empty() {
        return found;
    }
    found.iter().chain(more.iter()).cloned().collect()
}

/// Returns the diagnostics of the expressions' accesses.
fn access_diagnostics(db: &dyn Db, item: SourceItem, target: Target) -> Arc<[Diagnostic]> {
    if dialect(db, item) == Dialect::Dpia {
        return match phrases::compiled(db, item, target) {
            Ok(compiled) => compiled.diagnostics.as_slice().into(),
            Err(found) => found,
        };
    }
    let (program, accesses) = match (normalised(db, item), accesses(db, item, target)) {
        (Ok(program), Ok(accesses)) => (program, accesses),
        (Err(found), _) | (_, Err(found)) => return found,
    };
    let parsed = parsed(db, item.into());
    let inference = inference(db, item);
    let text = item.text(db);
    let written = report::DefinitionSource {
        item: &parsed.item,
        text: &text,
        inference: &inference,
    };
    let work = || report::diagnostics(&accesses.problems, &program, target.features(), written);
    let mut found: Arc<[Diagnostic]> =
        catch_panic(&text, "compiling", work).map_or_else(one, Arc::from);
    if is_lowered(db, item.into()) {
        let made =
            |found: &Diagnostic| adapt_lowered_diagnostic(db, item, &parsed.item, found.clone());
        found = found.iter().map(made).collect();
    }
    found
}

/// Adapts a diagnostic of a program that a strategy made. Its text is not the source text, so fixes
/// are removed; a diagnostic of generated code is moved to the strategy's name.
fn adapt_lowered_diagnostic(
    db: &dyn Db,
    item: SourceItem,
    written: &Item,
    mut found: Diagnostic,
) -> Diagnostic {
    found.fixes.clear();
    let (Some(strategy), ItemKind::Def { body, .. }) = (item.strategy(db), &written.kind) else {
        return found;
    };
    let body = written.term(*body).span;
    if found.span != body {
        return found;
    }
    found.span = strategy.span;
    found
        .related
        .retain(|related| related.place.item.is_some() || related.place.span != body);
    found.help("it is in what the strategy makes: `rise-ls rewrite` shows that")
}

/// Returns the program in functional DPIA, in which every access is known.
pub(crate) fn functional(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> StageResult<PhraseProgram> {
    if dialect(db, item) == Dialect::Dpia {
        return phrase(db, item, target);
    }
    let accesses = accesses(db, item, target)?;
    match &accesses.phrase {
        Some(phrase) => Ok(Arc::new(phrase.clone())),
        None => Err(target_diagnostics(db, item, target)),
    }
}

/// Returns the functional program of a definition of DPIA.
fn phrase(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<PhraseProgram> {
    let program = phrases::program(db, item, target)?;
    if !dpia::imperative::is_imperative(&program) {
        return Ok(program);
    }
    let text = format!(
        "`{}` is imperative: it says how it is computed, and has no functional form",
        program.name
    );
    let found = Diagnostic::error(dpia::codes::NOT_A_PROGRAM, name_span(db, item), text);
    Err(one(found.help(
        "its forms are imperative DPIA and what comes after it",
    )))
}

/// Translates the program to imperative DPIA.
#[salsa::tracked(returns(clone), lru = 64)]
pub(crate) fn imperative(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> StageResult<PhraseProgram> {
    let functional = match dialect(db, item) {
        Dialect::Rise => functional(db, item, target)?,
        Dialect::Dpia => phrases::program(db, item, target)?,
    };
    let work = || dpia::imperative::imperative(&functional);
    let result = catch_panic(&item.text(db), "compiling", work).map_err(one)?;
    result.map(Arc::new).map_err(|error| {
        let message = error.to_string();
        one(at(db, item, &functional, error.origin, message))
    })
}

#[salsa::tracked(returns(clone), lru = 64)]
pub(crate) fn module(db: &dyn Db, item: SourceItem, target: Target) -> StageResult<Module> {
    let program = imperative(db, item, target)?;
    compiled(db, item, target, &program)
}

/// Returns the program in the loop language at a point in its compilation.
pub(crate) fn listing(db: &dyn Db, item: SourceItem, stage: Stage) -> StageResult<Listing> {
    let program = imperative(db, item, stage.target())?;
    let options = crate::inputs::Options::get(db).codegen(db);
    let work = || codegen::print_after(&program, stage, options);
    generated(db, item, stage.target(), &program, work)
}

/// Generates the kernels for work-groups of this size, independently of the size in the program.
#[salsa::tracked(returns(clone), lru = 16)]
pub(crate) fn module_of_groups(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    local: [u64; 3],
) -> StageResult<Module> {
    let mut program = PhraseProgram::clone(&*imperative(db, item, target)?);
    let size = |size: u64| Some(Nat::from(i64::try_from(size).unwrap_or(i64::MAX)));
    program.launch.local = local.map(size);
    compiled(db, item, target, &program)
}

fn compiled(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    program: &PhraseProgram,
) -> StageResult<Module> {
    let options = crate::inputs::Options::get(db).codegen(db);
    let work = || codegen::compile_for(program, target, options.clone());
    generated(db, item, target, program, work)
}

/// Returns a result of code generation, or its errors at their places in the item.
fn generated<T>(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
    program: &PhraseProgram,
    work: impl FnOnce() -> Result<T, Vec<CompileError>>,
) -> StageResult<T> {
    let result = catch_panic(&item.text(db), "compiling", work).map_err(one)?;
    result.map(Arc::new).map_err(|errors| {
        let found = errors.into_iter().map(|error| {
            let mut found = at(db, item, program, error.origin, error.message);
            if target.features().has_work_items() {
                found.span = head(program, error.origin).unwrap_or(found.span);
            }
            found.code = error.code;
            found.help = error.help;
            let stored = error
                .memory
                .and_then(|at| other_memory_fix(db, item, target, at));
            found.fixes.extend(stored);
            for (origin, text) in error.related {
                if let Some(place) = head(program, origin) {
                    found = found.related(place, text);
                }
            }
            found
        });
        found.collect()
    })
}

/// Returns the fix that stores the value at this place in a memory that the whole group shares, if
/// the program then compiles.
fn other_memory_fix(db: &dyn Db, item: SourceItem, target: Target, at: Origin) -> Option<Fix> {
    if dialect(db, item) == Dialect::Dpia || is_lowered(db, item.into()) {
        return None;
    }
    let program = normalised(db, item).ok()?;
    let device = device(db);
    let parsed = parsed(db, item.into());
    let inference = inference(db, item);
    let text = item.text(db);
    let written = report::DefinitionSource {
        item: &parsed.item,
        text: &text,
        inference: &inference,
    };
    let features = target.features();
    [AddressSpace::Local, AddressSpace::Global]
        .into_iter()
        .find_map(|space| {
            let (moved, place) = dpia::functional::stored_in(&program, at, space)?;
            let phrase = dpia::functional::check_on(&moved, features, &device).phrase?;
            if check_memory_fix(&phrase, target, &device) != TrialResult::Compiles {
                return None;
            }
            report::store_elsewhere(&program, features, written, place, space)
        })
}

/// Returns the local memory, in bytes, of each kernel that uses more at a time than the device has.
fn local_memory(module: &Module, device: &Device) -> impl Iterator<Item = u64> {
    let kernels = module.device.iter().flat_map(|launched| &launched.kernels);
    let most = device.local_memory;
    kernels.filter_map(move |kernel| {
        let arguments = kernel.args.iter().filter_map(|arg| match arg {
            KernelArg::Local { bytes } => Some(bytes.clone()),
            _ => None,
        });
        let bytes = arguments.fold(kernel.local_bytes.clone(), |sum, bytes| &sum + &bytes);
        let bytes = u64::try_from(bytes.as_const()?).ok()?;
        (bytes > most).then_some(bytes)
    })
}

/// Returns the error for kernels that use more local memory at a time than the device has.
fn local_memory_diagnostics(db: &dyn Db, item: SourceItem, module: &Module) -> Arc<[Diagnostic]> {
    let device = device(db);
    let found = local_memory(module, &device).map(|bytes| {
        let message = format!(
            "a work-group keeps {} in Local memory at a time, and {} has {}",
            format_bytes(bytes),
            device.name,
            format_bytes(device.local_memory)
        );
        Diagnostic::error(dpia::codes::DEVICE_LIMIT, name_span(db, item), message)
            .help("let a work-group have a smaller part, or store in Global memory")
    });
    found.collect()
}

pub(crate) fn one(diagnostic: Diagnostic) -> Arc<[Diagnostic]> {
    Arc::new([diagnostic])
}

/// Creates an error at the place in the definition's own text that a phrase comes from.
fn at(
    db: &dyn Db,
    item: SourceItem,
    program: &PhraseProgram,
    origin: Origin,
    message: String,
) -> Diagnostic {
    let source = own_source(program, origin);
    let span = source.map_or_else(|| name_span(db, item), |source| source.span);
    Diagnostic::error(dpia::codes::NOT_A_PROGRAM, span, message)
}

/// Returns the range of the word that is highlighted for a phrase.
fn head(program: &PhraseProgram, origin: Origin) -> Option<Span> {
    own_source(program, origin).map(|source| source.head)
}

/// Returns the source of a phrase in the definition's own text.
fn own_source(program: &PhraseProgram, origin: Origin) -> Option<&Source> {
    let mut source = program.origins.get(origin.0 as usize);
    while let Some(inner) = source
        && inner.def.is_some()
    {
        source = inner
            .used_at
            .and_then(|used| program.origins.get(used.0 as usize));
    }
    source
}

fn name_span(db: &dyn Db, item: SourceItem) -> Span {
    let parsed = parsed(db, item.into());
    parsed
        .item
        .name()
        .map_or_else(Span::default, |name| name.span)
}

/// Returns the errors of the definition itself if it has any, because they have been reported;
/// otherwise a new diagnostic with the reason.
pub(crate) fn not_linked(db: &dyn Db, item: SourceItem, error: &str) -> Arc<[Diagnostic]> {
    let own = crate::queries::item_diagnostics(db, ItemId::from(item));
    let errors: Arc<[Diagnostic]> = own
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .cloned()
        .collect();
    if !errors.is_empty() {
        return errors;
    }
    let span = name_span(db, item);
    one(Diagnostic::error(dpia::codes::NOT_A_PROGRAM, span, error))
}
