//! What is done to the project rather than by it: `cargo xtask bench`.

mod bench;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Work on rise-ls itself")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measure speed and memory of the release binary on generated workspaces.
    Bench(bench::Options),
}

fn main() -> std::process::ExitCode {
    let Task::Bench(options) = Arguments::parse().task;
    match bench::run(&options) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
