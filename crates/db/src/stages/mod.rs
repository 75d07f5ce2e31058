//! The stages of the compilation of a definition, most of which are salsa queries.
//!
//! A stage calls only earlier ones: linked program, normal form, accesses, functional DPIA,
//! imperative DPIA, code. The diagnostics for a target may need the generated code, so they are in
//! a module that uses this one ([`crate::targets`]), and no stage can ask for them. The order of
//! the modules, which `cargo xtask tidy` checks, thus excludes cycles of these queries.
//!
//! The languages of definitions differ in the stages before imperative DPIA: see [`Frontend`].

pub(crate) mod intermediate;
pub(crate) mod phrases;
pub(crate) mod programs;

use std::sync::Arc;

use codegen::module::KernelArg;
use codegen::{CompileError, Listing, Module, Stage, Target};
use dpia::functional::report::DefinitionSource;
use dpia::{Device, IndexPolicy, IndexWidth, PhraseProgram};
use nat::Nat;
use rise::core::{LinkError, Origin, Program, Source};
use rise::{Arg, Primitive, TermInfo, Type};
use syntax::{Diagnostic, Fix, Severity, Span};

use crate::diagnostics::item_diagnostics;
use crate::files::ItemId;
use crate::inputs::{Db, SourceItem};
use crate::items::{language, parsed};
use crate::language::Language;
use crate::options::Options;
use crate::panics::catch_panic;
use crate::types::inference;

/// The front end for definitions of a language: the stages up to the phrase that is translated to
/// imperative DPIA, and the diagnostics of the language.
pub(crate) trait Frontend {
    /// Returns the reason why the definition cannot be linked; `None` if it can.
    fn link_error(&self, db: &dyn Db, item: SourceItem) -> Option<LinkError>;

    /// Returns the diagnostics of the definition that need more than its type, but no target: those
    /// of its strategy, its run as an example, or its phrase.
    fn diagnostics(&self, db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]>;

    /// Returns the linked program in normal form, as a program of RISE.
    fn normalised(&self, db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>>;

    /// Returns the diagnostics of the accesses of the definition's expressions when it is compiled
    /// for the target, or those that prevent computing the accesses.
    fn access_diagnostics(
        &self,
        db: &dyn Db,
        item: SourceItem,
        target: Target,
    ) -> Arc<[Diagnostic]>;

    /// Returns the program in functional DPIA, in which every access is known.
    fn functional(
        &self,
        db: &dyn Db,
        item: SourceItem,
        target: Target,
    ) -> StageResult<PhraseProgram>;

    /// Returns the program that is translated to imperative DPIA, which may already be imperative.
    fn phrase(&self, db: &dyn Db, item: SourceItem, target: Target) -> StageResult<PhraseProgram> {
        self.functional(db, item, target)
    }

    /// Returns a fix that stores the value at this place in local or global memory, which the
    /// work-items of a group share. Returns `None` if there is none with which the program compiles,
    /// or if none is looked for: by default, and in RISE for definitions that a strategy lowers or
    /// that have a default schedule.
    fn other_memory_fix(
        &self,
        _db: &dyn Db,
        _item: SourceItem,
        _target: Target,
        _at: Origin,
    ) -> Option<Fix> {
        None
    }
}

/// Returns the front end for the language of the definition.
pub(crate) fn frontend(db: &dyn Db, item: SourceItem) -> &'static dyn Frontend {
    frontend_of(language(db, item))
}

/// Returns the front end of definitions in this language.
pub(crate) fn frontend_of(language: Language) -> &'static dyn Frontend {
    match language {
        Language::Rise => &programs::Rise,
        Language::Dpia => &phrases::Dpia,
        Language::Elevate => &NoProgram,
    }
}

/// The front end of strategies, which are not compiled.
struct NoProgram;

impl NoProgram {
    fn error(db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
        let text = "a strategy is not a program: it rewrites programs";
        let span = item.header(db).span;
        one(Diagnostic::error(dpia::codes::NOT_A_PROGRAM, span, text))
    }
}

impl Frontend for NoProgram {
    fn link_error(&self, _: &dyn Db, _: SourceItem) -> Option<LinkError> {
        Some(LinkError::Broken)
    }

    fn diagnostics(&self, db: &dyn Db, item: SourceItem) -> Arc<[Diagnostic]> {
        crate::strategies::example(db, item)
    }

    fn normalised(&self, db: &dyn Db, item: SourceItem) -> StageResult<Program<Primitive>> {
        Err(NoProgram::error(db, item))
    }

    fn access_diagnostics(&self, db: &dyn Db, item: SourceItem, _: Target) -> Arc<[Diagnostic]> {
        NoProgram::error(db, item)
    }

    fn functional(&self, db: &dyn Db, item: SourceItem, _: Target) -> StageResult<PhraseProgram> {
        Err(NoProgram::error(db, item))
    }
}

/// The result of a stage, or the diagnostics that prevent it.
pub type StageResult<T> = Result<Arc<T>, Arc<[Diagnostic]>>;

