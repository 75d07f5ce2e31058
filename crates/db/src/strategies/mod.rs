//! Files of ELEVATE: what their items use, their types, and what becomes of programs.

mod check;
pub(crate) mod mentions;

pub(crate) use check::{signature, strategy_checked};
