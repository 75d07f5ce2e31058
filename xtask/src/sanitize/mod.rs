//! Runs the programs of the examples under the sanitizers of the C compilers: each at its sizes,
//! with a comparison with the interpreter.
//!
//! GCC's sanitizers check addresses and undefined behaviour. Clang's sanitizer checks data races,
//! with Clang's OpenMP runtime: it informs Archer, and thereby the sanitizer, of the order that its
//! locks and barriers establish. GCC's runtime does not, and would cause false positives
//! everywhere.

mod opencl;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// The usual folders of Archer.
const LLVM_FOLDERS: &[&str] = &[
    "/usr/lib/llvm-*/lib",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
];

/// The options of the sanitizers.
#[derive(clap::Args)]
pub struct Options {
    /// Use this binary instead of building one.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// The OpenCL programs, under Oclgrind.
    #[arg(long)]
    opencl: bool,
    /// Only programs with this in their name.
    #[arg(long)]
    only: Option<String>,
    /// The number of programs that run at a time.
    #[arg(long)]
    jobs: Option<usize>,
}

struct Sanitizer {
    name: &'static str,
    compiler: &'static str,
    flags: &'static str,
    /// True if only parallel programs are run.
    parallel: bool,
    environment: Vec<(&'static str, String)>,
}

struct Program {
    name: String,
    file: String,
    backend: String,
    sizes: Vec<BTreeMap<String, u64>>,
}

/// Runs all programs, and returns an error with those that fail.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    if options.opencl {
        return opencl::run(root, options);
    }
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => crate::bench::build().map_err(|error| error.to_string())?,
    };
    let binary = binary.canonicalize().map_err(|error| error.to_string())?;
    let programs = programs(root, options.only.as_deref())?;
    let sanitizers = [memory(), races()?];
    let jobs: Vec<(&Sanitizer, &Program)> = sanitizers
        .iter()
        .flat_map(|sanitizer| programs.iter().map(move |program| (sanitizer, program)))
        .filter(|(sanitizer, program)| !sanitizer.parallel || program.backend == "openmp")
        .collect();
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.unwrap_or(threads).max(1) {
            scope.spawn(|| {
                while let Some((sanitizer, program)) =
                    jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let wrong = attempt(root, &binary, scratch.path(), sanitizer, program);
                    let mut found = found.lock().unwrap_or_else(|lock| lock.into_inner());
                    found.extend(wrong);
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(|lock| lock.into_inner());
    for sanitizer in &sanitizers {
        let of_it = |(used, _): &&(&Sanitizer, &Program)| used.name == sanitizer.name;
        let count: usize = (jobs.iter().filter(of_it))
            .map(|(_, program)| program.sizes.len())
            .sum();
        let programs = jobs.iter().filter(of_it).count();
        println!("{}: {programs} programs, {count} runs", sanitizer.name);
    }
    println!("{} not clean", found.len());
    match found.is_empty() {
        true => Ok(()),
        false => Err(found.join("\n")),
    }
}

fn memory() -> Sanitizer {
    Sanitizer {
        name: "addresses and undefined behaviour (gcc)",
        compiler: "gcc",
        flags: "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all",
        parallel: false,
        environment: vec![("UBSAN_OPTIONS", "print_stacktrace=1".to_owned())],
    }
}

fn races() -> Result<Sanitizer, String> {
    let archer = archer().ok_or(
        "Archer, LLVM's link between OpenMP and the thread sanitizer, is not installed (Debian: libomp-dev)",
    )?;
    Ok(Sanitizer {
        name: "races (clang, libomp, Archer)",
        compiler: "clang",
        // Clang 14 loses all but one lane of `parallel for simd reduction` at -O1.
        flags: "-O2 -g -fsanitize=thread",
        parallel: true,
        environment: vec![
            ("OMP_TOOL_LIBRARIES", archer.display().to_string()),
            // The runtime itself is not compiled with the sanitizer.
            (
                "TSAN_OPTIONS",
                "ignore_noninstrumented_modules=1 halt_on_error=1".to_owned(),
            ),
            ("OMP_NUM_THREADS", "4".to_owned()),
        ],
    })
}

/// Returns the path of the newest Archer library.
fn archer() -> Option<PathBuf> {
    let mut found = Vec::new();
    for folder in LLVM_FOLDERS {
        let folders = match folder.split_once('*') {
            None => vec![PathBuf::from(folder)],
            Some((start, rest)) => versions(Path::new(start), rest.trim_start_matches('/')),
        };
        found.extend(
            folders
                .into_iter()
                .map(|folder| folder.join("libarcher.so")),
        );
    }
    found.into_iter().find(|path| path.is_file())
}

/// Returns folders in descending order of versions: `/usr/lib/llvm-19/lib`, `/usr/lib/llvm-14/lib`
/// for `/usr/lib/llvm-` and `lib`.
fn versions(start: &Path, rest: &str) -> Vec<PathBuf> {
    let (Some(parent), Some(stem)) = (start.parent(), start.file_name()) else {
        return Vec::new();
    };
    let stem = stem.to_string_lossy();
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut all: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix(&*stem)?.parse().ok()?;
            Some((version, entry.path().join(rest)))
        })
        .collect();
    all.sort_by(|(a, _), (b, _)| b.cmp(a));
    all.into_iter().map(|(_, path)| path).collect()
}

fn programs(root: &Path, only: Option<&str>) -> Result<Vec<Program>, String> {
    let text = std::fs::read_to_string(root.join("xtask/kernels/kernels.json"));
    let all: Vec<Value> = serde_json::from_str(&text.map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())?;
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let sizes = |value: &Value| serde_json::from_value(value["verify"].clone());
    let wanted = |value: &&Value| only.is_none_or(|only| text(value, "name").contains(only));
    all.iter()
        .filter(wanted)
        .map(|value| {
            Ok(Program {
                name: text(value, "name"),
                file: text(value, "file"),
                backend: text(value, "backend"),
                sizes: sizes(value).map_err(|error: serde_json::Error| error.to_string())?,
            })
        })
        .collect()
}

/// Returns the failures of a program at its sizes.
fn attempt(
    root: &Path,
    binary: &Path,
    scratch: &Path,
    sanitizer: &Sanitizer,
    program: &Program,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for sizes in &program.sizes {
        let mut command = Command::new(binary);
        command.current_dir(root).arg("run").arg(&program.file);
        command.args([
            "--def",
            &program.name,
            "--backend",
            &program.backend,
            "--verify",
        ]);
        command.args(
            sizes
                .iter()
                .map(|(name, value)| format!("-D{name}={value}")),
        );
        command
            .env("CC", sanitizer.compiler)
            .env("CFLAGS", sanitizer.flags);
        command.env("XDG_CACHE_HOME", scratch);
        command.envs(
            sanitizer
                .environment
                .iter()
                .map(|(key, value)| (key, value)),
        );
        let said = match command.output() {
            Ok(output) if output.status.success() => continue,
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        let Program { name, backend, .. } = program;
        let first: Vec<&str> = said.lines().take(30).collect();
        wrong.push(format!(
            "{name} ({backend}) at {sizes:?}, {}:\n{}",
            sanitizer.name,
            first.join("\n")
        ));
    }
    wrong
}
