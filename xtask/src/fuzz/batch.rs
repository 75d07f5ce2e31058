//! Compiles some random programs together, runs them, and compares the results with the
//! interpreter.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use codegen::Target;
use db::{Database, Declaration, FilePath, ItemId};
use random_programs::{Backend, Program};
use runtime::cc::foreign::{ForeignFunctions, functions_with_bodies};
use runtime::cc::{self, Compiler, Executable, Runs};
use runtime::generate::Fill;
use runtime::interp::{self, ForeignCall, Options};
use runtime::launch::{self, Launch, Request};
use runtime::process::Limits;
use runtime::{Bindings, Shape, Value};
use syntax::{Diagnostic, Severity};

/// The largest difference of floating-point numbers in parallel reductions, where the order of
/// additions is not determined and the arguments are multiples of 1/256, and on OpenCL devices. It
/// is relative to `max(1, |b|)` for the expected number `b`. All other results are equal bit for
/// bit.
const TOLERANCE: f64 = 1e-3;

/// A program of a batch.
pub struct Candidate<'a> {
    /// The number of the program, which is a part of its name.
    pub number: u64,
    /// The target.
    pub backend: Backend,
    /// The program.
    pub program: &'a Program,
}

/// The outcome for a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The generated code has the interpreter's result.
    Agrees,
    /// The program is refused for this reason.
    Refused(String),
    /// The program fails: the kind of failure and its details.
    Wrong(&'static str, String),
}

/// A program with generated code.
struct Compiled {
    at: usize,
    program: Arc<rise::core::Program<rise::Primitive>>,
    text: String,
    name: String,
    openmp: bool,
    fixed_order: bool,
    launch: Launch,
    params: Vec<Shape>,
}

/// Tests programs of one target.
pub fn attempt(
    candidates: &[Candidate<'_>],
    compiler: &Compiler,
    scratch: &Path,
    limits: &Limits,
) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Agrees; candidates.len()];
    let mut compiled = Vec::new();
    for (at, candidate) in candidates.iter().enumerate() {
        let result = catch_unwind(AssertUnwindSafe(|| translated(candidate)));
        match result {
            Ok(Ok((program, module, launch))) => compiled.push(Compiled {
                at,
                program,
                text: module.text.clone(),
                name: module.signature.name.to_string(),
                openmp: candidate.backend == Backend::OpenMp,
                fixed_order: has_fixed_order(&candidate.program.text),
                params: launch.args.iter().map(|v| v.shape().clone()).collect(),
                launch,
            }),
            Ok(Err(verdict)) => verdicts[at] = verdict,
            Err(panic) => verdicts[at] = Verdict::Wrong("a panic", words(&*panic)),
        }
    }
    executed(&compiled, compiler, scratch, limits, &mut verdicts);
    verdicts
}

pub(super) fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

pub(super) type Translated = (
    Arc<rise::core::Program<rise::Primitive>>,
    Arc<codegen::Module>,
    Launch,
);

