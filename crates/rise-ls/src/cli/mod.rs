//! The command line: parses the arguments and runs the commands.

mod args;
mod check;
mod cost;
mod diff;
mod doctor;
mod emit;
pub mod explain;
mod fix;
mod fmt;
mod github;
mod human;
mod json;
mod output;
mod position;
mod report;
mod rewrite;
mod run;
mod sarif;
mod schedule;
mod snippet;
mod stats;
mod types;
mod watch;
mod workspace;

use crate::select::{self as selection, Unclear};
use args::{Args, Command};
use clap::Parser;
use clap::error::ErrorKind;
use db::{Database, FileId, ItemId};
use runtime::process;

/// The exit status of success.
const SUCCESS: u8 = 0;
/// The exit status if the input has errors, a run fails or has a wrong result, a strategy fails or
/// changes nothing, or a command that only checks (`fmt --check`, `fix --dry-run`) finds changes to
/// make.
const FAILURE: u8 = 1;
/// The exit status if the input cannot be read, the output cannot be written, the arguments are
/// invalid, a tool or device is missing, or the server fails.
const BAD_USAGE: u8 = 2;
/// The names of the subcommands in which `rise-ls` starts other programs, such as the C compiler,
/// so that these end with it.
const SUPERVISION: process::Subcommands = process::Subcommands {
    supervise: "supervise",
    execute: "execute",
};
/// The exit status after `SIGINT`, `SIGTERM` or `SIGHUP`, which is 128 + `SIGINT` as in shells.
const INTERRUPTED: u8 = 130;

/// Runs the command that the arguments select, and returns the exit status.
pub fn run() -> u8 {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    if let Ok(program) = crate::executable::current() {
        process::set_supervisor(program, SUPERVISION);
    }
    match args.command {
        Some(Command::Types(options)) => types::run(&options),
        Some(Command::Emit(options)) => emit::run(&options),
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::Cost(options)) => cost::run(&options),
        Some(Command::Schedule(options)) => schedule::run(&options),
        Some(Command::Rewrite(options)) => rewrite::run(&options),
        Some(Command::Fmt(options)) => fmt::run(&options),
        Some(Command::Fix(options)) => fix::run(&options),
        Some(Command::Explain { code }) => explain::run(&code),
        Some(Command::Doctor) => doctor::run(),
        Some(Command::SessionWorker { restarts }) => ended(crate::server::work(restarts)),
        Some(Command::DeviceWorker) => work_with_devices(),
        Some(Command::Supervise {
            folder,
            program,
            args,
        }) => process::supervise(&folder, &program, &args),
        Some(Command::Execute {
            folder,
            parent,
            program,
            args,
        }) => process::execute(&folder, parent, &program, &args),
        Some(Command::Check { paths, options }) => check::run(&paths, &options),
        None if args.check => check::run(&args.paths, &args.options),
        None if !args.paths.is_empty() => check_paths(&args),
        None => ended(crate::server::run(args.listen.as_deref())),
    }
}

fn check_paths(args: &Args) -> u8 {
    let status = check::run(&args.paths, &args.options);
    // A path that does not exist may be a mistyped command.
    if let [word, ..] = &args.paths[..]
        && !word.exists()
        && word.as_os_str() != "-"
    {
        output::note("`rise-ls help` lists the commands");
    }
    status
}

/// Prints a usage error, the help or the version, and returns the exit status.
fn refuse(error: &clap::Error) -> u8 {
    // A failure to write the message cannot be reported.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => SUCCESS,
        _ => BAD_USAGE,
    }
}

/// Runs the worker process for OpenCL devices, which communicates over standard input and output.
fn work_with_devices() -> u8 {
    match runtime::ocl::serve_stdio() {
        Ok(()) => SUCCESS,
        Err(error) => {
            output::error(&error.to_string());
            BAD_USAGE
        }
    }
}

/// Returns the exit status of a server that has ended. If it has failed, prints the error and
/// returns `BAD_USAGE`.
fn ended(server: std::io::Result<u8>) -> u8 {
    match server {
        Ok(status) => status,
        Err(error) => {
            output::error(&error.to_string());
            BAD_USAGE
        }
    }
}

/// Returns the selected definition. If the selection is ambiguous or fails, prints a message and
/// returns `None`.
fn select(db: &Database, file: FileId, wanted: Option<&str>) -> Option<ItemId> {
    match selection::definition(db, file, wanted) {
        Ok(item) => Some(item),
        Err(unclear) => {
            report_unclear(&unclear);
            None
        }
    }
}

/// Prints why no definition is selected.
fn report_unclear(unclear: &Unclear) {
    match unclear {
        Unclear::Several { .. } => {
            output::error(&format!("{unclear}: choose one with `--def NAME`"));
        }
        Unclear::Missing { .. } | Unclear::Nothing => output::error(&unclear.to_string()),
    }
    if let Some(note) = unclear.note() {
        output::note(&note);
    }
}
