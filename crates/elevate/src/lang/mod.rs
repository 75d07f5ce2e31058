//! Implements the language of `.elevate` files: names, types, checks, and evaluation to strategies.
//!
//! [`check()`] checks one item, given the signatures of the definitions that it uses, as
//! `rise::infer` does for RISE.

pub mod check;
mod definition;
#[cfg(test)]
mod equations;
mod eval;
mod examples;
mod file;
mod library;
mod open;
mod programs;
mod run;
#[cfg(test)]
mod tests;
mod tunes;
pub mod types;

pub use check::{
    Captured, Checked, Compiled, Env, Key, Meaning, NameUse, Quote, Resolution, Signature, Sort,
    Source, Target, check, header_signature,
};
pub use definition::{Definition, Definitions};
pub use eval::{Trouble, Value, World};
pub use examples::run_example;
pub use file::File;
pub use library::{FIRST, LIBRARY, Library, Place, library};
pub use programs::Programs;
pub use run::{
    NotRewritten, Parameter, Report, Request, Rewritten, Run, program_of, rewrite, strategy_of,
};
pub use tunes::NotTuned;
pub use types::{Flavour, Param, Scheme, Ty, Type, type_text};
