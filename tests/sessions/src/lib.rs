//! A fuzzer for the language server, with mutated files and sessions.
//!
//! Each file and session is determined by its seed. A failure is shrunk and written to a file, with
//! the seed that reproduces it. A server passes if it does not crash, no request fails by a panic,
//! each request is answered exactly once and in time, and the session ends normally.

mod client;
mod corpus;
mod mutate;
mod script;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use runtime::generate::Random;
use serde_json::{Value, json};

use client::Client;
pub use client::Failure;
use corpus::Corpus;
use script::Step;

/// The number of files in one session of a server.
const FILES: u64 = 50;
/// The time limit of shrinking a failure.
const SHRINKING: Duration = Duration::from_secs(60);

/// The inputs that are mutated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Files: each one is opened, gets requests, and is closed.
    Files,
    /// Sessions.
    Sessions,
}

/// The options of the fuzzer.
#[derive(Clone, Debug)]
pub struct Options {
    /// The path of the server.
    pub server: PathBuf,
    /// The checkout of the project, whose texts are mutated.
    pub root: PathBuf,
    /// The inputs that are mutated.
    pub kind: Kind,
    /// The first seed.
    pub seed: u64,
    /// The number of seeds.
    pub count: u64,
    /// The time limit of a response.
    pub limit: Duration,
    /// The number of servers that run at a time.
    pub jobs: usize,
    /// The folder to which failures are written.
    pub keep: PathBuf,
}

/// The result of the fuzzer.
#[derive(Debug, Default)]
pub struct Summary {
    /// The number of seeds.
    pub tried: u64,
    /// The number of requests that were answered.
    pub answered: u64,
    /// Descriptions of the failures, with their files.
    pub failures: Vec<String>,
}

/// Runs all seeds.
///
/// # Errors
/// The texts cannot be read, or the server cannot be started.
pub fn run(options: &Options) -> io::Result<Summary> {
    let corpus = Corpus::read(&options.root)?;
    let batch = match options.kind {
        Kind::Files => FILES,
        Kind::Sessions => 1,
    };
    let next = AtomicU64::new(0);
    let found = Mutex::new((Summary::default(), None));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(batch, Ordering::Relaxed);
                    if first >= options.count {
                        return;
                    }
                    let seeds = first..options.count.min(first + batch);
                    let seeds: Vec<u64> = seeds.map(|at| options.seed + at).collect();
                    let tried = Fuzzer {
                        options,
                        corpus: &corpus,
                    }
                    .batch(&seeds);
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    match tried {
                        Ok(batch) => {
                            found.0.tried += batch.tried;
                            found.0.answered += batch.answered;
                            found.0.failures.extend(batch.failures);
                        }
                        Err(error) => {
                            found.1 = Some(error);
                            return;
                        }
                    }
                    if found.0.tried.is_multiple_of(500) {
                        eprintln!(
                            "{} tried, {} failures",
                            found.0.tried,
                            found.0.failures.len()
                        );
                    }
                }
            });
        }
    });
    match found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (_, Some(error)) => Err(error),
        (summary, None) => Ok(summary),
    }
}

struct Fuzzer<'a> {
    options: &'a Options,
    corpus: &'a Corpus,
}

