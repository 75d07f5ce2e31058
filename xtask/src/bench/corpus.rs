//! Measures the default schedules of the programs in `tests/corpus` for C, in comparison with the
//! plain C references there, and the estimates of the cost model in comparison with the times. With
//! threads it measures the default schedules for OpenMP, in comparison with the same references with
//! OpenMP. Both use as many threads as the machine has processors, or as `OMP_NUM_THREADS` says.
//!
//! Both programs run in turns, on the same arguments. A ratio is the generated time divided by the
//! reference's time of one turn: below 1 the generated program is faster. Both are compiled with the
//! options of `rise-ls run`, once without contraction of `a * b + c`, as everywhere, and once with it.

use std::path::Path;
use std::time::Duration;

use codegen::Target;
use db::Database;
use runtime::Shape;
use runtime::cc::{Compiler, Executable, Program};
use runtime::generate::Generator;
use runtime::launch::{ArgumentSource, Launch, Request, prepare};
use runtime::literal::Literal;
use runtime::process::Limits;
use serde_json::Value as Json;
use syntax::ast::Name;

use super::Outcome;
use super::programs::{Printer, call, definition, first, median, sources};

/// The smallest and the largest number of turns.
const TURNS: [usize; 2] = [5, 21];
/// The turns end when the middle half of their ratios differs by at most this part of the median.
const SPREAD: f64 = 0.05;

/// A line of `sizes.txt`.
struct Entry {
    file: String,
    def: String,
    sizes: Vec<(String, u64)>,
    args: Vec<(String, ArgumentSource)>,
}

/// The times of a program and of its reference.
struct Times {
    generated: Duration,
    reference: Duration,
    /// The ratio of each turn, sorted.
    ratios: Vec<f64>,
}

/// The measurements of a program.
struct Measured {
    name: String,
    plain: Times,
    contracted: Times,
    /// The time that the cost model estimates for its default machine, in seconds.
    estimate: Option<f64>,
}

/// Measures and prints all programs whose name contains `only`, with `threads` those for OpenMP.
pub fn run(root: &Path, only: &str, threads: bool, json: bool) -> Outcome<()> {
    let target = if threads { Target::OpenMp } else { Target::C };
    let named = |entry: &Entry| entry.def.contains(only);
    let printer = Printer {
        name: |entry: &Entry| &entry.def,
        line,
        as_json,
        summary,
    };
    let entries = entries(root)?.into_iter().filter(named);
    let measure = |entry: &Entry, compiler: &Compiler, limits: &Limits| {
        measure(root, entry, target, compiler, limits)
    };
    printer.run(entries, json, measure)
}

