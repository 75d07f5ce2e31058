//! Tests of sessions with the real binary over its standard input and output.

#![allow(missing_docs, reason = "tests")]

mod client;
mod crashes;
mod custom;
mod diagnostics;
mod dpia;
mod editing;
mod fuzz;
mod kernels;
mod language;
mod lifecycle;
mod memory;
mod navigation;
mod opencl;
mod preview;
mod rewrites;
mod rewrites_more;
mod run;
mod soak;
mod strategies;
mod strategy_steps;
mod structure;
mod sync;
mod workspace;
