//! The values of a definition's expressions for small sizes and simple arguments, found by a run of
//! the interpreter; and the sizes that `@run` annotations give.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nat::{Prop, Var};
use rise::Primitive;
use rise::core::{Origin, Program};
use runtime::generate::Generator;
use runtime::interp::{InterpError, Options, TraceLimits, run_traced};
use runtime::launch::{ArgumentSource, Launch, Request, prepare};
use runtime::process::Cancel;
use runtime::value_text::Length;
use runtime::{Value, cc};
use syntax::Span;
use syntax::ast::{AnnotationValue, Item, Literal, Name, TermId, TermKind};

use crate::inputs::{Db, SourceItem, is_cancelled};
use crate::items::parsed;
use crate::panics::catch_panic;
use crate::terms::linked;

/// The number of steps after which the interpreter stops; expressions that are not evaluated until
/// then have no values.
const MAX_STEPS: u64 = 1 << 20;
/// The limit of the memory of all arrays of the interpreter at one time, in bytes.
const MAX_MEMORY: u64 = 64 << 20;
/// The limit of the memory of the arguments and the result together, in bytes.
const MAX_ARGUMENTS: u64 = 1 << 20;
/// The time limit of a run; expressions that are not evaluated until then have no values.
const MAX_TIME: Duration = Duration::from_millis(500);
/// The largest number of recorded values, and the largest number of scalars of a recorded value.
const TRACE_LIMITS: TraceLimits = TraceLimits {
    values: 4096,
    elements: 4096,
};
/// The interval at which a run checks for cancellation.
const CANCELLATION_INTERVAL: Duration = Duration::from_millis(1);
/// The largest size in `@run` that is used as it is.
const MAX_ANNOTATED_SIZE: u64 = 16;
/// The largest value of a size that is tried.
const MAX_SIZE: u64 = 256;
/// The largest number of times that the search tries a value for one of the sizes, in all.
const MAX_TRIES: u32 = 20_000;
/// The largest number of complete assignments with which the program is prepared.
const MAX_PREPARATIONS: u32 = 16;

/// The values of a definition's expressions in one run of the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The sizes of the run, in the order of the parameters.
    pub sizes: Vec<(Name, i64)>,
    /// The arguments of the run, in the order of the parameters, each on one line, long ones
    /// shortened.
    pub args: Vec<(Name, String)>,
    /// The first recorded value of each expression in the definition's own text, sorted by the
    /// range of the expression. Expressions that were not evaluated within the limits of the run,
    /// or whose values are too large, are left out.
    pub values: Vec<(Span, String)>,
}

impl Values {
    /// Returns the value of the expression with exactly this range in the item; `None` if none is
    /// recorded.
    pub fn at(&self, span: Span) -> Option<&str> {
        let at = self.values.binary_search_by_key(&span, |(span, _)| *span);
        at.ok().map(|at| self.values[at].1.as_str())
    }
}

/// Returns the sizes of the item's `@run` annotations, such as `@run(n = 1024)`. Arguments without
/// a name, or whose value is not a nonnegative integer literal without suffix, are left out.
pub fn default_sizes(item: &Item) -> Vec<(String, u64)> {
    let runs = item.annotations("run");
    let size = |arg: &syntax::ast::AnnotationArg| {
        let (Some(key), AnnotationValue::Term(term)) = (&arg.key, &arg.value) else {
            return None;
        };
        Some((key.name.to_string(), number(item, *term)?))
    };
    runs.flat_map(|annotation| annotation.args.iter().filter_map(size))
        .collect()
}

fn number(item: &Item, mut term: TermId) -> Option<u64> {
    loop {
        match &item.term(term).kind {
            TermKind::Paren(inner) => term = *inner,
            TermKind::Literal(Literal::Int {
                value,
                suffix: None,
            }) => return u64::try_from(*value).ok(),
            _ => return None,
        }
    }
}

#[salsa::tracked(returns(clone))]
pub(crate) fn values(db: &dyn Db, item: SourceItem) -> Option<Arc<Values>> {
    let program = linked(db, item).ok()?;
    let given = default_sizes(&parsed(db, item.into()).item);
    let work = || {
        program.runnable().ok()?;
        if !cc::foreign::functions_with_bodies(&program.body).is_empty() {
            return None;
        }
        let launch = launch(&program, &given)?;
        let trace = trace(db, &program, &launch);
        Some(Arc::new(shown(&program, &launch, trace)))
    };
    catch_panic(&item.text(db), "interpreting", work)
        .ok()
        .flatten()
}

fn shown(program: &Program<Primitive>, launch: &Launch, trace: Vec<(Origin, Value)>) -> Values {
    let mut values: Vec<(Span, String)> = Vec::new();
    for (origin, value) in trace {
        let source = program.origins.get(origin.0 as usize);
        if let Some(source) = source.filter(|source| source.def.is_none()) {
            values.push((source.span, line(&value)));
        }
    }
    // The sort is stable, so the first value of each place comes first.
    values.sort_by_key(|(span, _)| *span);
    values.dedup_by_key(|(span, _)| *span);
    let args = launch.params.iter().zip(&launch.args);
    Values {
        sizes: launch.sizes.clone(),
        args: args
            .map(|(name, value)| (name.clone(), line(value)))
            .collect(),
        values,
    }
}

fn line(value: &Value) -> String {
    let text = value.text(Length::Short);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join(" ")
}

