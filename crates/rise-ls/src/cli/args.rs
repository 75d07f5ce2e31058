//! Defines the arguments of the command line, which clap parses; the doc comments of arguments are
//! the help text. The arguments of `emit`, `run` and `rewrite` are in their modules.

use super::cost::CostOptions;
use super::emit::EmitOptions;
use super::rewrite::RewriteOptions;
use super::run::RunOptions;
use super::schedule::ScheduleOptions;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use codegen::Target;
use std::ffi::OsString;
use std::path::PathBuf;

/// The RISE language server and checker.
///
/// Without arguments it is a language server on standard input and output.
#[derive(Debug, Parser)]
#[command(
    name = "rise-ls",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub struct Args {
    /// The subcommand, if there is one.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Check files and folders, and print what is wrong in them
    #[arg(long, requires = "paths", conflicts_with_all = ["stdio", "listen"])]
    pub check: bool,

    /// The files and folders to check (every .rise, .dpia and .elevate file below a folder), `-`
    /// for standard input
    #[arg(value_name = "PATH", conflicts_with_all = ["stdio", "listen"])]
    pub paths: Vec<PathBuf>,

    /// The options of the check.
    #[command(flatten)]
    pub options: CheckOptions,

    /// Serve an editor on standard input and output (as without arguments)
    #[arg(long, conflicts_with = "listen")]
    pub stdio: bool,

    /// Serve one editor that connects to this address
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,

    /// The process id of the editor, which some editors pass to every server. It is not used.
    #[arg(long = "clientProcessId", value_name = "ID", hide = true)]
    pub client_process_id: Option<u32>,
}

/// The options of a check.
#[derive(Debug, Group)]
pub struct CheckOptions {
    /// The format of findings
    #[arg(long, value_enum, default_value_t, requires = "paths")]
    pub format: Format,

    /// Fail on these as on errors
    #[arg(long, value_enum, value_name = "WHAT", requires = "paths")]
    pub deny: Option<Deny>,

    /// Print only what weighs as much as this, or more [default: warning, which counts obligations;
    /// hint without performance hints for json and sarif]
    #[arg(long, value_enum, value_name = "LEVEL", requires = "paths")]
    pub level: Option<Level>,

    /// Check every program as if it were compiled for this target, too, unless its `@target` names
    /// another
    #[arg(long, value_parser = targets(), value_name = "TARGET", requires = "paths")]
    pub target: Option<Target>,

    /// Print sizes and times to standard error
    #[arg(long, requires = "paths")]
    pub stats: bool,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, requires = "paths", value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,
}

/// The folders from which files may be imported, besides those of their own projects.
#[derive(Clone, Debug, Default, Group)]
pub struct ImportOptions {
    /// Let files import from this folder, too; may be given again. Imports stay inside the nearest
    /// folder above with `rise.toml` or `.git`, else the folder of the file
    #[arg(long, value_name = "FOLDER")]
    pub allow_import: Vec<PathBuf>,
}

/// The output format of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The source with the place underlined
    #[default]
    Human,
    /// One JSON object a line
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Workflow commands of GitHub
    Github,
}

/// The lowest severity that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// Also the obligations that definitions assume
    Information,
    /// All remarks, also performance hints
    Hint,
}

impl From<Level> for syntax::Severity {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => syntax::Severity::Error,
            Level::Warning => syntax::Severity::Warning,
            Level::Information => syntax::Severity::Information,
            Level::Hint => syntax::Severity::Hint,
        }
    }
}

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// RISE, as in .rise files
    Rise,
    /// DPIA, as in .dpia files
    Dpia,
    /// ELEVATE, as in .elevate files
    Elevate,
}

/// The width of sizes and indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IndexWord {
    /// 32 bits
    #[value(name = "32")]
    Bits32,
    /// 64 bits
    #[value(name = "64")]
    Bits64,
    /// 32 or 64 bits, as the sizes need
    #[default]
    Auto,
}

impl IndexWord {
    /// Returns the width, or `None` if it depends on the sizes.
    pub fn width(self) -> Option<db::IndexWidth> {
        match self {
            IndexWord::Bits32 => Some(db::IndexWidth::Bits32),
            IndexWord::Bits64 => Some(db::IndexWidth::Bits64),
            IndexWord::Auto => None,
        }
    }
}

impl Language {
    pub fn language(self) -> db::Language {
        match self {
            Language::Rise => db::Language::Rise,
            Language::Dpia => db::Language::Dpia,
            Language::Elevate => db::Language::Elevate,
        }
    }
}

