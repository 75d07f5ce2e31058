//! Development tasks of the project: benchmarks, fuzzing, generated files, runs under sanitizers,
//! and checks.

mod bench;
mod fuzz;
mod generate;
mod oclgrind;
mod sanitize;
mod soak;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The allocator of `rise-ls`, so that measurements are representative.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Work on rise-ls itself")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measure speed and memory of the release binary on generated workspaces.
    Bench(Box<bench::Options>),
    /// Use OpenCL devices on behalf of the parent process.
    #[command(hide = true)]
    DeviceWorker,
    /// Compile random programs and compare them with the interpreter, or disturb the language server.
    Fuzz(fuzz::Options),
    /// Generate the tree-sitter parsers and the copies of their queries.
    Generate,
    /// Run the examples under the address, undefined behaviour and thread sanitizers.
    Sanitize(sanitize::Options),
    /// Rewrite the examples at random, as the editor offers it, and compare what they compute.
    Soak(soak::Options),
    /// Check the rules that a machine can check: which crate and module uses which, and style.
    Tidy(tidy::Options),
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let result = match Arguments::parse().task {
        Task::Bench(options) => bench::run(&options).map_err(|error| error.to_string()),
        Task::DeviceWorker => runtime::ocl::serve_stdio().map_err(|error| error.to_string()),
        Task::Fuzz(options) => fuzz::run(&root, &options),
        Task::Generate => generate::run(&root),
        Task::Sanitize(options) => sanitize::run(&root, &options),
        Task::Soak(options) => soak::run(&root, &options),
        Task::Tidy(options) => tidy::run(&root, &options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
