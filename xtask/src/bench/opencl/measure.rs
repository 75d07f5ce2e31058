//! Measures programs in this process.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use codegen::Target;
use codegen::{Module, PassSet};
use db::{Database, ItemId};
use rise::core::Program;
use runtime::Value;
use runtime::cc::Compiler;
use runtime::cc::foreign::{ForeignFunctions, functions_with_bodies};
use runtime::compare::compare;
use runtime::generate::Generator;
use runtime::interp::{self, ForeignCall};
use runtime::launch::{ArgumentSource, Launch, Request, prepare};
use runtime::ocl::{Built, Session, plan};
use runtime::process::{Cancel, Limits};

use super::kernels::{Arguments, Kernels, annotated, said};
use super::list::{Entry, Sizes, Twin, twin};
use super::results::{Machine, Measured, Point};
use super::{Options, Outcome, arguments, limits, say, say_failure};
use crate::bench::programs::{definition, first, sources};

/// The minimal number of warm-up launches.
const WARM_UP: usize = 3;
/// The minimal time of all warm-up launches, each of which counts as at least 20 µs.
const WARM_FOR: Duration = Duration::from_millis(20);
/// The time below which kernels are launched [`LAUNCHES`] times in a round, of which the median
/// counts.
const SHORT: Duration = Duration::from_micros(200);
/// The number of launches of a short kernel in a round.
const LAUNCHES: usize = 5;

/// Measures these programs and prints the results as JSON lines.
pub fn all(root: &Path, entries: &[Entry], names: &[String], options: &Options) -> Outcome<()> {
    let session = match Session::open(options.device.as_deref()) {
        Ok(session) => session,
        Err(error) => return say_failure(&error.to_string()),
    };
    let machine = match limits::measure(&session) {
        Ok(machine) => machine,
        Err(error) => return say_failure(&error.to_string()),
    };
    say(&Machine::json(&machine))?;
    for entry in entries.iter().filter(|entry| names.contains(&entry.name)) {
        let mut measured = Measured {
            name: entry.name.clone(),
            ..Measured::default()
        };
        let twin = entry.twin.as_ref();
        let model = twin.and_then(|name| entries.iter().find(|other| other.name == *name));
        let model = model.unwrap_or(entry);
        if let Err(error) = one(root, entry, model, &session, options, &mut measured) {
            measured.error = Some(error);
        }
        say(&measured.json())?;
    }
    Ok(())
}

/// A program with its generated and hand-written kernels, compiled.
struct Ready<'a> {
    entry: &'a Entry,
    session: &'a Session,
    program: Arc<Program<rise::Primitive>>,
    /// The program with the hand-written kernels, which are launched as its annotation says.
    model: Arc<Program<rise::Primitive>>,
    /// The generated module and its kernels, or the reason why there are none.
    generated: Result<(Arc<Module>, Built), String>,
    by_hand: Option<(Twin, Built)>,
}

/// The generated and the hand-written kernels with their arguments.
struct Both {
    generated: Option<Kernels>,
    by_hand: Option<Kernels>,
}

fn one(
    root: &Path,
    entry: &Entry,
    model: &Entry,
    session: &Session,
    options: &Options,
    measured: &mut Measured,
) -> Result<(), String> {
    let ready = Ready::new(root, entry, model, session, options, measured)?;
    measured.error = ready.generated.as_ref().err().cloned();
    let start = Instant::now();
    for sizes in entry.verify.iter().filter(|_| options.verify) {
        ready.verify(sizes)?;
        measured.verified += 1;
    }
    measured.spent("verify", start);
    let sizes = if options.tiny {
        &entry.verify
    } else {
        &entry.bench
    };
    for sizes in sizes {
        let point = ready.measure(sizes, options.rounds.max(1), measured);
        let point = point.map_err(|error| format!("at {sizes:?}: {error}"))?;
        measured.points.push(point);
    }
    Ok(())
}