/// Returns the program in explicit terms, its code, and its arguments.
pub(super) fn translated(candidate: &Candidate<'_>) -> Result<Translated, Verdict> {
    let mut db = Database::new();
    let text = candidate.program.numbered(candidate.number);
    let file = db.set_file(FilePath::disk(Path::new("/random.rise")), text.as_str());
    let name = format!("random{}", candidate.number);
    let named =
        |item: &ItemId| matches!(&db.header(*item).declares, Declaration::Def(n) if **n == *name);
    let Some(item) = db.items(file).iter().copied().find(named) else {
        return Err(Verdict::Wrong("no definition", name));
    };
    let target = match candidate.backend {
        Backend::C => Target::C,
        Backend::OpenMp => Target::OpenMp,
        Backend::OpenCl => Target::OpenCl,
    };
    let program = db
        .linked(item)
        .map_err(|error| Verdict::Wrong("does not check", error.to_string()))?;
    let module = db.module(item, target).map_err(|found| refusal(&found))?;
    let sizes = match candidate.program.sized {
        true => vec![("n".to_owned(), 1 + candidate.number % 5)],
        false => Vec::new(),
    };
    let request = Request {
        sizes,
        seed: candidate.number,
        ..Request::default()
    };
    let mut launch = launch::prepare(&program, &request)
        .map_err(|error| Verdict::Refused(format!("before the run: {error}")))?;
    let is_exact = candidate.backend != Backend::OpenCl;
    if is_exact && has_fixed_order(&candidate.program.text) && !candidate.number.is_multiple_of(4) {
        let seed = candidate.number.wrapping_mul(31);
        for (at, arg) in (seed..).zip(&mut launch.args) {
            let extreme = Fill::Extreme(at).value(arg.shape().clone());
            *arg = extreme.map_err(|error| Verdict::Refused(error.to_string()))?;
        }
    }
    let values = module.signature.sizes.iter().zip(&launch.sizes);
    let bindings = Bindings {
        nats: values
            .map(|((var, _), (_, value))| (*var, *value))
            .collect(),
        names: rise::Names(module.signature.names.clone().into()),
        ..Bindings::default()
    };
    launch::check(&module.signature.requires, &bindings)
        .map_err(|error| Verdict::Refused(format!("before the run: {error}")))?;
    Ok((program, module, launch))
}

/// Returns true if the order of floating-point additions is determined.
fn has_fixed_order(text: &str) -> bool {
    !text.contains("reducePar")
}

/// Returns the refusal of a program without code. A reason without a message or span is a failure.
fn refusal(found: &[Diagnostic]) -> Verdict {
    let errors: Vec<&Diagnostic> = (found.iter())
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    let Some(first) = errors.first() else {
        return Verdict::Wrong("refused without a reason", String::new());
    };
    if let Some(vague) =
        (errors.iter()).find(|error| error.message.is_empty() || error.span.is_empty())
    {
        return Verdict::Wrong("a reason without words or place", vague.message.clone());
    }
    Verdict::Refused(format!("{}: {}", first.code.as_str(), first.message))
}

/// Compiles programs together, and one by one if that fails, and runs them.
fn executed(
    compiled: &[Compiled],
    compiler: &Compiler,
    scratch: &Path,
    limits: &Limits,
    verdicts: &mut [Verdict],
) {
    if compiled.is_empty() {
        return;
    }
    let programs: Vec<cc::Program<'_>> = compiled.iter().map(Compiled::c_program).collect();
    let text = together(compiled);
    let built = cc::compile_together(&programs, &text, scratch, compiler, limits);
    match built {
        Ok(executable) => {
            let foreign = foreign_functions(compiled, scratch, limits);
            for (number, one) in (0..).zip(compiled) {
                let number = (compiled.len() > 1).then_some(number);
                verdicts[one.at] = one.run(&executable, number, &foreign, limits);
            }
        }
        Err(error) => match compiled {
            [one] => {
                verdicts[one.at] = Verdict::Wrong("the C compiler refuses it", error.to_string())
            }
            _ => {
                for one in compiled {
                    executed(
                        std::slice::from_ref(one),
                        compiler,
                        scratch,
                        limits,
                        verdicts,
                    );
                }
            }
        },
    }
}