/// Translates the program of the definition for the target to imperative DPIA.
#[salsa::tracked(returns(clone), lru = 64)]
pub(crate) fn imperative(
    db: &dyn Db,
    item: SourceItem,
    target: Target,
) -> StageResult<PhraseProgram> {
    let phrase = frontend(db, item).phrase(db, item, target)?;
    let work = || dpia::imperative::imperative(&phrase);
    let result = catch_panic(&item.text(db), "compiling", work).map_err(one)?;
    result.map(Arc::new).map_err(|error| {
        let message = error.to_string();
        one(at(db, item, &phrase, error.origin, message))
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
    let options = Options::get(db).codegen(db);
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
    let options = Options::get(db).codegen(db);
    let interrupt = || db.unwind_if_revision_cancelled();
    let work = || codegen::compile_interruptibly(program, target, options, &interrupt);
    generated(db, item, target, program, work)
}

/// Runs a step of code generation, and returns its result, or its errors at their places in the
/// item.
pub(crate) fn generated<T>(
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
            if let Some(size) = &error.size {
                found.span = written_size(db, item, size).unwrap_or(found.span);
            }
            found.code = error.code;
            found.help = error.help;
            let stored = error
                .memory
                .and_then(|at| frontend(db, item).other_memory_fix(db, item, target, at));
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

/// Returns the first place at which the definition writes this size, if it does.
fn written_size(db: &dyn Db, item: SourceItem, size: &Nat) -> Option<Span> {
    let (parsed, inference) = (parsed(db, item.into()), inference(db, item));
    let terms = parsed.item.terms.iter().zip(&inference.terms);
    let same = terms.filter(|(_, info)| matches!(info, TermInfo::Arg(Arg::Nat(n)) if n == size));
    same.map(|(term, _)| term.span)
        .min_by_key(|span| span.start)
}

/// Returns true if the type of an expression of the definition has a constant number of elements
/// that does not fit into indices, so that generating code fails.
pub(crate) fn has_large_counts(db: &dyn Db, item: SourceItem) -> bool {
    let index = match Options::get(db).codegen(db).index {
        IndexPolicy::Fixed(width) => width,
        IndexPolicy::BySizes => IndexWidth::Bits64,
    };
    let limit = i64::try_from(index.limit()).unwrap_or(i64::MAX);
    inference(db, item).terms.iter().any(|info| match info {
        TermInfo::Expr(ty) => has_large_count(ty, 1, limit),
        _ => false,
    })
}

/// Returns true if `outer` values of a type have at least `limit` elements in an array of constant
/// size.
fn has_large_count(ty: &Type, outer: i64, limit: i64) -> bool {
    match ty {
        Type::Array(n, element) => {
            let size = match n.as_const() {
                Some(size) => size.max(1),
                None if n.overflows() => i64::MAX,
                None => 1,
            };
            let count = outer.saturating_mul(size);
            count >= limit || has_large_count(element, count, limit)
        }
        Type::Pair(a, b) => has_large_count(a, outer, limit) || has_large_count(b, outer, limit),
        Type::Fun(a, b) => has_large_count(a, 1, limit) || has_large_count(b, 1, limit),
        Type::Pi(pi) => has_large_count(&pi.body, 1, limit),
        Type::Exp(ty, _) | Type::Acc(ty) => has_large_count(ty, outer, limit),
        _ => false,
    }
}

/// Returns the number of bytes of local memory of each kernel that uses more of it at one time than
/// the device has. Kernels whose local memory depends on sizes are left out.
pub(crate) fn local_memory(module: &Module, device: &Device) -> impl Iterator<Item = u64> {
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

pub(crate) fn one(diagnostic: Diagnostic) -> Arc<[Diagnostic]> {
    Arc::new([diagnostic])
}

/// Creates an error at the place in the definition's own text that a phrase comes from, or at the
/// definition's name if there is none.
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

/// Returns the range of the word in the definition's own text that is highlighted for a phrase;
/// `None` if the phrase has no source there.
pub(crate) fn head(program: &PhraseProgram, origin: Origin) -> Option<Span> {
    own_source(program, origin).map(|source| source.head)
}

/// Returns the source of a phrase in the definition's own text. For a phrase of another definition,
/// this is the source of the use of that definition in the own text.
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

pub(crate) fn name_span(db: &dyn Db, item: SourceItem) -> Span {
    let parsed = parsed(db, item.into());
    parsed
        .item
        .name()
        .map_or_else(Span::default, |name| name.span)
}

/// Returns the errors of the definition's syntax, names and types if there are any; otherwise a new
/// error at its name with the message `error`.
pub(crate) fn not_linked(db: &dyn Db, item: SourceItem, error: &str) -> Arc<[Diagnostic]> {
    let own = item_diagnostics(db, ItemId::from(item));
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

/// Runs a computation that needs the definition's own text. A panic becomes a diagnostic.
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
