//! The arguments of `rise-ls rewrite`; the doc comments of arguments are the help text.

use crate::cli::args::{ImportOptions, Language};
use clap::Args as Group;
use std::path::PathBuf;
use syntax::ast::Name;

/// The arguments of `rewrite`.
#[derive(Debug, Group)]
pub struct RewriteOptions {
    /// The file with the program; `-` is standard input
    pub file: PathBuf,

    /// The definition; the one that the strategy names, the file's only one, or the one that nothing
    /// else uses, if it is left out
    #[arg(long, value_name = "NAME")]
    pub def: Option<String>,

    /// The strategy: an expression, or FILE.elevate for the main expression of that file, or
    /// FILE.elevate:NAME
    #[arg(
        long,
        value_name = "STRATEGY",
        required_unless_present = "strategy_file"
    )]
    pub strategy: Option<String>,

    /// The strategy, in a file: its main expression, or what it defines by this name
    #[arg(value_name = "FILE.elevate[:NAME]", conflicts_with = "strategy")]
    pub strategy_file: Option<String>,

    /// Print every step: the rule, the place, what was there, what is there now
    #[arg(long)]
    pub trace: bool,

    /// Print how often each rule was applied
    #[arg(long)]
    pub steps: bool,

    /// Print how the file would change instead of the definition
    #[arg(long)]
    pub diff: bool,

    /// Write the file
    #[arg(long)]
    pub write: bool,

    /// Let sizes that the strategy leaves open become parameters, even of a definition that others
    /// use or whose type is written
    #[arg(long)]
    pub open_sizes: bool,

    /// Give a size that the strategy tunes a value, as s=32; may be given again for other sizes
    #[arg(long, value_name = "NAME=N", value_parser = tuned)]
    pub tune: Vec<(Name, i64)>,

    /// Fail after N steps; those of normal forms count, too
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,
}

/// Parses a size of a strategy, as in `s=32`.
fn tuned(text: &str) -> Result<(Name, i64), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write NAME=N, as s=32".to_owned())?;
    let value = value.trim();
    match value.parse() {
        Ok(size) if size >= 1 => Ok((name.trim().into(), size)),
        _ => Err(format!(
            "`{value}` is not a size: write a whole number of at least 1"
        )),
    }
}
