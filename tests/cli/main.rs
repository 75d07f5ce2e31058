//! Tests of the command line with the real binary.

mod bad_input;
mod bad_runs;
mod bad_strategies;
mod check;
mod cost;
mod doctor;
mod dpia;
mod ended;
mod explain;
mod fix;
mod fmt;
mod formats;
mod imports;
mod kernels;
mod lowerings;
mod opencl;
mod rewrite;
mod run;
mod schedule;
mod support;
mod tunes;
mod types;
mod usage;