/// Interprets the program on a separate thread, and returns the values that were recorded until the
/// end of the program or a limit. Unwinds if a change of the database cancels it.
fn trace(db: &dyn Db, program: &Program<Primitive>, launch: &Launch) -> Vec<(Origin, Value)> {
    let cancel = Cancel::default();
    let options = Options {
        memory_limit: MAX_MEMORY,
        time_limit: Some(MAX_TIME),
        step_limit: Some(MAX_STEPS),
        cancel: Some(&cancel),
        trace: Some(TRACE_LIMITS),
        ..Options::default()
    };
    type Run = (Result<Value, InterpError>, Vec<(Origin, Value)>);
    let found = thread::scope(|scope| {
        let (done, finished) = channel::<Run>();
        let work = move || {
            // Sending fails if the receiver no longer waits.
            let _ = done.send(run_traced(
                program,
                &launch.bindings,
                &launch.args,
                &options,
            ));
        };
        if thread::Builder::new().spawn_scoped(scope, work).is_err() {
            return Vec::new();
        }
        loop {
            match finished.recv_timeout(CANCELLATION_INTERVAL) {
                Ok((_, trace)) => return trace,
                Err(RecvTimeoutError::Timeout) if is_cancelled(db) => cancel.cancel(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Vec::new(),
            }
        }
    });
    db.unwind_if_revision_cancelled();
    found
}

/// Finds small sizes for which a run of the program can be prepared, with arguments whose elements
/// are 0, 1, 2, …. Sizes of `given` up to [`MAX_ANNOTATED_SIZE`] are tried first. Returns `None` if
/// the search finds none within its limits.
fn launch(program: &Program<Primitive>, given: &[(String, u64)]) -> Option<Launch> {
    let signature = program.signature();
    let sizes: Vec<Var> = signature.sizes().collect();
    let names: Vec<String> = sizes
        .iter()
        .map(|var| program.name_of(*var).to_string())
        .collect();
    let args = signature.values();
    let args: Vec<(String, ArgumentSource)> = args
        .map(|param| {
            (
                param.local.name.to_string(),
                ArgumentSource::Generated(Generator::Iota),
            )
        })
        .collect();
    let mut starts = 0;
    let mut start = |values: &[u64]| {
        starts += 1;
        let request = Request {
            sizes: names.iter().cloned().zip(values.iter().copied()).collect(),
            args: args.clone(),
            memory: Some(MAX_ARGUMENTS),
            ..Request::default()
        };
        match prepare(program, &request) {
            Ok(launch) => SearchOutcome::Launch(Box::new(launch)),
            Err(_) if starts < MAX_PREPARATIONS => SearchOutcome::Nothing,
            Err(_) => SearchOutcome::GivenUp,
        }
    };
    let wanted = |at: usize| {
        let name = names.get(at)?;
        let (_, size) = given.iter().find(|(given, _)| given == name)?;
        (*size <= MAX_ANNOTATED_SIZE).then_some(*size)
    };
    let mut search = SizeSearch {
        sizes: &sizes,
        conditions: &program.obligations,
        preferred: &wanted,
        values: Vec::new(),
        tries: 0,
    };
    match search.choose(&mut start) {
        SearchOutcome::Launch(launch) => Some(*launch),
        SearchOutcome::Nothing | SearchOutcome::GivenUp => None,
    }
}

enum SearchOutcome {
    Launch(Box<Launch>),
    Nothing,
    GivenUp,
}

/// Searches for sizes that satisfy the conditions, with backtracking. For each size the preferred
/// value is tried first, then the values from a small one (2, 3 or 4) up to [`MAX_SIZE`], then the
/// smaller ones down to 0.
struct SizeSearch<'a> {
    sizes: &'a [Var],
    conditions: &'a [Prop],
    /// The preferred value of the size at this index in `sizes`, if it has one.
    preferred: &'a dyn Fn(usize) -> Option<u64>,
    /// The values chosen so far, for the first of `sizes`.
    values: Vec<u64>,
    tries: u32,
}

impl SizeSearch<'_> {
    fn choose(&mut self, start: &mut dyn FnMut(&[u64]) -> SearchOutcome) -> SearchOutcome {
        let at = self.values.len();
        if at == self.sizes.len() {
            return start(&self.values);
        }
        // The first values differ, so that the sizes can be told apart in the result.
        let first = match self.sizes.len() {
            1 => 4,
            _ => 2 + (at % 3) as u64,
        };
        let wanted = (self.preferred)(at);
        let others = (first..=MAX_SIZE).chain((0..first).rev());
        for value in wanted.into_iter().chain(others) {
            self.tries += 1;
            if self.tries > MAX_TRIES {
                return SearchOutcome::GivenUp;
            }
            self.values.push(value);
            let found = match self.is_possible() {
                true => self.choose(start),
                false => SearchOutcome::Nothing,
            };
            self.values.pop();
            if !matches!(found, SearchOutcome::Nothing) {
                return found;
            }
        }
        SearchOutcome::Nothing
    }

    /// Returns true if no condition is refuted by the chosen values.
    fn is_possible(&self) -> bool {
        let value = |var: Var| {
            let at = self.sizes.iter().position(|size| *size == var)?;
            i64::try_from(*self.values.get(at)?).ok()
        };
        let fails = |prop: &Prop| prop.eval(&value, &|_, _| None) == Some(false);
        !self.conditions.iter().any(fails)
    }
}
