//! Implements the language of `.elevate` files: names, types, checks, and evaluation to strategies.
//!
//! [`check()`] checks one item, given the signatures of the definitions that it uses, as
//! `rise::infer` does for RISE. [`rewrite`] evaluates a definition to a strategy and applies it to
//! a RISE definition; [`run_example`] tests an example.

pub mod check;
mod definition;
#[cfg(test)]
mod equation_tests;
mod eval;
mod examples;
mod file;
mod library;
mod programs;
mod run;
#[cfg(test)]
mod tests;
mod tune_parameters;
mod tunes;
pub mod types;

pub use check::{
    BinderKey, CaptureSource, Captured, Checked, Compiled, DefinitionKind, Env, Meaning, NameUse,
    Quote, Resolution, Signature, TYPES, Target, check, header_signature,
};
pub use definition::{Definition, Definitions};
pub use eval::{EvalError, GlobalEnv, Value};
pub use examples::run_example;
pub use file::File;
pub use library::{FIRST_LIBRARY_ID, LIBRARY, Library, LibraryLocation, library};
pub use programs::Programs;
pub use run::{
    NotRewritten, Parameter, Report, Request, Rewritten, Run, program_of, rewrite, strategy_of,
};
pub use tunes::TuneError;
pub use types::{Flavour, Param, Scheme, Ty, Type, type_text};