impl Fuzzer<'_> {
    /// Runs seeds in one server; after a failure runs each of them in a server of its own.
    fn batch(&self, seeds: &[u64]) -> io::Result<Summary> {
        let scripts: Vec<Vec<Step>> = seeds.iter().map(|&seed| self.script(seed)).collect();
        let mut summary = Summary {
            tried: seeds.len() as u64,
            ..Summary::default()
        };
        match self.play(seeds[0], &scripts.concat())? {
            Ok(answered) => summary.answered = answered,
            Err(failure) => {
                if seeds.len() > 1 {
                    for &seed in seeds {
                        let one = self.batch(&[seed])?;
                        summary.answered += one.answered;
                        summary.failures.extend(one.failures);
                    }
                }
                // Some things go wrong only after other files or sessions.
                if summary.failures.is_empty() {
                    let shrunk = self.shrink(seeds[0], scripts.concat(), failure)?;
                    summary.failures.push(shrunk);
                }
            }
        }
        Ok(summary)
    }

    fn script(&self, seed: u64) -> Vec<Step> {
        match self.options.kind {
            Kind::Files => script::file(seed, self.corpus, ROOT),
            Kind::Sessions => script::session(seed, self.corpus, ROOT),
        }
    }

    fn play(&self, seed: u64, steps: &[Step]) -> io::Result<Result<u64, Failure>> {
        let folder = tempfile::tempdir()?;
        let root = format!("file://{}", folder.path().display());
        let mut client = Client::start(&self.options.server, folder.path(), self.options.limit)?;
        let params = script::initialize(&mut Random::new(seed), &root);
        let start = [
            Step::Send(
                json!({"jsonrpc": "2.0", "id": null, "method": "initialize", "params": params}),
            ),
            Step::Wait,
            Step::Send(json!({"jsonrpc": "2.0", "method": "initialized", "params": {}})),
        ];
        let steps: Vec<Step> = steps.iter().map(|step| placed(step, &root)).collect();
        let played = client.play(&start).and_then(|()| client.play(&steps));
        Ok(played.and_then(|()| client.end()))
    }

    /// Shrinks a failure: removes steps and parts of texts as long as the failure is of the same
    /// kind, and writes the rest to a file.
    fn shrink(&self, seed: u64, mut steps: Vec<Step>, failure: Failure) -> io::Result<String> {
        let deadline = Instant::now() + SHRINKING;
        let mut last = failure;
        let fails = |steps: &[Step], last: &mut Failure| -> io::Result<bool> {
            match self.play(seed, steps)? {
                Err(failure) if failure.kind() == last.kind() => {
                    *last = failure;
                    Ok(true)
                }
                _ => Ok(false),
            }
        };
        let mut size = steps.len().div_ceil(2);
        while size > 0 && Instant::now() < deadline {
            let mut at = 0;
            while at < steps.len() && Instant::now() < deadline {
                let mut fewer = steps.clone();
                fewer.drain(at..(at + size).min(steps.len()));
                match fails(&fewer, &mut last)? {
                    true => steps = fewer,
                    false => at += size,
                }
            }
            size /= 2;
        }
        for step in 0..steps.len() {
            let Some(text) = text_of(&steps[step]).map(str::to_owned) else {
                continue;
            };
            let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
            let mut size = lines.len().div_ceil(2);
            while size > 0 && Instant::now() < deadline {
                let mut at = 0;
                while at < lines.len() && Instant::now() < deadline {
                    let mut fewer = lines.clone();
                    fewer.drain(at..(at + size).min(lines.len()));
                    let mut smaller = steps.clone();
                    set_text(&mut smaller[step], fewer.concat());
                    match fails(&smaller, &mut last)? {
                        true => (steps, lines) = (smaller, fewer),
                        false => at += size,
                    }
                }
                size /= 2;
            }
        }
        self.write(seed, &steps, &last)
    }

    fn write(&self, seed: u64, steps: &[Step], failure: &Failure) -> io::Result<String> {
        let (name, flag) = match self.options.kind {
            Kind::Files => ("text", "--text"),
            Kind::Sessions => ("session", "--lsp"),
        };
        let mut shown = format!("{flag} --seed {seed}\n{failure:?}\n");
        for step in steps {
            shown.push_str(&match step {
                Step::Send(message) => format!("{message}\n"),
                Step::SendBytes(bytes) => format!("{:?}\n", String::from_utf8_lossy(bytes)),
                step => format!("{step:?}\n"),
            });
        }
        for text in steps.iter().filter_map(text_of) {
            shown.push_str(&format!("--- text\n{text}\n"));
        }
        std::fs::create_dir_all(&self.options.keep)?;
        let path = self.options.keep.join(format!("{name}{seed}.txt"));
        std::fs::write(&path, &shown)?;
        eprintln!("{}: {flag} --seed {seed}: {failure:?}", path.display());
        Ok(format!("{}:\n{shown}", path.display()))
    }
}

/// A placeholder for the URI of the workspace in scripts, as each run has a new folder.
const ROOT: &str = "root:";

fn placed(step: &Step, root: &str) -> Step {
    fn place(value: &mut Value, root: &str) {
        match value {
            Value::String(text) => {
                if let Some(rest) = text.strip_prefix(ROOT) {
                    *text = format!("{root}{rest}");
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| place(value, root)),
            Value::Object(fields) => fields.values_mut().for_each(|value| place(value, root)),
            _ => {}
        }
    }
    let mut step = step.clone();
    if let Step::Send(message) = &mut step {
        place(message, root);
    }
    step
}

/// Returns the text of the document that a message opens.
fn text_of(step: &Step) -> Option<&str> {
    match step {
        Step::Send(message) => message["params"]["textDocument"]["text"].as_str(),
        _ => None,
    }
}

fn set_text(step: &mut Step, text: String) {
    if let Step::Send(message) = step {
        message["params"]["textDocument"]["text"] = Value::String(text);
    }
}
