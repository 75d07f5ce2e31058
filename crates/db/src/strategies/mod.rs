//! Files of ELEVATE: what their items use, their types, and what becomes of programs.

mod check;
pub(crate) mod mentions;
mod named;

pub(crate) use check::{signature, strategy_checked};
pub(crate) use named::named;
