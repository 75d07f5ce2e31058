//! Files of ELEVATE: what their items use, their types, and what becomes of programs.

mod check;
pub(crate) mod mentions;
mod named;
mod programs;

pub(crate) use check::{signature_of, strategy_checked};
pub(crate) use named::named;
pub(crate) use programs::from_standard;
