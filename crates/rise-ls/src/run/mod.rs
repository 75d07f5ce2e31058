//! Runs definitions, for the command line and for editors: interpreted, or compiled and called.

mod backend;
mod compiled;
mod devices;
mod interpreted;
mod json;
mod opencl;
mod phrases;
mod places;
pub mod text;

use backend::Choice;
pub use backend::{Backend, enumeration, target_names};
use codegen::PassSet;
pub use db::default_sizes;
pub use devices::{WORKER, device, devices};
pub use json::{FailureJson, Summary, failure as failure_json, result as result_json};
pub use opencl::{KernelRun, OnDevice};

use db::{Binding, Database, Declaration, FileId, IndexWidth, ItemId};
use rise::Primitive;
use rise::core::Program;
use runtime::cc::{CompileError, RunError};
use runtime::compare::{Comparison, compare};
use runtime::generate::Generator;
use runtime::launch::{self, ArgumentSource, Launch, LaunchError, Request};
use runtime::literal::{Literal, LiteralError};
use runtime::ocl::PlanError;
use runtime::process::{Limits, ProcessError};
use runtime::{Bindings, ShapeError, Value, ocl};
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use syntax::{Diagnostic, Dialect, Severity, Span};
use thiserror::Error;

/// A request to run a program.
#[derive(Clone, Debug)]
pub struct Job {
    /// The backend; `None` selects one automatically.
    pub backend: Option<Backend>,
    /// The sizes and arguments.
    pub request: Request,
    /// The number of timed runs after a warm-up; `None` runs once.
    pub bench: Option<u32>,
    /// True if the result is compared with that of the interpreter.
    pub verify: bool,
    /// The tolerance of that comparison.
    pub tolerance: Option<f64>,
    /// The width of sizes and indices; `None` selects the one that the sizes need.
    pub index: Option<IndexWidth>,
    /// The optional passes of the compiler that are left out.
    pub without: PassSet,
    /// The OpenCL device: a part of its name or platform, or its number (`#0`).
    pub device: Option<String>,
    /// The default for `device`, from the settings. It does not imply OpenCL, as `device` does.
    pub preferred_device: Option<String>,
    /// The local size of the kernels, up to three dimensions, instead of the program's own.
    pub local: Option<Vec<u64>>,
    /// The global size of the kernels, up to three dimensions, instead of the program's own.
    pub global: Option<Vec<u64>>,
}

impl Job {
    /// Returns true if the job has options that only OpenCL supports.
    fn is_for_devices(&self) -> bool {
        self.device.is_some() || self.local.is_some() || self.global.is_some()
    }

