//! Fuzzes the language server with mutated files and sessions.

use std::path::Path;
use std::time::{Duration, Instant};

use session_fuzzer::Kind;

use super::Options;
use crate::bench;

/// Runs the fuzzer, and returns an error with the failures.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    let server = match &options.server {
        Some(server) => server.canonicalize().map_err(|error| error.to_string())?,
        None => bench::build().map_err(|error| error.to_string())?,
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let start = Instant::now();
    let summary = session_fuzzer::run(&session_fuzzer::Options {
        server,
        root: root.to_owned(),
        kind: match options.lsp {
            true => Kind::Sessions,
            false => Kind::Files,
        },
        seed: options.seed,
        count: options.count,
        limit: Duration::from_secs(options.limit),
        jobs: options.jobs.unwrap_or(threads),
        keep: options.keep.clone(),
    });
    let summary = summary.map_err(|error| error.to_string())?;
    println!(
        "{} tried in {:.0} s: {} answers, {} failures",
        summary.tried,
        start.elapsed().as_secs_f64(),
        summary.answered,
        summary.failures.len()
    );
    match summary.failures.is_empty() {
        true => Ok(()),
        false => Err(summary.failures.join("\n")),
    }
}
