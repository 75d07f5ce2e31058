//! Random programs, compiled and compared with the interpreter, as a user would: through the
//! command line of the release binary.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use random_programs::{Backend, program};

/// What to try.
#[derive(clap::Args)]
pub struct Options {
    /// Use this binary instead of building one.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// How many programs, half of them for C and half for OpenMP.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// The seed of the first one.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Programs that go wrong are written here.
    #[arg(long, default_value = "target/fuzz")]
    keep: PathBuf,
}

/// Tries them, and says which went wrong.
pub fn run(options: &Options) -> Result<(), String> {
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => crate::bench::build().map_err(|error| error.to_string())?,
    };
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (next, wrong) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let folder = scratch.path().join(thread.to_string());
            let (next, wrong, binary) = (&next, &wrong, &binary);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= options.count {
                        return;
                    }
                    if at.is_multiple_of(500) && at > 0 {
                        eprintln!("{at} programs");
                    }
                    if let Err(reason) = attempt(binary, &folder, options, options.seed + at) {
                        let mut wrong = wrong.lock().unwrap_or_else(|lock| lock.into_inner());
                        wrong.push(reason);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap_or_else(|lock| lock.into_inner());
    println!("{} programs, {} wrong", options.count, wrong.len());
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n")),
    }
}

fn attempt(binary: &Path, folder: &Path, options: &Options, seed: u64) -> Result<(), String> {
    let (backend, word) = match seed % 2 {
        0 => (Backend::C, "c"),
        _ => (Backend::OpenMp, "openmp"),
    };
    let made = program(seed, backend);
    let failed = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(folder).map_err(failed)?;
    let file = folder.join("random.rise");
    std::fs::write(&file, &made.text).map_err(failed)?;
    let mut command = Command::new(binary);
    command.arg("run").arg(&file);
    command.args(["--backend", word, "--verify", "--tolerance", "1e-3"]);
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command.env("OMP_WAIT_POLICY", "passive");
    if made.sized {
        command.arg(format!("-Dn={}", 1 + seed % 5));
    }
    let output = command.output().map_err(failed)?;
    // What was compiled is not needed again.
    let _ = std::fs::remove_dir_all(folder.join("cache"));
    if output.status.code() == Some(0) {
        return Ok(());
    }
    std::fs::create_dir_all(&options.keep).map_err(failed)?;
    let kept = options.keep.join(format!("{seed}.rise"));
    std::fs::write(&kept, &made.text).map_err(failed)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let first: Vec<&str> = said.lines().take(12).collect();
    Err(format!(
        "{} ({word}): {}\n{}",
        kept.display(),
        output.status,
        first.join("\n")
    ))
}