/// Concatenates the texts; headers, types and helpers that several texts have are included once.
fn together(compiled: &[Compiled]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for one in compiled {
        for part in one.text.split("\n\n") {
            let lines = part.lines().next().is_some_and(|line| {
                line.starts_with("#include") || line.starts_with("typedef") && line.ends_with(';')
            });
            let all: Vec<&str> = if lines {
                part.lines().collect()
            } else {
                vec![part]
            };
            for part in all {
                let shared = ["#", "typedef", "static", "_Static_assert"]
                    .iter()
                    .any(|start| part.starts_with(start));
                if !shared || !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
    }
    // The headers come first, as the rest depends on them.
    let (headers, rest): (Vec<&str>, Vec<&str>) =
        (parts.into_iter()).partition(|part| part.starts_with("#include"));
    format!("{}\n\n{}\n", headers.join("\n"), rest.join("\n\n"))
}

/// Compiles the C functions of the programs, for the interpreter.
fn foreign_functions(
    compiled: &[Compiled],
    scratch: &Path,
    limits: &Limits,
) -> Result<Option<ForeignFunctions>, String> {
    let all: Vec<_> = compiled
        .iter()
        .flat_map(|one| functions_with_bodies(&one.program.body))
        .collect();
    if all.is_empty() {
        return Ok(None);
    }
    let compiler = Compiler::find(limits).map_err(|error| error.to_string())?;
    ForeignFunctions::compile_in(scratch, &all, &compiler, limits)
        .map(Some)
        .map_err(|error| error.to_string())
}

impl Compiled {
    fn c_program(&self) -> cc::Program<'_> {
        cc::Program {
            text: &self.text,
            function: &self.name,
            outputs: self.launch.outputs(),
            sizes: self.launch.sizes.len(),
            index: codegen::IndexWidth::default(),
            params: &self.params,
            openmp: self.openmp,
        }
    }

    fn run(
        &self,
        executable: &Executable,
        number: Option<i64>,
        foreign: &Result<Option<ForeignFunctions>, String>,
        limits: &Limits,
    ) -> Verdict {
        let foreign = match foreign {
            Ok(foreign) => foreign.as_ref().map(|all| all as &dyn ForeignCall),
            Err(error) => return Verdict::Wrong("its C functions", error.clone()),
        };
        let options = Options {
            foreign,
            time_limit: limits.clock().left(),
            ..Options::default()
        };
        let Launch { bindings, args, .. } = &self.launch;
        let result = catch_unwind(AssertUnwindSafe(|| {
            interp::run(&self.program, bindings, args, &options)
        }));
        let expected = match result {
            Ok(Ok(outcome)) => outcome.value,
            Ok(Err(error)) => return Verdict::Wrong("the interpreter fails", error.to_string()),
            Err(panic) => return Verdict::Wrong("the interpreter panics", words(&*panic)),
        };
        let sizes: Vec<i64> = number
            .into_iter()
            .chain(self.launch.sizes.iter().map(|(_, value)| *value))
            .collect();
        let args: Vec<&Value> = args.iter().collect();
        let once = Runs {
            warm_up: 0,
            timed: 1,
        };
        let shape = expected.shape().clone();
        let outputs = self.launch.outputs();
        match executable.run(&sizes, &args, shape, outputs, once, limits) {
            Err(error) => Verdict::Wrong("it does not run", error.to_string()),
            Ok(outcome) if self.fixed_order => identical(&outcome.value, &expected),
            Ok(outcome) => compared(&outcome.value, &expected),
        }
    }
}

fn identical(actual: &Value, expected: &Value) -> Verdict {
    match runtime::compare::first_difference(actual, expected) {
        None => Verdict::Wrong("another shape", String::new()),
        Some(None) => Verdict::Agrees,
        Some(Some(first)) => Verdict::Wrong(
            "another value",
            format!(
                "{} is {:?} instead of {:?}",
                first.path, first.actual, first.expected
            ),
        ),
    }
}

pub(super) fn compared(actual: &Value, expected: &Value) -> Verdict {
    match runtime::compare::compare(actual, expected, Some(TOLERANCE)) {
        None => Verdict::Wrong("another shape", String::new()),
        Some(found) => match found.first {
            None => Verdict::Agrees,
            Some(first) => Verdict::Wrong(
                "another value",
                format!(
                    "{} of {}; {} is {:?} instead of {:?}",
                    found.wrong, found.compared, first.path, first.actual, first.expected
                ),
            ),
        },
    }
}
