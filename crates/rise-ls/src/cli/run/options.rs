//! The arguments of `rise-ls run`; the doc comments of arguments are the help text.

use super::super::args::{ImportOptions, IndexWord, Language, one_of};
use crate::run::{self, Backend};
use clap::builder::TypedValueParser;
use clap::{Args as Group, ValueEnum};
use runtime::launch::ArgumentSource;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

/// The arguments of `run`.
#[derive(Debug, Group)]
pub struct RunOptions {
    /// The file; `-` is standard input
    pub file: PathBuf,

    /// The definition; needed where it is not clear which is meant
    #[arg(long, value_name = "NAME")]
    pub def: Option<String>,

    /// The backend; by default compiled code where that is possible, else the interpreter
    #[arg(long, value_parser = backends())]
    pub backend: Option<Backend>,

    /// A size; those that follow from arguments need not be given
    #[arg(short = 'D', value_name = "n=1024", value_parser = size)]
    pub sizes: Vec<(String, u64)>,

    /// An argument: `random` (the default), `random(5,30)`, `sorted`, `permutation`, `rowptr(n)`,
    /// `extreme`, `zeros`, `iota`, a value as it is printed (one number for a whole array), or a .npy file
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = argument)]
    pub args: Vec<(String, ArgumentSource)>,

    /// Time so many runs, after one that warms up
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = count)]
    pub bench: Option<NonZeroU32>,

    /// Compare the result with the interpreter's, and fail if it is another
    #[arg(long)]
    pub verify: bool,

    /// The tolerance of `--verify` for floating point numbers, relative to the larger of 1 and the
    /// expected number [default: 1e-4 for f32, 1e-10 for f64, 1e-2 for f16]
    #[arg(long, value_name = "T", requires = "verify", allow_hyphen_values = true, value_parser = tolerance)]
    pub tolerance: Option<f64>,

    /// Give up if the whole command takes so many seconds [default: never]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// The width of sizes and indices in compiled code, in bits; `auto` takes 64 where the sizes do
    /// not fit into 32
    #[arg(long, value_enum, value_name = "BITS", default_value_t)]
    pub index: IndexWord,

    /// Leave out an optional pass of the compiler; can be repeated
    #[arg(long, value_name = "PASS")]
    pub without: Vec<String>,

    /// The seed of random arguments
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Write the result to this .npy file; several outputs to one file each, separated by commas
    #[arg(long, value_name = "FILE.npy", value_delimiter = ',')]
    pub out: Vec<PathBuf>,

    /// The format in which the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: RunFormat,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,

    /// The OpenCL device with this in its name or platform, or with this number (`#0`), as
    /// `rise-ls doctor` lists them [default: a GPU if there is one]
    #[arg(long, value_name = "SUBSTRING")]
    pub device: Option<String>,

    /// OpenCL: work-items of a group in each dimension; by default those of `@opencl`, else what
    /// suits the program's loops
    #[arg(long, value_name = "X[,Y[,Z]]", allow_hyphen_values = true, value_parser = dimensions)]
    pub local: Option<Dimensions>,

    /// OpenCL: all work-items in each dimension [default: as for `--local`]
    #[arg(long, value_name = "X[,Y[,Z]]", allow_hyphen_values = true, value_parser = dimensions)]
    pub global: Option<Dimensions>,
}

fn backends() -> impl TypedValueParser<Value = Backend> {
    one_of(Backend::all().map(|backend| (backend, backend.as_str(), backend.summary())))
}

/// The output format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// The value, shortened if it is long
    #[default]
    Human,
    /// One JSON object, with the whole value
    Json,
}

/// Parses a size, as in `n=1024`.
pub fn size(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.split_once('=').ok_or("write a size as `n=1024`")?;
    let value = value.trim();
    if !is_digits(value) {
        return Err(format!(
            "`{value}` is not a size: sizes are whole numbers from 0"
        ));
    }
    let number: Option<u64> = value.parse().ok();
    let number = number.filter(|number| *number <= rise::MAX_SIZE.unsigned_abs());
    let number = number.ok_or_else(|| {
        format!(
            "the size `{value}` is too large: a size is at most {}",
            rise::MAX_SIZE
        )
    })?;
    Ok((name.trim().to_owned(), number))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// One to three positive sizes of an OpenCL index space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimensions(pub Vec<u64>);

/// Parses dimensions, as in `16,16`.
fn dimensions(text: &str) -> Result<Dimensions, String> {
    let sizes: Option<Vec<u64>> = (text.split(','))
        .map(|size| size.trim().parse().ok().filter(|size| *size > 0))
        .collect();
    match sizes {
        Some(sizes) if sizes.len() <= 3 => Ok(Dimensions(sizes)),
        Some(sizes) => Err(format!(
            "OpenCL has at most three dimensions, and {} sizes are given",
            sizes.len()
        )),
        None => Err(
            "write whole numbers of at least 1, one for each dimension, as 64 or 16,16".to_owned(),
        ),
    }
}

/// Parses an argument, as in `xs=random`.
fn argument(text: &str) -> Result<(String, ArgumentSource), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write an argument as `NAME=random`, `NAME=3` or `NAME=FILE.npy`")?;
    let source = run::source(value).map_err(|error| error.to_string())?;
    Ok((name.trim().to_owned(), source))
}

fn count(text: &str) -> Result<NonZeroU32, String> {
    (text.parse())
        .map_err(|_| "the number of repetitions must be a whole number of at least 1".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "a time must be a number of seconds above 0, as 0.5 or 60".to_owned())
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("a tolerance must be a number of at least 0".to_owned()),
    }
}
