//! Implements `rise-ls schedule`, which prints the default schedule of a definition as a strategy.

use super::args::{DefinitionOptions, ImportOptions, Language};
use super::report::Reporter;
use super::workspace::Workspace;
use super::{BAD_USAGE, SUCCESS, human, output, select};
use clap::Args as Group;
use ide::Form;
use std::io::Write;

/// The arguments of `schedule`.
#[derive(Debug, Group)]
pub struct ScheduleOptions {
    /// The definition and the target.
    #[command(flatten)]
    pub of: DefinitionOptions,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,
}

/// Prints the schedule, and returns the exit status.
pub fn run(options: &ScheduleOptions) -> u8 {
    let loaded = Workspace::load_file(&options.of.file, options.language, &options.imports);
    let (workspace, file) = match loaded {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let Some(item) = select(&workspace.db, file, options.of.def.as_deref()) else {
        return BAD_USAGE;
    };
    match ide::preview(&workspace.db, file, item, Form::Schedule(options.of.target)) {
        Ok(preview) => output::result(SUCCESS, |out| write!(out, "{}", preview.text)),
        Err(errors) => {
            let mut reporter = Reporter::new(&workspace.db, &workspace.base);
            reporter.item(item, &errors);
            human::errors(&reporter.finish())
        }
    }
}