fn generated(
    db: &Database,
    item: ItemId,
    session: &Session,
    options: &str,
) -> Result<(Arc<Module>, Built), String> {
    let module = db
        .module(item, Target::OpenCl)
        .map_err(|found| first(&found))?;
    let built = session.build(&module.text, options);
    Ok((
        module,
        built.map_err(|error| format!("generated: {error}"))?,
    ))
}

/// Prepares a launch with arguments of zeros.
fn prepared(program: &Program<rise::Primitive>, sizes: &Sizes) -> Result<Launch, String> {
    let signature = program.signature();
    let names = signature.values().map(|param| param.local.name.to_string());
    let request = Request {
        sizes: sizes
            .iter()
            .map(|(name, value)| (name.clone(), *value))
            .collect(),
        args: names
            .map(|name| (name, ArgumentSource::Generated(Generator::Zeros)))
            .collect(),
        ..Request::default()
    };
    prepare(program, &request).map_err(said)
}

impl<'a> Ready<'a> {
    fn new(
        root: &Path,
        entry: &'a Entry,
        model: &Entry,
        session: &'a Session,
        options: &Options,
        measured: &mut Measured,
    ) -> Result<Ready<'a>, String> {
        let start = Instant::now();
        let mut db = Database::new();
        let mut without = PassSet::default();
        for pass in &options.without {
            without.insert(pass)?;
        }
        db.set_left_out_passes(without);
        let options = &options.build_options;
        let mut found = |entry: &Entry| {
            let sources = sources(&root.join(&entry.file)).map_err(said)?;
            definition(&mut db, &sources, &entry.def).map_err(said)
        };
        let (item, model) = (found(entry)?, found(model)?);
        let program = db.linked(item).map_err(said)?;
        let model = db.linked(model).map_err(said)?;
        // The build below uses the cached module of the database.
        let _ = db.module(item, Target::OpenCl);
        measured.spent("compile", start);
        let start = Instant::now();
        let by_hand = match twin(root, entry)? {
            None => None,
            Some(twin) => {
                let built = session.build(&twin.text, options);
                Some((twin, built.map_err(|error| format!("by hand: {error}"))?))
            }
        };
        let generated = generated(&db, item, session, options);
        measured.spent("build", start);
        Ok(Ready {
            entry,
            session,
            program,
            model,
            generated,
            by_hand,
        })
    }

    fn launch(&self, sizes: &Sizes) -> Result<Launch, String> {
        let mut launch = prepared(&self.program, sizes)?;
        arguments::fill(&mut launch)?;
        arguments::replace(self.entry, &mut launch)?;
        Ok(launch)
    }

    fn kernels(&self, launch: &Launch, arguments: &Arguments) -> Result<Both, String> {
        let session = self.session;
        let generated = self.generated.as_ref().ok().map(|(module, built)| {
            let plan = plan(module, launch, session.info()).map_err(said)?;
            Kernels::generated(session, built, &plan, arguments)
                .map_err(|error| format!("generated: {error}"))
        });
        let by_hand = self.by_hand.as_ref().map(|(twin, built)| {
            let like = prepared(&self.model, &arguments.sizes)
                .and_then(|launch| annotated(&self.model, &launch.bindings));
            Kernels::by_hand(session, built, twin, like, arguments)
                .map_err(|error| format!("by hand: {error}"))
        });
        Ok(Both {
            generated: generated.transpose()?,
            by_hand: by_hand.transpose()?,
        })
    }

    /// Compares the results of the generated and the hand-written kernels with that of the
    /// interpreter.
    fn verify(&self, sizes: &Sizes) -> Result<(), String> {
        let launch = self.launch(sizes)?;
        let arguments = Arguments::new(self.session, &launch)?;
        let Both { generated, by_hand } = self.kernels(&launch, &arguments)?;
        let expected = self.expected(&launch)?;
        for (whose, kernels) in [("generated", &generated), ("by hand", &by_hand)] {
            let Some(kernels) = kernels else { continue };
            kernels.run().map_err(|error| format!("{whose}: {error}"))?;
            let (difference, wrong) = self.difference(&kernels.result()?, &expected)?;
            if wrong > 0 {
                return Err(format!(
                    "{whose}, at {sizes:?}: {wrong} places are not what the interpreter says, the worst is off by {difference:.1e}"
                ));
            }
        }
        Ok(())
    }

    /// Returns the interpreter's result.
    fn expected(&self, launch: &Launch) -> Result<Value, String> {
        let limits = Limits {
            time: None,
            cancel: Cancel::default(),
        };
        let functions = functions_with_bodies(&self.program.body);
        let foreign = match functions.is_empty() {
            true => None,
            false => {
                let compiler = Compiler::find(&limits).map_err(said)?;
                let compiled = ForeignFunctions::compile(&functions, &compiler, &limits);
                Some(compiled.map_err(said)?)
            }
        };
        let options = interp::Options {
            foreign: foreign.as_ref().map(|all| all as &dyn ForeignCall),
            ..interp::Options::default()
        };
        let outcome = interp::run(&self.program, &launch.bindings, &launch.args, &options);
        Ok(outcome.map_err(said)?.value)
    }

    /// Returns the largest difference of elements, relative to `max(1, |b|)` for the expected
    /// element `b`, and the number of elements with too large a difference.
    fn difference(&self, actual: &Value, expected: &Value) -> Result<(f64, u64), String> {
        if actual.bytes() == expected.bytes() {
            return Ok((0.0, 0));
        }
        let found = compare(actual, expected, self.entry.tolerance.or(Some(1e-3)));
        let found = found.ok_or("results of two shapes")?;
        let worst = found.worst.map_or(0.0, |worst| worst.error);
        Ok((worst, found.wrong))
    }

    fn measure(
        &self,
        sizes: &Sizes,
        rounds: usize,
        measured: &mut Measured,
    ) -> Result<Point, String> {
        let start = Instant::now();
        let launch = self.launch(sizes)?;
        let arguments = Arguments::new(self.session, &launch)?;
        let Both { generated, by_hand } = self.kernels(&launch, &arguments)?;
        // The arguments on the device are sufficient.
        drop(launch);
        measured.spent("arguments", start);
        let start = Instant::now();
        let mut point = Point {
            sizes: sizes.clone(),
            ..Point::default()
        };
        let all = [generated.as_ref(), by_hand.as_ref()];
        let mut launches = 1;
        for kernels in all.into_iter().flatten() {
            launches = launches.max(warm_up(kernels)?);
        }
        for _ in 0..rounds {
            for (kernels, times) in all
                .into_iter()
                .zip([&mut point.generated, &mut point.by_hand])
            {
                if let Some(kernels) = kernels {
                    times.push(round(kernels, launches)?);
                }
            }
        }
        measured.spent("launch", start);
        if let [Some(ours), Some(theirs)] = all {
            let start = Instant::now();
            (point.difference, point.wrong) =
                self.difference(&ours.result()?, &theirs.result()?)?;
            measured.spent("compare", start);
        }
        Ok(point)
    }
}

/// Launches the kernels until the device is warm, and returns the number of launches for a round.
fn warm_up(kernels: &Kernels) -> Result<usize, String> {
    let (mut all, mut last) = (Duration::ZERO, Duration::ZERO);
    for at in 0.. {
        if at >= WARM_UP && all >= WARM_FOR {
            break;
        }
        last = kernels.run()?;
        // Short kernels mostly wait for the next launch.
        all += last.max(Duration::from_micros(20));
    }
    Ok(if last < SHORT { LAUNCHES } else { 1 })
}

/// Returns the median time of the launches of a round in ms.
fn round(kernels: &Kernels, launches: usize) -> Result<f64, String> {
    let mut times = (0..launches)
        .map(|_| kernels.run())
        .collect::<Result<Vec<_>, _>>()?;
    times.sort();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    Ok(middle.as_secs_f64() * 1e3)
}
