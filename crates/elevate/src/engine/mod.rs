//! Defines strategies as data, the abstract machine that applies them, and the rules of the lambda
//! calculus.
//!
//! [`run`] applies a [`Strategy`] to a term. It uses a stack on the heap, so neither deep terms nor
//! deeply nested strategies overflow the stack of the thread. Its [`Outcome`] contains the new
//! term, or the failure with its place and reason, and further the assumptions of the rules, the
//! number of applications of each rule and, on request, every step with its place.
//!
//! Rules implement [`Rewrite`]: a named function from a term and its context to another term, or to
//! a measure of how near the rule was to a match.

mod code;
#[cfg(test)]
mod equation_tests;
mod eval;
mod frames;
mod lambda;
mod machine;
mod outcome;
mod report;
mod resume;
mod rewrite;
mod strategy;
#[cfg(test)]
mod tests;
mod traversal;

pub use lambda::{Beta, Eta, FreshBinder, GentleBeta};
pub use machine::run;
pub use outcome::{Failure, Options, Outcome, RuleCount, TraceStep};
pub use rewrite::{Assumption, Context, MismatchRank, Reach, Reason, Rewrite, Rewritten};
pub use strategy::{CallResult, Failed, Function, Predicate, Strategy, StrategyKind, Test};