fn entries(root: &Path) -> Outcome<Vec<Entry>> {
    let text = std::fs::read_to_string(root.join("tests/corpus/sizes.txt"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(entry).collect()
}

/// Parses a line of `sizes.txt`, with the sizes for measurements.
fn entry(line: &str) -> Outcome<Entry> {
    let mut words = line.split_whitespace();
    let (file, def) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let mut entry = Entry {
        file: file.to_owned(),
        def: def.to_owned(),
        sizes: Vec::new(),
        args: Vec::new(),
    };
    let mut label = "";
    for word in words {
        if let Some(next) = word.strip_suffix(':') {
            label = next;
            continue;
        }
        let pairs = match label {
            "TIMED" => word.split(',').filter_map(|size| size.split_once('=')),
            "ARGS" => {
                let (name, text) = word.split_once('=').ok_or("an argument has no value")?;
                entry.args.push((name.to_owned(), argument(text)?));
                continue;
            }
            _ => continue,
        };
        for (name, value) in pairs {
            entry.sizes.push((name.to_owned(), value.parse()?));
        }
    }
    Ok(entry)
}

fn argument(text: &str) -> Outcome<ArgumentSource> {
    Ok(match Generator::parse(text) {
        Some(generator) => ArgumentSource::Generated(generator?),
        None => ArgumentSource::Literal(Literal::parse(text)?),
    })
}

fn measure(
    root: &Path,
    entry: &Entry,
    target: Target,
    compiler: &Compiler,
    limits: &Limits,
) -> Outcome<Measured> {
    let folder = root.join("tests/corpus");
    let sources = sources(&folder.join(format!("{}.rise", entry.file)))?;
    let reference = std::fs::read_to_string(folder.join(format!("{}.c", entry.file)))?;
    let mut db = Database::new();
    let item = definition(&mut db, &sources, &entry.def)?;
    let module = db.module(item, target).map_err(|found| first(&found))?;
    let program = db.normalised(item).map_err(|found| first(&found))?;
    let request = Request {
        sizes: entry.sizes.clone(),
        args: entry.args.clone(),
        ..Request::default()
    };
    let launch = prepare(&program, &request)?;
    let sizes: Vec<(Name, i64)> = launch.sizes.clone();
    let estimate = db.estimate_on(item, target, None, &sizes);
    let estimate = estimate.map_err(|found| first(&found))?.estimate.clone();

    let name = format!("{}_reference", entry.def);
    let times = |compiler: &Compiler, generated: &str| -> Outcome<Times> {
        let build = |text: &str, function: &str| {
            let params: Vec<Shape> = launch.args.iter().map(|v| v.shape().clone()).collect();
            let program = Program {
                text,
                function,
                outputs: launch.outputs(),
                sizes: launch.sizes.len(),
                index: codegen::IndexWidth::default(),
                params: &params,
                openmp: target == Target::OpenMp,
            };
            program.compile(compiler, limits)
        };
        let generated = build(generated, &entry.def)?;
        let reference = build(&reference, &name)?;
        in_turns(&generated, &reference, &launch, limits)
    };
    let plain = times(compiler, &module.text)?;
    let contracting = compiler.clone().with_flags("-ffp-contract=fast");
    let contracted = times(&contracting, &without_pragmas(&module.text))?;
    Ok(Measured {
        name: entry.def.clone(),
        plain,
        contracted,
        estimate: estimate.cost.as_ref().map(|cost| cost.seconds),
    })
}

/// Removes the pragmas that forbid contraction.
fn without_pragmas(text: &str) -> String {
    let forbids = |line: &&str| {
        line.starts_with("#pragma")
            && (line.contains("FP_CONTRACT") || line.contains("fp-contract"))
    };
    let lines = text.lines().filter(|line| !forbids(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Calls both programs in turns until the ratios settle.
fn in_turns(
    generated: &Executable,
    reference: &Executable,
    launch: &Launch,
    limits: &Limits,
) -> Outcome<Times> {
    let [least, most] = TURNS;
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    while ratios.len() < least || ratios.len() < most && spread(&ratios) > SPREAD {
        let a = call(generated, launch, 1, limits)?;
        let b = call(reference, launch, 1, limits)?;
        ratios.push(a.as_secs_f64() / b.as_secs_f64().max(1e-12));
        ratios.sort_by(f64::total_cmp);
        ours.push(a);
        theirs.push(b);
    }
    Ok(Times {
        generated: median(ours),
        reference: median(theirs),
        ratios,
    })
}

/// Returns the part of the median by which the middle half of sorted values differs.
fn spread(sorted: &[f64]) -> f64 {
    (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / quantile(sorted, 0.5)
}

fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = (part * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

impl Times {
    fn ratio(&self) -> f64 {
        quantile(&self.ratios, 0.5)
    }
}

impl Measured {
    /// Returns the estimated time divided by the measured one.
    fn accuracy(&self) -> Option<f64> {
        let measured = self.plain.generated.as_secs_f64().max(1e-12);
        self.estimate.map(|estimate| estimate / measured)
    }
}

fn line(measured: &Measured) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let estimate = measured.accuracy().map_or_else(String::new, |accuracy| {
        format!("   estimated / measured {accuracy:>5.2}")
    });
    format!(
        "{:<18} generated {:>9.2} ms   reference {:>9.2} ms   ratio {:>5.2} ±{:.0} %   contracted {:>5.2} ±{:.0} %{estimate}",
        measured.name,
        ms(measured.plain.generated),
        ms(measured.plain.reference),
        measured.plain.ratio(),
        50.0 * spread(&measured.plain.ratios),
        measured.contracted.ratio(),
        50.0 * spread(&measured.contracted.ratios),
    )
}

fn summary(all: &[Measured]) {
    for (title, times) in [
        (
            "without contraction",
            all.iter().map(|m| m.plain.ratio()).collect::<Vec<_>>(),
        ),
        (
            "with contraction",
            all.iter().map(|m| m.contracted.ratio()).collect(),
        ),
    ] {
        let mut sorted = times;
        sorted.sort_by(f64::total_cmp);
        let log: f64 = sorted.iter().map(|ratio| ratio.ln()).sum();
        println!(
            "{title}: median {:.2}, geometric mean {:.2}, largest {:.2}",
            quantile(&sorted, 0.5),
            (log / sorted.len().max(1) as f64).exp(),
            sorted.last().copied().unwrap_or_default(),
        );
    }
    let accuracies: Vec<f64> = all.iter().filter_map(Measured::accuracy).collect();
    let near = accuracies
        .iter()
        .filter(|a| (0.5..=2.0).contains(*a))
        .count();
    println!(
        "estimates within a factor of 2: {near} of {}",
        accuracies.len()
    );
}

fn as_json(measured: &Measured) -> Json {
    serde_json::json!({
        "name": measured.name,
        "generatedMs": measured.plain.generated.as_secs_f64() * 1e3,
        "referenceMs": measured.plain.reference.as_secs_f64() * 1e3,
        "ratio": measured.plain.ratio(),
        "spread": spread(&measured.plain.ratios),
        "contractedRatio": measured.contracted.ratio(),
        "contractedSpread": spread(&measured.contracted.ratios),
        "estimateMs": measured.estimate.map(|seconds| seconds * 1e3),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_sizes_and_arguments() {
        let line = "a f  PRIME: n=3  TIMED: n=8,m=4  ARGS: k=2 xs=random(0,1)";
        let entry = entry(line).expect("the line is well-formed");
        assert_eq!(entry.sizes, [("n".to_owned(), 8), ("m".to_owned(), 4)]);
        assert_eq!(entry.args.len(), 2);
    }

    #[test]
    fn each_reference_has_parallel_loops() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for entry in entries(&root).expect("the list is well-formed") {
            let path = root.join(format!("tests/corpus/{}.c", entry.file));
            let text = std::fs::read_to_string(path).expect("a reference");
            assert!(text.contains("#pragma omp parallel for"), "{}", entry.def);
        }
    }

    #[test]
    fn contraction_is_no_longer_forbidden() {
        let text = "#pragma STDC FP_CONTRACT OFF\n#pragma omp parallel for\nint a;\n";
        assert_eq!(without_pragmas(text), "#pragma omp parallel for\nint a;\n");
    }
}
