//! Strategies as data, and the machine that applies them.
//!
//! A [`Strategy`] is data. [`run`] applies one to a term on a stack of its own, so neither terms
//! nor strategies that nest deeply are a danger, and says what it did: every step with its place,
//! what was assumed, or which rule failed where and why.
//!
//! The seam to rules is [`Rewrite`]: something with a name that takes a term at a place and gives
//! another one, or says cheaply how near it was.

mod code;
mod eval;
mod frames;
mod lambda;
#[cfg(test)]
mod laws;
mod machine;
mod outcome;
mod report;
mod resume;
mod rewrite;
mod strategy;
#[cfg(test)]
mod tests;
mod walk;

pub use lambda::{Beta, Eta, EtaAbstraction, FreshBinder, GentleBeta};
pub(crate) use lambda::{beta, eta, eta_abstraction, repeats_parameter};
pub use machine::run;
pub use outcome::{Failure, Options, Outcome, RuleCount, TraceStep};
pub use rewrite::{Assumption, Context, Miss, Reach, Reason, Rewrite, Rewritten};
pub use strategy::{Continuation, Failed, Function, Next, Predicate, Step, Strategy, Test};
