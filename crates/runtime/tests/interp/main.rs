//! Tests of the semantics of programs by examples and laws.

mod arrays;
mod batch;
mod dependent;
mod errors;
mod harness;
mod laws;
mod limits;
mod numbers;
mod patterns;
mod programs;
mod random;
mod trace;