    fn wanted_device(&self) -> Option<&str> {
        self.device.as_deref().or(self.preferred_device.as_deref())
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct Done {
    pub def: String,
    pub backend: Backend,
    /// The reason why the program was not compiled, if the interpreter was not requested.
    pub fallback: Option<String>,
    /// The sizes and arguments of the run.
    pub launch: Launch,
    pub value: Value,
    /// The times of the timed runs; empty if none was requested.
    pub times: Vec<Duration>,
    /// The time of the last call.
    pub elapsed: Duration,
    /// The number of floating-point operations of a run, if it can be counted.
    pub flops: Option<u64>,
    /// The comparison with the interpreter's result, if it was requested.
    pub verified: Option<Comparison>,
    /// The tolerance of that comparison, if one was given.
    pub tolerance: Option<f64>,
    /// The output of the program itself.
    pub printed: String,
    /// The warnings of the C compiler about the bodies of foreign functions.
    pub warnings: Vec<Complaint>,
    /// The options of the compiler, if the program was compiled.
    pub flags: Option<Vec<String>>,
    /// The OpenCL device and its times, if the program ran on one.
    pub device: Option<OnDevice>,
}

/// The reason why a run has no result.
#[derive(Debug)]
pub enum Failure {
    /// The definition, or one that it uses, has errors, or cannot be compiled.
    Wrong(Vec<(ItemId, Vec<Diagnostic>)>),
    /// The sizes or arguments are invalid.
    Launch(LaunchError),
    /// The launch sizes of kernels are invalid.
    Plan(Box<PlanError>),
    /// A tool is missing, or the request is not supported.
    Unavailable(String),
    /// The C or OpenCL compiler rejected the generated code, or the program failed while it ran.
    Failed(Complaint),
    /// The run was cancelled.
    Cancelled,
}

/// An item, and a span relative to its start.
pub type Location = (ItemId, Span);

/// A message about a run: a failure, or a warning of a compiler.
#[derive(Debug)]
pub struct Complaint {
    pub message: String,
    /// The source location, if it is known.
    pub place: Option<Location>,
    /// The uses that led to this location, innermost first.
    pub uses: Vec<Location>,
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Failure {
        Failure::Launch(error)
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        match error {
            CompileError::Process(ProcessError::Cancelled) => Failure::Cancelled,
            CompileError::Refused { .. } | CompileError::Process(_) => {
                Failure::failed(error.to_string())
            }
            CompileError::NoCompiler(_) | CompileError::Files { .. } | CompileError::NoFolder => {
                Failure::Unavailable(error.to_string())
            }
        }
    }
}

impl From<ProcessError> for Failure {
    fn from(error: ProcessError) -> Failure {
        match error {
            ProcessError::Cancelled => Failure::Cancelled,
            error => Failure::failed(error.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Process(ProcessError::Cancelled) => Failure::Cancelled,
            RunError::Memory { .. } | RunError::Shape(_) | RunError::Files(_) => {
                Failure::Unavailable(error.to_string())
            }
            RunError::Process(_) | RunError::Failed { .. } | RunError::NoResult { .. } => {
                let mut text = error.to_string();
                if text.contains("division by zero") {
                    text.push_str("; run it with `--backend interp` to find the place");
                }
                Failure::failed(text)
            }
        }
    }
}

impl From<ShapeError> for Failure {
    fn from(error: ShapeError) -> Failure {
        Failure::Launch(LaunchError::Result(error))
    }
}

impl Failure {
    fn failed(message: String) -> Failure {
        Failure::Failed(Complaint {
            message,
            place: None,
            uses: Vec::new(),
        })
    }
}

/// The reason why the source of an argument cannot be parsed.
#[derive(Debug, Error)]
pub enum SourceError {
    /// A generator with invalid bounds.
    #[error("{0}")]
    Generator(String),
    /// Text that is not a value.
    #[error(transparent)]
    Literal(#[from] LiteralError),
}

/// Parses the source of an argument: a generator such as `random`, a `.npy` file, or a value.
///
/// # Errors
/// Fails if the text is none of these, a generator has invalid bounds, or the text is the name of
/// an existing file other than a `.npy` file.
pub fn source(text: &str) -> Result<ArgumentSource, SourceError> {
    let text = text.trim();
    if let Some(generator) = Generator::parse(text) {
        return generator
            .map(ArgumentSource::Generated)
            .map_err(SourceError::Generator);
    }
    Ok(match text {
        _ if text.to_ascii_lowercase().ends_with(".npy") => ArgumentSource::File(text.into()),
        _ => match Literal::parse(text)? {
            // A single word may also be the name of a file of another type.
            Literal::Word(word) if Path::new(&word).is_file() => {
                return Err(LiteralError::Syntax(
                    word,
                    "it is the name of a file, and only .npy files are read",
                )
                .into());
            }
            literal => ArgumentSource::Literal(literal),
        },
    })
}

/// Prepares a database for [`run`]: sets the launch sizes and the index width for which programs
/// are checked and compiled, the passes that are left out, and the device if the job names one or a
/// backend with devices.
///
/// # Errors
/// Fails if a device is needed and none matches, several match, or the drivers fail.
pub fn prepare(db: &mut Database, item: ItemId, job: &Job, limits: &Limits) -> Result<(), Failure> {
    db.set_launch(
        job.local.as_deref().unwrap_or_default(),
        job.global.as_deref().unwrap_or_default(),
    );
    if job.backend.is_some_and(Backend::has_devices) || job.device.is_some() {
        let device = devices::device(job.wanted_device(), limits)?;
        db.set_device(Some(device.description()));
    }
    db.set_left_out_passes(job.without.clone());
    db.set_index_width(job.index.unwrap_or_default());
    if job.index.is_none() && !fits_narrow(db, item, job, limits) {
        db.set_index_width(IndexWidth::Bits64);
    }
    Ok(())
}

/// Returns true if 32-bit indices are sufficient for a run: for its arrays, and for the counters of
/// the generated code. Also returns true if the definition has errors, no backend can be chosen,
/// the interpreter is chosen, or there is no device; [`run`] then reports the errors. Returns false
/// if the sizes are invalid for 32 bits, or no code can be generated.
fn fits_narrow(db: &Database, item: ItemId, job: &Job, limits: &Limits) -> bool {
    let Ok((program, _)) = of_dialect(db, item) else {
        return true;
    };
    let Ok(sizes) = launch::sizes(&program, &job.request, IndexWidth::Bits32) else {
        return false;
    };
    let choice = match db.dialect(db.file_of(item)) {
        Dialect::Rise => backend::choose(db, item, &program, job, limits),
        Dialect::Dpia => phrases::choose(db, item, job),
    };
    let Some(target) = choice.ok().and_then(|choice| choice.backend.target()) else {
        return true;
    };
    let Ok(module) = db.module(item, target) else {
        return false;
    };
    let vars = module.signature.sizes.iter().map(|(var, _)| *var);
    let bindings = Bindings {
        nats: vars.zip(sizes.iter().map(|(_, value)| *value)).collect(),
        ..Bindings::default()
    };
    let limit = IndexWidth::Bits32.limit();
    let mut counts = module.counts.iter().map(|count| bindings.nat(count));
    if !counts.all(|count| count.is_ok_and(|count| count < limit)) {
        return false;
    }
    // A missing device is reported when the program runs.
    !target.features().has_work_items()
        || devices::device(job.wanted_device(), limits)
            .map_or(true, |device| ocl::counters_fit(&module, &sizes, &device))
}

/// Runs a definition. Calls `progress` with the name of each stage.
pub fn run(
    db: &Database,
    item: ItemId,
    job: &Job,
    limits: &Limits,
    progress: &mut dyn FnMut(&str),
) -> Result<Done, Failure> {
    progress("checking");
    let (program, imperative) = of_dialect(db, item)?;
    let Choice { backend, fallback } = match imperative {
        true => phrases::choose(db, item, job)?,
        false => backend::choose(db, item, &program, job, limits)?,
    };
    if job.verify && backend == Backend::Interp {
        return Err(Failure::Unavailable(nothing_to_compare(
            &program.name,
            fallback.as_deref(),
        )));
    }
    // The interpreter has 32-bit indices.
    let index = match backend == Backend::Interp || job.verify {
        true => IndexWidth::Bits32,
        false => db.index_width(),
    };
    let clock = limits.clock();
    let stop = || limits.cancel.is_cancelled() || clock.exceeded().is_some();
    let launch = launch::prepare_for(&program, &job.request, index, &stop).map_err(|error| {
        match clock.exceeded() {
            _ if !error.is_stopped() => Failure::from(error),
            Some(time) => ProcessError::TooLong(time).into(),
            None => Failure::Cancelled,
        }
    })?;
    let runs = Runs {
        db,
        item,
        program: &program,
        launch: &launch,
        bindings: &launch.bindings,
        limits,
    };
    let ran = match backend {
        Backend::Interp => runs.interpreted(job.bench, progress)?,
        Backend::Compiled(target) if backend.has_devices() => {
            runs.on_device(target, job, progress)?
        }
        Backend::Compiled(target) => runs.compiled(target, job.bench, progress)?,
    };
    let verified = if job.verify {
        Some(runs.verified(backend, &ran.value, job.tolerance, progress)?)
    } else {
        None
    };
    // Loops of an imperative program are not counted.
    let flops = (!imperative)
        .then(|| runtime::flop_count::flops(&program, &launch.bindings))
        .flatten();
    Ok(Done {
        def: program.name.to_string(),
        backend,
        fallback,
        value: ran.value,
        times: ran.times,
        elapsed: ran.elapsed,
        flops,
        verified,
        tolerance: job.tolerance,
        printed: ran.printed,
        warnings: ran.warnings,
        flags: ran.flags,
        device: ran.device,
        launch,
    })
}

/// Returns the message for a run of the interpreter that is to be compared with itself.
fn nothing_to_compare(name: &str, fallback: Option<&str>) -> String {
    let text = "there is no result to compare with that of the interpreter";
    match fallback {
        Some(why) => format!("{text}: `{name}` is not compiled: {why}"),
        None => format!(
            "{text}: the interpreter itself runs `{name}`; choose another backend: {}",
            target_names()
        ),
    }
}

/// The data that the runs of one job share.
struct Runs<'a> {
    db: &'a Database,
    item: ItemId,
    program: &'a Program<Primitive>,
    launch: &'a Launch,
    /// The values of the type-level variables of the program.
    bindings: &'a Bindings,
    limits: &'a Limits,
}

/// The result of running a backend.
struct Ran {
    value: Value,
    times: Vec<Duration>,
    elapsed: Duration,
    printed: String,
    warnings: Vec<Complaint>,
    flags: Option<Vec<String>>,
    device: Option<OnDevice>,
}

impl Runs<'_> {
    fn is_rise(&self) -> bool {
        self.db.dialect(self.db.file_of(self.item)) == Dialect::Rise
    }

    /// Compares a result of a backend with that of the interpreter. If the default schedule
    /// contracts sums of products, the interpreter computes the contracted sums, too.
    fn verified(
        &self,
        backend: Backend,
        value: &Value,
        tolerance: Option<f64>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Comparison, Failure> {
        let contracted = match backend {
            Backend::Compiled(target) if self.is_rise() => {
                self.db.contracted_program(self.item, target)
            }
            _ => None,
        };
        let expected = match contracted.and_then(Result::ok) {
            Some(program) => Runs {
                program: &program,
                bindings: &self.launch.bindings_of(&program),
                ..*self
            }
            .interpreted(None, progress)?,
            None => self.interpreted(None, progress)?,
        };
        progress("comparing");
        compare(value, &expected.value, tolerance)
            .ok_or_else(|| Failure::failed("the interpreter's result has another shape".to_owned()))
    }
}

/// Checks sizes of a definition as a run with these sizes and random arguments does. A definition
/// without a program has no sizes to check.
pub fn check_sizes(
    db: &Database,
    item: ItemId,
    sizes: Vec<(String, u64)>,
) -> Result<(), LaunchError> {
    let Ok((program, _)) = of_dialect(db, item) else {
        return Ok(());
    };
    let request = Request {
        sizes,
        ..Request::default()
    };
    launch::sizes(&program, &request, IndexWidth::Bits64).map(|_| ())
}

/// Returns the program of a definition, and true if it is a definition of imperative DPIA.
fn of_dialect(db: &Database, item: ItemId) -> Result<(Arc<Program<Primitive>>, bool), Failure> {
    match db.dialect(db.file_of(item)) {
        Dialect::Rise => Ok((program(db, item)?, false)),
        Dialect::Dpia => phrases::program(db, item),
    }
}

/// Returns the closed program of a definition, without the rewrites of its strategy. If the
/// strategy adds parameters, returns the rewritten program.
fn program(db: &Database, item: ItemId) -> Result<Arc<Program<Primitive>>, Failure> {
    if let Some(Ok(lowered)) = db.lowered(item)
        && !lowered.parameters.is_empty()
    {
        let wrong = |found: Arc<[Diagnostic]>| Failure::Wrong(vec![(item, found.to_vec())]);
        return db.code_linked(item).map_err(wrong);
    }
    db.linked(item).map_err(|error| {
        let wrong = causes(db, item);
        if wrong.is_empty() {
            Failure::failed(error.to_string())
        } else {
            Failure::Wrong(wrong)
        }
    })
}

/// Returns the errors because of which a definition has no program: those of the definition or, if
/// it has none, those of the nearest definitions that it uses; if no definition has errors, those
/// of the imports of their files.
pub fn causes(db: &Database, item: ItemId) -> Vec<(ItemId, Vec<Diagnostic>)> {
    let errors_of = |items: &[ItemId]| -> Vec<(ItemId, Vec<Diagnostic>)> {
        let all = items.iter();
        all.map(|&item| (item, errors(&db.item_diagnostics(item))))
            .filter(|(_, errors)| !errors.is_empty())
            .collect()
    };
    let mut seen = FxHashSet::default();
    let wrong = nearest(db, item, &mut seen, errors_of);
    if !wrong.is_empty() {
        return wrong;
    }
    // A name that a missing import would define has no error at its use: the import has the error.
    let files: FxHashSet<FileId> = seen.iter().map(|&item| db.file_of(item)).collect();
    let items = files.into_iter().flat_map(|file| db.items(file).to_vec());
    let is_import = |item: &ItemId| matches!(db.header(*item).declares, Declaration::Import(_));
    errors_of(&items.filter(is_import).collect::<Vec<_>>())
}

/// Returns the errors because of which a definition has no code although it has a program: those of
/// the strategies of the nearest definitions that it uses and whose strategies fail.
pub fn causes_in_strategies(db: &Database, item: ItemId) -> Vec<(ItemId, Vec<Diagnostic>)> {
    if db.linked(item).is_err() || db.code_linked(item).is_ok() {
        return Vec::new();
    }
    nearest(db, item, &mut FxHashSet::default(), |items| {
        let lowered = items.iter().map(|&item| (item, db.lowered(item)));
        lowered
            .filter_map(|(item, lowered)| Some((item, errors(&lowered?.err()?))))
            .filter(|(_, errors)| !errors.is_empty())
            .collect()
    })
}

/// Returns the first results that are not empty for the definition, the definitions that it uses,
/// those that they use, and so on. Adds the visited definitions to `seen`.
fn nearest<T>(
    db: &Database,
    item: ItemId,
    seen: &mut FxHashSet<ItemId>,
    of: impl Fn(&[ItemId]) -> Vec<T>,
) -> Vec<T> {
    seen.insert(item);
    let mut level = vec![item];
    while !level.is_empty() {
        let found = of(&level);
        if !found.is_empty() {
            return found;
        }
        let bindings = level.iter().flat_map(|&item| db.bindings(item).to_vec());
        let used = bindings.filter_map(|(_, binding)| match binding {
            Binding::Def(used) => Some(used),
            _ => None,
        });
        level = used.filter(|&used| seen.insert(used)).collect();
    }
    Vec::new()
}

fn errors(all: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    all.iter().filter(is_error).cloned().collect()
}
