//! Fuzzes the compiler with random programs, whose results are compared with those of the
//! interpreter, and the language server with mutated files and sessions.
//!
//! Programs are compiled in batches, in turns with optimisation, without, and under the sanitizers.
//! A failing program is shrunk before it is reported; refused programs are counted by their
//! reasons.

mod batch;
mod opencl;
mod sessions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use random_programs::{Backend, Program, program, shrink};
use runtime::cc::Compiler;
use runtime::process::{Cancel, Limits, TimeLimit};

use batch::{Candidate, Verdict, attempt};

/// The number of programs that are compiled together.
const TOGETHER: u64 = 40;
/// The maximal number of attempts to shrink a failing program.
const SHRINKING: u32 = 200;
/// The options of the C compiler, in turns.
const FLAGS: &[&str] = &[
    "-O1 -fsanitize=undefined -fno-sanitize-recover=all",
    "-O3",
    "-O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all",
    "-O2",
];
/// The time limit of a program.
const PATIENCE: Duration = Duration::from_secs(20);

/// The options of the fuzzer.
#[derive(clap::Args)]
pub struct Options {
    /// The number of programs, half of them for C and half for OpenMP.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// The seed of the first one.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Mutated files for the language server instead, and requests about them.
    #[arg(long, conflicts_with_all = ["opencl", "lsp"])]
    text: bool,
    /// Mutated sessions with the language server instead.
    #[arg(long, conflicts_with = "opencl")]
    lsp: bool,
    /// With --text or --lsp: the server; without it the release binary, which is built first.
    #[arg(long)]
    server: Option<PathBuf>,
    /// With --text or --lsp: the time limit of a response in seconds.
    #[arg(long, default_value_t = 5)]
    limit: u64,
    /// Programs of OpenCL instead, on a device and under Oclgrind.
    #[arg(long)]
    opencl: bool,
    /// With --opencl: the device, by a part of its name.
    #[arg(long, default_value = "portable", requires = "opencl")]
    device: String,
    /// The number of batches that run at a time.
    #[arg(long)]
    jobs: Option<usize>,
    /// The folder to which failing programs are written.
    #[arg(long, default_value = "target/fuzz")]
    keep: PathBuf,
}

/// The results so far.
#[derive(Default)]
struct Found {
    agree: u64,
    refused: BTreeMap<String, (u64, u64)>,
    wrong: Vec<String>,
    tried: u64,
}

/// Tests the programs, and returns an error with those that fail.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    if options.text || options.lsp {
        return sessions::run(root, options);
    }
    let limits = Limits {
        time: Some(TimeLimit::of_each_part(PATIENCE)),
        cancel: Cancel::default(),
    };
    if options.opencl {
        return opencl::run(options, &limits);
    }
    let compiler = Compiler::find(&limits).map_err(|error| error.to_string())?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (next, found) = (AtomicU64::new(0), Mutex::new(Found::default()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..options.jobs.unwrap_or(threads).max(1) {
            let worker = Worker {
                options,
                compiler: &compiler,
                scratch: scratch.path().join(thread.to_string()),
                limits: &limits,
                found: &found,
            };
            let next = &next;
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            // If a thread cannot be started, the others do its work.
            let _ = builder.spawn_scoped(scope, move || worker.work(next));
        }
    });
    let found = found.into_inner().unwrap_or_else(|lock| lock.into_inner());
    report(&found, start.elapsed());
    match found.wrong.is_empty() {
        true => Ok(()),
        false => Err(found.wrong.join("\n")),
    }
}

fn report(found: &Found, time: Duration) {
    let refused: u64 = found.refused.values().map(|(count, _)| count).sum();
    println!(
        "{} programs in {:.0} s: {} agree, {refused} refused, {} wrong",
        found.tried,
        time.as_secs_f64(),
        found.agree,
        found.wrong.len()
    );
    let mut reasons: Vec<_> = found.refused.iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, seed)) in reasons {
        println!("{count:>6}  {reason} (first: {seed})");
    }
}

struct Worker<'a> {
    options: &'a Options,
    compiler: &'a Compiler,
    scratch: PathBuf,
    limits: &'a Limits,
    found: &'a Mutex<Found>,
}

