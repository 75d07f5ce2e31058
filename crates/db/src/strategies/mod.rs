//! Strategies in the database: their types, the resolution of `@strategy` annotations, and the
//! application of strategies to programs.

mod check;
mod named;
mod rewrite;

pub(crate) use check::{ItemEnv, signature_of, strategy_checked};
pub(crate) use named::{named, named_definition};
pub use rewrite::{LoweredDef, Refusal};
pub(crate) use rewrite::{
    assumed, code_def, complaint, contracted, definitions, example, is_exact, is_lowered,
    left_open, lowered, order_in, program_of, rescheduled, rewrite, rewrite_by, schedule_name,
    schedule_text, scheduled, strategy_errors, used_programs,
};
