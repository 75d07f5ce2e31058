//! What programs mean, by example and by law.

mod arrays;
mod dependent;
mod errors;
mod harness;
mod laws;
mod limits;
mod many;
mod numbers;
mod patterns;
mod programs;
mod random;
mod trace;