impl Worker<'_> {
    fn work(&self, next: &AtomicU64) {
        let batches = self.options.count.div_ceil(TOGETHER);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= batches {
                return;
            }
            let backend = match number % 2 {
                0 => Backend::C,
                _ => Backend::OpenMp,
            };
            let flags = FLAGS[(number / 2 % FLAGS.len() as u64) as usize];
            let first = number * TOGETHER;
            let seeds: Vec<u64> = (first..self.options.count.min(first + TOGETHER))
                .map(|at| self.options.seed + at)
                .collect();
            self.batch(&seeds, backend, flags);
            if number % 25 == 24 {
                let found = self.found.lock().unwrap_or_else(|lock| lock.into_inner());
                eprintln!("{} programs, {} wrong", found.tried, found.wrong.len());
            }
        }
    }

    fn batch(&self, seeds: &[u64], backend: Backend, flags: &str) {
        let programs: Vec<Program> = seeds.iter().map(|seed| program(*seed, backend)).collect();
        let candidates: Vec<Candidate<'_>> = (seeds.iter().zip(&programs))
            .map(|(seed, program)| Candidate {
                number: *seed,
                backend,
                program,
            })
            .collect();
        for (candidate, verdict) in candidates.iter().zip(self.verdicts(&candidates, flags)) {
            let wrong = match &verdict {
                Verdict::Wrong(kind, how) => Some(self.wrong(candidate, flags, kind, how)),
                Verdict::Agrees | Verdict::Refused(_) => None,
            };
            let mut found = self.found.lock().unwrap_or_else(|lock| lock.into_inner());
            found.tried += 1;
            found.wrong.extend(wrong);
            match verdict {
                Verdict::Agrees => found.agree += 1,
                Verdict::Refused(reason) => {
                    let first = (0, candidate.number);
                    found.refused.entry(general(&reason)).or_insert(first).0 += 1;
                }
                Verdict::Wrong(..) => {}
            }
        }
    }

    fn verdicts(&self, candidates: &[Candidate<'_>], flags: &str) -> Vec<Verdict> {
        // The compiled files of the previous batch are not needed any more.
        let _ = std::fs::remove_dir_all(&self.scratch);
        if let Err(error) = std::fs::create_dir_all(&self.scratch) {
            let wrong = Verdict::Wrong("no folder", error.to_string());
            return vec![wrong; candidates.len()];
        }
        let compiler = self.compiler.clone().with_flags(flags);
        attempt(candidates, &compiler, &self.scratch, self.limits)
    }

    /// Shrinks a failing program, writes it to a file, and returns a description of the failure.
    fn wrong(&self, candidate: &Candidate<'_>, flags: &str, kind: &str, how: &str) -> String {
        let (number, backend) = (candidate.number, candidate.backend);
        let mut says = how.to_owned();
        let small = shrink(candidate.program, backend, SHRINKING, &mut |program| {
            let smaller = Candidate {
                number,
                backend,
                program,
            };
            match self.verdicts(&[smaller], flags).pop() {
                Some(Verdict::Wrong(same, how)) if same == kind => {
                    says = how;
                    true
                }
                _ => false,
            }
        });
        let size = match small.sized {
            true => format!(" -D n={}", 1 + number % 5),
            false => String::new(),
        };
        let says: Vec<&str> = says.lines().take(12).collect();
        let head = format!(
            "seed {number}, {backend:?}, {flags}{size} --seed {number}: {kind}: {}",
            says.join("\n  ")
        );
        let comment = head.replace('\n', "\n// ");
        let path = self.options.keep.join(format!("{number}.rise"));
        let text = format!("// {comment}\n{}", small.text);
        match write(&path, &text) {
            Ok(()) => format!("{}: {head}\n{}", path.display(), small.text),
            Err(error) => format!("{}: {error}: {head}\n{}", path.display(), small.text),
        }
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

/// Replaces everything in backquotes in a reason by an ellipsis, except the names of primitives.
fn general(reason: &str) -> String {
    let mut general = String::new();
    for (at, part) in reason.split('`').enumerate() {
        match at % 2 {
            0 => general.push_str(part),
            _ if rise::Primitive::ALL.iter().any(|p| p.name() == part) => {
                general.push_str(&format!("`{part}`"));
            }
            _ => general.push('…'),
        }
    }
    general
}
