//! Implements `rise-ls run`, which compiles and runs a definition, or interprets it.

mod options;
mod progress;
mod show;

pub use options::{RunOptions, size};

use super::report::Reporter;
use super::watch::Watch;
use super::workspace::Workspace;
use super::{BAD_USAGE, FAILURE, INTERRUPTED, SUCCESS, human, output, select};
use crate::run::{self, Done, Failure, Job};
use codegen::PassSet;
use db::{Database, ItemId};
use options::RunFormat;
use progress::Progress;
use runtime::launch::Request;
use runtime::{Value, npy};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use syntax::Severity;

pub fn run(options: &RunOptions) -> u8 {
    let without = match PassSet::of(&options.without) {
        Ok(without) => without,
        Err(message) => {
            output::error(&message);
            return BAD_USAGE;
        }
    };
    let format = options.format;
    let watch = Watch::start(options.timeout, move |why| {
        stopped(&Failure::from(why), format)
    });
    let loaded = Workspace::load_file(&options.file, options.language, &options.imports);
    let (mut workspace, file) = match loaded {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let Some(item) = select(&workspace.db, file, options.def.as_deref()) else {
        return BAD_USAGE;
    };
    let mut progress = Progress::new();
    let job = job(&workspace.db, item, options, without);
    let limits = watch.limits();
    let result = run::prepare(&mut workspace.db, item, &job, limits).and_then(|()| {
        run::run(&workspace.db, item, &job, limits, &mut |stage| {
            progress.show(stage)
        })
    });
    watch.finish();
    progress.clear();
    match result {
        Ok(done) => {
            for warning in &done.warnings {
                show::print(&workspace, warning, Severity::Warning);
            }
            finish(&done, options)
        }
        Err(failure) => fail(&workspace, &failure, options),
    }
}

fn job(db: &Database, item: ItemId, options: &RunOptions, without: PassSet) -> Job {
    Job {
        backend: options.backend,
        request: Request {
            sizes: options.sizes.clone(),
            defaults: run::default_sizes(&db.parsed(item).item),
            args: options.args.clone(),
            seed: options.seed,
            memory: None,
        },
        bench: options.bench.map(Into::into),
        verify: options.verify,
        tolerance: options.tolerance,
        index: options.index.width(),
        without,
        device: options.device.clone(),
        preferred_device: None,
        local: options.local.clone().map(|sizes| sizes.0),
        global: options.global.clone().map(|sizes| sizes.0),
    }
}

fn finish(done: &Done, options: &RunOptions) -> u8 {
    if let Err(status) = write_outputs(&done.value, &options.out) {
        return status;
    }
    let is_wrong = done.verified.as_ref().is_some_and(|found| found.wrong > 0);
    let status = if is_wrong { FAILURE } else { SUCCESS };
    match options.format {
        RunFormat::Json => output::result(status, |out| {
            writeln!(out, "{}", run::result_json(done, &options.out, true))
        }),
        RunFormat::Human => {
            if !done.printed.is_empty() {
                // A failure to write the message cannot be reported.
                let _ = io::stderr().write_all(done.printed.as_bytes());
            }
            output::note(&run::text::conditions(done));
            if let Some(doubt) = run::text::doubt(done) {
                output::warning(&doubt);
            }
            output::result(status, |out| show::result(done, &options.out, out))
        }
    }
}

/// Writes a value to a file, or each of its outputs to one of several files.
fn write_outputs(value: &Value, paths: &[PathBuf]) -> Result<(), u8> {
    let write = |value: &Value, path: &Path| {
        output::to_file(path, |mut out| {
            npy::write(value, &mut out).map_err(|error| io::Error::other(error.to_string()))
        })
    };
    match paths {
        [] => Ok(()),
        [path] => write(value, path),
        _ => {
            let Some(outputs) = value.outputs(paths.len()) else {
                output::error(&format!(
                    "`--out` names {} files, and the result is no tuple of so many outputs",
                    paths.len(),
                ));
                return Err(BAD_USAGE);
            };
            let mut pairs = outputs.iter().zip(paths);
            pairs.try_for_each(|(output, path)| write(output, path))
        }
    }
}

/// Prints a failure to standard output if the format is JSON.
fn print_json(failure: &Failure, format: RunFormat) {
    if format == RunFormat::Json {
        // If this cannot be written, the exit status still reports the failure.
        let _ = output::result(FAILURE, |out| {
            serde_json::to_writer(&mut *out, &run::failure_json(failure))?;
            writeln!(out)
        });
    }
}

/// Prints why the command was stopped, and returns the exit status.
fn stopped(failure: &Failure, format: RunFormat) -> u8 {
    progress::erase();
    print_json(failure, format);
    match failure {
        Failure::Cancelled => {
            output::note("stopped");
            INTERRUPTED
        }
        _ => {
            output::error(&run::failure_json(failure).error);
            FAILURE
        }
    }
}

/// Prints the reason for a failure, and returns the exit status.
fn fail(workspace: &Workspace, failure: &Failure, options: &RunOptions) -> u8 {
    print_json(failure, options.format);
    match failure {
        Failure::Wrong(all) => {
            let mut reporter = Reporter::new(&workspace.db, &workspace.base);
            for (item, diagnostics) in all {
                reporter.item(*item, diagnostics);
            }
            human::errors(&reporter.finish())
        }
        Failure::Launch(_) | Failure::Plan(_) | Failure::Unavailable(_) => {
            output::error(&run::failure_json(failure).error);
            BAD_USAGE
        }
        Failure::Failed(complaint) => {
            show::print(workspace, complaint, Severity::Error);
            FAILURE
        }
        Failure::Cancelled => {
            output::note("stopped");
            INTERRUPTED
        }
    }
}