/// Returns a parser of one of these values. With each value are given the name that is written for
/// it and its description in the help text.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (T, &'static str, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<_> = values.into_iter().collect();
    let known = |(_, name, help): &(T, _, &'static str)| PossibleValue::new(*name).help(*help);
    let parser = PossibleValuesParser::new(values.iter().map(known));
    parser.try_map(move |text| {
        let mut values = values.iter();
        let found = values.find(|(_, name, _)| *name == text);
        found
            .map(|(value, ..)| *value)
            .ok_or("there is no such value")
    })
}

/// Returns the parser of the name of a target.
pub fn targets() -> impl TypedValueParser<Value = Target> {
    one_of(Target::all().map(|target| (target, target.as_str(), target.description().summary)))
}

/// The findings that make a check fail as errors do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// Warnings
    Warnings,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check files and folders, as `--check` does
    Check {
        /// Files, folders, `-` for standard input
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<PathBuf>,
        /// The options of the check.
        #[command(flatten)]
        options: CheckOptions,
    },
    /// Print the types of a file's definitions
    Types(TypesOptions),
    /// Print what a definition becomes on its way to running code
    Emit(EmitOptions),
    /// Run a definition: compiled, or in the interpreter
    Run(RunOptions),
    /// Estimate the time of a definition, and print which of its loops could be faster
    Cost(CostOptions),
    /// Print the default schedule of a definition as a strategy, which `@strategy` can name
    Schedule(ScheduleOptions),
    /// Apply a strategy to a definition: print it, or how its file changes, or write the file
    Rewrite(RewriteOptions),
    /// Format files in place; what has a mistake of syntax stays as it is, and is reported
    Fmt(FmtOptions),
    /// Apply the preferred fix of every diagnostic, until none is left
    Fix(FixOptions),
    /// Explain a diagnostic, with a wrong and a right example
    Explain {
        /// The code in brackets, as in error[size-mismatch]
        code: String,
    },
    /// Print what this machine has: C compiler, OpenMP, OpenCL, editors
    Doctor,
    /// Serve the session of the process that has started this one
    #[command(name = crate::server::WORKER, hide = true)]
    SessionWorker {
        /// The number of workers that the session had before
        restarts: u32,
    },
    /// Work with OpenCL devices for another process of this program
    #[command(name = crate::run::WORKER, hide = true)]
    DeviceWorker,
    /// Run a program for another process of this program, and end it when that process ends
    #[command(name = super::SUPERVISION.supervise, hide = true)]
    Supervise {
        /// The folder whose lock the other process holds
        folder: PathBuf,
        /// The program
        program: OsString,
        /// Its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Become a program that ends with the process that has started this one
    #[command(name = super::SUPERVISION.execute, hide = true)]
    Execute {
        /// The folder for the report
        folder: PathBuf,
        /// The process that has started this one
        parent: u32,
        /// The program
        program: OsString,
        /// Its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

/// The arguments of `types`.
#[derive(Debug, Group)]
pub struct TypesOptions {
    /// The file; `-` is standard input
    pub file: PathBuf,

    /// Only this definition
    #[arg(long, value_name = "NAME")]
    pub def: Option<String>,

    /// The format of types
    #[arg(long, value_enum, default_value_t)]
    pub format: TypesFormat,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,
}

/// The output format of types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TypesFormat {
    /// `name : type`
    #[default]
    Human,
    /// One JSON object a line
    Json,
}

/// The arguments of `fmt`.
#[derive(Debug, Group)]
pub struct FmtOptions {
    /// Files and folders; `-` formats standard input to standard output
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// Write nothing; list the files that would change, and fail if there are any
    #[arg(long)]
    pub check: bool,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Language>,
}

/// The arguments that name a definition and the target for which it is compiled.
#[derive(Debug, Group)]
pub struct DefinitionOptions {
    /// The file; `-` is standard input
    pub file: PathBuf,

    /// The definition; the file's only one, or the one that nothing else uses, if it is left out
    #[arg(long, value_name = "NAME")]
    pub def: Option<String>,

    /// The target [default: the first one that the definition is for, else c]
    #[arg(long, value_parser = targets(), value_name = "TARGET")]
    pub target: Option<Target>,
}

/// The arguments of `fix`.
#[derive(Debug, Group)]
pub struct FixOptions {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// Write nothing; print what would change, and fail if something would
    #[arg(long)]
    pub dry_run: bool,

    /// Fix every program as if it were compiled for this target, too, unless its `@target` names
    /// another
    #[arg(long, value_parser = targets(), value_name = "TARGET")]
    pub target: Option<Target>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,
}
