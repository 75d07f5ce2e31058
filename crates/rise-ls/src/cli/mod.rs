//! The command line: what is asked for, and what each command says.

mod args;
mod check;
mod diff;
mod doctor;
mod emit;
mod explain;
mod fmt;
mod github;
mod human;
mod json;
mod output;
mod place;
mod report;
mod rewrite;
mod run;
mod sarif;
mod stats;
mod types;
mod window;
mod workspace;

use crate::select::{self as selection, Unclear};
use args::{Args, Command};
use clap::Parser;
use clap::error::ErrorKind;
use db::{Database, FileId, ItemId};
use runtime::process::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Everything is fine.
const FINE: u8 = 0;
/// The input has mistakes.
const FOUND: u8 = 1;
/// The input cannot be read, or the question makes no sense.
const UNUSABLE: u8 = 2;
/// It was interrupted, as shells have it.
const INTERRUPTED: u8 = 130;

/// Does what the arguments ask for, and returns the exit status.
pub fn run() -> u8 {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return refuse(&error),
    };
    match args.command {
        Some(Command::Types(options)) => types::run(&options),
        Some(Command::Emit(options)) => emit::run(&options),
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::Rewrite(options)) => rewrite::run(&options),
        Some(Command::Fmt(options)) => fmt::run(&options),
        Some(Command::Explain { code }) => explain::run(&code),
        Some(Command::Doctor) => doctor::run(),
        Some(Command::SessionWorker { restarts }) => ended(crate::server::work(restarts)),
        Some(Command::DeviceWorker) => work_with_devices(),
        None if args.check => check::run(&args.paths, &args.options),
        None => ended(crate::server::run(args.listen.as_deref())),
    }
}

/// Prints a usage error, or the help or version that was asked for.
fn refuse(error: &clap::Error) -> u8 {
    // Nobody is left to tell if this fails.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => FINE,
        _ => UNUSABLE,
    }
}

/// Answers the process that has started this one.
fn work_with_devices() -> u8 {
    match runtime::ocl::serve_stdio() {
        Ok(()) => FINE,
        Err(error) => {
            output::error(&error.to_string());
            UNUSABLE
        }
    }
}

/// The exit status of a server.
fn ended(server: std::io::Result<u8>) -> u8 {
    match server {
        Ok(status) => status,
        Err(error) => {
            output::error(&error.to_string());
            UNUSABLE
        }
    }
}

/// The request to stop that the first interrupt makes; the second one ends this program.
fn on_interrupt() -> Cancel {
    let cancel = Cancel::default();
    for signal in [SIGINT, SIGTERM] {
        let status = i32::from(INTERRUPTED);
        // Without this a signal ends the program at once, which is all right too.
        let _ = flag::register_conditional_shutdown(signal, status, cancel.flag());
        let _ = flag::register(signal, cancel.flag());
    }
    cancel
}

/// The definition that is meant; none (and a message) if that is not clear.
fn select(db: &Database, file: FileId, wanted: Option<&str>) -> Option<ItemId> {
    let unclear = match selection::definition(db, file, wanted) {
        Ok(item) => return Some(item),
        Err(unclear) => unclear,
    };
    match &unclear {
        Unclear::Several { .. } => {
            output::error(&format!("{unclear}: say which one with `--def NAME`"));
        }
        Unclear::Missing { .. } | Unclear::Nothing => output::error(&unclear.to_string()),
    }
    if let Some(note) = unclear.note() {
        output::note(&note);
    }
    None
}
