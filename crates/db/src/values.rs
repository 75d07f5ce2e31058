//! What the expressions of a definition give for small sizes and simple arguments.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nat::{Prop, Var};
use rise::Primitive;
use rise::core::{Origin, Program};
use runtime::generate::Generator;
use runtime::interp::{InterpError, Options, TraceLimits, run_traced};
use runtime::launch::{Launch, Request, Source, prepare};
use runtime::process::Cancel;
use runtime::text::Length;
use runtime::{Value, cc};
use syntax::Span;
use syntax::ast::{AnnotationValue, Item, Literal, Name, TermId, TermKind};

use crate::guard::guarded;
use crate::inputs::SourceItem;
use crate::queries::{linked, parsed};
use crate::{Database, Db, ItemId, is_cancelled, queries};

/// Steps of the interpreter after which it stops.
const MAX_STEPS: u64 = 1 << 20;
/// Bytes that arrays may take.
const MAX_MEMORY: u64 = 64 << 20;
/// Bytes that the arguments and the result may take.
const MAX_ARGUMENTS: u64 = 1 << 20;
/// A definition that takes longer has no values.
const MAX_TIME: Duration = Duration::from_millis(500);
/// The most expressions, and the most elements of one, that are looked at.
const TRACED: TraceLimits = TraceLimits {
    values: 4096,
    elements: 4096,
};
/// How often a run looks whether its text has changed.
const LOOK: Duration = Duration::from_millis(1);
/// Sizes of `@run` up to which they are small.
const SMALL: u64 = 16;
/// Sizes are looked for up to this one.
const LARGEST: u64 = 256;
/// Sizes that are tried.
const MAX_TRIES: u32 = 20_000;
/// Sets of sizes for which it is tried to start.
const MAX_STARTS: u32 = 16;

/// What the expressions of a definition give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The sizes, in order.
    pub sizes: Vec<(Name, i64)>,
    /// The arguments, in order, each on one line, long ones shortened.
    pub args: Vec<(Name, String)>,
    /// The first value of each expression in the definition's own text, by its place. Those that
    /// the interpreter did not come to are left out.
    pub values: Vec<(Span, String)>,
}

impl Values {
    /// The value of the expression at this place.
    pub fn at(&self, span: Span) -> Option<&str> {
        let at = self.values.binary_search_by_key(&span, |(span, _)| *span);
        at.ok().map(|at| self.values[at].1.as_str())
    }
}

impl Database {
    /// What the definition's expressions give for small sizes: those of `@run` that are small,
    /// else the smallest that its conditions allow; its arguments count 0, 1, 2, …. `None` for
    /// what is no program, and for programs that call C functions of their own: these are not run.
    pub fn values(&self, item: ItemId) -> Option<Arc<Values>> {
        queries::settle(self, [item]);
        values(self, item.into())
    }
}

/// The sizes of `@run(n = 1024)`.
pub fn default_sizes(item: &Item) -> Vec<(String, u64)> {
    let is_run = |name: &syntax::ast::Ident| name.name == "run";
    let runs = item
        .annotations
        .iter()
        .filter(|annotation| annotation.name.as_ref().is_some_and(is_run));
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
fn values(db: &dyn Db, item: SourceItem) -> Option<Arc<Values>> {
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
    guarded(&item.text(db), "interpreting", work).ok().flatten()
}

fn shown(program: &Program<Primitive>, launch: &Launch, trace: Vec<(Origin, Value)>) -> Values {
    let mut values: Vec<(Span, String)> = Vec::new();
    for (origin, value) in trace {
        let source = program.origins.get(origin.0 as usize);
        if let Some(source) = source.filter(|source| source.def.is_none()) {
            values.push((source.span, line(&value)));
        }
    }
    // What was computed first comes first.
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

/// The value on one line.
fn line(value: &Value) -> String {
    let text = value.text(Length::Short);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join(" ")
}

/// Interprets the program on threads of its own, until the text changes.
fn trace(db: &dyn Db, program: &Program<Primitive>, launch: &Launch) -> Vec<(Origin, Value)> {
    let cancel = Cancel::default();
    let options = Options {
        memory_limit: MAX_MEMORY,
        time_limit: Some(MAX_TIME),
        step_limit: Some(MAX_STEPS),
        cancel: Some(&cancel),
        foreign: None,
        trace: Some(TRACED),
    };
    type Run = (Result<Value, InterpError>, Vec<(Origin, Value)>);
    let found = thread::scope(|scope| {
        let (done, finished) = channel::<Run>();
        let work = move || {
            // Nobody waits any more if this fails.
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
            match finished.recv_timeout(LOOK) {
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

// Sizes.

/// Small sizes and simple arguments with which the program starts.
fn launch(program: &Program<Primitive>, given: &[(String, u64)]) -> Option<Launch> {
    let signature = program.signature();
    let sizes: Vec<Var> = signature.sizes().collect();
    let names: Vec<String> = sizes
        .iter()
        .map(|var| program.name_of(*var).to_string())
        .collect();
    let args = signature.values();
    let args: Vec<(String, Source)> = args
        .map(|param| {
            (
                param.local.name.to_string(),
                Source::Generated(Generator::Iota),
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
            Ok(launch) => Found::Launch(Box::new(launch)),
            Err(_) if starts < MAX_STARTS => Found::Nothing,
            Err(_) => Found::GivenUp,
        }
    };
    let wanted = |at: usize| {
        let name = names.get(at)?;
        let (_, size) = given.iter().find(|(given, _)| given == name)?;
        (*size <= SMALL).then_some(*size)
    };
    let mut search = Search {
        sizes: &sizes,
        conditions: &program.obligations,
        wanted: &wanted,
        values: Vec::new(),
        tries: 0,
    };
    match search.choose(&mut start) {
        Found::Launch(launch) => Some(*launch),
        Found::Nothing | Found::GivenUp => None,
    }
}

enum Found {
    Launch(Box<Launch>),
    Nothing,
    GivenUp,
}

/// Looks for sizes that fulfil the conditions, size after size, each from the smallest on.
struct Search<'a> {
    sizes: &'a [Var],
    conditions: &'a [Prop],
    /// What is asked for.
    wanted: &'a dyn Fn(usize) -> Option<u64>,
    /// What is chosen so far.
    values: Vec<u64>,
    tries: u32,
}

impl Search<'_> {
    fn choose(&mut self, start: &mut dyn FnMut(&[u64]) -> Found) -> Found {
        let at = self.values.len();
        if at == self.sizes.len() {
            return start(&self.values);
        }
        // Different sizes, so that one sees which is which.
        let first = match self.sizes.len() {
            1 => 4,
            _ => 2 + (at % 3) as u64,
        };
        let wanted = (self.wanted)(at);
        let others = (first..=LARGEST).chain((0..first).rev());
        for value in wanted.into_iter().chain(others) {
            self.tries += 1;
            if self.tries > MAX_TRIES {
                return Found::GivenUp;
            }
            self.values.push(value);
            let found = match self.is_possible() {
                true => self.choose(start),
                false => Found::Nothing,
            };
            self.values.pop();
            if !matches!(found, Found::Nothing) {
                return found;
            }
        }
        Found::Nothing
    }

    /// Whether the conditions hold on what is chosen last and before.
    fn is_possible(&self) -> bool {
        let value = |var: Var| {
            let at = self.sizes.iter().position(|size| *size == var)?;
            i64::try_from(*self.values.get(at)?).ok()
        };
        let fails = |prop: &Prop| prop.eval(&value, &|_, _| None) == Some(false);
        !self.conditions.iter().any(fails)
    }
}
