//! Files of ELEVATE in the database: names, types, and the application of strategies to programs.

mod check;
mod database;
pub(crate) mod forms;
pub(crate) mod free_names;
mod given;
mod named;
mod programs;
mod rewrite;

pub(crate) use check::{signature_of, strategy_checked};
pub use given::GivenStrategy;
pub(crate) use named::{named, named_definition};
pub(crate) use programs::from_standard;
pub use rewrite::{LoweredDef, Refusal};
pub(crate) use rewrite::{
    assumed, complaint, example, is_lowered, lowered, own, program_of, rewrite, standard,
    used_programs,
};
